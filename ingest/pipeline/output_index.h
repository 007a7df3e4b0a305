// Which results of an output directory a dump belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/base/errors.h"
#include "schema/model/artifact.h"
#include "schema/model/types.h"

namespace benchhud::ingest {

/// The results that stand in the results files of one directory, by what their dumps are called.
class OutputIndex {
 public:
  /// Reads every results file directly in `directory`. Lines that cannot be read are passed over
  /// (taking the file in reports them); `timestamp` as in IngestOptions, `shift_weeks` what times
  /// are shifted by (time_shift.h). A directory without such files gives an empty index. Errors:
  /// kIo.
  static schema::Expected<OutputIndex> read(const std::string& directory,
                                            std::optional<double> timestamp,
                                            std::int64_t shift_weeks);

  /// The results that a dump of that base (dump_name.h) belongs to: of the newest invocation, for a
  /// runner writes over the dumps of the one before; of one that timed them, if any did. More than
  /// one where experiments differ in what the name does not tell.
  const std::vector<schema::ResultKey>& find(std::string_view base);
  /// The one result of a model that XLA compiled, of whose name nothing but the model is known;
  /// none where there are several.
  std::vector<schema::ResultKey> find_compiled_by_xla(std::string_view model) const;

 private:
  // An experiment and its newest line, of the timed ones if any is.
  struct Entry {
    schema::Experiment experiment;
    schema::ResultKey key;
    bool timed = false;
  };
  std::vector<schema::ResultKey> results_of(std::string_view normalized) const;

  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_model_;     // as it stands in a base
  std::unordered_map<std::string, std::vector<schema::ResultKey>> found_;  // by normalized base
};

}  // namespace benchhud::ingest
