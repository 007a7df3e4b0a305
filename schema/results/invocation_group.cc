#include "schema/results/invocation_group.h"

#include <algorithm>

#include "schema/queries.h"

namespace benchhud::schema {
namespace {

constexpr std::size_t kMostRemembered = 100'000;  // different lines of a group
constexpr std::size_t kMostExisting = 64;         // bits of Known::in

class Settling {
 public:
  Settling(Connection& connection, InvocationGroup* group, const std::string& path, FileId file,
           std::int64_t* last_line_id)
      : connection_(connection),
        group_(*group),
        path_(path),
        file_(file),
        last_line_id_(last_line_id) {}

  Expected<Settlement> settle() {
    std::uint64_t contained = 0;
    std::vector<std::size_t> contained_places;
    for (std::size_t i = 0; i < group_.existing.size(); ++i) {
      const InvocationGroup::Existing& existing = group_.existing[i];
      if (existing.line_count == 0 || existing.matched < existing.line_count) continue;
      contained |= std::uint64_t{1} << i;
      contained_places.push_back(i);
    }
    // Known lines that are not accounted for by an invocation that the file contains.
    std::uint64_t in_all = ~std::uint64_t{0};
    for (std::size_t i = 0; i < group_.known.size(); ++i) {
      if (group_.known[i].in & contained) continue;
      rest_.push_back(i);
      in_all &= group_.known[i].in;
    }
    if (!group_.fresh) {
      if (rest_.empty()) return std::move(settlement_);
      if (in_all != 0) {
        // Everything is a part of what is there. Of the invocations that have it all, the first is
        // meant.
        const auto place = static_cast<std::size_t>(__builtin_ctzll(in_all));
        if (contained_places.empty()) BENCHHUD_TRY(part(group_.existing[place]));
        return std::move(settlement_);
      }
    }
    std::optional<InvocationId> home;
    if (contained_places.size() == 1) {
      const InvocationGroup::Existing& grown = group_.existing[contained_places[0]];
      BENCHHUD_ASSIGN(const bool is_other, would_mix_another_file(grown));
      if (!is_other) home = grown.id;
    }
    BENCHHUD_TRY(put_together(home));
    return std::move(settlement_);
  }

 private:
  static bool is_mixed(bool has_timing, bool has_verdict) { return has_timing && has_verdict; }

  Expected<bool> is_of_this_path(InvocationId invocation) {
    Statement query = connection_.cached(sql::kIsInvocationOfPath);
    query.bind(1, invocation).bind(2, path_);
    const bool found = query.step();
    BENCHHUD_TRY(query.status());
    return found;
  }

  // Whether the file, taken as the growth of `grown`, would make an invocation of one kind hold
  // both.
  Expected<bool> would_mix_another_file(const InvocationGroup::Existing& grown) {
    if (!is_mixed(group_.has_timing, group_.has_verdict)) return false;
    if (grown.has_timing == grown.has_verdict) return false;
    BENCHHUD_ASSIGN(const bool is_same_file, is_of_this_path(grown.id));
    return !is_same_file;
  }

  // The file is a part of `whole`. Where that holds both kinds and the part is of one, it is parted
  // from it.
  Expected<void> part(const InvocationGroup::Existing& whole) {
    if (!is_mixed(whole.has_timing, whole.has_verdict)) return {};
    if (group_.has_timing == group_.has_verdict) return {};
    BENCHHUD_ASSIGN(const bool is_same_file, is_of_this_path(whole.id));
    if (is_same_file) return {};
    BENCHHUD_ASSIGN(const InvocationId parted, make_invocation(whole.id));
    for (const InvocationGroup::Known& line : group_.known) {
      Statement move = connection_.cached(sql::kMoveLine);
      BENCHHUD_TRY(move.bind(1, line.line).bind(2, parted).run());
    }
    for (const InvocationId invocation : {parted, whole.id}) {
      BENCHHUD_TRY(connection_.cached(sql::kRecountInvocationFlags).bind(1, invocation).run());
      settlement_.touched.push_back(invocation);
    }
    settlement_.changed = true;
    return {};
  }

  // A new invocation at the group's time, of the run that `like` was given by name, with its
  // labels.
  Expected<InvocationId> make_invocation(InvocationId like) {
    BENCHHUD_TRY(connection_.cached(sql::kCopyInvocation).bind(1, like).run());
    const auto made = InvocationId(connection_.last_insert_id());
    BENCHHUD_TRY(connection_.cached(sql::kCopyInvocationLabels).bind(1, like).bind(2, made).run());
    return made;
  }

