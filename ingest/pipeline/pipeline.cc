#include "ingest/pipeline/pipeline.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "ingest/output/output_dir.h"
#include "ingest/pipeline/file_reading.h"
#include "ingest/pipeline/file_stamp.h"
#include "ingest/pipeline/parsing_thread.h"
#include "ingest/pipeline/time_shift.h"
#include "ingest/results/line_reader.h"
#include "ingest/results/parsed_chunk.h"
#include "schema/base/caught_error.h"
#include "schema/results/artifact_writer.h"
#include "schema/results/unrecognized_files.h"
#include "trace/pack/arriving_trace.h"
#include "trace/pack/moved_trace.h"

namespace benchhud::ingest {

using schema::Connection;
using schema::Error;
using schema::Expected;
using schema::FileContent;
using schema::FileWriter;
using schema::Transaction;

namespace {

// The hash of a file's bytes and of what else its lines are made of.
schema::ContentHash in_context(const schema::ContentHash& bytes, const std::string& context) {
  if (context.empty()) return bytes;
  return schema::content_hash(std::string(bytes.view()) + context);
}

// Reads a file through for its hash alone.
Expected<FileContent> hash_file(const std::string& path) {
  BENCHHUD_ASSIGN(SourceFile file, SourceFile::open(path));
  ChunkReader reader(std::move(file));
  Chunk chunk;
  for (;;) {
    BENCHHUD_ASSIGN(const bool more, reader.next_piece(&chunk));
    if (!more) break;
  }
  FileContent content;
  content.hash = reader.content_hash();
  content.byte_count = reader.byte_count();
  return content;
}

class FileIngest {
 public:
  FileIngest(Connection& store, const std::string& path, const IngestOptions& options,
             std::int64_t shift_weeks, Progress progress)
      : store_(store),
        options_(options),
        shift_weeks_(shift_weeks),
        progress_(progress),
        bytes_before_(progress.bytes) {
    result_.path = path;
  }

  /// Takes the file in, inside the caller's transaction.
  Expected<FileResult> run() {
    BENCHHUD_ASSIGN(const FileReading reading, reading_of(result_.path, options_));
    BENCHHUD_ASSIGN(const bool is_known, find_known(reading));
    if (is_known) return std::move(result_);

    BENCHHUD_ASSIGN(SourceFile file, SourceFile::open(result_.path));
    BENCHHUD_ASSIGN(
        FileWriter writer,
        FileWriter::begin(
            store_, {absolute_path(options_.kept_path.value_or(result_.path)), options_.run_name,
                     options_.labels, options_.lines_between_derivations}));
    ParsingThread parsing(std::move(file), reading.make_reader(), shift_weeks_);
    while (auto chunk = parsing.next()) {
      BENCHHUD_TRY(look_experiments_ahead(&writer, *chunk));
      bool has_new = false;
      for (std::size_t i = 0; i < chunk->line_count; ++i) {
        BENCHHUD_ASSIGN(const bool is_new, take(chunk->lines[i], &writer));
        // A file that has grown begins with lines that are known.
        if (is_new && !std::exchange(has_new, true)) {
          BENCHHUD_TRY(look_content_ahead(&writer, *chunk, i + 1));
        }
      }
      tell_progress(chunk->chunk.position_on_disk);
      parsing.give_back(std::move(chunk));
    }
    BENCHHUD_TRY(parsing.status());
    BENCHHUD_TRY(refuse_if_too_large());
    const ChunkReader& reader = parsing.reader();
    if (!reader.damage().empty()) BENCHHUD_TRY(reject_rest(reader, &writer));
    result_.byte_count = reader.byte_count();
    result_.line_count = reader.line_count();

    FileContent content;
    // A line that found no memory now may find it later: the file is not known to be in the store.
    content.hash = in_context(reader.content_hash(),
                              reading.context() + (lacks_memory_ ? "lacks memory" : ""));
    content.byte_count = reader.byte_count();
    content.line_count = reader.line_count();
    content.lacks_timestamps = lacks_timestamps_;
    content.fallback_timestamp = reading.fallback_timestamp;
    BENCHHUD_ASSIGN(result_.report, writer.finish(content));
    return std::move(result_);
  }

