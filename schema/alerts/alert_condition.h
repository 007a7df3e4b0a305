// Which alerts a statement is about, as SQL.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/alerts/alert_list.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// Urgency of an alert on the day $1, as an expression.
inline constexpr std::string_view kUrgencyNow = "iif(urgency < 6 AND muted_until > $1, 5, urgency)";
// The numbers in SQL, here, in alert_condition.cc, queries/alerts.sql and the migrations, are those
// of the store. Whoever gives an urgency another number needs a migration, and another version of
// the cursors of lists of alerts (routes_alerts.cc).
static_assert(static_cast<int>(Urgency::kMuted) == 5 && static_cast<int>(Urgency::kClosed) == 6);

/// An SQL condition with the values of its parameters, $1, $2 and so on. Of alerts, $1 is the day
/// (mute_day()), which the statement has to name.
class AlertCondition {
 public:
  AlertCondition() = default;
  explicit AlertCondition(const AlertFilter& filter);
  /// On alert_member, named `m`. `bound`: the number of parameters before it.
  explicit AlertCondition(const SeriesFilter& filter, int bound = 0);

  /// The column holds one of `ids`.
  void among(std::string_view column, std::span<const AlertId> ids);
  /// Behind `after` in the order of a page.
  void behind(const AlertPlace& after, bool is_urgent_first);

  /// " WHERE " and what follows; "" for any.
  const std::string& text() const { return text_; }
  Statement prepare(Connection& connection, const std::string& sql) const;

 private:
  const char* joint() const { return text_.empty() ? " WHERE " : " AND "; }
  std::string number(double value);
  void add(std::string_view condition, double value);
  void in_state(const std::vector<std::string>& states);
  void one_of(std::string_view column, const std::vector<std::string>& values);
  /// "$3, $4" for values that are bound.
  std::string places(const std::vector<std::string>& values);

  std::string text_;
  int bound_ = 0;
  std::vector<std::pair<int, std::string>> texts_;
  std::vector<std::pair<int, double>> numbers_;
};

}  // namespace benchhud::schema
