// Instructions found in HLO text, and what it says of them.
#include "ingest/ir/hlo_lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace benchhud::ingest {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::FieldsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kText = R"(HloModule m

FileNames
1 "/srv/\"a\".py"
2 "/srv/b.py"

FunctionNames
1 "main"
2 "forward"

FileLocations
1 {file_name_id=1 function_name_id=1 line=5 end_line=0 column=0 end_column=0}
2 {file_name_id=2 function_name_id=2 line=77 end_line=0 column=0 end_column=0}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
3 {file_location_id=9 parent_frame_id=4}
4 {file_location_id=1 parent_frame_id=6}
5 {file_location_id=2 parent_frame_id=5}

%fused (p: f32[2]) -> f32[2] {
  %p = f32[2]{0} parameter(0)
  ROOT %twice = f32[2]{0} add(%p, %p)
}

ENTRY %main (p0: f32[2]) -> f32[2] {
  %p0 = f32[2]{0} parameter(0)
  %p0.1 = f32[2]{0} copy(%p0), metadata={op_type="aten__\303\251" op_name="x" source_file="c.py" source_line=3 stack_frame_id=2}
  %fusion = f32[2]{0} fusion(%p0.1), kind=kLoop, calls=%fused, metadata={stack_frame_id=2}
  %odd = f32[2]{0} add(%p0, %fusion), metadata={stack_frame_id=3}
  ROOT %end = (f32[2]{0}, f32[2]{0}) tuple(%fusion, %p0.1), metadata={stack_frame_id=5}
}
)";

TEST(HloLookup, TellsWhereAnInstructionIsAndWhatIsAroundIt) {
  const auto found = find_hlo_instruction(kText, "fusion");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 30);
  EXPECT_EQ(kText.substr(static_cast<std::size_t>(found->offset), 10), "  %fusion ");
  EXPECT_EQ(found->computation, "main");
  EXPECT_EQ(found->opcode, "fusion");
  EXPECT_EQ(found->type, "f32[2]{0}");
  EXPECT_THAT(found->operands, ElementsAre(FieldsAre("p0.1", 29)));
  EXPECT_THAT(found->users, ElementsAre(FieldsAre("odd", 31), FieldsAre("end", 32)));
  EXPECT_EQ(found->user_count, 2);
  EXPECT_THAT(found->called, ElementsAre(FieldsAre("fused", 22)));
  EXPECT_EQ(hlo_line_at(kText, 30)->instruction->name, "fusion");
  EXPECT_EQ(hlo_entry_line(kText), 27);
}

TEST(HloLookup, OperandsOfLikeNamesAreTold) {
  const auto found = find_hlo_instruction(kText, "p0");
  ASSERT_TRUE(found);
  EXPECT_THAT(found->operands, IsEmpty());
  EXPECT_THAT(found->users, ElementsAre(FieldsAre("p0.1", 29), FieldsAre("odd", 31)));
  const auto twice = find_hlo_instruction(kText, "twice");
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->computation, "fused");
  EXPECT_THAT(twice->operands, ElementsAre(FieldsAre("p", 23)));
  EXPECT_EQ(twice->operand_count, 2);
}

TEST(HloLookup, SourceStandsThereOrIsThatOfTheFrame) {
  const auto copy = find_hlo_instruction(kText, "p0.1");
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->op_type, "aten__\xC3\xA9");
  EXPECT_EQ(copy->op_name, "x");
  EXPECT_EQ(copy->source_file, "c.py");
  EXPECT_EQ(copy->source_line, 3);
  const auto fusion = find_hlo_instruction(kText, "fusion");
  ASSERT_TRUE(fusion);
  EXPECT_EQ(fusion->source_file, "/srv/b.py");
  EXPECT_EQ(fusion->source_line, 77);
  EXPECT_THAT(fusion->stack, ElementsAre(FieldsAre("/srv/b.py", "forward", 77),
                                         FieldsAre("/srv/\"a\".py", "main", 5)));
  EXPECT_TRUE(has_hlo_source(kText));
  EXPECT_FALSE(has_hlo_source("HloModule m\n"));
}

TEST(HloLookup, StacksThatLeadNowhereOrRoundEnd) {
  // Its place is missing; its parent, of which the parent is not there.
  const auto odd = find_hlo_instruction(kText, "odd");
  ASSERT_TRUE(odd);
  EXPECT_THAT(odd->stack, SizeIs(1 + 0 + 0) /* parent 3 is itself */);
  const auto round = find_hlo_instruction(kText, "end");
  ASSERT_TRUE(round);
  EXPECT_LE(round->stack.size(), 200U);
}

TEST(HloLookup, NamesAreThoseOfEvents) {
  EXPECT_EQ(find_hlo_instruction(kText, "while::fusion")->name, "fusion");
  EXPECT_EQ(find_hlo_instruction(kText, "%fusion = f32[2]{0} fusion(f32[2]{0} %p0)")->line, 30);
  EXPECT_FALSE(find_hlo_instruction(kText, "fus"));
  EXPECT_FALSE(find_hlo_instruction(kText, ""));
  EXPECT_FALSE(find_hlo_instruction(kText, "main"));
}

TEST(HloLookup, EveryLineOfTheTextIsOne) {
  const auto computation = hlo_line_at(kText, 22);
  ASSERT_TRUE(computation);
  EXPECT_FALSE(computation->instruction);
  EXPECT_EQ(computation->line, 22);
  EXPECT_EQ(kText.substr(static_cast<std::size_t>(computation->offset), 7), "%fused ");
  EXPECT_EQ(hlo_line_at(kText, 1)->offset, 0);
  EXPECT_FALSE(hlo_line_at(kText, 0));
  EXPECT_FALSE(hlo_line_at(kText, 1000));
}

TEST(HloLookup, NamesAreThoseThatArePrinted) {
  EXPECT_EQ(find_hlo_instruction("ENTRY %m () -> f32[] {\n  %a_b = f32[] add()\n}\n", "a b")->name,
            "a_b");
}

TEST(HloLookup, OfOneNameThatIsChosenWhichADeviceExecutes) {
  constexpr std::string_view kTwice = R"(%fused (p: f32[]) -> f32[] {
  ROOT %add.1 = f32[] add(%p, %p)
}

ENTRY %main (p: f32[]) -> f32[] {
  %fusion = f32[] fusion(%p), kind=kLoop, calls=%fused
  ROOT %add.1 = f32[] add(%p, %fusion)
}
)";
  EXPECT_EQ(find_hlo_instruction(kTwice, "add.1")->computation, "main");
}

TEST(HloLookup, LongNamesThatAlmostFitTakeLinearTime) {
  const std::string name(100'000, 'a');
  std::string text = "ENTRY %m () -> f32[] {\n  %" + name + " = f32[] parameter(0)\n";
  for (int i = 0; i < 40; ++i) text += "  %b = f32[] add(%" + std::string(1'000'000, 'a') + ")\n";
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(find_hlo_instruction(text, name));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace benchhud::ingest
