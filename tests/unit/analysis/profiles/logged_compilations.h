// Compilations as a TORCH_TRACE log has them, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/profiles/compilation_diff.h"

namespace benchhud::analysis {

/// A log that is put together by hand.
class MadeLog {
 public:
  /// A compilation of a function; "" for a frame that the log does not name.
  schema::Compilation& add(const std::string& id, const std::string& name, std::int64_t line,
                           const std::string& file = "/srv/models/model.py") {
    LoggedCompilation& logged = log.compilations.emplace_back();
    logged.stored.ordinal = static_cast<std::int64_t>(log.compilations.size()) - 1;
    schema::Compilation& one = logged.stored.compilation;
    one.compile_id = id;
    if (!name.empty()) {
      one.frame_name = name;
      one.frame_file = file;
      one.frame_line = line;
    }
    for (std::string* list :
         {&one.phases, &one.restarts, &one.graph_breaks, &one.recompiles, &one.caches}) {
      *list = "[]";
    }
    return one;
  }
  /// Something that the last compilation put out, by the number of its text.
  void put_out(const std::string& kind, std::int64_t text) {
    LoggedCompilation& last = log.compilations.back();
    schema::StoredOutput output;
    output.ordinal = outputs_++;
    output.output.kind = kind;
    output.output.attempt = last.stored.compilation.attempt;
    output.output.byte_count = 10;
    output.output.text = schema::TextId{text};
    last.outputs.push_back(output);
  }

  CompilationLog log;

 private:
  std::int64_t outputs_ = 0;
};

}  // namespace benchhud::analysis
