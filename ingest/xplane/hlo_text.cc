#include "ingest/xplane/hlo_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ingest/xplane/hlo_attributes.h"
#include "ingest/xplane/hlo_writer.h"
#include "ingest/xplane/proto_message.h"
#include "ingest/xplane/xplane_wire.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::ingest {
namespace {

constexpr std::size_t kMostShownHloName = 100;  // bytes of a name in a message

using Report = std::function<void(const char* place, std::string_view reason)>;

// A member of a computation or module before it is printed.
struct NamedMessage {
  std::int64_t id = 0;
  std::string_view name;
  std::string_view message;
  bool is_pred = false;  // an instruction whose value is one truth
};

class HloPrinter {
 public:
  HloPrinter(const ProtoMessage& module, std::size_t most, const Report& report)
      : module_(module), out_(most), report_(report) {}

  std::string print() {
    read_computations();
    read_schedule();
    write_header();
    write_stack_frames();
    report_damage("something of the module");
    for (const NamedMessage& computation : computations_) {
      if (out_.is_full()) break;
      write_computation(computation);
    }
    if (out_.is_full()) {
      report_(nullptr, "its text is longer than is kept; the rest is left out");
    }
    return out_.take();
  }

 private:
  void read_computations();
  void read_schedule();
  void write_header();
  void write_program_shape(std::string_view shape, HloWriter* out);
  void write_stack_frames();
  void write_computation(const NamedMessage& computation);
  std::vector<NamedMessage> instructions_of(const ProtoMessage& computation,
                                            const NamedMessage& named);
  std::vector<NamedMessage> in_schedule(std::int64_t computation,
                                        std::vector<NamedMessage> instructions);
  void write_signature(const ProtoMessage& computation);
  void write_instruction(const NamedMessage& instruction, bool is_root);
  void write_operands(std::string_view opcode, const ProtoMessage& instruction);
  void write_called(std::string_view opcode, const ProtoMessage& instruction);
  void write_called_list(std::string_view key, const std::vector<std::int64_t>& called);
  void report_damage(std::string_view what);
  void report_unknown(std::string_view kind, std::int64_t id);
  ProtoMessage decoded(std::string_view message) { return ProtoMessage(message, out_.damage()); }
  const NamedMessage* instruction_of(std::int64_t id) const;
  bool is_of_truth(const ProtoMessage& instruction) const;
  void write_instruction_name(std::int64_t id);
  void write_computation_name(std::int64_t id);

