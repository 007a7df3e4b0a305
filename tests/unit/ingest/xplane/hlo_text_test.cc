// Modules of HLO that profiles hold, printed as text.
#include "ingest/xplane/hlo_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "ingest/ir/ir_text.h"
#include "schema/base/content_hash.h"
#include "tests/unit/ingest/xplane/hlo_proto_writer.h"

namespace benchhud::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct Printed {
  std::string name, text;
  std::vector<std::string> problems;
};

Printed printed(std::string_view proto) {
  Printed made;
  HloText text = print_hlo(
      proto, [&](const char*, std::string_view reason) { made.problems.emplace_back(reason); });
  made.name = std::move(text.name);
  made.text = std::move(text.text);
  return made;
}

const Message kMatrix = hlo_array(kF32, {2, 3});

// A module of one computation with these instructions, whose root is the last.
Printed of_instructions(const std::vector<Message>& instructions, std::int64_t root = 1) {
  const Message entry = hlo_computation(9, "main", hlo_signature({}, kMatrix), instructions, root);
  return printed(hlo_proto(hlo_module("m", 1, 9, {entry})).bytes());
}

// Its line of the text, without the two blanks.
std::string line_of(const Printed& made, std::string_view name) {
  const std::size_t at = made.text.find("%" + std::string(name) + " = ");
  if (at == std::string::npos) return "none";
  return made.text.substr(at, made.text.find('\n', at) - at);
}

std::string printed_instruction(const Message& instruction, std::string_view name = "x") {
  return line_of(of_instructions({instruction}), name);
}

// %fused (p: f32[2,3]) called by %fusion, as two compilations of the same give it with other ids.
std::string small_module(std::int64_t first_id, std::int64_t module_id) {
  const std::int64_t a = first_id, b = first_id + 1, c = first_id + 2, d = first_id + 3;
  const Message fused = hlo_computation(
      a, "fused", hlo_signature({{"p", kMatrix}}, kMatrix),
      {hlo_parameter(b, "p", 0, kMatrix), hlo_instruction(a, "twice", "add", kMatrix, {b, b})}, a);
  const Message metadata =
      Message().text(1, "aten__add").text(2, "jit(f)/add").text(3, "model.py").number(4, 12);
  const Message entry = hlo_computation(
      d, "main", hlo_signature({{"p0", kMatrix}}, kMatrix),
      {hlo_parameter(c, "p0", 0, kMatrix), hlo_instruction(d, "fusion", "fusion", kMatrix, {c})
                                               .text(11, "kLoop")
                                               .number(38, a)
                                               .message(7, metadata)
                                               .text(43, R"({"kind":"x"})")},
      d);
  Message module = hlo_module("jit_f", module_id, d, {fused, entry});
  module.message(4, hlo_signature({{"p0", kMatrix}}, kMatrix));
  return hlo_proto(module).bytes();
}

TEST(HloText, PrintsAModuleAsXlaDoes) {
  const Printed made = printed(small_module(10, 1));
  EXPECT_EQ(made.name, "jit_f");
  EXPECT_THAT(made.problems, IsEmpty());
  EXPECT_EQ(made.text,
            R"(HloModule jit_f, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{1,0}}

%fused (p: f32[2,3]) -> f32[2,3] {
  %p = f32[2,3]{1,0} parameter(0)
  ROOT %twice = f32[2,3]{1,0} add(%p, %p)
}

ENTRY %main (p0: f32[2,3]) -> f32[2,3] {
  %p0 = f32[2,3]{1,0} parameter(0)
  ROOT %fusion = f32[2,3]{1,0} fusion(%p0), kind=kLoop, calls=%fused, metadata={op_type="aten__add" op_name="jit(f)/add" source_file="model.py" source_line=12}, backend_config={"kind":"x"}
}
)");
}

TEST(HloText, IsTheSameWhateverTheIds) {
  const std::string text = printed(small_module(10, 1)).text;
  EXPECT_EQ(printed(small_module(500, 77)).text, text);
  // Newer ids have the computation's in their upper half.
  EXPECT_EQ(printed(small_module((std::int64_t{9} << 32) + 10, 3)).text, text);
}

