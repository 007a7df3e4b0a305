// The label that says on which machine a run was measured.
#pragma once

namespace benchhud::schema {

/// Times are compared within each machine (docs/regressions.md); runs without it are of one, too.
inline constexpr const char* kMachineLabel = "machine";

}  // namespace benchhud::schema
