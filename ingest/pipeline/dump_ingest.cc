#include "ingest/pipeline/dump_ingest.h"

#include <fmt/format.h>
#include <malloc.h>

#include <filesystem>
#include <future>
#include <memory>
#include <system_error>
#include <utility>

#include "ingest/output/output_dir.h"
#include "ingest/pipeline/file_stamp.h"
#include "ingest/pipeline/output_index.h"
#include "ingest/pipeline/profile_hlo.h"
#include "ingest/profiles/dump_kind.h"
#include "ingest/profiles/dump_text.h"
#include "ingest/text/file_kind.h"
#include "ingest/text/source_file.h"
#include "ingest/text/text_parts.h"
#include "ingest/torch_trace/torch_trace_reader.h"
#include "ingest/trace/trace_reader.h"
#include "ingest/xplane/xplane_file.h"
#include "ingest/xplane/xplane_trace.h"
#include "schema/db/buffered_reading.h"
#include "schema/db/text_store.h"
#include "schema/results/artifact_writer.h"
#include "schema/results/results.h"
#include "schema/results/torch_trace_store.h"
#include "trace/trace_args.h"
#include "trace/trace_derived.h"
#include "trace/trace_hlo.h"
#include "trace/trace_index.h"
#include "trace/trace_queries.h"
#include "trace/trace_store.h"
#include "trace/xla_profile_store.h"

namespace benchhud::ingest {

using schema::ArtifactKind;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::NewArtifact;
using schema::ResultKey;

namespace {

// What threads that have ended freed is not used by others before it is given back.
void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

constexpr std::size_t kDumpPieceBytes = 1 << 20;
// By so many a container is known.
constexpr std::size_t kBeginBytes = 4096;

// Texts are held in memory while they are read. Traces, which may be of any length, are not.
constexpr std::size_t kLongestText = std::size_t{256} << 20;

// The XPlane profile of the session that a Chrome trace is of, if it lies beside it.
std::optional<std::string> profile_beside(const std::string& path) {
  constexpr std::string_view kEnding = ".trace.json";
  std::string_view stem = uncompressed_name(path);
  if (!stem.ends_with(kEnding)) return std::nullopt;
  stem.remove_suffix(kEnding.size());
  for (const std::string_view compression : {"", ".gz", ".zst"}) {
    std::string profile = fmt::format("{}.xplane.pb{}", stem, compression);
    std::error_code error;
    if (std::filesystem::is_regular_file(profile, error)) return profile;
  }
  return std::nullopt;
}

// A file's bytes from front to back, hashed. What damaged compression hides is a reason, not an
// error.
class HashedFile {
 public:
  explicit HashedFile(SourceFile file) : file_(std::move(file)) {}

  /// The next piece, appended; false at the end.
  Expected<bool> read(std::string* out) {
    if (!damage_.empty()) return false;
    const std::size_t before = out->size();
    const Expected<std::size_t> count = file_.read(kDumpPieceBytes, out);
    if (!count && count.error().code != ErrorCode::kCorrupt) return count.error();
    if (!count) damage_ = count.error().message;
    hasher_.update(std::string_view(*out).substr(before));
    byte_count_ += out->size() - before;
    return out->size() > before;
  }

  const std::string& damage() const { return damage_; }
  std::size_t byte_count() const { return byte_count_; }
  schema::ContentHash hash() const { return hasher_.finish(); }

 private:
  SourceFile file_;
  schema::ContentHasher hasher_;
  std::size_t byte_count_ = 0;
  std::string damage_;
};

}  // namespace

struct DumpIngest::State {
  State(schema::Connection& s, DumpOptions o) : store(s), options(std::move(o)) {}

  Expected<std::vector<ResultKey>> ties_of(const DumpName& name);

  schema::Connection& store;
  const DumpOptions options;
  std::map<std::string, OutputIndex> indexes;  // by directory
};

Expected<std::vector<ResultKey>> DumpIngest::State::ties_of(const DumpName& name) {
  if (options.result) return std::vector{*options.result};
  if (name.directory.empty()) return std::vector<ResultKey>();
  auto found = indexes.find(name.directory);
  if (found == indexes.end()) {
    BENCHHUD_ASSIGN(OutputIndex index,
                    OutputIndex::read(name.directory, options.timestamp, options.shift_weeks));
    found = indexes.emplace(name.directory, std::move(index)).first;
  }
  if (name.base.empty()) return found->second.find_compiled_by_xla(name.model);
  return found->second.find(name.base);
}

// One file.
class DumpIngest::File {
 public:
  File(State& state, const std::string& path) : state_(state) {
    result_.path = path;
    artifact_.path = absolute_path(path);
  }

