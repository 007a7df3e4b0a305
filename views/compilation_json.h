// Compilations that a TORCH_TRACE log records, as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/base/json_writer.h"
#include "schema/model/torch_trace.h"
#include "schema/results/torch_trace_store.h"

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

}  // namespace benchhud::views
