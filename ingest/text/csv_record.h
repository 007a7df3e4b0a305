// Records of CSV texts, put together line by line. Only readers of CSV need this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::ingest {

/// A record as RFC 4180 has it: fields between commas; one that begins with a quote ends with one,
/// has commas, line ends and doubled quotes in it. Quotes elsewhere in a field are themselves.
class CsvRecord {
 public:
  enum class State : std::uint8_t {
    kWhole,   ///< it ended with the line
    kOpen,    ///< a quote is open: the next line belongs to it
    kBroken,  ///< there is something between a closing quote and the comma
  };

  /// Begins a record of which `most` fields are kept; those beyond are counted.
  void begin(std::size_t most);
  /// Takes the record's next line, with its end.
  State add(std::string_view line);

  std::size_t field_count() const { return count_; }
  /// Of one that is kept. Without the quotes around it.
  const std::string& field(std::size_t i) const { return fields_[i]; }

 private:
  void begin_field();
  void put(std::string_view text);

  std::vector<std::string> fields_;  // those beyond the record's are kept for their memory
  std::size_t count_ = 0;
  std::size_t most_ = 0;
  bool is_quoted_ = false;  // within quotes
};

}  // namespace benchhud::ingest
