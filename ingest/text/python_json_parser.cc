#include "ingest/text/python_json_parser.h"

#include <new>

#include "ingest/text/python_json.h"

namespace benchhud::ingest {

using simdjson::dom::element;

std::optional<std::string> PythonJsonParser::parse(std::string_view text, element* document) {
  reader_.marked = false;
  if (parse_padded(text, document) == simdjson::SUCCESS) return {};
  // Python's NaN and Infinity.
  if (const auto fault = rewrite_python_json(text, &rewritten_)) {
    return "not JSON: " + fault->what + " at byte " + std::to_string(fault->offset + 1) +
           " of the record";
  }
  reader_.marked = true;
  const simdjson::error_code error = parse_padded(rewritten_, document);
  if (error == simdjson::SUCCESS) return {};
  if (error == simdjson::DEPTH_ERROR) return "not read: nested more than 1024 deep";
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  return std::string("not read: ") + simdjson::error_message(error);
}

simdjson::error_code PythonJsonParser::parse_padded(std::string_view text, element* document) {
  padded_.assign(text);
  padded_.append(simdjson::SIMDJSON_PADDING, ' ');
  return parser_.parse(padded_.data(), text.size(), false).get(*document);
}

}  // namespace benchhud::ingest
