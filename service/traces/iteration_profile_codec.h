// The bytes of an IterationProfile within a trace's digest.
#pragma once

#include <string>
#include <string_view>

#include "analysis/iterations/iteration_profile.h"
#include "schema/base/column_codec.h"

namespace benchhud::service {

/// A text's length and its bytes.
void put_text(schema::ColumnWriter& bytes, std::string_view text);
std::string get_text(schema::ColumnReader& bytes);

void put_iteration_profile(schema::ColumnWriter& bytes, const analysis::IterationProfile& profile);
/// What cannot be read fails `bytes`.
analysis::IterationProfile get_iteration_profile(schema::ColumnReader& bytes);

}  // namespace benchhud::service
