#include "service/traces/launch_origin.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/trace/trace_context.h"
#include "analysis/trace/trace_findings.h"
#include "schema/store/migrate.h"
#include "tests/unit/analysis/trace_builder.h"
#include "trace/answers/trace_next.h"
#include "trace/trace_device.h"
#include "trace/trace_index.h"
#include "trace/trace_store.h"

namespace benchhud::service {
namespace {

using analysis::TraceBuilder;
using trace::TraceFlow;

class LaunchOrigins : public testing::Test {
 protected:
  LaunchOrigins() {
    auto opened = schema::Connection::open(":memory:", schema::OpenMode::kReadWriteCreate);
    EXPECT_TRUE(opened && schema::migrate(*opened) && opened->execute("BEGIN"));
    connection_.emplace(*std::move(opened));
  }

  void keep(const TraceBuilder& builder) {
    const auto nesting = trace::nest(builder.trace(), trace::NestingRows::kYes);
    const auto id = trace::put_trace(*connection_, builder.trace(), nesting, nullptr,
                                     schema::content_hash("content"), 1);
    ASSERT_TRUE(id) << id.error().message;
    id_ = *id;
    ASSERT_TRUE(trace::put_trace_findings(
        *connection_, id_,
        analysis::trace_findings(analysis::TraceContext(builder.trace(), nesting))));
  }

  trace::SliceDetails details_of(const std::string& name) {
    trace::TraceQueries lookup(*connection_, id_);
    const auto index = trace::TraceIndex::open(*connection_, id_);
    EXPECT_TRUE(index && *index);
    trace::NextQuery query;
    const auto info = lookup.info();
    for (std::int64_t i = 0; i < info->labels; ++i) {
      query.labels.push_back(lookup.label(static_cast<std::uint32_t>(i))->name == name);
    }
    const auto slice = trace::next_slice(*connection_, id_, **index, query);
    EXPECT_TRUE(slice && *slice) << name;
    const auto details = lookup.details((*slice)->id);
    EXPECT_TRUE(details);
    EXPECT_TRUE(has_launch_origin(details->label));
    return *details;
  }
  LaunchOrigin origin_of(const std::string& name) {
    const auto origin = launch_origin(*connection_, id_, details_of(name));
    EXPECT_TRUE(origin) << origin.error().message;
    return *origin;
  }
  std::string name_of(const std::optional<trace::PlacedSlice>& slice) {
    if (!slice) return "unknown";
    return trace::TraceQueries(*connection_, id_).label(slice->slice.label)->name;
  }

