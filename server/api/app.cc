#include "server/api/app.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <exception>
#include <limits>
#include <thread>

#include "schema/base/caught_error.h"
#include "schema/base/fingerprint.h"
#include "schema/base/json_writer.h"
#include "schema/model/contract.h"
#include "schema/store/store.h"
#include "server/api/csv_table.h"
#include "server/api/paging.h"
#include "server/api/routes.h"
#include "server/http/etag.h"
#include "server/http/gzip.h"
#include "server/http/request_log.h"

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

/// Below this, compressing gains less than it costs.
constexpr std::size_t kWorthCompressing = 1400;
/// How far back the summaries are made ready: what the longest history can ask for. What lists of
/// runs show is made ready for all.
constexpr std::size_t kWarmHistory = 365;
/// The nights per accelerator model whose results are prefetched, and those whose tables are. Both
/// are also bounded in results over all models, so that prefetching fills only a part of each cache
/// and does not evict the newest nights.
constexpr std::size_t kWarmRuns = 90;
constexpr std::int64_t kWarmRunResults = 48'000;
constexpr std::size_t kWarmTables = 30;
constexpr std::int64_t kWarmTableResults = 24'000;
/// For what is asked of traces.
constexpr std::size_t kTraceConnections = 4;
/// For answers in pieces: who takes one slowly holds one as long.
constexpr std::size_t kPieceConnections = 2;
/// Making ready goes on so long, in a transaction of its own (the log of an ingest can be put away
/// only between them).
constexpr std::chrono::milliseconds kWorkAtOnce{5};
constexpr std::size_t kNoMoreNights = std::numeric_limits<std::size_t>::max();

constexpr schema::ErrorInfo kChangeNotShown{ErrorCode::kInternal, "change-not-shown", 503,
                                            "The change is stored, but cannot be shown now."};

/// How many of an accelerator model's nights (`places`, newest first) are prefetched: at most
/// `most`, within the model's equal share of `results`.
std::size_t prefetched_nights(const service::Snapshot& snapshot,
                              const std::vector<std::size_t>& places, std::size_t most,
                              std::int64_t results) {
  return snapshot.nights_within(results / static_cast<std::int64_t>(snapshot.accelerators.size()),
                                places, most);
}

std::string etag_of(const AppOptions& options, const Operation& operation, const Query& query,
                    const std::string& key) {
  const std::string text = options.instance + "\n" + options.version + "\n" + operation.id + "?" +
                           query.canonical() + "\n" + key;
  return fmt::format("W/\"{:016x}{:016x}\"", schema::fingerprint(text),
                     schema::fingerprint(text, text.size()));
}

/// The request's address with another cursor.
std::string next_address(const Address& address, const std::string& cursor) {
  std::string next = address.path + "?";
  for (const auto& [name, value] : address.query) {
    if (name != "cursor") next += percent_encode(name) + "=" + percent_encode(value) + "&";
  }
  return next + "cursor=" + percent_encode(cursor);
}

template <class T>
Expected<std::shared_ptr<const T>> shared(Expected<T> made) {
  if (!made) return std::move(made).error();
  return std::make_shared<const T>(*std::move(made));
}

/// What whoever asked is told of an answer that could not be made: nothing of what a library threw,
/// which may say too much.
Error unmade(const Error& error) {
  if (error.code == ErrorCode::kNoMemory) {
    return {ErrorCode::kNoMemory,
            "The server does not have enough memory for this answer. Try again in a moment; where "
            "it happens again, ask for less, or give the server more memory."};
  }
  return {ErrorCode::kInternal, "The answer could not be made."};
}

/// A request as the audit has it: without secrets.
std::string words_of(const Request& request) {
  return request.method + " " + loggable_target(request.target);
}

/// The address that a request came from, for the audit.
std::string from(const Request& request) {
  return request.peer.empty() ? "" : " from " + request.peer;
}

std::string health_json(std::int64_t revision, std::string_view version) {
  std::string body;
  schema::JsonWriter json(&body);
  json.begin_object();
  json.field("status", "ok");
  json.field("revision", revision);
  json.field("version", version);
  json.end_object();
  return body;
}

}  // namespace

