// Compilations that a TORCH_TRACE log records, as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/base/json_writer.h"
#include "schema/model/torch_trace.h"
#include "schema/results/torch_trace_store.h"
#include "service/answers/compilation_logs.h"

namespace benchhud::views {

/// As the contract's Compilation. `stack` is the text that Compilation::stack names, "" where there
/// is none; `outputs` are the first of `output_count`.
void write_compilation(schema::JsonWriter& json, const schema::StoredCompilation& stored,
                       const std::string& stack, const std::vector<schema::StoredOutput>& outputs,
                       std::int64_t output_count);

/// As the contract's TorchTrace: what a log says as a whole. `outputs` are those of no compile id,
/// the first of `output_count`.
void write_torch_trace(schema::JsonWriter& json, const schema::TorchTraceSummary& summary,
                       const std::vector<schema::StoredOutput>& outputs, std::int64_t output_count);

/// As the contract's CompilationChange. `pair`: of its logs; null where no log is stored, and its
/// logs are not named.
void write_compilation_change(schema::JsonWriter& json, const analysis::CompilationChange& change,
                              const service::CompilationLogPair* pair);

/// As the contract's CompilationCounts.
void write_compilation_counts(schema::JsonWriter& json, const analysis::CompilationCounts& counts);

}  // namespace benchhud::views
