// A folder as a place for objects.

#include "schema/places/folder_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "schema/places/object_place.h"

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class FolderPlaceTest : public testing::Test {
 protected:
  FolderPlaceTest() {
    std::string pattern = (fs::temp_directory_path() / "folder-place-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    fs::create_directory(root());
    EXPECT_TRUE(mark_place(root().string(), id_));
    place_ = *open_place(root().string());
  }
  ~FolderPlaceTest() override { fs::remove_all(folder_); }

  fs::path root() const { return folder_ / "place"; }

  fs::path file(const std::string& bytes) const {
    std::ofstream(folder_ / "file", std::ios::binary) << bytes;
    return folder_ / "file";
  }

  static std::string content(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  std::vector<std::string> keys(std::string_view prefix = "") const {
    std::vector<std::string> found;
    const auto listed = place_->list(prefix, [&](const PlacedObject& object) {
      found.push_back(object.key);
      return Expected<void>();
    });
    EXPECT_TRUE(listed) << listed.error().message;
    std::sort(found.begin(), found.end());
    return found;
  }

  fs::path folder_;
  const std::string id_ = "0123456789abcdef0123456789abcdef";
  std::unique_ptr<ObjectPlace> place_;
};

TEST_F(FolderPlaceTest, GivesBackWhatWasPut) {
  const std::string bytes = std::string("pack\0bytes", 10) + std::string(3 << 20, 'x');
  ASSERT_TRUE(place_->put("traces/ab/abcd.v36", file(bytes)));
  EXPECT_EQ(content(root() / "traces/ab/abcd.v36"), bytes) << "the key is the path";
  ASSERT_TRUE(place_->fetch("traces/ab/abcd.v36", folder_ / "back", kMostObjectBytes));
  EXPECT_EQ(content(folder_ / "back"), bytes);
  const auto found = place_->find("traces/ab/abcd.v36");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->key, "traces/ab/abcd.v36");
  EXPECT_EQ((*found)->byte_count, bytes.size());
}

TEST_F(FolderPlaceTest, ReplacesWhatIsThereAndLeavesNoTemporaryFile) {
  ASSERT_TRUE(place_->put("a", file("damaged")));
  ASSERT_TRUE(place_->put("a", file("right")));
  EXPECT_EQ(content(root() / "a"), "right");
  EXPECT_TRUE(fs::is_empty(root() / ".incoming"));
}

/// Whoever removes what no row names goes by the age.
TEST_F(FolderPlaceTest, AnObjectIsNewWhenItIsPutAgain) {
  ASSERT_TRUE(place_->put("a", file("bytes")));
  const auto is_new = [&] {
    return std::abs((**place_->find("a")).modified - static_cast<double>(time(nullptr))) < 60;
  };
  EXPECT_TRUE(is_new());
  fs::last_write_time(root() / "a", fs::file_time_type::clock::now() - std::chrono::hours(48));
  fs::last_write_time(folder_ / "file", fs::file_time_type::clock::now() - std::chrono::hours(48));
  EXPECT_FALSE(is_new());
  ASSERT_TRUE(place_->put("a", folder_ / "file"));
  EXPECT_TRUE(is_new());
}

TEST_F(FolderPlaceTest, SaysThatAnObjectIsNotThere) {
  std::ofstream(folder_ / "back") << "older";
  const auto fetched = place_->fetch("traces/ab/abcd", folder_ / "back", kMostObjectBytes);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(fetched.error().message, HasSubstr("traces/ab/abcd"));
  EXPECT_FALSE(fs::exists(folder_ / "back"))
      << "nothing is left that could be taken for the object";
  EXPECT_FALSE(place_->find("traces/ab/abcd")->has_value());
  EXPECT_TRUE(place_->remove("traces/ab/abcd"));
}

TEST_F(FolderPlaceTest, DoesNotFetchMoreThanItShould) {
  ASSERT_TRUE(place_->put("a", file("12345678")));
  EXPECT_TRUE(place_->fetch("a", folder_ / "back", 8));
  const auto fetched = place_->fetch("a", folder_ / "back", 7);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(fetched.error().message, HasSubstr("more than 7 bytes"));
  EXPECT_FALSE(fs::exists(folder_ / "back"));
}

TEST_F(FolderPlaceTest, ListsByPrefixWithSizes) {
  for (const char* key : {"traces/ab/1", "traces/ab/2", "traces/abc", "traces/b", "texts/ab/1"}) {
    ASSERT_TRUE(place_->put(key, file("123")));
  }
  using List = std::vector<std::string>;
  EXPECT_EQ(keys("traces/"), (List{"traces/ab/1", "traces/ab/2", "traces/abc", "traces/b"}));
  EXPECT_EQ(keys("traces/ab"), (List{"traces/ab/1", "traces/ab/2", "traces/abc"}));
  EXPECT_EQ(keys("traces/ab/2"), (List{"traces/ab/2"}));
  EXPECT_EQ(keys("nothing"), List{});
  EXPECT_EQ(keys().size(), 5);
  ASSERT_TRUE(place_->remove("traces/b"));
  EXPECT_EQ(keys("traces/b"), List{});
  PlacedObject one;
  ASSERT_TRUE(place_->list("texts", [&](const PlacedObject& object) {
    one = object;
    return Expected<void>();
  }));
  EXPECT_EQ(one.byte_count, 3);
  EXPECT_NEAR(one.modified, static_cast<double>(time(nullptr)), 60);
}

TEST_F(FolderPlaceTest, ListsNoFilesThatAreNoObjects) {
  ASSERT_TRUE(place_->put("a", file("123")));
  std::ofstream(root() / ".nfs0001") << "x";
  std::ofstream(root() / "a file with blanks") << "x";
  fs::create_directory(root() / "lost+found");
  std::ofstream(root() / "lost+found/b") << "x";
  fs::create_symlink("/etc/passwd", root() / "link");
  EXPECT_EQ(keys(), std::vector<std::string>{"a"});
}

TEST_F(FolderPlaceTest, FollowsNoSymbolicLinks) {
  fs::create_directory(folder_ / "elsewhere");
  std::ofstream(folder_ / "elsewhere/b") << "bytes";
  fs::create_symlink(folder_ / "elsewhere", root() / "traces");
  fs::create_symlink(folder_ / "elsewhere/b", root() / "link");
  EXPECT_EQ(keys(), std::vector<std::string>{});
  EXPECT_FALSE(place_->find("link")->has_value());
  EXPECT_EQ(place_->fetch("link", folder_ / "back", 10).error().code, ErrorCode::kNotFound);
  const auto put = place_->put("traces/c", file("x"));
  const auto fetched = place_->fetch("traces/b", folder_ / "back", 10);
  const auto found = place_->find("traces/b");
  const auto removed = place_->remove("traces/b");
  ASSERT_FALSE(put || fetched || found || removed);
  for (const Error& error : {put.error(), fetched.error(), found.error(), removed.error()}) {
    EXPECT_EQ(error.code, ErrorCode::kPlaceRefused);
    EXPECT_THAT(error.message, HasSubstr("traces is a symbolic link"));
  }
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere/c"));
  EXPECT_TRUE(fs::exists(folder_ / "elsewhere/b"));
}

TEST_F(FolderPlaceTest, EndsAListingWithTheVisitorsError) {
  ASSERT_TRUE(place_->put("a", file("1")));
  ASSERT_TRUE(place_->put("b", file("1")));
  int visited = 0;
  const auto listed = place_->list("", [&](const PlacedObject&) -> Expected<void> {
    ++visited;
    return Error{ErrorCode::kBusy, "enough"};
  });
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().message, "enough");
  EXPECT_EQ(visited, 1);
}

