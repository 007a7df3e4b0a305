#include <algorithm>
#include <optional>
#include <utility>

#include "ingest/ir/ir_instruction.h"
#include "ingest/ir/ir_readers.h"
#include "ingest/ir/ir_type.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::IrDialect;
using schema::IrValue;

namespace {

// "ENTRY %main (p0: f32[2]) -> f32[2] {", or only "name {".
struct ComputationHeader {
  bool is_entry = false;
  std::string_view name;
  std::string_view parameters;  // between the parentheses
  std::string_view result;
  bool has_signature = false;
};

std::optional<ComputationHeader> computation_header(std::string_view line) {
  ComputationHeader header;
  line = trim(line.substr(0, line.find("// ")));
  if (!line.ends_with('{')) return std::nullopt;
  line = trim(line.substr(0, line.size() - 1));
  if (line.starts_with("ENTRY ")) {
    header.is_entry = true;
    line = trim(line.substr(6));
  } else if (line == "ENTRY") {
    header.is_entry = true;
    return header;
  }
  if (line.starts_with('%')) line.remove_prefix(1);
  const std::size_t end = std::min(line.find_first_of(" \t(=,{\"'"), line.size());
  header.name = line.substr(0, end);
  line = trim(line.substr(end));
  if (header.name.empty()) return std::nullopt;
  if (line.empty()) return header;
  const std::size_t size = line.starts_with('(') ? bracket_end(line) : line.npos;
  if (size == line.npos) return std::nullopt;
  header.parameters = line.substr(1, size - 2);
  line = trim(line.substr(size));
  if (!line.starts_with("->")) return std::nullopt;
  const auto result = split_list(line.substr(2));  // attributes may stand behind it
  if (result.empty()) return std::nullopt;
  header.result = result.front();
  header.has_signature = true;
  return header;
}

// A tuple's parts, or the one that there is.
std::vector<IrValue> results_of(std::string_view type) {
  std::vector<IrValue> results;
  const bool is_tuple = type.starts_with('(') && bracket_end(type) == type.size();
  if (!is_tuple) {
    results.push_back({"", std::string(type)});
    return results;
  }
  for (const std::string_view part : split_list(type.substr(1, type.size() - 2))) {
    results.push_back({"", without_comments(part)});
  }
  return results;
}

// What a library does for a graph that was optimised.
bool is_library_contraction(std::string_view target) {
  return target.starts_with("__cudnn$conv") || target.starts_with("__cublas$") ||
         target.starts_with("__onednn$conv") || target.starts_with("__onednn$matmul");
}

class HloReader {
 public:
  HloReader(std::size_t begin, IrContext context, IrDump* dump)
      : dump_(*dump), begin_(begin), builder_(IrDialect::kHlo, begin, dump) {
    builder_.module.stack = std::move(context.stack);
  }

  std::size_t read() {
    const IrLine first = ir_line(dump_.text, begin_);
    take_module_header(first.text);
    std::size_t at = first.next;
    std::size_t end = at;  // of what belongs to the module
    bool has_entry = false;
    while (at < dump_.text.size()) {
      const IrLine line = ir_line(dump_.text, at);
      if (begins_ir(line.text)) break;
      if (const auto header = computation_header(line.text)) {
        end = at = read_computation(*header, at, line.next);
        has_entry |= header->is_entry;
      } else {
        // Before the entry computation come tables of files and of stack frames; it is the last.
        if (has_entry && !is_blank(line.text)) break;
        at = line.next;
      }
    }
    if (entry_name_.data() != nullptr) take_entry();
    if (!has_entry) {
      dump_.problems.add(builder_.module.line,
                         "module " + excerpt(builder_.module.name) + " has no entry computation");
    }
    builder_.finish(end, !has_entry || is_cut_, xla_type_bytes);
    return end;
  }

 private:
  static bool is_blank(std::string_view line) {
    return trim(line).empty() || trim(line).starts_with("//");
  }

  void take_module_header(std::string_view line) {
    line = trim(line.substr(std::string_view("HloModule ").size()));
    const std::size_t end = std::min(line.find_first_of(" \t,"), line.size());
    builder_.module.name = line.substr(0, end);
    constexpr std::string_view kLayout = "entry_computation_layout={";
    const std::size_t at = line.find(kLayout);
    if (at == line.npos) return;
    line.remove_prefix(at + kLayout.size() - 1);
    const std::size_t size = bracket_end(line);
    builder_.module.entry_layout = line.substr(1, std::min(size, line.size()) - 2);
  }