  Expected<DumpResult> take() {
    BENCHHUD_ASSIGN(artifact_.file, stamp_of(result_.path));
    const std::optional<DumpName> known_name = dump_name(artifact_.path);
    const DumpName name = known_name.value_or(DumpName());
    use(name);
    BENCHHUD_ASSIGN(artifact_.ties, state_.ties_of(name));

    BENCHHUD_ASSIGN(const auto unchanged,
                    schema::find_unchanged(state_.store, artifact_.path, artifact_.file));
    if (unchanged && (unchanged->has_ties || artifact_.ties.empty())) {
      return known(*unchanged, /*is_noted=*/true);
    }
    if (known_name) {
      artifact_.kind = name.kind;
    } else {
      BENCHHUD_ASSIGN(artifact_.kind, sniffed_kind());
    }
    if (state_.options.joins_sessions && artifact_.kind == ArtifactKind::kTrace) {
      BENCHHUD_ASSIGN(auto joined, join_session());
      if (joined) return *std::move(joined);
    }
    BENCHHUD_TRY(artifact_.kind == ArtifactKind::kTrace        ? take_trace()
                 : artifact_.kind == ArtifactKind::kTorchTrace ? take_torch_trace()
                                                               : take_text());
    if (known_) return known(*known_, /*is_noted=*/false);
    result_.is_orphan = artifact_.ties.empty();
    result_.problem_count = artifact_.problem_count;
    result_.unreadable = artifact_.error;
    BENCHHUD_ASSIGN(result_.id, schema::put_artifact(state_.store, artifact_));
    if (torch_trace_) {
      BENCHHUD_TRY(schema::put_torch_trace(state_.store, result_.id, *torch_trace_));
    }
    BENCHHUD_TRY(discount_profiled());
    result_.changed = true;
    return std::move(result_);
  }

 private:
  void use(const DumpName& name) {
    artifact_.name = name.place;
    // A dump that is not named as the runner names them goes by its file's name.
    if (name.place.empty()) {
      artifact_.name = uncompressed_name(artifact_.path.substr(artifact_.path.rfind('/') + 1));
    }
    artifact_.base = name.base;
    artifact_.model = name.model;
    artifact_.part = name.part;
    artifact_.repetition = state_.options.repetition ? state_.options.repetition : name.repetition;
  }

  // What was timed while XLA's profiler ran is no time that counts.
  Expected<void> discount_profiled() {
    if (!schema::is_of_xla_profiler(artifact_.name)) return {};
    return schema::derive_results_of(state_.store, artifact_.ties);
  }

  // `is_noted`: the store knows the very file.
  Expected<DumpResult> known(const schema::KnownArtifact& artifact, bool is_noted) {
    result_.id = artifact.id;
    result_.outcome = DumpResult::Outcome::kKnown;
    if (!artifact.is_pruned) {
      result_.problem_count = artifact.problem_count;
      result_.unreadable = artifact.error;
    }
    result_.is_orphan = artifact_.ties.empty() && !artifact.has_ties;
    const bool is_free = !artifact.has_ties || state_.options.result;
    BENCHHUD_ASSIGN(
        const bool is_tied,
        is_free ? schema::add_ties(state_.store, artifact.id, artifact_.ties)
                : schema::add_ties_of_invocation(state_.store, artifact.id, artifact_.ties));
    if (is_tied) result_.outcome = DumpResult::Outcome::kTied;
    result_.changed = is_tied || !is_noted;
    if (!is_noted) {
      BENCHHUD_TRY(schema::note_file(state_.store, artifact.id, artifact_.path, artifact_.file));
    }
    if (result_.changed) BENCHHUD_TRY(discount_profiled());
    return std::move(result_);
  }

  // Where the profile of the same session can be read, that one is taken in, and this is another
  // file of it.
  Expected<std::optional<DumpResult>> join_session() {
    const auto profile = profile_beside(result_.path);
    if (!profile) return std::optional<DumpResult>();
    Expected<DumpResult> taken = File(state_, *profile).take();
    constexpr ErrorCode kOfTheProfile[] = {ErrorCode::kIo, ErrorCode::kUnsupported,
                                           ErrorCode::kTooLarge, ErrorCode::kCorrupt};
    if (!taken && std::ranges::find(kOfTheProfile, taken.error().code) == std::end(kOfTheProfile)) {
      return taken.error();
    }
    if (!taken || taken->unreadable) return std::optional<DumpResult>();
    BENCHHUD_TRY(schema::note_file(state_.store, taken->id, artifact_.path, artifact_.file));
    taken->path = result_.path;
    taken->changed = true;
    return std::optional(*std::move(taken));
  }

