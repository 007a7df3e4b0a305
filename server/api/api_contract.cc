#include "server/api/api_contract.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "schema/base/check.h"
#include "schema/base/time.h"

namespace benchhud::server {
namespace {

using nlohmann::ordered_json;
using Type = ParameterRule::Type;

/// How often a parameter may be repeated where the document says nothing else.
constexpr std::size_t kMostValues = 100;

const ordered_json& resolve(const ordered_json& document, const ordered_json& node) {
  if (!node.contains("$ref")) return node;
  const auto& path = node["$ref"].get_ref<const std::string&>();
  return document.at(ordered_json::json_pointer(path.substr(1)));
}

std::string as_text(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

ParameterRule read_parameter(const ordered_json& document, const ordered_json& node) {
  ParameterRule rule;
  rule.name = node.at("name");
  rule.in_path = node.at("in") == "path";
  rule.required = node.at("required");
  const ordered_json* schema = &resolve(document, node.at("schema"));
  if (schema->at("type") == "array") {
    rule.repeatable = true;
    rule.most_values = schema->value("maxItems", kMostValues);
    schema = &schema->at("items");
  }
  const std::string type = schema->at("type");
  if (type == "integer") rule.type = Type::kInteger;
  if (type == "boolean") rule.type = Type::kBoolean;
  if (schema->value("format", "") == "date-or-time") rule.type = Type::kTime;
  if (schema->value("format", "") == "key-value") rule.type = Type::kKeyValue;
  if (schema->contains("enum")) {
    for (const auto& choice : schema->at("enum")) rule.choices.push_back(as_text(choice));
  }
  if (schema->contains("minimum")) rule.minimum = schema->at("minimum").get<std::int64_t>();
  if (schema->contains("maximum")) rule.maximum = schema->at("maximum").get<std::int64_t>();
  if (schema->contains("default")) rule.default_value = as_text(schema->at("default"));
  return rule;
}

std::vector<BodyField> read_body(const ordered_json& document, const ordered_json& node) {
  const auto& schema = resolve(document, node.at("content").at("application/json").at("schema"));
  const auto required = schema.value("required", ordered_json::array());
  std::vector<BodyField> fields;
  for (const auto& [name, property] : schema.at("properties").items()) {
    BodyField& field = fields.emplace_back();
    field.name = name;
    field.required = std::find(required.begin(), required.end(), name) != required.end();
    if (property.contains("enum")) field.choices = property.at("enum");
    field.is_list = property.value("type", "") == "array";
    if (!field.is_list) continue;
    field.least_items = property.at("minItems");
    field.most_items = property.at("maxItems");
  }
  return fields;
}

/// What the operation's first requirement asks of a token: `[{}]` asks for none, and one without
/// scopes, or no requirement of its own, for any.
std::optional<schema::Scope> read_scope(const ordered_json& node) {
  if (!node.contains("security")) return schema::Scope::kRead;
  const auto& requirement = node["security"].at(0);
  if (requirement.empty()) return {};
  const auto& scopes = *requirement.begin();
  if (scopes.empty()) return schema::Scope::kRead;
  const auto scope = schema::scope_of(scopes.at(0).get_ref<const std::string&>());
  BENCHHUD_CHECK(scope);  // openapi.json names scopes that there are
  return scope;
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

Operation read_operation(const ordered_json& document, const std::string& path,
                         const std::string& method, const ordered_json& node) {
  Operation operation;
  operation.id = node.at("operationId");
  operation.method = upper(method);
  for (std::string_view rest = path; !rest.empty();) {
    rest.remove_prefix(1);  // the slash
    const std::size_t end = std::min(rest.find('/'), rest.size());
    operation.segments.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  static const ordered_json kNone = ordered_json::array();
  for (const auto& item : node.contains("parameters") ? node["parameters"] : kNone) {
    const auto& parameter = resolve(document, item);
    if (parameter.at("in") != "header") {
      operation.parameters.push_back(read_parameter(document, parameter));
    }
  }
  operation.scope = read_scope(node);
  if (node.contains("requestBody")) {
    const auto& body = resolve(document, node["requestBody"]);
    operation.takes_file = body.at("content").contains("application/octet-stream");
    if (!operation.takes_file) operation.body = read_body(document, body);
  }
  operation.makes_something = node.at("responses").contains("201");
  if (!node.at("responses").contains("200")) return operation;
  const auto& content = node["responses"]["200"].at("content");
  if (content.contains("text/csv")) {
    // What a question in SQL answers has the columns that it asks for.
    const auto columns = content.at("text/csv").value("x-columns", ordered_json::object());
    for (const auto& [name, pointer] : columns.items()) {
      operation.columns.emplace_back(name, pointer.get<std::string>());
    }
  }
  return operation;
}

std::optional<std::int64_t> to_integer(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Adds the numbers of a list to `numbers`. Returns what is wrong with it, as the end of a
/// sentence; "" if nothing.
std::string read_list(const BodyField& field, const simdjson::dom::element& value,
                      std::vector<std::int64_t>* numbers) {
  simdjson::dom::array items;
  if (value.get(items) != simdjson::SUCCESS) return "must be a list of whole numbers";
  std::set<std::int64_t> seen;
  for (const simdjson::dom::element item : items) {
    std::int64_t number = 0;
    if (item.get(number) != simdjson::SUCCESS) return "must be a list of whole numbers";
    if (!seen.insert(number).second) return fmt::format("names {} twice", number);
    numbers->push_back(number);
    if (numbers->size() > field.most_items) {
      return fmt::format("must have at most {} numbers", field.most_items);
    }
  }
  if (numbers->size() >= field.least_items) return {};
  return fmt::format("must have at least {} number", field.least_items);
}

/// What is wrong with a value, as the end of a sentence; "" if nothing.
std::string fault_of(const ParameterRule& rule, const std::string& value) {
  if (!rule.choices.empty() &&
      std::find(rule.choices.begin(), rule.choices.end(), value) == rule.choices.end()) {
    return "must be one of " + joined(rule.choices);
  }
  switch (rule.type) {
    case Type::kText:
      return {};
    case Type::kTime:
      return schema::parse_time(value)
                 ? ""
                 : "must be a time such as 2025-11-10 or 2025-11-10T00:00:00Z";
    case Type::kKeyValue:
      return value.find(':') > 0 && value.find(':') != std::string::npos ? "" : "must be key:value";
    case Type::kBoolean:
      return value == "true" || value == "false" ? "" : "must be true or false";
    case Type::kInteger:
      break;
  }
  const auto number = to_integer(value);
  if (!number) return "must be a whole number";
  if (rule.minimum && *number < *rule.minimum)
    return fmt::format("must be at least {}", *rule.minimum);
  if (rule.maximum && *number > *rule.maximum)
    return fmt::format("must be at most {}", *rule.maximum);
  return {};
}

std::optional<QueryError> wrong(std::string parameter, std::string detail) {
  return QueryError{{schema::ErrorCode::kInvalidArgument, std::move(detail)}, std::move(parameter)};
}

bool is_variable(const std::string& segment) { return segment.front() == '{'; }

bool matches(const Operation& operation, const std::vector<std::string>& segments) {
  if (operation.segments.size() != segments.size()) return false;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!is_variable(operation.segments[i]) && operation.segments[i] != segments[i]) return false;
  }
  return true;
}

}  // namespace

const std::vector<std::string>& Query::texts(std::string_view name) const {
  static const std::vector<std::string> kNone;
  const auto found = values_.find(name);
  return found == values_.end() ? kNone : found->second;
}

const std::string& Query::text(std::string_view name) const {
  static const std::string kNone;
  const auto& values = texts(name);
  return values.empty() ? kNone : values.front();
}

std::int64_t Query::integer(std::string_view name) const {
  return to_integer(text(name)).value_or(0);
}

std::vector<std::int64_t> Query::integers(std::string_view name) const {
  std::vector<std::int64_t> numbers;
  for (const std::string& value : texts(name)) numbers.push_back(to_integer(value).value_or(0));
  return numbers;
}

std::span<const std::int64_t> Body::integers(std::string_view name) const {
  const auto found = lists_.find(name);
  return found == lists_.end() ? std::span<const std::int64_t>() : found->second;
}

const std::string& Body::text(std::string_view name) const {
  static const std::string kNone;
  const auto found = values_.find(name);
  return found == values_.end() ? kNone : found->second;
}

double Query::time(std::string_view name, double otherwise) const {
  return has(name) ? schema::parse_time(text(name)).value_or(otherwise) : otherwise;
}

std::string Query::canonical() const {
  std::string canonical;
  for (const auto& [name, values] : values_) {
    for (const auto& value : values) {
      canonical += name + "=" + percent_encode(value) + "&";
    }
  }
  return canonical;
}

void Query::forget(std::string_view name) {
  const auto found = values_.find(name);
  if (found != values_.end()) values_.erase(found);
}

ApiContract::ApiContract(std::string_view openapi) {
  const auto document = ordered_json::parse(openapi, nullptr, false);
  BENCHHUD_CHECK(!document.is_discarded());  // openapi.json is JSON
  for (const auto& [path, item] : document.at("paths").items()) {
    for (const auto& [method, node] : item.items()) {
      operations_.push_back(read_operation(document, path, method, node));
    }
  }
}

const Operation* ApiContract::find(std::string_view method,
                                   const std::vector<std::string>& segments, Query* query) const {
  for (const auto& operation : operations_) {
    if (operation.method != method || !matches(operation, segments)) continue;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const auto& segment = operation.segments[i];
      if (!is_variable(segment)) continue;
      query->values_[segment.substr(1, segment.size() - 2)] = {segments[i]};
    }
    return &operation;
  }
  return nullptr;
}

std::string ApiContract::methods(const std::vector<std::string>& segments) const {
  std::string methods;
  for (const auto& operation : operations_) {
    if (!matches(operation, segments)) continue;
    methods += methods.empty() ? "" : ", ";
    methods += operation.method == "GET" ? "GET, HEAD" : operation.method;
  }
  return methods;
}

std::optional<QueryError> ApiContract::check(const Operation& operation, const Address& address,
                                             Query* query) {
  for (const auto& item : address.query) {
    const std::string& name = item.first;
    const auto rule = std::find_if(operation.parameters.begin(), operation.parameters.end(),
                                   [&](const auto& r) { return r.name == name && !r.in_path; });
    if (rule == operation.parameters.end()) {
      return wrong(name, fmt::format("This address knows no parameter called {}.", name));
    }
    auto& values = query->values_[name];
    if (!values.empty() && !rule->repeatable) {
      return wrong(name, fmt::format("{} can be given only once.", name));
    }
    if (rule->repeatable && values.size() >= rule->most_values) {
      return wrong(name, fmt::format("{} is given more than {} times.", name, rule->most_values));
    }
    values.push_back(item.second);
  }
  for (const auto& rule : operation.parameters) {
    auto& values = query->values_[rule.name];
    if (values.empty() && rule.required) {
      return wrong(rule.name, fmt::format("The parameter {} is missing.", rule.name));
    }
    for (const auto& value : values) {
      const std::string fault = fault_of(rule, value);
      if (!fault.empty()) return wrong(rule.name, fmt::format("{} {}.", rule.name, fault));
    }
    if (values.empty() && rule.default_value) values.push_back(*rule.default_value);
    if (values.empty()) query->values_.erase(rule.name);
  }
  return {};
}

std::optional<QueryError> ApiContract::check_body(const Operation& operation,
                                                  const std::string& text, Body* body) {
  if (operation.body.empty()) {
    return text.empty() ? std::nullopt : wrong("", "This address takes no body.");
  }
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  simdjson::dom::object object;
  if (parser.parse(text).get(root) != simdjson::SUCCESS || root.get(object) != simdjson::SUCCESS) {
    return wrong("", "The body must be one JSON object, in UTF-8.");
  }
  for (const auto& [key, value] : object) {
    const std::string_view name = key;
    const auto field = std::find_if(operation.body.begin(), operation.body.end(),
                                    [&](const BodyField& f) { return f.name == name; });
    // What is not known is not repeated: it may be of any length.
    if (field == operation.body.end()) {
      return wrong("", "The body has a field that this address does not know.");
    }
    if (body->values_.contains(name) || body->lists_.contains(name)) {
      return wrong(field->name, fmt::format("{} can be given only once.", name));
    }
    if (field->is_list) {
      const std::string fault = read_list(*field, value, &body->lists_[field->name]);
      if (!fault.empty()) return wrong(field->name, fmt::format("{} {}.", name, fault));
      continue;
    }
    std::string_view given;
    if (value.get(given) != simdjson::SUCCESS) {
      return wrong(field->name, fmt::format("{} must be a text.", name));
    }
    if (given.find('\0') != std::string_view::npos) {
      return wrong(field->name, fmt::format("{} holds a character that is none.", name));
    }
    ParameterRule rule;
    rule.choices = field->choices;
    const std::string fault = fault_of(rule, std::string(given));
    if (!fault.empty()) return wrong(field->name, fmt::format("{} {}.", name, fault));
    body->values_.emplace(name, given);
  }
  for (const auto& field : operation.body) {
    if (field.required && !body->values_.contains(field.name) &&
        !body->lists_.contains(field.name)) {
      return wrong(field.name, fmt::format("The field {} is missing.", field.name));
    }
  }
  return {};
}

}  // namespace benchhud::server
