#include "server/api/store_writer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <new>
#include <string>

#include "schema/store/store.h"

namespace benchhud::server {
namespace {

using namespace std::chrono_literals;
using schema::Connection;
using schema::Expected;

class StoreWriterTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(schema::open_store(path_)); }
  void TearDown() override {
    for (const char* end : {"", "-wal", "-shm"}) std::remove((path_ + end).c_str());
  }
  const std::string path_ = testing::TempDir() + "store_writer_test." +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".db";
};

TEST_F(StoreWriterTest, WorkThatThrowsIsAnErrorAndLeavesNothingOpen) {
  StoreWriter writer(path_, 1s);
  const auto failed = writer.write([](Connection& store) -> Expected<std::string> {
    BENCHHUD_TRY(store.execute("CREATE TABLE half_done (a)"));
    throw std::bad_alloc();
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, schema::ErrorCode::kNoMemory);
  const auto done =
      writer.write([](Connection&) -> Expected<std::string> { return std::string("done"); });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(*done, "done");
}

}  // namespace
}  // namespace benchhud::server
