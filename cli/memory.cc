#include "memory.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace benchhud::cli {

void keep_memory() {
#ifdef __GLIBC__
  // The largest that glibc takes. What is larger still comes from the system and goes back to it.
  constexpr int kMapped = 32 << 20;
  constexpr int kKept = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kMapped);
  mallopt(M_TRIM_THRESHOLD, kKept);
#endif
}

}  // namespace benchhud::cli
