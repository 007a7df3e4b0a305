// The pages, as they were built into the program.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "server/http/message.h"

namespace benchhud::server {

/// Names relative to the site's root (`index.html`, `assets/app-33a6551537.js`) and bytes.
class StaticFiles {
 public:
  using File = std::pair<std::string_view, std::string_view>;

  explicit StaticFiles(std::span<const File> files);

  /// Answers an address outside the API. What names no file is a page's own address (the pages
  /// route by themselves) and gets index.html, unless it ends as a file's name does: then it is not
  /// found.
  Response answer(const Request& request, std::string_view path) const;

 private:
  struct Prepared {
    std::shared_ptr<const std::string> bytes;
    std::shared_ptr<const std::string> gzipped;  ///< null where it gains nothing
    std::string content_type;
    std::string etag;
    bool immutable = false;
  };
  static Response respond(const Request& request, const Prepared& file);

  std::map<std::string, Prepared, std::less<>> files_;
};

/// The content type of a file by its name's ending.
std::string_view content_type_of(std::string_view name);

/// Whether a name holds a hash of its content (`app-33a6551537.js`): such a file never changes.
bool is_hashed_name(std::string_view name);

/// The pages that this program was built with; empty where it was built without.
std::span<const StaticFiles::File> built_in_pages();

}  // namespace benchhud::server