App::App(AppOptions options, const Routes& routes, std::span<const StaticFiles::File> pages)
    : options_(std::move(options)),
      contract_(schema::openapi_document()),
      routes_(routes),
      pages_(pages),
      pool_(options_.store_path, options_.connections),
      health_pool_(options_.store_path, 1, StorePool::Buffer::kSmall),
      trace_pool_(options_.store_path, kTraceConnections, StorePool::Buffer::kSmall),
      piece_pool_(options_.store_path, kPieceConnections, StorePool::Buffer::kSmall),
      writer_(options_.store_path, options_.write_patience),
      audit_(writer_, options_.audit),
      sessions_(options_.sign_in_code, options_.sign_in_code_until, writer_),
      uploads_(options_.store_path, options_.uploads),
      downloads_(options_.store_path),
      queries_(options_.store_path, options_.queries),
      answers_(options_.cached_bytes,
               [](const Answer& answer) { return answer.body->size() + 256; }),
      compressed_(options_.cached_bytes / 4, [](const std::string& text) { return text.size(); }) {}

Response App::handle(const Request& request) {
  try {
    const Address address = parse_address(request.target);
    // Where monitoring systems look.
    if (address.path == "/metrics") {
      return handle_api(request, parse_address("/api/v1" + request.target), Asker::kSomebody);
    }
    // /api alone is a page, the contract's.
    if (address.segments.size() > 1 && address.segments.front() == "api") {
      return handle_api(request, address, Asker::kSomebody);
    }
    if (request.method != "GET" && request.method != "HEAD") {
      return problem_response(
          {ErrorCode::kMethodNotAllowed, "Only GET and HEAD are answered here."}, request.target);
    }
    return pages_.answer(request, address.path);
  } catch (const std::exception&) {
    return problem_response(unmade(schema::caught_error()), request.target);
  }
}

Response App::handle_api(const Request& request, const Address& address, Asker asker) {
  Query query;
  const Operation* operation = nullptr;
  const auto& segments = address.segments;
  std::string methods;
  if (segments.size() > 2 && segments[1] == "v1") {
    const std::vector<std::string> below(segments.begin() + 2, segments.end());
    operation = contract_.find(request.method == "HEAD" ? "GET" : request.method, below, &query);
    methods = contract_.methods(below);
  }
  if (operation == nullptr && !methods.empty()) {
    return problem_response(
        {ErrorCode::kMethodNotAllowed, "This address takes no other than " + methods + "."},
        request.target, "", methods);
  }
  if (operation == nullptr) {
    return problem_response(
        {ErrorCode::kNotFound, "There is no such address; /api/v1/openapi.json lists all."},
        request.target);
  }
  if (const auto wrong = ApiContract::check(*operation, address, &query)) {
    return problem_response(wrong->error, request.target, wrong->parameter);
  }
  if (operation->method != "GET") return make_change(request, *operation, query);
  if (operation->id == "getAlive") {
    return respond(request, "", json_answer(std::string(kAliveJson)));
  }
  if (operation->id == "getHealth") return answer_health(request, *operation, query);

  auto lease = (operation->segments.front() == "traces" ? trace_pool_ : pool_).borrow();
  if (!lease) return problem_response(lease.error(), request.target);
  auto transaction =
      schema::Transaction::begin(lease->connection(), schema::Transaction::Kind::kRead);
  if (!transaction) return problem_response(transaction.error(), request.target);
  const auto readable = schema::check_schema_version(lease->connection());
  if (!readable) return problem_response(readable.error(), request.target);
  const auto who = identify(request, lease->connection());
  if (!who) return problem_response(who.error(), request.target);
  const bool reads_by_token = options_.reading == Reading::kByToken;
  if (asker == Asker::kSomebody && operation->scope && (reads_by_token || who->showed_bearer)) {
    if (const auto refusal = check_scope(*who, *operation->scope)) {
      // A page that is opened without a token is no attempt at anything.
      if (!who->token && !who->showed_bearer) return problem_response(*refusal, request.target);
      return refuse(request, *who, *refusal);
    }
  }
  schema::Reader reader(lease->connection());
  const auto snapshot = snapshots_.current(reader);
  if (!snapshot) return problem_response(snapshot.error(), request.target);

  RequestContext context{*operation,
                         query,
                         {reader, **snapshot},
                         analyses_,
                         options_.version,
                         *who,
                         downloads_,
                         queries_,
                         reads_by_token,
                         options_.http.get(),
                         is_other_site(request),
                         request.is_cancelled,
                         options_.clock(),
                         options_.store_path,
                         options_.uploads.drops};
  auto plan = routes_.route(operation->id)->route(context);
  if (!plan) return problem_response(plan.error(), request.target, context.wrong_parameter);
  if (context.is_private) {
    plan->is_fleeting = true;
    plan->is_immutable = false;
  }
  const std::string etag = plan->is_fleeting ? "" : etag_of(options_, *operation, query, plan->key);
  if (etag_matches(request.if_none_match, etag)) {
    return respond(request, etag,
                   Answer{std::make_shared<const std::string>(), "", "", plan->is_immutable,
                          plan->is_for_other_sites});
  }
  if (operation->id == "downloadStore" && request.method != "HEAD") {
    if (who->token) {
      audit_.note("download", "of the store by " + describe(*who->token) + from(request));
    } else {
      audit_.note_of_anybody("download",
                             "of the store by somebody without a token" + from(request));
    }
  }
  if (plan->stream || plan->is_without_store) {
    // It takes long, or waits for a connection of its own: nobody shall wait for this one
    // meanwhile.
    {
      const schema::Transaction ended = *std::move(transaction);
    }
    {
      const StorePool::Lease given_back = *std::move(lease);
    }
  }
  if (plan->stream) return respond_in_pieces(request, etag, *plan);
  const auto make = [&] { return make_answer(context, *plan, address); };
  const auto answer = plan->is_kept() ? answers_.get(etag, make) : shared(make());
  if (!answer) return problem_response(answer.error(), request.target, context.wrong_parameter);
  Response response = respond(request, etag, **answer);
  if (context.is_csv()) {
    response.headers.emplace_back("Content-Disposition", "attachment");
  }
  return response;
}

