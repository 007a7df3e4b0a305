#include "schema/places/xml_answer.h"

#include <expat.h>
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "schema/base/caught_error.h"

namespace benchhud::schema {
namespace {

constexpr std::size_t kMostDepth = 16;

struct FreeParser {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

struct XmlReading {
  XML_Parser parser;
  const std::function<Expected<void>(std::string_view, const std::string&)>& visit;
  std::string path;
  std::vector<std::string> texts;  // of each open element
  std::optional<Error> error;

  void fail(Error why) {
    if (!error) error = std::move(why);
    XML_StopParser(parser, XML_FALSE);
  }
};

/// What is thrown must not pass through expat.
template <class Work>
void while_reading(void* data, const Work& work) {
  XmlReading& reading = *static_cast<XmlReading*>(data);
  try {
    work(reading);
  } catch (const std::exception&) {
    reading.fail(caught_error());
  }
}

void open_element(XmlReading& reading, std::string_view whole) {
  if (reading.texts.size() == kMostDepth) {
    reading.fail(
        {ErrorCode::kInvalidArgument, fmt::format("more than {} nested elements", kMostDepth)});
    return;
  }
  if (!reading.texts.empty()) reading.path += '/';
  reading.path += whole.substr(whole.rfind(':') + 1);
  reading.texts.emplace_back();
}

void close_element(XmlReading& reading) {
  if (reading.error) return;
  if (const auto visited = reading.visit(reading.path, reading.texts.back()); !visited) {
    reading.fail(visited.error());
    return;
  }
  reading.texts.pop_back();
  const auto parent = reading.path.rfind('/');
  reading.path.resize(parent == std::string::npos ? 0 : parent);
}

void begin_element(void* data, const XML_Char* name, const XML_Char**) {
  while_reading(data, [&](XmlReading& reading) { open_element(reading, name); });
}

void end_element(void* data, const XML_Char*) {
  while_reading(data, [](XmlReading& reading) { close_element(reading); });
}

void take_text(void* data, const XML_Char* text, int length) {
  while_reading(data, [&](XmlReading& reading) {
    if (!reading.texts.empty()) {
      reading.texts.back().append(text, static_cast<std::size_t>(length));
    }
  });
}

void refuse_document_type(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int) {
  while_reading(data, [](XmlReading& reading) {
    reading.fail({ErrorCode::kInvalidArgument, "it has a document type"});
  });
}

}  // namespace

Expected<void> read_xml(
    std::string_view document,
    const std::function<Expected<void>(std::string_view path, const std::string& text)>& visit) {
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, FreeParser> parser(
      XML_ParserCreate(nullptr));
  if (!parser) return Error{ErrorCode::kNoMemory, "there is not enough memory to read XML"};
  if (document.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return Error{ErrorCode::kInvalidArgument, "the document is too long"};
  }
  XmlReading reading{parser.get(), visit, {}, {}, {}};
  XML_SetUserData(parser.get(), &reading);
  XML_SetElementHandler(parser.get(), begin_element, end_element);
  XML_SetCharacterDataHandler(parser.get(), take_text);
  XML_SetStartDoctypeDeclHandler(parser.get(), refuse_document_type);
  const auto status =
      XML_Parse(parser.get(), document.data(), static_cast<int>(document.size()), XML_TRUE);
  if (reading.error) return *std::move(reading.error);
  if (status == XML_STATUS_OK) return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("line {}: {}", XML_GetCurrentLineNumber(parser.get()),
                           XML_ErrorString(XML_GetErrorCode(parser.get())))};
}

}  // namespace benchhud::schema