  std::optional<schema::Connection> connection_;
  schema::TraceId id_{};
};

// A forward operator under a module, and its backward on autograd's thread.
TraceBuilder training() {
  TraceBuilder trace;
  trace.add("user_annotation", "ProfilerStep#7", 0, 0, 1'000);
  trace.add("python_function", "train.py(12): step", 0, 10, 400);
  trace.add("python_function", "nn.Module: Linear_0", 0, 20, 300);
  trace.add("python_function", "torch/nn/modules/linear.py(114): forward", 0, 30, 290);
  trace.add("python_function", "<built-in function linear>", 0, 40, 280);
  const auto outer = trace.add("cpu_op", "aten::linear", 0, 50, 270);
  const auto inner = trace.add("cpu_op", "aten::addmm", 0, 60, 260);
  trace.set_external_id(outer, 5);
  trace.set_external_id(inner, 6);
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 70, 80, 1);
  const auto kernel = trace.add("kernel", "gemm", 2, 500, 600, 1);
  trace.set_external_id(kernel, 5);
  trace.add("cpu_op", "AddmmBackward0", 1, 700, 900);
  trace.add("cuda_runtime", "cudaLaunchKernel", 1, 710, 720, 2);
  trace.add("kernel", "gemm_backward", 2, 800, 850, 2);
  trace.flow(TraceFlow::Step::kStart, 1, "fwdbwd", 0, 60);
  trace.flow(TraceFlow::Step::kEnd, 1, "fwdbwd", 1, 700);
  return trace;
}

TEST_F(LaunchOrigins, OperatorModuleLineAndStepAreThoseAroundTheCall) {
  keep(training());
  const LaunchOrigin origin = origin_of("gemm");
  EXPECT_EQ(name_of(origin.call), "cudaLaunchKernel") << "by its correlation: there is no arrow";
  EXPECT_EQ(origin.call->slice.begin, 70);
  EXPECT_EQ(name_of(origin.launching_operator), "aten::linear") << "the one that it names";
  EXPECT_EQ(name_of(origin.module), "nn.Module: Linear_0");
  EXPECT_EQ(name_of(origin.line), "torch/nn/modules/linear.py(114): forward");
  EXPECT_FALSE(origin.is_of_forward);
  ASSERT_TRUE(origin.step);
  EXPECT_EQ(origin.step->name, "ProfilerStep#7");
}

TEST_F(LaunchOrigins, BackwardHasTheFramesOfItsForward) {
  keep(training());
  const LaunchOrigin origin = origin_of("gemm_backward");
  EXPECT_EQ(name_of(origin.launching_operator), "AddmmBackward0");
  EXPECT_EQ(name_of(origin.module), "nn.Module: Linear_0");
  EXPECT_TRUE(origin.is_of_forward);
  ASSERT_TRUE(origin.step) << "autograd's thread is in the step as well";
}

TEST_F(LaunchOrigins, AnArrowIsFollowedBeforeACorrelation) {
  TraceBuilder trace;
  trace.add("cuda_runtime", "cudaGraphLaunch", 0, 0, 10);
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 20, 30, 1);
  trace.add("kernel", "k", 2, 100, 110, 1);
  trace.flow(TraceFlow::Step::kStart, 1, "ac2g", 0, 0);
  trace.flow(TraceFlow::Step::kEnd, 1, "ac2g", 2, 100);
  keep(trace);
  EXPECT_EQ(name_of(origin_of("k").call), "cudaGraphLaunch");
}

TEST_F(LaunchOrigins, WhatTheTraceDoesNotTellIsUnknown) {
  TraceBuilder trace;
  trace.add("cpu_op", "aten::mm", 0, 0, 50);
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 10, 20, 1);
  trace.add("cpu_op", "same number, not a call", 0, 30, 40, 9);
  trace.add("kernel", "lost", 2, 100, 110, 9);
  trace.add("kernel", "without a number", 2, 200, 210);
  trace.add("kernel", "found", 2, 300, 310, 1);
  keep(trace);
  for (const char* name : {"lost", "without a number"}) {
    const LaunchOrigin origin = origin_of(name);
    EXPECT_FALSE(origin.call || origin.launching_operator || origin.module || origin.line ||
                 origin.step)
        << name;
  }
  const LaunchOrigin found = origin_of("found");
  EXPECT_EQ(name_of(found.launching_operator), "aten::mm");
  EXPECT_FALSE(found.module || found.line || found.step);
}

TEST_F(LaunchOrigins, AnArrowWhoseCallIsMissingIsOfNoCall) {
  TraceBuilder trace;
  trace.add("cpu_op", "aten::outer", 0, 0, 60);
  trace.add("cpu_op", "aten::mm", 0, 0, 50);
  trace.add("kernel", "lost", 2, 100, 110, 7);
  trace.flow(TraceFlow::Step::kStart, 1, "ac2g", 0, 10);
  trace.flow(TraceFlow::Step::kEnd, 1, "ac2g", 2, 100);
  // The same with the call elsewhere, and another call where the arrow begins.
  trace.add("cuda_runtime", "cudaLaunchKernel", 1, 10, 20, 8);
  trace.add("cuda_runtime", "cudaMemcpyAsync", 1, 30, 40, 9);
  trace.add("kernel", "found", 2, 200, 210, 8);
  trace.flow(TraceFlow::Step::kStart, 2, "ac2g", 1, 30);
  trace.flow(TraceFlow::Step::kEnd, 2, "ac2g", 2, 200);
  keep(trace);
  const LaunchOrigin lost = origin_of("lost");
  EXPECT_EQ(name_of(lost.call), "unknown");
  EXPECT_EQ(name_of(lost.launching_operator), "unknown");
  EXPECT_FALSE(lost.why_no_call) << "all was searched";
  EXPECT_EQ(name_of(origin_of("found").call), "cudaLaunchKernel");
}