/// It reads nothing but what it says, through a connection of its own, so that no other request
/// keeps it waiting.
Response App::answer_health(const Request& request, const Operation& operation,
                            const Query& query) {
  const auto revision = [this]() -> Expected<std::int64_t> {
    BENCHHUD_ASSIGN(auto lease, health_pool_.borrow());
    BENCHHUD_ASSIGN(
        const auto transaction,
        schema::Transaction::begin(lease.connection(), schema::Transaction::Kind::kRead));
    BENCHHUD_TRY(schema::check_schema_version(lease.connection()));
    return schema::Reader(lease.connection()).revision();
  }();
  if (!revision) return problem_response(revision.error(), request.target);
  const std::string etag = etag_of(options_, operation, query, std::to_string(*revision));
  return respond(request, etag, json_answer(health_json(*revision, options_.version)));
}

Lane App::lane_of(std::string_view method, std::string_view target) const {
  const Address address = parse_address(target);
  const auto& segments = address.segments;
  std::vector<std::string> below;
  if (address.path == "/metrics") {
    below = segments;
  } else if (segments.size() > 2 && segments[0] == "api" && segments[1] == "v1") {
    below.assign(segments.begin() + 2, segments.end());
  }
  Query query;
  const Operation* const operation =
      contract_.find(method == "HEAD" ? "GET" : method, below, &query);
  if (operation == nullptr) return Lane::kUsual;
  if (operation->method != "GET") return operation->takes_file ? Lane::kUpload : Lane::kChange;
  const NamedRoute* const route = routes_.route(operation->id);
  return route == nullptr ? Lane::kUsual : route->lane;
}

Response App::make_change(const Request& request, const Operation& operation, const Query& query) {
  if (const auto refusal = check_change(request)) return refuse(request, {}, *refusal);
  const auto who = who_asks(request);
  if (!who) return problem_response(who.error(), request.target);
  if (operation.scope) {
    if (const auto refusal = check_scope(*who, *operation.scope)) {
      return refuse(request, *who, *refusal);
    }
  }
  if (operation.takes_file) return take_file(request, operation, query, *who->token);
  Body body;
  if (const auto wrong = ApiContract::check_body(operation, request.body, &body)) {
    return problem_response(wrong->error, request.target, wrong->parameter);
  }
  if (operation.segments.front() == "session") return change_session(request, operation, body);
  std::string wrong_parameter;
  const auto changed = writer_.write([&](schema::Connection& store) -> Expected<std::string> {
    // Before it is done, so that nothing is that the audit does not tell of.
    BENCHHUD_TRY(schema::note_request(store, *who->token, words_of(request)));
    ChangeContext context{query, body, store, who->token->name, who->token->id, options_.clock()};
    auto address = routes_.change(operation.id)(context);
    wrong_parameter = context.wrong_parameter;
    return address;
  });
  if (!changed) return problem_response(changed.error(), request.target, wrong_parameter);
  const std::string address = "/api/v1" + *changed;
  Response response = show_change(request, address);
  if (operation.makes_something && response.status == 200) {
    constexpr int kCreated = 201;
    response.status = kCreated;
    response.headers.emplace_back("Location", address);
  }
  return response;
}

