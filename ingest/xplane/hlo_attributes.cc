#include "ingest/xplane/hlo_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ingest/xplane/hlo_dimensions.h"

namespace benchhud::ingest {
namespace {

using Integers = std::vector<std::int64_t>;

// The names of an enumeration by number; "" of numbers beyond.
template <std::size_t kCount>
std::string_view name_of(const std::array<std::string_view, kCount>& names, std::int64_t number) {
  const bool is_known = 0 <= number && number < static_cast<std::int64_t>(kCount);
  return is_known ? names[static_cast<std::size_t>(number)] : std::string_view();
}

constexpr std::array<std::string_view, 3> kDistributions = {"", "rng_uniform", "rng_normal"};
constexpr std::array<std::string_view, 3> kAlgorithms = {"rng_default", "rng_three_fry",
                                                         "rng_philox"};
constexpr std::array<std::string_view, 4> kFftTypes = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::array<std::string_view, 4> kTransposes = {"", "NO_TRANSPOSE", "TRANSPOSE",
                                                         "ADJOINT"};
constexpr std::array<std::string_view, 3> kSchedules = {"", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
constexpr std::array<std::string_view, 5> kApiVersions = {"", "", "API_VERSION_STATUS_RETURNING",
                                                          "API_VERSION_STATUS_RETURNING_UNIFIED",
                                                          "API_VERSION_TYPED_FFI"};

std::string_view truth(bool is_so) { return is_so ? "true" : "false"; }

// Operations that have dimensions even where there are none.
bool has_dimensions(std::string_view opcode) {
  constexpr std::array<std::string_view, 5> kOps = {"broadcast", "map", "reduce", "reverse",
                                                    "transpose"};
  return std::ranges::find(kOps, opcode) != kOps.end();
}

void write_dimensions(std::string_view opcode, const ProtoMessage& instruction, HloWriter* out) {
  const Integers dimensions = instruction.integers(14);
  if (opcode == "iota") {
    out->add_number("iota_dimension", dimensions.empty() ? 0 : dimensions.front());
  } else if (!dimensions.empty() || has_dimensions(opcode)) {
    out->add_list("dimensions", dimensions);
  }
}

// "[0:8], [0:4]", with strides where one is not 1.
void write_slice(const std::vector<std::string_view>& dimensions, HloWriter* out) {
  std::vector<ProtoMessage> read;
  for (const std::string_view one : dimensions) read.emplace_back(one, out->damage());
  const bool has_stride =
      std::ranges::any_of(read, [](const ProtoMessage& one) { return one.integer(3) != 1; });
  out->add(", slice={");
  for (std::size_t i = 0; i < read.size() && !out->is_full(); ++i) {
    out->add(i > 0 ? ", [" : "[").add(read[i].integer(1)).add(":").add(read[i].integer(2));
    if (has_stride) out->add(":").add(read[i].integer(3));
    out->add("]");
  }
  out->add("}");
}

// "{{0,1},{2,3}}"
void write_groups(const std::vector<std::string_view>& groups, HloWriter* out) {
  out->add("{");
  for (std::size_t i = 0; i < groups.size() && !out->is_full(); ++i) {
    if (i > 0) out->add(",");
    out->add_list(ProtoMessage(groups[i], out->damage()).integers(1));
  }
  out->add("}");
}

// "[2,4]<=[8]": two groups of four of the devices from 0 to 7, in that order; "[2,4]<=[4,2]T(1,0)":
// of those in four rows, column by column.
void write_iota(const Integers& sizes, const Integers& reshaped, const Integers& order,
                HloWriter* out) {
  const auto write = [&](const Integers& numbers) {
    for (std::size_t i = 0; i < numbers.size() && !out->is_full(); ++i) {
      if (i > 0) out->add(",");
      out->add(numbers[i]);
    }
  };
  out->add("[");
  write(sizes);
  out->add("]<=[");
  write(reshaped);
  out->add("]");
  if (order.size() < 2) return;
  out->add("T(");
  write(order);
  out->add(")");
}

void write_replica_groups(const ProtoMessage& instruction, HloWriter* out) {
  const ProtoMessage devices(instruction.bytes(87), out->damage());
  if (devices.has(2)) {
    const ProtoMessage iota(devices.bytes(2), out->damage());
    out->add(", replica_groups=");
    write_iota({iota.integer(1), iota.integer(2)}, iota.integers(3), iota.integers(4), out);
    return;
  }
  const auto groups = devices.has(1) ? devices.all_bytes(1) : instruction.all_bytes(49);
  const bool is_collective = instruction.has(87) || !groups.empty();
  if (!is_collective) return;
  out->add(", replica_groups=");
  write_groups(groups, out);
}

void write_collective(const ProtoMessage& instruction, HloWriter* out) {
  if (instruction.integer(26) > 0) out->add_number("channel_id", instruction.integer(26));
  write_replica_groups(instruction, out);
  const auto pairs = instruction.all_bytes(52);
  if (!pairs.empty()) {
    out->add(", source_target_pairs={");
    for (std::size_t i = 0; i < pairs.size() && !out->is_full(); ++i) {
      const ProtoMessage pair(pairs[i], out->damage());
      if (i > 0) out->add(",");
      out->add_list({pair.integer(1), pair.integer(2)});
    }
    out->add("}");
  }
  if (instruction.flag(71)) out->add_word("use_global_device_ids", "true");
  if (instruction.flag(47)) out->add_word("is_host_transfer", "true");
}

// "output_to_operand_aliasing={{1}: (0, {})}"
void write_aliasing(const ProtoMessage& instruction, HloWriter* out) {
  const auto pairs = instruction.all_bytes(74);
  if (pairs.empty()) return;
  out->add(", output_to_operand_aliasing={");
  for (std::size_t i = 0; i < pairs.size() && !out->is_full(); ++i) {
    const ProtoMessage pair(pairs[i], out->damage());
    if (i > 0) out->add(", ");
    write_hlo_index(pair.integers(1), out);
    out->add(": (").add(pair.integer(2)).add(", ");
    write_hlo_index(pair.integers(3), out);
    out->add(")");
  }
  out->add("}");
}

void write_custom_call(const ProtoMessage& instruction, HloWriter* out) {
  out->add(", custom_call_target=").add_quoted(instruction.bytes(28));
  if (instruction.flag(56)) {
    out->add(", operand_layout_constraints={");
    bool is_first = true;
    for (const std::string_view shape : instruction.all_bytes(57)) {
      if (out->is_full()) break;
      if (!is_first) out->add(", ");
      is_first = false;
      write_hlo_shape(shape, /*with_layout=*/true, out);
    }
    out->add("}");
  }
  if (instruction.flag(65)) out->add_word("custom_call_has_side_effect", "true");
  const std::string_view schedule = name_of(kSchedules, instruction.integer(76));
  if (!schedule.empty()) out->add_word("schedule", schedule);
  const std::string_view version = name_of(kApiVersions, instruction.integer(77));
  if (!version.empty()) out->add_word("api_version", version);
}

void write_solver(std::string_view opcode, const ProtoMessage& instruction, HloWriter* out) {
  if (opcode == "triangular-solve") {
    const ProtoMessage options(instruction.bytes(59), out->damage());
    out->add_word("left_side", truth(options.flag(1)));
    out->add_word("lower", truth(options.flag(2)));
    out->add_word("unit_diagonal", truth(options.flag(3)));
    const std::string_view transpose = name_of(kTransposes, options.integer(4));
    if (!transpose.empty()) out->add_word("transpose_a", transpose);
  } else {
    out->add_word("lower", truth(ProtoMessage(instruction.bytes(62), out->damage()).flag(1)));
  }
}

// Operations with attributes that only they have.
void write_special(std::string_view opcode, const ProtoMessage& instruction, HloWriter* out) {
  if (opcode == "get-tuple-element") {
    out->add_number("index", instruction.integer(13));
  } else if (opcode == "compare") {
    out->add_word("direction", trace::hlo_name(instruction.bytes(63)));
    if (instruction.has(72)) out->add_word("type", trace::hlo_name(instruction.bytes(72)));
  } else if (opcode == "custom-call") {
    write_custom_call(instruction, out);
  } else if (opcode == "rng") {
    out->add_word("distribution", name_of(kDistributions, instruction.integer(23)));
  } else if (opcode == "rng-bit-generator") {
    out->add_word("algorithm", name_of(kAlgorithms, instruction.integer(70)));
  } else if (opcode == "rng-get-and-update-state") {
    out->add_number("delta", instruction.integer(66));
  } else if (opcode == "fft") {
    out->add_word("fft_type", name_of(kFftTypes, instruction.integer(31)));
    out->add_list("fft_length", instruction.integers(32));
  } else if (opcode == "reduce-precision") {
    out->add_number("exponent_bits", instruction.integer(18));
    out->add_number("mantissa_bits", instruction.integer(19));
  } else if (opcode.starts_with("batch-norm")) {
    out->add_word("epsilon", fmt::format("{}", instruction.real(24)));
    out->add_number("feature_index", instruction.integer(25));
  } else if (opcode == "triangular-solve" || opcode == "cholesky") {
    write_solver(opcode, instruction, out);
  } else if (opcode == "topk") {
    out->add_number("k", instruction.integer(81));
    out->add_word("largest", truth(instruction.flag(85)));
  } else if (opcode == "fusion") {
    out->add_word("kind", trace::hlo_name(instruction.bytes(11)));
  } else if (opcode == "copy-start" && instruction.has(80)) {
    out->add_number("cross_program_prefetch_index", instruction.integer(80));
  }
}

void write_configurations(const ProtoMessage& instruction, HloWriter* out) {
  if (instruction.has(29)) {
    out->add(", outfeed_shape=");
    write_hlo_shape(instruction.bytes(29), /*with_layout=*/true, out);
  }
  for (const auto& [field, key] : {std::pair(22U, std::string_view("outfeed_config")),
                                   std::pair(27U, std::string_view("infeed_config"))}) {
    const std::string_view bytes = instruction.bytes(field);
    if (!bytes.empty()) out->add(", ").add(key).add("=").add_quoted(bytes);
  }
  if (!instruction.bytes(79).empty()) {
    out->add(", async_execution_thread=").add_quoted(instruction.bytes(79));
  }
}

// What stands between the braces of a sharding.
void write_sharding_body(const ProtoMessage& sharding, HloWriter* out) {
  constexpr std::array<std::string_view, 7> kTypes = {
      "replicated", "maximal", "tuple", "devices", "manual", "unknown", "unreduced"};
  const std::string_view type = name_of(kTypes, sharding.integer(1));
  if (type == "maximal") {
    const auto devices = sharding.integers(4);
    out->add("maximal device=").add(devices.empty() ? 0 : devices.front());
    return;
  }
  if (type != "devices") {
    out->add(type.empty() ? "unknown" : type);
    return;
  }
  const Integers sizes = sharding.integers(3), reshaped = sharding.integers(9);
  out->add("devices=");
  if (!reshaped.empty()) {
    write_iota(sizes, reshaped, sharding.integers(10), out);
  } else {
    const auto list = [&](const Integers& numbers) {
      for (std::size_t i = 0; i < numbers.size() && !out->is_full(); ++i) {
        if (i > 0) out->add(",");
        out->add(numbers[i]);
      }
    };
    out->add("[");
    list(sizes);
    out->add("]");
    list(sharding.integers(4));
  }
  if (sharding.flag(6)) out->add(" last_tile_dim_replicate");
  const Integers last = sharding.integers(8);
  if (last.empty()) return;
  out->add(" last_tile_dims={");
  for (std::size_t i = 0; i < last.size() && !out->is_full(); ++i) {
    out->add(i > 0 ? ", " : "").add(name_of(kTypes, last[i]));
  }
  out->add("}");
}

// "{{replicated}, {manual}}" of a tuple's.
void write_sharding(const ProtoMessage& sharding, HloWriter* out) {
  constexpr std::int64_t kTuple = 2;
  out->add("{");
  if (sharding.integer(1) != kTuple) {
    write_sharding_body(sharding, out);
  } else {
    const auto parts = sharding.all_bytes(5);
    for (std::size_t i = 0; i < parts.size() && !out->is_full(); ++i) {
      out->add(i > 0 ? ", {" : "{");
      write_sharding_body(ProtoMessage(parts[i], out->damage()), out);
      out->add("}");
    }
  }
  out->add("}");
}

// Of a domain, whose sharding changes at its borders.
void write_domain(const ProtoMessage& instruction, HloWriter* out) {
  if (!instruction.has(54) && !instruction.has(55)) return;
  out->add(", domain={kind=\"sharding\", entry=");
  write_sharding(ProtoMessage(instruction.bytes(54), out->damage()), out);
  out->add(", exit=");
  write_sharding(ProtoMessage(instruction.bytes(55), out->damage()), out);
  out->add("}");
}

void write_replication(std::string_view replication, HloWriter* out) {
  const Integers leaves = ProtoMessage(replication, out->damage()).integers(1);
  out->add(", parameter_replication={");
  for (std::size_t i = 0; i < leaves.size() && !out->is_full(); ++i) {
    out->add(i > 0 ? "," : "").add(truth(leaves[i] != 0));
  }
  out->add("}");
}

// What is not printed of an instruction: results' accuracies, sparsities, and what writers newer
// than this have, each above the fields that are known here.
void write_rest(const ProtoMessage& instruction, HloWriter* out) {
  constexpr std::uint32_t kSparsity = 86, kLastPrinted = 90;
  const std::string rest = instruction.bytes_of(
      [](std::uint32_t number) { return number == kSparsity || number > kLastPrinted; });
  if (!rest.empty()) out->add(" ").add_hash(rest);
}

}  // namespace

void write_hlo_index(const Integers& index, HloWriter* out) { out->add_list(index); }

void write_hlo_attributes(std::string_view opcode, const ProtoMessage& instruction,
                          HloWriter* out) {
  write_special(opcode, instruction, out);
  write_dimensions(opcode, instruction, out);
  const auto slice = instruction.all_bytes(17);
  if (opcode == "slice") write_slice(slice, out);
  if (instruction.has(20)) out->add_list("dynamic_slice_sizes", instruction.integers(20));
  write_hlo_contraction(opcode, instruction, out);
  write_hlo_indexing(instruction, out);
  write_collective(instruction, out);
  if (instruction.flag(60)) out->add_word("is_stable", "true");
  if (instruction.flag(89)) out->add_word("is_composite", "true");
  if (instruction.flag(56) && opcode != "custom-call") out->add_word("constrain_layout", "true");
  write_aliasing(instruction, out);
  write_configurations(instruction, out);
  constexpr std::array<std::string_view, 3> kPaddings = {"", "PADDING_VALID", "PADDING_SAME"};
  const std::string_view padding = name_of(kPaddings, instruction.integer(75));
  if (!padding.empty()) out->add_word("padding_type", padding);
  if (instruction.has(61)) write_replication(instruction.bytes(61), out);
  write_domain(instruction, out);
  write_rest(instruction, out);
}

void write_hlo_sharding(std::string_view sharding, HloWriter* out) {
  out->add(", sharding=");
  write_sharding(ProtoMessage(sharding, out->damage()), out);
}

void write_hlo_frontend_attributes(std::string_view attributes, HloWriter* out) {
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  for (const std::string_view entry : ProtoMessage(attributes, out->damage()).all_bytes(1)) {
    const ProtoMessage fields(entry, out->damage());
    entries.emplace_back(fields.bytes(1), fields.bytes(2));
  }
  if (entries.empty()) return;
  // A map: its order in the file means nothing.
  std::ranges::sort(entries);
  out->add(", frontend_attributes={");
  for (std::size_t i = 0; i < entries.size() && !out->is_full(); ++i) {
    if (i > 0) out->add(",");
    out->add(trace::hlo_name(entries[i].first)).add("=").add_json_or_quoted(entries[i].second);
  }
  out->add("}");
}

void write_hlo_metadata(std::string_view metadata, HloWriter* out) {
  const ProtoMessage fields(metadata, out->damage());
  bool is_first = true;
  const auto key = [&](std::string_view name) {
    out->add(is_first ? ", metadata={" : " ").add(name).add("=");
    is_first = false;
  };
  const auto text = [&](std::string_view name, std::uint32_t field) {
    if (fields.bytes(field).empty()) return;
    key(name);
    out->add_quoted(fields.bytes(field));
  };
  const auto number = [&](std::string_view name, std::uint32_t field) {
    if (fields.integer(field) == 0) return;
    key(name);
    out->add(fields.integer(field));
  };
  text("op_type", 1);
  text("op_name", 2);
  text("source_file", 3);
  number("source_line", 4);
  number("source_end_line", 17);
  number("source_column", 18);
  number("source_end_column", 19);
  text("deduplicated_name", 12);
  text("scheduling_name", 16);
  number("stack_frame_id", 15);
  if (!is_first) out->add("}");
}

}  // namespace benchhud::ingest
