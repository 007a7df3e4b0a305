// The state of what is watched, as bytes to go on from. As the machine lays numbers out: what does
// not read is made anew, so nothing is kept for other machines or later programs.
//   a number or an enumerator: its bytes in memory; a bool: a byte, 0 for false
//   a text: its size, a std::size_t, and its bytes
//   a vector, a deque: its size, a std::size_t, and its elements
//   a map: its size, a std::size_t, and its pairs of key and value, ascending
//   an array: its elements
//   an optional: a bool, and the value where that is true
//   anything else: what Fields::of() gives the archive, in that order
// Nothing stands between values.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace benchhud::analysis {

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// `T` is `Of`, which may be const.
template <class T, class Of>
concept Either = std::same_as<std::remove_const_t<T>, Of>;

/// `Fields::of(archive, value)` calls the archive with what of a value is state, whether the
/// archive writes or reads it.
template <class Fields>
class BytesWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <Number T>
  void put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const T& value : values) put(value);
  }
  template <class T>
  void put(const std::deque<T>& values) {
    put(values.size());
    for (const T& value : values) put(value);
  }
  template <class Key, class T>
  void put(const std::map<Key, T>& values) {
    put(values.size());
    for (const auto& [key, value] : values) (*this)(key, value);
  }
  template <class T, std::size_t count>
  void put(const std::array<T, count>& values) {
    for (const T& value : values) put(value);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class T>
  void put(const T& value) {
    Fields::of(*this, value);
  }

  std::string bytes_;
};

/// Reads what a BytesWriter wrote. Of bytes that it did not write values are anything, but within
/// the bytes, and is_whole() is false, or they are such that it might have.
template <class Fields>
class BytesReader {
 public:
  explicit BytesReader(std::string_view bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  /// Whether all that was asked for was there, and nothing else.
  bool is_whole() const { return is_there_ && bytes_.empty(); }

 private:
  std::string_view take(std::size_t count) {
    is_there_ = is_there_ && count <= bytes_.size();
    if (!is_there_) return {};
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  template <Number T>
  void get(T& value) {
    const std::string_view taken = take(sizeof value);
    if (is_there_) std::memcpy(&value, taken.data(), sizeof value);
  }
  // Of a byte that is neither 0 nor 1 a bool may not be made.
  void get(bool& value) {
    std::uint8_t byte = 0;
    get(byte);
    value = byte != 0;
  }
  void get(std::string& text) {
    std::size_t size = 0;
    get(size);
    text = take(size);
  }
  // Each element takes a byte and more: a count that cannot be is not made room for.
  std::size_t take_size() {
    std::size_t size = 0;
    get(size);
    is_there_ = is_there_ && size <= bytes_.size();
    return size;
  }
  template <class T>
  void get(std::vector<T>& values) {
    const std::size_t size = take_size();
    values.clear();
    for (std::size_t i = 0; i < size && is_there_; ++i) get(values.emplace_back());
  }
  template <class T>
  void get(std::deque<T>& values) {
    const std::size_t size = take_size();
    values.clear();
    for (std::size_t i = 0; i < size && is_there_; ++i) get(values.emplace_back());
  }
  template <class Key, class T>
  void get(std::map<Key, T>& values) {
    const std::size_t size = take_size();
    values.clear();
    for (std::size_t i = 0; i < size && is_there_; ++i) {
      Key key{};
      T value{};
      (*this)(key, value);
      values.emplace(std::move(key), std::move(value));
    }
  }
  template <class T, std::size_t count>
  void get(std::array<T, count>& values) {
    for (T& value : values) get(value);
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool has_value = false;
    get(has_value);
    value.reset();
    if (has_value) get(value.emplace());
  }
  template <class T>
  void get(T& value) {
    Fields::of(*this, value);
  }

  std::string_view bytes_;
  bool is_there_ = true;
};

}  // namespace benchhud::analysis
