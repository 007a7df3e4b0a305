// A slice's id in SQL has 64 bits, from the highest: 0; the thread, 20 bits; the number of the
// chunk within the thread, 30 bits; the index of the slice within the chunk, 13 bits.
#include "trace/answers/trace_sql_tables.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <utility>

#include "schema/base/check.h"
#include "schema/db/rows.h"
#include "trace/queries.h"
#include "trace/trace_access.h"
#include "trace/trace_counters.h"
#include "trace/trace_limits.h"
#include "trace/trace_rows.h"

namespace benchhud::trace {
namespace {

constexpr int kIndexBits = 13, kChunkBits = 30, kThreadBits = 20;  // the number is positive
static_assert(kMostTraceThreads < std::size_t{1} << kThreadBits);
// Of texts that a query keeps, of each kind; and what one takes beside its text.
constexpr std::size_t kMostCachedBytes = std::size_t{8} << 20, kBytesPerEntry = 128;

schema::Error too_late() {
  return {schema::ErrorCode::kBusy,
          "It took longer than a query may. Add `track =`, `name =` or bounds for begin."};
}

SqlValue integer(std::uint64_t number) { return static_cast<std::int64_t>(number); }

SqlValue or_null(std::int64_t number) {
  return number == TraceArgs::kAbsent ? SqlValue() : SqlValue(number);
}

// What is kept in a list from the start.
class ListSource : public SqlSource {
 public:
  explicit ListSource(SqlContext& context) : context_(context) {}

  schema::Expected<bool> next() override {
    if (!is_filled_) {
      is_filled_ = true;
      BENCHHUD_TRY(fill());
      place_ = 0;
    } else {
      ++place_;
    }
    return place_ < rows_.size();
  }
  schema::Expected<SqlValue> column(int number) override {
    return rows_[place_][static_cast<std::size_t>(number)];
  }

 protected:
  virtual schema::Expected<void> fill() = 0;
  SqlContext& context_;
  std::vector<std::vector<SqlValue>> rows_;

 private:
  bool is_filled_ = false;
  std::size_t place_ = 0;
};

class TracksSource final : public ListSource {
 public:
  TracksSource(SqlContext& context, const SqlFilter&) : ListSource(context) {}

 private:
  schema::Expected<void> fill() override {
    BENCHHUD_ASSIGN(const auto threads, context_.lookup.threads());
    for (const StoredThread& each : threads) {
      if (each.is_derived) continue;
      const TraceThread& of = each.thread;
      rows_.push_back({std::int64_t{each.number}, of.pid, of.tid, of.process_name, of.name,
                       each.slices, each.rows});
    }
    return {};
  }
};

// The arguments of a slice as they are stored; none where it has none, or is not there.
schema::Expected<std::optional<std::string>> stored_arguments(SqlContext& context,
                                                              std::int64_t slice) {
  const SliceId id = slice_of_sql_id(slice);
  std::optional<std::string> none;
  const auto extras = context.extras(id.thread, id.chunk);
  if (!extras || id.index >= (*extras)->size()) return none;
  const std::uint64_t packed = (**extras)[id.index].args.packed;
  if (packed == TraceArgs::kNotKept) return none;
  auto text = context.lookup.arguments(packed);
  // A trace may have been stored without them.
  if (!text && text.error().code == schema::ErrorCode::kNotFound) return none;
  if (!text) return std::move(text).error();
  return std::optional(*std::move(text));
}

class ArgsSource final : public ListSource {
 public:
  ArgsSource(SqlContext& context, const SqlFilter& filter)
      : ListSource(context), slice_(filter.id) {}

 private:
  schema::Expected<void> fill() override {
    if (!slice_) return {};
    BENCHHUD_ASSIGN(const auto arguments, stored_arguments(context_, *slice_));
    if (!arguments) return {};
    schema::Statement members = context_.connection.cached(sql::kMembersOfObject);
    members.bind_text_view(1, *arguments);
    while (members.step()) {
      rows_.push_back({*slice_, std::string(members.text(0)), std::string(members.text(1))});
    }
    BENCHHUD_TRY(members.status());
    return {};
  }
  // A slice's id has no bit to spare for the member's place.
  std::int64_t row_id(std::int64_t place) const override {
    const std::array both = {slice_.value_or(0), place};
    return static_cast<std::int64_t>(XXH3_64bits(both.data(), sizeof(both)));
  }
  std::optional<std::int64_t> slice_;
};

class LabelsSource final : public SqlSource {
 public:
  LabelsSource(SqlContext& context, const SqlFilter&) : context_(context) {}

