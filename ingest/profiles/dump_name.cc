#include "ingest/profiles/dump_name.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "ingest/text/file_kind.h"
#include "ingest/text/text_parts.h"
#include "ingest/torch_trace/torch_trace_reader.h"

namespace benchhud::ingest {

using schema::ArtifactKind;

namespace {

constexpr std::size_t kLongestValue = 32;  // characters; what is longer is hashed by the runner
constexpr std::string_view kHash = "#";

struct Pattern {
  std::string_view prefix;
  std::array<std::string_view, 3> suffixes;  // "": none
  ArtifactKind kind;
};

constexpr std::array kPatterns = {
    Pattern{"trace-", {".json"}, ArtifactKind::kTrace},
    Pattern{"pytorch-profile-", {".txt"}, ArtifactKind::kOperatorTable},
    Pattern{"dynamo-counters-", {".txt", ".json"}, ArtifactKind::kDynamoCounters},
    Pattern{"pytorch-xla-metrics-", {".txt"}, ArtifactKind::kXlaMetrics},
    Pattern{"compile-times-", {".txt", ".csv"}, ArtifactKind::kCompileTimes},
};

constexpr std::array<std::string_view, 3> kDialects = {".text", ".hlo", ".stablehlo"};

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.push_back(part);
    path = slash == path.npos ? std::string_view() : path.substr(slash + 1);
  }
  return parts;
}

// "dump-BASE.hlo", with a suffix such as ".0" for each device.
bool read_ir_name(std::string_view name, DumpName* dump) {
  constexpr std::string_view kPrefix = "dump-";
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  for (const std::string_view dialect : kDialects) {
    const std::size_t at = name.rfind(dialect);
    if (at == name.npos || at == 0) continue;
    const std::string_view behind = name.substr(at + dialect.size());
    if (!behind.empty() && (behind[0] != '.' || !is_number(behind.substr(1)))) continue;
    dump->kind = ArtifactKind::kIr;
    dump->base = name.substr(0, at);
    dump->part = name.substr(at + 1);
    return true;
  }
  return false;
}

bool read_file_name(std::string_view name, DumpName* dump) {
  for (const Pattern& pattern : kPatterns) {
    if (!name.starts_with(pattern.prefix)) continue;
    for (const std::string_view suffix : pattern.suffixes) {
      if (suffix.empty() || !name.ends_with(suffix)) continue;
      if (name.size() <= pattern.prefix.size() + suffix.size()) continue;
      dump->kind = pattern.kind;
      dump->base = name.substr(pattern.prefix.size());
      dump->base.resize(dump->base.size() - suffix.size());
      return true;
    }
  }
  return read_ir_name(name, dump);
}

// Whether a base is one of that model's: it ends with the model's name, or its hash. Any folder may
// be called "hlo-…", a model's too.
bool is_base_of(std::string_view base, std::string_view model) {
  std::string name(model);
  std::erase(name, ' ');
  return base.ends_with("-" + name) || normalized_base(base).ends_with("-" + std::string(kHash));
}

// The index of the folder that holds all of one base's files, and that base.
struct BaseFolder {
  std::size_t index = 0;
  ArtifactKind kind = ArtifactKind::kIr;
  std::string_view base;
};

std::optional<BaseFolder> find_base_folder(const std::vector<std::string_view>& parts) {
  // Folders further out may be called anything.
  for (std::size_t i = parts.size() - 1; i-- > 0;) {
    // `--dump-hlo` writes there what XLA compiles for all experiments of a model, one behind the
    // other; beside modules XLA writes nothing.
    if (i > 0 && parts[i] == "hlo" && parts.back().starts_with("module_")) {
      return BaseFolder{i, ArtifactKind::kIr, ""};
    }
    for (const auto& [prefix, kind] :
         {std::pair(std::string_view("hlo-"), ArtifactKind::kIr),
          std::pair(std::string_view("xplane-"), ArtifactKind::kXplane),
          std::pair(std::string_view("torch-trace-"), ArtifactKind::kTorchTrace)}) {
      if (!parts[i].starts_with(prefix)) continue;
      const std::string_view base = parts[i].substr(prefix.size());
      const std::size_t between = kind == ArtifactKind::kXplane ? 1 : 0;
      if (i < between + 1 || (between == 1 && parts[i - 1] != "xla-profile")) continue;
      // PyTorch writes nothing else into that folder.
      if (kind == ArtifactKind::kTorchTrace && !is_torch_trace_name(parts.back())) continue;
      if (is_base_of(base, parts[i - between - 1])) return BaseFolder{i, kind, base};
    }
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string_view>& parts, std::size_t begin, std::size_t end,
                   bool is_absolute) {
  std::string text = is_absolute ? "/" : "";
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin) text += '/';
    text += parts[i];
  }
  return text;
}

// A value as Python's str() prints it, without spaces, as the runner shortens it.
std::vector<std::string> printed(std::string_view value) {
  std::string text(value);
  std::erase(text, ' ');
  std::vector<std::string> forms;
  // Whether a value of exactly that length is hashed depends on the runner's age.
  if (text.size() <= kLongestValue) forms.push_back(text);
  if (text.size() >= kLongestValue) forms.emplace_back(kHash);
  for (std::string& form : forms) form = normalized_base(form);
  return forms;
}

std::string python_text(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_null()) return "None";
  return value.dump();
}

// What may stand for a key's value; "" among them: the key may be missing.
struct Choice {
  std::vector<std::string> forms;
  bool may_be_missing = false;
};