TEST(HloText, IsReadByTheReaderOfDumps) {
  const Printed made = printed(small_module(10, 1));
  const IrText read = read_ir_text(made.text);
  EXPECT_THAT(read.problems, IsEmpty());
  ASSERT_EQ(read.modules.size(), 1U);
  const schema::IrModule& module = read.modules.front();
  EXPECT_EQ(module.name, "jit_f");
  EXPECT_EQ(module.instruction_count, 4);
  EXPECT_EQ(module.computation_count, 2);
  EXPECT_EQ(module.parameter_bytes, 24);
  EXPECT_FALSE(module.is_unfinished);
}

TEST(HloText, TypesHaveTilesSpacesAndDynamicSizes) {
  const auto type = [](const Message& shape) {
    const std::string line = printed_instruction(hlo_instruction(1, "x", "add", shape));
    return line.substr(5, line.find(" add(") - 5);
  };
  Message tiled = Message().number(2, 16).number(3, 8).number(3, 128);
  tiled.message(5, Message()
                       .number(1, 1)
                       .number(1, 0)
                       .message(6, Message().number(1, 8).number(1, 128))
                       .message(6, Message().number(1, 2).number(1, 1))
                       .number(8, 1)
                       .number(16, 1));
  EXPECT_EQ(type(tiled), "bf16[8,128]{1,0:T(8,128)(2,1)S(1)}");
  EXPECT_EQ(type(Message().number(2, kF32)), "f32[]");
  EXPECT_EQ(type(Message().number(2, kS32).number(3, 4).number(3, 5).number(6, 1).number(6, 0)),
            "s32[<=4,5]");
  EXPECT_EQ(type(hlo_tuple({hlo_array(kF32, {2}), hlo_tuple({}), Message().number(2, 17)})),
            "(f32[2]{0}, (), token[])");
  EXPECT_EQ(type(Message().number(2, 99)), "invalid[]");
}

std::string hash_of_literal(const Message& shape, const Message& values) {
  Message literal = values;
  literal.message(1, shape);
  return schema::content_hash(literal.bytes()).hex();
}

TEST(HloText, SmallConstantsAreWritten) {
  const auto constant = [](const Message& shape, const Message& values) {
    Message literal = values;
    literal.message(1, shape);
    const std::string line =
        printed_instruction(hlo_instruction(1, "x", "constant", shape).message(8, literal));
    return line.substr(line.find("constant("));
  };
  const auto floats = [](std::initializer_list<float> values) {
    std::string bytes;
    for (const float value : values) {
      auto bits = std::bit_cast<std::uint32_t>(value);
      for (int i = 0; i < 4; ++i, bits >>= 8U) bytes += static_cast<char>(bits & 0xFFU);
    }
    return Message().text(8, bytes);
  };
  EXPECT_EQ(constant(hlo_array(kF32, {}), floats({0.5F})), "constant(0.5)");
  EXPECT_EQ(constant(hlo_array(kF32, {2, 2}), floats({1, -2, 1e-6F, 3})),
            "constant({ { 1, -2 }, { 1e-06, 3 } })");
  EXPECT_EQ(constant(hlo_array(kS32, {3}), Message().number(4, 1).number(4, -1).number(4, 7)),
            "constant({1, -1, 7})");
  EXPECT_EQ(constant(hlo_array(kPred, {}), Message().text(2, std::string(1, '\1'))),
            "constant(true)");
  // bf16's 1.5, f16's 1.5, and the smallest number of f16.
  EXPECT_EQ(constant(hlo_array(16, {}), Message().text(13, "\xC0\x3F")), "constant(1.5)");
  EXPECT_EQ(constant(hlo_array(10, {2}), Message().text(11, std::string("\x00\x3E\x01\x00", 4))),
            "constant({1.5, 5.9604645e-08})");
  EXPECT_EQ(constant(hlo_array(kF32, {11}), floats({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})),
            "constant({...} /*" +
                hash_of_literal(hlo_array(kF32, {11}), floats({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})) +
                "*/)");
  EXPECT_THAT(constant(hlo_array(kF32, {2}), floats({1})), StartsWith("constant({...} /*"))
      << "one is missing";
  // The literal has its elements in the order of its layout.
  Message by_columns = Message().number(2, kF32).number(3, 2).number(3, 3);
  by_columns.message(5, Message().number(1, 0).number(1, 1));
  EXPECT_EQ(constant(by_columns, floats({1, 4, 2, 5, 3, 6})),
            "constant({ { 1, 2, 3 }, { 4, 5, 6 } })");
  Message odd = Message().number(2, kF32).number(3, 2).number(3, 1);
  odd.message(5, Message().number(1, 7).number(1, 0));
  EXPECT_THAT(constant(odd, floats({1, 2})), StartsWith("constant({...} /*"));
}

