// The words of the house as types: docs/data-model.md says what each means.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::schema {

// Ids are the store's row numbers. Each is a type of its own so that one cannot be taken for
// another.
enum class RunId : std::int64_t {};
enum class ExperimentId : std::int64_t {};
enum class InvocationId : std::int64_t {};
enum class LineId : std::int64_t {};
enum class FileId : std::int64_t {};
enum class TextId : std::int64_t {};
enum class AlertId : std::int64_t {};

template <class Id>
constexpr std::int64_t to_int(Id id) {
  return static_cast<std::int64_t>(id);
}

/// A sample that the file gave as `null`. It is a NaN with a payload of its own (as R's NA_real_
/// is), so that an array of samples stays an array of doubles and `null` is still told from `NaN`.
double null_sample();
bool is_null_sample(double value);

/// An experiment that is kept elsewhere, in one piece or in several: valid for as long as they are.
struct ExperimentView {
  const std::string& suite;
  const std::string& model;
  const std::string& accelerator;
  const std::string& accelerator_model;
  const std::string& test;
  const std::optional<std::string>& xla;
  const std::optional<std::string>& xla_flags;
  const std::optional<std::string>& dynamo;
  const std::optional<std::string>& torch_xla2;
  const std::optional<std::int64_t>& batch_size;
  const std::string& flags;

  /// As Experiment::backend().
  std::string backend() const;
};

/// What is measured: everything but time.
struct Experiment {
  std::string suite;
  std::string model;
  std::string accelerator;        ///< cpu, cuda, tpu
  std::string accelerator_model;  ///< free text; "" where the file does not say
  std::string test;               ///< eval, train
  std::optional<std::string> xla;
  std::optional<std::string> xla_flags;
  std::optional<std::string> dynamo;
  std::optional<std::string> torch_xla2;
  std::optional<std::int64_t> batch_size;  ///< none: unknown, or the model has none
  /// Every other key of the configuration that counts, as a JSON object with sorted keys, no
  /// spaces and no key whose value is null or false; "{}" if there is none.
  std::string flags = "{}";

  /// The backend's name as the reports print it: eager, inductor, openxla+dynamo,
  /// openxla+lazytensor, torch_xla2:<mode>, or another dynamo backend's own name.
  std::string backend() const { return ExperimentView(*this).backend(); }

  /// The text that two lines have in common exactly if they are of the same experiment. Without
  /// the batch size it names the family: the experiments that differ in nothing else.
  std::string identity() const;
  std::string family() const;

  bool operator==(const Experiment&) const = default;

  operator ExperimentView() const {  // NOLINT: implicit
    return {suite,     model,  accelerator, accelerator_model, test, xla,
            xla_flags, dynamo, torch_xla2,  batch_size,        flags};
  }
};

/// What people call a test: "inference" for eval, "training" for train, any other by its own name.
std::string_view test_name(std::string_view test);

/// How a metric's value stood in the file.
enum class SampleShape : std::uint8_t {
  kArray = 0,   ///< one number a repetition
  kScalar = 1,  ///< a single number
  kNull = 2,    ///< null
  kNested = 3,  ///< anything else: counters, per-operation profiles, texts; kept as JSON
};

/// Whether a value of that shape is kept as samples.
constexpr bool has_samples(SampleShape shape) {
  return shape == SampleShape::kArray || shape == SampleShape::kScalar;
}

/// One metric of a line: its samples as they came, or its JSON.
struct Measurement {
  std::string metric;  ///< canonical name (metric.h)
  SampleShape shape = SampleShape::kArray;
  std::vector<double> samples;  ///< kArray, kScalar: in the file's order; null is null_sample()
  std::string json;             ///< kNested: its JSON text
};

/// A run: one night's invocations on one accelerator model.
struct Run {
  RunId id{};
  std::string name;  ///< given by --run, else made from the time; unique for an accelerator model
  std::string accelerator_model;
  double started_at =
      0;  ///< seconds since 1970, UTC: of the first timing invocation, else of the first
  std::optional<double> verified_at;  ///< of the last verification that joined it
  std::map<std::string, std::string> labels;
  std::int64_t revision = 0;  ///< the store's revision when the run last changed
  std::int64_t result_count = 0;
};

/// What an invocation of the runner was for. See docs/data-model.md, "Timing or verification".
enum class InvocationKind : std::uint8_t { kTiming = 0, kVerification = 1, kMixed = 2 };

}  // namespace benchhud::schema