  const ProtoMessage& module_;
  HloWriter out_;
  const Report& report_;
  std::vector<NamedMessage> computations_;
  std::optional<std::int64_t> entry_id_;
  std::string_view entry_name_;
  XplaneIds<std::string_view> computation_names_;
  XplaneIds<std::string_view> sequences_;  // InstructionSequence by computation
  // Of the computation at hand:
  std::string computation_name_;
  XplaneIds<NamedMessage> instructions_;
  std::set<std::int64_t> unknown_;  // ids that were reported to be nobody's
};

// Newer ids have the computation's in the upper half, and those of operands may be without.
constexpr std::int64_t local_id(std::int64_t id) { return id & 0xFFFF'FFFF; }

void HloPrinter::read_computations() {
  // Asked once: a module may have a million fields.
  if (module_.has(6)) entry_id_ = module_.integer(6);
  entry_name_ = module_.bytes(2);
  for (const std::string_view message : module_.all_bytes(3)) {
    const ProtoMessage fields(message);
    computations_.push_back({fields.integer(5), fields.bytes(1), message});
    computation_names_.emplace(computations_.back().id, computations_.back().name);
  }
}

void HloPrinter::read_schedule() {
  for (const std::string_view entry : decoded(module_.bytes(7)).all_bytes(1)) {
    const ProtoMessage fields = decoded(entry);
    sequences_.emplace(fields.integer(1), fields.bytes(2));
  }
}

// "(f32[2]{0}, f32[])->f32[2]{0}"
void HloPrinter::write_program_shape(std::string_view shape, HloWriter* out) {
  const ProtoMessage fields(shape, out->damage());
  out->add("(");
  bool is_first = true;
  for (const std::string_view parameter : fields.all_bytes(1)) {
    if (out->is_full()) break;
    if (!is_first) out->add(", ");
    is_first = false;
    write_hlo_shape(parameter, /*with_layout=*/true, out);
  }
  out->add(")->");
  write_hlo_shape(fields.bytes(2), /*with_layout=*/true, out);
}

void HloPrinter::write_header() {
  out_.add("HloModule ").add(trace::hlo_name(module_.bytes(1)));
  if (!sequences_.empty()) out_.add(", is_scheduled=true");
  const auto aliases = decoded(module_.bytes(8)).all_bytes(1);
  if (!aliases.empty()) {
    constexpr std::array<std::string_view, 3> kKinds = {"", ", may-alias", ", must-alias"};
    out_.add(", input_output_alias={ ");
    bool is_first = true;
    for (const std::string_view alias : aliases) {
      if (out_.is_full()) break;
      const ProtoMessage fields = decoded(alias);
      if (!is_first) out_.add(", ");
      is_first = false;
      const auto kind = static_cast<std::size_t>(std::clamp<std::int64_t>(fields.integer(4), 0, 2));
      out_.add_list(fields.integers(1)).add(": (").add(fields.integer(2)).add(", ");
      out_.add_list(fields.integers(3)).add(kKinds[kind]).add(")");
    }
    out_.add(" }");
  }
  const auto donors = decoded(module_.bytes(18)).all_bytes(1);
  if (!donors.empty()) {
    out_.add(", buffer_donor={ ");
    for (std::size_t i = 0; i < donors.size() && !out_.is_full(); ++i) {
      const ProtoMessage fields = decoded(donors[i]);
      out_.add(i > 0 ? ", (" : "(").add(fields.integer(1)).add(", ");
      out_.add_list(fields.integers(2)).add(")");
    }
    out_.add(" }");
  }
  if (module_.has(4)) {
    out_.add(", entry_computation_layout={");
    write_program_shape(module_.bytes(4), &out_);
    out_.add("}");
  }
  write_hlo_frontend_attributes(module_.bytes(19), &out_);
  out_.add("\n");
}

// XLA's tables, to which stack_frame_id leads. It prints the parent of a frame plus one.
void HloPrinter::write_stack_frames() {
  const ProtoMessage index = decoded(module_.bytes(17));
  if (!index.has(4)) return;
  std::int64_t number = 0;
  const auto begin_line = [&] { out_.add(++number).add(" "); };
  for (const auto& [field, title] : {std::pair(1U, std::string_view("\nFileNames\n")),
                                     std::pair(2U, std::string_view("\nFunctionNames\n"))}) {
    out_.add(title);
    number = 0;
    for (const std::string_view name : index.all_bytes(field)) {
      begin_line();
      out_.add_quoted(name).add("\n");
    }
  }
  out_.add("\nFileLocations\n");
  number = 0;
  for (const std::string_view location : index.all_bytes(3)) {
    const ProtoMessage fields = decoded(location);
    begin_line();
    out_.add(
        fmt::format("{{file_name_id={} function_name_id={} line={} end_line={} column={} "
                    "end_column={}}}\n",
                    fields.integer(1), fields.integer(2), fields.integer(3), fields.integer(5),
                    fields.integer(4), fields.integer(6)));
  }
  out_.add("\nStackFrames\n");
  number = 0;
  for (const std::string_view frame : index.all_bytes(4)) {
    const ProtoMessage fields = decoded(frame);
    begin_line();
    const auto parent = static_cast<std::int32_t>(fields.integer(2));
    out_.add(fmt::format("{{file_location_id={} parent_frame_id={}}}\n", fields.integer(1),
                         std::int64_t{parent} + 1));
  }
}

std::vector<NamedMessage> HloPrinter::instructions_of(const ProtoMessage& computation,
                                                      const NamedMessage& named) {
  std::vector<NamedMessage> instructions;
  instructions_ = {};
  for (const std::string_view message : computation.all_bytes(2)) {
    const ProtoMessage fields(message);
    if (!fields.fault().empty()) {
      report_(fields.fault_place(),
              fmt::format("{}; the instruction {} is lost", fields.fault(),
                          schema::beginning_of(fields.bytes(1), kMostShownHloName)));
      continue;
    }
    constexpr std::int64_t kPred = 1;
    instructions.push_back({fields.integer(35), fields.bytes(1), message,
                            ProtoMessage(fields.bytes(3)).integer(2) == kPred});
    instructions_.emplace(instructions.back().id, instructions.back());
  }
  for (const NamedMessage& one : instructions) instructions_.emplace(local_id(one.id), one);
  return in_schedule(named.id, std::move(instructions));
}

// What could not be decoded of the messages that were printed since this was called last.
void HloPrinter::report_damage(std::string_view what) {
  const ProtoDamage& damage = *out_.damage();
  if (damage.reason().empty()) return;
  report_(damage.place(), fmt::format("{}; {} is not all there", damage.reason(), what));
  out_.damage()->clear();
}

void HloPrinter::report_unknown(std::string_view kind, std::int64_t id) {
  if (!unknown_.insert(id).second) return;
  report_(nullptr, fmt::format("the computation {} names the {} {}, which is not there",
                               computation_name_, kind, id));
}

// In the order in which they are executed, where the module says it of each of them.
std::vector<NamedMessage> HloPrinter::in_schedule(std::int64_t computation,
                                                  std::vector<NamedMessage> instructions) {
  const auto sequence = sequences_.find(computation);
  if (sequence == sequences_.end()) return instructions;
  // Of one computation: many of one id would each go through it again.
  const std::string_view order = sequence->second;
  sequences_.erase(sequence);
  XplaneIds<std::size_t> places;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    places.emplace(local_id(instructions[i].id), i);
  }
  std::vector<NamedMessage> ordered;
  for (const std::int64_t id : decoded(order).integers(1)) {
    const auto place = places.find(local_id(id));
    if (place == places.end()) continue;
    ordered.push_back(instructions[place->second]);
    places.erase(place);
  }
  return ordered.size() == instructions.size() ? ordered : instructions;
}

// "(param_0: f32[2]) -> f32[2]"
void HloPrinter::write_signature(const ProtoMessage& computation) {
  const ProtoMessage shape = decoded(computation.bytes(4));
  const auto types = shape.all_bytes(1), names = shape.all_bytes(3);
  out_.add("(");
  for (std::size_t i = 0; i < types.size() && !out_.is_full(); ++i) {
    if (i > 0) out_.add(", ");
    out_.add(i < names.size() ? trace::hlo_name(names[i]) : fmt::format("param_{}", i)).add(": ");
    write_hlo_shape(types[i], /*with_layout=*/false, &out_);
  }
  out_.add(") -> ");
  write_hlo_shape(shape.bytes(2), /*with_layout=*/false, &out_);
}

void HloPrinter::write_computation(const NamedMessage& computation) {
  const ProtoMessage fields(computation.message);
  const std::string& name = computation_name_ =
      schema::beginning_of(computation.name, kMostShownHloName);
  unknown_.clear();
  if (!fields.fault().empty()) {
    report_(fields.fault_place(),
            fmt::format("{}; the rest of the computation {} is lost", fields.fault(), name));
  }
  const bool is_entry = entry_id_ ? computation.id == *entry_id_ : computation.name == entry_name_;
  out_.add(is_entry ? "\nENTRY " : "\n").add_name(computation.name).add(" ");
  write_signature(fields);
  out_.add(" {\n");
  const std::int64_t root = fields.integer(6);
  const auto instructions = instructions_of(fields, computation);
  report_damage(fmt::format("something of the computation {}", name));
  // Of an older writer the root is the last.
  const bool has_root = std::ranges::any_of(
      instructions, [&](const NamedMessage& one) { return local_id(one.id) == local_id(root); });
  for (const NamedMessage& one : instructions) {
    if (out_.is_full()) break;
    const bool is_last = &one == &instructions.back();
    write_instruction(one, has_root ? local_id(one.id) == local_id(root) : is_last);
  }
  out_.add("}");
  if (!fields.bytes(8).empty() && fields.bytes(8) != "main") {
    out_.add(", execution_thread=").add_quoted(fields.bytes(8));
  }
  out_.add("\n");
}

void HloPrinter::write_instruction(const NamedMessage& instruction, bool is_root) {
  const ProtoMessage fields = decoded(instruction.message);
  const std::string opcode = trace::hlo_name(fields.bytes(2));
  out_.add(is_root ? "  ROOT " : "  ").add_name(instruction.name).add(" = ");
  write_hlo_shape(fields.bytes(3), /*with_layout=*/true, &out_);
  out_.add(" ").add(opcode).add("(");
  write_operands(opcode, fields);
  out_.add(")");
  write_hlo_attributes(opcode, fields, &out_);
  write_called(opcode, fields);
  if (fields.has(40)) write_hlo_sharding(fields.bytes(40), &out_);
  write_hlo_frontend_attributes(fields.bytes(68), &out_);
  const auto predecessors = fields.integers(37);
  if (!predecessors.empty()) {
    out_.add(", control-predecessors={");
    for (std::size_t i = 0; i < predecessors.size() && !out_.is_full(); ++i) {
      if (i > 0) out_.add(", ");
      write_instruction_name(predecessors[i]);
    }
    out_.add("}");
  }
  write_hlo_metadata(fields.bytes(7), &out_);
  const std::string_view backend_config = fields.bytes(43);
  if (!backend_config.empty()) {
    out_.add(", backend_config=");
    if (backend_config.size() <= kMostBackendConfig) {
      out_.add_json_or_quoted(backend_config);
    } else {
      out_.add_quoted(fmt::format("<{} bytes>", backend_config.size()));
      out_.add(" ").add_hash(backend_config);
    }
  }
  out_.add("\n");
  report_damage(fmt::format("a value of the instruction {}",
                            schema::beginning_of(instruction.name, kMostShownHloName)));
}

void HloPrinter::write_operands(std::string_view opcode, const ProtoMessage& instruction) {
  if (opcode == "parameter") {
    out_.add(instruction.integer(9));
  } else if (opcode == "constant") {
    write_hlo_literal(instruction.bytes(8), &out_);
  } else {
    bool is_first = true;
    for (const std::int64_t id : instruction.integers(36)) {
      if (out_.is_full()) break;
      if (!is_first) out_.add(", ");
      is_first = false;
      write_instruction_name(id);
    }
  }
}

const NamedMessage* HloPrinter::instruction_of(std::int64_t id) const {
  auto found = instructions_.find(id);
  if (found == instructions_.end()) found = instructions_.find(local_id(id));
  return found == instructions_.end() ? nullptr : &found->second;
}

void HloPrinter::write_instruction_name(std::int64_t id) {
  const NamedMessage* const found = instruction_of(id);
  if (found == nullptr) report_unknown("instruction", id);
  out_.add_name(found == nullptr ? "missing" : found->name);
}

void HloPrinter::write_computation_name(std::int64_t id) {
  const auto name = computation_names_.find(id);
  if (name == computation_names_.end()) report_unknown("computation", id);
  out_.add_name(name == computation_names_.end() ? "missing" : name->second);
}

void HloPrinter::write_called_list(std::string_view key, const std::vector<std::int64_t>& called) {
  out_.add(", ").add(key).add("={");
  for (std::size_t i = 0; i < called.size() && !out_.is_full(); ++i) {
    if (i > 0) out_.add(", ");
    write_computation_name(called[i]);
  }
  out_.add("}");
}

// Whether a conditional chooses by a truth value and not by a number.
bool HloPrinter::is_of_truth(const ProtoMessage& instruction) const {
  const auto operands = instruction.integers(36);
  const NamedMessage* const choice = operands.empty() ? nullptr : instruction_of(operands.front());
  return choice != nullptr && choice->is_pred;
}

// What it calls, under the keys that XLA gives it.
void HloPrinter::write_called(std::string_view opcode, const ProtoMessage& instruction) {
  const auto called = instruction.integers(38);
  if (called.empty()) return;
  const auto one = [&](std::string_view key, std::int64_t id) {
    out_.add(", ").add(key).add("=");
    write_computation_name(id);
  };
  constexpr std::size_t kBoth = 2;
  if (opcode == "while" && called.size() == kBoth) {
    // The body is the first in the message, the condition the first in the text.
    one("condition", called[1]);
    one("body", called[0]);
  } else if (opcode == "select-and-scatter" && called.size() == kBoth) {
    one("select", called[0]);
    one("scatter", called[1]);
  } else if (opcode == "conditional" && called.size() == kBoth && is_of_truth(instruction)) {
    one("true_computation", called[0]);
    one("false_computation", called[1]);
  } else if (opcode == "conditional") {
    write_called_list("branch_computations", called);
  } else if (opcode == "custom-call" || called.size() > 1) {
    write_called_list("called_computations", called);
  } else {
    const bool is_inlined = opcode == "fusion" || opcode.starts_with("async-");
    one(is_inlined ? "calls" : "to_apply", called.front());
  }
}

}  // namespace

HloText print_hlo(std::string_view hlo_proto, const Report& report) {
  constexpr std::size_t kAlways = std::size_t{64} << 10;
  HloText made;
  const ProtoMessage proto(hlo_proto);
  if (!proto.fault().empty()) report(proto.fault_place(), proto.fault());
  const std::string_view message = proto.bytes(1);
  const ProtoMessage module(message);
  if (!proto.has(1)) return made;
  if (!module.fault().empty()) {
    report(module.fault_place(), module.fault() + "; the rest of the module is lost");
  }
  made.name = module.bytes(1);
  const std::size_t most =
      std::min(kMostHloText, kAlways + kMostHloTextTimes * std::min(message.size(), kMostHloText));
  made.text = HloPrinter(module, most, report).print();
  return made;
}

}  // namespace benchhud::ingest
