#include "analysis/alerts/common_failures.h"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace benchhud::analysis {
namespace {

constexpr std::size_t kFewestAlike = 2;      // models with the same signature
constexpr std::size_t kFewestOfBackend = 3;  // models of a backend
constexpr std::size_t kShareOfBackend = 5;   // one in so many of the experiments that were tried

struct Failure {
  std::size_t place = 0;
  const CatalogEntry* entry = nullptr;
  const WatchedMember* member = nullptr;

  std::string_view signature() const { return member->signature; }
};

using Failures = std::vector<Failure>;

// A group, and by what later failures are known to belong to it.
struct CommonFailure {
  AlertGroup group;
  std::set<std::string_view> backends, signatures;
};

bool is_failure(const WatchedMember& member) {
  return watched_metric_info(member.metric).kind == MetricKind::kVerdict && member.worse > 0 &&
         member.confirmed && !member.withdrawn && member.is_reported;
}

std::size_t count_models(const Failures& failures) {
  std::set<std::size_t> models;
  for (const Failure& failure : failures) models.insert(failure.entry->model());
  return models.size();
}

bool is_large_share(const Failures& of_backend) {
  std::set<schema::ExperimentId> failed;
  std::size_t tried = 0;
  for (const Failure& failure : of_backend) {
    failed.insert(failure.entry->id());
    tried = std::max(tried, failure.member->tried);
  }
  return failed.size() * kShareOfBackend >= tried;
}

// What began on one night, in sets of one cause each; those of one model only are left out.
std::vector<Failures> failed_together(const Failures& failures) {
  std::map<std::string_view, Failures> by_signature, by_backend;
  std::map<std::size_t, std::size_t> index;  // of a place
  for (const Failure& failure : failures) {
    index.emplace(failure.place, index.size());
    if (!failure.signature().empty()) by_signature[failure.signature()].push_back(failure);
    by_backend[failure.entry->backend()].push_back(failure);
  }
  boost::disjoint_sets_with_storage<> causes(failures.size());
  const auto unite = [&](const Failures& some) {
    for (const Failure& one : some) {
      causes.union_set(index.at(some.front().place), index.at(one.place));
    }
  };
  for (const auto& [signature, alike] : by_signature) {
    if (count_models(alike) >= kFewestAlike) unite(alike);
  }
  for (const auto& [backend, some] : by_backend) {
    if (count_models(some) >= kFewestOfBackend && is_large_share(some)) unite(some);
  }
  std::map<std::size_t, Failures> sets;
  for (const Failure& failure : failures) {
    sets[causes.find_set(index.at(failure.place))].push_back(failure);
  }
  std::vector<Failures> together;
  for (auto& [cause, some] : sets) {
    if (count_models(some) >= kFewestAlike) together.push_back(std::move(some));
  }
  std::ranges::sort(together, {}, [](const Failures& some) { return some.front().place; });
  return together;
}

CommonFailure common_failure(const Failures& failures, std::size_t night) {
  CommonFailure common;
  for (const Failure& failure : failures) {
    common.backends.insert(failure.entry->backend());
    if (!failure.signature().empty()) common.signatures.insert(failure.signature());
    common.group.members.push_back(failure.place);
  }
  const bool is_of_backend = common.backends.size() == 1;
  common.group.scope = is_of_backend ? AlertScope::kBackend : AlertScope::kMachine;
  if (is_of_backend) common.group.backend = *common.backends.begin();
  common.group.is_of_failures = true;
  common.group.onset = night;
  return common;
}

// Adds a failure to an earlier group that it belongs to; false if there is none.
bool join(const Failure& failure, std::vector<CommonFailure>* groups) {
  for (CommonFailure& common : *groups) {
    const bool is_near = common.group.onset + kSameCause >= failure.member->onset;
    if (!is_near || !common.backends.contains(failure.entry->backend())) continue;
    const bool may_have_begun = failure.member->earliest <= common.group.onset;
    if (!may_have_begun && !common.signatures.contains(failure.signature())) continue;
    common.group.members.push_back(failure.place);
    return true;
  }
  return false;
}

}  // namespace

std::vector<AlertGroup> common_failures(std::span<const WatchedMember> members,
                                        std::span<const CurrentMember> current) {
  std::map<std::size_t, Failures> by_night;
  for (const CurrentMember& one : current) {
    const WatchedMember& member = members[one.place];
    if (is_failure(member)) by_night[member.onset].push_back({one.place, one.entry, &member});
  }
  std::vector<CommonFailure> found;
  for (auto& [night, failures] : by_night) {
    std::erase_if(failures, [&](const Failure& failure) { return join(failure, &found); });
    for (const Failures& together : failed_together(failures)) {
      found.push_back(common_failure(together, night));
    }
  }
  std::vector<AlertGroup> groups;
  for (CommonFailure& common : found) {
    std::ranges::sort(common.group.members);
    groups.push_back(std::move(common.group));
  }
  return groups;
}

}  // namespace benchhud::analysis
