// Parts that HLO text is made of. Only the units that print HLO need this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/xplane/proto_message.h"
#include "trace/trace_hlo.h"

namespace benchhud::ingest {

/// A text that grows up to a limit: a name that is written once and used by a million instructions
/// would make a small file a large text.
class HloWriter {
 public:
  explicit HloWriter(std::size_t most) : most_(most) {}

  /// Appends the text, or nothing where it or one before it had no room.
  HloWriter& add(std::string_view text) {
    is_full_ = is_full_ || text.size() > most_ - text_.size();
    if (!is_full_) text_ += text;
    return *this;
  }
  HloWriter& add(std::int64_t number) { return add(std::to_string(number)); }
  /// "{1,2}": the numbers between braces.
  HloWriter& add_list(const std::vector<std::int64_t>& numbers);
  /// ", key={1,2}".
  void add_list(std::string_view key, const std::vector<std::int64_t>& numbers);
  /// ", key=5".
  void add_number(std::string_view key, std::int64_t number);
  /// ", key=word".
  void add_word(std::string_view key, std::string_view word);
  /// In quotes, with C's escapes, as XLA writes texts: what is neither ASCII nor printable in
  /// octal.
  HloWriter& add_quoted(std::string_view text);
  /// An object of JSON as it stands, any other text in quotes: XLA reads both so.
  HloWriter& add_json_or_quoted(std::string_view text);
  /// "%name", characters that names of HLO cannot have as "_".
  HloWriter& add_name(std::string_view name);

  /// "/*5f0c…*/": of contents that are left out, so that modules that differ only there differ.
  HloWriter& add_hash(std::string_view left_out);

  bool is_full() const { return is_full_; }
  /// Where what is printed notes what of its messages could not be decoded.
  ProtoDamage* damage() { return &damage_; }
  std::string take() { return std::move(text_); }

 private:
  std::size_t most_;
  std::string text_;
  bool is_full_ = false;
  ProtoDamage damage_;
};

/// A ShapeProto: "f32[2,3]{1,0:T(8,128)}", "(f32[], s32[<=4])". Tuples in more than a hundred
/// tuples are "?".
void write_hlo_shape(std::string_view shape, bool with_layout, HloWriter* out);

/// A LiteralProto as a constant's operand: of up to ten elements; "{...}" for more, for kinds of
/// elements that are not decoded, and where elements are missing.
void write_hlo_literal(std::string_view literal, HloWriter* out);

}  // namespace benchhud::ingest
