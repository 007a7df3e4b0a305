// What the audit has beside changes, written beside the requests that cause it.
#include "server/api/audit_trail.h"

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/server/store_fixture.h"

namespace benchhud::server {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AuditTrailTest : public StoreFixture {
 protected:
  /// The lines with that action, oldest first.
  std::vector<std::string> lines(std::string_view action) {
    auto statement =
        connection_->prepare("SELECT detail FROM audit WHERE action = $1 ORDER BY rowid");
    statement.bind(1, action);
    std::vector<std::string> found;
    while (statement.step()) found.emplace_back(statement.text(0));
    EXPECT_TRUE(statement.status());
    return found;
  }

  StoreWriter writer_{path_, 50ms};
};

TEST_F(AuditTrailTest, FloodOfAnybodysActionsIsCounted) {
  {
    AuditTrail trail(writer_, {.each = 2, .period = 1h});
    for (int i = 0; i < 500; ++i) trail.note_of_anybody("refused", std::to_string(i));
    trail.note_of_anybody("download", "another kind");
    for (int i = 0; i < 5; ++i) trail.note("sign-in", std::to_string(i));
  }
  EXPECT_THAT(lines("refused"), ElementsAre("0", "1", "498 more like these"));
  EXPECT_THAT(lines("download"), ElementsAre("another kind"));
  EXPECT_THAT(lines("sign-in"), SizeIs(5));
}

TEST_F(AuditTrailTest, CountIsWrittenWhenThePeriodIsOver) {
  AuditTrail trail(writer_, {.each = 1, .period = 200ms});
  for (int i = 0; i < 4; ++i) trail.note_of_anybody("refused", "first");
  for (int i = 0; i < 200 && lines("refused").size() < 2; ++i) std::this_thread::sleep_for(50ms);
  EXPECT_THAT(lines("refused"), ElementsAre("first", "3 more like these"));
}

TEST_F(AuditTrailTest, LinesWaitForBusyStoreAndThoseTooManyAreCounted) {
  AuditTrail trail(writer_, {.pending = 3});
  {
    auto lock = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
    ASSERT_TRUE(lock) << lock.error().message;
    for (int i = 0; i < 5; ++i) trail.note("sign-in", std::to_string(i));
    std::this_thread::sleep_for(100ms);
    EXPECT_THAT(lines("sign-in"), IsEmpty());
    ASSERT_TRUE(lock->commit());
  }
  for (int i = 0; i < 200 && lines("audit").empty(); ++i) std::this_thread::sleep_for(50ms);
  EXPECT_THAT(lines("sign-in"), ElementsAre("0", "1", "2"));
  EXPECT_THAT(lines("audit"), ElementsAre("2 lines were dropped while the store was busy"));
}

}  // namespace
}  // namespace benchhud::server
