#include "ingest/text/file_kind.h"

#include <algorithm>
#include <cstdint>

#include "trace/pack/pack_file.h"

namespace benchhud::ingest {
namespace {

struct Signature {
  std::string_view bytes, what;
};

using namespace std::string_view_literals;

constexpr std::string_view kUtf16 =
    "text in UTF-16: convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)";

constexpr Signature kSignatures[] = {
    {"PK\x03\x04"sv, "a zip archive: unpack it first"},
    {"PK\x05\x06"sv, "an empty zip archive"},
    {"\xFD"
     "7zXZ\0"sv,
     "compressed with xz: unpack it first (xz -d)"},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive: unpack it first"},
    {"\x04\x22\x4D\x18"sv, "compressed with lz4: unpack it first (lz4 -d)"},
    {"\xFF\xFE"sv, kUtf16},
    {"\xFE\xFF"sv, kUtf16},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"\x7F"
     "ELF"sv,
     "a program (ELF)"},
    {"%PDF-"sv, "a PDF document"},
    {"\x89PNG"sv, "a picture (PNG)"},
};

bool is_bzip2(std::string_view text) {
  return text.starts_with("BZh") && text.substr(4).starts_with("1AY&SY");
}

// tar has its name behind the first file's.
constexpr std::size_t kTarPlace = 257;

// Letters of ASCII in two bytes each, without a byte order mark.
bool is_utf16(std::string_view text) {
  constexpr std::size_t kLooked = 32;
  text = text.substr(0, std::min(kLooked, text.size() & ~std::size_t{1}));
  if (text.size() < 8) return false;
  for (const std::size_t zero : {std::size_t{0}, std::size_t{1}}) {
    bool is_one = true;
    for (std::size_t i = 0; i < text.size() && is_one; i += 2) {
      is_one = text[i + zero] == '\0' && text[i + 1 - zero] != '\0';
    }
    if (is_one) return true;
  }
  return false;
}

// Reads the fields of a protocol buffer's message as far as its bytes are there.
class WireFields {
 public:
  explicit WireFields(std::string_view bytes) : bytes_(bytes) {}

  struct Field {
    std::uint64_t number = 0;
    unsigned type = 0;
    std::string_view content;  ///< of a field with a length, as far as it is there
    std::uint64_t length = 0;  ///< all of it
  };

  /// Nothing at the end, or where it is no message.
  std::optional<Field> next() {
    if (bytes_.empty()) return std::nullopt;
    const auto tag = varint();
    if (!tag || (*tag >> 3) == 0) return fail();
    Field field{*tag >> 3, static_cast<unsigned>(*tag & 7U), {}, 0};
    constexpr std::size_t kFixed64 = 8, kFixed32 = 4;
    switch (field.type) {
      case 0:
        return varint() || bytes_.empty() ? std::optional(field) : fail();
      case 1:
        return skip(kFixed64), field;
      case 2: {
        const auto length = varint();
        if (!length) return fail();
        field.length = *length;
        field.content = bytes_.substr(0, std::min<std::uint64_t>(*length, bytes_.size()));
        return skip(*length), field;
      }
      case 5:
        return skip(kFixed32), field;
      default:
        return fail();
    }
  }
  bool is_ok() const { return is_ok_; }

 private:
  std::optional<std::uint64_t> varint() {
    constexpr unsigned kMostBits = 63;
    std::uint64_t value = 0;
    for (unsigned shift = 0; !bytes_.empty() && shift <= kMostBits; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80U) return value;
    }
    return std::nullopt;
  }
  void skip(std::uint64_t count) {
    bytes_.remove_prefix(std::min<std::uint64_t>(count, bytes_.size()));
  }
  std::optional<Field> fail() {
    is_ok_ = false;
    return std::nullopt;
  }

  std::string_view bytes_;
  bool is_ok_ = true;
};

// The first message of a file that is a list of messages, as XSpace and Perfetto's Trace are.
std::optional<std::string_view> first_message(std::string_view beginning) {
  WireFields fields(beginning);
  const auto first = fields.next();
  if (!first || first->number != 1 || first->type != 2 || first->content.empty()) return {};
  return first->content;
}

}  // namespace

bool is_xplane(std::string_view beginning) {
  const auto plane = first_message(beginning);
  if (!plane) return false;
  WireFields fields(*plane);
  auto field = fields.next();
  if (field && field->number == 1 && field->type == 0) field = fields.next();
  constexpr std::uint64_t kLongestName = 1000;
  if (!field || field->number != 2 || field->type != 2 || field->content.empty() ||
      field->length > kLongestName) {
    return false;
  }
  return std::none_of(field->content.begin(), field->content.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20U; });
}

namespace {

// A TracePacket: it says when, of what sequence and what, in fields beyond the fifth.
bool is_perfetto(std::string_view beginning) {
  constexpr std::uint64_t kFirstOfPackets = 6, kLastOfPackets = 1000;
  const auto packet = first_message(beginning);
  if (!packet || is_xplane(beginning)) return false;
  WireFields fields(*packet);
  bool is_packet = false;
  while (const auto field = fields.next()) {
    if (field->number > kLastOfPackets) return false;
    is_packet = is_packet || field->number >= kFirstOfPackets;
  }
  // Text behind an empty line is no message, or has no such bytes.
  const bool is_binary = std::any_of(packet->begin(), packet->end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20U && c != '\n' && c != '\r' && c != '\t';
  });
  return fields.is_ok() && is_packet && is_binary;
}

}  // namespace

std::string_view uncompressed_name(std::string_view path) {
  for (const std::string_view ending : {".gz"sv, ".zst"sv}) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return path;
}

std::string_view trace_name_of(std::string_view path) {
  const std::string_view name = uncompressed_name(path);
  if (!name.ends_with(kPackEnding)) return name;
  return uncompressed_name(name.substr(0, name.size() - kPackEnding.size()));
}

bool is_xplane_name(std::string_view path) {
  return uncompressed_name(path).ends_with(".xplane.pb");
}

std::optional<std::string> unread_container(std::string_view beginning) {
  if (trace::is_pack(beginning)) {
    return "a pack of a trace: ingest it under the trace's name with .pack behind it, or by itself "
           "with --for RUN/MODEL/TEST/BACKEND";
  }
  for (const Signature& known : kSignatures) {
    if (beginning.starts_with(known.bytes)) return std::string(known.what);
  }
  if (beginning.size() > 4 && is_bzip2(beginning)) {
    return "compressed with bzip2: unpack it first (bzip2 -d)";
  }
  if (beginning.size() > kTarPlace && beginning.substr(kTarPlace).starts_with("ustar")) {
    return "a tar archive: unpack it first";
  }
  if (is_utf16(beginning)) return std::string(kUtf16);
  if (is_perfetto(beginning)) {
    return "a trace in Perfetto's protobuf format: convert it first (traceconv json)";
  }
  return std::nullopt;
}

}  // namespace benchhud::ingest
