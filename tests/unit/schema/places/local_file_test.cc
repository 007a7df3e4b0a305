// Files that objects are read from and written into.

#include "schema/places/local_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;

TEST(LocalFile, ANewOneIsNoneThatIsThere) {
  std::string pattern = (fs::temp_directory_path() / "local-file-XXXXXX").string();
  const fs::path folder = mkdtemp(pattern.data());
  std::ofstream(folder / "there") << "bytes";
  fs::create_symlink(folder / "elsewhere", folder / "link");
  for (const char* name : {"there", "link"}) {
    const auto made = TemporaryFile::make_new(folder / name);
    ASSERT_FALSE(made) << name;
    EXPECT_EQ(made.error().code, ErrorCode::kIo) << name;
  }
  EXPECT_EQ(fs::file_size(folder / "there"), 5);
  EXPECT_FALSE(fs::exists(folder / "elsewhere"));
  EXPECT_TRUE(TemporaryFile::make_new(folder / "new"));
  EXPECT_FALSE(fs::exists(folder / "new")) << "it was not kept";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace benchhud::schema