Response App::show_change(const Request& request, const std::string& address) {
  try {
    Request shown{"GET", address, "", request.accept_encoding};
    // Some of it only who asked may see.
    shown.host = request.host;
    shown.authorization = request.authorization;
    shown.cookie = request.cookie;
    Response response = handle_api(shown, parse_address(address), Asker::kProgram);
    if (!response.is_server_error()) return response;
  } catch (const std::exception&) {
    // Out of memory: the change is stored all the same.
  }
  return protocol_problem(
      kChangeNotShown,
      "The change is stored. It cannot be shown at the moment; ask for " + address + " later.",
      request.target);
}

Response App::refuse(const Request& request, const Identity& who, const Error& refusal) {
  audit_.note_of_anybody("refused", fmt::format("{}{}{}: {}", words_of(request),
                                                who.token ? ", " + describe(*who.token) : "",
                                                from(request), refusal.message));
  return problem_response(refusal, request.target);
}

Expected<Identity> App::who_asks(const Request& request) {
  BENCHHUD_ASSIGN(auto lease, pool_.borrow());
  BENCHHUD_TRY(schema::check_schema_version(lease.connection()));
  return identify(request, lease.connection());
}

Response App::take_file(const Request& request, const Operation& operation, const Query& query,
                        const schema::AccessToken& token) {
  const auto noted = writer_.write([&](schema::Connection& store) -> Expected<std::string> {
    BENCHHUD_TRY(schema::note_request(store, token, words_of(request)));
    return std::string();
  });
  if (!noted) return problem_response(noted.error(), request.target);
  auto report = uploads_.take(request, operation, query, token.id);
  if (!report) return problem_response(report.error(), request.target);
  Response response;
  response.content_type = "application/json";
  response.body = std::make_shared<const std::string>(*std::move(report));
  response.headers.emplace_back("Cache-Control", "no-store");
  add_safe_headers(&response);
  return response;
}

std::vector<std::string> App::upload_addresses() const {
  std::vector<std::string> addresses;
  for (const Operation& operation : contract_.operations()) {
    if (operation.takes_file) {
      addresses.push_back(fmt::format("/api/v1/{}", fmt::join(operation.segments, "/")));
    }
  }
  return addresses;
}

Response App::change_session(const Request& request, const Operation& operation, const Body& body) {
  const auto changed = [&]() -> Expected<SessionChange> {
    if (operation.method == "DELETE") {
      BENCHHUD_ASSIGN(const Identity who, who_asks(request));
      return sessions_.end(request, who);
    }
    BENCHHUD_ASSIGN(auto lease, pool_.borrow());
    return sessions_.begin(request, body, lease.connection());
  }();
  if (!changed) {
    if (changed.error().code != ErrorCode::kUnauthorized) {
      return problem_response(changed.error(), request.target);
    }
    return refuse(request, {}, changed.error());
  }
  if (operation.method == "POST" && changed->who.token) {
    audit_.note("sign-in", fmt::format("{}{}", describe(*changed->who.token), from(request)));
  }
  constexpr int kCreated = 201;
  Response response;
  response.status = operation.method == "POST" ? kCreated : 200;
  response.content_type = "application/json";
  response.body = std::make_shared<const std::string>(session_json(changed->who, options_.reading));
  response.headers.emplace_back("Set-Cookie", changed->cookie);
  response.headers.emplace_back("Cache-Control", "no-store");
  if (operation.method == "POST") response.headers.emplace_back("Location", "/api/v1/session");
  add_safe_headers(&response);
  return response;
}

App::Answer App::json_answer(std::string body) {
  return {std::make_shared<const std::string>(std::move(body)), "application/json", ""};
}

