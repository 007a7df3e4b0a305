// Any parameters of an address about a trace: an answer, or a problem that is the asker's.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "schema/store/store.h"
#include "server/api/app.h"
#include "server/routes/route_tables.h"
#include "small_trace.h"

namespace {

namespace schema = benchhud::schema;
namespace server = benchhud::server;
using benchhud::fuzz::require;

// What runs SQL has a target of its own.
constexpr std::array<std::string_view, 14> kRoutes = {
    "tiles",  "tile",  "labels",  "slice", "find",  "next",   "sums",
    "points", "point", "counter", "flows", "flame", "export", "findings"};

// A server of a store in a folder that goes with it.
class Server {
 public:
  Server() {
    std::string folder = (std::filesystem::temp_directory_path() / "benchhud-fuzz-XXXXXX").string();
    require(mkdtemp(folder.data()) != nullptr);
    folder_ = folder;
    auto store = schema::open_store(folder + "/store.db");
    require(store.has_value());
    benchhud::fuzz::put_small_trace(*store);
    server::AppOptions options;
    options.store_path = folder + "/store.db";
    options.version = "0";
    options.instance = "fuzz";
    options.connections = 1;
    options.cached_bytes = std::size_t{1} << 16;
    app_ = std::make_unique<server::App>(std::move(options), server::all_routes(),
                                         std::span<const server::StaticFiles::File>());
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    app_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  server::Response ask(std::string target) {
    server::Request request;
    request.method = "GET";
    request.target = std::move(target);
    return app_->handle(request);
  }

 private:
  std::string folder_;
  std::unique_ptr<server::App> app_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Server server;
  if (size == 0) return 0;
  // The first byte says what is asked.
  const std::string_view parameters(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string target = "/api/v1/traces/1/";
  target += kRoutes[data[0] % kRoutes.size()];
  const server::Response response = server.ask(target + "?" + std::string(parameters));
  require(response.status == 200 || (response.status >= 400 && response.status < 500));
  require(response.body != nullptr);
  if (!response.stream) {
    require(!response.body->empty());
    return 0;
  }
  std::size_t bytes = 0;
  require(response.stream([&](std::string_view piece) {
    bytes += piece.size();
    return true;
  }));
  require(bytes > 0);
  return 0;
}
