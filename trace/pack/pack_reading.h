// Packs of a place as files of this machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/places/object_cache.h"
#include "trace/pack/moved_trace.h"

namespace benchhud::trace {

/// What is said of a pack that is not as it should be. kCorrupt.
schema::Error damaged_place(std::string_view key, std::string_view what);

/// Where the object of a folder lies; none where the place is no folder.
std::optional<std::filesystem::path> file_in_place(const std::string& address,
                                                   std::string_view key);

/// Whether a file is the pack that the store put there: its size and the hash of its bytes. Errors:
/// kCorrupt; kIo.
schema::Expected<void> check_pack_bytes(const std::filesystem::path& file, const PlacedPack& pack);

/// The same of a file in a place, whose bytes are read where the process has not yet done so since
/// the file was changed. Of one that was changed less than two seconds before it was read that is
/// not known: the clock of the file system may not tell two changes apart.
schema::Expected<void> check_placed_file(const std::filesystem::path& file, const PlacedPack& pack);

/// How long somebody waits for a pack that has to be fetched.
enum class PackWait : std::uint8_t {
  kUntilFetched,  ///< until it is there, or the place is given up
  kShort,         ///< some seconds (schema/places/background_fetches.h); it is fetched all the same
};

/// A pack as a file of this machine, which is there as long as this lives.
struct PackFile {
  std::filesystem::path path;
  std::shared_ptr<const schema::CachedObject> kept;  // null: it is where the place has it
};

/// A pack of a place: of a folder where it lies, checked by check_placed_file(); else in the cache
/// of the process (schema/places/object_cache.h), which checks it as well. Errors: kCorrupt, in
/// words that name it; kUnavailable also where it takes longer than `wait`; the place's.
schema::Expected<PackFile> placed_pack_file(const TracePlace& place, const PlacedPack& pack,
                                            PackWait wait);

/// The same, opened. Its file need not be there any longer then. Errors: also kVersion.
schema::Expected<schema::Connection> open_placed_pack(const TracePlace& place,
                                                      const PlacedPack& pack, PackWait wait);

/// For the end of a server: whatever of this process waits for a place of traces gives up within
/// about a second, and what is fetched behind requests has ended when this returns. Nothing is
/// asked of a place after that.
void end_waiting_for_places();

/// That reading a pack of this place failed: where it was a copy, that one is read whole when it is
/// opened next, and fetched again if its bytes have changed.
void doubt_placed_pack(const TracePlace& place, const PlacedPack& pack);

}  // namespace benchhud::trace