TEST_F(FolderPlaceTest, RemovesWhatKilledProcessesLeft) {
  fs::create_directory(root() / ".incoming");
  std::ofstream(root() / ".incoming/old") << "half";
  std::ofstream(root() / ".incoming/new") << "being written by another machine";
  fs::last_write_time(root() / ".incoming/old",
                      fs::file_time_type::clock::now() - std::chrono::hours(25));
  ASSERT_TRUE(place_->put("a", file("1")));
  EXPECT_FALSE(fs::exists(root() / ".incoming/old"));
  EXPECT_TRUE(fs::exists(root() / ".incoming/new"));
  EXPECT_EQ(keys(), std::vector<std::string>{"a"});
}

TEST_F(FolderPlaceTest, TakesNoKeyThatLeadsOutOfTheFolder) {
  for (const std::string& key :
       {std::string(), std::string("/etc/passwd"), std::string("../a"), std::string("a/../../b"),
        std::string("a//b"), std::string("a/"), std::string(".incoming/a"), std::string("a b"),
        std::string("a\0b", 3), std::string("ä"), std::string(513, 'a')}) {
    for (const auto& done :
         {place_->put(key, file("x")), place_->fetch(key, folder_ / "back", kMostObjectBytes),
          place_->remove(key)}) {
      ASSERT_FALSE(done) << key;
      EXPECT_EQ(done.error().code, ErrorCode::kInvalidArgument) << key;
    }
    EXPECT_FALSE(place_->find(key)) << key;
  }
  EXPECT_TRUE(check_key(std::string(512, 'a')));
  EXPECT_TRUE(check_key("traces/0f/0f3c.v36"));
}