Expected<App::Answer> App::make_answer(const RequestContext& context, const ResponsePlan& plan,
                                       const Address& address) {
  Answer answer{.body = nullptr,
                .content_type = plan.content_type,
                .next_link = "",
                .is_immutable = plan.is_immutable,
                .is_for_other_sites = plan.is_for_other_sites,
                .is_kept = plan.is_kept()};
  std::string body;
  if (const auto* make = std::get_if<MakeText>(&plan.body)) {
    BENCHHUD_ASSIGN(body, (*make)());
  } else if (context.is_csv()) {
    CsvTable csv(context.operation.columns, plan.csv_rows);
    schema::JsonWriter json(&csv);
    BENCHHUD_TRY(std::get<WriteJson>(plan.body)(json));
    body = csv.take_text();
    answer.content_type = "text/csv; charset=utf-8";
    const std::string next_cursor = csv.take_next_cursor();
    if (!next_cursor.empty()) answer.next_link = next_address(address, next_cursor);
  } else {
    schema::JsonWriter json(&body);
    BENCHHUD_TRY(std::get<WriteJson>(plan.body)(json));
  }
  if (plan.is_kept()) body.shrink_to_fit();  // growing by doubling left spare capacity
  answer.body = std::make_shared<const std::string>(std::move(body));
  return answer;
}

Response App::respond(const Request& request, const std::string& etag, const Answer& answer) {
  Response response;
  response.content_type = answer.content_type;
  response.body = answer.body;
  if (!etag.empty()) response.headers.emplace_back("ETag", etag);
  response.headers.emplace_back("Cache-Control", answer.is_immutable
                                                     ? "private, max-age=31536000, immutable"
                                                 : etag.empty() ? "no-store"
                                                                : "no-cache");
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (!answer.next_link.empty()) {
    response.headers.emplace_back("Link", "<" + answer.next_link + ">; rel=\"next\"");
  }
  if (etag_matches(request.if_none_match, etag)) {
    response.status = 304;
  } else if (auto compressed = compressed_for(request, etag, answer)) {
    response.body = std::move(compressed);
    response.headers.emplace_back("Content-Encoding", "gzip");
  }
  add_safe_headers(&response, answer.is_for_other_sites ? Showing::kAnySite : Showing::kOwnSite);
  return response;
}

Response App::respond_in_pieces(const Request& request, const std::string& etag,
                                const ResponsePlan& plan) {
  auto borrowed = piece_pool_.borrow(options_.stream_patience);
  if (!borrowed) return problem_response(borrowed.error(), request.target);
  Answer empty{std::make_shared<const std::string>(), plan.content_type, "", plan.is_immutable,
               plan.is_for_other_sites};
  Response response = respond(request, etag, empty);
  if (!plan.file_name.empty()) {
    response.headers.emplace_back("Content-Disposition",
                                  "attachment; filename=\"" + plan.file_name + "\"");
  }
  const auto lease = std::make_shared<StorePool::Lease>(*std::move(borrowed));
  response.stream = [lease, make = plan.stream](const schema::ByteSink& take) {
    const auto transaction =
        schema::Transaction::begin(lease->connection(), schema::Transaction::Kind::kRead);
    if (!transaction || !schema::check_schema_version(lease->connection())) return false;
    return make(lease->connection(), take).has_value();
  };
  return response;
}

std::shared_ptr<const std::string> App::compressed_for(const Request& request,
                                                       const std::string& etag,
                                                       const Answer& answer) {
  if (!answer.is_kept || answer.body->size() < kWorthCompressing ||
      !accepts_gzip(request.accept_encoding)) {
    return nullptr;
  }
  const auto compressed =
      compressed_.get(etag, [&]() -> Expected<std::string> { return gzip(*answer.body); });
  return compressed && !(*compressed)->empty() ? *compressed : nullptr;
}

std::vector<std::string> App::first_addresses(const service::Snapshot& snapshot) const {
  std::vector<std::string> addresses = {"/api/v1/overview", "/api/v1/runs", "/api/v1/ingests",
                                        "/api/v1/models"};
  for (const auto& [model, places] : snapshot.accelerators) {
    const std::string id = std::to_string(schema::to_int(snapshot.runs[places.front()].run.id));
    addresses.push_back("/api/v1/runs/" + id + "/models");
    addresses.push_back("/api/v1/verification?run=" + id);
  }
  return addresses;
}

