// Evidence that something is off since some night, gathered from night to night.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace benchhud::analysis {

/// What a night's evidence is worth at the most.
struct EvidenceRules {
  double most = 0;     ///< natural logarithm
  double degrees = 0;  ///< of freedom, of the t distributions
  bool is_two_sided = true;
  /// Less than `most` where nights that are off begin often, or go on seldom.
  bool learns = false;
};

/// Shiryaev-Roberts statistics (Shiryaev 1963, Roberts 1966; that they are soonest on average:
/// Pollak 1985) of the nodes of one scope: the sum over all nights on which a change may have begun
/// of how much likelier what followed is with the change than without. In units in which 1 is one
/// night's chance: a statistic of 100 is reached without any change once in 100 nights. The mean
/// over changes of several sizes, by likelihoods of Student's t.
class Evidence {
 public:
  explicit Evidence(std::size_t nodes = 0, const EvidenceRules& rules = {});

  /// A night: how far each node is off, in standard deviations; NaN where that is not known.
  /// `worth`: of one more night, less than 1 where nights are alike.
  void add(std::span<const double> off, double worth);
  /// To be called once a night, when it is decided what began: counts how often something does.
  void count();
  /// An event of a node was over after so few nights.
  void lasted(std::size_t nights);

  /// In the direction in which it is more.
  double most(std::size_t node) const;
  double of(std::size_t node, int direction) const;
  int direction(std::size_t node) const;
  /// Of the last nights those that a step explains best.
  std::size_t nights_off(std::size_t node, int direction) const;
  /// The natural logarithm of what the first night of a change is worth at the most.
  double most_of_first(std::size_t node) const;
  std::size_t nodes() const { return nodes_.size(); }
  /// One more node, which was never off.
  void add_node() { nodes_.emplace_back(); }
  void forget(std::size_t node);

 private:
  friend struct StateFields;

  static constexpr std::size_t kSizes = 4;
  struct Node {
    std::array<std::array<double, kSizes>, 2> statistics{};  // for the worse, for the better
    std::vector<double> last;                                // newest last
    double seen = 0, begun = 0;                              // nights; they fade
    double run = 0;  // nights off in a row, negative where they are below
    bool begins = false;
  };

  void follow_run(Node* node, double off);

  EvidenceRules rules_;
  std::vector<Node> nodes_;
  double stayed_ = 0, off_ = 0;  // nights off that another followed, and all; they fade
};

}  // namespace benchhud::analysis