TEST_F(FolderPlaceTest, SaysThatTheFolderIsNotThere) {
  fs::remove_all(root());
  for (const auto& done :
       {place_->put("a", file("x")), place_->fetch("a", folder_ / "back", kMostObjectBytes),
        place_->remove("a"),
        place_->list("", [](const PlacedObject&) { return Expected<void>(); })}) {
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::kPlaceRefused);
    EXPECT_THAT(done.error().message, HasSubstr("there is no folder " + root().string()));
  }
  EXPECT_FALSE(place_->find("a")) << "not there is not known";
  EXPECT_FALSE(fs::exists(root())) << "a disk that is not mounted gets no folder in its place";
  const auto opened = open_place(root().string());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kPlaceRefused);
}

/// While a disk is not mounted, its path is an empty folder of the disk above.
TEST_F(FolderPlaceTest, IsNotTheFolderThatADiskIsMountedAt) {
  ASSERT_TRUE(place_->put("a", file("bytes")));
  place_ = *open_place(root().string(), {.id = id_});
  fs::rename(root(), folder_ / "disk");
  fs::create_directory(root());
  const auto refused = [](const auto& done, const std::string& why) {
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::kPlaceRefused);
    EXPECT_THAT(done.error().message, HasSubstr(why));
  };
  const auto visit = [](const PlacedObject&) { return Expected<void>(); };
  const auto nothing_works = [&](const std::string& why) {
    refused(place_->put("b", file("x")), why);
    refused(place_->fetch("a", folder_ / "back", kMostObjectBytes), why);
    refused(place_->find("a"), why);
    refused(place_->remove("a"), why);
    refused(place_->list("", visit), why);
    refused(open_place(root().string(), {.id = id_}), why);
  };
  nothing_works("its file .benchhud-place, which says " + id_ + ", is missing; mount the disk");
  refused(open_place(root().string()), "its file .benchhud-place is missing; mount the disk");
  EXPECT_TRUE(fs::is_empty(root())) << "nothing is written to the disk above";
  EXPECT_FALSE(fs::exists(folder_ / "back"));
  const auto unmarked = open_place(root().string(), {.id = "", .needs_mark = false});
  ASSERT_TRUE(unmarked) << "whoever is to mark it looks into it first";
  EXPECT_EQ(*(*unmarked)->find("a"), std::nullopt);
  const std::string other(32, 'f');
  ASSERT_TRUE(mark_place(root().string(), other));
  refused(open_place(root().string(), {.id = id_, .needs_mark = false}), "it is the place");
  nothing_works("it is the place " + other + " and not " + id_);
  fs::remove_all(root());
  fs::rename(folder_ / "disk", root());
  EXPECT_TRUE(place_->fetch("a", folder_ / "back", kMostObjectBytes));
}

