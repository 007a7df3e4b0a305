// Finds the objects of a JSON text that comes in pieces and may be broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace benchhud::ingest {

/// Cuts a text into its outermost objects: those of an array, of lines, or one after the other.
/// What is between them is blanks, commas and brackets of arrays; anything else is told as broken.
/// So that what is broken does not take its neighbours with it, a string does not go on in another
/// line (in JSON it cannot), and an object does not where the file has one a line.
class JsonObjects {
 public:
  struct Piece {
    std::string_view text;  ///< valid during the visit
    std::int64_t line_number = 0;
    std::int64_t byte_offset = 0;
    const char* fault = nullptr;  ///< why it is no object: a phrase
    bool is_unfinished = false;   ///< the text ends inside it
    std::int64_t byte_count = 0;  ///< text may be its beginning only
  };
  using Visit = std::function<void(const Piece&)>;

  /// Objects that are longer than `longest` bytes are broken.
  explicit JsonObjects(std::size_t longest) : longest_(longest) {}

  /// Passes over bytes that count as a place only.
  void skip(std::size_t bytes) { offset_ += static_cast<std::int64_t>(bytes); }
  /// Takes the next bytes; visits every object that ends in them.
  void add(std::string_view bytes, const Visit& visit);
  /// At the end: visits what has begun and not ended.
  void finish(const Visit& visit);

 private:
  enum class Layout : std::uint8_t { kUnknown, kObjectALine, kFree };

  void take(char c, const Visit& visit);
  void take_outside(char c);
  void take_garbage(char c, const Visit& visit);
  void take_inside(char c, const Visit& visit);
  void take_in_string(char c);
  void take_line_end(const Visit& visit);
  void begin(char c);
  void keep(char c);
  void give(const char* fault, bool is_unfinished, const Visit& visit);

  const std::size_t longest_;
  std::string text_;  // of the object or garbage at hand, up to longest_ bytes of it
  std::int64_t size_ = 0;
  std::size_t depth_ = 0;
  bool is_garbage_ = false;
  bool in_string_ = false;
  bool is_escaped_ = false;
  bool at_line_begin_ = false;  // nothing but the line end has come of this line
  bool has_line_end_ = false;   // the object at hand goes over several lines
  char last_ = 0;               // the last sign of the object at hand that is no blank
  Layout layout_ = Layout::kUnknown;
  std::int64_t offset_ = 0, line_ = 1;  // of the next byte
  std::int64_t begin_offset_ = 0, begin_line_ = 1;
};

}  // namespace benchhud::ingest
