#include "server/api/store_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "schema/store/store.h"

namespace benchhud::server {
namespace {

using namespace std::chrono_literals;

class StorePoolTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(schema::open_store(path_)); }
  void TearDown() override {
    for (const char* end : {"", "-wal", "-shm"}) std::remove((path_ + end).c_str());
  }
  // A store of its own for each test: they run side by side.
  const std::string path_ = testing::TempDir() + "store_pool_test." +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".db";
};

TEST_F(StorePoolTest, WhoWaitsGetsWhatIsGivenBack) {
  StorePool pool(path_, 1);
  auto first = pool.borrow();
  ASSERT_TRUE(first);
  bool came = false;
  std::thread other([&] { came = pool.borrow(10s).has_value(); });
  std::this_thread::sleep_for(20ms);
  {
    const auto given_back = *std::move(first);
  }
  other.join();
  EXPECT_TRUE(came);
}

TEST_F(StorePoolTest, AsManyAsThereAreConnectionsMayWaitAndNoMore) {
  StorePool pool(path_, 2);
  auto first = pool.borrow(), second = pool.borrow();
  ASSERT_TRUE(first && second);
  bool came[2] = {};
  std::thread patient[2] = {std::thread([&] { came[0] = pool.borrow(10s).has_value(); }),
                            std::thread([&] { came[1] = pool.borrow(10s).has_value(); })};
  std::this_thread::sleep_for(50ms);
  const auto began = std::chrono::steady_clock::now();
  const auto third = pool.borrow(10s);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, schema::ErrorCode::kBusy);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  {
    const auto one = *std::move(first);
    const auto two = *std::move(second);
  }
  for (auto& one : patient) one.join();
  EXPECT_TRUE(came[0] && came[1]);
}

TEST_F(StorePoolTest, ConnectionThatFailedIsNotLentAgain) {
  StorePool pool(path_, 1);
  {
    auto lease = pool.borrow();
    ASSERT_TRUE(lease);
    ASSERT_FALSE(lease->connection().execute("ATTACH '/no/such/folder/file.db' AS other"));
    ASSERT_FALSE(lease->connection().is_sound());
  }
  auto lease = pool.borrow(1s);
  ASSERT_TRUE(lease);
  EXPECT_TRUE(lease->connection().is_sound());
}

}  // namespace
}  // namespace benchhud::server
