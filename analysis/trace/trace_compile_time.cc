#include "analysis/trace/trace_compile_time.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analysis/trace/time_spans.h"
#include "analysis/trace/truncate_rows.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using trace::TraceSlice;

namespace {

enum class CompileMark : std::uint8_t { kNothing, kPhase, kAnnotation };

CompileMark compile_mark_of(std::string_view name, std::string_view category, SliceSide side) {
  if (!is_host(side)) return CompileMark::kNothing;
  if (is_compile_phase(name, category)) return CompileMark::kPhase;
  const bool is_own =
      side == SliceSide::kAnnotation && !name.starts_with("## Call CompiledFxGraph");
  return is_own ? CompileMark::kAnnotation : CompileMark::kNothing;
}

// Annotations by beginning, with the greatest ends of ranges, to find the last that contains a
// span.
class Annotations {
 public:
  Annotations(const TraceContext& context, std::vector<std::uint32_t> slices)
      : context_(context), slices_(std::move(slices)) {
    std::stable_sort(slices_.begin(), slices_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return context_.slice(a).start < context_.slice(b).start;
    });
    while (leaves_ <= slices_.size()) leaves_ *= 2;  // one more, to begin from behind the last
    ends_.assign(leaves_ * 2, std::numeric_limits<std::int64_t>::min());
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      ends_[leaves_ + i] = context_.slice(slices_[i]).end();
    }
    for (std::size_t i = leaves_; i-- > 1;) ends_[i] = std::max(ends_[2 * i], ends_[2 * i + 1]);
  }

  std::uint32_t around(const TraceSlice& slice) const {
    const auto after = std::partition_point(
        slices_.begin(), slices_.end(),
        [&](std::uint32_t index) { return context_.slice(index).start <= slice.start; });
    // Upwards until something to the left is long enough, then down to its last that is.
    std::size_t node = leaves_ + static_cast<std::size_t>(after - slices_.begin());
    while (node > 1) {
      if (node % 2 == 1 && ends_[node - 1] >= slice.end()) {
        --node;
        break;
      }
      node /= 2;
    }
    if (node <= 1) return kNoSlice;
    while (node < leaves_) node = ends_[2 * node + 1] >= slice.end() ? 2 * node + 1 : 2 * node;
    return slices_[node - leaves_];
  }

 private:
  const TraceContext& context_;
  std::vector<std::uint32_t> slices_;
  std::size_t leaves_ = 1;
  std::vector<std::int64_t> ends_;  // a binary tree: of node i the children 2i and 2i + 1
};

// Adds up phases by compile id. They come as the nesting has them: what is around a slice stands
// before it.
class CompileIds {
 public:
  explicit CompileIds(const TraceContext& context)
      : context_(context), ids_(context.trace().slices.size()) {}

  // `around`: the innermost phase around it, kNoSlice where there is none.
  void add(std::uint32_t index, std::uint32_t around) {
    while (!open_.empty() && open_.back() != around) close();
    const TraceSlice& slice = context_.slice(index);
    const std::uint32_t own = context_.trace().args_of(slice).origin;
    const std::uint32_t id = own != 0 || around == kNoSlice ? own : ids_[around];
    ids_[index] = id;
    open_.push_back(index);
    if (id == 0) return;
    OfId& of = of_ids_[id];
    if (of.open++ == 0) of.compiled.add(slice.duration);
    OfName& phase = of.phases[name_of(index)];
    if (phase.open++ == 0) phase.time.add(slice.duration);
  }

  std::vector<CompiledId> rows() const {
    const trace::TextPool& texts = context_.trace().texts;
    std::vector<CompiledId> rows;
    for (const auto& [id, of] : of_ids_) {
      CompiledId& row = rows.emplace_back();
      row.id = texts[id];
      row.compiled = of.compiled;
      for (const auto& [name, phase] : of.phases) {
        row.phases.push_back({std::string(compile_phase(texts[name])), phase.time});
      }
      std::sort(row.phases.begin(), row.phases.end(), [](const auto& a, const auto& b) {
        return std::tie(b.time.total, a.name) < std::tie(a.time.total, b.name);
      });
      row.phases_left_out = truncate_rows(&row.phases, CompiledId::kMostPhases);
    }
    std::sort(rows.begin(), rows.end(), [](const CompiledId& a, const CompiledId& b) {
      return std::tie(b.compiled.total, a.id) < std::tie(a.compiled.total, b.id);
    });
    return rows;
  }

