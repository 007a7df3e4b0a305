// What a fleet's numbers are made of, for tests and benchmarks that judge findings against it.
#pragma once

#include <string>

#include "fleet.h"

namespace benchhud::bench {

/// JSON: {"options", "nights": [{date, timestamp, verified_at}], "series": [{model, backend, test,
/// batch_size, level_s, compile_s, noise, skipped, nondeterministic, changes: [{night, ratio}],
/// failures: [{from, to, cause}], wrong_answers: [{from, to}]}]}. Nights are indices into "nights";
/// "to" is the first night on which it works again, null if it never does.
std::string truth_as_json(const Fleet& fleet);

}  // namespace benchhud::bench
