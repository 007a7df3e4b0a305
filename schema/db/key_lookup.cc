#include "schema/db/key_lookup.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace benchhud::schema {
namespace {

constexpr std::string_view kBeforeKey = "IN ($";

std::string with_keys(std::string_view one, std::size_t keys) {
  const int first = key_parameter(one);
  const std::size_t begin = one.find(kBeforeKey) + kBeforeKey.size() - 1;
  std::string text(one.substr(0, begin));
  for (std::size_t i = 0; i < keys; ++i) {
    if (i > 0) text += ", ";
    text += fmt::format("${}", first + static_cast<int>(i));
  }
  text += one.substr(one.find(')', begin));
  return text;
}

}  // namespace

int key_parameter(std::string_view one) {
  const std::size_t begin = one.find(kBeforeKey) + kBeforeKey.size();
  int number = 0;
  std::from_chars(one.data() + begin, one.data() + one.size(), number);
  return number;
}

std::string_view many_keys(std::string_view one, std::size_t keys) {
  const std::size_t room = room_for_keys(keys);
  if (room == 1) return one;
  static std::mutex mutex;
  static std::map<std::pair<const char*, std::size_t>, const std::string> texts;
  const auto key = std::pair(one.data(), room);  // the constant is known by its address
  const std::scoped_lock lock(mutex);
  const auto found = texts.find(key);
  if (found != texts.end()) return found->second;
  return texts.emplace(key, with_keys(one, room)).first->second;
}

}  // namespace benchhud::schema
