#include "trace/pack/open_packs.h"

#include <fmt/format.h>

#include <list>
#include <mutex>
#include <optional>
#include <utility>

#include "trace/queries.h"

namespace benchhud::trace {

using schema::Connection;
using schema::Expected;

namespace {

/// Connections that nobody uses, the one that was used last first.
class IdlePacks {
 public:
  std::optional<Connection> take(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    for (auto each = packs_.begin(); each != packs_.end(); ++each) {
      if (each->first != name) continue;
      std::optional<Connection> found(std::move(each->second));
      packs_.erase(each);
      return found;
    }
    return std::nullopt;
  }
  void keep(std::string name, Connection pack) {
    std::list<std::pair<std::string, Connection>> too_many;  // are closed without the lock
    const std::scoped_lock lock(mutex_);
    packs_.emplace_front(std::move(name), std::move(pack));
    if (packs_.size() > kMostIdlePacks) {
      too_many.splice(too_many.begin(), packs_, std::prev(packs_.end()));
    }
  }

 private:
  std::mutex mutex_;
  std::list<std::pair<std::string, Connection>> packs_;
};

IdlePacks& idle_packs() {
  static IdlePacks packs;
  return packs;
}

}  // namespace

Expected<void> check_content(Connection& pack, const PlacedPack& placed,
                             const schema::ContentHash& content) {
  schema::Statement query = pack.cached(sql::kContentOfTrace);
  query.bind(1, kPackedTrace);
  const bool is_it = query.step() && query.blob(0) == content.view();
  BENCHHUD_TRY(query.status());
  if (is_it) return {};
  return damaged_place(placed.key, "it holds another trace");
}

Expected<LentPack> lend_pack(const TracePlace& place, const PlacedPack& pack,
                             const schema::ContentHash& content, PackWait wait) {
  std::string name = place.address + '\n' + pack.key;
  std::optional<Connection> connection = idle_packs().take(name);
  if (!connection) {
    BENCHHUD_ASSIGN(connection, open_placed_pack(place, pack, wait));
    BENCHHUD_TRY(check_content(*connection, pack, content));
  }
  return LentPack(new Connection(*std::move(connection)), [name, place, pack](Connection* used) {
    const std::unique_ptr<Connection> owned(used);
    if (owned->is_sound()) {
      idle_packs().keep(name, std::move(*owned));
    } else {
      doubt_placed_pack(place, pack);
    }
  });
}

}  // namespace benchhud::trace