  // Puts the file's new lines, and copies of the known ones that are not accounted for, into
  // `home`, or where there is none into an invocation of their own.
  Expected<void> put_together(std::optional<InvocationId> home) {
    if (!home) {
      home = group_.fresh;
    } else if (group_.fresh) {
      BENCHHUD_TRY(connection_.cached(sql::kMoveLines).bind(1, *group_.fresh).bind(2, *home).run());
      BENCHHUD_TRY(connection_.cached(sql::kDeleteInvocation).bind(1, *group_.fresh).run());
    }
    if (!home) {
      Statement insert = connection_.cached(sql::kInsertInvocation);
      insert.bind(1, group_.accelerator_model).bind(2, group_.timestamp).bind(3, group_.run_name);
      BENCHHUD_TRY(insert.run());
      home = InvocationId(connection_.last_insert_id());
    }
    for (const std::size_t place : rest_) {
      BENCHHUD_TRY(copy(group_.known[place], *home));
      ++settlement_.copied;
    }
    if (rest_.empty()) {
      Statement update = connection_.cached(sql::kAddInvocationFlags);
      update.bind(1, *home).bind(2, group_.fresh_has_timing).bind(3, group_.fresh_has_verdict);
      BENCHHUD_TRY(update.run());
    } else {
      BENCHHUD_TRY(connection_.cached(sql::kRecountInvocationFlags).bind(1, *home).run());
    }
    settlement_.home = home;
    settlement_.touched.push_back(*home);
    settlement_.changed = true;
    return {};
  }

  Expected<void> copy(const InvocationGroup::Known& line, InvocationId into) {
    const auto id = LineId(++*last_line_id_);
    Statement copy_line = connection_.cached(sql::kCopyLine);
    copy_line.bind(1, line.line).bind(2, id).bind(3, into).bind(4, file_);
    BENCHHUD_TRY(copy_line.bind(5, line.line_number).bind(6, line.byte_offset).run());
    return connection_.cached(sql::kCopyMeasurements).bind(1, line.line).bind(2, id).run();
  }

  Connection& connection_;
  InvocationGroup& group_;
  const std::string& path_;
  const FileId file_;
  std::int64_t* last_line_id_;
  std::vector<std::size_t> rest_;
  Settlement settlement_;
};

}  // namespace

Expected<InvocationGroup> open_group(Connection& connection, const std::string& accelerator_model,
                                     double timestamp, const std::string& path) {
  InvocationGroup group;
  group.accelerator_model = accelerator_model;
  group.timestamp = timestamp;
  Statement query = connection.cached(sql::kInvocationsAt);
  query.bind(1, accelerator_model).bind(2, timestamp).bind(3, path);
  while (group.existing.size() < kMostExisting && query.step()) {
    InvocationGroup::Existing existing;
    existing.id = InvocationId(query.integer(0));
    existing.has_timing = query.integer(1) != 0;
    existing.has_verdict = query.integer(2) != 0;
    existing.line_count = query.integer(3);
    group.existing.push_back(existing);
  }
  BENCHHUD_TRY(query.status());
  return group;
}

ContentHash line_identity(InvocationGroup* group, const ContentHash& bytes) {
  if (group->seen.size() >= kMostRemembered) {
    group->seen.clear();
    group->has_forgotten = true;
  }
  const std::int32_t before = group->seen[bytes]++;
  if (before == 0) return bytes;
  std::string text(bytes.view());
  text += std::to_string(before);
  return content_hash(text);
}

Expected<bool> find_known(Connection& connection, InvocationGroup* group, ExperimentId experiment,
                          const ContentHash& identity, std::int64_t line_number,
                          std::int64_t byte_offset) {
  InvocationGroup::Known known;
  for (std::size_t i = 0; i < group->existing.size(); ++i) {
    Statement query = connection.cached(sql::kFindLine);
    query.bind(1, group->existing[i].id).bind(2, experiment).bind_blob_view(3, identity.view());
    if (query.step()) {
      known.line = LineId(query.integer(0));
      known.in |= std::uint64_t{1} << i;
      ++group->existing[i].matched;
    }
    BENCHHUD_TRY(query.status());
  }
  if (known.in == 0) return false;
  known.line_number = line_number;
  known.byte_offset = byte_offset;
  group->known.push_back(known);
  return true;
}

Expected<Settlement> settle_group(Connection& connection, InvocationGroup* group,
                                  const std::string& path, FileId file,
                                  std::int64_t* last_line_id) {
  return Settling(connection, group, path, file, last_line_id).settle();
}

}  // namespace benchhud::schema