TEST(HloText, ScalarsOfFewBitsAndTuplesAreWritten) {
  const auto scalar = [](std::int64_t type, std::uint32_t field, int byte) {
    Message literal;
    literal.message(1, hlo_array(type, {})).text(field, std::string(1, static_cast<char>(byte)));
    return literal;
  };
  const auto constant = [](const Message& literal) {
    const std::string line =
        printed_instruction(hlo_instruction(1, "x", "constant", kMatrix).message(8, literal));
    return line.substr(line.find("constant("));
  };
  EXPECT_EQ(constant(scalar(19, 19, 0x3C)), "constant(1)");  // f8e5m2
  EXPECT_EQ(constant(scalar(19, 19, 0xFC)), "constant(-inf)");
  EXPECT_EQ(constant(scalar(20, 20, 0x7E)), "constant(448)");  // f8e4m3fn's largest
  EXPECT_EQ(constant(scalar(20, 20, 0x7F)), "constant(nan)");
  EXPECT_EQ(constant(scalar(23, 23, 0x58)), "constant(1)");    // f8e4m3b11fnuz
  EXPECT_EQ(constant(scalar(24, 24, 0x80)), "constant(nan)");  // f8e5m2fnuz
  EXPECT_EQ(constant(scalar(25, 25, 0x7F)), "constant(240)");  // f8e4m3fnuz's largest
  EXPECT_EQ(constant(scalar(28, 28, 0x38)), "constant(1)");    // f8e4m3
  EXPECT_EQ(constant(scalar(29, 29, 0x30)), "constant(1)");    // f8e3m4
  EXPECT_EQ(constant(scalar(21, 21, 0x0F)), "constant(-1)");   // s4, in either half
  EXPECT_EQ(constant(scalar(21, 21, 0xF0)), "constant(-1)");
  EXPECT_EQ(constant(scalar(22, 22, 0x0F)), "constant(15)");  // u4
  Message pair;
  pair.message(1, hlo_tuple({hlo_array(kS32, {}), hlo_array(kS32, {2})}));
  pair.message(10, Message().message(1, hlo_array(kS32, {})).number(4, 5));
  pair.message(10, Message().message(1, hlo_array(kS32, {2})).number(4, 1).number(4, 2));
  EXPECT_EQ(constant(pair), "constant((5, {1, 2}))");
  Message deep = pair;
  for (int i = 0; i < 5000; ++i) deep = Message().message(1, hlo_tuple({})).message(10, deep);
  EXPECT_THAT(constant(deep), HasSubstr("{...} /*"));
}

TEST(HloText, WhatIsLeftOutStillTellsModulesApart) {
  const auto made = [](std::string_view opcode, const Message& fields) {
    Message instruction = hlo_instruction(1, "x", opcode, kMatrix);
    return printed_instruction(instruction.raw(fields.bytes()));
  };
  const auto config = [&](char last) {
    return made("add", Message().text(43, std::string(kMostBackendConfig, 'x') + last));
  };
  EXPECT_NE(config('a'), config('b'));
  const auto floats = [&](char byte) {
    Message literal;
    literal.message(1, hlo_array(kF32, {11})).text(8, std::string(44, byte));
    return made("constant", Message().message(8, literal));
  };
  EXPECT_NE(floats('a'), floats('b'));
  EXPECT_EQ(floats('a'), floats('a'));
  const auto accuracy = [&](int mode) {
    return made("exp", Message().message(91, Message().number(1, mode)));
  };
  EXPECT_NE(accuracy(1), accuracy(2));
  EXPECT_THAT(made("dot", Message().message(51, Message().number(2, 6))),
              HasSubstr(", algorithm=dot_bf16_bf16_f32"));
  EXPECT_THAT(made("convolution", Message().number(75, 2)),
              HasSubstr(", padding_type=PADDING_SAME"));
  EXPECT_THAT(made("parameter", Message().message(61, Message().number(1, 1).number(1, 0))),
              HasSubstr(", parameter_replication={true,false}"));
  EXPECT_THAT(made("domain", Message()
                                 .message(54, Message().number(1, 0))
                                 .message(55, Message().number(1, 1).number(4, 3))),
              HasSubstr(", domain={kind=\"sharding\", entry={replicated}, "
                        "exit={maximal device=3}}"));
  Message split = Message().number(2, kF32).number(3, 8);
  split.message(5, Message().number(1, 0).message(17, Message().number(1, 0).number(2, 4)));
  EXPECT_THAT(printed_instruction(hlo_instruction(1, "x", "add", split)),
              HasSubstr("f32[8]{0:SC(0:4)}"));
  Message module = hlo_module("m", 1, 9, {});
  module.message(18, Message().message(1, Message().number(1, 2)));
  EXPECT_THAT(printed(hlo_proto(module).bytes()).text, HasSubstr(", buffer_donor={ (2, {}) }"));
}

