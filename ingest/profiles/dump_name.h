// What the name of a dump says: what it is, and of which experiment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/artifact.h"
#include "schema/model/types.h"

namespace benchhud::ingest {

/// A dump in a runner's output directory (docs/formats.md, "Dumps").
struct DumpName {
  schema::ArtifactKind kind = schema::ArtifactKind::kTrace;
  std::string directory;  ///< the output directory, "" where the path has none
  std::string place;      ///< in it, without ".gz": "resnet/0/trace-….json"
  std::string model;      ///< the folder of the model
  std::string base;  ///< what stands for the experiment; "" where nothing but the model is known
  std::string part;  ///< what tells dumps of one base apart: "hlo", "hlo.0", "module_0001.a.txt"
  std::optional<std::int64_t> repetition;
};

/// Reads a path. Nothing if it is not named as a dump of the runner.
std::optional<DumpName> dump_name(std::string_view path);

/// A base by which dumps are looked up: values that the runner replaced by their hash, which is
/// another one in every process, become `#`.
std::string normalized_base(std::string_view base);

/// What may stand for an experiment's model at the end of a normalized base.
std::vector<std::string> model_in_base(const schema::Experiment& experiment);

/// How many keys of the experiment a normalized base leaves out, if a runner of any age may have
/// called the experiment's dumps by it. A base has the values of the configuration by key, then the
/// model's name, joined by `-`, each as Python prints it without spaces; one of more than 32
/// characters as its hash. Keys that came and went with the runner's age (torch_xla2,
/// keep_model_data_on_cuda, enable_functionalization, and unknown ones) may be missing. Time grows
/// with the number of keys times the length of the base.
std::optional<int> keys_left_out(const schema::Experiment& experiment, std::string_view base);

}  // namespace benchhud::ingest
