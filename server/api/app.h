// The application: a request in, an answer out. No socket, so tests need none.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/time.h"
#include "server/api/access.h"
#include "server/api/api_contract.h"
#include "server/api/audit_trail.h"
#include "server/api/downloads.h"
#include "server/api/query_process.h"
#include "server/api/sessions.h"
#include "server/api/store_pool.h"
#include "server/api/store_writer.h"
#include "server/api/uploads.h"
#include "server/http/http_counters.h"
#include "server/http/lane.h"
#include "server/http/message.h"
#include "server/http/static_files.h"
#include "service/answers/analysis_cache.h"
#include "service/answers/shared_cache.h"
#include "service/answers/snapshot.h"

namespace benchhud::server {

struct RequestContext;
struct ResponsePlan;
class Routes;

struct AppOptions {
  std::string store_path;
  std::string version;          ///< of the program
  std::string instance;         ///< tells one start of the server from another: part of every ETag
  std::size_t connections = 8;  ///< to the store, open at once
  std::size_t cached_bytes = std::size_t{24} << 20;  ///< of answers that are kept
  Reading reading = Reading::kOpen;                  ///< who may read
  /// Signs one browser in, once, before `sign_in_code_until` (unix seconds); "": there is none.
  std::string sign_in_code;
  double sign_in_code_until = 0;
  UploadLimits uploads;
  QueryOptions queries;
  AuditLimits audit;
  std::shared_ptr<const HttpCounters> http;  ///< of who serves it; null: nobody counts
  /// Seconds since 1970, for answers that depend on the day.
  std::function<double()> clock = schema::now;
  /// How long a change waits for others who write to the store.
  std::chrono::milliseconds write_patience{5000};
  /// How long an answer that is made while it is sent waits for others of its kind to be sent.
  std::chrono::milliseconds stream_patience{10'000};
};

/// Threads may share it.
class App {
 public:
  /// `routes` outlives it.
  App(AppOptions options, const Routes& routes, std::span<const StaticFiles::File> pages);

  /// Answers GET and HEAD (the same answer: who sends it leaves the body out), and makes changes
  /// where the contract has some. What is thrown meanwhile is answered as a problem; std::bad_alloc
  /// leaves it where there is no memory for that either.
  Response handle(const Request& request);

  /// What a request may cost, for HttpOptions.
  Lane lane_of(std::string_view method, std::string_view target) const;

  /// The addresses that take files, for HeadLimits.
  std::vector<std::string> upload_addresses() const;

  /// Makes ready what pages ask for first: the addresses they start with, and every accelerator's
  /// newest runs. `go_on` is asked between two pieces of work. Returns early where the store cannot
  /// be read.
  void warm(const std::function<bool()>& go_on) noexcept;

 private:
  /// An answer as it is kept.
  struct Answer {
    std::shared_ptr<const std::string> body;
    std::string content_type;
    std::string next_link;  ///< for CSV: the address of what follows
    bool is_immutable = false;
    bool is_for_other_sites = false;
    bool is_kept = true;  ///< and compressed
  };

  /// Who asks: somebody, whose token is looked at, or the program itself.
  enum class Asker { kSomebody, kProgram };

  Response handle_api(const Request& request, const Address& address, Asker asker);
  Response answer_health(const Request& request, const Operation& operation, const Query& query);
  /// The answer to an attempt that is refused, which the audit has as well.
  Response refuse(const Request& request, const Identity& who, const schema::Error& refusal);
  Response make_change(const Request& request, const Operation& operation, const Query& query);
  /// The answer to a change that is stored: what `address` shows now.
  Response show_change(const Request& request, const std::string& address);
  schema::Expected<Identity> who_asks(const Request& request);
  Response take_file(const Request& request, const Operation& operation, const Query& query,
                     const schema::AccessToken& token);
  /// Begins or ends the session of a browser.
  Response change_session(const Request& request, const Operation& operation, const Body& body);
  Response respond(const Request& request, const std::string& etag, const Answer& answer);
  /// An answer that is made while it is sent.
  Response respond_in_pieces(const Request& request, const std::string& etag,
                             const ResponsePlan& plan);
  /// The answer for who takes it compressed; null for others, and where nothing is gained.
  std::shared_ptr<const std::string> compressed_for(const Request& request, const std::string& etag,
                                                    const Answer& answer);
  static Answer json_answer(std::string body);
  static schema::Expected<Answer> make_answer(const RequestContext& context,
                                              const ResponsePlan& plan, const Address& address);
  std::vector<std::string> first_addresses(const service::Snapshot& snapshot) const;
  std::vector<std::string> recent_tables(const service::Snapshot& snapshot) const;
  void warm_address(const std::string& target);
  schema::Expected<void> warm_history(const std::function<bool()>& go_on);
  schema::Expected<void> warm_search();
  /// Makes ready the runs of the `depth`-th night back and on, a few milliseconds long. Gives the
  /// night to go on with, or kNoMoreNights.
  schema::Expected<std::size_t> warm_nights(std::size_t depth, std::chrono::nanoseconds* worked);

  const AppOptions options_;
  const ApiContract contract_;
  const Routes& routes_;
  const StaticFiles pages_;
  StorePool pool_;
  StorePool health_pool_;
  StorePool trace_pool_;  // for what is asked of traces, which may be larger than memory
  StorePool piece_pool_;  // for answers made while they are sent, as long as that takes
  StoreWriter writer_;
  AuditTrail audit_;
  Sessions sessions_;
  Uploads uploads_;
  Downloads downloads_;
  QueryProcesses queries_;
  service::Snapshots snapshots_;
  service::AnalysisCache analyses_;
  service::SharedCache<Answer> answers_;
  service::SharedCache<std::string> compressed_;  // of the same keys
};

}  // namespace benchhud::server
