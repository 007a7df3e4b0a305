#include <algorithm>
#include <utility>

#include "ingest/ir/ir_instruction.h"
#include "ingest/ir/ir_readers.h"
#include "ingest/ir/ir_type.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::IrDialect;
using schema::IrValue;

namespace {

// Operations that are convolutions or matrix products.
bool multiplies(std::string_view op) {
  static constexpr std::string_view kOps[] = {
      "aten::mm",     "aten::addmm",  "aten::bmm",           "aten::baddbmm",
      "aten::matmul", "aten::linear", "aten::dot",           "aten::mv",
      "aten::einsum", "xla::einsum",  "xla::einsum_backward"};
  return op.starts_with("aten::convolution") || op.starts_with("aten::_convolution") ||
         std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

// Attributes that tell how dimensions go together are those of the operation; these are of every
// node's.
bool is_common(std::string_view attribute) {
  static constexpr std::string_view kKeys[] = {
      "xla_shape", "location",     "ROOT",   "scope",    "num_outputs",
      "NodeType",  "dynamic_dims", "device", "sharding", "custom_sharding"};
  const std::string_view key = attribute.substr(0, attribute.find_first_of("=:"));
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

class LazyReader {
 public:
  LazyReader(std::size_t begin, IrContext context, IrDump* dump)
      : dump_(*dump), begin_(begin), builder_(IrDialect::kLazy, begin, dump) {
    builder_.module.name = std::move(context.name);
    builder_.module.stack = std::move(context.stack);
    builder_.module.computation_count = 1;
  }

  std::size_t read() {
    std::size_t at = ir_line(dump_.text, begin_).next;
    bool is_closed = false;
    while (at < dump_.text.size() && !is_closed) {
      const IrLine line = ir_line(dump_.text, at);
      const std::string_view text = trim(line.text);
      if (begins_ir(line.text)) break;
      is_closed = text == "}";
      if (is_closed || text.empty()) {
        at = line.next;
      } else {
        at = read_node(at);
      }
    }
    if (!is_closed) dump_.problems.add(builder_.module.line, "a graph that does not end");
    std::stable_sort(roots_.begin(), roots_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [index, root] : roots_) builder_.module.results.push_back(std::move(root));
    builder_.finish(at, !is_closed, xla_type_bytes);
    return at;
  }

 private:
  std::size_t read_node(std::size_t begin) {
    bool is_whole = true;
    const std::size_t end = instruction_end(dump_.text, begin, &is_whole);
    const std::string_view text = dump_.text.substr(begin, end - begin);
    if (const auto node = parse_instruction(text)) {
      take(*node, begin);
    } else {
      dump_.problem(begin, "no node: " + excerpt(trim(text)));
    }
    return std::min(end + 1, dump_.text.size());
  }

  void take(const IrInstruction& node, std::size_t place) {
    builder_.count_op(node.op);
    types_[node.name] = node.type;
    const std::string name = "%" + std::string(node.name);
    if (node.op == "xla::device_data") {
      builder_.module.parameters.push_back({name, std::string(node.type)});
    }
    std::string_view target;
    std::string dimensions;
    const bool has_dimensions = multiplies(node.op);
    for (const std::string_view part : split_list(node.attributes)) {
      if (part.starts_with("ROOT=")) {
        const auto index = number_of<std::int64_t>(part.substr(5));
        if (index) roots_.emplace_back(*index, IrValue{name, std::string(node.type)});
      } else if (part.starts_with("call_target=") || part.starts_with("custom_call_target=")) {
        target = part.substr(part.find('=') + 1);
      }
      const bool is_full = dimensions.size() > kLongestShape;
      if (!has_dimensions || is_full || part.empty() || is_common(part)) continue;
      if (!dimensions.empty()) dimensions += ", ";
      dimensions += shortened(part, kLongestShape);
    }
    if (node.op.ends_with("custom_call")) {
      builder_.count_custom_call(target.empty() ? node.op : target);
    }
    if (has_dimensions) {
      builder_.add_contraction(place,
                               contraction_of(node, std::string(node.op),
                                              shortened(dimensions, kLongestDimensions), types_));
    }
  }

  IrDump& dump_;
  std::size_t begin_;
  IrModuleBuilder builder_;
  IrTypes types_;
  std::vector<std::pair<std::int64_t, IrValue>> roots_;  // by their index
};

}  // namespace

std::size_t read_lazy_ir(std::size_t begin, IrContext context, IrDump* dump) {
  return LazyReader(begin, std::move(context), dump).read();
}

}  // namespace benchhud::ingest
