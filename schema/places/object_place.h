// Where immutable objects are kept outside the store: a folder, or a bucket that speaks the S3
// protocol. An object is a file under a key that follows from its content, so putting it twice does
// no harm and nobody has to ask first whether it is there.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schema/base/errors.h"

namespace benchhud::schema {

/// The most that one object may have. It is what S3 takes in a single request.
inline constexpr std::int64_t kMostObjectBytes = std::int64_t{5} << 30;

/// What find() and list() say of an object.
struct PlacedObject {
  std::string key;
  std::int64_t byte_count = 0;
  double modified = 0;  ///< When it was put last: seconds since 1970, by the clock of the place.
};

/// A place. Several threads may use one at the same time.
///
/// A place knows nothing of the store whose rows name its objects but its mark, and what is decided
/// of both is decided under a lock of the store that lets in one at a time:
/// - Who adds a row for an object puts the object first. Under the lock it looks whether the key
///   was given up meanwhile; if so it begins again, with another key.
/// - Who removes objects that no row names takes the lock, looks for the row once more, notes that
///   the key is given up, and lets the lock go. Only then it removes the object.
/// A key that was given up is not used again for a month, which no removal takes. So nobody waits
/// for the place with the lock held, and no object goes that a row names, however late a removal
/// gets there.
///
/// Errors, where a function names no others: kUnavailable, the place could not be reached or failed
/// for the moment, and trying again later is right (a bucket has been tried several times by then);
/// kPlaceRefused, somebody has to change the setup first (credentials, rights, region, clock, a
/// bucket or folder that is not there); kFull, kReadOnly and kIo, of the folder or of the local
/// file; kInvalidArgument, of a key that check_key() does not take. A message says what to do, and
/// holds no secret.
class ObjectPlace {
 public:
  virtual ~ObjectPlace() = default;

  /// The address that open_place() opens this place by, also from another working directory.
  virtual const std::string& address() const = 0;

  /// Keeps the bytes of `file` as the object `key`, in place of what was there, and with the
  /// present time also where the bytes are the same. Once it returns, the object outlives a crash
  /// of the place; before, no reader sees a part of it. Errors also: kTooLarge, above
  /// kMostObjectBytes.
  virtual Expected<void> put(std::string_view key, const std::filesystem::path& file) = 0;

  /// Writes the object into `file`, which is made or replaced, and removed where this fails. The
  /// bytes are those that the place holds now: whoever needs the right ones compares their hash
  /// (object_cache.h does). Errors also: kNotFound, there is no such object; kCorrupt, it has more
  /// than `most_bytes`.
  virtual Expected<void> fetch(std::string_view key, const std::filesystem::path& file,
                               std::int64_t most_bytes) = 0;

  /// An object; nothing where there is no such object.
  virtual Expected<std::optional<PlacedObject>> find(std::string_view key) = 0;

  /// Removes an object; does nothing where there is none.
  virtual Expected<void> remove(std::string_view key) = 0;

  /// Calls `visit` for each object whose key begins with `prefix` ("" for all), in no particular
  /// order, until it returns an error, which this then returns. Objects that are put or removed
  /// meanwhile may be visited or not. Files that are no objects of ours are not visited.
  virtual Expected<void> list(std::string_view prefix,
                              const std::function<Expected<void>(const PlacedObject&)>& visit) = 0;
};

/// How a place is used.
struct PlaceOptions {
  /// The id that mark_place() has left there: a place without it is refused. A folder is asked for
  /// it each time; a bucket before the first object is put, removed or listed, and where one is not
  /// there. "": whoever's it is.
  std::string id;
  /// Whether a folder has to have a mark. False to look into one that is going to be marked.
  bool needs_mark = true;
  /// Until a connection is made.
  std::chrono::milliseconds connect_limit{10'000};
  /// How long less than 1,000 bytes may come or go per second before a transfer is given up.
  std::chrono::seconds stall_limit{30};
  /// For a whole answer that is no object: a list, or an error.
  std::chrono::seconds answer_limit{60};
  /// For the place to store an object of which it has all bytes, and to say so.
  std::chrono::seconds store_limit{300};
  /// How often a request is sent in all, where the place fails for the moment.
  int most_tries = 5;
  /// Before the second try; twice as long before each further one, up to 10 s.
  std::chrono::milliseconds first_pause{250};
  /// Asked about once a second or oftener: true ends what is under way with kUnavailable.
  std::function<bool()> gives_up{};
};

/// Opens the place at `address`: the path of a folder that is there, or
/// `s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME&path_style=true|false]` (s3_place.h). Nothing is
/// sent yet. Errors: kInvalidArgument, an address that makes no sense; kPlaceRefused, a folder that
/// is not there, is not marked or is another place than `options.id`.
Expected<std::unique_ptr<ObjectPlace>> open_place(std::string_view address,
                                                  const PlaceOptions& options = {});

/// Marks the place at `address` as that of the store with this id, 32 hexadecimal digits: a folder
/// by the file `.benchhud-place` with the id, a bucket by the empty object `.benchhud-place/ID`. Of
/// two stores that mark a place at the same time at most one succeeds. To be done when a place is
/// set and never again: by its mark a disk that is not mounted is told from one that is. Errors:
/// kConflict, it is another store's; those of open_place() and put().
Expected<void> mark_place(std::string_view address, const std::string& id);

inline constexpr std::size_t kPlaceIdDigits = 32;
bool is_place_id(std::string_view text);

/// What is said of a place that is another store's: `mark` is the file or object that says so.
Error is_of_another_store(std::string_view address, std::string_view mark);

/// Whether `key` may name an object: 1 to 512 bytes, parts of ASCII letters, digits, `-`, `_` and
/// `.` with `/` between them; no part is empty or begins with a dot. So a key is a path within any
/// folder and is never outside of it. Error: kInvalidArgument.
Expected<void> check_key(std::string_view key);

/// What put() says of a file that is larger than an object may be.
Error too_large(const std::filesystem::path& file, std::int64_t byte_count);

}  // namespace benchhud::schema