std::map<std::string, Choice> choices_of(const schema::Experiment& experiment) {
  const auto of = [](const std::optional<std::string>& value) {
    return Choice{printed(value.value_or("None")), false};
  };
  std::map<std::string, Choice> choices;
  choices["accelerator"] = {printed(experiment.accelerator), false};
  choices["dynamo"] = of(experiment.dynamo);
  choices["test"] = {printed(experiment.test), false};
  choices["xla"] = of(experiment.xla);
  choices["xla_flags"] = of(experiment.xla_flags);
  choices["torch_xla2"] = of(experiment.torch_xla2);
  choices["torch_xla2"].may_be_missing = !experiment.torch_xla2;
  // In a line, null, false and an absent key are the same.
  for (const char* key : {"enable_functionalization", "keep_model_data_on_cuda"}) {
    choices[key] = {{"False", "None"}, true};
  }
  const auto flags = nlohmann::json::parse(experiment.flags, nullptr, false);
  if (flags.is_object()) {
    for (const auto& [key, value] : flags.items()) {
      // A runner whose lines have one of the two has it in its names.
      const bool is_known = choices.count(key) > 0;
      choices[key] = {printed(python_text(value)), !is_known};
    }
  }
  return choices;
}

// Of the parts of a path, the last of which is the file's name without what says how it is packed.
std::optional<DumpName> dump_name_of(const std::vector<std::string_view>& parts, bool is_absolute) {
  DumpName dump;
  std::size_t model = 0;  // index of the model's folder, plus 1; 0: there is none
  if (const auto folder = find_base_folder(parts); folder && !read_file_name(parts.back(), &dump)) {
    dump.kind = folder->kind;
    dump.base = folder->base;
    dump.part = joined(parts, folder->index + 1, parts.size(), false);
    const bool is_xplane = folder->kind == ArtifactKind::kXplane;
    // TensorBoard's layout may hold the same profile as a Chrome trace too, and what viewers made
    // of it.
    if (is_xplane &&
        (parts.back().ends_with(".trace.json") || parts.back().ends_with(".xplane.pb"))) {
      dump.kind = ArtifactKind::kTrace;
    }
    model = is_xplane ? folder->index - 1 : folder->index;
  } else if (is_torch_trace_name(parts.back())) {
    // Of a log in a folder of another name nothing tells the experiment.
    dump.kind = ArtifactKind::kTorchTrace;
    dump.place = parts.back();
    return dump;
  } else {
    if (!read_file_name(parts.back(), &dump)) return std::nullopt;
    model = parts.size() - 1;
    if (model > 0 && is_number(parts[model - 1])) {
      dump.repetition = number_of<std::int64_t>(parts[model - 1]);
      if (dump.repetition) --model;
    }
  }
  if (model == 0) {
    dump.place = joined(parts, 0, parts.size(), false);
    return dump;
  }
  dump.model = parts[model - 1];
  dump.directory = joined(parts, 0, model - 1, is_absolute);
  if (dump.directory.empty()) dump.directory = ".";
  dump.place = joined(parts, model - 1, parts.size(), false);
  return dump;
}

}  // namespace

std::optional<DumpName> dump_name(std::string_view path) {
  const bool is_absolute = path.starts_with('/');
  std::vector<std::string_view> parts = parts_of(path);
  if (parts.empty()) return std::nullopt;
  const std::string_view file = parts.back();
  parts.back() = trace_name_of(file);
  auto dump = dump_name_of(parts, is_absolute);
  // There are packs of traces alone: what else ends so is called so.
  if (parts.back() == uncompressed_name(file) || (dump && dump->kind == ArtifactKind::kTrace)) {
    return dump;
  }
  parts.back() = uncompressed_name(file);
  return dump_name_of(parts, is_absolute);
}

std::string normalized_base(std::string_view base) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string text;
  std::size_t at = 0;
  const auto is_begin = [&] { return at == 0 || base[at - 1] == '-'; };
  while (at < base.size()) {
    // "0x…" or "-0x…", whose sign follows the dash that joins the values.
    std::size_t begin = at;
    if (base.substr(at).starts_with("-0x") && is_begin()) ++begin;
    if (is_begin() && base.substr(begin).starts_with("0x")) {
      std::size_t end = base.find_first_not_of(kHexDigits, begin + 2);
      if (end == base.npos) end = base.size();
      if (end > begin + 2 && (end == base.size() || base[end] == '-')) {
        text += kHash;
        at = end;
        continue;
      }
    }
    text += base[at++];
  }
  return text;
}

std::vector<std::string> model_in_base(const schema::Experiment& experiment) {
  return printed(experiment.model);
}

std::optional<int> keys_left_out(const schema::Experiment& experiment, std::string_view base) {
  // Where the keys read so far may end in the base, and how few of them are left out then.
  std::map<std::size_t, int> ends{{0, 0}};
  const auto put = [](std::size_t end, int missing, std::map<std::size_t, int>* longer) {
    const auto [known, is_new] = longer->try_emplace(end, missing);
    if (!is_new) known->second = std::min(known->second, missing);
  };
  for (const auto& [key, choice] : choices_of(experiment)) {
    std::map<std::size_t, int> longer;
    for (const auto& [end, missing] : ends) {
      for (const std::string& form : choice.forms) {
        if (base.substr(end).starts_with(form + "-")) {
          put(end + form.size() + 1, missing, &longer);
        }
      }
      if (choice.may_be_missing) put(end, missing + 1, &longer);
    }
    ends = std::move(longer);
  }
  std::optional<int> fewest;
  for (const std::string& model : model_in_base(experiment)) {
    for (const auto& [end, missing] : ends) {
      if (base.substr(end) == model && (!fewest || missing < *fewest)) fewest = missing;
    }
  }
  return fewest;
}

}  // namespace benchhud::ingest
