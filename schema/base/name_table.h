// Words that stand for the values of an enumeration, in the store and in the API.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace benchhud::schema {

template <class Value, std::size_t kCount>
using NameTable = std::array<std::pair<Value, std::string_view>, kCount>;

/// "" for a value without a name.
template <class Value, std::size_t kCount>
std::string_view name_in(const NameTable<Value, kCount>& table, Value value) {
  for (const auto& [named, name] : table) {
    if (named == value) return name;
  }
  return "";
}

template <class Value, std::size_t kCount>
std::optional<Value> value_in(const NameTable<Value, kCount>& table, std::string_view name) {
  for (const auto& [value, its_name] : table) {
    if (its_name == name) return value;
  }
  return std::nullopt;
}

/// All names, for a person: "a, b or c".
template <class Value, std::size_t kCount>
std::string names_in(const NameTable<Value, kCount>& table) {
  std::string text;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (i > 0) text += i + 1 < kCount ? ", " : " or ";
    text += table[i].second;
  }
  return text;
}

}  // namespace benchhud::schema
