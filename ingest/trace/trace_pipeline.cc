#include "ingest/trace/trace_pipeline.h"

#include <exception>
#include <optional>

#include "schema/base/caught_error.h"

namespace benchhud::ingest {
namespace {

// Bytes that wait to be scanned are at most so many batches.
constexpr std::size_t kMostFed = 8;
// Few enough to be in the processor's cache still when what they hold is built.
constexpr std::size_t kBatchBytes = 1 << 16;

}  // namespace

TracePipeline::TracePipeline(TraceScanner* scanner, TraceBuilder* builder)
    : scanner_(scanner), builder_(builder), fed_(kMostFed), thread_([this] { run(); }) {}

TracePipeline::~TracePipeline() { finish(); }

std::string TracePipeline::finish() {
  fed_.close();
  if (thread_.joinable()) thread_.join();
  return failure_;
}

void TracePipeline::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view batch = bytes.substr(0, kBatchBytes);
    fed_.push(std::string(batch));
    bytes.remove_prefix(batch.size());
  }
}

void TracePipeline::run() {
  scanner_->tell(&builder_);
  while (const std::optional<std::string> bytes = fed_.pop()) {
    if (!failure_.empty()) continue;
    // Nothing that is thrown leaves the thread; what is fed is taken to the end.
    try {
      scanner_->feed(*bytes);
      builder_.hand_over(scanner_);
    } catch (const std::exception&) {
      failure_ = schema::caught_error().message;
    }
  }
}

}  // namespace benchhud::ingest
