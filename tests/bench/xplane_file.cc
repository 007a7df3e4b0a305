// xplane_file EVENTS FILE: a made-up profile of XLA, as its profiler leaves one of a training on
// two TPU cores: three quarters of the events are operations of the cores, each with its own
// clock's times, in modules and steps; the others are what eight threads of the host did, up to
// four deep, with what was executed. 33 bytes an event, as in the real file of a TPU that
// docs/performance.md names. The same for the same count.
#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>

#include "random.h"

namespace benchhud::bench {
namespace {

using protozero::pbf_writer;

constexpr std::int64_t kCores = 2;
constexpr std::int64_t kThreads = 8;
constexpr std::uint64_t kOperations = 500;  // of the program, each of which a step executes
constexpr std::uint64_t kOperationsAStep = 3000;
constexpr std::int64_t kStep = 4'000'000'000;  // ps
constexpr std::int64_t kProgram = 77;
constexpr std::int64_t kStart = 1'700'000'000'000'000'000;  // ns since 1970

// The names of stats, by their ids.
enum Stat : std::int64_t {
  kDeviceOffset = 1,
  kDeviceDuration,
  kCategory,
  kTfOp,
  kFlops,
  kBytes,
  kRunId,
  kProgramId,
  kGroupId,
  kSymbolId,
  kStatNames = kSymbolId
};
constexpr std::string_view kStats[] = {
    "device_offset_ps", "device_duration_ps", "hlo_category", "tf_op",    "flops", "bytes_accessed",
    "run_id",           "program_id",         "group_id",     "symbol_id"};
constexpr std::string_view kCategories[] = {"convolution fusion", "loop fusion", "data formatting",
                                            "copy-start", "all-reduce"};

template <class Write>
void message(pbf_writer* parent, std::uint32_t field, Write write) {
  std::string bytes;
  pbf_writer child(bytes);
  write(child);
  parent->add_message(field, bytes);
}

void number(pbf_writer* event, std::int64_t stat, std::int64_t value) {
  message(event, 4, [&](pbf_writer& one) {
    one.add_int64(1, stat);
    one.add_int64(4, value);
  });
}

void stat_names(pbf_writer* plane) {
  for (std::int64_t id = 1; id <= kStatNames; ++id) {
    message(plane, 5, [&](pbf_writer& entry) {
      entry.add_int64(1, id);
      message(&entry, 2, [&](pbf_writer& name) {
        name.add_int64(1, id);
        name.add_string(2, std::string(kStats[id - 1]));
      });
    });
  }
}

// What events of that id are; with what it computes, where it is an operation.
void event_name(pbf_writer* plane, std::int64_t id, const std::string& name, bool is_operation) {
  message(plane, 4, [&](pbf_writer& entry) {
    entry.add_int64(1, id);
    message(&entry, 2, [&](pbf_writer& about) {
      about.add_int64(1, id);
      about.add_string(2, is_operation ? fmt::format("%{} = f32[128,768]{{1,0:T(8,128)}} "
                                                     "fusion(f32[128,768]{{1,0}} %param.{})",
                                                     name, id)
                                       : name);
      if (!is_operation) return;
      about.add_string(4, name);
      const auto text = [&](std::int64_t stat, const std::string& value) {
        message(&about, 5, [&](pbf_writer& one) {
          one.add_int64(1, stat);
          one.add_string(5, value);
        });
      };
      const auto amount = [&](std::int64_t stat, std::int64_t value) {
        message(&about, 5, [&](pbf_writer& one) {
          one.add_int64(1, stat);
          one.add_int64(4, value);
        });
      };
      text(kCategory, std::string(kCategories[id % 5]));
      text(kTfOp, fmt::format("jit(train)/layer_{}/aten__op_{}:", id % 24, id % 40));
      amount(kFlops, id * 1'000'000);
      amount(kBytes, id * 4096);
      amount(kProgramId, kProgram);
      amount(kSymbolId, id);
    });
  });
}

// One event, in order of the fields.
template <class Stats>
void event(pbf_writer* line, std::int64_t id, std::int64_t offset, std::int64_t duration,
           Stats stats) {
  message(line, 4, [&](pbf_writer& one) {
    one.add_int64(1, id);
    one.add_int64(2, offset);
    one.add_int64(3, duration);
    stats(&one);
  });
}

void line_head(pbf_writer* line, std::int64_t id, std::string_view name) {
  line->add_int64(1, id);
  line->add_string(2, std::string(name));
  line->add_int64(3, kStart);
}

std::string core_plane(std::int64_t core, std::uint64_t steps) {
  std::string bytes;
  pbf_writer plane(bytes);
  const std::int64_t module = kOperations + 1, step_names = kOperations + 2;
  plane.add_int64(1, core);
  plane.add_string(2, fmt::format("/device:TPU:{}", core));
  message(&plane, 3, [&](pbf_writer& line) {
    line_head(&line, 1, "Steps");
    for (std::uint64_t step = 0; step < steps; ++step) {
      event(&line, step_names + static_cast<std::int64_t>(step),
            static_cast<std::int64_t>(step) * kStep, kStep * 9 / 10,
            [&](pbf_writer* one) { number(one, kGroupId, static_cast<std::int64_t>(step)); });
    }
  });
  message(&plane, 3, [&](pbf_writer& line) {
    line_head(&line, 2, "XLA Modules");
    for (std::uint64_t step = 0; step < steps; ++step) {
      event(&line, module, static_cast<std::int64_t>(step) * kStep, kStep * 9 / 10,
            [&](pbf_writer* one) { number(one, kRunId, static_cast<std::int64_t>(step) + 1); });
    }
  });
  message(&plane, 3, [&](pbf_writer& line) {
    line_head(&line, 3, "XLA Ops");
    Random random(11, static_cast<std::uint64_t>(core));
    for (std::uint64_t step = 0; step < steps; ++step) {
      const std::int64_t share = kStep * 9 / 10 / static_cast<std::int64_t>(kOperationsAStep);
      for (std::uint64_t i = 0; i < kOperationsAStep; ++i) {
        const std::int64_t begin =
            static_cast<std::int64_t>(step) * kStep + static_cast<std::int64_t>(i) * share;
        const std::int64_t length =
            share / 2 + static_cast<std::int64_t>(random.bits() % (share / 2));
        event(&line, 1 + static_cast<std::int64_t>(i * 7919 % kOperations), begin, length,
              [&](pbf_writer* one) {
                if (i % 2) return;
                number(one, kDeviceOffset, begin + 1250);
                number(one, kDeviceDuration, length);
              });
      }
    }
  });
  for (std::uint64_t id = 1; id <= kOperations; ++id) {
    event_name(&plane, static_cast<std::int64_t>(id), fmt::format("fusion.{}", id), true);
  }
  event_name(&plane, module, fmt::format("jit_train({})", kProgram), false);
  for (std::uint64_t step = 0; step < steps; ++step) {
    event_name(&plane, step_names + static_cast<std::int64_t>(step), std::to_string(step), false);
  }
  stat_names(&plane);
  return bytes;
}

// Calls of four levels: each has four of the next within it.
void calls(pbf_writer* line, Random* random, std::int64_t begin, std::int64_t length, int depth,
           std::int64_t run) {
  const auto kind =
      static_cast<std::int64_t>(1 + depth * 40 + static_cast<int>(random->bits() % 40));
  event(line, kind, begin, length, [&](pbf_writer* one) {
    if (depth == 1) number(one, kRunId, run);
  });
  if (depth == 3) return;
  const std::int64_t share = length / 4;
  for (int i = 0; i < 4; ++i) {
    calls(line, random, begin + i * share + share / 10, share * 8 / 10, depth + 1, run);
  }
}

constexpr std::uint64_t kCallsAStep = 1 + 4 + 16 + 64;

std::string host_plane(std::uint64_t steps, std::uint64_t trees) {
  std::string bytes;
  pbf_writer plane(bytes);
  plane.add_int64(1, kCores);
  plane.add_string(2, "/host:CPU");
  for (std::int64_t thread = 0; thread < kThreads; ++thread) {
    message(&plane, 3, [&](pbf_writer& line) {
      line_head(&line, 100 + thread, fmt::format("worker/{}", 100 + thread));
      Random random(12, static_cast<std::uint64_t>(thread));
      for (std::uint64_t step = 0; step < steps; ++step) {
        const std::int64_t share = kStep / static_cast<std::int64_t>(trees);
        for (std::uint64_t tree = 0; tree < trees; ++tree) {
          calls(&line, &random,
                static_cast<std::int64_t>(step) * kStep + static_cast<std::int64_t>(tree) * share,
                share * 9 / 10, 0, static_cast<std::int64_t>(step) + 1);
        }
      }
    });
  }
  for (std::int64_t id = 1; id <= 160; ++id) {
    event_name(&plane, id, fmt::format("PjRtComputationClient::Call{}", id), false);
  }
  stat_names(&plane);
  return bytes;
}

bool write(std::uint64_t events, const char* path) {
  // A quarter are the host's; each core has two events a step beside its operations.
  constexpr std::uint64_t kOfCores = kCores * (kOperationsAStep + 2);
  constexpr std::uint64_t kTrees = kOfCores / 3 / kThreads / kCallsAStep;
  const std::uint64_t steps = events / (kOfCores + kThreads * kTrees * kCallsAStep) + 1;
  std::ofstream out(path, std::ios::binary);
  const auto put = [&](const std::string& plane) {
    // The head of the message alone, so that a plane is not copied once more.
    std::string head;
    protozero::pbf_writer space(head);
    protozero::add_varint_to_buffer(&head, (1U << 3U) | 2U);
    protozero::add_varint_to_buffer(&head, plane.size());
    out << head << plane;
  };
  for (std::int64_t core = 0; core < kCores; ++core) put(core_plane(core, steps));
  put(host_plane(steps, kTrees));
  out.close();
  return out.good();
}

}  // namespace
}  // namespace benchhud::bench

int main(int count, char** arguments) {
  if (count != 3) {
    fmt::print(stderr, "usage: xplane_file EVENTS FILE\n");
    return 2;
  }
  if (!benchhud::bench::write(std::strtoul(arguments[1], nullptr, 10), arguments[2])) {
    fmt::print(stderr, "{}: {}\n", arguments[2], std::strerror(errno));
    return 1;
  }
  return 0;
}