TEST(HloText, AttributesStandAsXlaWritesThem) {
  const auto attributes = [](std::string_view opcode, const auto& add) {
    Message made = hlo_instruction(1, "x", opcode, kMatrix);
    add(made);
    const std::string line = printed_instruction(made);
    const std::string head = std::string(opcode) + "(), ";
    const std::size_t at = line.find(head);
    return at == std::string::npos ? line : line.substr(at + head.size());
  };
  EXPECT_EQ(
      attributes(
          "convolution",
          [](Message& made) {
            const Message dimension =
                Message().number(1, 3).number(2, 2).number(3, 1).number(4, 1).number(5, 1).number(
                    6, 1);
            made.message(15, Message().message(1, dimension).message(1, dimension));
            made.message(16, Message()
                                 .number(7, 0)
                                 .number(8, 3)
                                 .number(11, 1)
                                 .number(11, 2)
                                 .number(3, 2)
                                 .number(4, 3)
                                 .number(6, 0)
                                 .number(6, 1)
                                 .number(9, 0)
                                 .number(10, 3)
                                 .number(12, 1)
                                 .number(12, 2));
            made.number(50, 32);
          }),
      "window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
      "feature_group_count=32");
  EXPECT_EQ(attributes("dot",
                       [](Message& made) {
                         made.message(
                             30, Message().number(1, 2).number(2, 1).number(3, 0).number(4, 0));
                         made.message(51, Message().number(1, 2).number(1, 0));
                       }),
            "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
            "rhs_contracting_dims={1}, operand_precision={highest,default}");
  EXPECT_EQ(attributes("slice",
                       [](Message& made) {
                         made.message(17, Message().number(2, 8).number(3, 1));
                         made.message(17, Message().number(1, 1).number(2, 4).number(3, 2));
                       }),
            "slice={[0:8:1], [1:4:2]}");
  EXPECT_EQ(attributes("broadcast", [](Message&) {}), "dimensions={}");
  EXPECT_EQ(attributes("iota", [](Message& made) { made.number(14, 1); }), "iota_dimension=1");
  EXPECT_EQ(attributes("pad",
                       [](Message& made) {
                         made.message(21, Message()
                                              .message(1, Message().number(1, -1).number(2, 2))
                                              .message(1, Message().number(3, 1)));
                       }),
            "padding=-1_2_0x0_0_1");
  EXPECT_EQ(attributes("custom-call",
                       [](Message& made) { made.text(28, "__cublas$gemm").number(77, 3); }),
            "custom_call_target=\"__cublas$gemm\", "
            "api_version=API_VERSION_STATUS_RETURNING_UNIFIED");
  EXPECT_EQ(attributes("all-reduce",
                       [](Message& made) {
                         made.number(26, 1);
                         made.message(87, Message()
                                              .message(1, Message().number(1, 0).number(1, 1))
                                              .message(1, Message().number(1, 2).number(1, 3)));
                         made.number(71, 1);
                       }),
            "channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true");
  EXPECT_EQ(attributes("all-gather",
                       [](Message& made) {
                         made.number(14, 0);
                         made.message(87, Message().message(2, Message()
                                                                   .number(1, 2)
                                                                   .number(2, 4)
                                                                   .number(3, 4)
                                                                   .number(3, 2)
                                                                   .number(4, 1)
                                                                   .number(4, 0)));
                       }),
            "dimensions={0}, replica_groups=[2,4]<=[4,2]T(1,0)");
  EXPECT_EQ(attributes("add",
                       [](Message& made) {
                         made.message(40, Message().number(1, 3).number(3, 2).number(9, 2));
                         made.message(68, Message()
                                              .message(1, Message().text(1, "b").text(2, "2"))
                                              .message(1, Message().text(1, "a").text(2, "\"")));
                       }),
            "sharding={devices=[2]<=[2]}, frontend_attributes={a=\"\\\"\",b=\"2\"}");
}

