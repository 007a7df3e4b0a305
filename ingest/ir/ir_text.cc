#include "ingest/ir/ir_text.h"

#include <utility>

#include "ingest/ir/ir_readers.h"
#include "ingest/ir/ir_type.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {
namespace {

constexpr std::size_t kMostFrames = 100;
constexpr std::size_t kLongestFrame = 500;

// What stands between modules. PyTorch/XLA writes
//   [ScheduleSyncTensorsGraph]
//   TensorsGraphInfo:
//     train (lenet.py:86)
//   Root Hashes: (…)
//   ## BEGIN_GRAPH
class Between {
 public:
  void take(std::string_view line) {
    const std::string_view text = trim(line);
    const bool is_indented = line.starts_with(' ') || line.starts_with('\t');
    if (text.starts_with('[') && text.ends_with(']') && !is_indented) {
      context_ = {};
      const std::string_view name = text.substr(1, text.size() - 2);
      if (name.find_first_of("[](){},. ") == name.npos && name.size() <= kLongestFrame) {
        context_.name = name;
      }
    } else if (text == "TensorsGraphInfo:" || text == "Python Stacktrace:") {
      context_.stack.clear();
      is_in_stack_ = true;
      return;
    } else if (text.starts_with("## END_GRAPH")) {
      context_ = {};
    } else if (is_in_stack_ && is_indented && text.ends_with(')')) {
      if (context_.stack.size() < kMostFrames) {
        context_.stack.push_back(shortened(text, kLongestFrame));
      }
      return;
    }
    is_in_stack_ = false;
  }

  // Of the module that comes now.
  IrContext context() {
    is_in_stack_ = false;
    return std::exchange(context_, {});
  }

 private:
  IrContext context_;
  bool is_in_stack_ = false;
};

}  // namespace

IrText read_ir_text(std::string_view text) {
  IrDump dump(text);
  Between between;
  std::size_t at = 0;
  while (at < text.size()) {
    const IrLine line = ir_line(text, at);
    if (begins_hlo(line.text)) {
      at = read_hlo(at, between.context(), &dump);
    } else if (begins_mlir(line.text)) {
      at = read_mlir(at, between.context(), &dump);
    } else if (begins_lazy_ir(line.text)) {
      at = read_lazy_ir(at, between.context(), &dump);
    } else {
      between.take(line.text);
      at = line.next;
    }
  }
  return {std::move(dump.modules), dump.problems.take()};
}

}  // namespace benchhud::ingest
