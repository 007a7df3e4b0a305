// Attributes of HLO that say how dimensions go together. Only the units that print HLO need this.
#pragma once

#include <string_view>

#include "ingest/xplane/hlo_writer.h"
#include "ingest/xplane/proto_message.h"

namespace benchhud::ingest {

/// Of convolutions, dots, and what else moves a window: ", window={…}, dim_labels=…",
/// ", lhs_contracting_dims={…}", the precision of operands.
void write_hlo_contraction(std::string_view opcode, const ProtoMessage& instruction,
                           HloWriter* out);

/// Of gathers, scatters and paddings.
void write_hlo_indexing(const ProtoMessage& instruction, HloWriter* out);

}  // namespace benchhud::ingest
