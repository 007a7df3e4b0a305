// libcurl, loaded when the first place in a bucket is opened. If the program were linked to it,
// each start would load it and the 25 libraries that it needs: 4 ms for everybody who has no bucket
// (docs/performance.md).
#pragma once

#include <curl/curl.h>

#include "schema/base/errors.h"

namespace benchhud::schema {

/// Those of its functions that are called, under their names without `curl_`.
struct CurlLibrary {
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_perform) easy_perform;
  decltype(&::curl_easy_reset) easy_reset;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_free) free;
  decltype(&::curl_getdate) getdate;
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
  decltype(&::curl_url) url;
  decltype(&::curl_url_cleanup) url_cleanup;
  decltype(&::curl_url_get) url_get;
  decltype(&::curl_url_set) url_set;
  decltype(&::curl_version_info) version_info;
};

/// The library, which is loaded by the first call and stays. Error: kPlaceRefused, it is not
/// installed or cannot be used; the message says what to install.
Expected<const CurlLibrary*> curl_library();

}  // namespace benchhud::schema
