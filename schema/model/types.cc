// The bytes of which an experiment's hashes are made. A field is a text's size in bytes in decimal,
// a colon and the text:
//   family: the fields suite, model, accelerator, accelerator_model, test, xla, xla_flags, dynamo,
//     torch_xla2, flags; "-" instead of one of xla to torch_xla2 that is absent
//   identity: the family; the batch size in decimal, or "-" where there is none
#include "schema/model/types.h"

#include <bit>
#include <charconv>

namespace benchhud::schema {
namespace {

// A quiet NaN whose low word no arithmetic makes by itself.
constexpr std::uint64_t kNullSampleBits = 0x7FF8'0000'6E75'6C6C;  // "null" in ASCII

void append_number(std::int64_t number, std::string* out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out->append(digits, end);
}

// The length stands before the text, so no text can be taken for two fields.
void append_field(std::string_view text, std::string* out) {
  append_number(static_cast<std::int64_t>(text.size()), out);
  out->push_back(':');
  out->append(text);
}

void append_option(const std::optional<std::string>& text, std::string* out) {
  if (text) {
    append_field(*text, out);
  } else {
    out->push_back('-');
  }
}

std::size_t size_of(const std::optional<std::string>& text) { return text ? text->size() : 0; }

}  // namespace

double null_sample() { return std::bit_cast<double>(kNullSampleBits); }

bool is_null_sample(double value) { return std::bit_cast<std::uint64_t>(value) == kNullSampleBits; }

std::string_view test_name(std::string_view test) {
  if (test == "eval") return "inference";
  if (test == "train") return "training";
  return test;
}

std::string ExperimentView::backend() const {
  if (torch_xla2) return "torch_xla2:" + *torch_xla2;
  if (dynamo) return xla && *dynamo == "openxla" ? "openxla+dynamo" : *dynamo;
  return xla ? "openxla+lazytensor" : "eager";
}

std::string Experiment::family() const {
  constexpr std::size_t kLengthsAndBatchSize = 80;
  std::string text;
  text.reserve(suite.size() + model.size() + accelerator.size() + accelerator_model.size() +
               test.size() + size_of(xla) + size_of(xla_flags) + size_of(dynamo) +
               size_of(torch_xla2) + flags.size() + kLengthsAndBatchSize);
  append_field(suite, &text);
  append_field(model, &text);
  append_field(accelerator, &text);
  append_field(accelerator_model, &text);
  append_field(test, &text);
  append_option(xla, &text);
  append_option(xla_flags, &text);
  append_option(dynamo, &text);
  append_option(torch_xla2, &text);
  append_field(flags, &text);
  return text;
}

std::string Experiment::identity() const {
  std::string text = family();
  if (batch_size) {
    append_number(*batch_size, &text);
  } else {
    text.push_back('-');
  }
  return text;
}

}  // namespace benchhud::schema
