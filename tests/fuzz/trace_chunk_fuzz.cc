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
namespace trace = benchhud::trace;

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

bool equal_args(const trace::TraceArgs& a, const trace::TraceArgs& b) {
  return a.correlation == b.correlation && a.external_id == b.external_id &&
         a.sequence == b.sequence && a.packed == b.packed && a.origin == b.origin;
}

constexpr auto kEqual = [](const auto& a, const auto& b) { return a == b; };

void check_block(int kind, const std::string& block) {
  switch (kind) {
    case 0:
      return check(
          block, trace::decode_slices,
          [](const auto& slices) { return trace::encode_slices(slices); }, kEqual);
    case 1:
      return check(
          block, trace::decode_extras,
          [](const auto& extras) { return trace::encode_extras(extras); },
          [](const auto& a, const auto& b) {
            return equal_args(a.args, b.args) && a.has_bandwidth == b.has_bandwidth;
          });
    case 2:
      return check(
          block, trace::decode_points,
          [](const auto& points) { return trace::encode_points(points); },
          [](const auto& a, const auto& b) {
            return equal_args(a.args, b.args) && a.point.time == b.point.time &&
                   a.point.thread == b.point.thread && a.point.id == b.point.id &&
                   a.point.label == b.point.label && a.point.phase == b.point.phase;
          });
    case 3:
      return check(
          block, trace::decode_flows, [](const auto& flows) { return trace::encode_flows(flows); },
          [](const auto& a, const auto& b) {
            return a.time == b.time && a.category == b.category && a.thread == b.thread &&
                   a.step == b.step && a.before == b.before && a.after == b.after;
          });
    case 4:
      return check(
          block, trace::decode_nodes, [](const auto& nodes) { return trace::encode_nodes(nodes); },
          kEqual);
    case 5:
      return check(
          block, trace::decode_segments,
          [](const auto& segments) { return trace::encode_segments(segments); }, kEqual);
    case 6:
      return check(
          block, trace::decode_labels,
          [](const auto& labels) { return trace::encode_labels(labels); }, kEqual);
    case 8:
      return check(
          block, trace::decode_label_sums,
          [](const auto& sums) { return trace::encode_label_sums(sums); }, kEqual);
    case 9:
      return check(
          block, trace::decode_label_totals,
          [](const auto& labels) { return trace::encode_label_totals(labels); },
          [](const auto& a, const auto& b) { return a.sums == b.sums && a.bins == b.bins; });
    case 10:
      return check(
          block, trace::decode_extents,
          [](const auto& extents) { return trace::encode_extents(extents); }, kEqual);
    case 11:
      return check(
          block, trace::decode_lengths,
          [](const auto& lengths) { return trace::encode_lengths(lengths); }, kEqual);
    case 12:
      return check(
          block, trace::decode_ascending,
          [](const auto& numbers) { return trace::encode_ascending(numbers); }, kEqual);
    case 13:
      return check(
          block, trace::decode_findings,
          [](const auto& findings) { return trace::encode_findings(findings); }, kEqual);
    default:
      return check(
          block, trace::decode_texts,
          [](const auto& texts) { return trace::encode_texts({texts.begin(), texts.end()}); },
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
