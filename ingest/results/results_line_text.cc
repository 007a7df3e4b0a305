#include "ingest/results/results_line_text.h"

#include <simdjson.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "ingest/text/json_text.h"

namespace benchhud::ingest {
namespace {

constexpr std::string_view kModelPrefix = "model.";

/// A number that reads back as the same double, and as a double.
void append_number(double number, std::string* out) {
  if (std::isnan(number)) {
    *out += schema::is_null_sample(number) ? "null" : "NaN";
  } else if (std::isinf(number)) {
    *out += number < 0 ? "-Infinity" : "Infinity";
  } else {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    const std::string_view digits(text.data(), static_cast<std::size_t>(end - text.data()));
    *out += digits;
    // Without a point it would be an integer: one that is too large, or has lost the sign of a
    // zero.
    if (digits.find_first_of(".e") == std::string_view::npos) *out += ".0";
  }
}

/// An object that is being written, member by member.
class Members {
 public:
  explicit Members(std::string* out) : out_(*out) { out_ += '{'; }

  /// The place of the value of a member.
  std::string* begin(std::string_view key) {
    if (!is_first_) out_ += ',';
    is_first_ = false;
    append_json_string(key, &out_);
    out_ += ':';
    return &out_;
  }
  void text(std::string_view key, std::string_view value) { append_json_string(value, begin(key)); }
  void text_unless_empty(std::string_view key, std::string_view value) {
    if (!value.empty()) text(key, value);
  }
  void option(std::string_view key, const std::optional<std::string>& value) {
    if (value) {
      text(key, *value);
    } else {
      *begin(key) += "null";
    }
  }
  void integer(std::string_view key, std::int64_t value) { *begin(key) += std::to_string(value); }
  void json(std::string_view key, simdjson::dom::element value) {
    append_json(value, /*marked=*/false, JsonOrder::kAsItStands, begin(key));
  }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
  bool is_first_ = true;
};

/// The members of an object's text; none if it is "".
class ObjectText {
 public:
  explicit ObjectText(std::string_view text) {
    if (text.empty()) return;
    simdjson::dom::object object;
    if (parser_.parse(text.data(), text.size()).get(object) != simdjson::SUCCESS) return;
    for (const auto field : object) fields_.push_back({field.key, field.value});
  }
  const std::vector<JsonField>& fields() const { return fields_; }

 private:
  simdjson::dom::parser parser_;
  std::vector<JsonField> fields_;
};

/// The experiment's flags by where they stood. What comes twice has come from both places.
struct Flags {
  explicit Flags(const std::vector<JsonField>& flags) {
    std::string_view last;
    for (const JsonField& flag : flags) {
      const std::string_view key = flag.key;
      const bool is_of_model = key.starts_with(kModelPrefix) && key != "model.model_name" &&
                               key != "model.suite_name" && key != last;
      last = key;
      if (is_of_model) {
        model.push_back({key.substr(kModelPrefix.size()), flag.value});
      } else {
        experiment.push_back(flag);
      }
    }
  }
  std::vector<JsonField> model, experiment;
};

void append_model(const ResultsLine& line, const Flags& flags, Members members) {
  members.text_unless_empty("suite_name", line.experiment.suite);
  members.text("model_name", line.experiment.model);
  for (const JsonField& flag : flags.model) members.json(flag.key, flag.value);
  members.end();
}

void append_experiment(const ResultsLine& line, const Flags& flags,
                       const std::vector<JsonField>& extra, Members members) {
  const schema::Experiment& experiment = line.experiment;
  members.text_unless_empty("accelerator", experiment.accelerator);
  members.text_unless_empty("accelerator_model", experiment.accelerator_model);
  members.option("xla", experiment.xla);
  members.option("xla_flags", experiment.xla_flags);
  members.option("dynamo", experiment.dynamo);
  members.option("torch_xla2", experiment.torch_xla2);
  members.text_unless_empty("test", experiment.test);
  if (experiment.batch_size) {
    members.integer("batch_size", *experiment.batch_size);
  } else {
    *members.begin("batch_size") += "null";
  }
  for (const JsonField& flag : flags.experiment) members.json(flag.key, flag.value);
  for (const JsonField& field : extra) {
    if (field.key != "experiment") continue;
    simdjson::dom::object kept;
    if (field.value.get(kept) != simdjson::SUCCESS) continue;
    for (const auto member : kept) members.json(member.key, member.value);
  }
  members.end();
}

void append_metrics(const ResultsLine& line, Members members) {
  for (const schema::Measurement& metric : line.metrics) {
    append_metric(metric, members.begin(metric.metric));
  }
  if (line.error) members.text("error", *line.error);
  members.end();
}

/// As it reads back: the reader takes the name of Python's enum from before it.
std::string written_code(const std::string& code) {
  constexpr std::string_view kEnum = "VerificationCode.";
  const bool is_like_one = code.starts_with(kEnum) || code.starts_with('<');
  return is_like_one ? std::string(kEnum) + code : code;
}

}  // namespace

void append_metric(const schema::Measurement& metric, std::string* out) {
  switch (metric.shape) {
    case schema::SampleShape::kNull:
      *out += "null";
      return;
    case schema::SampleShape::kNested:
      *out += metric.json;
      return;
    case schema::SampleShape::kScalar:
      append_number(metric.samples.front(), out);
      return;
    case schema::SampleShape::kArray:
      break;
  }
  *out += '[';
  for (std::size_t i = 0; i < metric.samples.size(); ++i) {
    if (i > 0) *out += ',';
    append_number(metric.samples[i], out);
  }
  *out += ']';
}

void append_results_line(const ResultsLine& line, std::string* out) {
  const ObjectText flag_fields(line.experiment.flags);
  const ObjectText extra(line.extra);
  const Flags flags(flag_fields.fields());
  Members members(out);
  append_model(line, flags, Members(members.begin("model")));
  append_experiment(line, flags, extra.fields(), Members(members.begin("experiment")));
  if (line.repeat) members.integer("repeat", *line.repeat);
  if (line.iterations_per_run) members.integer("iterations_per_run", *line.iterations_per_run);
  append_metrics(line, Members(members.begin("metrics")));
  if (line.timestamp) append_number(*line.timestamp, members.begin("timestamp"));
  if (line.verification_code)
    members.text("verification_code", written_code(*line.verification_code));
  if (line.verification_mean_rel_error) {
    append_number(*line.verification_mean_rel_error, members.begin("verification_mean_rel_error"));
  }
  for (const JsonField& field : extra.fields()) {
    if (field.key != "experiment") members.json(field.key, field.value);
  }
  if (line.origin) members.text("benchhud_line", line.origin->hex());
  members.end();
}

ResultsLine results_line_of(const schema::StoredResultLine& stored) {
  ResultsLine line;
  line.experiment = *stored.experiment;
  line.timestamp = stored.timestamp;
  line.repeat = stored.repeat;
  line.iterations_per_run = stored.iterations_per_run;
  line.verification_code = stored.code;
  line.verification_mean_rel_error = stored.mean_rel_error;
  line.error = stored.error;
  line.metrics = stored.metrics;
  line.extra = stored.extra;
  line.origin = stored.hash;
  return line;
}

}  // namespace benchhud::ingest
