// Which dump a file is, by its content, where its name does not say so.
#pragma once

#include <optional>
#include <string_view>

#include "schema/model/artifact.h"

namespace benchhud::ingest {

/// The dump that a text or a profile is, by its content. Nothing if it is none that is known. The
/// more of it is there the surer; a mebibyte is plenty.
std::optional<schema::ArtifactKind> dump_kind_of(std::string_view beginning);

}  // namespace benchhud::ingest
