// What each operation of the contract answers. A route first plans (cheaply: what does the answer
// hang on?), so that an unchanged answer is told from that alone, and only then makes the answer.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schema/base/byte_sink.h"
#include "schema/base/errors.h"
#include "schema/base/json_writer.h"
#include "server/api/access.h"
#include "server/api/api_contract.h"
#include "server/http/lane.h"
#include "server/http/message.h"
#include "service/answers/analysis_cache.h"
#include "service/imports/dropped_trace_import.h"

namespace benchhud::server {

class Downloads;
class QueryProcesses;
struct HttpCounters;

/// The backend that speedups are against unless another is named.
inline constexpr std::string_view kUsualBaseline = "inductor";

/// A request as a route sees it.
struct RequestContext {
  const Operation& operation;
  const Query& query;
  service::View view;
  service::AnalysisCache& analyses;
  std::string_view version;  ///< the program's
  const Identity& who;
  Downloads& downloads;
  QueryProcesses& queries;
  bool reads_by_token = false;         ///< nobody else reads
  const HttpCounters* http = nullptr;  ///< null where nothing counts
  bool is_other_site = false;          ///< a page of another site asks
  IsCancelled is_cancelled;            ///< the request's
  double now = 0;                      ///< when it came, seconds since 1970
  std::string_view store_path{};       ///< the store's file
  service::DropLimits drops{};         ///< of traces that are dropped on a page
  std::string wrong_parameter{};       ///< set by a route beside an error that a parameter caused
  bool is_private =
      false;  ///< set by a route: only who asks may see it, so nobody keeps the answer

  bool is_csv() const { return query.text("format") == "csv"; }
  const service::Snapshot& snapshot() const { return view.snapshot; }
  schema::Reader& reader() const { return view.reader; }
  const analysis::Catalog& catalog() const { return *view.snapshot.catalog; }
};

using WriteJson = std::function<schema::Expected<void>(schema::JsonWriter& json)>;
using MakeText = std::function<schema::Expected<std::string>()>;

struct ResponsePlan {
  /// All that the answer hangs on beside the request: equal keys, equal answers.
  std::string key;
  /// Operations with CSV need a WriteJson.
  std::variant<WriteJson, MakeText> body;
  std::string content_type = "application/json";
  /// The address itself says of what content it asks: who has the answer need never ask again.
  bool is_immutable = false;
  /// The same request may be answered otherwise the next time: nobody keeps the answer.
  bool is_fleeting = false;
  /// Whether the answer is worth a place among those that are kept, and being compressed, unless it
  /// is fleeting.
  bool is_worth_keeping = true;
  bool is_kept() const { return is_worth_keeping && !is_fleeting; }
  /// Whether `body` takes long and reads nothing through the request's connection to the store,
  /// which then is given back first, so that other requests get it.
  bool is_without_store = false;
  /// A picture that pages of other sites may show; they do not get to read it.
  bool is_for_other_sites = false;
  /// An answer that is made while it is sent, in place of `body`: it gets a connection of its own,
  /// within a transaction, and refers to nothing of the request but copies of what it has, like
  /// `RequestContext::is_cancelled`.
  std::function<schema::Expected<void>(schema::Connection&, const schema::ByteSink&)> stream{};
  std::string file_name{};  ///< what a browser saves it as; "": it shows it
  /// The member of the answer whose objects are the rows of its CSV. "": for CSV, `body` writes
  /// only the array of rows.
  std::string_view csv_rows = "items";
};

/// May set ask.wrong_parameter. What a plan's body refers to is `ask` and what it refers to.
using Route = schema::Expected<ResponsePlan> (*)(RequestContext& context);

struct NamedRoute {
  std::string_view operation_id;
  Route route;
  Lane lane = Lane::kUsual;  ///< what an answer may cost
};

/// What getAlive answers, which asks nothing of the store.
inline constexpr std::string_view kAliveJson = R"({"status":"alive"})";

/// A request for a change, as who makes it sees it.
struct ChangeContext {
  const Query& query;  ///< what the address says
  const Body& body;
  schema::Connection& store;      ///< may be written to
  std::string_view token;         ///< name of the one that was shown
  std::int64_t token_id = 0;      ///< and its number
  double now = 0;                 ///< seconds since 1970
  std::string wrong_parameter{};  ///< or field of the body; set beside an error that it caused
};

/// Makes a change and gives the address, below the API's base, of what is different now.
using Change = schema::Expected<std::string> (*)(ChangeContext& context);

struct NamedChange {
  std::string_view operation_id;
  Change change;
};

/// What answers each operation, from tables that outlive it.
class Routes {
 public:
  Routes(std::initializer_list<std::span<const NamedRoute>> routes,
         std::initializer_list<std::span<const NamedChange>> changes);

  /// Null for an operation without a route.
  const NamedRoute* route(std::string_view operation_id) const;
  /// Null for an operation that changes nothing.
  Change change(std::string_view operation_id) const;

 private:
  std::map<std::string_view, const NamedRoute*> routes_;
  std::map<std::string_view, Change> changes_;
};

}  // namespace benchhud::server
