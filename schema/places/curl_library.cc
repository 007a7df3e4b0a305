#include "schema/places/curl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

namespace benchhud::schema {
namespace {

// The version of its interface that curl/curl.h describes.
constexpr const char* kLibraryFile = "libcurl.so.4";

Error cannot_load(std::string_view reason) {
  return {ErrorCode::kPlaceRefused,
          fmt::format("a place in a bucket needs libcurl, which cannot be loaded ({}): install the "
                      "package libcurl4",
                      reason)};
}

template <class Function>
bool find_function(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

Expected<CurlLibrary> load_functions() {
  void* const library = dlopen(kLibraryFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return cannot_load(dlerror());
  CurlLibrary curl{};
  const bool has_all = find_function(library, "curl_easy_cleanup", &curl.easy_cleanup) &&
                       find_function(library, "curl_easy_getinfo", &curl.easy_getinfo) &&
                       find_function(library, "curl_easy_init", &curl.easy_init) &&
                       find_function(library, "curl_easy_perform", &curl.easy_perform) &&
                       find_function(library, "curl_easy_reset", &curl.easy_reset) &&
                       find_function(library, "curl_easy_setopt", &curl.easy_setopt) &&
                       find_function(library, "curl_easy_strerror", &curl.easy_strerror) &&
                       find_function(library, "curl_free", &curl.free) &&
                       find_function(library, "curl_getdate", &curl.getdate) &&
                       find_function(library, "curl_global_init", &curl.global_init) &&
                       find_function(library, "curl_slist_append", &curl.slist_append) &&
                       find_function(library, "curl_slist_free_all", &curl.slist_free_all) &&
                       find_function(library, "curl_url", &curl.url) &&
                       find_function(library, "curl_url_cleanup", &curl.url_cleanup) &&
                       find_function(library, "curl_url_get", &curl.url_get) &&
                       find_function(library, "curl_url_set", &curl.url_set) &&
                       find_function(library, "curl_version_info", &curl.version_info);
  if (!has_all) return cannot_load(dlerror());
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return cannot_load("it has no memory");
  return curl;
}

}  // namespace

Expected<const CurlLibrary*> curl_library() {
  static const Expected<CurlLibrary> loaded = load_functions();
  if (!loaded) return loaded.error();
  return &*loaded;
}

}  // namespace benchhud::schema
