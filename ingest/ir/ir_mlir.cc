#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "ingest/ir/ir_operation.h"
#include "ingest/ir/ir_readers.h"
#include "ingest/ir/ir_type.h"
#include "ingest/text/byte_search.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::IrDialect;

namespace {

bool is_function(std::string_view op) { return op == "func.func" || op == "func"; }
bool is_module(std::string_view op) { return op == "builtin.module" || op == "module"; }

// Operations that stand without a dialect's name, as printed inside of func.func.
bool is_short_name(std::string_view word) {
  return word == "return" || word == "call" || is_function(word) || is_module(word);
}

class MlirReader {
 public:
  MlirReader(std::size_t begin, IrContext context, IrDump* dump)
      : dump_(*dump),
        text_(dump->text),
        begin_(begin),
        builder_(IrDialect::kStableHlo, begin, dump) {
    builder_.module.stack = std::move(context.stack);
  }

  std::size_t read() {
    const IrLine first = ir_line(text_, begin_);
    // A file of functions is a module that is not written down.
    is_implicit_ = first.text.starts_with("func");
    if (is_implicit_) open_.push_back(kRegion);
    at_ = begin_;
    line_end_ = begin_ + first.text.size();
    is_at_start_ = true;
    while (at_ < text_.size() && !is_done_) step();
    finish_operation(at_);
    const bool is_closed = is_done_ || (is_implicit_ && open_.size() == 1);
    if (!is_closed) {
      dump_.problems.add(builder_.module.line,
                         "module " + excerpt(builder_.module.name) + " does not end");
    }
    if (entry_rank_ >= 0) {
      IrSignature signature = signature_of(entry_);
      builder_.module.parameters = std::move(signature.parameters);
      builder_.module.results = std::move(signature.results);
    }
    builder_.finish(at_, !is_closed, mlir_type_bytes);
    return at_;
  }

 private:
  // What is open, from the outside in. Braces are regions, which hold operations, or dictionaries.
  static constexpr char kRegion = 'R';

  struct Operation {
    std::string_view name;
    std::size_t begin = 0, end = 0;  // of its name
  };

  bool is_in_region() const { return open_.empty() || open_.back() == kRegion; }

  void step() {
    const char c = text_[at_];
    if (c == '\n') return end_line();
    if (is_blank(c)) {
      ++at_;
      return;
    }
    if (c == '/' && text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    if (is_at_start_ && take_operation()) return;
    if (c == '"') {
      skip_string();
    } else if (c == '-' && text_.substr(at_, 2) == "->") {
      at_ += 2;
    } else {
      take_bracket(c);
      ++at_;
    }
    end_of_code_ = at_;
  }

  // Lines matter where brackets do not close: what begins an operation or a module there ends what
  // was before.
  void end_line() {
    ++at_;
    const std::string_view line = ir_line(text_, at_).text;
    line_end_ = at_ + line.size();
    if (!line.empty() && !is_blank(line.front())) {
      if (is_implicit_ && open_.size() == 1) {
        // Anything but functions is no part of it.
        const bool goes_on = line.starts_with("func") || line.starts_with("//") ||
                             line.starts_with('#') || line.starts_with('}') ||
                             line.starts_with(')') || line.starts_with(':');
        is_done_ = !goes_on || line.starts_with("// -----");
      } else if (begins_ir(line) && !line.starts_with("func")) {
        at_end_of_text_ = true;
      }
    }
    if (at_end_of_text_) {
      // As if the dump ended here.
      text_ = text_.substr(0, at_);
      return;
    }
    if (!is_in_region() && begins_result(line)) {
      dump_.problem(at_, "the operation before does not end");
      while (!is_in_region()) open_.pop_back();
    }
    is_at_start_ = is_in_region();
  }

  // "%0 = op", "%0:2 = \"op\"": not "%arg0 = %1" as loops have it.
  static bool begins_result(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos || line[begin] != '%') return false;
    const std::size_t end = results_end(line, begin);
    if (end == line.npos) return false;
    const std::size_t op = line.find_first_not_of(" \t", end);
    return op != line.npos && (is_name_start(line[op]) || line[op] == '"');
  }

  // Behind the equals sign of "%0, %1:2 = ".
  static std::size_t results_end(std::string_view text, std::size_t at) {
    while (at < text.size() &&
           (is_name_start(text[at]) || is_digit(text[at]) || text[at] == '%' || text[at] == ':' ||
            text[at] == ',' || text[at] == ' ' || text[at] == '.' || text[at] == '$' ||
            text[at] == '-' || text[at] == '#')) {
      ++at;
    }
    return at < text.size() && text[at] == '=' ? at + 1 : text.npos;
  }

