#include "ingest/xplane/hlo_dimensions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace benchhud::ingest {
namespace {

using Numbers = std::vector<std::int64_t>;

// Dimensions of more are not printed as labels: no array has as many.
constexpr std::size_t kMostLabels = 64;

// "size=3x3 stride=2x2 pad=1_1x1_1": each part where it says anything.
void write_window(std::string_view window, HloWriter* out) {
  std::vector<ProtoMessage> dimensions;
  for (const std::string_view one : ProtoMessage(window, out->damage()).all_bytes(1))
    dimensions.emplace_back(one, out->damage());
  if (dimensions.empty()) return;
  bool is_first = true;
  const auto part = [&](std::string_view key, auto says, auto write) {
    if (std::ranges::none_of(dimensions, says)) return;
    out->add(is_first ? "" : " ").add(key).add("=");
    is_first = false;
    for (std::size_t i = 0; i < dimensions.size() && !out->is_full(); ++i) {
      if (i > 0) out->add("x");
      write(dimensions[i]);
    }
  };
  const auto number_part = [&](std::string_view key, std::uint32_t field, std::int64_t usual) {
    part(
        key, [=](const ProtoMessage& one) { return one.integer(field) != usual; },
        [=](const ProtoMessage& one) { out->add(one.integer(field)); });
  };
  out->add(", window={");
  part(
      "size", [](const ProtoMessage&) { return true; },
      [=](const ProtoMessage& one) { out->add(one.integer(1)); });
  number_part("stride", 2, 1);
  part(
      "pad", [](const ProtoMessage& one) { return one.integer(3) != 0 || one.integer(4) != 0; },
      [=](const ProtoMessage& one) { out->add(one.integer(3)).add("_").add(one.integer(4)); });
  number_part("lhs_dilate", 6, 1);
  number_part("rhs_dilate", 5, 1);
  number_part("rhs_reversal", 7, 0);
  out->add("}");
}

// "b01f": which dimension is batch, feature, and which of the window.
std::string labels(std::int64_t first, char first_label, std::int64_t second, char second_label,
                   const Numbers& spatial) {
  const std::size_t count = spatial.size() + 2;
  if (count > kMostLabels) return "?";
  std::string text(count, '?');
  const auto put = [&](std::int64_t place, char label) {
    if (0 <= place && place < static_cast<std::int64_t>(count)) {
      text[static_cast<std::size_t>(place)] = label;
    }
  };
  put(first, first_label);
  put(second, second_label);
  for (std::size_t i = 0; i < spatial.size(); ++i) {
    put(spatial[i], static_cast<char>('0' + static_cast<int>(i % 10)));
  }
  return text;
}

void write_dim_labels(std::string_view numbers, HloWriter* out) {
  const ProtoMessage fields(numbers, out->damage());
  out->add_word("dim_labels",
                labels(fields.integer(7), 'b', fields.integer(8), 'f', fields.integers(11)));
  out->add("_").add(labels(fields.integer(3), 'i', fields.integer(4), 'o', fields.integers(6)));
  out->add("->").add(labels(fields.integer(9), 'b', fields.integer(10), 'f', fields.integers(12)));
}

void write_dot(std::string_view numbers, HloWriter* out) {
  const ProtoMessage fields(numbers, out->damage());
  if (fields.has(3)) out->add_list("lhs_batch_dims", fields.integers(3));
  out->add_list("lhs_contracting_dims", fields.integers(1));
  if (fields.has(4)) out->add_list("rhs_batch_dims", fields.integers(4));
  out->add_list("rhs_contracting_dims", fields.integers(2));
}

// PrecisionConfig.Algorithm; one that is newer by its number.
void write_algorithm(std::int64_t algorithm, HloWriter* out) {
  constexpr std::array<std::string_view, 14> kNames = {"",
                                                       "dot_any_f8_any_f8_f32",
                                                       "dot_any_f8_any_f8_f32_fast_accum",
                                                       "dot_f16_f16_f16",
                                                       "dot_f16_f16_f32",
                                                       "dot_bf16_bf16_bf16",
                                                       "dot_bf16_bf16_f32",
                                                       "dot_bf16_bf16_f32_x3",
                                                       "dot_bf16_bf16_f32_x6",
                                                       "dot_tf32_tf32_f32",
                                                       "dot_tf32_tf32_f32_x3",
                                                       "dot_f32_f32_f32",
                                                       "dot_f64_f64_f64",
                                                       "dot_bf16_bf16_f32_x9"};
  if (algorithm == 0) return;
  if (0 < algorithm && algorithm < std::ssize(kNames)) {
    out->add_word("algorithm", kNames[static_cast<std::size_t>(algorithm)]);
  } else {
    out->add_number("algorithm", algorithm);
  }
}

void write_precision(std::string_view configuration, HloWriter* out) {
  constexpr std::array<std::string_view, 4> kNames = {"default", "high", "highest",
                                                      "packed_nibble"};
  const ProtoMessage fields(configuration, out->damage());
  write_algorithm(fields.integer(2), out);
  const Numbers precisions = fields.integers(1);
  if (std::ranges::all_of(precisions, [](std::int64_t one) { return one == 0; })) return;
  out->add(", operand_precision={");
  for (std::size_t i = 0; i < precisions.size() && !out->is_full(); ++i) {
    const bool is_known = 0 <= precisions[i] && precisions[i] < std::ssize(kNames);
    out->add(i > 0 ? "," : "");
    out->add(is_known ? kNames[static_cast<std::size_t>(precisions[i])] : "default");
  }
  out->add("}");
}

// "0_1_2x1_1": low, high and between the elements, which stands there where any dimension has it.
void write_padding(std::string_view configuration, HloWriter* out) {
  std::vector<ProtoMessage> dimensions;
  for (const std::string_view one : ProtoMessage(configuration, out->damage()).all_bytes(1)) {
    dimensions.emplace_back(one, out->damage());
  }
  const bool has_interior =
      std::ranges::any_of(dimensions, [](const ProtoMessage& one) { return one.integer(3) != 0; });
  out->add(", padding=");
  for (std::size_t i = 0; i < dimensions.size() && !out->is_full(); ++i) {
    if (i > 0) out->add("x");
    out->add(dimensions[i].integer(1)).add("_").add(dimensions[i].integer(2));
    if (has_interior) out->add("_").add(dimensions[i].integer(3));
  }
}

void write_gather(const ProtoMessage& instruction, HloWriter* out) {
  const ProtoMessage fields(instruction.bytes(33), out->damage());
  out->add_list("offset_dims", fields.integers(1));
  out->add_list("collapsed_slice_dims", fields.integers(2));
  out->add_list("start_index_map", fields.integers(3));
  if (fields.has(5)) out->add_list("operand_batching_dims", fields.integers(5));
  if (fields.has(6)) out->add_list("start_indices_batching_dims", fields.integers(6));
  out->add_number("index_vector_dim", fields.integer(4));
  out->add_list("slice_sizes", instruction.integers(34));
}

void write_scatter(std::string_view numbers, HloWriter* out) {
  const ProtoMessage fields(numbers, out->damage());
  out->add_list("update_window_dims", fields.integers(1));
  out->add_list("inserted_window_dims", fields.integers(2));
  out->add_list("scatter_dims_to_operand_dims", fields.integers(3));
  if (fields.has(5)) out->add_list("input_batching_dims", fields.integers(5));
  if (fields.has(6)) out->add_list("scatter_indices_batching_dims", fields.integers(6));
  out->add_number("index_vector_dim", fields.integer(4));
}

}  // namespace

