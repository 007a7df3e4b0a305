// How the PyTorch HUD and the torch dynamo runner call what has another name here:
// docs/neighbours.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schema/model/types.h"

namespace benchhud::schema {

/// The name of their compilers dashboard's benchmark; latencies of it are timings as ours are.
inline constexpr std::string_view kHudBenchmark = "TorchInductor";

/// Under which name a metric of theirs is kept: its own, with `hud:` before one that is called as
/// something of ours is (`speedup`, which is worked out here, `total_time`, whose unit is known).
std::string metric_of_hud(std::string_view name);
/// The other way round.
std::string hud_metric_name(std::string_view metric);
inline constexpr std::string_view kHudSpeedup = "hud:speedup";
/// The key in `extra_info` under which benchhud writes what their record has no field for.
inline constexpr std::string_view kOwnKey = "benchhud";
/// What stands there in a record that came from the HUD, where it lacks facts that the command told
/// (its time, its machine): `given` has them and `context` the record as it came, less its metric.
inline constexpr std::string_view kOwnGiven = "given";
inline constexpr std::string_view kOwnContext = "context";
/// Stands there in a metric that was worked out for the HUD and is not read back.
inline constexpr std::string_view kOwnDerived = "derived";

/// `inference` is eval, `training` is train, anything else its own name.
std::string test_of_mode(std::string_view mode);
/// The other way round.
std::string mode_of_test(std::string_view test);

/// The accuracy status, and code, of a model that the dynamo runner leaves out on purpose: nothing
/// was timed or compared. It keeps its name: VERIFIER_SKIPPED would be taken for what a timing line
/// says.
inline constexpr std::string_view kSkippedOnPurpose = "pass_due_to_skip";

/// The verification code that an accuracy status stands for (`fail_accuracy`: FAIL). One that is
/// not known is its own code, as an unknown code of the runner's is.
std::string code_of_accuracy(std::string_view status);
/// Whether something went wrong that is not a wrong result: the status then says what.
bool is_accuracy_error(std::string_view status);
/// The status for a code. None for a code that says that nothing was verified on purpose: each of
/// theirs for that counts as a pass there.
std::optional<std::string> accuracy_of_code(std::string_view code);

/// Sets what makes the backend's name (Experiment::backend()) `name`.
void set_backend(std::string_view name, Experiment* experiment);

}  // namespace benchhud::schema
