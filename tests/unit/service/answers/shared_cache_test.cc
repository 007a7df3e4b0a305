#include "service/answers/shared_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace benchhud::service {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

TEST(SharedCache, MakesOnceAndKeeps) {
  SharedCache<int> cache(2);
  int made = 0;
  const auto make = [&]() -> Expected<int> { return ++made; };
  EXPECT_EQ(**cache.get("a", make), 1);
  EXPECT_EQ(**cache.get("a", make), 1);
  EXPECT_EQ(**cache.get("b", make), 2);
  EXPECT_EQ(**cache.get("a", make), 1);
  EXPECT_EQ(**cache.get("c", make), 3) << "drives out b, used least recently";
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_NE(cache.find("a"), nullptr);
}

TEST(SharedCache, CostIsCountedAndWhatIsTooDearIsNotKept) {
  SharedCache<std::string> cache(10, [](const std::string& text) { return text.size(); });
  const auto keep = [&](const std::string& key, const std::string& text) {
    cache.put(key, std::make_shared<const std::string>(text));
  };
  keep("a", "12345");
  keep("b", "12345");
  keep("c", "12345678901");
  EXPECT_NE(cache.find("a"), nullptr);
  EXPECT_EQ(cache.find("c"), nullptr);
  keep("b", "1234567890");
  EXPECT_EQ(*cache.find("b"), "1234567890");
  EXPECT_EQ(cache.find("a"), nullptr);
}

TEST(SharedCache, ErrorsAreNotKept) {
  SharedCache<int> cache(2);
  EXPECT_FALSE(cache.get("a", []() -> Expected<int> { return Error{ErrorCode::kBusy, ""}; }));
  EXPECT_EQ(**cache.get("a", []() -> Expected<int> { return 5; }), 5);
}

TEST(SharedCache, ThreadsThatWantTheSameWaitForOne) {
  SharedCache<int> cache(100);
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const auto got = cache.get(std::to_string(i), [&]() -> Expected<int> {
          std::this_thread::sleep_for(std::chrono::microseconds(50));
          ++made;
          return i;
        });
        EXPECT_EQ(**got, i);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(made, 50);
}

}  // namespace
}  // namespace benchhud::service
