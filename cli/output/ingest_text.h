// What became of an ingest, in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ingest/pipeline/pipeline.h"

namespace benchhud::cli {

/// "3 new, 12 already there, 0 rejected".
std::string counts_text(std::int64_t accepted, std::int64_t duplicate, std::int64_t rejected);

/// All of it in one line that a mail or a journal can carry: "41 files: 1540 new, 0 already there,
/// 2 rejected; 12 dumps: 12 new, 0 already there; 1 new alert; a.jsonl:7: rejected: no number".
/// What is wrong stands last: the first error, or else the first rejection. `new_alerts`: as many
/// as were found, where they were looked for.
std::string summary_line(const ingest::IngestResult& result,
                         std::optional<std::size_t> new_alerts = std::nullopt);

/// What a person should know of a file: on standard output what is in order (of a file that
/// `is_listed`), on standard error what is not.
void print_file(const ingest::FileResult& file, bool is_listed);

/// What a person should know of a dump, on standard error.
void print_dump(const ingest::DumpResult& dump);

/// Folders that could not be read, and files that are neither results nor dumps.
void print_folders(const ingest::IngestResult& result);

/// The program's exit status for it.
int exit_status_of(const ingest::IngestResult& result);

}  // namespace benchhud::cli