  // Up to behind the closing brace.
  std::size_t read_computation(const ComputationHeader& header, std::size_t begin, std::size_t at) {
    ++builder_.module.computation_count;
    types_ = {};
    const std::int64_t line_number = dump_.lines.line_of(begin);
    if (header.is_entry) entry_ = header;
    if (header.is_entry) entry_name_ = header.name.data() != nullptr ? header.name : "ENTRY";
    while (at < dump_.text.size()) {
      const IrLine line = ir_line(dump_.text, at);
      const std::string_view text = trim(line.text);
      if (text.starts_with('}')) return line.next;
      if (is_blank(line.text)) {
        at = line.next;
        continue;
      }
      if (begins_ir(line.text) || is_header_in_between(line.text)) break;
      at = read_instruction(at, header.is_entry);
    }
    dump_.problems.add(line_number, "computation " + excerpt(header.name) + " does not end");
    is_cut_ = true;
    return at;
  }

  static bool is_header_in_between(std::string_view line) {
    const bool is_indented = line.starts_with(' ') || line.starts_with('\t');
    return !is_indented && line.find(" = ") == line.npos && computation_header(line).has_value();
  }

  std::size_t read_instruction(std::size_t begin, bool is_entry) {
    bool is_whole = true;
    const std::size_t end = instruction_end(dump_.text, begin, &is_whole);
    const std::size_t next = std::min(end + 1, dump_.text.size());
    const std::string_view text = dump_.text.substr(begin, end - begin);
    const auto instruction = parse_instruction(text);
    if (!instruction) {
      dump_.problem(
          begin, std::string(is_whole ? "no instruction: " : "an instruction that does not end: ") +
                     excerpt(trim(text)));
      return next;
    }
    take(*instruction, begin, is_entry);
    return next;
  }

  void take(const IrInstruction& instruction, std::size_t place, bool is_entry) {
    const std::string_view op = instruction.op;
    builder_.count_op(op);
    types_[instruction.name] = instruction.type;
    if (is_entry && op == "parameter") {
      if (const auto index = number_of<std::int64_t>(trim(instruction.operands))) {
        parameters_.emplace_back(
            *index, IrValue{std::string(instruction.name), without_comments(instruction.type)});
      }
    }
    if (is_entry && instruction.is_root) root_type_ = instruction.type;
    if (op == "fusion") {
      const std::string_view kind = attribute(instruction.attributes, "kind");
      builder_.count_fusion(kind.empty() ? "?" : kind);
    } else if (op == "custom-call") {
      take_custom_call(instruction, place);
    } else if (op == "convolution" || op == "dot" || op == "ragged-dot" || op == "scaled-dot") {
      builder_.add_contraction(
          place, contraction_of(instruction, std::string(op), dimensions_of(instruction), types_));
    }
  }

  void take_custom_call(const IrInstruction& instruction, std::size_t place) {
    std::string_view target = attribute(instruction.attributes, "custom_call_target");
    if (target.size() >= 2 && target.starts_with('"')) target = target.substr(1, target.size() - 2);
    builder_.count_custom_call(target.empty() ? "?" : target);
    if (!is_library_contraction(target)) return;
    builder_.add_contraction(place, contraction_of(instruction, shortened(target, kLongestShape),
                                                   dimensions_of(instruction), types_));
  }

  static std::string dimensions_of(const IrInstruction& instruction) {
    static constexpr std::string_view kKeys[] = {
        "window",         "dim_labels",           "feature_group_count", "batch_group_count",
        "lhs_batch_dims", "lhs_contracting_dims", "rhs_batch_dims",      "rhs_contracting_dims"};
    std::string dimensions;
    for (const std::string_view part : split_list(instruction.attributes)) {
      const std::string_view key = part.substr(0, part.find('='));
      if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) continue;
      if (!dimensions.empty()) dimensions += ", ";
      dimensions += shortened(part, kLongestShape);
    }
    return shortened(dimensions, kLongestDimensions);
  }

  // The signature says what the parameters are; their instructions say it with layouts, and alone
  // where people wrote the text.
  void take_entry() {
    std::stable_sort(parameters_.begin(), parameters_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto signature = split_list(entry_.parameters);
    if (entry_.has_signature && signature.size() != parameters_.size()) {
      for (const std::string_view part : signature) {
        const std::size_t colon = std::min(part.find(':'), part.size());
        const std::string_view type = part.substr(std::min(colon + 1, part.size()));
        builder_.module.parameters.push_back(
            {without_comments(part.substr(0, colon)), without_comments(type)});
      }
    } else {
      for (auto& [index, parameter] : parameters_) {
        builder_.module.parameters.push_back(std::move(parameter));
      }
    }
    const std::string_view result = root_type_.empty() ? entry_.result : root_type_;
    if (!result.empty()) builder_.module.results = results_of(result);
  }

  IrDump& dump_;
  std::size_t begin_;
  IrModuleBuilder builder_;
  IrTypes types_;  // of the computation at hand
  ComputationHeader entry_;
  std::string_view entry_name_;
  std::vector<std::pair<std::int64_t, IrValue>> parameters_;
  std::string_view root_type_;
  bool is_cut_ = false;
};

}  // namespace

std::size_t read_hlo(std::size_t begin, IrContext context, IrDump* dump) {
  return HloReader(begin, std::move(context), dump).read();
}

}  // namespace benchhud::ingest
