#include "ingest/results/hud_reader.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/results/hud_record.h"
#include "ingest/text/json_objects.h"
#include "ingest/text/json_text.h"

namespace benchhud::ingest {

using schema::Expected;

namespace {

// A result while its records still come.
struct Held {
  NeighbourResult result;
  schema::ContentHash key;  // of its context
  std::string context, given;
  std::optional<double> given_timestamp;
  std::vector<schema::ContentHash> hashes;  // of its records
  std::string metric_extras;                // members of an object
  std::string accuracy_extra;
  std::size_t byte_count = 0;
};

bool has_metric(const Held& held, std::string_view name) {
  return std::any_of(held.result.metrics.begin(), held.result.metrics.end(),
                     [&](const schema::Measurement& metric) { return metric.metric == name; });
}

std::string extra_of(const std::string& context, const std::string& metrics) {
  std::string text = R"({"hud":)" + context;
  if (!metrics.empty()) text += R"(,"hud_metrics":{)" + metrics + '}';
  return text + '}';
}

}  // namespace

class HudReader::State {
 public:
  State(const NeighbourFacts& given, std::optional<double> fallback_timestamp,
        std::size_t most_held)
      : fallback_timestamp_(fallback_timestamp),
        most_held_(most_held),
        parser_(given),
        objects_(kLongestRecord) {}

  void take(ParsedChunk* parsed) {
    parsed->line_count = 0;
    std::string_view bytes = parsed->chunk.text;
    // Outside of objects its three bytes are no signs of JSON.
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (parsed->chunk.byte_offset == 0 && bytes.starts_with(kMark)) {
      objects_.skip(kMark.size());
      bytes.remove_prefix(kMark.size());
    }
    objects_.add(bytes, [&](const JsonObjects::Piece& piece) { take_piece(piece, parsed); });
  }

  void finish(ParsedChunk* parsed) {
    parsed->line_count = 0;
    objects_.finish([&](const JsonObjects::Piece& piece) { take_piece(piece, parsed); });
    constexpr std::size_t kLinesAtOnce = 4096;
    while (!held_.empty() && parsed->line_count < kLinesAtOnce) let_go(held_.begin(), parsed);
  }

 private:
  void take_piece(const JsonObjects::Piece& piece, ParsedChunk* parsed) {
    std::optional<std::string> reason;
    if (piece.fault != nullptr) {
      reason = piece.fault;
    } else {
      reason = parser_.parse(piece.text, &record_);
    }
    if (reason) {
      if (piece.is_unfinished) *reason = "the file ends inside this record: " + *reason;
      append_rejection(piece.text, piece.line_number, piece.byte_offset, *std::move(reason),
                       piece.is_unfinished, parsed);
      parsed->lines[parsed->line_count - 1].byte_count = piece.byte_count;
      return;
    }
    put(piece, parsed);
  }

  // With the result that it belongs to.
  void put(const JsonObjects::Piece& piece, ParsedChunk* parsed) {
    const schema::ContentHash key = schema::content_hash(record_.context + record_.given);
    auto found = places_.find(key);
    // The same metric again is another result of the same: the runner ran twice. Another context of
    // the same hash is another result anyway.
    if (found != places_.end() && (!is_of(*found->second) || is_told_again(*found->second))) {
      let_go(found->second, parsed);
      found = places_.end();
    }
    Held& held = found == places_.end() ? begin(key, piece) : *found->second;
    add(piece.text.size(), &held);
    while (held_bytes_ > most_held_ && held_.size() > 1) let_go(held_.begin(), parsed);
  }

  bool is_of(const Held& held) const {
    return held.context == record_.context && held.given == record_.given &&
           held.given_timestamp == record_.given_timestamp;
  }

  bool is_told_again(const Held& held) const {
    // No result has so many; whoever writes such gets lines of so many.
    constexpr std::size_t kMostMetrics = 1000;
    if (held.result.metrics.size() >= kMostMetrics) return true;
    if (record_.own) {
      return (record_.own->error && held.result.own->error) ||
             (!record_.own->metrics.empty() && has_metric(held, record_.own->metrics[0].metric));
    }
    return record_.accuracy ? held.result.accuracy.has_value()
                            : has_metric(held, record_.metric.metric);
  }