  schema::Expected<bool> next() override {
    ++place_;
    if (place_ < labels_.size()) return true;
    if (context_.is_late()) return too_late();
    BENCHHUD_ASSIGN(labels_, context_.index.labels(block_++));
    place_ = 0;
    return !labels_.empty();
  }
  schema::Expected<SqlValue> column(int number) override {
    const auto label = static_cast<std::uint32_t>((block_ - 1) * kLabelsASumsBlock + place_);
    if (number == 0) return SqlValue(std::int64_t{label});
    if (number == 4) return integer(labels_[place_].sums.count);
    if (number == 5) return SqlValue(labels_[place_].sums.total);
    BENCHHUD_ASSIGN(const LabelText* text, context_.label(label));
    if (number == 1) return SqlValue(text->name);
    if (number == 2) return SqlValue(text->category);
    return SqlValue(std::string(context_.class_of(*text)));
  }

 private:
  SqlContext& context_;
  std::uint64_t block_ = 0;
  std::size_t place_ = static_cast<std::size_t>(-1);
  std::vector<LabelTotals> labels_;
};

// Events in blocks: points and ends of flows.
template <class Event, TraceBlockKind kKind,
          schema::Expected<std::vector<Event>> (*kDecode)(std::string_view)>
class BlockSource : public SqlSource {
 public:
  explicit BlockSource(SqlContext& context) : context_(context) {}

  schema::Expected<bool> next() override {
    ++place_;
    while (place_ >= events_.size()) {
      if (context_.is_late()) return too_late();
      // Looked up anew each time: between two rows anybody may use the statement.
      schema::Statement block = context_.connection.cached(sql::kBlockBehind);
      block.bind(1, context_.trace).bind(2, kKind).bind(3, static_cast<std::int64_t>(end_));
      if (!block.step()) {
        BENCHHUD_TRY(block.status());
        return false;
      }
      first_ = static_cast<std::uint64_t>(block.integer(0));
      BENCHHUD_ASSIGN(events_, kDecode(block.blob(1)));
      end_ = first_ + events_.size();
      place_ = 0;
      if (events_.empty()) return schema::corrupt_trace("block");
    }
    return true;
  }

 protected:
  const Event& event() const { return events_[place_]; }
  std::uint64_t number() const { return first_ + place_; }
  SqlContext& context_;

 private:
  std::vector<Event> events_;
  std::uint64_t first_ = 0, end_ = 0;
  std::size_t place_ = static_cast<std::size_t>(-1);
};

class PointsSource final : public BlockSource<ChunkPoint, TraceBlockKind::kPoints, decode_points> {
 public:
  PointsSource(SqlContext& context, const SqlFilter&) : BlockSource(context) {}
  schema::Expected<SqlValue> column(int column) override {
    const TracePoint& point = event().point;
    if (column == 0) return integer(number());
    if (column == 1) return SqlValue(std::int64_t{point.thread});
    if (column == 2) return SqlValue(schema::wrapping_difference(point.time, context_.origin));
    if (column == 3) return SqlValue(std::string(1, point.phase));
    BENCHHUD_ASSIGN(const LabelText* text, context_.label(point.label));
    return SqlValue(column == 4 ? text->name : text->category);
  }
};

// Of each flow from every end to the next.
class FlowsSource final : public BlockSource<ChunkFlow, TraceBlockKind::kFlows, decode_flows> {
 public:
  FlowsSource(SqlContext& context, const SqlFilter&) : BlockSource(context) {}
  schema::Expected<bool> next() override {
    to_.reset();
    do {
      BENCHHUD_ASSIGN(const bool any, BlockSource::next());
      if (!any) return false;
    } while (event().after == 0);
    return true;
  }
  schema::Expected<SqlValue> column(int column) override {
    const ChunkFlow& from = event();
    if (column == 0) return integer(number());
    if (column == 2) return SqlValue(std::int64_t{from.thread});
    if (column == 3) return SqlValue(schema::wrapping_difference(from.time, context_.origin));
    if (column == 1) {
      BENCHHUD_ASSIGN(std::string category, context_.lookup.text(from.category));
      return SqlValue(std::move(category));
    }
    if (!to_) {
      BENCHHUD_ASSIGN(to_, context_.lookup.flow_after({number(), from}));
      if (!to_) return SqlValue();
    }
    if (column == 4) return SqlValue(std::int64_t{to_->flow.thread});
    return SqlValue(schema::wrapping_difference(to_->flow.time, context_.origin));
  }

