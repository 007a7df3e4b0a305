#include "ingest/output/machine_description.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace benchhud::ingest {
namespace {

namespace fs = std::filesystem;

class MachineDescription : public testing::Test {
 protected:
  MachineDescription()
      : proc_(fs::path(testing::TempDir()) /
              (std::string("proc-") +
               testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(proc_);
    fs::create_directories(proc_);
  }
  ~MachineDescription() override { fs::remove_all(proc_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((proc_ / name).parent_path());
    std::ofstream(proc_ / name) << text;
  }

  const fs::path proc_;
};

TEST_F(MachineDescription, HasHostProcessorDevicesAndDriver) {
  write("cpuinfo",
        "processor\t: 0\nmodel name\t: AMD EPYC 7763 64-Core Processor\nmodel name\t: other\n");
  write("driver/nvidia/gpus/0000:07:00.0/information",
        "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 147\n");
  write("driver/nvidia/gpus/0000:0f:00.0/information", "Model: \t\t NVIDIA A100-SXM4-40GB\n");
  write("driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\n"
        "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n");
  EXPECT_EQ(describe_machine("node7", proc_),
            "node7, AMD EPYC 7763 64-Core Processor, 2 × NVIDIA A100-SXM4-40GB, driver 550.54.15");
}

TEST_F(MachineDescription, LeavesOutWhatItDoesNotKnow) {
  EXPECT_EQ(describe_machine("node7", proc_), "node7");
  EXPECT_EQ(describe_machine("node7", proc_ / "none"), "node7");
  write("cpuinfo", "processor\t: 0\nBogoMIPS\t: 50.00\nno colon\n");
  write("driver/nvidia/gpus/0000:07:00.0/information", "");
  write("driver/nvidia/version", "no version here");
  EXPECT_EQ(describe_machine("node7", proc_), "node7");
  write("cpuinfo", "model name\t: Neoverse-N1\n");
  EXPECT_EQ(describe_machine("", proc_), "Neoverse-N1");
}

}  // namespace
}  // namespace benchhud::ingest