 private:
  // The same content, taken in before and still there, is not parsed again; unless the command
  // names a run or labels, for then the report tells what they were not given to. Only a size that
  // was seen before is worth hashing for.
  Expected<bool> find_known(const FileReading& reading) {
    const bool is_told_of = options_.run_name || !options_.labels.empty();
    if (is_told_of && !options_.skips_known_content) return false;
    std::error_code error;
    const auto size = std::filesystem::file_size(result_.path, error);
    if (error) return false;
    BENCHHUD_ASSIGN(const bool is_candidate,
                    schema::has_file_of_size(store_, static_cast<std::int64_t>(size)));
    if (!is_candidate) return false;
    BENCHHUD_ASSIGN(FileContent content, hash_file(result_.path));
    content.hash = in_context(content.hash, reading.context());
    content.fallback_timestamp = reading.fallback_timestamp;
    BENCHHUD_ASSIGN(const auto known, schema::find_complete_file(store_, content));
    if (!known) return false;
    schema::Reader reader(store_);
    // Some of what was rejected then may be in now; then it takes a reading to know what is not.
    BENCHHUD_ASSIGN(const std::int64_t rejected, reader.rejected_count(known->id));
    BENCHHUD_ASSIGN(const std::int64_t pruned, reader.pruned_rejections(known->id));
    if (rejected + pruned != known->rejected) return false;
    // Whether a budget kept all of it out is known by reading it.
    if (options_.refuses_too_large && known->accepted + known->duplicate == 0) return false;
    result_.is_known = true;
    result_.byte_count = known->byte_count;
    result_.line_count = known->line_count;
    result_.report.duplicate = known->accepted + known->duplicate;
    result_.report.rejected = rejected;
    BENCHHUD_ASSIGN(result_.report.runs, reader.runs_of_ingest(known->id));
    return list_known_rejections(&reader, known->id);
  }

  Expected<bool> list_known_rejections(schema::Reader* reader, schema::FileId file) {
    BENCHHUD_ASSIGN(const auto lines, reader->rejected_lines(file, {}, kMostListed));
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      result_.rejections.push_back({line->line_number, line->byte_offset, line->reason});
    }
    return true;
  }

  // Where a budget kept out all that the file has, its sender is told so.
  Expected<void> refuse_if_too_large() const {
    if (!options_.refuses_too_large || has_accepted_ || !too_large_) return {};
    return Error{schema::ErrorCode::kTooLarge, *too_large_};
  }

  // Whether it is a line that the store did not have.
  Expected<bool> take(const ParsedLine& line, FileWriter* writer) {
    lacks_timestamps_ |= line.lacks_timestamp;
    lacks_memory_ |= line.lacks_memory;
    has_accepted_ |= !line.rejection;
    if (line.is_too_large && !too_large_) {
      too_large_ = fmt::format("line {}: {}", line.line_number, *line.rejection);
    }
    if (!line.rejection) {
      BENCHHUD_ASSIGN(const auto outcome, write_line(writer, line));
      return outcome == FileWriter::Outcome::kAccepted;
    }
    BENCHHUD_ASSIGN(const bool is_reported, write_rejection(writer, line));
    if (is_reported) list(line.line_number, line.byte_offset, *line.rejection);
    return false;
  }

  Expected<void> reject_rest(const ChunkReader& reader, FileWriter* writer) {
    schema::NewRejection rejection;
    rejection.line_number = reader.line_count() + 1;
    rejection.byte_offset = reader.byte_count();
    rejection.hash = schema::content_hash(reader.damage());
    rejection.retriable = true;
    rejection.reason = reader.damage();
    BENCHHUD_ASSIGN(const bool is_reported, writer->reject(rejection));
    if (is_reported) list(rejection.line_number, rejection.byte_offset, reader.damage());
    return {};
  }

