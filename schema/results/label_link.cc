#include "schema/results/label_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <utility>

#include "schema/base/text_limits.h"
#include "schema/db/audit_note.h"
#include "schema/db/rows.h"
#include "schema/db/setting.h"
#include "schema/queries.h"
#include "schema/results/results.h"

namespace benchhud::schema {
namespace {

// A template is a setting of its own: what it is of is the end of its key.
constexpr std::string_view kOne = "link of label ";
constexpr std::string_view kRange = "link of range of label ";

Error wrong(std::string_view address, std::string_view why) {
  return {ErrorCode::kInvalidArgument, fmt::format("`{}` {}", address, why)};
}

// Where a host's name ends, or 0 where there is none. A value is never part of it: whoever wrote a
// label would say where the link goes.
std::size_t end_of_host(std::string_view address) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!address.starts_with(scheme)) continue;
    const std::size_t end = std::min(address.find_first_of("/?#", scheme.size()), address.size());
    return end == scheme.size() ? 0 : end;
  }
  return 0;
}

Expected<void> check_address(std::string_view address,
                             std::initializer_list<std::string_view> names) {
  BENCHHUD_TRY(check_length("the address", address, kMostLineBytes));
  const std::size_t host = end_of_host(address);
  if (host == 0) return wrong(address, "is no address that begins with http:// or https://");
  const bool is_whole = std::none_of(address.begin(), address.end(), [](char c) {
    return (c >= '\0' && c <= ' ') || c == '\x7f' || c == '"' || c == '<' || c == '>' || c == '\\';
  });
  if (!is_whole) return wrong(address, "holds a blank or another character that no address has");
  for (std::size_t at = address.find('{'); at != std::string_view::npos;
       at = address.find('{', at + 1)) {
    const std::size_t end = address.find('}', at);
    const auto name =
        end == std::string_view::npos ? address.substr(at) : address.substr(at, end - at + 1);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return wrong(address,
                   fmt::format("holds {}; it may hold {}", name, fmt::join(names, " and ")));
    }
    if (at < host) return wrong(address, fmt::format("holds {} in the name of its host", name));
  }
  for (const std::string_view name : names) {
    if (address.find(name) == std::string_view::npos) {
      return wrong(address, fmt::format("does not say where {} stands", name));
    }
  }
  return {};
}

Expected<void> check(const LabelLink& link) {
  BENCHHUD_TRY(check_length("the label's key", link.key, kMostLineBytes));
  if (link.key.empty()) return Error{ErrorCode::kInvalidArgument, "the label's key is empty"};
  if (link.one.empty() && link.range.empty()) {
    return Error{ErrorCode::kInvalidArgument, "give an address for one value, for a range or both"};
  }
  if (!link.one.empty()) BENCHHUD_TRY(check_address(link.one, {"{value}"}));
  if (!link.range.empty()) BENCHHUD_TRY(check_address(link.range, {"{from}", "{to}"}));
  return {};
}

std::string setting_key(std::string_view kind, std::string_view label) {
  return std::string(kind) + std::string(label);
}

Expected<void> read_all(Connection& connection, std::string_view kind,
                        std::string LabelLink::* part, std::map<std::string, LabelLink>* links) {
  Statement query = connection.cached(sql::kSettingsOf);
  query.bind(1, kind);
  BENCHHUD_ASSIGN(const auto rows, collect(query, [](const Statement& row) {
                    return std::pair(std::string(row.text(0)), std::string(row.text(1)));
                  }));
  for (const auto& [key, value] : rows) {
    LabelLink& link = (*links)[key.substr(kind.size())];
    link.*part = value;
  }
  return {};
}

}  // namespace

Expected<std::vector<LabelLink>> label_links(Connection& connection) {
  std::map<std::string, LabelLink> links;
  BENCHHUD_TRY(read_all(connection, kOne, &LabelLink::one, &links));
  BENCHHUD_TRY(read_all(connection, kRange, &LabelLink::range, &links));
  std::vector<LabelLink> all;
  all.reserve(links.size());
  for (auto& [key, link] : links) {
    link.key = key;
    all.push_back(std::move(link));
  }
  return all;
}

Expected<void> set_label_link(Connection& connection, const LabelLink& link) {
  BENCHHUD_TRY(check(link));
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  for (const auto& [kind, address] : {std::pair(kOne, link.one), std::pair(kRange, link.range)}) {
    if (address.empty()) continue;
    BENCHHUD_TRY(put_setting(connection, setting_key(kind, link.key), address));
    BENCHHUD_TRY(note(connection, "links", fmt::format("{}{}: {}", kind, link.key, address)));
  }
  BENCHHUD_ASSIGN([[maybe_unused]] const std::int64_t revision, next_revision(connection));
  return transaction.commit();
}

Expected<void> remove_label_link(Connection& connection, std::string_view key) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  bool any = false;
  for (const std::string_view kind : {kOne, kRange}) {
    Statement remove = connection.cached(sql::kDeleteSetting);
    const std::string name = setting_key(kind, key);
    BENCHHUD_TRY(remove.bind(1, name).run());
    any = any || connection.changes() > 0;
  }
  if (!any) {
    return Error{ErrorCode::kNotFound, fmt::format("the label `{}` has no links", key)};
  }
  BENCHHUD_TRY(note(connection, "links", fmt::format("{}: removed", key)));
  BENCHHUD_ASSIGN([[maybe_unused]] const std::int64_t revision, next_revision(connection));
  return transaction.commit();
}

}  // namespace benchhud::schema
