// The program's commands, one file each. A command gets what stands behind its name on the command
// line and returns the program's exit status.
#pragma once

#include <string>
#include <vector>

namespace benchhud::cli {

using Arguments = std::vector<std::string>;

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;           ///< the command line makes no sense
inline constexpr int kSomeRejected = 3;    ///< some lines were rejected, the rest is in
inline constexpr int kHasRegressions = 4;  ///< regressions --fail-on: there are open ones
inline constexpr int kStoreBusy = 5;       ///< another process worked on the store for too long,
                                           ///< or a place that it uses could not be reached
inline constexpr int kInternalError = 70;  ///< a bug: nothing caught an exception

int run_ingest(const Arguments& arguments);
int run_alerts(const Arguments& arguments);
int run_artifacts(const Arguments& arguments);
int run_backup(const Arguments& arguments);
int run_bisect_check(const Arguments& arguments);
int run_doctor(const Arguments& arguments);
int run_links(const Arguments& arguments);
int run_pack(const Arguments& arguments);
int run_runs(const Arguments& arguments);
int run_prune(const Arguments& arguments);
int run_rebuild(const Arguments& arguments);
int run_serve(const Arguments& arguments);
int run_notify(const Arguments& arguments);
int run_regressions(const Arguments& arguments);
int run_report(const Arguments& arguments);
int run_restore(const Arguments& arguments);
int run_expect(const Arguments& arguments);
int run_export(const Arguments& arguments);
int run_summary(const Arguments& arguments);
int run_tokens(const Arguments& arguments);
int run_trace(const Arguments& arguments);
int run_traces(const Arguments& arguments);
int run_profile(const Arguments& arguments);
int run_detect(const Arguments& arguments);
int run_watch(const Arguments& arguments);

}  // namespace benchhud::cli