TEST_F(FolderPlaceTest, IsMarkedOnce) {
  EXPECT_TRUE(mark_place(root().string(), id_));
  const auto other = mark_place(root().string(), std::string(32, 'f'));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kConflict);
  EXPECT_THAT(other.error().message, HasSubstr("another store"));
  EXPECT_EQ(content(root() / ".benchhud-place"), id_ + "\n");
  EXPECT_EQ(keys(), std::vector<std::string>{});
  for (const char* text : {"", "0", "not an id at all, but quite long\n"}) {
    std::ofstream(root() / ".benchhud-place") << text;
    const auto put = place_->put("a", file("x"));
    const auto marked = mark_place(root().string(), id_);
    ASSERT_FALSE(put || marked) << text;
    for (const Error& error : {put.error(), marked.error()}) {
      EXPECT_EQ(error.code, ErrorCode::kPlaceRefused);
      EXPECT_THAT(error.message, HasSubstr("does not say which place"));
    }
  }
  for (const char* address : {"", "gs://bucket", "s3://B"}) {
    EXPECT_EQ(mark_place(address, id_).error().code, ErrorCode::kInvalidArgument) << address;
  }
  for (const std::string& id : {std::string(), std::string("no id"), std::string(32, 'F')}) {
    EXPECT_EQ(mark_place(root().string(), id).error().code, ErrorCode::kInvalidArgument) << id;
  }
  EXPECT_EQ(mark_place((folder_ / "none").string(), id_).error().code, ErrorCode::kPlaceRefused);
}

TEST_F(FolderPlaceTest, SaysThatAFileCannotBeRead) {
  const auto put = place_->put("a", folder_ / "no such file");
  ASSERT_FALSE(put);
  EXPECT_THAT(put.error().message, HasSubstr("no such file"));
  EXPECT_FALSE(place_->put("a", folder_)) << "a folder";
  EXPECT_EQ(keys(), std::vector<std::string>{});
  EXPECT_TRUE(fs::is_empty(root() / ".incoming"));
}

TEST_F(FolderPlaceTest, KeepsNoFileThatHasOtherBytesThanItSaid) {
  // The kernel says of each of its files that it has one page, or nothing.
  for (const char* file : {"/sys/devices/system/cpu/online", "/proc/self/status"}) {
    if (!fs::exists(file)) continue;
    const auto put = place_->put("a", file);
    ASSERT_FALSE(put) << file;
    EXPECT_EQ(put.error().code, ErrorCode::kIo);
    EXPECT_THAT(put.error().message, HasSubstr("was written while it was read"));
  }
  EXPECT_EQ(keys(), std::vector<std::string>{});
  EXPECT_TRUE(fs::is_empty(root() / ".incoming"));
}

TEST_F(FolderPlaceTest, HasAnAddressThatHoldsInEveryWorkingDirectory) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  const auto relative = open_place("place/");
  fs::current_path(before);
  ASSERT_TRUE(relative);
  EXPECT_EQ((*relative)->address(), fs::canonical(folder_).string() + "/place");
}

TEST_F(FolderPlaceTest, OpensNoAddressOfAnUnknownKind) {
  for (const char* address : {"", "gs://bucket", "https://bucket.example/"}) {
    const auto opened = open_place(address);
    ASSERT_FALSE(opened) << address;
    EXPECT_EQ(opened.error().code, ErrorCode::kInvalidArgument) << address;
  }
}

}  // namespace
}  // namespace benchhud::schema
