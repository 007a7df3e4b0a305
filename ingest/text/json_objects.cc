#include "ingest/text/json_objects.h"

namespace benchhud::ingest {
namespace {

constexpr const char* kBrokenObject = "not JSON: the line ends inside an object";
constexpr const char* kNoObject = "not JSON: no object begins here";
constexpr const char* kTooLongRecord = "the record is too long";
constexpr const char* kCutShort = "not JSON: the text ends inside an object";

bool is_json_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

void JsonObjects::add(std::string_view bytes, const Visit& visit) {
  for (const char c : bytes) {
    take(c, visit);
    ++offset_;
    if (c == '\n') ++line_;
  }
}

void JsonObjects::finish(const Visit& visit) {
  if (is_garbage_) {
    give(kNoObject, true, visit);
  } else if (depth_ > 0) {
    give(kCutShort, true, visit);
  }
}

void JsonObjects::take(char c, const Visit& visit) {
  if (is_garbage_) return take_garbage(c, visit);
  if (depth_ == 0) return take_outside(c);
  take_inside(c, visit);
}

void JsonObjects::take_outside(char c) {
  if (is_json_blank(c) || c == ',' || c == '[' || c == ']') return;
  begin(c);
  is_garbage_ = c != '{';
  depth_ = is_garbage_ ? 0 : 1;
}

// Up to the end of the line.
void JsonObjects::take_garbage(char c, const Visit& visit) {
  if (c == '\n') return give(kNoObject, false, visit);
  keep(c);
}

void JsonObjects::begin(char c) {
  text_.clear();
  size_ = 0;
  begin_offset_ = offset_;
  begin_line_ = line_;
  in_string_ = is_escaped_ = at_line_begin_ = has_line_end_ = false;
  last_ = 0;
  keep(c);
}

void JsonObjects::keep(char c) {
  ++size_;
  if (text_.size() < longest_) text_.push_back(c);
  if (!is_json_blank(c)) last_ = c;
}

void JsonObjects::take_inside(char c, const Visit& visit) {
  if (c == '\n') return take_line_end(visit);
  if (at_line_begin_) {
    at_line_begin_ = false;
    // A record at the begin of a line, where nothing of the one before could go on with an object.
    const bool may_follow = last_ == ':' || last_ == ',' || last_ == '[';
    if (c == '{' && !may_follow && layout_ == Layout::kUnknown) {
      give(kBrokenObject, false, visit);
      return take_outside(c);
    }
  }
  if (in_string_) return take_in_string(c);
  keep(c);
  switch (c) {
    case '"':
      in_string_ = true;
      return;
    case '{':
      ++depth_;
      return;
    case '}':
      if (--depth_ > 0) return;
      if (layout_ == Layout::kUnknown) {
        layout_ = has_line_end_ ? Layout::kFree : Layout::kObjectALine;
      }
      return give(nullptr, false, visit);
    default:
      return;
  }
}

void JsonObjects::take_in_string(char c) {
  keep(c);
  if (is_escaped_) {
    is_escaped_ = false;
  } else if (c == '\\') {
    is_escaped_ = true;
  } else if (c == '"') {
    in_string_ = false;
  }
}

void JsonObjects::take_line_end(const Visit& visit) {
  const bool is_too_long = size_ > static_cast<std::int64_t>(longest_);
  if (in_string_ || is_too_long || layout_ == Layout::kObjectALine) {
    return give(kBrokenObject, false, visit);
  }
  has_line_end_ = true;
  at_line_begin_ = true;
  keep('\n');
}

void JsonObjects::give(const char* fault, bool is_unfinished, const Visit& visit) {
  const bool is_too_long = size_ > static_cast<std::int64_t>(text_.size());
  Piece piece;
  piece.text = text_;
  piece.line_number = begin_line_;
  piece.byte_offset = begin_offset_;
  piece.fault = is_too_long ? kTooLongRecord : fault;
  piece.is_unfinished = is_unfinished;
  piece.byte_count = size_;
  is_garbage_ = false;
  depth_ = 0;
  visit(piece);
  constexpr std::size_t kUsualBytes = 1 << 20;
  if (text_.capacity() > kUsualBytes) text_ = {};
}

}  // namespace benchhud::ingest
