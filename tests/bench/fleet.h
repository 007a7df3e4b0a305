// A made-up fleet of nightly benchmarks, written as the runner writes it, with a known truth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "error_text.h"
#include "noise.h"
#include "random.h"

namespace benchhud::bench {

struct FleetOptions {
  int models = 100;
  std::vector<std::string> backends = {"eager", "inductor", "openxla+dynamo", "openxla+lazytensor"};
  std::vector<std::string> tests = {"eval", "train"};
  int repeat = 12;
  std::uint64_t seed = 1;
  double first_night = 1704067200;  ///< its midnight, seconds since 1970 UTC
  std::string accelerator = "cuda";
  std::string accelerator_model = "NVIDIA A100-SXM4-40GB";
  int verify_every = 3;  ///< nights; 0: never
};

/// A level that moved: from `night` on, times are `ratio` times what they were.
struct Change {
  int night = 0;
  double ratio = 1;
};

/// An experiment that does not work from night `from` to the one before `to`; for ever without
/// `to`.
struct Failure {
  int from = 0;
  std::optional<int> to;
  Cause cause = Cause::kShapes;
};

/// A wrong answer, from night `from` to the one before `to`.
struct WrongAnswer {
  int from = 0;
  std::optional<int> to;
};

/// One model on one backend in one test, and all that happens to it.
struct Series {
  std::string model, backend, test;
  std::string head;  ///< the line's beginning up to the batch size
  int batch_size = 1;
  bool uses_xla = false;
  bool uses_inductor = false;
  bool is_skipped = false;           ///< known not to work: SKIP
  bool is_nondeterministic = false;  ///< eager itself disagrees with itself
  double first_level = 0;            ///< seconds an iteration, before any change
  double level = 0;                  ///< tonight's
  double compile_time = 0;           ///< seconds, in the first repetition
  int graphs = 1;
  Noise noise;
  std::vector<Change> changes;
  std::vector<Failure> failures;
  std::vector<WrongAnswer> wrong_answers;
  Random random{0, 0};

  const Failure* failure_on(int night) const;
  bool is_wrong_on(int night) const;
};

struct Night {
  std::string date;  ///< 2024-01-01
  double timestamp = 0;
  std::optional<double> verified_at;
};

/// Makes night after night. The same options give the same bytes, however many nights are asked
/// for.
class Fleet {
 public:
  explicit Fleet(FleetOptions options);

  /// Appends the next night's lines to `out`: the timing invocation's, every few nights followed by
  /// the verification's.
  void append_night(std::string* out);

  const FleetOptions& options() const { return options_; }
  const std::vector<Series>& series() const { return series_; }
  const std::vector<Night>& nights() const { return nights_; }

 private:
  void add_series(int model, const std::string& backend, const std::string& test);
  void draw_events(int night);
  void change_levels(int night, double ratio, const std::string& model, const std::string& backend);
  void append_timing(int night, Series* series, std::string* out);
  void append_times(Series* series, double level, std::string* out);
  void append_verification(int night, Series* series, std::string* out);
  void append_beginning(const Series& series, bool knows_batch_size, std::string* out) const;

  FleetOptions options_;
  Random random_;
  std::vector<Series> series_;
  std::vector<Night> nights_;
  // Of one line, reused:
  std::vector<double> samples_, tracing_, compiling_, executing_;
  std::vector<std::int64_t> counts_;
};

}  // namespace benchhud::bench
