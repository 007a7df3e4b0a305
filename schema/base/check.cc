#include "schema/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace benchhud::schema {

void fail_check(const char* condition, const char* function) noexcept {
  std::fprintf(stderr, "benchhud: a bug: in %s() this does not hold: %s\n", function, condition);
  std::abort();
}

}  // namespace benchhud::schema
