#include "ingest/ir/ir_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "ingest/ir/ir_type.h"
#include "tests/unit/places.h"

namespace benchhud::ingest {
namespace {

using schema::IrDialect;
using schema::IrModule;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

const std::string kHlo =
    "HloModule IrToHlo.9, is_scheduled=true, entry_computation_layout={(f32[2,8,8,3]{3,2,1,0}, "
    "/*index=1*/f32[3,3,3,4]{3,2,1,0}, bf16[<=5])->(f32[2,6,6,4]{3,2,1,0}, f32[])}\n"
    "\n"
    "FileNames\n"
    "1 \"train.py\"\n"
    "\n"
    "%fused_computation (p.1: f32[2,6,6,4]) -> f32[2,6,6,4] {\n"
    "  %p.1 = f32[2,6,6,4]{3,2,1,0} parameter(0)\n"
    "  ROOT %e.1 = f32[2,6,6,4]{3,2,1,0} exponential(f32[2,6,6,4]{3,2,1,0} %p.1)\n"
    "}\n"
    "\n"
    "ENTRY %main (a.1: f32[2,8,8,3], b.1: f32[3,3,3,4], c.1: bf16[<=5]) -> (f32[2,6,6,4], f32[]) "
    "{\n"
    "  %a.1 = f32[2,8,8,3]{3,2,1,0} parameter(0), metadata={op_name=\"x } ( \\\" y\"}\n"
    "  %b.1 = f32[3,3,3,4]{3,2,1,0} parameter(1), sharding={replicated}\n"
    "  %c.1 = bf16[<=5]{0} parameter(2)\n"
    "  %constant.1 = f32[2,2]{1,0} constant({ { 1, 2 },\n"
    "    { 3, 4 } })\n"
    "  %conv.1 = f32[2,6,6,4]{3,2,1,0} convolution(%a.1, f32[3,3,3,4]{3,2,1,0} %b.1), "
    "window={size=3x3}, dim_labels=b01f_01io->b01f, metadata={op_type=\"conv\"}\n"
    "  %dot.1 = f32[2,2]{1,0:T(8,128)} dot(%constant.1, constant.1), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={0}\n"
    "  %dot.2 = f32[2,2]{1,0} dot(f32[2,2]{1,0} %constant.1, f32[2,2]{1,0} %dot.1), "
    "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  %gemm.1 = (f32[2,2]{1,0}, s8[64]{0}) custom-call(%dot.1, %dot.2), "
    "custom_call_target=\"__cublas$gemm\", backend_config={\"a\": {\"b\": \"}{\"}}\n"
    "  %call.1 = f32[] custom-call(), custom_call_target=\"Sharding\"\n"
    "  %fusion.1 = f32[2,6,6,4]{3,2,1,0} fusion(%conv.1), kind=kLoop, calls=%fused_computation\n"
    "  ROOT %tuple.1 = (f32[2,6,6,4]{3,2,1,0}, f32[]) tuple(%fusion.1, %call.1)\n"
    "}\n";

const std::string kStableHlo =
    "module @jit_f.3 attributes {mhlo.is_dynamic = false, mhlo.xla_entry_computation_parameter_"
    "layouts = [dense<[1, 0]> : tensor<2xindex>]} {\n"
    "  func.func private @helper(%arg0: tensor<f32>) -> tensor<f32> {\n"
    "    return %arg0 : tensor<f32>\n"
    "  }\n"
    "  func.func public @main(%arg0: tensor<1x8x8x3xf32> {jax.sharding = \"{x: y}\"}, %arg1: "
    "tensor<3x3x3x4x!quant.uniform<i8<-127:127>:f32, 1.0>>, %arg2: tensor<4x4xcomplex<f32>> "
    "loc(\"z\")) -> (tensor<1x6x6x4xf32> {jax.result_info = \"\"}, tensor<i1>) {\n"
    "    %cst = stablehlo.constant dense<\"0xAB } ( \\\" CD\"> : tensor<4xf32>\n"
    "    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, "
    "1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, "
    "tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32> loc(#loc1)\n"
    "    %1 = \"stablehlo.dot_general\"(%cst, %cst) <{dot_dimension_numbers = "
    "#stablehlo.dot<lhs_contracting_dimensions = [0]>}> : (tensor<4xf32>, tensor<4xf32>) -> "
    "tensor<f32>\n"
    "    %2 = mhlo.dot %cst, %cst : tensor<4xf32>\n"
    "    %3:2 = \"stablehlo.reduce_window\"(%0, %1) <{\n"
    "      window_dimensions = array<i64: 1>\n"
    "    }> ({\n"
    "    ^bb0(%a: tensor<f32>, %b: tensor<f32>): %4 = stablehlo.add %a, %b : tensor<f32>\n"
    "      \"stablehlo.return\" (%4) : (tensor<f32>) -> ()\n"
    "    }) : (tensor<1x6x6x4xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)\n"
    "    %5 = stablehlo.reduce(%cst init: %1) applies stablehlo.maximum across dimensions = [0] : "
    "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %6:2 = stablehlo.while(%i = %1, %j = %5) : tensor<f32>, tensor<f32>\n"
    "     cond {\n"
    "      %c = stablehlo.compare LT, %i, %j : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "      stablehlo.return %c : tensor<i1>\n"
    "    } do {\n"
    "      stablehlo.return %j, %i : tensor<f32>, tensor<f32>\n"
    "    }\n"
    "    stablehlo.custom_call @Sharding(%0) {\n"
    "      backend_config = \"\"\n"
    "    } : (tensor<1x6x6x4xf32>) -> ()\n"
    "    %7 = \"stablehlo.custom_call\"(%0) {call_target_name = \"foo\"} : (tensor<1x6x6x4xf32>) "
    "-> tensor<i1>\n"
    "    %8 = call @helper(%1) : (tensor<f32>) -> tensor<f32>\n"
    "    return %0, %7 : tensor<1x6x6x4xf32>, tensor<i1>\n"
    "  } loc(#loc)\n"
    "} loc(#loc)\n";

const std::string kLazy =
    "IR {\n"
    "  %0 = f32[4]{0} xla::device_data(), location=f@a.py:1, xla_shape=f32[4]{0}\n"
    "  %1 = s64[] prim::Constant(), xla_shape=s64[], value=3\n"
    "  %2 = f32[1,27,84,84]{3,2,1,0} xla::device_data(), xla_shape=f32[1,27,84,84]{3,2,1,0}\n"
    "  %3 = f32[32,27,3,3]{3,2,1,0} xla::device_data(), xla_shape=f32[32,27,3,3]{3,2,1,0}\n"
    "  %4 = (f32[1,27,84,84]{3,2,1,0}, f32[27]{0}) aten::native_batch_norm(%2, %0), num_outputs=2, "
    "xla_shape=(f32[1,27,84,84]{3,2,1,0}, f32[27]{0})\n"
    "  %5 = f32[1,32,41,41]{3,2,1,0} aten::convolution_overrideable(%4.0, %3, %0), stride=(2, 2), "
    "transposed=0, xla_shape=f32[1,32,41,41]{3,2,1,0}, ROOT=1\n"
    "  %6 = (f32[4]{0}) xla::custom_call(%0), call_target=gpu_add, xla_shape=(f32[4]{0})\n"
    "  %7 = f32[27]{0} aten::relu(%4.1), xla_shape=f32[27]{0}, ROOT=0, NodeType=N9torch_xlaE\n"
    "}\n";

const IrModule& only(const IrText& read) {
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_THAT(read.modules, SizeIs(1));
  return read.modules.at(0);
}

TEST(IrText, Hlo) {
  const IrText read = read_ir_text(kHlo);
  const IrModule& module = only(read);
  EXPECT_EQ(module.dialect, IrDialect::kHlo);
  EXPECT_EQ(module.name, "IrToHlo.9");
  EXPECT_FALSE(module.is_unfinished);
  EXPECT_EQ(module.length, static_cast<std::int64_t>(kHlo.size()));
  EXPECT_THAT(module.entry_layout, StartsWith("(f32[2,8,8,3]{3,2,1,0}, "));
  EXPECT_TRUE(module.entry_layout.ends_with("->(f32[2,6,6,4]{3,2,1,0}, f32[])"));
  ASSERT_THAT(module.parameters, SizeIs(3));
  EXPECT_EQ(module.parameters[1].name, "b.1");
  EXPECT_EQ(module.parameters[1].type, "f32[3,3,3,4]{3,2,1,0}");
  EXPECT_EQ(module.parameter_bytes, 4 * (2 * 8 * 8 * 3 + 3 * 3 * 3 * 4) + 2 * 5);
  ASSERT_THAT(module.results, SizeIs(2));
  EXPECT_EQ(module.results[0].type, "f32[2,6,6,4]{3,2,1,0}");
  EXPECT_EQ(module.computation_count, 2);
  EXPECT_EQ(module.instruction_count, 13);
  EXPECT_THAT(module.ops, ElementsAre(Pair("parameter", 4), Pair("custom-call", 2), Pair("dot", 2),
                                      Pair("constant", 1), Pair("convolution", 1),
                                      Pair("exponential", 1), Pair("fusion", 1), Pair("tuple", 1)));
  EXPECT_THAT(module.fusion_kinds, ElementsAre(Pair("kLoop", 1)));
  EXPECT_THAT(module.custom_calls, ElementsAre(Pair("Sharding", 1), Pair("__cublas$gemm", 1)));
  ASSERT_THAT(module.contractions, SizeIs(3));
  EXPECT_EQ(module.contractions[0].op, "convolution");
  EXPECT_THAT(module.contractions[0].operands, ElementsAre("f32[2,8,8,3]", "f32[3,3,3,4]"));
  EXPECT_EQ(module.contractions[0].result, "f32[2,6,6,4]");
  EXPECT_EQ(module.contractions[0].dimensions, "window={size=3x3}, dim_labels=b01f_01io->b01f");
  EXPECT_EQ(module.contractions[1].count, 2);
  EXPECT_EQ(module.contractions[1].dimensions,
            "lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  EXPECT_EQ(module.contractions[2].op, "__cublas$gemm");
  EXPECT_THAT(module.contractions[2].operands, ElementsAre("f32[2,2]", "f32[2,2]"));
}

TEST(IrText, HloThatPeopleWrote) {
  const IrText read = read_ir_text(
      "// RUN: a tool\n"
      "HloModule Test\n"
      "add {\n"
      "  x = f32[] parameter(0)\n"
      "  y = f32[] parameter(1) // the other\n"
      "  // CHECK: %[[A:.*]] = b\n"
      "  ROOT add = f32[] add(x, y)\n"
      "}\n"
      "ENTRY main {\n"
      "  q = s32[2, 3] parameter(1)\n"
      "  p = f32[2, 3] parameter(0)\n"
      "  z = f32[] constant(0)\n"
      "  ROOT r = f32[2] reduce(p, z), dimensions={1}, to_apply=add\n"
      "}\n"
      "// CHECK: nothing\n"
      "// -----\n"
      "HloModule Next\n"
      "ENTRY e { \n"
      "  ROOT c = token[] after-all()\n"
      "}, execution_thread=\"main\"\n"
      "Then the log goes on.\n");
  EXPECT_THAT(read.problems, IsEmpty());
  ASSERT_THAT(read.modules, SizeIs(2));
  const IrModule& module = read.modules[0];
  EXPECT_EQ(module.line, 2);
  EXPECT_EQ(module.computation_count, 2);
  EXPECT_EQ(module.instruction_count, 7);
  ASSERT_THAT(module.parameters, SizeIs(2));
  EXPECT_EQ(module.parameters[0].name, "p") << "by their numbers";
  EXPECT_EQ(module.parameter_bytes, 48);
  ASSERT_THAT(module.results, SizeIs(1));
  EXPECT_EQ(module.results[0].type, "f32[2]");
  EXPECT_EQ(read.modules[1].name, "Next");
  EXPECT_THAT(read.modules[1].ops, ElementsAre(Pair("after-all", 1)));
  EXPECT_EQ(read.modules[1].parameter_bytes, 0);
}

TEST(IrText, StableHlo) {
  const IrText read = read_ir_text("#loc = loc(unknown)\n" + kStableHlo + "#loc1 = loc(\"a\")\n");
  const IrModule& module = only(read);
  EXPECT_EQ(module.dialect, IrDialect::kStableHlo);
  EXPECT_EQ(module.name, "jit_f.3");
  EXPECT_EQ(module.line, 2);
  EXPECT_EQ(module.length, static_cast<std::int64_t>(kStableHlo.size()));
  EXPECT_FALSE(module.is_unfinished);
  EXPECT_EQ(module.entry_layout, "[dense<[1, 0]> : tensor<2xindex>]");
  ASSERT_THAT(module.parameters, SizeIs(3));
  EXPECT_EQ(module.parameters[0].name, "%arg0");
  EXPECT_EQ(module.parameters[0].type, "tensor<1x8x8x3xf32>");
  EXPECT_EQ(module.parameters[1].type, "tensor<3x3x3x4x!quant.uniform<i8<-127:127>:f32, 1.0>>");
  EXPECT_EQ(module.parameters[2].type, "tensor<4x4xcomplex<f32>>");
  EXPECT_EQ(module.parameter_bytes, 8 * 8 * 3 * 4 + 3 * 3 * 3 * 4 + 4 * 4 * 8);
  ASSERT_THAT(module.results, SizeIs(2));
  EXPECT_EQ(module.results[0].type, "tensor<1x6x6x4xf32>");
  EXPECT_EQ(module.computation_count, 2);
  EXPECT_THAT(module.ops,
              ElementsAre(Pair("stablehlo.return", 3), Pair("func.return", 2),
                          Pair("stablehlo.custom_call", 2), Pair("func.call", 1),
                          Pair("mhlo.dot", 1), Pair("stablehlo.add", 1),
                          Pair("stablehlo.compare", 1), Pair("stablehlo.constant", 1),
                          Pair("stablehlo.convolution", 1), Pair("stablehlo.dot_general", 1),
                          Pair("stablehlo.maximum", 1), Pair("stablehlo.reduce", 1),
                          Pair("stablehlo.reduce_window", 1), Pair("stablehlo.while", 1)));
  EXPECT_THAT(module.custom_calls, ElementsAre(Pair("Sharding", 1), Pair("foo", 1)));
  ASSERT_THAT(module.contractions, SizeIs(3));
  EXPECT_THAT(module.contractions[0].operands,
              ElementsAre("tensor<1x8x8x3xf32>", "tensor<3x3x3x4xf32>"));
  EXPECT_EQ(module.contractions[0].result, "tensor<1x6x6x4xf32>");
  EXPECT_THAT(module.contractions[0].dimensions, StartsWith("dim_numbers = [b, 0, 1, f]x[0, 1, i"));
  EXPECT_THAT(module.contractions[1].dimensions, HasSubstr("lhs_contracting_dimensions = [0]"));
  EXPECT_EQ(module.contractions[1].result, "tensor<f32>");
  EXPECT_THAT(module.contractions[2].operands, ElementsAre("tensor<4xf32>", "tensor<4xf32>"));
}

TEST(IrText, MlirInItsGenericForm) {
  const IrText read = read_ir_text(
      "\"builtin.module\"() <{sym_name = \"m\"}> ({\n"
      "  \"func.func\"() <{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = \"main\"}> "
      "({\n"
      "  ^bb0(%arg0: tensor<2xf32>):\n"
      "    %0 = \"stablehlo.add\"(%arg0, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
      "    \"func.return\"(%0) : (tensor<2xf32>) -> ()\n"
      "  }) : () -> ()\n"
      "}) : () -> ()\n");
  const IrModule& module = only(read);
  EXPECT_EQ(module.name, "m");
  EXPECT_EQ(module.computation_count, 1);
  EXPECT_THAT(module.ops, ElementsAre(Pair("func.return", 1), Pair("stablehlo.add", 1)));
  ASSERT_THAT(module.parameters, SizeIs(1));
  EXPECT_EQ(module.parameters[0].type, "tensor<2xf32>");
  ASSERT_THAT(module.results, SizeIs(1));
}

TEST(IrText, FunctionsWithoutAModule) {
  const IrText read = read_ir_text(
      "// RUN: x\n"
      "func.func @a(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  return %x : tensor<?xf32>\n"
      "}\n"
      "func.func private @b() -> tensor<f32>\n"
      "// -----\n"
      "func.func @c() {\n"
      "  func.return\n"
      "}\n"
      "and so on\n");
  EXPECT_THAT(read.problems, IsEmpty());
  ASSERT_THAT(read.modules, SizeIs(2));
  EXPECT_EQ(read.modules[0].computation_count, 2);
  EXPECT_EQ(read.modules[0].parameter_bytes, std::nullopt) << "of an unknown size";
  EXPECT_EQ(read.modules[1].line, 7);
  EXPECT_FALSE(read.modules[1].is_unfinished);
}

TEST(IrText, LazyIrWithTheHeadersOfTheRunner) {
  const std::string header =
      "[ScheduleSyncTensorsGraph]\n"
      "TensorsGraphInfo:\n"
      "  mark_step (/x/torch_xla/core/xla_model.py:720)\n"
      "  train (lenet.py:86)\n"
      "\n"
      "Root Hashes: (1a2b)\n"
      "\n"
      "## BEGIN_GRAPH\n";
  const IrText read =
      read_ir_text(header + kLazy + "\n\n## END_GRAPH\n\n" + "## BEGIN_GRAPH\n" + kHlo);
  EXPECT_THAT(read.problems, IsEmpty());
  ASSERT_THAT(read.modules, SizeIs(2));
  const IrModule& module = read.modules[0];
  EXPECT_EQ(module.dialect, IrDialect::kLazy);
  EXPECT_EQ(module.name, "ScheduleSyncTensorsGraph");
  EXPECT_EQ(module.offset, static_cast<std::int64_t>(header.size()));
  EXPECT_EQ(module.line, 9);
  EXPECT_THAT(module.stack,
              ElementsAre("mark_step (/x/torch_xla/core/xla_model.py:720)", "train (lenet.py:86)"));
  ASSERT_THAT(module.parameters, SizeIs(3));
  EXPECT_EQ(module.parameters[1].name, "%2");
  ASSERT_THAT(module.results, SizeIs(2));
  EXPECT_EQ(module.results[0].name, "%7") << "by their numbers";
  EXPECT_EQ(module.instruction_count, 8);
  EXPECT_THAT(module.ops, Contains(Pair("xla::device_data", 3)));
  EXPECT_THAT(module.custom_calls, ElementsAre(Pair("gpu_add", 1)));
  ASSERT_THAT(module.contractions, SizeIs(1));
  EXPECT_THAT(module.contractions[0].operands,
              ElementsAre("f32[1,27,84,84]", "f32[32,27,3,3]", "f32[4]"));
  EXPECT_EQ(module.contractions[0].dimensions, "stride=(2, 2), transposed=0");
  EXPECT_THAT(read.modules[1].stack, IsEmpty()) << "that was the graph before";
}

TEST(IrText, SeveralModulesOfEveryDialectInOneFile) {
  std::string text;
  std::vector<std::size_t> offsets;
  for (int i = 0; i < 3; ++i) {
    for (const std::string& module : {kHlo, kStableHlo, kLazy}) {
      offsets.push_back(text.size());
      text += module + "\n";
    }
  }
  const IrText read = read_ir_text(text);
  EXPECT_THAT(read.problems, IsEmpty());
  ASSERT_THAT(read.modules, SizeIs(9));
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(read.modules[i].offset, static_cast<std::int64_t>(offsets[i]));
  }
}

TEST(IrText, WhatDoesNotEndIsNamedWithItsFirstLine) {
  const IrText read = read_ir_text(
      "\nHloModule m\na {\n  ROOT c = f32[] constant(1)\n  what\n\nb {\n  ROOT c = f32[] "
      "constant(1)\n}\n\nmodule @m {\n  func.func @f() {\n\n\n\nIR {\n  what\n");
  EXPECT_THAT(read.modules, SizeIs(3));
  std::vector<std::pair<std::int64_t, std::string>> problems;
  for (const auto& problem : read.problems) problems.emplace_back(problem.line, problem.reason);
  EXPECT_THAT(
      problems,
      ElementsAre(Pair(5, "no instruction: what"), Pair(3, "computation a does not end"),
                  Pair(2, "module m has no entry computation"), Pair(11, "module m does not end"),
                  Pair(17, "no node: what"), Pair(16, "a graph that does not end")));
}

// What cannot be read costs itself.
TEST(IrText, BrokenInstructions) {
  const IrText hlo = read_ir_text(
      "HloModule m\n"
      "ENTRY e {\n"
      "  a = f32[] constant(1)\n"
      "  nonsense\n"
      "  x = {1,0} add(a, a)\n"
      "  b = f32[2 add(a, (a\n"
      "  c = f32[] add(a, a)\n"
      "  ROOT d = f32[] add(c, \"a)\n"
      "}\n");
  ASSERT_THAT(hlo.modules, SizeIs(1));
  EXPECT_FALSE(hlo.modules[0].is_unfinished);
  EXPECT_THAT(hlo.modules[0].ops, ElementsAre(Pair("add", 2), Pair("constant", 1)));
  ASSERT_THAT(hlo.problems, SizeIs(3));
  EXPECT_EQ(hlo.problems[0].line, 4);
  EXPECT_EQ(hlo.problems[0].reason, "no instruction: nonsense");
  EXPECT_EQ(hlo.problems[1].reason, "no instruction: x = {1,0} add(a, a)");
  EXPECT_EQ(hlo.problems[2].line, 6);
  EXPECT_THAT(hlo.problems[2].reason, StartsWith("an instruction that does not end: b = f32[2"));

  const IrText mlir = read_ir_text(
      "module @m {\n"
      "  func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
      "    %0 = stablehlo.add(%a, [%a : tensor<f32>\n"
      "    %1 = stablehlo.add %a, %a : tensor<f32>\n"
      "    return %1 : tensor<f32>\n"
      "  }\n"
      "}\n");
  ASSERT_THAT(mlir.modules, SizeIs(1));
  EXPECT_FALSE(mlir.modules[0].is_unfinished);
  EXPECT_THAT(mlir.modules[0].ops, ElementsAre(Pair("stablehlo.add", 2), Pair("func.return", 1)));
  ASSERT_THAT(mlir.problems, SizeIs(1));
  EXPECT_EQ(mlir.problems[0].line, 4);

  const IrText lazy =
      read_ir_text("IR {\n  %0 = f32[] aten::a()\n  what?\n  %1 = f32[] b(%0)\n}\n");
  ASSERT_THAT(lazy.modules, SizeIs(1));
  EXPECT_EQ(lazy.modules[0].instruction_count, 2);
  ASSERT_THAT(lazy.problems, SizeIs(1));
  EXPECT_EQ(lazy.problems[0].line, 3);
}

TEST(IrText, FilesThatEndAnywhere) {
  for (const std::string& text : {kHlo, kStableHlo, kLazy}) {
    for (std::size_t size = 0; size < text.size() - 1; ++size) {
      const IrText read = read_ir_text(std::string_view(text).substr(0, size));
      ASSERT_LE(read.modules.size(), 1u) << size;
      for (const IrModule& module : read.modules) {
        EXPECT_LE(module.offset + module.length, static_cast<std::int64_t>(size));
        const bool is_all_there = text.find_last_of('}') < size;
        EXPECT_EQ(module.is_unfinished, !is_all_there) << text.substr(0, size);
        EXPECT_TRUE(is_all_there || !read.problems.empty());
      }
    }
    // The last, unfinished module does not take the next along.
    const std::string half = text.substr(0, text.rfind('\n', text.size() - 40) + 1);
    const IrText both = read_ir_text(half + kHlo);
    ASSERT_THAT(both.modules, SizeIs(2));
    EXPECT_TRUE(both.modules[0].is_unfinished);
    EXPECT_EQ(both.modules[0].length, static_cast<std::int64_t>(half.size()));
    EXPECT_FALSE(both.modules[1].is_unfinished);
  }
}

std::string repeated(std::string_view part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

// Each would take hours where time is not linear, or the stack where reading recurses.
TEST(IrText, HostileTexts) {
  constexpr std::size_t kMany = 300'000;
  const std::string texts[] = {
      "HloModule m\nENTRY e {\n a = f32[] b(" + repeated("(", kMany),
      "HloModule m\nENTRY e {\n a = " + repeated("((", kMany) + repeated("))", kMany) + " b()\n}\n",
      "HloModule m\nENTRY e {\n" + repeated(" a = f32[] b({\n", kMany),
      "HloModule m\nENTRY e {\n" + repeated("\"", kMany) + repeated("\\\"", kMany),
      "HloModule m\n" + repeated("c {\n", kMany),
      "HloModule m\n" + repeated("c (p: (((", kMany),
      repeated("HloModule m\n", kMany),
      repeated("module {\n", kMany),
      repeated("module @m {{{(\n", kMany),
      "module {\n" + repeated("%a = b({\n", kMany),
      "module {\n" + repeated("^a(\n%x = b\n", kMany),
      "module {\n" + repeated("^a(^a():", kMany),
      "module {\n" + repeated("^a():", kMany),
      "module {" + repeated("{^a(", kMany),
      repeated("module{", 4 * kMany),
      "module {" + repeated("\"\\\"", kMany),
      "module {" + repeated("{ \"", kMany),
      "module {" + repeated("<(", kMany) + repeated("}", kMany),
      repeated("func.func @a(\n", kMany),
      "IR {\n" + repeated("%0 = (", kMany),
      repeated("IR {\n", kMany),
      "IR {\n %0 = (" + repeated("f32[],", kMany) + "f32[]) a()\n" +
          repeated(" %1 = f32[] aten::mm(%0.1, %0.2)\n", kMany / 10) + "}\n",
      repeated("[a]\nTensorsGraphInfo:\n  f (x:1)\n", kMany),
  };
  for (const std::string& text : texts) {
    const auto begin = std::chrono::steady_clock::now();
    const IrText read = read_ir_text(text);
    EXPECT_LE(read.problems.size(), 1001u);
    EXPECT_LE(read.modules.size(), 100'000u);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60))
        << text.substr(0, 40);
  }
}

// A type that is named once and used by many must not be copied for each.
TEST(IrText, ContractionsAreBounded) {
  std::string text = "HloModule m\nENTRY e {\n  a = (";
  text += repeated("f32[111,111,111,111],", 10'000) + "f32[]) parameter(0)\n";
  for (int i = 0; i < 40'000; ++i) {
    text += "  b = f32[" + std::to_string(i) + "] dot(a,a,a,a,a,a,a,a)\n";
  }
  const IrText read = read_ir_text(text + "}\n");
  ASSERT_THAT(read.modules, SizeIs(1));
  EXPECT_GT(read.modules[0].contractions.size(), 1000u);
  EXPECT_LT(read.modules[0].contractions.size(), 20'000u);
  EXPECT_THAT(read.modules[0].ops, Contains(Pair("dot", 40'000)));
  ASSERT_THAT(read.problems, SizeIs(1));
  EXPECT_THAT(read.problems[0].reason, HasSubstr("more kinds of convolutions and dots"));
}

TEST(IrText, AConstantOfMegabytes) {
  const std::string digits = repeated("0123456789ABCDEF", 1 << 18);
  const IrText read = read_ir_text(
      "HloModule m\nENTRY e {\n  ROOT a = f32[9] constant({" + repeated("1, ", 1 << 20) +
      "2})\n}\n\nmodule @n {\n  func.func @main() -> tensor<9xf32> {\n    %0 = stablehlo.constant "
      "dense<\"0x" +
      digits + "\"> : tensor<9xf32>\n    return %0 : tensor<9xf32>\n  }\n}\n");
  EXPECT_THAT(read.problems, IsEmpty());
  ASSERT_THAT(read.modules, SizeIs(2));
  EXPECT_EQ(read.modules[0].instruction_count, 1);
  EXPECT_EQ(read.modules[1].instruction_count, 2);
}

TEST(IrType, BytesOfTypes) {
  EXPECT_EQ(xla_type_bytes("f32[2,3]{1,0:T(8,128)}"), 24);
  EXPECT_EQ(xla_type_bytes("f32[2, 3]"), 24);
  EXPECT_EQ(xla_type_bytes("((pred[7], s4[3]), /*index=1*/c64[2], bf16[])"), 7 + 3 + 16 + 2);
  EXPECT_EQ(xla_type_bytes("f8e4m3fn[<=5]"), 5);
  EXPECT_EQ(xla_type_bytes("()"), 0);
  EXPECT_EQ(xla_type_bytes("token[]"), 0);
  EXPECT_EQ(xla_type_bytes("f32[0,99]"), 0);
  for (const char* type : {"", "f32", "f32[?]", "f32[-1]", "x32[1]", "f[1]", "f32[1", "f0[1]",
                           "f32[4294967296,4294967296]", "[Float[2]]"}) {
    EXPECT_EQ(xla_type_bytes(type), std::nullopt) << type;
  }
  EXPECT_EQ(mlir_type_bytes("tensor<2x3xbf16>"), 12);
  EXPECT_EQ(mlir_type_bytes("tensor<i1>"), 1);
  EXPECT_EQ(mlir_type_bytes("tensor<4xui8, #stablehlo.bounds<4>>"), 4);
  EXPECT_EQ(mlir_type_bytes("tuple<tensor<f64>, tensor<2xcomplex<f32>>>"), 8 + 16);
  EXPECT_EQ(mlir_type_bytes("tensor<3x!quant.uniform<u8:f32, 1.0>>"), 3);
  EXPECT_EQ(mlir_type_bytes("!stablehlo.token"), 0);
  for (const char* type : {"", "f32", "tensor<?xf32>", "tensor<2x", "tensor<*xf32>", "tensor<",
                           "tensor<4294967296x4294967296xf32>", "tensor<index>"}) {
    EXPECT_EQ(mlir_type_bytes(type), std::nullopt) << type;
  }
}

TEST(IrType, ListsAndBrackets) {
  EXPECT_THAT(split_list("a, (b, c), {d: \"e, f\"} g"),
              ElementsAre("a", "(b, c)", "{d: \"e, f\"} g"));
  EXPECT_THAT(split_list("x<1, 2>, (y) -> z, w", true), ElementsAre("x<1, 2>", "(y) -> z", "w"));
  EXPECT_THAT(split_list(" "), IsEmpty());
  EXPECT_EQ(bracket_end("(a[b]) c"), 6u);
  EXPECT_EQ(bracket_end("(a"), std::string_view::npos);
  EXPECT_EQ(bracket_end("<a -> b> c", true), 8u);
  EXPECT_EQ(without_layout("(f32[2, 3]{1,0}, /*index=1*/s8[]{:T(1)})", 99), "(f32[2,3],s8[])");
  EXPECT_EQ(shortened("  a \n\t b  ", 10), "a b");
  EXPECT_EQ(shortened("abcdef", 4), "abcd…");
  EXPECT_EQ(shortened("abc\xC3\xA9", 4), "abc…") << "not within a character";
}

std::string shared_text(const std::string& name) {
  const auto path = shared_folder() / "data/ir" / name;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(IrText, RealDumps) {
  const std::string log = shared_text("test_as_stride_bug_2.log");
  if (log.empty()) GTEST_SKIP() << "shared/data/ir is not beside the checkout";
  const IrText found = read_ir_text(log);
  EXPECT_THAT(found.problems, IsEmpty());
  ASSERT_THAT(found.modules, SizeIs(2));
  EXPECT_EQ(found.modules[1].name, "IrToHlo.202");
  EXPECT_EQ(found.modules[1].computation_count, 5);
  EXPECT_EQ(found.modules[1].parameter_bytes, 4 * 2 * 4 * 256 * 256 * 4);
  EXPECT_THAT(found.modules[1].custom_calls, Contains(Pair("tpu_custom_call", 1)));
  // Lines that hold an instruction, counted without reading them.
  std::int64_t lines = 0;
  std::istringstream stream(log);
  for (std::string line; std::getline(stream, line);) {
    lines += line.starts_with("  %") || line.starts_with("  ROOT %");
  }
  EXPECT_EQ(found.modules[0].instruction_count + found.modules[1].instruction_count, lines);

  const IrText resnet = read_ir_text(shared_text("resnet18_qdq_stablehlo.txt"));
  EXPECT_THAT(resnet.problems, IsEmpty());
  ASSERT_THAT(resnet.modules, SizeIs(1));
  EXPECT_THAT(resnet.modules[0].parameters, SizeIs(43));
  EXPECT_THAT(resnet.modules[0].ops, Contains(Pair("stablehlo.convolution", 20)));
  std::int64_t convolutions = 0;
  for (const auto& contraction : resnet.modules[0].contractions) convolutions += contraction.count;
  EXPECT_EQ(convolutions, 21) << "with the dot of its last layer";

  EXPECT_THAT(read_ir_text(shared_text("hlo/element_wise_row_vectorization.hlo")).modules,
              SizeIs(11));
  EXPECT_THAT(read_ir_text(shared_text("out_stablehlo.txt")).modules, IsEmpty())
      << "a build's output";
}

}  // namespace
}  // namespace benchhud::ingest
