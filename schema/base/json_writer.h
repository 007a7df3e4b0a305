// Writes JSON straight into a string or to a sink: answers are large and frequent, and building a
// document tree of them costs ten times the time of their text.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::schema {

/// Receives the calls of a JsonWriter in place of JSON text. Names and texts arrive unchanged: the
/// sink has to replace bytes that are not valid UTF-8.
class JsonSink {
 public:
  virtual ~JsonSink() = default;
  virtual void open(char bracket) = 0;
  virtual void close(char bracket) = 0;
  virtual void key(std::string_view name) = 0;
  virtual void text(std::string_view bytes) = 0;
  /// A number, a boolean or null in JSON's notation, or JSON that was written before.
  virtual void raw(std::string_view json) = 0;
};

/// The caller opens and closes what it writes; commas come by themselves. What is always true:
/// texts are valid UTF-8 (bytes that are not become U+FFFD, one for each maximal part of a
/// character), and a number that is not finite is null.
class JsonWriter {
 public:
  /// On one line, or laid out for people: two spaces a level.
  enum class Layout : bool { kCompact, kIndented };

  explicit JsonWriter(std::string* out, Layout layout = Layout::kCompact)
      : out_(out), is_indented_(layout == Layout::kIndented) {}
  /// Passes each call to `sink` in place of writing.
  explicit JsonWriter(JsonSink* sink) : sink_(sink) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  /// The name of what is written next; plain ASCII without quotes.
  void key(std::string_view name);
  /// The same for a name from outside.
  void key_text(std::string_view name);

  void null();
  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(double number);  ///< shortest text that reads back as the same number
  void value(std::same_as<bool> auto truth) { raw(truth ? "true" : "false"); }
  template <class Integer>
    requires(std::integral<Integer> && !std::same_as<Integer, bool>)
  void value(Integer number) {
    integer(static_cast<std::int64_t>(number));
  }
  template <class T>
  void value(const std::optional<T>& maybe) {
    if (maybe) {
      value(*maybe);
    } else {
      null();
    }
  }
  /// JSON that is made already, as it is.
  void raw(std::string_view json);

  /// A name and its value.
  template <class T>
  void field(std::string_view name, const T& what) {
    // A name and a number are put together first: an answer has tens of thousands of them, and each
    // append to the text has its price.
    if constexpr (std::same_as<T, double>) {
      number_field(name, what);
    } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      integer_field(name, static_cast<std::int64_t>(what));
    } else {
      key(name);
      value(what);
    }
  }
  template <class T>
  void field(std::string_view name, const std::optional<T>& maybe) {
    if (maybe) {
      field(name, *maybe);
    } else {
      null_field(name);
    }
  }
  void null_field(std::string_view name);

  /// An array; `write(item)` writes each of `items`.
  template <class Items, class Write>
  void list(const Items& items, Write write) {
    begin_array();
    for (const auto& item : items) write(item);
    end_array();
  }

 private:
  /// Room for a comma, a name and a number; longer names are written another way.
  using Piece = std::array<char, 96>;
  static constexpr std::size_t kLongestName = 48;

  void number_field(std::string_view name, double number);
  void integer_field(std::string_view name, std::int64_t number);
  template <class Number>
  void put_field(std::string_view name, Number number);
  /// Puts comma, name and colon at `end`; returns their end.
  char* put_name(std::string_view name, char* end) const;
  void open(char bracket);
  void close(char bracket);
  void comma() {
    if (needs_comma_) out_->push_back(',');
    if (is_indented_ && depth_ > 0) begin_line();
    needs_comma_ = true;
  }
  /// Before a name, an element or a closing bracket.
  void begin_line();
  void integer(std::int64_t number);
  void text(std::string_view bytes);

  /// Whether a name and its number are formatted together and appended once.
  bool is_plain() const { return !is_indented_ && sink_ == nullptr; }

  std::string* out_ = nullptr;
  JsonSink* sink_ = nullptr;  // where not null, used in place of `out_`
  bool needs_comma_ = false;
  // Of kIndented:
  const bool is_indented_ = false;
  bool is_behind_key_ = false;
  std::size_t depth_ = 0;
};

/// The first of a list, `most` at most: for JsonWriter::list(). (Not std::views::take(), which the
/// clang that builds the fuzz targets cannot compile.)
template <class Item>
std::span<const Item> first_of(const std::vector<Item>& all, std::size_t most) {
  return std::span(all).first(std::min(most, all.size()));
}

}  // namespace benchhud::schema
