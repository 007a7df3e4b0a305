#include "service/traces/label_query.h"

#include <gtest/gtest.h>

namespace benchhud::service {
namespace {

bool fits(std::string_view query, std::string_view name, std::string_view category = "cpu_op") {
  return LabelQuery(query).fits({std::string(name), std::string(category)});
}

TEST(LabelQuery, AllWordsMustBeInTheName) {
  EXPECT_TRUE(fits("conv", "aten::convolution"));
  EXPECT_TRUE(fits("ATEN volu", "aten::Convolution"));
  EXPECT_FALSE(fits("aten mm", "aten::convolution"));
  EXPECT_FALSE(fits("", "aten::convolution"));
  EXPECT_FALSE(fits("   ", "aten::convolution"));
}

TEST(LabelQuery, QuotesMeanTheWholeName) {
  EXPECT_TRUE(fits("\"aten::mm\"", "aten::mm"));
  EXPECT_FALSE(fits("\"aten::mm\"", "aten::mm_out"));
  EXPECT_FALSE(fits("\"aten::mm\"", "Aten::mm"));
  EXPECT_TRUE(fits("\"a b", "a b")) << "the last quote may be missing";
  EXPECT_TRUE(fits("\"\"", "")) << "a name may be empty";
  EXPECT_FALSE(fits("\"a\" b", "a"));
  EXPECT_TRUE(fits("\"say \"\"hi\"\"\"", "say \"hi\"")) << "a quote is written twice";
  EXPECT_TRUE(fits("\"\"\"\"", "\""));
  EXPECT_FALSE(fits("\"a\"\"b\"", "a"));
  const std::string page(5000, 'x');
  EXPECT_TRUE(fits("\"" + page.substr(0, 1000) + "…\"", page)) << "as answers show it";
  EXPECT_FALSE(fits("\"" + page.substr(0, 999) + "…\"", page));
}

TEST(LabelQuery, CategoriesAndClasses) {
  EXPECT_TRUE(fits("cat:cpu mm", "aten::mm"));
  EXPECT_FALSE(fits("cat:kernel mm", "aten::mm"));
  EXPECT_TRUE(fits("class:operator", "aten::mm"));
  EXPECT_FALSE(fits("class:oper", "aten::mm"));
  EXPECT_TRUE(fits("class:inductor_triton", "triton_poi_0", "kernel"));
}

TEST(LabelQuery, NothingElseHasAMeaning) {
  EXPECT_TRUE(fits("%_*", "a%_*b"));
  EXPECT_FALSE(fits("%", "ab"));
  EXPECT_TRUE(fits("x:y", "x:y"));
  EXPECT_TRUE(fits("\xff", "\xff\xfe"));
}

}  // namespace
}  // namespace benchhud::service
