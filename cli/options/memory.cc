#include "cli/options/memory.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#include <pthread.h>
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

void limit_addresses() {
#ifdef __GLIBC__
  constexpr int kArenas = 4;
  constexpr int kMapped = 1 << 20;
  constexpr std::size_t kStack = std::size_t{2} << 20;
  mallopt(M_ARENA_MAX, kArenas);
  // Given, the size from which memory is mapped by itself, and so given back, does not grow.
  mallopt(M_MMAP_THRESHOLD, kMapped);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, kStack) == 0) {
    pthread_setattr_default_np(&attributes);
  }
  pthread_attr_destroy(&attributes);
#endif
}

}  // namespace benchhud::cli