 private:
  std::optional<PlacedFlow> to_;
};

class CountersSource final : public SqlSource {
 public:
  CountersSource(SqlContext& context, const SqlFilter&) : context_(context) {}

  schema::Expected<bool> next() override {
    if (!is_open_) {
      BENCHHUD_ASSIGN(counters_, trace_counters(context_.connection, context_.trace));
      is_open_ = true;
    }
    ++place_;
    while (place_ >= values_.size()) {
      if (counter_ >= counters_.size()) return false;
      if (context_.is_late()) return too_late();
      BENCHHUD_ASSIGN(values_, counter_values(context_.connection, context_.trace,
                                              counters_[counter_].number, block_));
      ++block_;
      place_ = 0;
      if (values_.empty()) {
        ++counter_;
        block_ = 0;
      }
    }
    return true;
  }
  schema::Expected<SqlValue> column(int number) override {
    const TraceCounter& counter = counters_[counter_];
    if (number == 0) return SqlValue(std::int64_t{counter.number});
    if (number == 1) return SqlValue(std::int64_t{counter.thread});
    if (number == 2) return SqlValue(counter.name);
    if (number == 3) return SqlValue(counter.key);
    if (number == 4)
      return SqlValue(schema::wrapping_difference(values_[place_].time, context_.origin));
    return SqlValue(values_[place_].value);
  }

 private:
  SqlContext& context_;
  bool is_open_ = false;
  std::vector<TraceCounter> counters_;
  std::size_t counter_ = 0;
  std::uint32_t block_ = 0;
  std::vector<CounterValue> values_;
  std::size_t place_ = static_cast<std::size_t>(-1);
};

class SlicesSource final : public SqlSource {
 public:
  SlicesSource(SqlContext& context, const SqlFilter& filter) : context_(context), filter_(filter) {}

  schema::Expected<bool> next() override {
    if (!is_open_) {
      is_open_ = true;
      BENCHHUD_TRY(choose_chunks());
    }
    for (;;) {
      ++place_;
      if (place_ >= slices_.size()) {
        BENCHHUD_ASSIGN(const bool any, load_next());
        if (!any) return false;
        continue;
      }
      const ChunkSlice& slice = slices_[place_];
      if (!is_named_.empty() && (slice.label >= is_named_.size() || !is_named_[slice.label])) {
        continue;
      }
      const std::int64_t begin = schema::wrapping_difference(slice.begin, context_.origin);
      if (begin < filter_.begin_least || begin > filter_.begin_most ||
          schema::wrapping_sum(begin, slice.duration) < filter_.end_least) {
        continue;
      }
      return true;
    }
  }

  std::int64_t row_id(std::int64_t) const override { return sql_slice_id(id()); }

  schema::Expected<SqlValue> column(int number) override {
    const ChunkSlice& slice = slices_[place_];
    const SliceId id = this->id();
    switch (number) {
      case 0:
        return SqlValue(sql_slice_id(id));
      case 1:
        return SqlValue(std::int64_t{id.thread});
      case 2:
        return SqlValue(std::int64_t{slice.row});
      case 3:
        return SqlValue(schema::wrapping_difference(slice.begin, context_.origin));
      case 4:
        return SqlValue(slice.duration);
      case 5:
        return SqlValue(schema::wrapping_difference(slice.end(), context_.origin));
      case 6:
      case 7:
      case 8: {
        BENCHHUD_ASSIGN(const LabelText* text, context_.label(slice.label));
        if (number == 6) return SqlValue(text->name);
        if (number == 7) return SqlValue(text->category);
        return SqlValue(std::string(context_.class_of(*text)));
      }
      default:
        break;
    }
    BENCHHUD_ASSIGN(const auto* const extras, context_.extras(id.thread, id.chunk));
    if (extras->size() != slices_.size()) return schema::corrupt_trace("chunk of arguments");
    const TraceArgs& args = (*extras)[place_].args;
    return or_null(number == 9    ? args.correlation
                   : number == 10 ? args.external_id
                                  : args.sequence);
  }

