// The cache of objects on this machine.

#include "schema/places/object_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::HasSubstr;

/// Objects in memory, which come slowly, wrong or not at all where a test asks for it.
class MemoryPlace : public ObjectPlace {
 public:
  const std::string& address() const override { return address_; }
  Expected<void> put(std::string_view, const fs::path&) override { return {}; }
  Expected<void> remove(std::string_view) override { return {}; }
  Expected<std::optional<PlacedObject>> find(std::string_view) override {
    return std::optional<PlacedObject>();
  }
  Expected<void> list(std::string_view,
                      const std::function<Expected<void>(const PlacedObject&)>&) override {
    return {};
  }
  Expected<void> fetch(std::string_view key, const fs::path& file,
                       std::int64_t most_bytes) override {
    ++fetches;
    std::ofstream begun(file, std::ios::binary);
    begun << "half" << std::flush;
    std::this_thread::sleep_for(duration);
    if (fails) {
      fs::remove(file);
      return Error{ErrorCode::kUnavailable, "the place does not answer"};
    }
    std::ofstream(file, std::ios::binary)
        << objects.at(std::string(key)).substr(0, static_cast<std::size_t>(most_bytes));
    return {};
  }

  ObjectName add(const std::string& key, const std::string& bytes) {
    objects[key] = bytes;
    return {key, content_hash(bytes), static_cast<std::int64_t>(bytes.size())};
  }

  std::map<std::string, std::string> objects;
  std::atomic<int> fetches = 0;
  std::atomic<bool> fails = false;
  milliseconds duration{0};

 private:
  std::string address_ = "memory";
};

