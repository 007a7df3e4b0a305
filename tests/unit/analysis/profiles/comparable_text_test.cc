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

TEST(ComparableText, ReasonsAreTheSameWhateverIdsTheirObjectsHave) {
  EXPECT_EQ(comparable_reason("0/0: ___check_obj_id(L['m'], 140576345756128)"),
            comparable_reason("3/1: ___check_obj_id(L['m'], 139876345711008)"));
  // Types of a Python that is linked statically lie low.
  EXPECT_EQ(
      comparable_reason("___check_type_id(L['f'](1)[0], 7640416), type=<class 'int'>"),
      comparable_reason("___check_type_id(L['f'](1)[0], 94334122025024), type=<class 'int'>"));
  EXPECT_EQ(comparable_reason("Linear(id=140234) is another"),
            comparable_reason("Linear(id=98) is another"));
  EXPECT_EQ(comparable_reason("___dict_version(G['d']) == 17"),
            comparable_reason("___dict_version(G['d']) == 23"));
  EXPECT_EQ(comparable_reason("id(L['m']) == 1402"), comparable_reason("id(L['m']) == 77"));
  EXPECT_EQ(comparable_reason("G['_hook_140576345756128_c0'] is None"),
            comparable_reason("G['_hook_139876345711008_c0'] is None"));

  EXPECT_NE(comparable_reason("___check_obj_id(L['a'], 140576345756128)"),
            comparable_reason("___check_obj_id(L['b'], 140576345756128)"));
  EXPECT_NE(comparable_reason("___check_obj_id(L['a'][0], 1)"),
            comparable_reason("___check_obj_id(L['a'][1], 1)"));
  EXPECT_NE(comparable_reason("check_len(L['a'], 1)"), comparable_reason("check_len(L['a'], 2)"));
  EXPECT_NE(comparable_reason("L['n'] == 3"), comparable_reason("L['n'] == 4"));
  EXPECT_NE(comparable_reason("len(L['valid']) == 3"), comparable_reason("len(L['valid']) == 4"));
  EXPECT_NE(comparable_reason("L['p'] == 0.1234567890123"),
            comparable_reason("L['p'] == 0.1234567890124"));
}

}  // namespace
}  // namespace benchhud::analysis