 private:
  struct Chunk {
    std::uint32_t thread = 0;
    std::uint64_t chunk = 0;
  };

  SliceId id() const {
    const Chunk& chunk = chunks_[next_ - 1];
    return {chunk.thread, chunk.chunk, static_cast<std::uint32_t>(place_)};
  }

  schema::Expected<void> choose_chunks() {
    if (filter_.id) {
      const SliceId id = slice_of_sql_id(*filter_.id);
      if (*filter_.id >= 0 && context_.lookup.slice(id)) chunks_.push_back({id.thread, id.chunk});
      return {};
    }
    if (filter_.name) return choose_named();
    BENCHHUD_ASSIGN(const auto threads, context_.lookup.threads());
    for (const StoredThread& thread : threads) {
      if (thread.slices == 0 || thread.is_derived) continue;
      if (filter_.track && *filter_.track != thread.number) continue;
      BENCHHUD_ASSIGN(const auto extents, context_.index.extents(thread.number));
      for (std::uint64_t chunk = 0; chunk < extents.size(); ++chunk) {
        add(thread.number, chunk, extents[chunk]);
      }
    }
    return {};
  }

  schema::Expected<void> choose_named() {
    BENCHHUD_ASSIGN(const auto labels, context_.labels_named(*filter_.name));
    std::vector<LabelPlaces> places;
    for (const std::uint32_t label : labels) {
      is_named_.resize(std::max<std::size_t>(is_named_.size(), label + 1));
      is_named_[label] = true;
      BENCHHUD_ASSIGN(const auto of_label, context_.index.places(label));
      places.insert(places.end(), of_label.begin(), of_label.end());
    }
    for (const LabelPlaces& of_thread : places) {
      if (filter_.track && *filter_.track != of_thread.thread) continue;
      BENCHHUD_ASSIGN(const auto extents, context_.index.extents(of_thread.thread));
      for (const std::uint64_t chunk : of_thread.chunks) {
        if (chunk < extents.size()) add(of_thread.thread, chunk, extents[chunk]);
      }
    }
    // A name may have several categories, and their chunks be the same.
    const auto place = [](const Chunk& each) { return std::pair(each.thread, each.chunk); };
    std::sort(chunks_.begin(), chunks_.end(),
              [&](const Chunk& a, const Chunk& b) { return place(a) < place(b); });
    chunks_.erase(std::unique(chunks_.begin(), chunks_.end(),
                              [&](const Chunk& a, const Chunk& b) { return place(a) == place(b); }),
                  chunks_.end());
    return {};
  }

  void add(std::uint32_t thread, std::uint64_t chunk, const ChunkExtent& extent) {
    const std::int64_t begin = schema::wrapping_difference(extent.begin, context_.origin);
    const std::int64_t end = schema::wrapping_difference(extent.end, context_.origin);
    if (begin > filter_.begin_most || end < filter_.begin_least || end < filter_.end_least) return;
    chunks_.push_back({thread, chunk});
  }

  schema::Expected<bool> load_next() {
    if (next_ == chunks_.size()) return false;
    if (context_.is_late()) return too_late();
    const Chunk& chunk = chunks_[next_++];
    ThreadAccess access(context_.connection, context_.trace, chunk.thread);
    BENCHHUD_ASSIGN(const auto slices, access.slices(chunk.chunk));
    slices_.assign(slices.begin(), slices.end());
    context_.slices_read += static_cast<std::int64_t>(slices_.size());
    place_ = static_cast<std::size_t>(-1);
    return true;
  }

