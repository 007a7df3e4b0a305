// Writes HloProto messages, for tests.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/ingest/xplane/xplane_writer.h"

namespace benchhud::ingest {

inline constexpr std::int64_t kF32 = 11, kS32 = 4, kPred = 1, kTuple = 13;

inline Message hlo_array(std::int64_t type, std::initializer_list<std::int64_t> sizes) {
  Message shape, layout;
  shape.number(2, type);
  for (const std::int64_t size : sizes) shape.number(3, size);
  for (auto i = static_cast<std::int64_t>(sizes.size()); i > 0; --i) layout.number(1, i - 1);
  return shape.message(5, layout);
}
inline Message hlo_tuple(const std::vector<Message>& parts) {
  Message shape;
  shape.number(2, kTuple);
  for (const Message& part : parts) shape.message(4, part);
  return shape;
}

/// An instruction; what else it has is appended by the caller.
inline Message hlo_instruction(std::int64_t id, std::string_view name, std::string_view opcode,
                               const Message& shape,
                               std::initializer_list<std::int64_t> operands = {}) {
  Message made;
  made.text(1, name).text(2, opcode).message(3, shape).number(35, id);
  for (const std::int64_t operand : operands) made.number(36, operand);
  return made;
}
inline Message hlo_parameter(std::int64_t id, std::string_view name, std::int64_t number,
                             const Message& shape) {
  return hlo_instruction(id, name, "parameter", shape).number(9, number);
}

inline Message hlo_signature(const std::vector<std::pair<std::string, Message>>& parameters,
                             const Message& result) {
  Message made;
  for (const auto& [name, shape] : parameters) made.message(1, shape);
  made.message(2, result);
  for (const auto& [name, shape] : parameters) made.text(3, name);
  return made;
}

/// The root is the last instruction's id.
inline Message hlo_computation(std::int64_t id, std::string_view name, const Message& signature,
                               const std::vector<Message>& instructions, std::int64_t root) {
  Message made;
  made.text(1, name);
  for (const Message& one : instructions) made.message(2, one);
  return made.message(4, signature).number(5, id).number(6, root);
}

/// A module whose entry is the last computation.
inline Message hlo_module(std::string_view name, std::int64_t id, std::int64_t entry,
                          const std::vector<Message>& computations) {
  Message made;
  made.text(1, name).text(2, "main");
  for (const Message& one : computations) made.message(3, one);
  return made.number(5, id).number(6, entry);
}
inline Message hlo_proto(const Message& module) { return Message().message(1, module); }

/// The plane of metadata with one module, as an XSpace has it in field 1.
inline Message metadata_plane(std::string_view module_name, const Message& proto,
                              std::string_view stat = "Hlo Proto") {
  Message kind;
  kind.number(1, 7).text(2, module_name).message(5, Message().number(1, 3).text(6, proto.bytes()));
  return xplane(5, "/host:metadata")
      .message(4, Message().number(1, 7).message(2, kind))
      .message(5, stat_entry(3, stat));
}

}  // namespace benchhud::ingest
