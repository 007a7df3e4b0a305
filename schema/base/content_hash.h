// Content decides what is the same: lines, texts, files and experiments are told apart by a 128-bit
// hash of their bytes (XXH3: not against an adversary, who could anyway write what he likes into
// his own results).
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace benchhud::schema {

struct ContentHash {
  std::array<char, 16> bytes{};

  std::string_view view() const { return {bytes.data(), bytes.size()}; }
  std::string hex() const;
  bool operator==(const ContentHash&) const = default;
};

ContentHash content_hash(std::string_view bytes);

/// The hash whose hex() a text is; none if it is not one's.
std::optional<ContentHash> content_hash_of_hex(std::string_view hex);

struct ContentHashHasher {
  std::size_t operator()(const ContentHash& hash) const {
    std::size_t value;
    std::memcpy(&value, hash.bytes.data(), sizeof value);
    return value;
  }
};

/// The hash of bytes that come in pieces.
class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(const ContentHasher&) = delete;
  ContentHasher& operator=(const ContentHasher&) = delete;
  void update(std::string_view bytes);
  ContentHash finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::schema
