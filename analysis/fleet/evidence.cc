#include "analysis/fleet/evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/statistics/step_likelihood.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kLastNights = 20;
}  // namespace

Evidence::Evidence(std::size_t nodes, const EvidenceRules& rules) : rules_(rules), nodes_(nodes) {}

double Evidence::most_of_first(std::size_t node) const {
  if (!rules_.learns) return rules_.most;
  // Once in 100 nights is what is assumed of a node of which nothing is known.
  const Node& one = nodes_[node];
  return std::min(std::log((50 + one.seen) / (0.5 + one.begun)), rules_.most);
}

void Evidence::add(std::span<const double> off, double worth) {
  static_assert(kStepSizes.size() == kSizes);
  stayed_ *= 0.998;
  off_ *= 0.998;
  for (std::size_t n = 0; n < nodes_.size(); ++n) follow_run(&nodes_[n], off[n]);
  const double stays = (0.5 + stayed_) / (15 + off_);
  const double most_of_next = std::max(2 * std::log((1 - stays) / stays), 0.3);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    Node& node = nodes_[n];
    node.last.push_back(std::isfinite(off[n]) ? off[n] : 0);
    if (node.last.size() > kLastNights) node.last.erase(node.last.begin());
    if (!std::isfinite(off[n])) continue;
    const double first = most_of_first(n);
    const double next = rules_.learns ? std::min(first, most_of_next) : first;
    for (std::size_t side = 0; side < node.statistics.size(); ++side) {
      const double beyond = std::min(side == 0 ? off[n] : -off[n], kFarthestOff);
      for (std::size_t s = 0; s < kSizes; ++s) {
        const double ratio = log_likelihood_ratio(beyond, kStepSizes[s], rules_.degrees);
        double& statistic = node.statistics[side][s];
        statistic = std::min(
            std::exp(std::min(worth * ratio, next)) * statistic + std::exp(std::min(ratio, first)),
            1e30);
      }
    }
  }
}

// A run begins with three standard deviations and more, and goes on with two and more.
void Evidence::follow_run(Node* node, double off) {
  node->begins = false;
  if (!std::isfinite(off)) return;
  const bool ends = node->run != 0 && off * (node->run > 0 ? 1 : -1) < 2;
  if (ends) lasted(static_cast<std::size_t>(std::abs(node->run)));
  if (ends) node->run = 0;
  node->begins = node->run == 0 && std::abs(off) > 4;
  if (node->run != 0 || std::abs(off) >= 3) node->run += off > 0 ? 1 : -1;
}

void Evidence::lasted(std::size_t nights) {
  constexpr std::size_t kMost = 10;  // what lasts longer is no excursion
  if (nights == 0 || nights > kMost) return;
  stayed_ += static_cast<double>(nights - 1);
  off_ += static_cast<double>(nights);
}

void Evidence::count() {
  for (Node& node : nodes_) {
    const bool is_seen = !node.last.empty();
    node.seen = 0.99 * node.seen + (is_seen ? 1 : 0);
    node.begun = 0.99 * node.begun + (node.begins ? 1 : 0);
  }
}

double Evidence::of(std::size_t node, int direction) const {
  const auto& statistics = nodes_[node].statistics[direction > 0 ? 0 : 1];
  return std::accumulate(statistics.begin(), statistics.end(), 0.0) / kSizes;
}

int Evidence::direction(std::size_t node) const {
  return !rules_.is_two_sided || of(node, 1) >= of(node, -1) ? 1 : -1;
}

double Evidence::most(std::size_t node) const { return of(node, direction(node)); }

std::size_t Evidence::nights_off(std::size_t node, int direction) const {
  double sum = 0, most = 0;
  std::size_t nights = 1, k = 0;
  const auto& last = nodes_[node].last;
  for (auto off = last.rbegin(); off != last.rend(); ++off) {
    sum += std::clamp(direction * *off, -kFarthestOff, kFarthestOff);
    ++k;
    if (sum <= 0 || sum * sum / static_cast<double>(k) <= most) continue;
    most = sum * sum / static_cast<double>(k);
    nights = k;
  }
  return nights;
}

void Evidence::forget(std::size_t node) {
  for (auto& side : nodes_[node].statistics) side.fill(0);
  nodes_[node].last.assign(nodes_[node].last.size(), 0);
  nodes_[node].run = 0;
}

}  // namespace benchhud::analysis