  // What the bytes are is known: whether the store has them already.
  Expected<bool> find_known(const schema::ContentHash& hash, std::size_t byte_count) {
    artifact_.hash = hash;
    artifact_.byte_count = static_cast<std::int64_t>(byte_count);
    BENCHHUD_ASSIGN(known_, schema::find_same(state_.store, artifact_.kind, artifact_.name,
                                              artifact_.hash, artifact_.ties));
    return known_.has_value();
  }

  // Of a file whose name says nothing: what it begins with.
  Expected<ArtifactKind> sniffed_kind() {
    if (is_xplane_name(result_.path)) return ArtifactKind::kTrace;
    BENCHHUD_ASSIGN(SourceFile source, SourceFile::open(result_.path));
    std::string begin;
    while (begin.size() < kDumpPieceBytes) {
      const Expected<std::size_t> count = source.read(kDumpPieceBytes, &begin);
      if (!count && count.error().code != ErrorCode::kCorrupt) return count.error();
      if (!count || *count == 0) break;
    }
    if (const auto kind = dump_kind_of(begin)) return *kind;
    const auto container = unread_container(begin);
    return Error{ErrorCode::kUnsupported,
                 container ? fmt::format("{} is {}", result_.path, *container)
                           : fmt::format("{} is no dump that is known: neither by its name nor by "
                                         "what is in it",
                                         result_.path)};
  }

  Expected<void> set_too_large(std::string reason) {
    if (state_.options.refuses_too_large) return Error{ErrorCode::kTooLarge, std::move(reason)};
    artifact_.error = std::move(reason);
    return {};
  }

  Expected<void> take_text() {
    BENCHHUD_ASSIGN(SourceFile source, SourceFile::open(result_.path));
    HashedFile file(std::move(source));
    std::string text;
    bool is_too_long = false;
    for (;;) {
      BENCHHUD_ASSIGN(const bool more, file.read(&text));
      if (!more) break;
      if (text.size() > kLongestText) {
        is_too_long = true;
        text.clear();
      }
    }
    BENCHHUD_ASSIGN(const bool is_known, find_known(file.hash(), file.byte_count()));
    if (is_known) return {};
    if (is_too_long) {
      return set_too_large(
          fmt::format("it has {} bytes; the longest of its kind that is kept has {}",
                      file.byte_count(), kLongestText));
    }
    // What is kept is the file itself; it is read here to tell now what cannot be read.
    if (artifact_.kind != ArtifactKind::kXplane) {
      BENCHHUD_ASSIGN(const DumpText read, read_dump_text(text, artifact_.kind));
      artifact_.problem_count = static_cast<std::int64_t>(read.problems.size());
      // A model that compiled nothing leaves an empty report; what is full of something else is
      // none.
      if (is_empty(read) && (!read.problems.empty() || !trim(text).empty()) && trim(text) != "{}") {
        const auto container = unread_container(text);
        artifact_.error =
            container ? "it is " + *container
                      : fmt::format("there is no {} in it", dump_kind_words(artifact_.kind));
      }
    }
    if (!file.damage().empty()) artifact_.error = file.damage();
    schema::TextWriter texts(state_.store);
    BENCHHUD_ASSIGN(artifact_.text, texts.put(schema::pack_text(text)));
    return {};
  }

  Expected<void> take_trace() {
    BENCHHUD_ASSIGN(const bool is_xplane, is_xplane_file(result_.path));
    trace::PackedArgs args;
    BENCHHUD_ASSIGN(std::optional<trace::Trace> trace,
                    is_xplane ? read_planes(&args) : read_events(&args));
    if (!trace) return {};
    give_back_memory();
    artifact_.problem_count = trace->problem_count;
    const schema::SmallWriteBuffer small(state_.store);
    BENCHHUD_TRY(store_trace(*std::move(trace), &args));
    if (hlo_) BENCHHUD_TRY(trace::put_trace_hlo(state_.store, *artifact_.trace, *hlo_));
    // A trace that was in the store already has its index.
    BENCHHUD_ASSIGN(const auto index, trace::TraceIndex::open(state_.store, *artifact_.trace));
    if (index) return {};
    return trace::index_trace(state_.store, *artifact_.trace);
  }

