#include "ingest/pipeline/dump_ingest.h"

#include <fmt/format.h>
#include <malloc.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "ingest/output/output_dir.h"
#include "ingest/pipeline/file_stamp.h"
#include "ingest/pipeline/output_index.h"
#include "ingest/pipeline/profile_hlo.h"
#include "ingest/pipeline/profile_renewal.h"
#include "ingest/pipeline/trace_file.h"
#include "ingest/profiles/dump_kind.h"
#include "ingest/profiles/dump_text.h"
#include "ingest/text/file_kind.h"
#include "ingest/text/source_file.h"
#include "ingest/text/text_parts.h"
#include "ingest/torch_trace/torch_trace_reader.h"
#include "ingest/trace/trace_reader.h"
#include "ingest/xplane/xplane_file.h"
#include "ingest/xplane/xplane_trace.h"
#include "schema/db/text_store.h"
#include "schema/results/artifact_writer.h"
#include "schema/results/results.h"
#include "schema/results/torch_trace_store.h"
#include "trace/pack/open_trace.h"
#include "trace/pack/pack_file.h"
#include "trace/pack/pack_reader.h"
#include "trace/pack/trace_move.h"
#include "trace/pack/trace_pack.h"
#include "trace/trace_args.h"
#include "trace/trace_hlo.h"
#include "trace/trace_nesting.h"
#include "trace/trace_queries.h"
#include "trace/trace_store.h"

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

// What is left of a smaller one is used again for the next.
constexpr std::int64_t kWorthGivingBack = 16 << 20;

constexpr std::size_t kDumpPieceBytes = 1 << 20;
// By so many a container is known.
constexpr std::size_t kBeginBytes = 4096;

// Texts are held in memory while they are read. Traces, which may be of any length, are not.
constexpr std::size_t kLongestText = std::size_t{256} << 20;

