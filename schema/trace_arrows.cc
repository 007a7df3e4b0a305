#include "schema/trace_arrows.h"

#include <map>
#include <optional>

#include "schema/column_codec.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

constexpr std::uint64_t kMostEndsLookedAt = 200'000;

class ArrowFinder {
 public:
  ArrowFinder(Connection& connection, TraceId trace, const ArrowQuery& query)
      : connection_(connection), trace_(trace), query_(query), lookup_(connection, trace) {}

  Expected<ArrowWindow> find() {
    Statement& blocks = connection_.cached(sql::kBlocksInWindow);
    blocks.bind(1, trace_)
        .bind(2, TraceBlockKind::kFlows)
        .bind(3, query_.begin)
        .bind(4, query_.end)
        .bind_null(5);
    std::uint64_t looked_at = 0;
    while (looked_at < kMostEndsLookedAt && blocks.step()) {
      BENCHHUD_ASSIGN(const auto flows, decode_flows(blocks.blob(2)));
      const auto first = static_cast<std::uint64_t>(blocks.integer(0));
      for (std::size_t i = 0; i < flows.size(); ++i) {
        if (!is_inside(flows[i])) continue;
        ++looked_at;
        BENCHHUD_TRY(look_at({first + i, flows[i]}));
      }
    }
    BENCHHUD_TRY(blocks.status());
    blocks.reset();
    window_.is_cut = is_beyond_limit_ || looked_at >= kMostEndsLookedAt;
    return std::move(window_);
  }

 private:
  bool is_inside(const ChunkFlow& flow) const {
    return flow.time >= query_.begin && flow.time < query_.end;
  }

  // Where there is none, somebody may be missing.
  bool is_room() {
    is_beyond_limit_ |= window_.arrows.size() >= query_.limit;
    return !is_beyond_limit_;
  }

  Expected<bool> is_wanted(std::uint32_t category) {
    if (!query_.is_wanted) return true;
    const auto known = wanted_.find(category);
    if (known != wanted_.end()) return known->second;
    BENCHHUD_ASSIGN(const bool wanted, query_.is_wanted(category));
    wanted_.emplace(category, wanted);
    return wanted;
  }

  Expected<void> look_at(const PlacedFlow& end) {
    BENCHHUD_ASSIGN(const bool wanted, is_wanted(end.flow.category));
    if (!wanted) return {};
    if (end.flow.after != 0) {
      ++window_.count;
      if (!is_room()) return {};
      BENCHHUD_ASSIGN(const auto to, lookup_.flow_after(end));
      if (to) window_.arrows.push_back({end, *to});
    }
    // One that begins in the window was told there.
    if (end.flow.before == 0 || !is_room()) return {};
    BENCHHUD_ASSIGN(const auto from, lookup_.flow_before(end));
    if (!from || is_inside(from->flow)) return {};
    ++window_.count;
    window_.arrows.push_back({*from, end});
    return {};
  }

  Connection& connection_;
  TraceId trace_;
  const ArrowQuery& query_;
  TraceLookup lookup_;
  std::map<std::uint32_t, bool> wanted_;  // by category
  ArrowWindow window_;
  bool is_beyond_limit_ = false;
};

}  // namespace

Expected<ArrowWindow> arrows_in_window(Connection& connection, TraceId trace,
                                       const ArrowQuery& query) {
  return ArrowFinder(connection, trace, query).find();
}

}  // namespace benchhud::schema
