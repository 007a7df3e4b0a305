#include "schema/base/errors.h"

#include <array>
#include <cassert>

namespace benchhud::schema {
namespace {

constexpr std::array kErrors = {
    ErrorInfo{ErrorCode::kInvalidArgument, "invalid-argument", 400, "The request is not valid."},
    ErrorInfo{ErrorCode::kNotFound, "not-found", 404, "There is no such thing in the store."},
    ErrorInfo{ErrorCode::kAmbiguous, "ambiguous", 400, "The name fits more than one thing."},
    ErrorInfo{ErrorCode::kConflict, "conflict", 409, "The change contradicts what is there."},
    ErrorInfo{ErrorCode::kIo, "io", 500, "A file could not be read or written."},
    ErrorInfo{ErrorCode::kBusy, "busy", 503, "Another process is writing to the store."},
    ErrorInfo{ErrorCode::kFull, "full", 507, "There is no space left for the store."},
    ErrorInfo{ErrorCode::kReadOnly, "read-only", 500, "The store may not be written."},
    ErrorInfo{ErrorCode::kCorrupt, "corrupt", 500, "What is stored is damaged."},
    ErrorInfo{ErrorCode::kVersion, "version", 503, "The store is of another version."},
    ErrorInfo{ErrorCode::kTooLarge, "too-large", 413, "The request is too large."},
    ErrorInfo{ErrorCode::kMethodNotAllowed, "method-not-allowed", 405,
              "The address does not take this method."},
    ErrorInfo{ErrorCode::kUnauthorized, "unauthorized", 401, "This needs a token."},
    ErrorInfo{ErrorCode::kForbidden, "forbidden", 403, "This is not allowed from there."},
    ErrorInfo{ErrorCode::kMediaType, "media-type", 415, "The body is not of a form that is read."},
    ErrorInfo{ErrorCode::kUnsupported, "unsupported", 501, "This is not supported."},
    ErrorInfo{ErrorCode::kNoMemory, "out-of-memory", 503, "There is not enough memory."},
    ErrorInfo{ErrorCode::kUnavailable, "unavailable", 503,
              "A place that the store uses does not answer for now."},
    ErrorInfo{ErrorCode::kPlaceRefused, "place-refused", 502,
              "A place that the store uses refuses."},
    ErrorInfo{ErrorCode::kInternal, "internal", 500, "The program has a bug."},
};

}  // namespace

const ErrorInfo& error_info(ErrorCode code) {
  for (const auto& row : kErrors) {
    if (row.code == code) return row;
  }
  assert(false && "every error code has a row");
  return kErrors.back();
}

}  // namespace benchhud::schema
