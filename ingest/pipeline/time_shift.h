// Times of results shifted by whole weeks, for samples that are to be shown as of this week.
#pragma once

#include <cstdint>

#include "ingest/output/output_dir.h"
#include "ingest/pipeline/pipeline.h"
#include "ingest/results/parsed_chunk.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::ingest {

/// The shift that the store keeps, in weeks. Where it has none: the one with which the newest
/// result of `inputs` is at most a week before `now` and not after it, kept from here on. The
/// caller holds the write transaction. Errors: kConflict where the store holds results with their
/// own times; kIo where a file cannot be read.
schema::Expected<std::int64_t> choose_time_shift(schema::Connection& store, const Inputs& inputs,
                                                 const IngestOptions& options, double now);

/// Shifts what the lines say of their time. Lines that a benchhud store exported have been shifted
/// before: their times are those of a store.
void shift_times(std::int64_t weeks, ParsedChunk* parsed);

}  // namespace benchhud::ingest