  // At the start of a statement: whether an operation begins, whose name is then gone past.
  bool take_operation() {
    is_at_start_ = false;
    std::size_t at = at_;
    bool has_results = false;
    if (text_[at] == '^') return take_label();
    if (text_[at] == '%') {
      at = results_end(text_, at);
      if (at == text_.npos) return false;
      at = std::min(text_.find_first_not_of(" \t", at), text_.size());
      has_results = true;
    }
    if (at < text_.size() && text_[at] == '"') {
      const std::size_t end = text_.find_first_of("\"\n", at + 1);
      if (end == text_.npos || text_[end] == '\n') return false;
      const std::size_t next = std::min(text_.find_first_not_of(" \t", end + 1), text_.size());
      if (!text_.substr(next).starts_with('(')) return false;
      begin_operation({text_.substr(at + 1, end - at - 1), at_, end + 1});
      return true;
    }
    const std::size_t end = word_end(text_, at);
    const std::string_view word = text_.substr(at, end - at);
    if (word.empty() || !is_name_start(word.front())) return false;
    if (!has_results) {
      // Attributes stand on lines of their own, too: "window = {", "mhlo.is_dynamic = false".
      const std::size_t next = std::min(text_.find_first_not_of(" \t", end), text_.size());
      const bool is_attribute = next < text_.size() && (text_[next] == '=' || text_[next] == ',');
      // Nor is a word of a sentence an operation.
      const bool has_dialect = word.find('.') != word.npos && word.back() != '.';
      if (is_attribute || !(has_dialect || is_short_name(word))) return false;
    }
    begin_operation({word, at_, end});
    return true;
  }