void write_hlo_contraction(std::string_view opcode, const ProtoMessage& instruction,
                           HloWriter* out) {
  if (instruction.has(15)) write_window(instruction.bytes(15), out);
  if (instruction.has(16)) write_dim_labels(instruction.bytes(16), out);
  for (const auto& [field, key] : {std::pair(50U, std::string_view("feature_group_count")),
                                   std::pair(58U, std::string_view("batch_group_count"))}) {
    if (instruction.integer(field) > 1) out->add_number(key, instruction.integer(field));
  }
  if (opcode == "ragged-dot" && instruction.has(90)) {
    const ProtoMessage ragged(instruction.bytes(90), out->damage());
    write_dot(ragged.bytes(1), out);
    out->add_list("lhs_ragged_dims", ragged.integers(2));
    out->add_list("rhs_group_dims", ragged.integers(3));
  } else if (instruction.has(30)) {
    write_dot(instruction.bytes(30), out);
  }
  write_precision(instruction.bytes(51), out);
}

void write_hlo_indexing(const ProtoMessage& instruction, HloWriter* out) {
  if (instruction.has(21)) write_padding(instruction.bytes(21), out);
  if (instruction.has(33)) write_gather(instruction, out);
  if (instruction.has(48)) write_scatter(instruction.bytes(48), out);
  if (instruction.flag(67)) out->add_word("indices_are_sorted", "true");
  if (instruction.flag(69)) out->add_word("unique_indices", "true");
}

}  // namespace benchhud::ingest
