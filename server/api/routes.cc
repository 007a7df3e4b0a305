#include "server/api/routes.h"

namespace benchhud::server {

Routes::Routes(std::initializer_list<std::span<const NamedRoute>> routes,
               std::initializer_list<std::span<const NamedChange>> changes) {
  for (const auto table : routes) {
    for (const NamedRoute& named : table) routes_.emplace(named.operation_id, &named);
  }
  for (const auto table : changes) {
    for (const NamedChange& named : table) changes_.emplace(named.operation_id, named.change);
  }
}

const NamedRoute* Routes::route(std::string_view operation_id) const {
  const auto found = routes_.find(operation_id);
  return found == routes_.end() ? nullptr : found->second;
}

Change Routes::change(std::string_view operation_id) const {
  const auto found = changes_.find(operation_id);
  return found == changes_.end() ? nullptr : found->second;
}

}  // namespace benchhud::server
