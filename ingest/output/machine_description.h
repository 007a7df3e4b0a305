// What tells a machine from others.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace benchhud::ingest {

/// What tells this machine from others that run the same: its host name, the model of its CPU, the
/// models of its NVIDIA GPUs and their driver, as far as `proc`, a folder laid out like /proc, has
/// them: "node7, AMD EPYC 7763, 2 × NVIDIA A100-SXM4-40GB, driver 550.54.15".
std::string describe_machine(std::string_view host, const std::filesystem::path& proc);

}  // namespace benchhud::ingest
