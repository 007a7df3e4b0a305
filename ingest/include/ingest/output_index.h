// Which results of an output directory a dump belongs to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/artifact.h"
#include "schema/errors.h"

namespace benchhud::ingest {

/// The results that stand in the results files of one directory, by what their dumps are called.
class OutputIndex {
 public:
  /// Reads every results file directly in `directory`. Lines that cannot be read are passed over
  /// (taking the file in reports them); `timestamp` as in IngestOptions. A directory without such
  /// files gives an empty index. Errors: kIo.
  static schema::Expected<OutputIndex> read(const std::string& directory,
                                            std::optional<double> timestamp);

  /// The results that a dump of that base (dump_name.h) belongs to: of the newest invocation, for a
  /// runner writes over the dumps of the one before; of one that timed them, if any did. More than
  /// one where experiments differ in what the name does not tell.
  std::vector<schema::ResultKey> find(std::string_view base) const;

 private:
  struct Entry {
    schema::ResultKey key;
    bool timed = false;
  };
  struct Named {
    std::size_t entry = 0;  // in entries_
    int missing = 0;        // keys that the name leaves out
  };
  std::vector<Entry> entries_;  // an experiment each: its newest line, of the timed ones if any is
  std::unordered_map<std::string, std::vector<Named>> by_base_;  // normalized
};

}  // namespace benchhud::ingest
