// What a file is, by what it begins with, where it is not what was expected.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schema/artifact.h"

namespace benchhud::ingest {

/// A file's name without what says how it is compressed: ".gz", ".zst".
std::string_view uncompressed_name(std::string_view path);

/// What a container is that is not read, and what to do: "a zip archive: unpack it first". Also of
/// text in UTF-16 and of Perfetto's traces. Nothing for any other beginning. A few hundred bytes
/// are enough.
std::optional<std::string> unread_container(std::string_view beginning);

/// The dump that a text or a profile is, by its content. Nothing if it is none that is known. The
/// more of it is there the surer; a mebibyte is plenty.
std::optional<schema::ArtifactKind> dump_kind_of(std::string_view beginning);

}  // namespace benchhud::ingest
