// XLA profiles of traces that an older version stored without one.
#include "trace/xla_profile_store.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "tests/unit/trace/trace_samples.h"
#include "trace/trace_store.h"

namespace benchhud::trace {
namespace {

TEST(XlaProfileStore, AddsAProfileWhoseTextsHaveOtherNumbers) {
  Trace kept;
  kept.texts.put("host");
  kept.texts.put("fusion");
  schema::Connection connection = trace_store();
  const schema::TraceId id = put(connection, kept);
  ASSERT_FALSE(read_xla_profile(connection, id)->has_value());

  Trace made;
  XlaProfile profile;
  profile.devices.resize(1);
  XlaOperator& op = profile.operators.emplace_back();
  op.category = made.texts.put("only the table says it");
  op.name = made.texts.put("fusion");
  op.self_ps = 7;
  made.xla = std::make_shared<const XlaProfile>(std::move(profile));
  EXPECT_TRUE(*add_xla_profile(connection, id, made));

  const auto read = read_trace(connection, id);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->xla);
  const XlaOperator& stored = read->xla->operators.at(0);
  EXPECT_EQ(read->texts[stored.name], "fusion");
  EXPECT_EQ(read->texts[stored.category], "only the table says it");
  EXPECT_EQ(stored.source, 0);
  EXPECT_EQ(stored.self_ps, 7);
  EXPECT_FALSE(*add_xla_profile(connection, id, made)) << "it has one";
}

}  // namespace
}  // namespace benchhud::trace
