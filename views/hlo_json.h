// HLO modules of profiles as JSON.
#pragma once

#include <cstdint>

#include "ingest/ir/hlo_lookup.h"
#include "schema/base/json_writer.h"
#include "service/traces/hlo_operation.h"
#include "trace/trace_hlo.h"

namespace benchhud::views {

/// As the contract's HloModule: a module in a profile.
void write_hlo_module(schema::JsonWriter& json, const trace::HloModule& module,
                      std::int64_t program_id);

/// As the contract's HloInstruction.
void write_hlo_instruction(schema::JsonWriter& json, const ingest::HloFacts& facts);

/// As the contract's HloLine.
void write_hlo_line(schema::JsonWriter& json, const ingest::HloLine& line);

/// As the contract's HloOfSlice.
void write_hlo_answer(schema::JsonWriter& json, const service::HloAnswer& answer);

}  // namespace benchhud::views
