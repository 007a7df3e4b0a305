#include "ingest/ir/ir_module_builder.h"

#include <algorithm>
#include <utility>

#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::IrContraction;
using schema::IrDialect;
using schema::IrHistogram;

namespace {

// A module without content takes forty times its text.
constexpr std::size_t kMostModules = 100'000;

}  // namespace

IrLine ir_line(std::string_view dump, std::size_t offset) {
  const std::size_t end = std::min(dump.find('\n', offset), dump.size());
  return {dump.substr(offset, end - offset), std::min(end + 1, dump.size())};
}

bool begins_hlo(std::string_view line) {
  constexpr std::string_view kWord = "HloModule ";
  if (!line.starts_with(kWord)) return false;
  // "HloModule name", with attributes or without: not a sentence about one.
  line = trim(line.substr(kWord.size()));
  const std::size_t end = line.find_first_of(" \t,");
  if (line.empty() || end == 0) return false;
  return end == line.npos || line[end] == ',' || trim(line.substr(end)).starts_with("//") ||
         trim(line.substr(end)).starts_with(',');
}

bool begins_mlir(std::string_view line) {
  if (line.starts_with("\"builtin.module\"(")) return true;
  if (line.starts_with("builtin.module")) line.remove_prefix(8);
  if (line.starts_with("module")) {
    line.remove_prefix(6);
    if (!line.starts_with(' ') && !line.starts_with('{')) return false;
    line = trim(line);
    return line.starts_with('@') || line.starts_with('{') || line.starts_with("attributes");
  }
  // A function without a module around it.
  return line.starts_with("func.func ") || line.starts_with("func @");
}

bool begins_lazy_ir(std::string_view line) {
  return line.starts_with("IR {") && trim(line) == "IR {";
}

bool begins_ir(std::string_view line) {
  return begins_hlo(line) || begins_mlir(line) || begins_lazy_ir(line) ||
         line.starts_with("## BEGIN_GRAPH") || line.starts_with("## END_GRAPH") ||
         line.starts_with("// -----");
}

IrModuleBuilder::IrModuleBuilder(IrDialect dialect, std::size_t offset, IrDump* dump)
    : dump_(*dump) {
  module.dialect = dialect;
  module.offset = static_cast<std::int64_t>(offset);
  module.line = dump->lines.line_of(offset);
}

void IrModuleBuilder::count_op(std::string_view op) {
  ++ops_[op];
  ++module.instruction_count;
}

void IrModuleBuilder::add_contraction(std::size_t place, IrContraction contraction) {
  std::string all = contraction.op + '\n';
  for (const std::string& operand : contraction.operands) all += operand + '\n';
  all += contraction.result + '\n' + contraction.dimensions;
  const auto known = contraction_places_.find(all);
  if (known != contraction_places_.end()) {
    ++module.contractions[known->second].count;
    return;
  }
  if (is_over_room_) return;
  if (2 * all.size() > dump_.contraction_room) {
    is_over_room_ = true;
    dump_.problem(place, "more kinds of convolutions and dots than there is room for");
    return;
  }
  dump_.contraction_room -= 2 * all.size();
  contraction_places_.emplace(std::move(all), module.contractions.size());
  module.contractions.push_back(std::move(contraction));
}

IrHistogram IrModuleBuilder::histogram(const Counts& counts) {
  IrHistogram histogram(counts.begin(), counts.end());
  std::sort(histogram.begin(), histogram.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return histogram;
}

void IrModuleBuilder::finish(std::size_t end, bool is_unfinished,
                             std::optional<std::int64_t> (*type_bytes)(std::string_view type)) {
  if (dump_.modules.size() == kMostModules) {
    if (!dump_.has_more_modules) {
      dump_.problem(static_cast<std::size_t>(module.offset),
                    "no more than " + std::to_string(kMostModules) + " modules are read of a dump");
    }
    dump_.has_more_modules = true;
    return;
  }
  module.length = static_cast<std::int64_t>(end) - module.offset;
  module.is_unfinished = is_unfinished;
  module.ops = histogram(ops_);
  module.fusion_kinds = histogram(fusions_);
  module.custom_calls = histogram(custom_calls_);
  module.parameter_bytes = 0;
  for (const schema::IrValue& parameter : module.parameters) {
    const auto bytes = type_bytes(parameter.type);
    const bool fits =
        bytes && module.parameter_bytes &&
        !__builtin_add_overflow(*module.parameter_bytes, *bytes, &*module.parameter_bytes);
    if (!fits) module.parameter_bytes.reset();
  }
  // Of a module that ends early the parameters may not be all there.
  if (is_unfinished && module.parameters.empty()) module.parameter_bytes.reset();
  dump_.modules.push_back(std::move(module));
}

}  // namespace benchhud::ingest