 private:
  struct OfName {
    TimeTotals time;
    std::int64_t open = 0;  // slices around the one at hand
  };
  struct OfId {
    TimeTotals compiled;
    std::int64_t open = 0;
    std::unordered_map<std::uint32_t, OfName> phases;  // by name
  };

  std::uint32_t name_of(std::uint32_t index) const {
    return context_.trace().labels[context_.slice(index).label].name;
  }

  void close() {
    const std::uint32_t index = open_.back();
    open_.pop_back();
    if (ids_[index] == 0) return;
    OfId& of = of_ids_[ids_[index]];
    --of.open;
    --of.phases[name_of(index)].open;
  }

  const TraceContext& context_;
  std::vector<std::uint32_t> ids_;   // by slice, numbers of Trace::texts; 0: none
  std::vector<std::uint32_t> open_;  // phases around the one at hand
  std::unordered_map<std::uint32_t, OfId> of_ids_;
};

}  // namespace

TraceCompileTime compile_time(const TraceContext& context) {
  const trace::Trace& trace = context.trace();
  std::vector<CompileMark> marks(trace.labels.size());
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const trace::TraceLabel& label = trace.labels[i];
    marks[i] =
        compile_mark_of(trace.texts[label.name], trace.texts[label.category], context.sides()[i]);
  }
  const auto mark = [&](std::uint32_t index) { return marks[context.slice(index).label]; };
  std::vector<std::uint32_t> phases, annotations;
  for (const std::uint32_t index : context.nesting().order) {
    if (mark(index) == CompileMark::kPhase) phases.push_back(index);
    if (mark(index) == CompileMark::kAnnotation) annotations.push_back(index);
  }
  TraceCompileTime found;
  if (phases.empty()) return found;

  const auto phase_around = innermost_around(
      context.nesting(), [&](std::uint32_t index) { return mark(index) == CompileMark::kPhase; });
  const auto annotation_around = innermost_around(context.nesting(), [&](std::uint32_t index) {
    return mark(index) == CompileMark::kAnnotation;
  });
  NameTree tree(TraceCompileTime::kMostPhases);
  std::vector<std::uint32_t> nodes(trace.slices.size());   // by slice
  std::unordered_map<std::uint32_t, TimeTotals> compiled;  // by name of annotation; 0: none
  std::vector<TimeSpan> spans;
  spans.reserve(phases.size());
  const Annotations by_time(context, annotations);
  CompileIds ids(context);
  for (const std::uint32_t index : phases) {
    const TraceSlice& slice = context.slice(index);
    const std::uint32_t around = phase_around[index];
    const std::uint32_t parent = around == kNoSlice ? NameTree::kRoot : nodes[around];
    nodes[index] = tree.add(parent, trace.labels[slice.label].name, slice.duration);
    ids.add(index, around);
    found.is_profiled |= is_profiled_compile_phase(context.name(index));
    if (around != kNoSlice) continue;
    spans.push_back({slice.start, slice.end()});
    found.sum = sum_of(found.sum, slice.duration);
    std::uint32_t annotation = annotation_around[index];
    if (annotation == kNoSlice) annotation = by_time.around(slice);
    const std::uint32_t name =
        annotation == kNoSlice ? 0 : trace.labels[context.slice(annotation).label].name;
    compiled[name].add(slice.duration);
  }
  found.total = total(merged(std::move(spans)));
  found.ids = ids.rows();
  found.ids_left_out = truncate_rows(&found.ids, TraceCompileTime::kMostIds);
  found.phases_left_out = tree.left_out();
  found.phases =
      tree.rows([&](std::uint32_t name) { return std::string(compile_phase(trace.texts[name])); });
  std::unordered_map<std::uint32_t, TimeTotals> annotated;
  for (const std::uint32_t index : annotations) {
    annotated[trace.labels[context.slice(index).label].name].add(context.slice(index).duration);
  }
  for (const auto& [name, time] : compiled) {
    found.annotations.push_back({std::string(trace.texts[name]), annotated[name], time});
  }
  std::sort(found.annotations.begin(), found.annotations.end(),
            [](const AnnotatedCompilation& a, const AnnotatedCompilation& b) {
              if (a.compiled.total != b.compiled.total) return a.compiled.total > b.compiled.total;
              return a.annotation < b.annotation;
            });
  found.annotations_left_out =
      truncate_rows(&found.annotations, TraceCompileTime::kMostAnnotations);
  return found;
}

}  // namespace benchhud::analysis