// The XPlane profile of the session that a Chrome trace is of, if it lies beside it.
std::optional<std::string> profile_beside(const std::string& path) {
  constexpr std::string_view kEnding = ".trace.json";
  std::string_view stem = trace_name_of(path);
  if (!stem.ends_with(kEnding)) return std::nullopt;
  stem.remove_suffix(kEnding.size());
  for (const std::string_view ending :
       {std::string_view(""), std::string_view(".gz"), std::string_view(".zst"), kPackEnding}) {
    std::string profile = fmt::format("{}.xplane.pb{}", stem, ending);
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
  Expected<trace::TracePack> take_pack();
  Expected<void> give_back(trace::TracePack pack);
  Expected<bool> is_lost(schema::ArtifactId dump);

  schema::Connection& store;
  const DumpOptions options;
  std::map<std::string, OutputIndex> indexes;           // by directory
  std::optional<trace::TracePack> spare;                // a night has hundreds of small dumps
  std::optional<std::vector<schema::ArtifactId>> lost;  // once that was asked
  std::optional<schema::Error> place_error;             // why no trace can be put there
  std::vector<trace::ArrivingTrace> arrivals;           // that were copied ahead
};

/// Whether a dump's trace is in a pack that is not there: then it is taken in again.
Expected<bool> DumpIngest::State::is_lost(schema::ArtifactId dump) {
  if (!lost) {
    BENCHHUD_ASSIGN(lost, trace::dumps_of_lost_packs(store));
  }
  return std::ranges::find(*lost, dump) != lost->end();
}

Expected<trace::TracePack> DumpIngest::State::take_pack() {
  if (!spare) return trace::TracePack::make(store);
  trace::TracePack pack = *std::exchange(spare, std::nullopt);
  BENCHHUD_TRY(pack.clear());
  return pack;
}

// Only of one with which nothing failed.
Expected<void> DumpIngest::State::give_back(trace::TracePack pack) {
  constexpr std::int64_t kWorthKeeping = 4 << 20;  // emptying it costs less than making another
  BENCHHUD_ASSIGN(const std::int64_t bytes, pack.byte_count());
  if (bytes <= kWorthKeeping) spare.emplace(std::move(pack));
  return {};
}

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
    artifact_.path = absolute_path(state.options.kept_path.value_or(path));
  }

  const std::string& path() const { return result_.path; }

  Expected<void> prepare() {
    BENCHHUD_ASSIGN(artifact_.file, stamp_of(result_.path));
    const std::optional<DumpName> known_name = dump_name(artifact_.path);
    const DumpName name = known_name.value_or(DumpName());
    use(name);
    BENCHHUD_ASSIGN(artifact_.ties, state_.ties_of(name));
    BENCHHUD_ASSIGN(known_, find_noted());
    BENCHHUD_TRY(look_whether_lost());
    if (known_ && !is_lost_) return {};
    if (known_name) {
      artifact_.kind = name.kind;
    } else {
      BENCHHUD_ASSIGN(artifact_.kind, sniffed_kind());
      if (artifact_.kind == ArtifactKind::kTrace) artifact_.name = trace_name_of(artifact_.name);
    }
    if (state_.options.joins_sessions && artifact_.kind == ArtifactKind::kTrace) {
      BENCHHUD_TRY(join_session());
      if (profile_) return {};
    }
    return artifact_.kind == ArtifactKind::kTrace        ? read_trace()
           : artifact_.kind == ArtifactKind::kTorchTrace ? read_torch_trace()
                                                         : read_text();
  }

  // The file that has the trace: of a session it may be another one.
  bool is_copied_ahead(const CopyAhead& options) {
    if (profile_) return profile_->is_copied_ahead(options);
    return trace_ && trace_->is_copied_ahead(options);
  }

  void copy_ahead(const CopyAhead& options) {
    if (profile_) return profile_->copy_ahead(options);
    if (!trace_) return;
    if (auto arriving = trace_->copy_ahead(state_.store, options)) {
      state_.arrivals.push_back(*std::move(arriving));
    }
  }

  // None where the store has changed since so that it has to be prepared again.
  Expected<std::optional<DumpResult>> put() {
    if (profile_) return put_session();
    // Others may have taken the same dump in, or away. That the file goes on growing is none of
    // that: it is noted as it was before it was read, so the next ingest reads it again.
    const bool was_known = known_.has_value();
    if (is_lost_ && trace_ && trace_->is_of_lost_pack()) {
      BENCHHUD_ASSIGN(const auto stored, trace_->put(state_.store));
      if (!stored) return std::optional<DumpResult>();
      result_.changed = true;
    }
    BENCHHUD_ASSIGN(known_, find_noted());
    if (known_) return known(/*is_noted=*/true);
    if (is_read_) {
      BENCHHUD_ASSIGN(known_, find_known());
    }
    if (was_known && !known_) return std::optional<DumpResult>();
    if (known_) {
      BENCHHUD_ASSIGN(const bool is_renewed, put_renewal());
      if (!is_renewed) return std::optional<DumpResult>();
      return known(/*is_noted=*/false);
    }
    BENCHHUD_ASSIGN(const bool is_put, put_content());
    if (!is_put) return std::optional<DumpResult>();
    result_.is_orphan = artifact_.ties.empty();
    result_.problem_count = artifact_.problem_count;
    result_.unreadable = artifact_.error;
    BENCHHUD_ASSIGN(result_.id, schema::put_artifact(state_.store, artifact_));
    if (torch_trace_) {
      BENCHHUD_TRY(schema::put_torch_trace(state_.store, result_.id, *torch_trace_));
    }
    BENCHHUD_TRY(discount_profiled());
    result_.changed = true;
    return std::optional(std::move(result_));
  }

 private:
  void use(const DumpName& name) {
    artifact_.name = name.place;
    // A dump that is not named as the runner names them goes by its file's name.
    if (name.place.empty()) {
      const std::string_view file =
          std::string_view(artifact_.path).substr(artifact_.path.rfind('/') + 1);
      artifact_.name = uncompressed_name(file);
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

  // The dump that the very file was when it was last read.
  Expected<std::optional<schema::KnownArtifact>> find_noted() {
    BENCHHUD_ASSIGN(auto noted,
                    schema::find_unchanged(state_.store, artifact_.path, artifact_.file));
    if (noted && !noted->has_ties && !artifact_.ties.empty()) noted.reset();
    return noted;
  }

  // `is_noted`: the store knows the very file.
  Expected<std::optional<DumpResult>> known(bool is_noted) {
    const schema::KnownArtifact& artifact = *known_;
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
    result_.changed |= is_tied || !is_noted;
    if (!is_noted) {
      BENCHHUD_TRY(schema::note_file(state_.store, artifact.id, artifact_.path, artifact_.file));
    }
    if (result_.changed) BENCHHUD_TRY(discount_profiled());
    return std::optional(std::move(result_));
  }

  // Where the profile of the same session can be read, that one is taken in, and this is another
  // file of it.
  Expected<void> join_session() {
    const auto path = profile_beside(result_.path);
    if (!path) return {};
    auto profile = std::make_unique<File>(state_, *path);
    const Expected<void> prepared = profile->prepare();
    constexpr ErrorCode kOfTheProfile[] = {ErrorCode::kIo, ErrorCode::kUnsupported,
                                           ErrorCode::kTooLarge, ErrorCode::kCorrupt};
    if (!prepared &&
        std::ranges::find(kOfTheProfile, prepared.error().code) == std::end(kOfTheProfile)) {
      return prepared.error();
    }
    const bool is_unreadable = profile->known_
                                   ? !profile->known_->is_pruned && profile->known_->error
                                   : profile->artifact_.error.has_value();
    if (prepared && !is_unreadable) profile_ = std::move(profile);
    return {};
  }

  Expected<std::optional<DumpResult>> put_session() {
    BENCHHUD_ASSIGN(auto taken, profile_->put());
    if (!taken) return taken;
    BENCHHUD_TRY(schema::note_file(state_.store, taken->id, artifact_.path, artifact_.file));
    taken->path = result_.path;
    taken->changed = true;
    return taken;
  }

  // What the bytes are is known: whether the store has them already.
  Expected<bool> find_known(const schema::ContentHash& hash, std::size_t byte_count) {
    artifact_.hash = hash;
    artifact_.byte_count = static_cast<std::int64_t>(byte_count);
    is_read_ = true;
    BENCHHUD_ASSIGN(known_, find_known());
    BENCHHUD_TRY(look_whether_lost());
    return known_.has_value() && !is_lost_;
  }

  Expected<void> look_whether_lost() {
    if (!known_ || known_->is_pruned || known_->error) return {};
    BENCHHUD_ASSIGN(is_lost_, state_.is_lost(known_->id));
    return {};
  }

  Expected<std::optional<schema::KnownArtifact>> find_known() {
    return schema::find_same(state_.store, artifact_.kind, artifact_.name, artifact_.hash,
                             artifact_.ties);
  }

  // Of a file whose name says nothing: what it begins with.
  Expected<ArtifactKind> sniffed_kind() {
    if (is_xplane_name(result_.path)) return ArtifactKind::kTrace;
    BENCHHUD_ASSIGN(SourceFile source, SourceFile::open(result_.path));
    std::string begin;
    const Expected<std::size_t> count = source.read(kDumpPieceBytes, &begin);
    if (!count && count.error().code != ErrorCode::kCorrupt) return count.error();
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

  Expected<void> read_text() {
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
    text_ = schema::pack_text(text);
    return {};
  }

  Expected<void> read_trace() {
    // Each would be read, and then wait for the place, in vain.
    if (state_.place_error) return *state_.place_error;
    BENCHHUD_ASSIGN(const bool is_packed, is_pack_file(result_.path));
    if (is_packed && !state_.options.takes_packs) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("{} is a pack, which only says of what file it was made: send the "
                               "trace's file",
                               result_.path)};
    }
    if (is_packed) return read_pack();
    BENCHHUD_ASSIGN(const bool is_xplane, is_xplane_file(result_.path));
    // Most dumps of an output folder that is taken in again are known, and need none.
    std::optional<trace::TracePack> pack;
    trace::PackedArgs args;
    std::optional<trace::TraceHlo> hlo;
    std::optional<trace::Trace> trace;
    if (is_xplane) {
      BENCHHUD_ASSIGN(trace, read_planes(&args, &pack, &hlo));
    } else {
      BENCHHUD_ASSIGN(trace, read_events(&args));
    }
    if (!trace) return {};
    if (artifact_.byte_count > kWorthGivingBack) give_back_memory();
    artifact_.problem_count = trace->problem_count;
    if (!pack) {
      BENCHHUD_ASSIGN(pack, state_.take_pack());
    }
    BENCHHUD_ASSIGN(
        auto prepared,
        PreparedTrace::make(state_.store, *std::move(pack), *std::move(trace), &args,
                            std::move(hlo), {artifact_.hash, artifact_.byte_count, is_lost_},
                            state_.options.trace_summary));
    return set_trace(std::move(prepared));
  }

  // A trace that was packed elsewhere. What can be derived of it is derived here as of any other:
  // by this program's rules, and of what the pack holds.
  Expected<void> read_pack() {
    auto reader = trace::PackReader::open(result_.path);
    if (!reader) return refuse_pack(std::move(reader).error());
    BENCHHUD_ASSIGN(const bool is_known,
                    find_known(reader->content(), static_cast<std::size_t>(reader->byte_count())));
    if (is_known) return {};
    if (is_lost_) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("the pack of its trace is missing in the store's place, and {} only "
                               "states of which file it was made: ingest that file, or restore the "
                               "missing pack from a backup of the place",
                               result_.path)};
    }
    is_packed_ = true;
    BENCHHUD_ASSIGN(const auto stored, trace::find_trace(state_.store, artifact_.hash));
    if (stored) return digest_stored(*stored);
    trace::PackedArgs args;
    auto trace = reader->trace(&args);
    if (!trace) return refuse_pack(std::move(trace).error());
    auto tracks = reader->derived_tracks(*trace);
    if (!tracks) return refuse_pack(std::move(tracks).error());
    BENCHHUD_ASSIGN(auto pack, state_.take_pack());
    auto hlo = reader->put_hlo(*trace, pack.database());
    if (!hlo) return refuse_pack(std::move(hlo).error());
    artifact_.problem_count = trace->problem_count;
    SummarizeTrace summarize;
    if (state_.options.trace_summary) {
      summarize = [&](const trace::Trace& of, const trace::TraceNesting& nesting) {
        TraceSummary summary = state_.options.trace_summary(of, nesting);
        summary.derived_tracks = std::move(*tracks);
        return summary;
      };
    }
    BENCHHUD_ASSIGN(
        auto prepared,
        PreparedTrace::make(state_.store, std::move(pack), *std::move(trace), &args,
                            *std::move(hlo), {artifact_.hash, artifact_.byte_count}, summarize));
    return set_trace(std::move(prepared));
  }

  // Into the store's place first, where it has one.
  Expected<void> set_trace(PreparedTrace prepared) {
    if (!state_.options.keeps_traces_in_store) {
      const auto put = prepared.put_into_place(state_.store);
      if (!put && trace::is_of_the_place(put.error())) state_.place_error = put.error();
      BENCHHUD_TRY(put);
    }
    trace_.emplace(std::move(prepared));
    return {};
  }

  // Where no dump of the stored trace has a digest, one is made of that trace. Of one that was
  // moved and cannot be read now, it is left to renew_digests().
  Expected<void> digest_stored(schema::TraceId stored) {
    if (!state_.options.trace_summary) return {};
    BENCHHUD_ASSIGN(const auto digest, schema::digest_of_trace(state_.store, stored));
    if (digest) return {};
    const auto open = trace::OpenTrace::open(state_.store, stored);
    if (!open && trace::is_of_a_pack(open.error())) {
      is_out_of_reach_ = true;
      return {};
    }
    BENCHHUD_TRY(open);
    BENCHHUD_ASSIGN(const trace::Trace trace, trace::read_trace(open->database(), open->number()));
    const trace::TraceNesting nesting = trace::nest(trace);
    digest_ = schema::pack_text(state_.options.trace_summary(trace, nesting).digest);
    return {};
  }

  // What is in the store may have been made of the file itself; a pack only says of which file it
  // was made. So it adds nothing to that trace and changes nothing of it: the dump is one of the
  // trace as it is. False where that trace has no digest and none was made.
  Expected<bool> use_stored(schema::TraceId stored) {
    BENCHHUD_ASSIGN(const trace::TraceInfo info, trace::TraceQueries(state_.store, stored).info());
    artifact_.trace = stored;
    artifact_.problem_count = info.problem_count;
    BENCHHUD_ASSIGN(artifact_.digest, schema::digest_of_trace(state_.store, stored));
    if (artifact_.digest || !state_.options.trace_summary || is_out_of_reach_) return true;
    if (!digest_) return false;
    schema::TextWriter texts(state_.store);
    BENCHHUD_ASSIGN(artifact_.digest, texts.put(*digest_));
    return true;
  }

  Expected<void> refuse_pack(Error error) {
    // One that another version of the program made is to be tried again by that one.
    if (error.code == ErrorCode::kVersion) error.code = ErrorCode::kUnsupported;
    if (error.code != ErrorCode::kCorrupt && error.code != ErrorCode::kTooLarge) return error;
    // It is known by its own bytes: what it says that it is made of may come yet.
    BENCHHUD_ASSIGN(const trace::PackFacts facts, trace::facts_of_file(result_.path));
    BENCHHUD_ASSIGN(const schema::FileStamp now, stamp_of(result_.path));
    if (now.disk_size != artifact_.file.disk_size ||
        now.modified_ns != artifact_.file.modified_ns) {
      return Error{ErrorCode::kIo, result_.path + " changed while it was read"};
    }
    BENCHHUD_ASSIGN(const bool is_known,
                    find_known(facts.hash, static_cast<std::size_t>(facts.byte_count)));
    if (is_known) return {};
    for (std::size_t at = 0; (at = error.message.find(result_.path, at)) != std::string::npos;) {
      error.message.replace(at, result_.path.size(), "the pack");
    }
    if (error.code == ErrorCode::kTooLarge) return set_too_large(std::move(error.message));
    artifact_.error = std::move(error.message);
    return {};
  }

  // An XPlane profile. Nothing where it is known, or nothing can be made of it.
  Expected<std::optional<trace::Trace>> read_planes(trace::PackedArgs* args,
                                                    std::optional<trace::TracePack>* pack,
                                                    std::optional<trace::TraceHlo>* hlo) {
    BENCHHUD_ASSIGN(const XplaneFile file, XplaneFile::open(result_.path));
    BENCHHUD_ASSIGN(const bool is_known, find_known(file.hash(), file.bytes().size()));
    if (is_known) {
      BENCHHUD_TRY(read_renewal(file));
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
    BENCHHUD_ASSIGN(*pack, state_.take_pack());
    BENCHHUD_ASSIGN(*hlo, put_profile_hlo((*pack)->database(), file.bytes(), &made.trace));
    return std::optional(std::move(made.trace));
  }

  // Reads what an older version did not read of a profile that is known.
  Expected<void> read_renewal(const XplaneFile& file) {
    if (known_->is_pruned || known_->error) return {};
    BENCHHUD_ASSIGN(const auto kept, trace::find_trace(state_.store, artifact_.hash));
    if (!kept) return {};
    BENCHHUD_ASSIGN(auto renewal,
                    ProfileRenewal::make(state_.store, *kept, file, state_.options.trace_summary));
    renewal_ = std::move(renewal);
    return {};
  }

  // False where the trace has gone, or is elsewhere.
  Expected<bool> put_renewal() {
    if (!renewal_ || known_->is_pruned || known_->error) return true;
    BENCHHUD_ASSIGN(const auto kept, trace::find_trace(state_.store, artifact_.hash));
    if (!kept) return false;
    return renewal_->put(state_.store, *kept, &*known_);
  }

  // What artifact_ refers to. False where the store no longer has what it had.
  Expected<bool> put_content() {
    if (is_packed_) {
      BENCHHUD_ASSIGN(const auto stored, trace::find_trace(state_.store, artifact_.hash));
      if (stored) return use_stored(*stored);
      if (!trace_) return false;
    }
    if (trace_) {
      BENCHHUD_ASSIGN(const auto stored, trace_->put(state_.store));
      if (!stored) return false;
      artifact_.trace = stored->trace;
      artifact_.digest = stored->digest;
      BENCHHUD_TRY(state_.give_back(trace_->take_pack()));
    }
    if (text_) {
      schema::TextWriter texts(state_.store);
      BENCHHUD_ASSIGN(artifact_.text, texts.put(*text_));
    }
    if (torch_trace_) {
      BENCHHUD_TRY(put_texts_of_log());
      BENCHHUD_TRY(state_.give_back(*std::exchange(log_texts_, std::nullopt)));
    }
    return true;
  }

  Expected<void> put_texts_of_log() {
    const auto adopt = [this](std::optional<schema::TextId>* text) -> Expected<void> {
      if (!*text) return {};
      BENCHHUD_ASSIGN(*text, log_texts_->adopt_text(state_.store, **text));
      return {};
    };
    for (schema::Compilation& each : torch_trace_->compilations) BENCHHUD_TRY(adopt(&each.stack));
    for (schema::CompilationOutput& each : torch_trace_->outputs) BENCHHUD_TRY(adopt(&each.text));
    return {};
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

  // A log may be of any length: its texts are packed as they come.
  Expected<void> read_torch_trace() {
    BENCHHUD_ASSIGN(SourceFile source, SourceFile::open(result_.path));
    HashedFile file(std::move(source));
    BENCHHUD_ASSIGN(trace::TracePack pack, state_.take_pack());
    schema::TextWriter texts(pack.database());
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
    log_texts_.emplace(std::move(pack));
    return {};
  }

  State& state_;
  NewArtifact artifact_;
  DumpResult result_;
  bool is_read_ = false;  // the hash is known
  std::optional<schema::KnownArtifact> known_;
  bool is_lost_ = false;  // and its trace is in a pack that is missing
  // What goes into the store.
  std::optional<PreparedTrace> trace_;
  bool is_packed_ = false;                    // the trace comes as a pack
  std::optional<schema::PackedText> digest_;  // of the trace that the store has of its content
  bool is_out_of_reach_ = false;              // that one was moved, and cannot be read now
  std::optional<schema::PackedText> text_;
  std::optional<schema::TorchTraceLog> torch_trace_;
  std::optional<trace::TracePack> log_texts_;
  std::optional<ProfileRenewal> renewal_;
  std::unique_ptr<File> profile_;  // this is another file of its session
};

DumpIngest::Prepared::Prepared(std::unique_ptr<File> file) : file_(std::move(file)) {}
DumpIngest::Prepared::Prepared(Prepared&&) noexcept = default;
DumpIngest::Prepared& DumpIngest::Prepared::operator=(Prepared&&) noexcept = default;
DumpIngest::Prepared::~Prepared() = default;

DumpIngest::DumpIngest(schema::Connection& store, DumpOptions options)
    : state_(std::make_unique<State>(store, std::move(options))) {}
DumpIngest::~DumpIngest() = default;

Expected<DumpIngest::Prepared> DumpIngest::prepare(const std::string& path) {
  auto file = std::make_unique<File>(*state_, path);
  BENCHHUD_TRY(file->prepare());
  return Prepared(std::move(file));
}

bool DumpIngest::is_copied_ahead(const Prepared& prepared, const CopyAhead& options) const {
  return prepared.file_->is_copied_ahead(options);
}

void DumpIngest::copy_ahead(Prepared& prepared, const CopyAhead& options) {
  prepared.file_->copy_ahead(options);
}

void DumpIngest::remove_what_was_not_put() {
  for (const trace::ArrivingTrace& arriving : std::exchange(state_->arrivals, {})) {
    static_cast<void>(trace::remove_arrival(state_->store, arriving));
  }
}

Expected<DumpResult> DumpIngest::put(Prepared prepared) {
  BENCHHUD_ASSIGN(auto done, prepared.file_->put());
  if (done) return *std::move(done);
  const std::string path = prepared.file_->path();
  prepared.file_.reset();  // with what it keeps in memory and on disk
  BENCHHUD_ASSIGN(Prepared again, prepare(path));
  BENCHHUD_ASSIGN(done, again.file_->put());
  if (done) return *std::move(done);
  return Error{ErrorCode::kInternal,
               again.file_->path() + " was taken away from the store while that was locked"};
}

}  // namespace benchhud::ingest
