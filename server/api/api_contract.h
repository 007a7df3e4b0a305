// The REST contract as rules: which addresses there are, which parameters each takes, which columns
// its CSV has. Read from openapi.json, so that the document and the program cannot say different
// things.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "schema/base/errors.h"
#include "schema/store/access_token.h"
#include "server/http/address.h"

namespace benchhud::server {

struct ParameterRule {
  enum class Type { kText, kTime, kKeyValue, kInteger, kBoolean };
  std::string name;
  bool in_path = false;
  bool required = false;
  bool repeatable = false;
  std::size_t most_values = 1;  ///< of one that is repeatable
  Type type = Type::kText;
  std::vector<std::string> choices;  ///< empty: anything
  std::optional<std::int64_t> minimum, maximum;
  std::optional<std::string> default_value;
};

/// A column's name and where its cell stands in a row: a JSON pointer without escapes.
using CsvColumn = std::pair<std::string, std::string>;

/// A field of a JSON body: a text, or a list of whole numbers, each once.
struct BodyField {
  std::string name;
  bool required = false;
  std::vector<std::string> choices;  ///< of a text; empty: anything
  bool is_list = false;
  std::size_t least_items = 0, most_items = 0;  ///< of a list
};

struct Operation {
  std::string id;
  std::string method;                 ///< GET (and HEAD with it), POST or DELETE
  std::vector<std::string> segments;  ///< `{name}` stands for a path parameter
  std::vector<ParameterRule> parameters;
  std::vector<CsvColumn> columns;  ///< empty: it has no CSV
  std::vector<BodyField> body;     ///< empty: it takes none
  bool takes_file = false;         ///< in place of fields
  bool makes_something = false;    ///< its answer has the address of what is new
  /// What a token must be for; none: no token is asked for.
  std::optional<schema::Scope> scope = schema::Scope::kRead;
};

/// What a request asks for, checked against the rules; defaults are filled in.
class Query {
 public:
  /// The parameter's first value, or "" if there is none.
  const std::string& text(std::string_view name) const;
  const std::vector<std::string>& texts(std::string_view name) const;
  bool has(std::string_view name) const { return !texts(name).empty(); }
  std::int64_t integer(std::string_view name) const;  ///< 0 if there is none
  /// All of its values.
  std::vector<std::int64_t> integers(std::string_view name) const;
  std::size_t size(std::string_view name) const { return static_cast<std::size_t>(integer(name)); }
  bool boolean(std::string_view name) const { return text(name) == "true"; }
  /// A time parameter, or `otherwise`.
  double time(std::string_view name, double otherwise) const;

  /// Everything asked for in one text: equal questions, equal texts.
  std::string canonical() const;
  void forget(std::string_view name);

 private:
  friend class ApiContract;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

/// The fields of a body, checked against the rules.
class Body {
 public:
  /// The field's text, or "" if there is none.
  const std::string& text(std::string_view name) const;
  /// The field's numbers; none if it is not there.
  std::span<const std::int64_t> integers(std::string_view name) const;

 private:
  friend class ApiContract;
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, std::vector<std::int64_t>, std::less<>> lists_;
};

/// Why a request does not fit.
struct QueryError {
  schema::Error error;
  std::string parameter;  ///< or field of a body; "" if it is none's fault
};

class ApiContract {
 public:
  /// Reads the document; one that is not of the expected shape is a bug of the build and asserts.
  explicit ApiContract(std::string_view openapi);

  const std::vector<Operation>& operations() const { return operations_; }
  /// The operation of a method at an address below the API's base, and the values of its path
  /// parameters; null if there is none.
  const Operation* find(std::string_view method, const std::vector<std::string>& segments,
                        Query* query) const;
  /// The methods that an address takes: "GET, HEAD"; "" if there is no such address.
  std::string methods(const std::vector<std::string>& segments) const;
  /// Checks the query's parameters and adds them to `query`.
  static std::optional<QueryError> check(const Operation& operation, const Address& address,
                                         Query* query);
  /// Reads a body: a JSON object of the operation's fields.
  static std::optional<QueryError> check_body(const Operation& operation, const std::string& text,
                                              Body* body);

 private:
  std::vector<Operation> operations_;
};

}  // namespace benchhud::server