  // An XPlane profile. Nothing where it is known, or nothing can be made of it.
  Expected<std::optional<trace::Trace>> read_planes(trace::PackedArgs* args) {
    BENCHHUD_ASSIGN(const XplaneFile file, XplaneFile::open(result_.path));
    BENCHHUD_ASSIGN(const bool is_known, find_known(file.hash(), file.bytes().size()));
    if (is_known) {
      BENCHHUD_TRY(renew(file));
      return std::optional<trace::Trace>();
    }
    XplaneTrace made = read_xplane(file.bytes(), args, file.damage());
    if (!made.refusal.empty()) {
      BENCHHUD_TRY(set_too_large(made.refusal));
      return std::optional<trace::Trace>();
    }
    if (!made.unreadable.empty()) {
      artifact_.error = made.unreadable;
      return std::optional<trace::Trace>();
    }
    BENCHHUD_ASSIGN(hlo_, put_profile_hlo(state_.store, file.bytes(), &made.trace));
    return std::optional(std::move(made.trace));
  }

  // Adds what an older version did not read of a profile to the trace that it made.
  Expected<void> renew(const XplaneFile& file) {
    if (known_->is_pruned || known_->error) return {};
    BENCHHUD_ASSIGN(const auto kept, trace::find_trace(state_.store, artifact_.hash));
    if (!kept) return {};
    BENCHHUD_TRY(add_profile(file, *kept));
    return add_hlo(file, *kept);
  }

  Expected<void> add_profile(const XplaneFile& file, schema::TraceId trace) {
    BENCHHUD_ASSIGN(const auto stored, trace::read_xla_profile(state_.store, trace));
    BENCHHUD_ASSIGN(const trace::TraceInfo info, trace::TraceQueries(state_.store, trace).info());
    const bool can_derive = static_cast<bool>(state_.options.trace_summary);
    if (stored && (!info.lacks_derived_tracks || !can_derive)) return {};
    trace::PackedArgs args;
    const XplaneTrace made = read_xplane(file.bytes(), &args, file.damage());
    BENCHHUD_ASSIGN(const bool is_added, trace::add_xla_profile(state_.store, trace, made.trace));
    if (!can_derive) return {};
    const trace::TraceNesting nesting = trace::nest(made.trace, trace::NestingRows::kYes);
    const TraceSummary summary = state_.options.trace_summary(made.trace, nesting);
    if (summary.derived_tracks && info.lacks_derived_tracks) {
      BENCHHUD_TRY(trace::put_derived_tracks(state_.store, trace, *summary.derived_tracks));
      BENCHHUD_TRY(trace::index_trace(state_.store, trace));
    }
    if (!is_added) return {};
    schema::TextWriter texts(state_.store);
    BENCHHUD_ASSIGN(const schema::TextId digest, texts.put(schema::pack_text(summary.digest)));
    return schema::set_digest(state_.store, known_->id, digest);
  }

  // Where the store does not have them already, of the same content; without the trace's index.
  Expected<void> put_missing_tracks(schema::TraceId trace, const trace::DerivedTracks& derived) {
    BENCHHUD_ASSIGN(const trace::TraceInfo info, trace::TraceQueries(state_.store, trace).info());
    if (!info.lacks_derived_tracks) return {};
    return trace::put_derived_tracks(state_.store, trace, derived);
  }

  Expected<void> add_hlo(const XplaneFile& file, schema::TraceId trace) {
    BENCHHUD_ASSIGN(const auto stored, trace::trace_hlo(state_.store, trace));
    if (stored) return {};
    trace::Trace found;
    BENCHHUD_ASSIGN(const auto hlo, put_profile_hlo(state_.store, file.bytes(), &found));
    BENCHHUD_TRY(trace::add_trace_problems(state_.store, trace, found));
    known_->problem_count += found.problem_count;
    return trace::put_trace_hlo(state_.store, trace, hlo);
  }

