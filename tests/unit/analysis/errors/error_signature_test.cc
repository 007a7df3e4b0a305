#include "analysis/errors/error_signature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>

#include "tests/unit/places.h"

namespace benchhud::analysis {
namespace {

// What precedes an exception's line.
std::string traceback(const std::string& last, const std::string& function = "forward") {
  return "Traceback (most recent call last):\n"
         "  File \"xla/benchmarks/experiment_runner.py\", line 945, in <module>\n    main()\n"
         "  File \"/opt/torch/nn/x.py\", line 12, in " +
         function + "\n    return self.layer(x)\n           ~~~~~~~~~~^^^\n" + last + "\n";
}

struct Case {
  std::string text;
  ErrorKind kind;
  std::string signature;
};

void expect(const Case& expected) {
  const ErrorSummary summary = summarize_error(expected.text);
  EXPECT_EQ(summary.signature, expected.signature) << expected.text.substr(0, 500);
  EXPECT_EQ(error_kind_name(summary.kind), error_kind_name(expected.kind))
      << expected.text.substr(0, 500);
}

TEST(ErrorSignature, WhatTheRunnerWritesItself) {
  expect({"SKIP", ErrorKind::kSkipped, "SKIP"});
  expect({" SKIP\n", ErrorKind::kSkipped, "SKIP"});
  expect(
      {"Command '['/usr/bin/python', 'runner.py', '--model-config={\"model_name\": \"hf_T5\"}']' "
       "timed out after 1800 seconds",
       ErrorKind::kTimedOut, "TimeoutExpired: timed out"});
  expect({"Command '['python']' died with <Signals.SIGABRT: 6>.", ErrorKind::kCrashed,
          "CalledProcessError: died with SIGABRT"});
  expect({"Command '['python']' returned non-zero exit status 137.", ErrorKind::kOther,
          "CalledProcessError: returned non-zero exit status 137"});
  expect({"TIMEOUT", ErrorKind::kTimedOut, "TimeoutExpired: timed out"});
  expect({"Process 31337 timed out after 1800 seconds: the benchmark hf_T5 was killed",
          ErrorKind::kTimedOut, "TimeoutExpired: timed out"});
  expect(
      {"subprocess.TimeoutExpired: Command '['python', '--model=hf_T5']' timed out after 900.5 "
       "seconds",
       ErrorKind::kTimedOut, "TimeoutExpired: timed out"});
  expect({"socket timed out after all", ErrorKind::kOther, "socket timed out after all"});
  expect({"Model's `DEFAULT_EVAL_BSIZE` is not implemented.", ErrorKind::kOther,
          "Model's `DEFAULT_EVAL_BSIZE` is not implemented."});
  expect({"", ErrorKind::kOther, "(no message)"});
  expect({" \n\t ", ErrorKind::kOther, "(no message)"});
}

TEST(ErrorSignature, AnExceptionIsItsClassAndItsMessage) {
  expect({traceback("RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x9 and 8x9)"),
          ErrorKind::kException,
          "RuntimeError: mat1 and mat2 shapes cannot be multiplied (NxN and NxN)"});
  expect(
      {traceback("RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got "
                 "input of size: [4, 3, 224, 224, 1]"),
       ErrorKind::kException,
       "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of "
       "size: [N...]"});
  expect(
      {traceback("FileNotFoundError: [Errno 2] No such file or directory: '/root/.cache/x-12.pth'"),
       ErrorKind::kException, "FileNotFoundError: [Errno 2] No such file or directory: 'PATH'"});
  expect({traceback("KeyError: 'foo'"), ErrorKind::kException, "KeyError: 'foo'"});
  expect({traceback("AssertionError"), ErrorKind::kException, "AssertionError in forward"});
  expect({"RuntimeError: no traceback, 3 of 4", ErrorKind::kException,
          "RuntimeError: no traceback, N of N"});
}

TEST(ErrorSignature, AdviceIsNoPartOfTheMessage) {
  expect({traceback("RuntimeError: CUDA error: an illegal memory access was encountered\n"
                    "CUDA kernel errors might be asynchronously reported at some other API call\n"
                    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1"),
          ErrorKind::kException,
          "RuntimeError: CUDA error: an illegal memory access was encountered"});
  expect(
      {traceback("torch._dynamo.exc.BackendCompilerFailed: backend='openxla' raised:\n"
                 "RuntimeError: torch_xla/csrc/xla_graph_executor.cpp:625 : Check failed: "
                 "cachedComputation \n*** Begin stack trace ***\n\ttsl::CurrentStackTrace()\n\n\n"
                 "Set TORCH_LOGS=\"+dynamo\""),
       ErrorKind::kException,
       "BackendCompilerFailed: backend='openxla' raised: RuntimeError: xla_graph_executor.cpp:N : "
       "Check failed: cachedComputation"});
  expect({traceback("ValueError: bad\nI0000 00:00:1711990897.946354    2258 service.cc:145] freed"),
          ErrorKind::kException, "ValueError: bad"});
}

TEST(ErrorSignature, EvalAndTrainOfOneCauseAreOne) {
  const std::string head =
      "torch._dynamo.exc.TorchRuntimeError: Failed running call_function <built-in function "
      "linear>(*(FakeTensor(..., size=(4, 9)";
  const std::string tail =
      "), Parameter(FakeTensor(..., size=(9, 8), requires_grad=True))), **{}):\n"
      "a and b must have same reduction dim, but got [4, 9] X [8, 9].\n\nfrom user code:\n   File "
      "x";
  const std::string signature =
      "TorchRuntimeError: Failed running call_function <built-in function linear>(...): a "
      "and b must have same reduction dim, but got [N...] X [N...].";
  expect({traceback(head + tail), ErrorKind::kException, signature});
  expect({traceback(head + ", grad_fn=<AddmmBackward0>" + tail), ErrorKind::kException, signature});
}

TEST(ErrorSignature, TheLastExceptionOfAChainThatMatters) {
  const std::string first = traceback("RuntimeError: cause 1");
  expect({first + "\nDuring handling of the above exception, another exception occurred:\n\n" +
              traceback("ValueError: other"),
          ErrorKind::kException, "ValueError: other"});
  // The verifier's own exception only says that there is a cause.
  expect({first + "\nThe above exception was the direct cause of the following exception:\n\n" +
              traceback("verifier.VerificationException: verifier failed with code: X"),
          ErrorKind::kException, "RuntimeError: cause N"});
  expect({first + "Exception ignored in: <function X.__del__ at 0x7f>\n" +
              traceback("AttributeError: 'NoneType' object has no attribute 'x'"),
          ErrorKind::kException, "RuntimeError: cause N"});
  // One behind a log's prefix was survived.
  expect({first + "\nW0424 15:37:20.1 1 x.py:1] Traceback (most recent call last):\n  File \"a\"\n",
          ErrorKind::kException, "RuntimeError: cause N"});
  expect({first + "\nterminate called after throwing an instance of 'c10::Error'\n"
                  "  what():  CUDA error: driver shutting down\n",
          ErrorKind::kException, "RuntimeError: cause N"});
}

TEST(ErrorSignature, LackOfMemoryWithoutAmounts) {
  expect(
      {traceback("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 158.00 MiB. GPU 0 "
                 "has a total capacity of 15.77 GiB of which 79.88 MiB is free."),
       ErrorKind::kOutOfMemory, "OutOfMemoryError: CUDA out of memory"});
  expect(
      {traceback("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU "
                 "0; 15.77 GiB total capacity; 14.37 GiB already allocated)"),
       ErrorKind::kOutOfMemory, "OutOfMemoryError: CUDA out of memory"});
  expect({traceback("RuntimeError: Bad StatusOr access: RESOURCE_EXHAUSTED: Out of memory while "
                    "trying to allocate 16106127360 bytes.\nBufferAssignment OOM Debugging."),
          ErrorKind::kOutOfMemory,
          "RuntimeError: Bad StatusOr access: RESOURCE_EXHAUSTED: Out of memory while trying to "
          "allocate N bytes"});
  expect(
      {"Exception in device=TPU:4: RESOURCE_EXHAUSTED: Attempting to reserve 6.48G at the bottom "
       "of memory. That was not possible. There are 6.78G free",
       ErrorKind::kOutOfMemory,
       "Exception: RESOURCE_EXHAUSTED: Attempting to reserve N bytes at the bottom of memory"});
}

TEST(ErrorSignature, CrashesAreTheirBestLine) {
  expect(
      {"2023-04-08 11:22:09.148143: F tensorflow/tsl/platform/statusor.cc:33] Attempting to fetch "
       "value instead of handling error INTERNAL: x\n"
       "https://symbolize.stripped_domain/r/?trace=7ff9fecab00b\n"
       "*** SIGABRT received by PID 13755 (TID 16714) on cpu 80 from PID 13755; stack trace: ***\n"
       "PC: @     0x7ff9fecab00b  (unknown)  raise\n",
       ErrorKind::kCrashed,
       "statusor.cc:N] Attempting to fetch value instead of handling error INTERNAL: x"});
  expect(
      {"I0000 00:00:17 1 service.cc:145] hi\n"
       "F0120 12:29:23.305308   34355 fusion_emitter.cc:6694] Check failed: IsFusible(user)\n",
       ErrorKind::kCrashed, "fusion_emitter.cc:N] Check failed: IsFusible(user)"});
  expect({"*** SIGSEGV (@(nil)), see go/stacktraces#s15 received by PID 160 (TID 3418) on cpu 100",
          ErrorKind::kCrashed, "SIGSEGV"});
  expect({"*** Received signal 11 ***\n/opt/x.so(+0x4d)[0x7f]", ErrorKind::kCrashed,
          "*** Received signal 11 ***"});
  expect(
      {"terminate called after throwing an instance of 'c10::Error'\n  what():  driver gone\n"
       "Aborted (core dumped)",
       ErrorKind::kCrashed, "what(): driver gone"});
  expect(
      {"Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f (most recent call "
       "first):",
       ErrorKind::kCrashed, "Fatal Python error: Segmentation fault"});
}

TEST(ErrorSignature, OtherwiseTheLineThatSpeaksOfAnError) {
  expect({"usage: runner.py [-h]\nrunner.py: error: argument --repeat: invalid int value: 'x'\nbye",
          ErrorKind::kOther, "runner.py: error: argument --repeat: invalid int value: 'x'"});
  expect({"one\ntwo 22\n", ErrorKind::kOther, "two N"});
}

TEST(ErrorSignature, WindowsLineEndsAndRanksDoNotMatter) {
  std::string windows = traceback("KeyError: 'foo'");
  for (std::size_t at = 0; (at = windows.find('\n', at)) != std::string::npos; at += 2) {
    windows.replace(at, 1, "\r\n");
  }
  expect({windows, ErrorKind::kException, "KeyError: 'foo'"});
  std::string ranked = "[rank3]: " + traceback("KeyError: 'foo'");
  for (std::size_t at = 0; (at = ranked.find('\n', at)) + 1 < ranked.size(); ++at) {
    ranked.insert(at + 1, "[rank3]: ");
  }
  expect({ranked, ErrorKind::kException, "KeyError: 'foo'"});
}

// Every error of the nights in samples/ by cause: three, and what was skipped.
TEST(ErrorSignature, TheSamplesFailForThreeReasons) {
  const std::filesystem::path nights = source_root() / "samples/cpu_nightlies";
  ASSERT_TRUE(std::filesystem::exists(nights));
  std::map<std::string, int> counts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(nights)) {
    if (entry.path().filename() != "results.jsonl") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const auto parsed = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (!parsed.is_object() || !parsed["metrics"].contains("error")) continue;
      ++counts[summarize_error(parsed["metrics"]["error"].get<std::string>()).signature];
    }
  }
  const std::map<std::string, int> expected = {
      {"RuntimeError: mat1 and mat2 shapes cannot be multiplied (NxN and NxN)", 108},
      {"SKIP", 28},
      {"TorchRuntimeError: Failed running call_function <built-in function linear>(...): "
       "a "
       "and b must have same reduction dim, but got [N...] X [N...].",
       112}};
  EXPECT_EQ(counts, expected);
}

bool is_utf8(const std::string& text) {
  // A strict dump refuses what is not.
  try {
    return !nlohmann::json(text).dump().empty();
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

TEST(ErrorSignature, AnyBytesGiveABoundedLineOfUtf8) {
  std::mt19937_64 random(3);
  const std::string pieces[] = {"Traceback (most recent call last):\n",
                                "  File \"x\", line 1, in f\n",
                                "RuntimeError: ",
                                "\n",
                                "(",
                                ")",
                                "\xc3",
                                "\xed\xa0\x80",
                                "\xf0\x9f\x98\x80",
                                "1",
                                ", ",
                                "-",
                                "/a/b",
                                "0x",
                                "\x1b[31m",
                                "2024-01-01 10:00:00",
                                "N",
                                "what():",
                                "terminate called",
                                "F0120 ",
                                "] ",
                                "é",
                                "=",
                                "..."};
  std::uniform_int_distribution<std::size_t> which(0, std::size(pieces) - 1);
  std::uniform_int_distribution<int> byte(0, 255);
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text;
    for (int i = 0; i < trial % 60; ++i) {
      text += pieces[which(random)];
      if (i % 7 == 0) text += static_cast<char>(byte(random));
    }
    const std::string signature = summarize_error(text).signature;
    ASSERT_FALSE(signature.empty());
    ASSERT_LE(signature.size(), kSignatureLimit);
    ASSERT_TRUE(is_utf8(signature)) << text;
    ASSERT_EQ(signature.find_first_of("\n\r\t"), std::string::npos);
  }
}

TEST(ErrorSignature, LongMessagesAreCutBetweenCharacters) {
  std::string text = traceback("ValueError: a");
  text.pop_back();
  for (int i = 0; i < 5000; ++i) text += "é";
  const std::string signature = summarize_error(text).signature;
  EXPECT_LE(signature.size(), kSignatureLimit);
  EXPECT_GT(signature.size(), kSignatureLimit - 5);
  EXPECT_TRUE(signature.ends_with("é..."));
}

// Texts of about so many bytes.
std::vector<std::string> long_texts(std::size_t size) {
  std::string warnings;
  while (warnings.size() < size) {
    warnings += "/usr/lib/x.py:12: UserWarning: something is off in /path/a/b\n  warnings.warn(\n";
  }
  return {warnings + traceback("RuntimeError: end"), std::string(size, '('), std::string(size, '/'),
          std::string(size, '\n'),
          traceback("X: " + std::string(size / 2, '[') + std::string(size / 2, ']'))};
}

// In processor time, which other processes do not add to but by making memory slow to get: the
// least of several tries.
double seconds_of_signature(const std::string& text) {
  std::clock_t least = std::numeric_limits<std::clock_t>::max();
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();
    EXPECT_FALSE(summarize_error(text).signature.empty());
    least = std::min(least, std::clock() - start);
  }
  return static_cast<double>(least) / CLOCKS_PER_SEC;
}

TEST(ErrorSignature, TakesTimeThatGrowsWithTheText) {
  const auto shorter = long_texts(1'000'000), longer = long_texts(8'000'000);
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    // What took 64 times as long would be quadratic. Of less than a millisecond no multiple says
    // anything.
    EXPECT_LT(seconds_of_signature(longer[i]),
              32 * std::max(0.001, seconds_of_signature(shorter[i])))
        << i;
  }
}

TEST(ErrorKind, NamesAreDistinct) {
  std::set<std::string_view> names;
  for (auto kind : {ErrorKind::kSkipped, ErrorKind::kTimedOut, ErrorKind::kOutOfMemory,
                    ErrorKind::kCrashed, ErrorKind::kException, ErrorKind::kOther}) {
    names.insert(error_kind_name(kind));
  }
  EXPECT_EQ(names.size(), 6U);
  EXPECT_EQ(summarize_error("SKIP").kind, ErrorKind::kSkipped);
}

}  // namespace
}  // namespace benchhud::analysis