TEST(HloText, OperationsThatCallNameWhatTheyCall) {
  const Message truth = hlo_array(kPred, {});
  const Message one = hlo_computation(20, "one", hlo_signature({}, kMatrix), {}, 0);
  const Message other = hlo_computation(21, "other", hlo_signature({}, kMatrix), {}, 0);
  const Message entry = hlo_computation(
      9, "main", hlo_signature({}, kMatrix),
      {hlo_parameter(2, "choice", 0, truth), hlo_parameter(3, "number", 1, hlo_array(kS32, {})),
       hlo_instruction(4, "loop", "while", kMatrix).number(38, 20).number(38, 21),
       hlo_instruction(5, "either", "conditional", kMatrix, {2}).number(38, 20).number(38, 21),
       hlo_instruction(6, "any", "conditional", kMatrix, {3}).number(38, 20).number(38, 21),
       hlo_instruction(7, "sum", "reduce", kMatrix).number(14, 0).number(38, 20),
       hlo_instruction(8, "lost", "call", kMatrix, {99}).number(38, 98).number(37, 7)},
      8);
  const Printed made = printed(hlo_proto(hlo_module("m", 1, 9, {one, other, entry})).bytes());
  const auto ends = [&](std::string_view name) {
    const std::string line = line_of(made, name);
    return line.substr(std::min(line.find("), "), line.size() - 3) + 3);
  };
  EXPECT_EQ(ends("loop"), "condition=%other, body=%one");
  EXPECT_EQ(ends("either"), "true_computation=%one, false_computation=%other");
  EXPECT_EQ(ends("any"), "branch_computations={%one, %other}");
  EXPECT_EQ(ends("sum"), "dimensions={0}, to_apply=%one");
  EXPECT_EQ(line_of(made, "lost"),
            "%lost = f32[2,3]{1,0} call(%missing), to_apply=%missing, control-predecessors={%sum}");
}

TEST(HloText, InstructionsStandInTheOrderOfTheSchedule) {
  const Message entry =
      hlo_computation(9, "main", hlo_signature({}, kMatrix),
                      {hlo_parameter(1, "a", 0, kMatrix), hlo_parameter(2, "b", 1, kMatrix)}, 1);
  Message module = hlo_module("m", 1, 9, {entry});
  const auto with = [&](std::initializer_list<std::int64_t> order) {
    Message sequence;
    for (const std::int64_t id : order) sequence.number(1, id);
    Message scheduled = module;
    scheduled.message(7, Message().message(1, Message().number(1, 9).message(2, sequence)));
    return printed(hlo_proto(scheduled).bytes()).text;
  };
  EXPECT_THAT(with({2, 1}), StartsWith("HloModule m, is_scheduled=true\n"));
  EXPECT_LT(with({2, 1}).find("%b ="), with({2, 1}).find("%a ="));
  EXPECT_LT(with({2, 2}).find("%a ="), with({2, 2}).find("%b =")) << "no order of all of them";
}

