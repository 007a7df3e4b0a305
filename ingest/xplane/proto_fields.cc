#include "ingest/xplane/proto_fields.h"

#include <fmt/format.h>

namespace benchhud::ingest {

std::string FieldReader::fault() const {
  if (fault_ != nullptr) return fault_;
  if (!is_too_long_) return "";
  return fmt::format("a length of {} bytes, of which {} are there", number_,
                     static_cast<std::size_t>(end_ - at_));
}

}  // namespace benchhud::ingest
