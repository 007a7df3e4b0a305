#include "trace/answers/trace_arrows.h"

#include <map>
#include <optional>

#include "trace/trace_visit.h"

namespace benchhud::trace {
namespace {

constexpr std::uint64_t kMostEndsLookedAt = 200'000;

class ArrowFinder {
 public:
  ArrowFinder(schema::Connection& connection, schema::TraceId trace, const ArrowQuery& query)
      : connection_(connection),
        trace_(trace),
        query_(query),
        span_{query.begin, query.end},
        lookup_(connection, trace) {}

  schema::Expected<ArrowWindow> find() {
    std::uint64_t looked_at = 0;
    const auto look = [&](const PlacedFlow& end) -> schema::Expected<bool> {
      BENCHHUD_TRY(look_at(end));
      return ++looked_at < kMostEndsLookedAt;
    };
    BENCHHUD_TRY(visit_flows(connection_, trace_, span_, look));
    window_.is_cut = is_beyond_limit_ || looked_at >= kMostEndsLookedAt;
    return std::move(window_);
  }

 private:
  // Where there is none, somebody may be missing.
  bool is_room() {
    is_beyond_limit_ |= window_.arrows.size() >= query_.limit;
    return !is_beyond_limit_;
  }

  schema::Expected<bool> is_wanted(std::uint32_t category) {
    if (!query_.is_wanted) return true;
    const auto known = wanted_.find(category);
    if (known != wanted_.end()) return known->second;
    BENCHHUD_ASSIGN(const bool wanted, query_.is_wanted(category));
    wanted_.emplace(category, wanted);
    return wanted;
  }

  schema::Expected<void> look_at(const PlacedFlow& end) {
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
    if (!from || span_.has(from->flow.time)) return {};
    ++window_.count;
    window_.arrows.push_back({*from, end});
    return {};
  }

  schema::Connection& connection_;
  schema::TraceId trace_;
  const ArrowQuery& query_;
  TraceSpan span_;
  TraceQueries lookup_;
  std::map<std::uint32_t, bool> wanted_;  // by category
  ArrowWindow window_;
  bool is_beyond_limit_ = false;
};

}  // namespace

schema::Expected<ArrowWindow> arrows_in_window(schema::Connection& connection,
                                               schema::TraceId trace, const ArrowQuery& query) {
  return ArrowFinder(connection, trace, query).find();
}

}  // namespace benchhud::trace