// Two ranks in one file: each counts its calls from 1 and has steps of its own.
TraceBuilder merged() {
  TraceBuilder trace;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const std::string name = std::to_string(rank);
    trace.trace().threads[rank].pid = name;
    trace.add("user_annotation", "ProfilerStep#" + name, rank, 0, rank == 0 ? 1'000 : 900);
    trace.add("cuda_runtime", "cudaLaunchKernel", rank, 10, 20, 1);
    trace.add("kernel", "k" + name, 2 + rank, 100, 110, 1);
  }
  return trace;
}

TEST_F(LaunchOrigins, OfSeveralCallsWithTheNumberNoneIsTaken) {
  keep(merged());
  const LaunchOrigin origin = origin_of("k1");
  EXPECT_FALSE(origin.call);
  EXPECT_EQ(origin.why_no_call, NotSearched::kAmbiguous);
}

TEST_F(LaunchOrigins, StepsAreThoseOfTheCallsProcess) {
  TraceBuilder trace = merged();
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    trace.flow(TraceFlow::Step::kStart, rank + 1, "ac2g", rank, 10);
    trace.flow(TraceFlow::Step::kEnd, rank + 1, "ac2g", 2 + rank, 100);
  }
  keep(trace);
  for (const std::string rank : {"0", "1"}) {
    const LaunchOrigin origin = origin_of("k" + rank);
    ASSERT_TRUE(origin.step) << rank;
    EXPECT_EQ(origin.step->name, "ProfilerStep#" + rank);
  }
}

TEST_F(LaunchOrigins, ALineIsThatOfItsFileWhateverItsFolderIsCalled) {
  for (const auto& [frame, is_line] :
       {std::pair("/root/.pyenv/versions/3.11/bar.py(114): forward", true),
        std::pair("$/home/.python/train.py:12 step", true), std::pair("/a/.py(b)/c", false),
        std::pair("/root/.pyenv/bin", false)}) {
    TraceBuilder trace;
    trace.add("python_function", frame, 0, 0, 50);
    trace.add("cuda_runtime", "cudaLaunchKernel", 0, 10, 20, 1);
    trace.add("kernel", "k", 2, 100, 110, 1);
    ASSERT_TRUE(connection_->execute("SAVEPOINT one"));
    keep(trace);
    EXPECT_EQ(origin_of("k").line.has_value(), is_line) << frame;
    ASSERT_TRUE(connection_->execute("ROLLBACK TO one"));
  }
}

TEST_F(LaunchOrigins, WhatWasNotSearchedIsSaid) {
  TraceBuilder trace;
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 10, 20, 1);
  trace.add("kernel", "k", 2, 100, 110, 1);
  keep(trace);
  EXPECT_EQ(origin_of("k").why_no_step, NotSearched::kNotDerived);
  ASSERT_TRUE(trace::put_trace_devices(*connection_, id_, std::vector<trace::PackedDevice>()));
  EXPECT_FALSE(origin_of("k").why_no_step) << "there are no steps";
  const trace::SliceDetails details = details_of("k");
  ASSERT_TRUE(connection_->execute("DELETE FROM trace_index"));
  const auto origin = launch_origin(*connection_, id_, details);
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->why_no_call, NotSearched::kNoIndex);
  EXPECT_EQ(not_searched_name(*origin->why_no_call), "no_index");
}

TEST(LaunchOrigin, IsAskedOfWhatADeviceDoesAlone) {
  EXPECT_TRUE(has_launch_origin({"Memcpy HtoD", "gpu_memcpy"}));
  EXPECT_FALSE(has_launch_origin({"aten::mm", "cpu_op"}));
  EXPECT_FALSE(has_launch_origin({"ProfilerStep#1", "gpu_user_annotation"}));
}

}  // namespace
}  // namespace benchhud::service