  Held& begin(const schema::ContentHash& key, const JsonObjects::Piece& piece) {
    Held& held = held_.emplace_back();
    held.key = key;
    places_[key] = std::prev(held_.end());
    held.result.experiment = record_.experiment;
    held.result.timestamp = record_.timestamp;
    held.result.origin = record_.origin;
    held.result.own = record_.own;
    held.result.has_latency_in_ms = record_.is_compiler_benchmark;
    held.result.text = piece.text;
    held.result.line_number = piece.line_number;
    held.result.byte_offset = piece.byte_offset;
    held.context = record_.context;
    held.given = record_.given;
    held.given_timestamp = record_.given_timestamp;
    count(2 * held.context.size() + held.result.text.size(), &held);
    return held;
  }

  void count(std::size_t bytes, Held* held) {
    constexpr std::size_t kPerRecord = 500;  // of objects around the texts
    held->byte_count += bytes + kPerRecord;
    held_bytes_ += bytes + kPerRecord;
  }

  void add(std::size_t size, Held* held) {
    count(2 * size, held);
    if (record_.own) return add_own(held);
    held->hashes.push_back(record_.hash);
    if (record_.accuracy) {
      held->result.accuracy = record_.accuracy;
      held->accuracy_extra = metric_member();
    } else {
      const std::string member = metric_member();
      if (!held->metric_extras.empty() && !member.empty()) held->metric_extras += ',';
      held->metric_extras += member;
      held->result.metrics.push_back(std::move(record_.metric));
    }
  }

  void add_own(Held* held) {
    held->hashes = {record_.hash};
    for (schema::Measurement& metric : record_.own->metrics) {
      held->result.metrics.push_back(std::move(metric));
    }
    if (record_.own->error) held->result.own->error = std::move(record_.own->error);
  }

  std::string metric_member() const {
    if (record_.metric_extra.empty()) return "";
    std::string text;
    append_json_string(record_.metric.metric, &text);
    return text + ':' + record_.metric_extra;
  }

  static void put_together(Held* held) {
    held->result.extra = extra_of(held->context, held->metric_extras);
    held->result.accuracy_extra = extra_of(held->context, held->accuracy_extra);
    // The order of its records does not count.
    std::sort(held->hashes.begin(), held->hashes.end(),
              [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    std::string hashes;
    for (const schema::ContentHash& hash : held->hashes) hashes += hash.view();
    held->result.hash = schema::content_hash(hashes);
  }

  void let_go(std::list<Held>::iterator held, ParsedChunk* parsed) {
    NeighbourResult& result = held->result;
    if (result.own) {
      result.hash = held->hashes.front();
    } else {
      put_together(&*held);
    }
    if (result.experiment.accelerator_model.empty() && !result.own) {
      append_rejection(result.text, result.line_number, result.byte_offset,
                       "the record tells no accelerator model (runners[0].type); give "
                       "--accelerator-model",
                       true, parsed);
    } else {
      append_lines(result, held->given_timestamp ? held->given_timestamp : fallback_timestamp_,
                   parsed);
    }
    held_bytes_ -= held->byte_count;
    places_.erase(held->key);
    held_.erase(held);
  }

  const std::optional<double> fallback_timestamp_;
  const std::size_t most_held_;
  HudRecordParser parser_;
  JsonObjects objects_;
  HudRecord record_;
  std::list<Held> held_;  // oldest first
  std::size_t held_bytes_ = 0;
  // By context.
  std::unordered_map<schema::ContentHash, std::list<Held>::iterator, schema::ContentHashHasher>
      places_;
};

HudReader::HudReader(const NeighbourFacts& given, std::optional<double> fallback_timestamp,
                     std::size_t most_held)
    : state_(std::make_unique<State>(given, fallback_timestamp, most_held)) {}
HudReader::~HudReader() = default;

Expected<void> HudReader::parse(ParsedChunk* parsed) {
  state_->take(parsed);
  return {};
}

Expected<void> HudReader::finish(ParsedChunk* parsed) {
  state_->finish(parsed);
  return {};
}

}  // namespace benchhud::ingest