  // The same of a Chrome trace.
  Expected<std::optional<trace::Trace>> read_events(trace::PackedArgs* args) {
    BENCHHUD_ASSIGN(SourceFile source, SourceFile::open(result_.path));
    HashedFile file(std::move(source));
    // The tables that it reads with are gone before the trace is nested and stored.
    auto reader = std::make_unique<TraceReader>(args);
    std::string piece, begin;
    for (;;) {
      piece.clear();
      BENCHHUD_ASSIGN(const bool more, file.read(&piece));
      reader->feed(piece);
      if (begin.empty()) begin = piece.substr(0, kBeginBytes);
      if (!more) break;
    }
    trace::Trace trace = reader->finish(file.damage());
    BENCHHUD_ASSIGN(const bool is_known, find_known(file.hash(), file.byte_count()));
    if (is_known) return std::optional<trace::Trace>();
    if (!reader->refusal().empty()) {
      BENCHHUD_TRY(set_too_large(reader->refusal()));
      return std::optional<trace::Trace>();
    }
    if (!reader->has_list()) {
      const auto container = unread_container(begin);
      artifact_.error =
          container ? "it is " + *container : "no Chrome trace: there is no list of events in it";
      return std::optional<trace::Trace>();
    }
    return std::optional(std::move(trace));
  }

  // A log may be of any length: its texts go into the store as they come. Where the store has the
  // log already, it has them, too.
  Expected<void> take_torch_trace() {
    BENCHHUD_ASSIGN(SourceFile source, SourceFile::open(result_.path));
    HashedFile file(std::move(source));
    schema::TextWriter texts(state_.store);
    std::optional<Error> failure;
    TorchTraceOptions options;
    options.keep_text = [&](std::string_view text) -> std::optional<schema::TextId> {
      if (failure) return {};
      auto id = texts.put(schema::pack_text(text));
      if (id) return *id;
      failure = std::move(id).error();
      return {};
    };
    TorchTraceReader reader(std::move(options));
    std::string piece, begin;
    for (;;) {
      piece.clear();
      BENCHHUD_ASSIGN(const bool more, file.read(&piece));
      reader.feed(piece);
      if (begin.empty()) begin = piece.substr(0, kBeginBytes);
      if (failure) return std::move(*failure);
      if (!more) break;
    }
    schema::TorchTraceLog log = reader.finish(file.damage());
    if (failure) return std::move(*failure);
    BENCHHUD_ASSIGN(const bool is_known, find_known(file.hash(), file.byte_count()));
    if (is_known) return {};
    // A process that compiled nothing leaves an empty log, of which there is no problem.
    if (log.record_count == 0 && !log.problems.empty()) {
      const auto container = unread_container(begin);
      artifact_.error = !file.damage().empty() ? file.damage()
                        : container            ? "it is " + *container
                                               : fmt::format("there is no record of a {} in it",
                                                             dump_kind_words(artifact_.kind));
      return {};
    }
    if (!log.rank) log.rank = rank_in_name(artifact_.name.substr(artifact_.name.rfind('/') + 1));
    artifact_.problem_count = static_cast<std::int64_t>(log.problems.size());
    torch_trace_ = std::move(log);
    return {};
  }

  Expected<void> store_trace(const trace::Trace trace, trace::PackedArgs* args) {
    const trace::TraceNesting nesting = trace::nest(trace, trace::NestingRows::kYes);
    std::future<TraceSummary> summary;
    if (state_.options.trace_summary) {
      // Where no thread is to be had, it is made when it is asked for.
      summary = std::async(std::launch::async | std::launch::deferred,
                           [&] { return state_.options.trace_summary(trace, nesting); });
    }
    BENCHHUD_ASSIGN(artifact_.trace,
                    trace::put_unindexed_trace(state_.store, trace, nesting, args, artifact_.hash,
                                               artifact_.byte_count));
    if (!summary.valid()) return {};
    const TraceSummary made = summary.get();
    BENCHHUD_TRY(trace::put_trace_findings(state_.store, *artifact_.trace, made.findings));
    BENCHHUD_TRY(trace::put_trace_devices(state_.store, *artifact_.trace, made.devices));
    if (made.derived_tracks) {
      BENCHHUD_TRY(put_missing_tracks(*artifact_.trace, *made.derived_tracks));
    }
    schema::TextWriter texts(state_.store);
    BENCHHUD_ASSIGN(artifact_.digest, texts.put(schema::pack_text(made.digest)));
    return {};
  }

  State& state_;
  NewArtifact artifact_;
  DumpResult result_;
  std::optional<schema::KnownArtifact> known_;
  std::optional<schema::TorchTraceLog> torch_trace_;
  std::optional<trace::TraceHlo> hlo_;
};

DumpIngest::DumpIngest(schema::Connection& store, DumpOptions options)
    : state_(std::make_unique<State>(store, std::move(options))) {}
DumpIngest::~DumpIngest() = default;

Expected<DumpResult> DumpIngest::take(const std::string& path) {
  return File(*state_, path).take();
}

}  // namespace benchhud::ingest