class ObjectCacheTest : public testing::Test {
 protected:
  ObjectCacheTest() {
    std::string pattern = (fs::temp_directory_path() / "object-cache-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ObjectCacheTest() override { fs::remove_all(folder_); }

  CacheOptions options(std::int64_t most_bytes = 1'000'000) const {
    return {folder_ / "cache", most_bytes, 0, milliseconds(20'000), {}};
  }

  static std::string content(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  std::int64_t bytes_kept() const {
    std::int64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "cache")) {
      bytes += static_cast<std::int64_t>(entry.file_size());
    }
    return bytes;
  }

  fs::path path_of(const ObjectName& object, const char* end = ".object") const {
    return folder_ / "cache" / (object.hash.hex() + end);
  }

  fs::path folder_;
  MemoryPlace place_;
};

TEST_F(ObjectCacheTest, FetchesAnObjectOnce) {
  const ObjectName object = place_.add("a", "the bytes");
  ObjectCache cache(options());
  for (int i = 0; i < 3; ++i) {
    const auto got = cache.get(place_, object);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(content(got->path()), "the bytes");
  }
  ObjectCache next_process(options());
  EXPECT_TRUE(next_process.get(place_, object));
  EXPECT_EQ(place_.fetches, 1);
  EXPECT_EQ(bytes_kept(), 9) << "no lock and nothing half is left";
}

TEST_F(ObjectCacheTest, ThreadsThatAskAtOnceFetchOnce) {
  const ObjectName object = place_.add("a", std::string(100'000, 'x'));
  place_.duration = milliseconds(100);
  ObjectCache cache(options());
  constexpr int kThreads = 16;
  std::barrier all(kThreads);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      all.arrive_and_wait();
      const auto got = cache.get(place_, object);
      right += got && content(got->path()) == place_.objects["a"] ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kThreads);
  EXPECT_EQ(place_.fetches, 1);
}

TEST_F(ObjectCacheTest, ProcessesThatAskAtOnceFetchOnce) {
  const ObjectName object = place_.add("a", std::string(100'000, 'x'));
  place_.duration = milliseconds(200);
  std::vector<pid_t> processes;
  for (int i = 0; i < 6; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      ObjectCache cache(options());
      const auto got = cache.get(place_, object);
      const bool is_right = got && content(got->path()) == place_.objects["a"];
      _exit(is_right ? place_.fetches.load() : 100);
    }
    processes.push_back(pid);
  }
  int fetches = 0;
  for (const pid_t pid : processes) {
    int status = 0;
    waitpid(pid, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    fetches += WEXITSTATUS(status);
  }
  EXPECT_EQ(fetches, 1);
}

TEST_F(ObjectCacheTest, ThreadsThatWaitGetTheErrorAndTheNextTriesAgain) {
  const ObjectName object = place_.add("a", "bytes");
  place_.duration = milliseconds(200);
  place_.fails = true;
  ObjectCache cache(options());
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  std::barrier all(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      all.arrive_and_wait();
      const auto got = cache.get(place_, object);
      failed += !got && got.error().code == ErrorCode::kUnavailable ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 8);
  EXPECT_EQ(place_.fetches, 1) << "a place that fails is not asked by each of them";
  place_.fails = false;
  EXPECT_TRUE(cache.get(place_, object));
}

TEST_F(ObjectCacheTest, NeverServesOtherBytesThanWereAskedFor) {
  ObjectCache cache(options());
  const std::string right(1000, 'x');
  for (int i = 0; i < 100; ++i) {
    const ObjectName object = place_.add("key", std::to_string(i) + right);
    std::string& held = place_.objects["key"];
    if (i % 3 == 0) held[static_cast<std::size_t>(i) * 9] ^= 1;
    if (i % 3 == 1) held.pop_back();
    if (i % 3 == 2) held = "<html>Please sign in</html>";
    const auto got = cache.get(place_, object);
    ASSERT_FALSE(got) << i;
    EXPECT_EQ(got.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(got.error().message, HasSubstr("key in memory is damaged"));
  }
  EXPECT_EQ(bytes_kept(), 0);
}

/// Cuts the first answer.
class CuttingPlace : public MemoryPlace {
 public:
  Expected<void> fetch(std::string_view key, const fs::path& file, std::int64_t most) override {
    return MemoryPlace::fetch(key, file, fetches == 0 ? most / 2 : most);
  }
};

TEST_F(ObjectCacheTest, FetchesOnceMoreWhatCameCut) {
  CuttingPlace place;
  const ObjectName object = place.add("a", "the bytes");
  ObjectCache cache(options());
  const auto got = cache.get(place, object);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(content(got->path()), "the bytes");
  EXPECT_EQ(place.fetches, 2);
  place.objects["a"] = "the bite!";
  fs::remove(path_of(object));
  EXPECT_FALSE(cache.get(place, object));
  EXPECT_EQ(place.fetches, 4);
}

TEST_F(ObjectCacheTest, FetchesAgainWhatIsDamagedInTheCache) {
  const ObjectName object = place_.add("a", "the bytes");
  ASSERT_TRUE(ObjectCache(options()).get(place_, object));
  std::ofstream(path_of(object), std::ios::binary) << "the bite!";
  ObjectCache cache(options());
  const auto got = cache.get(place_, object);
  ASSERT_TRUE(got);
  EXPECT_EQ(content(got->path()), "the bytes");
  fs::resize_file(path_of(object), 3);
  const auto again = cache.get(place_, object);
  ASSERT_TRUE(again);
  EXPECT_EQ(content(again->path()), "the bytes");
  EXPECT_EQ(place_.fetches, 3);
}

TEST_F(ObjectCacheTest, NoticesThatAFileWasChangedAfterItWasChecked) {
  const ObjectName object = place_.add("a", "the bytes");
  ObjectCache cache(options());
  ASSERT_TRUE(cache.get(place_, object));
  std::this_thread::sleep_for(milliseconds(20));
  const auto written = fs::last_write_time(path_of(object));
  ASSERT_TRUE(cache.get(place_, object));
  EXPECT_EQ(fs::last_write_time(path_of(object)), written) << "reading is no change";
  EXPECT_EQ(place_.fetches, 1);
  std::ofstream(path_of(object), std::ios::binary) << "the bite!";
  auto got = cache.get(place_, object);
  ASSERT_TRUE(got);
  EXPECT_EQ(content(got->path()), "the bytes");
  EXPECT_EQ(place_.fetches, 2);
}

TEST_F(ObjectCacheTest, ReadsAgainWhatIsDoubted) {
  const ObjectName object = place_.add("a", "the bytes");
  ObjectCache cache(options());
  ASSERT_TRUE(cache.get(place_, object));
  cache.doubt(object.hash);
  EXPECT_TRUE(fs::exists(path_of(object))) << "it may be right, and be read by others";
  ASSERT_TRUE(cache.get(place_, object));
  EXPECT_EQ(place_.fetches, 1);
  // A disk that forgets changes no time.
  const auto written = fs::last_write_time(path_of(object));
  std::ofstream(path_of(object), std::ios::binary) << "the bite!";
  fs::last_write_time(path_of(object), written);
  cache.doubt(object.hash);
  const auto got = cache.get(place_, object);
  ASSERT_TRUE(got);
  EXPECT_EQ(content(got->path()), "the bytes");
  EXPECT_EQ(place_.fetches, 2);
}

/// Gives an object at once, so that others still read the damaged one when it is there.
class LinkingPlace : public MemoryPlace {
 public:
  explicit LinkingPlace(fs::path file) : file_(std::move(file)) {}
  Expected<void> fetch(std::string_view, const fs::path& file, std::int64_t) override {
    ++fetches;
    fs::remove(file);
    fs::create_hard_link(file_, file);
    return {};
  }

 private:
  fs::path file_;
};

TEST_F(ObjectCacheTest, NobodyRemovesWhatAnotherHasFetchedInPlaceOfADamagedFile) {
  std::string bytes(16'000'000, 'x');
  const ObjectName object = place_.add("a", bytes);
  LinkingPlace place(folder_ / "right");
  std::ofstream(folder_ / "right", std::ios::binary) << bytes;
  bytes.back() = 'y';
  const CacheOptions large = options(40'000'000);
  ASSERT_TRUE(ObjectCache(large).get(place, object));
  for (int round = 0; round < 30; ++round) {
    fs::remove(path_of(object));
    std::ofstream(path_of(object), std::ios::binary) << bytes;
    place.fetches = 0;
    constexpr int kProcesses = 8;
    std::barrier all(kProcesses);
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kProcesses; ++i) {
      threads.emplace_back([&, i] {
        ObjectCache cache(large);  // as in a process of its own
        all.arrive_and_wait();
        std::this_thread::sleep_for(milliseconds(i));
        right += cache.get(place, object) ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, kProcesses);
    EXPECT_EQ(place.fetches, 1) << "round " << round;
  }
}

TEST_F(ObjectCacheTest, RemovesWhatWasNotReadLongest) {
  const ObjectName a = place_.add("a", std::string(400, 'a'));
  const ObjectName b = place_.add("b", std::string(400, 'b'));
  const ObjectName c = place_.add("c", std::string(400, 'c'));
  ObjectCache cache(options(1000));
  for (const ObjectName& object : {a, b, a, c}) {
    ASSERT_TRUE(cache.get(place_, object));
    std::this_thread::sleep_for(
        milliseconds(20));  // a file's time is as coarse as the kernel's ticks
  }
  EXPECT_TRUE(fs::exists(path_of(a)));
  EXPECT_FALSE(fs::exists(path_of(b)));
  EXPECT_TRUE(fs::exists(path_of(c)));
}

TEST_F(ObjectCacheTest, KeepsWhatIsBeingRead) {
  const ObjectName a = place_.add("a", std::string(400, 'a'));
  const ObjectName b = place_.add("b", std::string(700, 'b'));
  ObjectCache cache(options(1000));
  {
    const auto reading = cache.get(place_, a);
    ASSERT_TRUE(reading);
    const auto refused = cache.get(place_, b);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kFull);
    EXPECT_THAT(refused.error().message, HasSubstr("full of what is being read"));
    EXPECT_TRUE(fs::exists(reading->path()));
    EXPECT_EQ(place_.fetches, 1) << "nothing is fetched for which there is no room";
  }
  EXPECT_TRUE(cache.get(place_, b));
  EXPECT_FALSE(fs::exists(path_of(a)));
}

/// As of a disk that is full as long as a file is there.
class FullPlace : public MemoryPlace {
 public:
  Expected<void> fetch(std::string_view key, const fs::path& file, std::int64_t most) override {
    if (!fs::exists(filled_by)) return MemoryPlace::fetch(key, file, most);
    ++fetches;
    return Error{ErrorCode::kFull, "no space left"};
  }
  fs::path filled_by;
};

TEST_F(ObjectCacheTest, MakesRoomOnAFullDisk) {
  FullPlace place;
  const ObjectName a = place.add("a", std::string(400, 'a'));
  const ObjectName b = place.add("b", std::string(300, 'b'));
  ObjectCache cache(options());
  {
    const auto reading = cache.get(place, a);
    ASSERT_TRUE(reading);
    place.filled_by = path_of(a);
    const auto refused = cache.get(place, b);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kFull);
    EXPECT_EQ(place.fetches, 2) << "nothing could be removed";
  }
  const auto got = cache.get(place, b);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_FALSE(fs::exists(path_of(a)));
  EXPECT_EQ(place.fetches, 4);
}

TEST_F(ObjectCacheTest, LeavesTheDiskSomeRoomAsFarAsItCan) {
  const ObjectName a = place_.add("a", "aaaa");
  const ObjectName b = place_.add("b", "bbbb");
  CacheOptions modest = options();
  modest.least_free_bytes = std::int64_t{1} << 60;
  ObjectCache cache(modest);
  EXPECT_TRUE(cache.get(place_, a));
  EXPECT_TRUE(cache.get(place_, b));
  EXPECT_FALSE(fs::exists(path_of(a)));
  EXPECT_TRUE(fs::exists(path_of(b)));
}

TEST_F(ObjectCacheTest, SaysThatAnObjectIsLargerThanTheCache) {
  const ObjectName object = place_.add("a", std::string(400, 'a'));
  ObjectCache cache(options(399));
  const auto got = cache.get(place_, object);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kFull);
  EXPECT_THAT(got.error().message, HasSubstr("an object of 400 bytes does not fit"));
  EXPECT_THAT(got.error().message, HasSubstr("BENCHHUD_CACHE_BYTES"));
}

TEST_F(ObjectCacheTest, IsNeverLargerThanItMayBeWhileManyFetch) {
  constexpr std::int64_t kMost = 10'000;
  std::vector<ObjectName> objects;
  for (int i = 0; i < 40; ++i) {
    objects.push_back(place_.add(std::to_string(i), std::string(900 + i, static_cast<char>(i))));
  }
  place_.duration = milliseconds(2);
  ObjectCache cache(options(kMost));
  std::atomic<int> wrong = 0, got_right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const ObjectName& object = objects[static_cast<std::size_t>((i * 7 + t * 5) % 40)];
        const auto got = cache.get(place_, object);
        if (!got) {
          wrong += got.error().code == ErrorCode::kFull ? 0 : 1;
        } else {
          const bool is_right = content(got->path()) == place_.objects[object.key];
          (is_right ? got_right : wrong) += 1;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(got_right, 300);
  EXPECT_LE(bytes_kept(), kMost);
}

TEST_F(ObjectCacheTest, GoesOnBehindAProcessThatWasKilledWhileItFetched) {
  const ObjectName object = place_.add("a", "the bytes");
  const ObjectName other = place_.add("b", std::string(995, 'b'));
  const pid_t pid = fork();
  if (pid == 0) {
    place_.duration = milliseconds(60'000);
    const auto got = ObjectCache(options(1000)).get(place_, object);
    _exit(0);
  }
  while (!fs::exists(path_of(object, ".partial"))) std::this_thread::sleep_for(milliseconds(1));
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  ASSERT_TRUE(fs::exists(path_of(object, ".lock")));
  ObjectCache cache(options(1000));
  ASSERT_TRUE(cache.get(place_, other)) << "what it had reserved is free again";
  EXPECT_FALSE(fs::exists(path_of(object, ".partial")));
  const auto got = cache.get(place_, object);
  ASSERT_TRUE(got);
  EXPECT_EQ(content(got->path()), "the bytes");
}

TEST_F(ObjectCacheTest, CountsWhatAKilledProcessHadReservedForTheSameObjectOnce) {
  const ObjectName object = place_.add("a", std::string(600, 'a'));
  fs::create_directory(folder_ / "cache");
  std::ofstream(path_of(object, ".lock")) << "600";
  std::ofstream(path_of(object, ".partial")) << std::string(300, 'a');
  const auto got = ObjectCache(options(1000)).get(place_, object);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(content(got->path()), place_.objects["a"]);
  EXPECT_EQ(bytes_kept(), 600);
}

TEST_F(ObjectCacheTest, KeepsNoHalfOfAnObject) {
  const ObjectName a = place_.add("a", "aaaa");
  const ObjectName b = place_.add("b", "bbbb");
  fs::create_directory(folder_ / "cache");
  std::ofstream(path_of(a, ".partial")) << std::string(5000, 'a');
  ObjectCache cache(options(1000));
  ASSERT_TRUE(cache.get(place_, b));
  EXPECT_FALSE(fs::exists(path_of(a, ".partial"))) << "nobody holds its lock";
  // A folder that has the name of the object: what was fetched cannot be given that name.
  fs::create_directories(path_of(a) / "x");
  EXPECT_FALSE(cache.get(place_, a));
  fs::remove_all(path_of(a));
  EXPECT_EQ(bytes_kept(), 4);
}

/// Fetches slowly, but goes on.
class DrippingPlace : public MemoryPlace {
 public:
  Expected<void> fetch(std::string_view key, const fs::path& file, std::int64_t) override {
    std::ofstream written(file, std::ios::binary);
    for (const char c : objects.at(std::string(key))) {
      written << c << std::flush;
      std::this_thread::sleep_for(milliseconds(50));
    }
    return {};
  }
};

TEST_F(ObjectCacheTest, WaitsForAnotherProcessAsLongAsThatGoesOn) {
  DrippingPlace place;
  const ObjectName object = place.add("a", std::string(20, 'x'));
  CacheOptions impatient = options();
  impatient.longest_wait = milliseconds(400);
  std::thread other([&] { EXPECT_TRUE(ObjectCache(impatient).get(place, object)); });
  while (!fs::exists(path_of(object, ".partial"))) std::this_thread::sleep_for(milliseconds(1));
  const auto got = ObjectCache(impatient).get(place_, object);
  other.join();
  EXPECT_TRUE(got) << got.error().message;

  const ObjectName stuck = place_.add("b", "bytes");
  place_.duration = milliseconds(1500);
  std::thread third([&] { EXPECT_TRUE(ObjectCache(options()).get(place_, stuck)); });
  while (!fs::exists(path_of(stuck, ".partial"))) std::this_thread::sleep_for(milliseconds(1));
  const auto refused = ObjectCache(impatient).get(place, stuck);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  CacheOptions leaving = options();
  leaving.gives_up = [] { return true; };
  const auto given_up = ObjectCache(leaving).get(place, stuck);
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code, ErrorCode::kUnavailable);
  third.join();
}

TEST_F(ObjectCacheTest, SaysThatItsFolderCannotBeMade) {
  std::ofstream(folder_ / "file") << "x";
  CacheOptions wrong = options();
  wrong.folder = folder_ / "file" / "cache";
  const auto got = ObjectCache(wrong).get(place_, place_.add("a", "x"));
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().message, HasSubstr("cannot make the folder"));
}

TEST_F(ObjectCacheTest, TakesItsOptionsFromTheEnvironment) {
  const auto with = [](std::map<std::string, std::string> variables) {
    for (const char* name :
         {"BENCHHUD_CACHE", "BENCHHUD_CACHE_BYTES", "CACHE_DIRECTORY", "XDG_CACHE_HOME", "HOME"}) {
      if (variables.contains(name)) {
        setenv(name, variables[name].c_str(), 1);
      } else {
        unsetenv(name);
      }
    }
    return cache_options_of_environment();
  };
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "/";
  EXPECT_EQ(with({{"HOME", "/home/ada"}})->folder, "/home/ada/.cache/benchhud");
  EXPECT_EQ(with({{"HOME", "/home/ada"}, {"XDG_CACHE_HOME", "/x"}})->folder, "/x/benchhud");
  EXPECT_EQ(with({{"CACHE_DIRECTORY", "/var/cache/benchhud:/b"}})->folder, "/var/cache/benchhud");
  EXPECT_EQ(with({{"HOME", "/home/ada"}, {"BENCHHUD_CACHE", "/c"}})->folder, "/c");
  EXPECT_EQ(with({{"BENCHHUD_CACHE", "/c"}})->most_bytes, 10'000'000'000);
  EXPECT_EQ(with({{"BENCHHUD_CACHE", "/c"}, {"BENCHHUD_CACHE_BYTES", "5000"}})->most_bytes, 5000);
  for (const char* bytes : {"10G", "-1", "0", "1e9", "99999999999999999999"}) {
    EXPECT_FALSE(with({{"BENCHHUD_CACHE", "/c"}, {"BENCHHUD_CACHE_BYTES", bytes}})) << bytes;
  }
  EXPECT_FALSE(with({}));
  EXPECT_TRUE(with({{"HOME", home}}));
}

}  // namespace
}  // namespace benchhud::schema
