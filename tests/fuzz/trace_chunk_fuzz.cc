// The decoders of what traces are stored as: never crash, and what they read they write the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "schema/base/column_codec.h"
#include "trace/trace_args.h"
#include "trace/trace_chunk.h"
#include "trace/trace_finding.h"
#include "trace/trace_pyramid.h"
#include "trace/trace_sums.h"

namespace {

namespace schema = benchhud::schema;

void require(bool condition) {
  if (!condition) std::abort();
}

// What was read and written again reads as the same.
template <class Decode, class Encode, class Same>
void check(const std::string& block, Decode decode, Encode encode, Same same) {
  const auto read = decode(block);
  if (!read) {
    require(read.error().code == schema::ErrorCode::kCorrupt);
    return;
  }
  const auto again = decode(encode(*read));
  require(again.has_value() && again->size() == read->size());
  for (std::size_t i = 0; i < read->size(); ++i) require(same((*read)[i], (*again)[i]));
}

bool equal_args(const schema::TraceArgs& a, const schema::TraceArgs& b) {
  return a.correlation == b.correlation && a.external_id == b.external_id &&
         a.sequence == b.sequence && a.packed == b.packed && a.kernel_backend == b.kernel_backend;
}

constexpr auto kEqual = [](const auto& a, const auto& b) { return a == b; };

void check_block(int kind, const std::string& block) {
  switch (kind) {
    case 0:
      return check(
          block, schema::decode_slices,
          [](const auto& slices) { return schema::encode_slices(slices); }, kEqual);
    case 1:
      return check(
          block, schema::decode_extras,
          [](const auto& extras) { return schema::encode_extras(extras); },
          [](const auto& a, const auto& b) {
            return equal_args(a.args, b.args) && a.has_bandwidth == b.has_bandwidth;
          });
    case 2:
      return check(
          block, schema::decode_points,
          [](const auto& points) { return schema::encode_points(points); },
          [](const auto& a, const auto& b) {
            return equal_args(a.args, b.args) && a.point.time == b.point.time &&
                   a.point.thread == b.point.thread && a.point.id == b.point.id &&
                   a.point.label == b.point.label && a.point.phase == b.point.phase;
          });
    case 3:
      return check(
          block, schema::decode_flows,
          [](const auto& flows) { return schema::encode_flows(flows); },
          [](const auto& a, const auto& b) {
            return a.time == b.time && a.category == b.category && a.thread == b.thread &&
                   a.step == b.step && a.before == b.before && a.after == b.after;
          });
    case 4:
      return check(
          block, schema::decode_nodes,
          [](const auto& nodes) { return schema::encode_nodes(nodes); }, kEqual);
    case 5:
      return check(
          block, schema::decode_segments,
          [](const auto& segments) { return schema::encode_segments(segments); }, kEqual);
    case 6:
      return check(
          block, schema::decode_labels,
          [](const auto& labels) { return schema::encode_labels(labels); }, kEqual);
    case 8:
      return check(
          block, schema::decode_label_sums,
          [](const auto& sums) { return schema::encode_label_sums(sums); }, kEqual);
    case 9:
      return check(
          block, schema::decode_label_totals,
          [](const auto& labels) { return schema::encode_label_totals(labels); },
          [](const auto& a, const auto& b) { return a.sums == b.sums && a.bins == b.bins; });
    case 10:
      return check(
          block, schema::decode_extents,
          [](const auto& extents) { return schema::encode_extents(extents); }, kEqual);
    case 11:
      return check(
          block, schema::decode_lengths,
          [](const auto& lengths) { return schema::encode_lengths(lengths); }, kEqual);
    case 12:
      return check(
          block, schema::decode_ascending,
          [](const auto& numbers) { return schema::encode_ascending(numbers); }, kEqual);
    case 13:
      return check(
          block, schema::decode_findings,
          [](const auto& findings) { return schema::encode_findings(findings); }, kEqual);
    default:
      return check(
          block, schema::decode_texts,
          [](const auto& texts) { return schema::encode_texts({texts.begin(), texts.end()}); },
          kEqual);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  // The first byte says what it is, and whether it is compressed already: few inputs that a fuzzer
  // makes up are zstd.
  const int kind = data[0] % 8 + (data[0] & 16 ? 8 : 0);
  check_block(kind, data[0] & 8 ? std::string(bytes) : schema::compress(bytes));
  return 0;
}
