// From a slice of a profile to the instruction of HLO that it executes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/ir/hlo_lookup.h"
#include "schema/base/errors.h"
#include "schema/model/artifact.h"
#include "schema/results/reader.h"
#include "trace/trace_hlo.h"

namespace benchhud::service {

/// What a slice's arguments say.
struct HloQuery {
  std::optional<std::int64_t> program_id;
  std::string module;  ///< by name; "" where it is not told
  std::string op;      ///< as find_hlo_instruction() takes it; "": the module is asked for
};

struct HloAnswer {
  std::optional<trace::HloModule> module;
  std::int64_t program_id = 0;
  std::int64_t entry_line = 0;                  ///< of the module's text
  std::optional<ingest::HloFacts> instruction;  ///< none where it was not asked for, or not found
  /// Why the module, the instruction or its source is not known, with what brings it, a sentence;
  /// "" where all is.
  std::string absence;
};

/// The module that a program of a trace's profile executes, and its instruction. Of several
/// modules of that program, or where its number is not told of that name, the first that has the
/// instruction, else the first. Errors: kCorrupt, the store's.
schema::Expected<HloAnswer> hlo_of_slice(schema::Reader& reader, schema::TraceId trace,
                                         const HloQuery& query);

/// Why a trace has no modules, a sentence; "" where it has. `hlo`: what the store has of it.
std::string absent_hlo(const std::optional<trace::TraceHlo>& hlo);

/// Why instructions of a module do not tell their source, a sentence; "" where some do.
std::string absent_hlo_source(std::string_view text);

/// The number of a program as arguments of slices have it, in 64 bits with a sign or without.
std::optional<std::int64_t> program_id_of(std::string_view text);

}  // namespace benchhud::service
