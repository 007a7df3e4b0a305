#include "schema/base/time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace benchhud::schema {
namespace {

TEST(FormatTime, TellsApartWhatDoublesTellApart) {
  EXPECT_EQ(format_time(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_time(1761955200.25), "2025-11-01T00:00:00.25Z");
  EXPECT_EQ(format_time(1699680738.7234068), "2023-11-11T05:32:18.7234068Z");
  EXPECT_NE(format_time(1699680738.7234068), format_time(std::nextafter(1699680738.7234068, 2e9)));
}

TEST(FormatTime, BeforeTheEpochAndBeyondTheCalendar) {
  EXPECT_EQ(format_time(-0.5), "1969-12-31T23:59:59.5Z");
  EXPECT_EQ(format_time(1e300), "9999-12-31T23:59:59Z");
  EXPECT_EQ(format_time(-std::numeric_limits<double>::infinity()), "0001-01-01T00:00:00Z");
  EXPECT_EQ(format_time(0.99999999), "1970-01-01T00:00:01Z");  // rounds up into the next second
}

TEST(FormatDate, DayMayBeginLater) {
  EXPECT_EQ(format_date(1761955200.25), "2025-11-01");
  EXPECT_EQ(format_date(1761955200.25, 6 * 3600), "2025-10-31");
}

TEST(ParseTime, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_time("2025-11-01"), 1761955200);
  EXPECT_EQ(parse_time("2025-11-01T00:00:00.25Z"), 1761955200.25);
  EXPECT_EQ(parse_time("2025-11-01 00:00"), 1761955200);
  EXPECT_EQ(parse_time("2025-11-01T02:00:00+02:00"), 1761955200);
  EXPECT_EQ(parse_time("2025-10-31T19:00:00-0500"), 1761955200);
  EXPECT_EQ(parse_time("1761955200.25"), 1761955200.25);
}

TEST(ParseTime, RefusesTheRest) {
  for (const char* text : {"", "tomorrow", "2025-13-01", "2025-02-30", "2025-11-01T25:00", "1e999",
                           "nan", "2025-11-01T00:00:00.", "2025-11-01T00:00Zx", "2025-11-1"}) {
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
}

TEST(ParseTime, UndoesFormatTime) {
  for (const double time : {0.0, 1761955200.25, 1699680738.7234068, 253402300799.0}) {
    EXPECT_EQ(parse_time(format_time(time)), time) << format_time(time);
  }
}

}  // namespace
}  // namespace benchhud::schema
