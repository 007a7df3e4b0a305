// Preloaded into the program: counts what it asks the system to write, and at one of them kills the process or says that it cannot be
// done. Also sets the wall clock. Environment:
//   FAULT_PATH    only files with this in their path
//   FAULT_AT      the call at which it happens, from 1; 0: never
//   FAULT_DO      kill (before the call), torn (after half of a write), ENOSPC, EDQUOT or EIO; READ: reads fail, writes do not;
//                 ENOMEM: SQLite gets no memory at every ninth request; ENOLCK: flock() fails (none of the three counts calls)
//   FAULT_ONCE    "1": only at that call; else at that and all after it
//   FAULT_SWITCH  only while this file is there
//   FAULT_COUNT   file that the number of calls is written to at the end
//   FAULT_LIMITS  "1": the process may not limit itself, as under a service manager that forbids it
//   FAULT_CLOCK   file that holds seconds to add to the wall clock, read at each look at it
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls;

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static long fault_at(void) {
  static long at = -1;
  if (at < 0) at = getenv("FAULT_AT") ? atol(getenv("FAULT_AT")) : 0;
  return at;
}

// Whether this fault, which is no matter of counting, happens now.
static int is_on(const char* fault) {
  static __thread int is_asking;
  const char *what = getenv("FAULT_DO"), *wanted = getenv("FAULT_SWITCH");
  if (is_asking || !what || strcmp(what, fault) != 0) return 0;
  is_asking = 1;
  const int on = wanted && access(wanted, F_OK) == 0;
  is_asking = 0;
  return on;
}

static int is_watched_path(const char* path) {
  const char* part = getenv("FAULT_PATH");
  return part && path && strstr(path, part) != NULL;
}

static int is_watched(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = 0;
  return is_watched_path(path);
}

enum { kGoOn, kTorn, kFail };

// What is to happen at this call. Sets errno.
static int next_call(int may_lack_space) {
  const long number = atomic_fetch_add(&calls, 1) + 1;
  const long at = fault_at();
  const char* what = getenv("FAULT_DO");
  const char* wanted = getenv("FAULT_SWITCH");
  if (!at || number < at || !what || (wanted && access(wanted, F_OK) != 0)) return kGoOn;
  if (number > at && getenv("FAULT_ONCE")) return kGoOn;
  if (!strcmp(what, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(what, "torn")) return number == at ? kTorn : kGoOn;
  if (!may_lack_space && strcmp(what, "EIO") != 0) return kGoOn;
  errno = !strcmp(what, "EDQUOT") ? EDQUOT : !strcmp(what, "EIO") ? EIO : ENOSPC;
  return kFail;
}

__attribute__((destructor)) static void tell_count(void) {
  const char* name = getenv("FAULT_COUNT");
  if (!name) return;
  FILE* file = fopen(name, "w");
  if (!file) return;
  fprintf(file, "%ld\n", atomic_load(&calls));
  fclose(file);
}

static void die(void) { kill(getpid(), SIGKILL); }

#define WRITES(name, parameters, arguments, half)   \
  ssize_t name parameters {                         \
    REAL(name);                                     \
    if (!is_watched(file)) return real arguments;   \
    const int what = next_call(1);                  \
    if (what == kFail) return -1;                   \
    if (what == kTorn) {                            \
      half;                                         \
      die();                                        \
    }                                               \
    return real arguments;                          \
  }

WRITES(write, (int file, const void* bytes, size_t size), (file, bytes, size), real(file, bytes, size / 2))
WRITES(pwrite, (int file, const void* bytes, size_t size, off_t at), (file, bytes, size, at), real(file, bytes, size / 2, at))
WRITES(pwrite64, (int file, const void* bytes, size_t size, off64_t at), (file, bytes, size, at), real(file, bytes, size / 2, at))
WRITES(writev, (int file, const struct iovec* parts, int count), (file, parts, count), real(file, parts, 1))

#define READS(name, offset)                                                 \
  ssize_t name(int file, void* bytes, size_t size, offset at) {             \
    REAL(name);                                                             \
    if (!is_on("READ") || !is_watched(file)) return real(file, bytes, size, at); \
    errno = EIO;                                                            \
    return -1;                                                              \
  }

READS(pread, off_t)
READS(pread64, off64_t)

int flock(int file, int operation) {
  REAL(flock);
  if (!is_on("ENOLCK") || !is_watched(file)) return real(file, operation);
  errno = ENOLCK;
  return -1;
}

// SQLite's own allocations: those that are asked for from its library.
extern void* __libc_malloc(size_t size);
void* malloc(size_t size) {
  static atomic_long requests;
  Dl_info caller;
  // Not at each one: what is done first would fail always, and what is done later never.
  if (is_on("ENOMEM") && dladdr(__builtin_return_address(0), &caller) && caller.dli_fname && strstr(caller.dli_fname, "libsqlite3") && atomic_fetch_add(&requests, 1) % 9 == 8) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(size);
}

#define CHANGES(name, parameters, arguments, watched, lacks) \
  int name parameters {                                      \
    REAL(name);                                              \
    if (!(watched)) return real arguments;                   \
    const int what = next_call(lacks);                       \
    if (what == kFail) return -1;                            \
    if (what == kTorn) die();                                \
    return real arguments;                                   \
  }

CHANGES(ftruncate, (int file, off_t size), (file, size), is_watched(file), 0)
CHANGES(ftruncate64, (int file, off64_t size), (file, size), is_watched(file), 0)
CHANGES(fsync, (int file), (file), is_watched(file), 1)
CHANGES(fdatasync, (int file), (file), is_watched(file), 1)
CHANGES(rename, (const char* from, const char* to), (from, to), is_watched_path(from) || is_watched_path(to), 1)
CHANGES(unlink, (const char* path), (path), is_watched_path(path), 0)
CHANGES(mkdir, (const char* path, mode_t mode), (path, mode), is_watched_path(path), 1)

// Only what makes a file can lack space.
#define OPENS(name, first, pass)                                        \
  int name(first const char* path, int flags, ...) {                    \
    REAL(name);                                                         \
    va_list rest;                                                       \
    va_start(rest, flags);                                              \
    const mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;   \
    va_end(rest);                                                       \
    if ((flags & O_CREAT) && is_watched_path(path) && access(path, F_OK) != 0) { \
      const int what = next_call(1);                                    \
      if (what == kFail) return -1;                                     \
      if (what == kTorn) die();                                         \
    }                                                                   \
    return real(pass path, flags, mode);                                \
  }
#define NOTHING
#define FOLDER int folder,
#define FOLDER_PASSED folder,
OPENS(open, NOTHING, NOTHING)
OPENS(open64, NOTHING, NOTHING)
OPENS(openat, FOLDER, FOLDER_PASSED)
OPENS(openat64, FOLDER, FOLDER_PASSED)

// ---------------------------------------------------------------------------------------------------------------- the wall clock

static long long seconds_added(void) {
  const char* name = getenv("FAULT_CLOCK");
  if (!name) return 0;
  REAL(open);
  const int file = real(name, O_RDONLY);
  if (file < 0) return 0;
  char text[32] = {0};
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  return size > 0 ? atoll(text) : 0;
}

int setrlimit(__rlimit_resource_t kind, const struct rlimit* limit) {
  REAL(setrlimit);
  if (!getenv("FAULT_LIMITS")) return real(kind, limit);
  errno = EPERM;
  return -1;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  REAL(clock_gettime);
  const int status = real(clock, time);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += seconds_added();
  return status;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval* time, void* zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}
