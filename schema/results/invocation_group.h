// Where the lines of a file belong: an invocation is the lines of one file with one timestamp on
// one accelerator model, but files are copied, grow, overlap and are strung together.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

/// The file's lines with one timestamp on one accelerator model, beside the invocations of that
/// timestamp that were in the store before the file.
struct InvocationGroup {
  struct Existing {
    InvocationId id{};
    bool has_timing = false;
    bool has_verdict = false;
    std::int64_t line_count = 0;
    std::int64_t matched = 0;  ///< of its lines: that the file holds, too
  };
  /// A line of the file that is in the store already.
  struct Known {
    LineId line{};
    std::uint64_t in = 0;  ///< bit i: it is in existing[i]
    std::int64_t line_number = 0;
    std::int64_t byte_offset = 0;
  };

  std::string accelerator_model;
  double timestamp = 0;
  std::optional<std::string> run_name;        ///< given for what is new
  std::map<std::string, std::string> labels;  ///< that the lines themselves give
  std::vector<Existing> existing;
  std::vector<Known> known;
  std::optional<InvocationId> fresh;  ///< the invocation that the file's new lines went into
  bool fresh_has_timing = false;
  bool fresh_has_verdict = false;
  bool has_timing = false;  ///< of all the file's lines in the group
  bool has_verdict = false;
  /// How often each line was seen in the file, by its bytes; forgotten when that gets too large.
  std::unordered_map<ContentHash, std::int32_t, ContentHashHasher> seen;
  bool has_forgotten = false;
  bool is_pruned = false;   ///< its lines are not taken in again
  bool is_settled = false;  ///< and nothing new has come since
};

/// The group as it is before the file's first line in it. Where very many invocations have that
/// timestamp, those of `path` come first.
Expected<InvocationGroup> open_group(Connection& connection, const std::string& accelerator_model,
                                     double timestamp, const std::string& path);

/// What tells a line from every other of its invocation: its bytes and, where the file holds the
/// same bytes several times, how many times before.
ContentHash line_identity(InvocationGroup* group, const ContentHash& bytes);

/// Looks for a line in the invocations that were there before, and notes where it is. Returns
/// whether it is there.
Expected<bool> find_known(Connection& connection, InvocationGroup* group, ExperimentId experiment,
                          const ContentHash& identity, std::int64_t line_number,
                          std::int64_t byte_offset);

/// What settle_group() did.
struct Settlement {
  bool changed = false;
  std::optional<InvocationId> home;   ///< that got the new lines, if there were any
  std::vector<InvocationId> touched;  ///< that gained or lost lines
  std::int64_t copied = 0;            ///< of the known lines, into `home`
};

/// Decides which invocation the file's lines in the group belong to, and moves them there. Call
/// once, after all lines were written; where nothing of the group was there before the file
/// (`existing` is empty), it may be called again when more lines have come. `path` is the file's;
/// `file` the id under which it is taken in; `last_line_id` the highest id of a line, counted up
/// for copies.
///
/// In the order in which it is tried (F: the file's lines, S: those of an invocation that was
/// there):
/// - F is S, or the union of several, or a part of one: there is nothing new.
/// - F contains one S: the file has grown, and its new lines are of that invocation.
/// - F contains several: it strings them together; what else it holds is an invocation of its own.
/// - F and S overlap only: a line such as SKIP reads the same in two invocations and is a fact of
/// both, so F is an
///   invocation of its own, with a copy of the lines that S has, too.
/// A timing invocation and a verification strung together in one file hold both and are read line
/// by line, yet where one of the two also comes in a file of its own they are known apart. So a
/// part of an invocation that holds both is parted from it, and growth that would make one hold
/// both becomes an invocation of its own, unless it is the same file (by path) that has grown. With
/// this the order of files does not matter.
Expected<Settlement> settle_group(Connection& connection, InvocationGroup* group,
                                  const std::string& path, FileId file, std::int64_t* last_line_id);

}  // namespace benchhud::schema
