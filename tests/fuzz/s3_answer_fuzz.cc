// What an object store or a service for credentials answers, and addresses of buckets: never
// crashes, and keeps what it promises.
#include <cstdint>
#include <string>
#include <string_view>

#include "schema/base/check.h"
#include "schema/places/aws_credentials.h"
#include "schema/places/s3_address.h"
#include "schema/places/s3_answers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto error = benchhud::schema::read_s3_error(text);
  BENCHHUD_CHECK(error.code.size() < 100 && error.code.find('\n') == std::string::npos);
  if (const auto list = benchhud::schema::read_s3_list(text)) {
    for (const auto& object : list->objects)
      BENCHHUD_CHECK(!object.key.empty() && object.byte_count >= 0);
  }
  (void)benchhud::schema::read_service_keys(std::string(text));
  if (const auto address = benchhud::schema::parse_s3_address(text)) {
    const auto again = benchhud::schema::parse_s3_address(address->text());
    BENCHHUD_CHECK(again && again->text() == address->text() &&
                   again->base_url() == address->base_url());
  }
  return 0;
}
