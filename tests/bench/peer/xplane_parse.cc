// xplane_parse libprotobuf|protozero FILE: decodes a profile of XLA and does nothing with it but
// count, as the peers of `trace summary`. libprotobuf makes objects of the whole file, as XProf
// does before it begins; protozero goes through all fields of all events once. Says the events and
// their stats.
#include <fcntl.h>
#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <protozero/pbf_reader.hpp>
#include <stdexcept>
#include <string_view>

#include "xspace.pb.h"

namespace benchhud::bench {
namespace {

struct Counts {
  std::uint64_t events = 0, stats = 0;
  std::uint64_t sum = 0;  ///< of all durations, so that none of the work can be left out
};

Counts with_libprotobuf(int file) {
  google::protobuf::Arena arena;
  auto* space = google::protobuf::Arena::CreateMessage<XSpace>(&arena);
  google::protobuf::io::FileInputStream stream(file, 1 << 20);
  if (!space->ParseFromZeroCopyStream(&stream)) throw std::runtime_error("not an XSpace");
  Counts counts;
  for (const XPlane& plane : space->planes()) {
    for (const XLine& line : plane.lines()) {
      counts.events += static_cast<std::uint64_t>(line.events_size());
      for (const XEvent& event : line.events()) {
        counts.stats += static_cast<std::uint64_t>(event.stats_size());
        counts.sum += static_cast<std::uint64_t>(event.duration_ps());
      }
    }
  }
  return counts;
}

void count_event(protozero::pbf_reader event, Counts* counts) {
  ++counts->events;
  while (event.next()) {
    switch (event.tag()) {
      case 3:
        counts->sum += static_cast<std::uint64_t>(event.get_int64());
        break;
      case 4: {
        ++counts->stats;
        protozero::pbf_reader stat = event.get_message();
        while (stat.next()) {
          if (stat.has_wire_type(protozero::pbf_wire_type::varint)) {
            counts->sum += stat.get_uint64() & 1;
          } else {
            stat.skip();
          }
        }
        break;
      }
      default:
        event.skip();
    }
  }
}

Counts with_protozero(std::string_view bytes) {
  Counts counts;
  protozero::pbf_reader space(bytes.data(), bytes.size());
  while (space.next(1)) {
    protozero::pbf_reader plane = space.get_message();
    while (plane.next(3)) {
      protozero::pbf_reader line = plane.get_message();
      while (line.next(4)) count_event(line.get_message(), &counts);
    }
  }
  return counts;
}

Counts decode(std::string_view how, const char* path) {
  const int file = open(path, O_RDONLY);
  struct stat status{};
  if (file < 0 || fstat(file, &status) != 0) throw std::runtime_error("the file cannot be read");
  if (how == "libprotobuf") return with_libprotobuf(file);
  const auto size = static_cast<std::size_t>(status.st_size);
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) throw std::runtime_error("the file cannot be mapped");
  return with_protozero({static_cast<const char*>(bytes), size});
}

}  // namespace
}  // namespace benchhud::bench

int main(int count, char** arguments) {
  const std::string_view how = count == 3 ? arguments[1] : "";
  if (how != "libprotobuf" && how != "protozero") {
    fmt::print(stderr, "usage: xplane_parse libprotobuf|protozero FILE\n");
    return 2;
  }
  try {
    const auto counts = benchhud::bench::decode(how, arguments[2]);
    fmt::print(R"({{"events": {}, "stats": {}, "sum": {}}})"
               "\n",
               counts.events, counts.stats, counts.sum);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}: {}\n", arguments[2], problem.what());
    return 1;
  }
  return 0;
}
