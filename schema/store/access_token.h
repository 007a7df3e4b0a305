// Tokens: who may do what over HTTP.
//
// A token is a text, `bhud_ID_SECRET`, that is told once, when it is made. The store keeps the
// SHA-256 of its secret. (A secret of 256 random bits needs no slow hash: there is nothing to
// guess.)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// What each token's text begins with: scanners for published secrets know tokens by it.
inline constexpr std::string_view kTokenStart = "bhud_";

/// What a token lets its holder do. To read, any token will do.
enum class Scope : std::uint8_t {
  kRead,
  kTriage,  ///< act on alerts, mark runs, note on traces
  kIngest,  ///< add results and dumps
};

inline constexpr std::array kScopes = {Scope::kRead, Scope::kTriage, Scope::kIngest};

/// "read", "triage", "ingest".
std::string_view scope_name(Scope scope);
std::optional<Scope> scope_of(std::string_view name);

/// A set of scopes.
class Scopes {
 public:
  Scopes() = default;
  Scopes(std::initializer_list<Scope> scopes) {
    for (const Scope scope : scopes) add(scope);
  }
  void add(Scope scope) { bits_ |= bit(scope); }
  bool has(Scope scope) const { return (bits_ & bit(scope)) != 0; }
  bool empty() const { return bits_ == 0; }
  bool operator==(const Scopes&) const = default;

 private:
  static std::uint8_t bit(Scope scope) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(scope));
  }
  std::uint8_t bits_ = 0;
};

/// The names of the scopes in their order, with spaces between them.
std::string scopes_text(Scopes scopes);

struct AccessToken {
  std::int64_t id = 0;
  std::string name;  ///< what it was made for
  Scopes scopes;
  double created_at = 0;               ///< unix seconds, as all times here
  std::optional<double> expires_at;    ///< none: never
  std::optional<double> withdrawn_at;  ///< none: it was not
  bool may(Scope scope) const { return scope == Scope::kRead || scopes.has(scope); }
  bool is_valid(double time) const { return !withdrawn_at && (!expires_at || time < *expires_at); }
};

/// A token as the audit names it: `token 3 (laptop)`.
std::string describe(const AccessToken& token);

struct NewToken {
  AccessToken token;
  std::string text;  ///< what its holder shows; the store does not keep it
};

/// Makes a token. One transaction, with a line in the audit. Errors: kInvalidArgument without a
/// name, without a scope, or where it would have expired already; kTooLarge for a name of more than
/// kMostLineBytes.
Expected<NewToken> add_access_token(Connection& connection, std::string_view name, Scopes scopes,
                                    std::optional<double> expires_at);

/// All that were ever made, in the order they were.
Expected<std::vector<AccessToken>> access_tokens(Connection& connection);

/// Withdraws a token, for good. One transaction, with a line in the audit. Error: kNotFound where
/// there is none, or it was withdrawn already.
Expected<void> withdraw_access_token(Connection& connection, std::int64_t id);

/// The token that `text` is, if it is one that is valid at `time`. How long it takes says nothing
/// of the secret.
Expected<std::optional<AccessToken>> find_access_token(Connection& connection,
                                                       std::string_view text, double time);

/// 256 random bits as 43 characters that may stand in an address. Error: kIo where the system has
/// none.
Expected<std::string> random_secret();

/// Whether two texts are the same; how long it takes depends on their lengths alone.
bool equal_in_constant_time(std::string_view left, std::string_view right);

/// Writes into the audit that the holder of a token asks for something that changes the store. One
/// transaction.
Expected<void> note_request(Connection& connection, const AccessToken& token,
                            std::string_view what);

}  // namespace benchhud::schema