  // "^bb0(%arg0: tensor<f32>):": what comes behind may begin an operation.
  bool take_label() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && (is_name_start(text_[end]) || is_digit(text_[end]))) ++end;
    if (text_.substr(end).starts_with('(')) {
      if (at_ < no_label_before_) return false;
      const std::size_t line_end = std::max(line_end_, end);
      const std::size_t size = bracket_end(text_.substr(end, line_end - end), true);
      if (size == text_.npos) {
        no_label_before_ = line_end;
        return false;
      }
      end += size;
    }
    if (!text_.substr(end).starts_with(':')) return false;
    at_ = end + 1;
    is_at_start_ = true;
    return true;
  }

  void begin_operation(Operation operation) {
    finish_operation(operation.begin);
    operation_ = operation;
    at_ = operation.end;
    if (is_module(operation.name)) {
      take_module_header();
    } else if (is_function(operation.name)) {
      ++builder_.module.computation_count;
    } else {
      const std::string_view name = operation.name;
      builder_.count_op(name == "return" ? "func.return" : name == "call" ? "func.call" : name);
    }
  }

  void take_module_header() {
    // Modules within are a part of the outer one.
    if (!open_.empty()) return;
    const std::string_view line = ir_line(text_, at_).text;
    const std::size_t name = line.find_first_not_of(" \t");
    if (name == line.npos) return;
    if (line[name] == '@') {
      builder_.module.name = symbol(line.substr(name));
    } else if (line[name] == '(') {
      builder_.module.name = quoted_behind(line, "sym_name = \"");
    }
    // As jax and PyTorch/XLA say it.
    constexpr std::string_view kLayouts = "mhlo.xla_entry_computation_parameter_layouts = [";
    const std::size_t layouts = line.find(kLayouts);
    if (layouts == line.npos) return;
    const std::string_view list = line.substr(layouts + kLayouts.size() - 1);
    const std::size_t size = bracket_end(list, true);
    if (size != list.npos) builder_.module.entry_layout = list.substr(0, size);
  }

  void skip_string() {
    if (at_ < no_string_before_) {
      ++at_;
      return;
    }
    std::size_t end = text_.find_first_of("\"\\\n", at_ + 1);
    while (end < text_.size() && text_[end] == '\\') {
      end = text_.find_first_of("\"\\\n", std::min(end + 2, text_.size()));
    }
    if (end < text_.size() && text_[end] == '"') {
      at_ = end + 1;
    } else {
      no_string_before_ = std::min(end, text_.size());
      ++at_;
    }
  }

  void take_bracket(char c) {
    switch (c) {
      case '(':
      case '[':
        open_.push_back(c);
        break;
      case '<':
        if (!text_.substr(at_).starts_with("<=")) open_.push_back(c);
        break;
      case '{':
        take_brace();
        break;
      case ')':
        close('(');
        break;
      case ']':
        close('[');
        break;
      case '>':
        if (!text_.substr(at_).starts_with(">=")) close('<');
        break;
      case '}':
        close_brace();
        break;
      default:
        break;
    }
  }

  void take_brace() {
    if (!holds_operations()) {
      open_.push_back('{');
      return;
    }
    finish_operation(at_);
    open_.push_back(kRegion);
    has_region_ = true;
    is_at_start_ = true;
  }

  // Whether the brace here begins a region: a dictionary's begins with a name and an equals sign.
  bool holds_operations() const {
    std::size_t at = at_ + 1;
    for (;;) {
      at = std::min(text_.find_first_not_of(" \t\r\n", at), text_.size());
      if (text_.substr(at, 2) != "//") break;
      at = std::min(text_.find('\n', at), text_.size());
    }
    const std::string_view before =
        trim(text_.substr(at_ < 20 ? 0 : at_ - 20, std::min(at_, std::size_t{20})));
    if (before.ends_with("attributes")) return false;
    if (at == text_.size()) return open_.empty();
    const char c = text_[at];
    if (c == '%' || c == '^') return true;
    if (c == '}') return open_.empty() || is_function(operation_.name);
    std::size_t end = at;
    if (c == '"') {
      end = text_.find_first_of("\"\n", at + 1);
      if (end == text_.npos || text_[end] == '\n') return false;
      ++end;
    } else if (is_name_start(c)) {
      end = word_end(text_, at);
      const std::string_view word = text_.substr(at, end - at);
      if (is_short_name(word) || word.ends_with(".return")) return true;
    } else {
      return c == '#' && open_.empty();
    }
    end = std::min(text_.find_first_not_of(" \t\r\n", end), text_.size());
    const char next = end < text_.size() ? text_[end] : '}';
    return next != '=' && next != ',' && next != '}' && next != ':';
  }

  void close(char opened) {
    while (opened != '<' && !open_.empty() && open_.back() == '<') open_.pop_back();
    if (open_.empty() || open_.back() != opened) return;
    open_.pop_back();
    // The generic form has the module's region in parentheses.
    if (open_.empty() && has_region_) end_module();
  }

  void close_brace() {
    while (!open_.empty() && open_.back() != '{' && open_.back() != kRegion) open_.pop_back();
    if (open_.empty()) return;
    const bool is_region = open_.back() == kRegion;
    if (is_implicit_ && open_.size() == 1) return;  // closes nothing
    if (is_region) finish_operation(at_);
    open_.pop_back();
    // The module's attributes stand before its region.
    if (open_.empty() && is_region) end_module();
  }

  // What stands behind the module's brace on its line, "}) : () -> ()", belongs to it.
  void end_module() {
    is_done_ = true;
    at_ = std::min(text_.find('\n', at_), text_.size() - 1);
  }

  // The operation at hand goes up to `end`.
  void finish_operation(std::size_t end) {
    const Operation operation = std::exchange(operation_, {});
    if (operation.name.empty()) return;
    end = std::max(std::min(end, end_of_code_), operation.end);
    const std::string_view body = trim(text_.substr(operation.end, end - operation.end));
    if (is_function(operation.name)) {
      if (const int rank = entry_rank(body); rank > entry_rank_) {
        entry_rank_ = rank;
        entry_ = body;
      }
    } else if (is_contraction(operation.name)) {
      builder_.add_contraction(operation.begin, contraction_of(operation.name, body));
    } else if (plain_name(operation.name) == "custom_call") {
      builder_.count_custom_call(call_target(body));
    } else if (plain_name(operation.name) == "reduce") {
      const std::string_view applied = applied_op(body);
      if (!applied.empty()) builder_.count_op(applied);
    }
  }

  IrDump& dump_;
  std::string_view text_;
  std::size_t begin_;
  IrModuleBuilder builder_;
  bool is_implicit_ = false;
  std::size_t at_ = 0;
  std::size_t line_end_ = 0;     // of the line at hand
  std::size_t end_of_code_ = 0;  // behind the last byte that is no blank and no comment
  bool is_at_start_ = false;     // where an operation may begin
  bool has_region_ = false;
  bool is_done_ = false;
  bool at_end_of_text_ = false;
  std::size_t no_string_before_ = 0;  // a quote before it begins no string
  std::size_t no_label_before_ = 0;   // brackets of labels before it do not close on their line
  std::string open_;
  Operation operation_;
  // The entry is the function "main", else the first that is public, else the first.
  int entry_rank_ = -1;
  std::string_view entry_;  // what stands behind its "func.func"
};

}  // namespace

std::size_t read_mlir(std::size_t begin, IrContext context, IrDump* dump) {
  return MlirReader(begin, std::move(context), dump).read();
}

}  // namespace benchhud::ingest
