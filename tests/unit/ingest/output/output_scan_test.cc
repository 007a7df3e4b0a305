// The output directories below a folder.

#include "ingest/output/output_scan.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace benchhud::ingest {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class OutputScanTest : public testing::Test {
 protected:
  OutputScanTest() {
    std::string pattern = (fs::temp_directory_path() / "output-scan-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~OutputScanTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Writes a file whose time is `second`.
  void write(const std::string& name, const std::string& text, int second = 1000) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(path(name)) << text;
    const timespec times[] = {{second, 0}, {second, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path(name).c_str(), times, 0), 0);
  }

  std::vector<OutputDir> scan(const std::string& done_file = "") const {
    auto found = scan_outputs(folder_.string(), {done_file, "labels"});
    EXPECT_TRUE(found);
    return found ? *std::move(found) : std::vector<OutputDir>();
  }

  fs::path folder_;
};

TEST_F(OutputScanTest, AnOutputDirectoryHasAllThatIsBelowItButOtherOutputDirectories) {
  write("labels", "a=1\n");
  write("night/labels", "a=2\n");
  write("night/out/results.jsonl", "{}\n");
  write("night/out/resnet/0/trace-cuda-eval-resnet.json", "{}");
  write("night/out/notes.txt", "");
  write("night/out/verify/results.jsonl.gz", "");
  write("night/out/verify/labels", "a=3\n");
  write("night/resnet/0/trace-cuda-eval-resnet.json", "{}");
  fs::create_directory_symlink(folder_ / "night", folder_ / "link");
  fs::create_symlink(folder_ / "nowhere", folder_ / "night/out/gone.jsonl");

  const auto dirs = scan();
  ASSERT_EQ(dirs.size(), 2u);
  EXPECT_EQ(dirs[0].path, path("night/out"));
  EXPECT_THAT(dirs[0].files.results, ElementsAre(path("night/out/results.jsonl")));
  EXPECT_THAT(dirs[0].files.dumps,
              ElementsAre(path("night/out/resnet/0/trace-cuda-eval-resnet.json")));
  EXPECT_THAT(dirs[0].label_files, ElementsAre(path("labels"), path("night/labels")));
  EXPECT_EQ(dirs[1].path, path("night/out/verify"));
  EXPECT_THAT(dirs[1].files.results, ElementsAre(path("night/out/verify/results.jsonl.gz")));
  EXPECT_THAT(dirs[1].files.dumps, IsEmpty());
  EXPECT_THAT(dirs[1].label_files,
              ElementsAre(path("labels"), path("night/labels"), path("night/out/verify/labels")));
  for (const OutputDir& dir : dirs) EXPECT_FALSE(dir.error);
}

TEST_F(OutputScanTest, TheStateChangesWithEveryFileAndWithNothingElse) {
  write("results.jsonl", "{}\n");
  write("resnet/0/trace-cuda-eval-resnet.json", "{}");
  const auto state = [&] { return scan().at(0).state; };
  auto before = state();
  EXPECT_EQ(state(), before);
  write("notes.txt", "");
  EXPECT_EQ(state(), before);
  const auto changes = [&] {
    const auto now = state();
    const bool is_other = now != before;
    before = now;
    return is_other;
  };
  write("results.jsonl", "{ }\n");
  EXPECT_TRUE(changes()) << "of the same time";
  write("resnet/0/trace-cuda-eval-resnet.json", "[]", 1001);
  EXPECT_TRUE(changes()) << "of the same size";
  write("labels", "a=1\n");
  EXPECT_TRUE(changes());
  fs::rename(path("results.jsonl"), path("other.jsonl"));
  EXPECT_TRUE(changes());
}

TEST_F(OutputScanTest, ACopyWithOldTimesIsAsNewAsItIs) {
  write("results.jsonl", "{}\n", 1000);
  struct stat status{};
  ASSERT_EQ(stat(path("results.jsonl").c_str(), &status), 0);
  EXPECT_NEAR(scan().at(0).changed_at, static_cast<double>(status.st_ctim.tv_sec), 1.0);
}

TEST_F(OutputScanTest, AMarkerCountsWhereNothingIsNewerAndEveryLineIsWhole) {
  write("results.jsonl", "{}\n", 1000);
  write("resnet/0/trace-cuda-eval-resnet.json", "{}", 1000);
  EXPECT_FALSE(scan("DONE").at(0).has_marker);
  write("DONE", "", 1000);
  EXPECT_FALSE(scan().at(0).has_marker) << "where none is asked for";
  EXPECT_TRUE(scan("DONE").at(0).is_complete);
  write("resnet/0/trace-cuda-eval-resnet.json", "{}", 1001);
  EXPECT_TRUE(scan("DONE").at(0).has_marker);
  EXPECT_FALSE(scan("DONE").at(0).is_complete);
  write("DONE", "", 1002);
  EXPECT_TRUE(scan("DONE").at(0).is_complete);
  write("results.jsonl", "{}\n{\"half", 1000);
  EXPECT_FALSE(scan("DONE").at(0).is_complete);
}

TEST_F(OutputScanTest, AFolderThatCannotBeReadIsSaidAndKeepsNoOtherFromBeingFound) {
  EXPECT_EQ(scan_outputs(path("none"), {}).error().code, schema::ErrorCode::kNotFound);
  write("file", "");
  EXPECT_EQ(scan_outputs(path("file"), {}).error().code, schema::ErrorCode::kIo);
  if (geteuid() == 0) GTEST_SKIP() << "root may read every folder";
  write("a/results.jsonl", "{}\n");
  write("b/results.jsonl", "{}\n");
  for (const char* closed : {"a/closed", "c"}) {
    fs::create_directories(path(closed));
    fs::permissions(path(closed), fs::perms::none);
  }
  const auto dirs = scan();
  const auto inputs = find_inputs({folder_.string()});
  for (const char* closed : {"a/closed", "c"}) {
    fs::permissions(path(closed), fs::perms::owner_all);
  }
  ASSERT_EQ(dirs.size(), 3u);
  EXPECT_FALSE(dirs[0].error);
  EXPECT_THAT(dirs[0].files.results, ElementsAre(path("a/results.jsonl")));
  ASSERT_EQ(dirs[0].files.unreadable.size(), 1u);
  EXPECT_EQ(dirs[0].files.unreadable[0].path, path("a/closed"));
  EXPECT_TRUE(dirs[1].files.unreadable.empty());
  EXPECT_TRUE(dirs[2].error);
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->results.size(), 2u);
  EXPECT_EQ(inputs->unreadable.size(), 2u);
}

TEST_F(OutputScanTest, FilesThatNothingRecognizesAreListed) {
  write("out/results.jsonl", "{}\n");
  write("out/DONE", "");
  write("out/labels", "a=1\n");
  write("out/resnet/notes.txt", "");
  write("out/resnet/hlo/module_0001.a.txt", "");
  write("elsewhere.txt", "");
  const auto dirs = scan("DONE");
  ASSERT_EQ(dirs.size(), 1u);
  EXPECT_EQ(dirs[0].files.unrecognized.count, 1);
  EXPECT_THAT(dirs[0].files.unrecognized.paths, ElementsAre(path("out/resnet/notes.txt")));
  EXPECT_THAT(dirs[0].files.dumps, ElementsAre(path("out/resnet/hlo/module_0001.a.txt")));
  const auto inputs = find_inputs({path("out"), path("out/resnet")});
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->unrecognized.count, 3);
  EXPECT_EQ(inputs->folders.size(), 2u);
}

}  // namespace
}  // namespace benchhud::ingest
