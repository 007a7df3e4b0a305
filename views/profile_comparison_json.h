// The profiles of two results beside each other as JSON.
#pragma once

#include <cstddef>
#include <string_view>

#include "analysis/results/catalog.h"
#include "schema/base/json_writer.h"
#include "schema/model/types.h"
#include "service/answers/profile_comparison.h"
#include "service/answers/profiled_result.h"

namespace benchhud::views {

/// One of the two, and whose profile it is. Of a file, which is in no store, `run` and `entry` are
/// null, and so are the members that name them.
struct ComparedProfile {
  const schema::Run* run;
  const analysis::CatalogEntry* entry;
  const service::ProfiledResult& profiled;
  std::string_view file = {};  ///< what it is called
};

/// Members of an object: the dump that the profile is, and its numbers.
void write_profile_dump(schema::JsonWriter& json, const service::ProfiledResult& profiled);
void write_profile_missing(schema::JsonWriter& json, const service::ProfiledResult& profiled);
void write_profile_numbers(schema::JsonWriter& json, const service::ProfiledResult& profiled);

/// ProfileComparison of openapi.json, with the first `most_operators`.
void write_profile_comparison(schema::JsonWriter& json, const ComparedProfile& left,
                              const ComparedProfile& right,
                              const service::BackendComparison& comparison,
                              std::size_t most_operators);
/// Its parts and operators, all of them, as one list.
void write_compared_rows(schema::JsonWriter& json, const service::BackendComparison& comparison);

}  // namespace benchhud::views