TEST(HloText, StackFramesStandInTables) {
  Message module = hlo_module("m", 1, 9, {});
  Message index;
  index.text(1, "/a \"b\".py").text(2, "main").text(2, "forward");
  index.message(3, Message().number(1, 1).number(2, 1).number(3, 5).number(4, 2));
  index.message(3, Message().number(1, 1).number(2, 2).number(3, 77));
  index.message(4, Message().number(1, 1));
  index.message(4, Message().number(1, 2).number(2, 1));
  module.message(17, index);
  EXPECT_THAT(printed(hlo_proto(module).bytes()).text, HasSubstr(R"(
FileNames
1 "/a \"b\".py"

FunctionNames
1 "main"
2 "forward"

FileLocations
1 {file_name_id=1 function_name_id=1 line=5 end_line=0 column=2 end_column=0}
2 {file_name_id=1 function_name_id=2 line=77 end_line=0 column=0 end_column=0}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
)"));
}

TEST(HloText, NamesAndTextsAreOneLineOfPlainCharacters) {
  Message odd = hlo_instruction(1, "a\nb c", "add", kMatrix);
  odd.message(7, Message().text(2, "x\ny\"\xC3\xA9"));
  const Printed made = of_instructions({odd});
  EXPECT_THAT(made.text, HasSubstr("ROOT %a_b_c = f32[2,3]{1,0} add(), "
                                   "metadata={op_name=\"x\\ny\\\"\\303\\251\"}\n"));
  EXPECT_THAT(read_ir_text(made.text).problems, IsEmpty());
  EXPECT_EQ(printed_instruction(hlo_instruction(1, "x", "compare", kMatrix).text(63, "L\nT")),
            "%x = f32[2,3]{1,0} compare(), direction=L_T");
  EXPECT_EQ(printed_instruction(hlo_instruction(1, "x", "fusion", kMatrix).text(11, "k\x01")),
            "%x = f32[2,3]{1,0} fusion(), kind=k_");
  const std::string large(kMostBackendConfig + 1, 'x');
  EXPECT_EQ(printed_instruction(hlo_instruction(1, "x", "add", kMatrix).text(43, large)),
            "%x = f32[2,3]{1,0} add(), backend_config=\"<65537 bytes>\" /*" +
                schema::content_hash(large).hex() + "*/");
}

TEST(HloText, DamageCostsWhatItIsIn) {
  // Between two sound instructions one whose name runs out, and one whose type does.
  const Message broken = Message().text(2, "add").raw(
      "\x0A\x7F"
      "short");
  Message half = Message().text(1, "half").text(2, "negate").number(35, 5);
  half.text(3, "\x10\x0B\x1A\x7F");
  const Printed made = of_instructions({hlo_instruction(3, "a", "add", kMatrix), broken, half,
                                        hlo_instruction(1, "z", "add", kMatrix, {3})});
  EXPECT_EQ(line_of(made, "a"), "%a = f32[2,3]{1,0} add()");
  EXPECT_EQ(line_of(made, "half"), "%half = f32[] negate()");
  EXPECT_EQ(line_of(made, "z"), "%z = f32[2,3]{1,0} add(%a)");
  EXPECT_THAT(made.problems,
              ElementsAre("a length of 127 bytes, of which 5 are there; the instruction  is lost",
                          "a length of 127 bytes, of which 0 are there; a value of the instruction "
                          "half is not all there"));
}

TEST(HloText, DamageInsideOfValuesIsTold) {
  // A list of numbers that ends inside one, deep in an attribute.
  const std::string half_number("\x0A\x02\x01\x80", 4);
  Message grouped = hlo_instruction(1, "x", "all-reduce", kMatrix);
  grouped.raw(Message().text(49, half_number).bytes());
  const Printed made = of_instructions({grouped});
  EXPECT_EQ(line_of(made, "x"), "%x = f32[2,3]{1,0} all-reduce(), replica_groups={{1}}");
  EXPECT_THAT(made.problems, ElementsAre("a number in a list that is no number; a value of the "
                                         "instruction x is not all there"));
  Message module = hlo_module("m", 1, 9, {});
  module.text(7, "\x0A\x7F");
  EXPECT_THAT(printed(hlo_proto(module).bytes()).problems,
              ElementsAre(HasSubstr("something of the module is not all there")));
}

TEST(HloText, NamesOfWhatIsNotThereAreToldOnce) {
  const Printed made =
      of_instructions({hlo_instruction(2, "a", "add", kMatrix, {77, 77}),
                       hlo_instruction(1, "x", "call", kMatrix, {77}).number(38, 88)});
  EXPECT_EQ(line_of(made, "a"), "%a = f32[2,3]{1,0} add(%missing, %missing)");
  EXPECT_THAT(made.problems,
              ElementsAre("the computation main names the instruction 77, which is not there",
                          "the computation main names the computation 88, which is not there"));
}

TEST(HloText, LongListsOfNumbersAreBounded) {
  Message many = hlo_instruction(1, "x", "transpose", kMatrix);
  many.text(14, std::string(3'000'000, '\1'));
  const Printed made = of_instructions({many});
  EXPECT_LT(made.text.size(), 2'100'000U);
  EXPECT_THAT(made.problems, ElementsAre("a list of more than a million numbers; a value of the "
                                         "instruction x is not all there"));
}

TEST(HloText, WithoutAModuleThereIsNoText) {
  EXPECT_EQ(printed("").text, "");
  EXPECT_EQ(printed(Message().text(3, "buffers").bytes()).text, "");
  const Printed cut = printed(Message().length(1, std::uint64_t{1} << 63U).bytes());
  EXPECT_EQ(cut.text, "");
  EXPECT_THAT(cut.problems, ElementsAre(HasSubstr("a length of 9223372036854775808 bytes")));
}

TEST(HloText, ComputationsMayCallEachOther) {
  const Message entry =
      hlo_computation(9, "main", hlo_signature({}, kMatrix),
                      {hlo_instruction(1, "x", "call", kMatrix, {1}).number(38, 9)}, 1);
  EXPECT_EQ(line_of(printed(hlo_proto(hlo_module("m", 1, 9, {entry})).bytes()), "x"),
            "%x = f32[2,3]{1,0} call(%x), to_apply=%main");
}

TEST(HloText, ASmallMessageMakesNoLargeText) {
  // A name of 10,000 bytes that 100,000 operands have.
  Message many = hlo_instruction(1, std::string(10'000, 'n'), "tuple", kMatrix);
  for (int i = 0; i < 100'000; ++i) many.number(36, 1);
  const Message entry = hlo_computation(9, "main", hlo_signature({}, kMatrix), {many}, 1);
  const std::string proto = hlo_proto(hlo_module("m", 1, 9, {entry})).bytes();
  const Printed made = printed(proto);
  EXPECT_LE(made.text.size(), (std::size_t{64} << 10) + kMostHloTextTimes * proto.size());
  EXPECT_THAT(made.problems, ElementsAre("its text is longer than is kept; the rest is left out"));
  // Tuples in tuples, each with a length that is right.
  Message deep = hlo_tuple({});
  for (int i = 0; i < 5000; ++i) deep = hlo_tuple({deep});
  EXPECT_THAT(printed_instruction(hlo_instruction(1, "x", "add", deep)), HasSubstr("(?)"));
}

TEST(HloText, AMillionComputationsTakeSeconds) {
  Message module = hlo_module("m", 1, 9, {});
  const Message empty = Message();
  for (int i = 0; i < 1'100'000; ++i) module.message(3, empty);
  const Printed made = printed(hlo_proto(module).bytes());
  EXPECT_THAT(made.text, StartsWith("HloModule m"));
  EXPECT_THAT(made.problems,
              testing::Contains(HasSubstr("a message of more than a million fields")));
}

TEST(HloText, ManyComputationsOfOneScheduledIdTakeSeconds) {
  Message module = hlo_module("m", 1, 9, {});
  Message sequence;
  for (int i = 0; i < 100'000; ++i) sequence.number(1, i);
  module.message(7, Message().message(1, Message().number(1, 5).message(2, sequence)));
  const Message one = Message().number(5, 5);
  for (int i = 0; i < 200'000; ++i) module.message(3, one);
  const auto begin = std::chrono::steady_clock::now();
  printed(hlo_proto(module).bytes());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(HloText, ManyConditionalsOnOneLargeInstructionTakeSeconds) {
  std::vector<Message> instructions;
  instructions.push_back(hlo_instruction(2, "choice", "parameter", hlo_array(kPred, {})));
  for (int i = 0; i < 200'000; ++i) instructions.back().number(37, 2);
  for (int i = 3; i < 50'000; ++i) {
    instructions.push_back(hlo_instruction(i, "c", "conditional", kMatrix, {2}));
    instructions.back().number(38, 9).number(38, 9);
  }
  const auto begin = std::chrono::steady_clock::now();
  const Printed made = of_instructions(instructions);
  EXPECT_THAT(made.text, HasSubstr("true_computation=%main, false_computation=%main"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

}  // namespace
}  // namespace benchhud::ingest
