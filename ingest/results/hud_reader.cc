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
struct Pending {
  ForeignResult result;
  schema::ContentHash key;  // of its context
  std::string context, given;
  std::optional<double> given_timestamp;
  std::vector<schema::ContentHash> hashes;  // of its records
  std::string metric_extras;                // members of an object
  std::string accuracy_extra;
  std::size_t byte_count = 0;
};

bool has_metric(const Pending& pending, std::string_view name) {
  return std::any_of(pending.result.metrics.begin(), pending.result.metrics.end(),
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
  State(const ImportContext& given, std::optional<double> fallback_timestamp, std::size_t most_held)
      : fallback_timestamp_(fallback_timestamp),
        most_pending_(most_held),
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
    while (!pending_.empty() && parsed->line_count < kLinesAtOnce) emit(pending_.begin(), parsed);
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
      emit(found->second, parsed);
      found = places_.end();
    }
    Pending& pending = found == places_.end() ? begin(key, piece) : *found->second;
    add(piece.text.size(), &pending);
    while (pending_bytes_ > most_pending_ && pending_.size() > 1) emit(pending_.begin(), parsed);
  }

  bool is_of(const Pending& pending) const {
    return pending.context == record_.context && pending.given == record_.given &&
           pending.given_timestamp == record_.given_timestamp;
  }

  bool is_told_again(const Pending& pending) const {
    // No result has so many; whoever writes such gets lines of so many.
    constexpr std::size_t kMostMetrics = 1000;
    if (pending.result.metrics.size() >= kMostMetrics) return true;
    if (record_.own) {
      return (record_.own->error && pending.result.own->error) ||
             (!record_.own->metrics.empty() && has_metric(pending, record_.own->metrics[0].metric));
    }
    return record_.accuracy ? pending.result.accuracy.has_value()
                            : has_metric(pending, record_.metric.metric);
  }

  Pending& begin(const schema::ContentHash& key, const JsonObjects::Piece& piece) {
    Pending& pending = pending_.emplace_back();
    pending.key = key;
    places_[key] = std::prev(pending_.end());
    pending.result.experiment = record_.experiment;
    pending.result.timestamp = record_.timestamp;
    pending.result.origin = record_.origin;
    pending.result.own = record_.own;
    pending.result.has_latency_in_ms = record_.is_compiler_benchmark;
    pending.result.text = piece.text;
    pending.result.line_number = piece.line_number;
    pending.result.byte_offset = piece.byte_offset;
    pending.context = record_.context;
    pending.given = record_.given;
    pending.given_timestamp = record_.given_timestamp;
    count(2 * pending.context.size() + pending.result.text.size(), &pending);
    return pending;
  }

  void count(std::size_t bytes, Pending* pending) {
    constexpr std::size_t kPerRecord = 500;  // of objects around the texts
    pending->byte_count += bytes + kPerRecord;
    pending_bytes_ += bytes + kPerRecord;
  }

  void add(std::size_t size, Pending* pending) {
    count(2 * size, pending);
    if (record_.own) return add_own(pending);
    pending->hashes.push_back(record_.hash);
    if (record_.accuracy) {
      pending->result.accuracy = record_.accuracy;
      pending->accuracy_extra = metric_member();
    } else {
      const std::string member = metric_member();
      if (!pending->metric_extras.empty() && !member.empty()) pending->metric_extras += ',';
      pending->metric_extras += member;
      pending->result.metrics.push_back(std::move(record_.metric));
    }
  }

  void add_own(Pending* pending) {
    pending->hashes = {record_.hash};
    for (schema::Measurement& metric : record_.own->metrics) {
      pending->result.metrics.push_back(std::move(metric));
    }
    if (record_.own->error) pending->result.own->error = std::move(record_.own->error);
  }

  std::string metric_member() const {
    if (record_.metric_extra.empty()) return "";
    std::string text;
    append_json_string(record_.metric.metric, &text);
    return text + ':' + record_.metric_extra;
  }

  static void put_together(Pending* pending) {
    pending->result.extra = extra_of(pending->context, pending->metric_extras);
    pending->result.accuracy_extra = extra_of(pending->context, pending->accuracy_extra);
    // The order of its records does not count.
    std::sort(pending->hashes.begin(), pending->hashes.end(),
              [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    std::string hashes;
    for (const schema::ContentHash& hash : pending->hashes) hashes += hash.view();
    pending->result.hash = schema::content_hash(hashes);
  }

  void emit(std::list<Pending>::iterator pending, ParsedChunk* parsed) {
    ForeignResult& result = pending->result;
    if (result.own) {
      result.hash = pending->hashes.front();
    } else {
      put_together(&*pending);
    }
    if (result.experiment.accelerator_model.empty() && !result.own) {
      append_rejection(result.text, result.line_number, result.byte_offset,
                       "the record tells no accelerator model (runners[0].type); give "
                       "--accelerator-model",
                       true, parsed);
    } else {
      append_lines(result,
                   pending->given_timestamp ? pending->given_timestamp : fallback_timestamp_,
                   parsed);
    }
    pending_bytes_ -= pending->byte_count;
    places_.erase(pending->key);
    pending_.erase(pending);
  }

  const std::optional<double> fallback_timestamp_;
  const std::size_t most_pending_;
  HudRecordParser parser_;
  JsonObjects objects_;
  HudRecord record_;
  std::list<Pending> pending_;  // oldest first
  std::size_t pending_bytes_ = 0;
  // By context.
  std::unordered_map<schema::ContentHash, std::list<Pending>::iterator, schema::ContentHashHasher>
      places_;
};

HudReader::HudReader(const ImportContext& given, std::optional<double> fallback_timestamp,
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