std::vector<std::string> App::recent_tables(const service::Snapshot& snapshot) const {
  std::vector<std::string> addresses;
  for (const auto& [model, places] : snapshot.accelerators) {
    const std::size_t nights = prefetched_nights(snapshot, places, kWarmTables, kWarmTableResults);
    for (std::size_t i = 0; i < nights; ++i) {
      const auto id = schema::to_int(snapshot.runs[places[i]].run.id);
      addresses.push_back(fmt::format("/api/v1/runs/{}/models", id));
    }
  }
  return addresses;
}

void App::warm_address(const std::string& target) {
  handle_api({"GET", target, "", ""}, parse_address(target), Asker::kProgram);
}

Expected<std::size_t> App::warm_nights(std::size_t depth, std::chrono::nanoseconds* worked) {
  const auto began = std::chrono::steady_clock::now();
  BENCHHUD_ASSIGN(auto lease, pool_.borrow());
  BENCHHUD_ASSIGN(const auto transaction,
                  schema::Transaction::begin(lease.connection(), schema::Transaction::Kind::kRead));
  schema::Reader reader(lease.connection());
  BENCHHUD_ASSIGN(const auto snapshot, snapshots_.current(reader));
  const service::View view{reader, *snapshot};
  std::vector<std::size_t> judged;  // nights, by accelerator model
  for (const auto& [model, places] : snapshot->accelerators) {
    judged.push_back(prefetched_nights(*snapshot, places, kWarmRuns, kWarmRunResults));
  }
  for (*worked = {}; *worked < kWorkAtOnce; ++depth) {
    bool any = false;
    for (std::size_t i = 0; i < judged.size(); ++i) {
      const auto& places = snapshot->accelerators[i].second;
      if (depth >= places.size()) continue;
      any = true;
      const service::RunEntry& entry = snapshot->runs[places[depth]];
      if (depth < judged[i]) BENCHHUD_TRY(analyses_.run(view, entry));
      if (depth < kWarmHistory) BENCHHUD_TRY(analyses_.summary(view, entry, kUsualBaseline));
      if (depth < kWarmHistory) BENCHHUD_TRY(analyses_.failures(view, entry));
      BENCHHUD_TRY(analyses_.card(view, entry));
    }
    *worked = std::chrono::steady_clock::now() - began;
    if (!any) return kNoMoreNights;
  }
  return depth;
}

Expected<void> App::warm_history(const std::function<bool()>& go_on) {
  for (std::size_t depth = 0; depth != kNoMoreNights && go_on();) {
    std::chrono::nanoseconds worked{};
    BENCHHUD_ASSIGN(depth, warm_nights(depth, &worked));
    // Rests as long as it worked, so that who asks meanwhile finds a processor. (A low priority
    // would do worse: who asks for what it is making would wait at that priority.)
    std::this_thread::sleep_for(worked);
  }
  return {};
}

Expected<void> App::warm_search() {
  BENCHHUD_ASSIGN(auto lease, pool_.borrow());
  BENCHHUD_ASSIGN(const auto transaction,
                  schema::Transaction::begin(lease.connection(), schema::Transaction::Kind::kRead));
  schema::Reader reader(lease.connection());
  BENCHHUD_ASSIGN(const auto snapshot, snapshots_.current(reader));
  const auto index = analyses_.search_index({reader, *snapshot});
  if (!index) return index.error();
  return {};
}

void App::warm(const std::function<bool()>& go_on) noexcept {
  try {
    std::vector<std::string> addresses, tables;
    {
      auto lease = pool_.borrow();
      if (!lease) return;
      schema::Reader reader(lease->connection());
      const auto snapshot = snapshots_.current(reader);
      if (!snapshot) return;
      addresses = first_addresses(**snapshot);
      tables = recent_tables(**snapshot);
    }
    for (const auto& address : addresses) {
      if (!go_on()) return;
      warm_address(address);
    }
    // What fails here fails for who asks, and says so there.
    if (const auto warmed = warm_history(go_on); !warmed) return;
    for (const auto& address : tables) {
      if (!go_on()) return;
      warm_address(address);
    }
    if (!go_on()) return;
    [[maybe_unused]] const auto warmed = warm_search();
  } catch (const std::exception&) {
    // Out of memory, say: answers are then made when asked for.
  }
}

}  // namespace benchhud::server
