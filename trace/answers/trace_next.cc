#include "trace/answers/trace_next.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "trace/trace_access.h"

namespace benchhud::trace {
namespace {

// With more labels it costs less to ask each chunk which labels it has than each label for its
// chunks.
constexpr std::size_t kMostLabelsLookedUp = 1024;

// The order in which hits follow one another.
using Place = std::tuple<std::int64_t, std::uint32_t, std::uint64_t, std::uint32_t>;

Place place_of(const PlacedSlice& placed) {
  return {placed.slice.begin, placed.id.thread, placed.id.chunk, placed.id.index};
}

class NextSlice {
 public:
  NextSlice(schema::Connection& connection, schema::TraceId trace, const TraceIndex& index,
            const NextQuery& query)
      : connection_(connection), trace_(trace), index_(index), query_(query) {}

  schema::Expected<std::optional<PlacedSlice>> find() {
    BENCHHUD_TRY(collect_chunks());
    // Those that can have the nearest one first.
    std::sort(chunks_.begin(), chunks_.end(), [&](const Chunk& a, const Chunk& b) {
      return std::tuple(far(a.nearest), a.thread, a.chunk) <
             std::tuple(far(b.nearest), b.thread, b.chunk);
    });
    for (const Chunk& chunk : chunks_) {
      if (best_ && far(chunk.nearest) > far(best_->slice.begin)) break;
      BENCHHUD_TRY(look_into(chunk));
    }
    return best_;
  }

 private:
  struct Chunk {
    std::int64_t nearest = 0;  // ns: none in it begins between `from` and this
    std::uint32_t thread = 0;
    std::uint64_t chunk = 0;
  };

  // The farther from where the way begins, the greater.
  std::int64_t far(std::int64_t time) const { return query_.forward ? time : ~time; }

  bool is_wanted(std::uint32_t thread) const {
    return !query_.is_wanted || query_.is_wanted(thread);
  }
  bool is_hit(std::uint32_t label) const {
    return label < query_.labels.size() && query_.labels[label];
  }

  schema::Expected<void> collect_chunks() {
    std::vector<std::uint32_t> labels;
    for (std::uint32_t label = 0; label < query_.labels.size(); ++label) {
      if (query_.labels[label]) labels.push_back(label);
    }
    if (labels.size() <= kMostLabelsLookedUp) return collect_places(labels);
    BENCHHUD_ASSIGN(const auto tracks, index_.tracks());
    must_ask_ = true;
    for (const IndexedTrack& track : tracks) {
      if (!is_wanted(track.thread)) continue;
      const bool any = std::any_of(track.sums.begin(), track.sums.end(),
                                   [&](const LabelSums& each) { return is_hit(each.label); });
      if (!any) continue;
      BENCHHUD_ASSIGN(const auto extents, index_.extents(track.thread));
      for (std::uint64_t chunk = 0; chunk < extents.size(); ++chunk) {
        add_chunk(track.thread, chunk, extents[chunk]);
      }
    }
    return {};
  }

  schema::Expected<void> collect_places(const std::vector<std::uint32_t>& labels) {
    std::map<std::uint32_t, std::vector<std::uint64_t>> chunks;  // by thread
    for (const std::uint32_t label : labels) {
      BENCHHUD_ASSIGN(const auto places, index_.places(label));
      for (const LabelPlaces& each : places) {
        if (!is_wanted(each.thread)) continue;
        auto& of_thread = chunks[each.thread];
        of_thread.insert(of_thread.end(), each.chunks.begin(), each.chunks.end());
      }
    }
    for (auto& [thread, of_thread] : chunks) {
      std::sort(of_thread.begin(), of_thread.end());
      of_thread.erase(std::unique(of_thread.begin(), of_thread.end()), of_thread.end());
      BENCHHUD_ASSIGN(const auto extents, index_.extents(thread));
      for (const std::uint64_t chunk : of_thread) {
        if (chunk < extents.size()) add_chunk(thread, chunk, extents[chunk]);
      }
    }
    return {};
  }

  void add_chunk(std::uint32_t thread, std::uint64_t chunk, const ChunkExtent& extent) {
    if (query_.forward) {
      if (extent.end < query_.from) return;
      chunks_.push_back({std::max(extent.begin, query_.from), thread, chunk});
    } else {
      if (extent.begin > query_.from) return;
      chunks_.push_back({std::min(extent.end, query_.from), thread, chunk});
    }
  }

  schema::Expected<void> look_into(const Chunk& chunk) {
    if (must_ask_) {
      BENCHHUD_ASSIGN(const auto sums, index_.chunk_sums(chunk.thread, chunk.chunk));
      const bool any = std::any_of(sums.begin(), sums.end(),
                                   [&](const LabelSums& each) { return is_hit(each.label); });
      if (!any) return {};
    }
    ThreadAccess access(connection_, trace_, chunk.thread);
    BENCHHUD_ASSIGN(const auto slices, access.slices(chunk.chunk));
    for (std::uint32_t i = 0; i < slices.size(); ++i) {
      if (!is_hit(slices[i].label)) continue;
      const PlacedSlice placed{{chunk.thread, chunk.chunk, i}, slices[i]};
      if (!is_behind_start(placed)) continue;
      const bool is_nearer = !best_ || (query_.forward ? place_of(placed) < place_of(*best_)
                                                       : place_of(placed) > place_of(*best_));
      if (is_nearer) best_ = placed;
    }
    return {};
  }

  bool is_behind_start(const PlacedSlice& placed) const {
    if (!query_.slice) {
      return query_.forward ? placed.slice.begin >= query_.from : placed.slice.begin <= query_.from;
    }
    const SliceId& id = *query_.slice;
    const Place start{query_.from, id.thread, id.chunk, id.index};
    return query_.forward ? place_of(placed) > start : place_of(placed) < start;
  }

  schema::Connection& connection_;
  schema::TraceId trace_;
  const TraceIndex& index_;
  const NextQuery& query_;
  bool must_ask_ = false;  // whether the labels are in a chunk
  std::vector<Chunk> chunks_;
  std::optional<PlacedSlice> best_;
};

}  // namespace

schema::Expected<std::optional<PlacedSlice>> next_slice(schema::Connection& connection,
                                                        schema::TraceId trace,
                                                        const TraceIndex& index,
                                                        const NextQuery& query) {
  return NextSlice(connection, trace, index, query).find();
}

}  // namespace benchhud::trace
