#include "schema/store/access_token.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <charconv>

#include "schema/base/base64.h"
#include "schema/base/name_table.h"
#include "schema/base/text_limits.h"
#include "schema/base/time.h"
#include "schema/db/audit_note.h"
#include "schema/db/rows.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

constexpr std::array kScopeNames = {
    std::pair{Scope::kRead, std::string_view("read")},
    std::pair{Scope::kTriage, std::string_view("triage")},
    std::pair{Scope::kIngest, std::string_view("ingest")},
};

Scopes scopes_in(std::string_view text) {
  Scopes scopes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (const auto scope = scope_of(text.substr(0, end))) scopes.add(*scope);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return scopes;
}

AccessToken read_token(const Statement& row) {
  AccessToken token;
  token.id = row.integer(0);
  token.name = row.text(1);
  token.scopes = scopes_in(row.text(2));
  token.created_at = row.real(3);
  token.expires_at = row.optional_real(4);
  token.withdrawn_at = row.optional_real(5);
  return token;
}

std::string sha256(std::string_view bytes) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()), &length,
             EVP_sha256(), nullptr);
  digest.resize(length);
  return digest;
}

struct TokenText {
  std::int64_t id;
  std::string_view secret;
};

std::optional<TokenText> split_token(std::string_view text) {
  if (!text.starts_with(kTokenStart)) return {};
  text.remove_prefix(kTokenStart.size());
  const std::size_t end = text.find('_');
  if (end == std::string_view::npos) return {};
  TokenText token{0, text.substr(end + 1)};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + end, token.id);
  if (error != std::errc() || stop != text.data() + end) return {};
  return token;
}

}  // namespace

std::string_view scope_name(Scope scope) { return name_in(kScopeNames, scope); }

std::optional<Scope> scope_of(std::string_view name) { return value_in(kScopeNames, name); }

std::string scopes_text(Scopes scopes) {
  std::string text;
  for (const Scope scope : kScopes) {
    if (!scopes.has(scope)) continue;
    if (!text.empty()) text += ' ';
    text += scope_name(scope);
  }
  return text;
}

std::string describe(const AccessToken& token) {
  return fmt::format("token {} ({})", token.id, token.name);
}

Expected<std::string> random_secret() {
  constexpr std::size_t kBytes = 32;
  std::array<unsigned char, kBytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    return Error{ErrorCode::kIo, "the system gives no random numbers"};
  }
  return base64url({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

Expected<NewToken> add_access_token(Connection& connection, std::string_view name, Scopes scopes,
                                    std::optional<double> expires_at) {
  NewToken made;
  made.token = {0, std::string(name), scopes, now(), expires_at, {}};
  if (name.empty()) return Error{ErrorCode::kInvalidArgument, "a token needs a name"};
  BENCHHUD_TRY(check_length("the token's name", name, kMostLineBytes));
  if (scopes.empty()) {
    return Error{ErrorCode::kInvalidArgument, "a token needs a scope: read, triage or ingest"};
  }
  if (!made.token.is_valid(made.token.created_at)) {
    return Error{ErrorCode::kInvalidArgument, "the token would have expired already"};
  }
  BENCHHUD_ASSIGN(const std::string secret, random_secret());
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  Statement insert = connection.cached(sql::kInsertAccessToken);
  insert.bind(1, name).bind_blob(2, sha256(secret)).bind(3, scopes_text(scopes));
  insert.bind(4, made.token.created_at).bind(5, expires_at);
  BENCHHUD_TRY(insert.run());
  made.token.id = connection.last_insert_id();
  made.text = fmt::format("{}{}_{}", kTokenStart, made.token.id, secret);
  BENCHHUD_TRY(note(connection, "token",
                    fmt::format("{} may {}, until {}", describe(made.token), scopes_text(scopes),
                                expires_at ? format_time(*expires_at) : "it is withdrawn")));
  BENCHHUD_TRY(transaction.commit());
  return made;
}

Expected<std::vector<AccessToken>> access_tokens(Connection& connection) {
  return collect(connection.cached(sql::kAccessTokens), read_token);
}

Expected<void> withdraw_access_token(Connection& connection, std::int64_t id) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  BENCHHUD_TRY(connection.cached(sql::kWithdrawAccessToken).bind(1, id).bind(2, now()).run());
  if (connection.changes() == 0) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no token {} to withdraw", id)};
  }
  BENCHHUD_TRY(note(connection, "token", fmt::format("token {} withdrawn", id)));
  return transaction.commit();
}

Expected<std::optional<AccessToken>> find_access_token(Connection& connection,
                                                       std::string_view text, double time) {
  const auto parts = split_token(text);
  if (!parts) return std::optional<AccessToken>();
  const std::string hash = sha256(parts->secret);
  Statement query = connection.cached(sql::kAccessTokenById);
  query.bind(1, parts->id);
  std::optional<AccessToken> found;
  if (query.step() && equal_in_constant_time(query.blob(6), hash)) {
    found = read_token(query);
    if (!found->is_valid(time)) found.reset();
  }
  BENCHHUD_TRY(query.status());
  return found;
}

Expected<void> note_request(Connection& connection, const AccessToken& token,
                            std::string_view what) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  BENCHHUD_TRY(note(connection, "request", fmt::format("{}: {}", describe(token), what)));
  return transaction.commit();
}

}  // namespace benchhud::schema
