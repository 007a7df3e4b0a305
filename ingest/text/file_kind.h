// What form a file has, by its name and by what it begins with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace benchhud::ingest {

/// A file's name without what says how it is compressed: ".gz", ".zst".
std::string_view uncompressed_name(std::string_view path);

/// The pack of a trace by its name: that of the trace with this behind it.
inline constexpr std::string_view kPackEnding = ".pack";

/// A trace's name without what says how it is compressed or that it is a pack: "x.json" of
/// "x.json.gz", "x.json.pack", "x.json.zst.pack" and "x.json.pack.gz".
std::string_view trace_name_of(std::string_view path);

/// Whether a file is an XPlane profile by its name.
bool is_xplane_name(std::string_view path);

/// What a container is that is not read, and what to do: "a zip archive: unpack it first". Also of
/// text in UTF-16 and of Perfetto's traces. Of a pack, which is read as a trace and as
/// nothing else, how to. Nothing for any other beginning. A few hundred bytes are enough.
std::optional<std::string> unread_container(std::string_view beginning);

/// Whether a file of XSpace begins so: with an XPlane, which is an id, if any, and a name.
bool is_xplane(std::string_view beginning);

}  // namespace benchhud::ingest