  SqlContext& context_;
  SqlFilter filter_;
  bool is_open_ = false;
  std::vector<bool> is_named_;  // by label
  std::vector<Chunk> chunks_;
  std::size_t next_ = 0;
  std::vector<ChunkSlice> slices_;
  std::size_t place_ = static_cast<std::size_t>(-1);
};

template <class Source>
std::unique_ptr<SqlSource> open(SqlContext& context, const SqlFilter& filter) {
  return std::make_unique<Source>(context, filter);
}

constexpr std::array kSlicesColumns = {
    SqlColumn{"slice_id", "INTEGER", "the slice; a column of this name leads to it"},
    SqlColumn{"track", "INTEGER", "its track"},
    SqlColumn{"row", "INTEGER",
              "its row in the track, from 0; what is around it is in the row above"},
    SqlColumn{"begin", "INTEGER", "ns"},
    SqlColumn{"duration", "INTEGER", "ns"},
    SqlColumn{"end", "INTEGER", "ns; written \"end\""},
    SqlColumn{"name", "TEXT", "what it is called"},
    SqlColumn{"category", "TEXT", "as the file has it"},
    SqlColumn{"class", "TEXT", "what it does, such as operator, gemm or memcpy"},
    SqlColumn{"correlation", "INTEGER", "ties a call to what it launched"},
    SqlColumn{"external_id", "INTEGER", "of the operator that led to it"},
    SqlColumn{"sequence", "INTEGER", "ties forward to backward"},
};

constexpr std::array kTracksColumns = {
    SqlColumn{"track", "INTEGER", "its number"},
    SqlColumn{"pid", "TEXT", "of its process"},
    SqlColumn{"tid", "TEXT", "of its thread"},
    SqlColumn{"process", "TEXT", "what the process is called"},
    SqlColumn{"name", "TEXT", "what it is called"},
    SqlColumn{"slices", "INTEGER", "how many it has"},
    SqlColumn{"rows", "INTEGER", "how deep they lie"},
};

constexpr std::array kLabelsColumns = {
    SqlColumn{"label", "INTEGER", "its number"},
    SqlColumn{"name", "TEXT", "what slices are called"},
    SqlColumn{"category", "TEXT", "as the file has it"},
    SqlColumn{"class", "TEXT", "what they do"},
    SqlColumn{"count", "INTEGER", "slices of it"},
    SqlColumn{"total", "INTEGER", "ns: their durations together"},
};

constexpr std::array kFlowsColumns = {
    SqlColumn{"number", "INTEGER", "of its beginning, by time"},
    SqlColumn{"category", "TEXT", "such as ac2g (launches) or fwdbwd"},
    SqlColumn{"from_track", "INTEGER", "where it begins"},
    SqlColumn{"from_time", "INTEGER", "ns"},
    SqlColumn{"to_track", "INTEGER", "where it ends"},
    SqlColumn{"to_time", "INTEGER", "ns"},
};

constexpr std::array kCountersColumns = {
    SqlColumn{"counter", "INTEGER", "its number"},
    SqlColumn{"track", "INTEGER", "its thread"},
    SqlColumn{"name", "TEXT", "of its event"},
    SqlColumn{"key", "TEXT", "which of the event's numbers"},
    SqlColumn{"time", "INTEGER", "ns"},
    SqlColumn{"value", "REAL", "from then on"},
};

constexpr std::array kPointsColumns = {
    SqlColumn{"number", "INTEGER", "by thread and time"},
    SqlColumn{"track", "INTEGER", "its thread"},
    SqlColumn{"time", "INTEGER", "ns"},
    SqlColumn{"phase", "TEXT", "as the file has it, such as i or C"},
    SqlColumn{"name", "TEXT", "what it is called"},
    SqlColumn{"category", "TEXT", "as the file has it"},
};

constexpr std::array kArgsColumns = {
    SqlColumn{"slice_id", "INTEGER", "the slice"},
    SqlColumn{"key", "TEXT", "what the argument is called"},
    SqlColumn{"value", "TEXT", "its value; JSON where it is an object or a list"},
};

constexpr std::array kTables = {
    SqlTable{.name = "slices",
             .meaning = "Everything that has a length.",
             .columns = kSlicesColumns,
             .track = 1,
             .id = 0,
             .label_name = 6,
             .begin = 3,
             .end = 5,
             .open = open<SlicesSource>},
    SqlTable{.name = "tracks",
             .meaning = "Threads, streams, and what is asynchronous.",
             .columns = kTracksColumns,
             .open = open<TracksSource>},
    SqlTable{.name = "labels",
             .meaning = "Names with their categories.",
             .columns = kLabelsColumns,
             .open = open<LabelsSource>},
    SqlTable{
        .name = "flows", .meaning = "Arrows.", .columns = kFlowsColumns, .open = open<FlowsSource>},
    SqlTable{.name = "counters",
             .meaning = "Values that change with time.",
             .columns = kCountersColumns,
             .open = open<CountersSource>},
    SqlTable{.name = "points",
             .meaning = "What has no length, such as instants.",
             .columns = kPointsColumns,
             .open = open<PointsSource>},
    SqlTable{.name = "args",
             .meaning = "Arguments of a slice, which must be named: slice_id = … A single one: "
                        "arg(slice_id, 'key').",
             .columns = kArgsColumns,
             .id = 0,
             .open = open<ArgsSource>},
};

}  // namespace

schema::Expected<const LabelText*> SqlContext::label(std::uint32_t number) {
  const auto known = labels_.find(number);
  if (known != labels_.end()) return &known->second;
  if (labels_bytes_ >= kMostCachedBytes) {
    labels_.clear();
    labels_bytes_ = 0;
  }
  BENCHHUD_ASSIGN(LabelText text, lookup.label(number));
  labels_bytes_ += kBytesPerEntry + text.name.size() + text.category.size();
  return &labels_.emplace(number, std::move(text)).first->second;
}

schema::Expected<std::vector<std::uint32_t>> SqlContext::labels_named(const std::string& name) {
  const auto known = named_.find(name);
  if (known != named_.end()) return known->second;
  std::vector<std::uint32_t> found;
  const auto look = [&](std::uint32_t number, const LabelTotals&) -> schema::Expected<void> {
    if (is_late()) return too_late();
    BENCHHUD_ASSIGN(const LabelText* text, label(number));
    if (text->name == name) found.push_back(number);
    return {};
  };
  BENCHHUD_TRY(for_each_used_label(index, look));
  if (named_bytes_ >= kMostCachedBytes) {
    named_.clear();
    named_bytes_ = 0;
  }
  named_bytes_ += kBytesPerEntry + name.size() + found.size() * sizeof(found.front());
  return named_.emplace(name, std::move(found)).first->second;
}

schema::Expected<const std::vector<SliceExtra>*> SqlContext::extras(std::uint32_t thread,
                                                                    std::uint64_t chunk) {
  const std::pair place(thread, chunk);
  const auto known = extras_.find(place);
  if (known != extras_.end()) return &known->second;
  constexpr std::size_t kMostChunks = 8;  // of some 0.5 MB
  if (extras_.size() >= kMostChunks) extras_.clear();
  BENCHHUD_ASSIGN(auto extras, chunk_extras(connection, trace, thread, chunk));
  return &extras_.emplace(place, std::move(extras)).first->second;
}

std::span<const SqlTable> sql_tables() { return kTables; }

std::int64_t sql_slice_id(const SliceId& id) {
  BENCHHUD_CHECK(id.thread < std::uint64_t{1} << kThreadBits &&
                 id.chunk < std::uint64_t{1} << kChunkBits &&
                 id.index < std::uint64_t{1} << kIndexBits);
  return static_cast<std::int64_t>(std::uint64_t{id.thread} << (kIndexBits + kChunkBits) |
                                   id.chunk << kIndexBits | id.index);
}

SliceId slice_of_sql_id(std::int64_t id) {
  const auto bits = static_cast<std::uint64_t>(id);
  return {static_cast<std::uint32_t>(bits >> (kIndexBits + kChunkBits)),
          bits >> kIndexBits & ((std::uint64_t{1} << kChunkBits) - 1),
          static_cast<std::uint32_t>(bits & ((std::uint64_t{1} << kIndexBits) - 1))};
}

schema::Expected<SqlValue> argument_of(SqlContext& context, std::int64_t slice,
                                       std::string_view key) {
  BENCHHUD_ASSIGN(const auto arguments, stored_arguments(context, slice));
  if (!arguments) return SqlValue();
  schema::Statement member = context.connection.cached(sql::kMemberOfObject);
  member.bind_text_view(1, *arguments).bind_text_view(2, key);
  SqlValue value;
  if (member.step() && !member.is_null(1)) {
    const std::string_view type = member.text(0);
    if (type == "integer" || type == "true" || type == "false") {
      value = member.integer(1);
    } else if (type == "real") {
      value = member.real(1);
    } else {
      value = std::string(member.text(1));
    }
  }
  BENCHHUD_TRY(member.status());
  return value;
}

}  // namespace benchhud::trace
