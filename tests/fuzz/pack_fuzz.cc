// Packs that somebody made who means harm: bytes of a page, or the content of a block, are the
// input's, and the head and all checksums are right. Nothing crashes, what is refused has a reason,
// and what is taken in is a trace that a store can hold.
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "schema/base/column_codec.h"
#include "schema/db/database.h"
#include "schema/store/migrate.h"
#include "tests/fuzz/small_trace.h"
#include "tests/unit/trace/pack/hostile_pack.h"
#include "trace/pack/pack_file.h"

namespace {

namespace schema = benchhud::schema;
namespace trace = benchhud::trace;
using benchhud::fuzz::require;

schema::Connection new_store() {
  auto store = schema::Connection::open(":memory:", schema::OpenMode::kReadWriteCreate);
  require(store && schema::migrate(*store) && store->execute("BEGIN"));
  return *std::move(store);
}

/// A file that is gone when the program ends.
struct PackPlace {
  PackPlace()
      : path(std::filesystem::temp_directory_path() / ("pack-" + std::to_string(getpid()))) {
    std::filesystem::remove(path);
    schema::Connection store = new_store();
    benchhud::fuzz::put_small_trace(store);
    auto small = trace::read_trace(store, schema::TraceId(1));
    require(small.has_value());
    schema::Connection everything = new_store();
    const auto id = trace::put_trace_with_everything(everything, *std::move(small));
    require(trace::write_pack(everything, id, path).has_value());
    whole = trace::bytes_of_file(path);
  }
  ~PackPlace() { std::filesystem::remove(path); }

  std::filesystem::path path;
  std::string whole;
};

// Bytes that follow each other, and where: two bytes of a place in 16ths, one of how many.
void change_bytes(std::string_view edits, std::string* pack) {
  while (edits.size() > 3) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(edits[i]); };
    const std::size_t at = (std::size_t{byte(0)} << 8 | byte(1)) * 16 % pack->size();
    const std::size_t count = std::min<std::size_t>(byte(2) % 16 + 1, edits.size() - 3);
    pack->replace(at, count, edits.substr(3, count));
    edits.remove_prefix(3 + count);
  }
}

bool change_block(std::string_view input, const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 9> kBlocks = {
      "trace_block SET bytes = $1 WHERE kind = 0",
      "trace_block SET bytes = $1 WHERE kind = 1",
      "trace_block SET bytes = $1 WHERE kind = 2",
      "trace_block SET bytes = $1 WHERE kind = 3",
      "trace_block SET bytes = $1 WHERE kind = 4",
      "trace_block SET bytes = $1 WHERE kind = 5",
      "trace_chunk SET slices = $1 WHERE thread = 0",
      "trace_chunk SET extras = $1 WHERE thread = 0",
      "trace_hlo SET modules = $1"};
  const auto which = static_cast<unsigned char>(input.front());
  const bool is_packed = which < 128;
  auto pack = schema::Connection::create_unchanging(path.string(), trace::kPackPage);
  if (!pack) return false;
  schema::Statement update =
      pack->prepare("UPDATE " + std::string(kBlocks[which % kBlocks.size()]));
  input.remove_prefix(1);
  return bool(update.bind_blob(1, is_packed ? schema::compress(input) : std::string(input)).run());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static PackPlace place;
  if (size < 2) return 0;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool is_of_pages = (input.front() & 1) != 0;
  input.remove_prefix(1);
  std::string bytes = place.whole;
  if (is_of_pages) {
    change_bytes(input, &bytes);
  } else {
    trace::write_file(place.path, bytes);
    if (!change_block(input, place.path)) return 0;
    bytes = trace::bytes_of_file(place.path);
  }
  trace::make_head_right(&bytes, place.whole);
  trace::make_checksums_right(&bytes);
  trace::write_file(place.path, bytes);
  schema::Connection store = new_store();
  const auto done = trace::take_in(place.path, store);
  require(done || !done.error().message.empty());
  return 0;
}
