#include "analysis/profiles/comparable_text.h"

#include <gtest/gtest.h>

namespace benchhud::analysis {
namespace {

TEST(ComparableText, CodeIsTheSameWhateverFolderLineAndCompiler) {
  const std::string_view before = R"(# AOT ID: ['0_inference']
# kernel path: /tmp/torchinductor_ci/xo/cxok.py
kernel = async_compile.triton('k', '''
    #include "/tmp/torchinductor_ci/vu/cpp_prefix.h"
    half = xnumel / 2 // 3
    // a comment of C++
    'backend_hash': 'ABC', 'x': 1
''')
y = relu(x);  x = None  # File: /srv/model.py:41 in forward
)";
  const std::string_view after = R"(# AOT ID: ['7_inference']

kernel = async_compile.triton('k', '''
    #include "/var/cache/inductor/vu/cpp_prefix.h"
    half = xnumel / 2 // 3
    'backend_hash': 'DEF', 'x': 1
''')
y = relu(x);  x = None  # File: /home/model.py:49 in forward
)";
  EXPECT_EQ(comparable_code(before), comparable_code(after));
  EXPECT_EQ(comparable_code("a / 2"), "a / 2\n");
  EXPECT_EQ(comparable_code("open('/a/b.h')"), "open('b.h')\n");
}

TEST(ComparableText, CodeDiffersWhereItDoesSomethingElse) {
  EXPECT_NE(comparable_code("x0 < 16384L"), comparable_code("x0 < 8192L"));
  EXPECT_NE(comparable_code("#include <a.h>"), comparable_code("#include <b.h>"));
  EXPECT_NE(comparable_code("'backend_hash': 'A', 'x': 1"),
            comparable_code("'backend_hash': 'A', 'x': 2"));
  EXPECT_EQ(comparable_code("'backend_hash': 'cut off"), "'backend_hash': '\n");
}

TEST(ComparableText, ReasonsAreTheSameWhateverPlaceTheyName) {
  EXPECT_EQ(
      comparable_reason("0/0: tensor 'L['x']' size mismatch at index 0. expected 8, actual 4"),
      comparable_reason("12/3: tensor 'L['x']' size mismatch at index 0. expected 8, actual 4"));
  EXPECT_NE(comparable_reason("0/0: expected 8, actual 4"),
            comparable_reason("0/0: expected 8, actual 5"));
  EXPECT_EQ(comparable_reason("Graph break in user code at /srv/a/model.py:43\nReason: print"),
            comparable_reason("Graph break in user code at /home/b/model.py:51\nReason: print"));
  EXPECT_EQ(comparable_reason("File \"/a/m.py\", line 12, in f; object at 0x7f00aB>"),
            comparable_reason("File \"/b/m.py\", line 9, in f; object at 0x7fffFF>"));
  EXPECT_EQ(comparable_reason(""), "");
  EXPECT_EQ(comparable_reason("0/"), "0/");
  EXPECT_EQ(comparable_reason("/"), "/");
}

}  // namespace
}  // namespace benchhud::analysis
