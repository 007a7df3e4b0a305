// What instructions of HLO say beside operands and type.
#pragma once

#include <string_view>

#include "ingest/xplane/hlo_writer.h"
#include "ingest/xplane/proto_message.h"

namespace benchhud::ingest {

/// Appends ", key=value" for each attribute of a HloInstructionProto that is its own, in XLA's
/// order: neither what it calls, nor its metadata, nor the backend's configuration.
void write_hlo_attributes(std::string_view opcode, const ProtoMessage& instruction, HloWriter* out);

/// Appends ", sharding={…}" of an OpSharding, ", frontend_attributes={…}" of a FrontendAttributes.
void write_hlo_sharding(std::string_view sharding, HloWriter* out);
void write_hlo_frontend_attributes(std::string_view attributes, HloWriter* out);

/// Appends ", metadata={…}" of an OpMetadata that says anything.
void write_hlo_metadata(std::string_view metadata, HloWriter* out);

/// Appends "{}: (0, {})", the aliases of an output with an operand, between braces.
void write_hlo_index(const std::vector<std::int64_t>& index, HloWriter* out);

}  // namespace benchhud::ingest