  void list(std::int64_t line_number, std::int64_t byte_offset, const std::string& reason) {
    if (result_.rejections.size() < kMostListed) {
      result_.rejections.push_back({line_number, byte_offset, reason});
    }
  }

  void tell_progress(std::int64_t position) {
    if (!options_.on_progress) return;
    progress_.bytes = bytes_before_ + position;
    options_.on_progress(progress_);
  }

  Connection& store_;
  const IngestOptions& options_;
  const std::int64_t shift_weeks_;
  Progress progress_;
  const std::int64_t bytes_before_;
  FileResult result_;
  bool lacks_timestamps_ = false, lacks_memory_ = false, has_accepted_ = false;
  std::optional<std::string> too_large_;  // the first line that is
};

// A turn is kept from one small file to the next for so long: nobody notices that he waits for it,
// and a folder of small dumps takes a third less.
constexpr std::chrono::milliseconds kLongestTurn{50};
// Compressed, such a file may be some megabytes, which are read in hundredths of a second.
constexpr std::int64_t kSmallFile = 64 << 10;

std::int64_t size_on_disk(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

void add_up(const FileResult& file, IngestResult* result) {
  result->accepted += file.report.accepted;
  result->duplicate += file.report.duplicate;
  result->rejected += file.report.rejected;
  result->failed |= file.error.has_value();
}

void add_up(const DumpResult& dump, IngestResult* result) {
  result->failed |= dump.error.has_value();
  if (dump.error) return;
  ++(dump.outcome == DumpResult::Outcome::kKnown ? result->known_dumps : result->new_dumps);
  result->orphaned_dumps += dump.is_orphan;
  result->unreadable_dumps += dump.unreadable.has_value();
}

DumpOptions dump_options(const IngestOptions& options, std::int64_t shift_weeks) {
  DumpOptions dumps = options.dumps;
  dumps.timestamp = options.timestamp;
  dumps.shift_weeks = shift_weeks;
  dumps.refuses_too_large = options.refuses_too_large;
  dumps.kept_path = options.kept_path;
  return dumps;
}

// Takes everything in, one file a transaction, or all of it in one.
class Ingest {
 public:
  Ingest(Connection& store, const Inputs& inputs, const IngestOptions& options)
      : store_(store), inputs_(inputs), options_(options) {}

  Expected<IngestResult> run() {
    progress_.file_count = inputs_.results.size() + inputs_.dumps.size();
    for (const auto* files : {&inputs_.results, &inputs_.dumps}) {
      for (const std::string& file : *files) progress_.total_bytes += size_on_disk(file);
    }
    std::optional<Transaction> all;
    if (options_.strict) {
      BENCHHUD_ASSIGN(Transaction transaction, begin_writing());
      all.emplace(std::move(transaction));
    }
    result_.unreadable_folders = inputs_.unreadable;
    BENCHHUD_TRY(list_unrecognized());
    result_.failed = !inputs_.unreadable.empty();
    BENCHHUD_TRY(choose_shift());
    dumps_.emplace(store_, dump_options(options_, result_.shift_weeks));
    BENCHHUD_ASSIGN(const auto place, trace::trace_place(store_));
    has_place_ = place.has_value();
    for (const std::string& path : inputs_.results) {
      if (is_stopped()) break;
      result_.files.push_back(take_or_fail<FileResult>(path, [&] { return take_results(path); }));
      add_up(result_.files.back(), &result_);
    }
    for (const std::string& path : inputs_.dumps) {
      if (is_stopped()) break;
      result_.dumps.push_back(take_or_fail<DumpResult>(path, [&] { return take_dump(path); }));
      if (!options_.strict) dumps_->remove_what_was_not_put();
      add_up(result_.dumps.back(), &result_);
    }
    if (busy_) {
      // Whoever wants it to stop ends the waiting for a turn too.
      is_stopped();
      return std::move(result_);
    }
    BENCHHUD_TRY(note_unrecognized());
    remove_abandoned();
    if (all) {
      result_.undone =
          result_.rejected > 0 || result_.unreadable_dumps > 0 || result_.failed || result_.stopped;
      if (!result_.undone && result_.changed) BENCHHUD_TRY(all->commit());
      result_.changed &= !result_.undone;
    }
    return std::move(result_);
  }

 private:
  /// The right to write, and until when other files go in by it: taking it costs as much as reading
  /// a small dump.
  struct Turn {
    schema::StoreLock lock;
    std::chrono::steady_clock::time_point end;
  };

  /// A write transaction in a turn of the store, which is kept afterwards until end_turn_before().
  Expected<Transaction> begin_writing() {
    BENCHHUD_TRY(begin_turn());
    return Transaction::begin(store_, Transaction::Kind::kWrite);
  }

  Expected<void> begin_turn() {
    if (!options_.turns) return {};
    const Expected<void> taken = take_turn();
    if (!taken) busy_ = taken.error();
    return taken;
  }

  Expected<void> take_turn() {
    if (turn_) return options_.turns->check(store_);
    BENCHHUD_ASSIGN(schema::StoreLock lock, options_.turns->take(store_));
    turn_.emplace(Turn{std::move(lock), std::chrono::steady_clock::now() + kLongestTurn});
    return {};
  }

  /// Lets others have their turn before a file of `size` bytes, unless it is a matter of
  /// milliseconds.
  void end_turn_before(std::int64_t size) {
    if (!turn_ || options_.strict) return;
    if (size > kSmallFile || std::chrono::steady_clock::now() >= turn_->end) turn_.reset();
  }

  bool is_stopped() {
    result_.stopped = result_.stopped || (options_.should_stop && options_.should_stop());
    return result_.stopped;
  }

  /// What a killed process left of large traces. What cannot be removed now is the next ingest's.
  void remove_abandoned() {
    if (options_.strict || inputs_.dumps.empty()) return;
    const auto abandoned = trace::abandoned_arrivals(store_);
    if (!abandoned || abandoned->empty()) return;
    if (options_.turns && !take_turn()) return;
    static_cast<void>(trace::remove_abandoned_arrivals(store_, [this] { return !is_stopped(); }));
  }

  Expected<void> choose_shift() {
    if (!options_.shift_times_to) return {};
    const auto choose = [this] {
      return choose_time_shift(store_, inputs_, options_, *options_.shift_times_to);
    };
    if (options_.strict) {
      BENCHHUD_ASSIGN(result_.shift_weeks, choose());
      return {};
    }
    BENCHHUD_ASSIGN(Transaction transaction, begin_writing());
    BENCHHUD_ASSIGN(result_.shift_weeks, choose());
    return transaction.commit();
  }

  // The store may lie in a folder that is ingested, with its log and its locks; and a dump whose
  // name says nothing may have been ingested by itself.
  Expected<void> list_unrecognized() {
    BENCHHUD_ASSIGN(const std::string store, schema::store_file(store_));
    UnrecognizedFiles& files = result_.unrecognized;
    files.count = inputs_.unrecognized.count;
    for (const std::string& file : inputs_.unrecognized.paths) {
      const std::string path = absolute_path(file);
      bool is_known = path == store || path.starts_with(store + '-');
      // One that is gone by now is none that the store knows.
      if (const auto stamp = stamp_of(path); !is_known && stamp) {
        BENCHHUD_ASSIGN(const auto dump, schema::find_unchanged(store_, path, *stamp));
        is_known = dump.has_value();
      }
      if (is_known) {
        --files.count;
      } else {
        files.paths.push_back(file);
      }
    }
    return {};
  }

  // Those who look at the store later see them too.
  Expected<void> note_unrecognized() {
    std::vector<std::string> places = inputs_.folders;
    for (const DumpResult& dump : result_.dumps) {
      if (!dump.error) places.push_back(absolute_path(dump.path));
    }
    if (places.empty()) return {};
    std::vector<std::string> paths;
    paths.reserve(result_.unrecognized.paths.size());
    for (const std::string& path : result_.unrecognized.paths) {
      paths.push_back(absolute_path(path));
    }
    const auto note = [&] {
      return schema::note_unrecognized_files(store_, places, std::move(paths),
                                             UnrecognizedFiles::kMostNamed);
    };
    const Expected<bool> noted = alone(note, [](bool is_change) { return is_change; });
    // Whoever does not get this turn has taken all files in; the next ingest of the folder notes
    // it.
    if (!noted && !busy_) return noted.error();
    return {};
  }

  // What is thrown while a file is read is an error of that file: its transaction is undone, and
  // the others go in.
  template <class Result, class Take>
  Result take_or_fail(const std::string& path, Take take) {
    const std::int64_t size = size_on_disk(path);
    const std::int64_t bytes_after = progress_.bytes + size;
    end_turn_before(size);
    Expected<Result> taken = schema::caught([&]() -> Expected<Result> {
      if (busy_) return *busy_;
      return take();
    });
    ++progress_.file;
    progress_.bytes = bytes_after;
    if (taken) return *std::move(taken);
    Result failed;
    failed.path = path;
    failed.error = taken.error();
    return failed;
  }

  // Where not everything is one transaction, what `take` does is one of its own, committed if
  // it changed anything.
  template <class Take, class IsChange>
  auto alone(Take take, IsChange is_change) -> decltype(take()) {
    if (options_.strict) {
      auto taken = take();
      result_.changed |= taken && is_change(*taken);
      return taken;
    }
    BENCHHUD_ASSIGN(Transaction transaction, begin_writing());
    auto taken = take();
    if (!taken || !is_change(*taken)) return taken;
    BENCHHUD_TRY(transaction.commit());
    result_.changed = true;
    return taken;
  }

  Expected<FileResult> take_results(const std::string& path) {
    return alone(
        [&] { return FileIngest(store_, path, options_, result_.shift_weeks, progress_).run(); },
        [](const FileResult& file) { return file.report.changed; });
  }

  /// Whether preparing it asks the place: a trace is put there, or is there already.
  bool may_ask_place(const std::string& path) const {
    if (!has_place_) return false;
    const auto name = dump_name(absolute_path(path));
    return !name || name->kind == schema::ArtifactKind::kTrace;
  }

  Expected<DumpResult> take_dump(const std::string& path) {
    if (options_.on_progress) options_.on_progress(progress_);
    // A trace takes seconds to be read, or to be put into a place, and others want to write
    // meanwhile.
    if (may_ask_place(path) && !options_.strict) turn_.reset();
    BENCHHUD_ASSIGN(auto prepared, dumps_->prepare(path));
    if (!options_.strict && dumps_->is_copied_ahead(prepared, options_.copies_ahead)) {
      BENCHHUD_TRY(begin_turn());
      dumps_->copy_ahead(prepared, options_.copies_ahead);
    }
    return alone([&] { return dumps_->put(std::move(prepared)); },
                 [](const DumpResult& dump) { return dump.changed; });
  }

  Connection& store_;
  const Inputs& inputs_;
  const IngestOptions& options_;
  std::optional<Turn> turn_;
  bool has_place_ = false;  // for traces
  std::optional<DumpIngest> dumps_;
  Progress progress_;
  std::optional<Error> busy_;  // a turn that was waited for in vain
  IngestResult result_;
};

}  // namespace

Expected<IngestResult> ingest_files(Connection& store, const Inputs& inputs,
                                    const IngestOptions& options) {
  return Ingest(store, inputs, options).run();
}

}  // namespace benchhud::ingest
