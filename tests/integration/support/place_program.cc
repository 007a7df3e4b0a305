// What the tests of places run: one operation of a place or of its cache. The program itself has no
// command that does only one of them.
//
//     place_program ADDRESS put KEY FILE | fetch KEY FILE MOST_BYTES | find KEY | remove KEY |
//                           list PREFIX | cached KEY HASH BYTES
//     place_program ADDRESS mark ID
//     place_program hash FILE
//
// Limits and the place's id come from the environment: PLACE_ID, PLACE_TRIES, PLACE_PAUSE_MS,
// PLACE_CONNECT_MS, PLACE_STALL_S, PLACE_ANSWER_S, PLACE_STORE_S, PLACE_GIVES_UP_MS. An error is
// `NAME: message` on standard error, with status 1.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/places/object_cache.h"
#include "schema/places/object_place.h"

namespace benchhud::schema {
namespace {

long long number(const char* name, long long otherwise) {
  const char* value = std::getenv(name);
  return value ? std::atoll(value) : otherwise;
}

PlaceOptions options_of_environment() {
  using std::chrono::milliseconds;
  PlaceOptions options;
  if (const char* id = std::getenv("PLACE_ID")) options.id = id;
  options.most_tries = static_cast<int>(number("PLACE_TRIES", options.most_tries));
  options.first_pause = milliseconds(number("PLACE_PAUSE_MS", 5));
  options.connect_limit = milliseconds(number("PLACE_CONNECT_MS", options.connect_limit.count()));
  options.stall_limit = std::chrono::seconds(number("PLACE_STALL_S", options.stall_limit.count()));
  options.answer_limit =
      std::chrono::seconds(number("PLACE_ANSWER_S", options.answer_limit.count()));
  options.store_limit = std::chrono::seconds(number("PLACE_STORE_S", options.store_limit.count()));
  if (const auto limit = number("PLACE_GIVES_UP_MS", 0); limit > 0) {
    const auto end = std::chrono::steady_clock::now() + milliseconds(limit);
    options.gives_up = [end] { return std::chrono::steady_clock::now() >= end; };
  }
  return options;
}

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void print(const PlacedObject& object) {
  std::printf("%s %lld %.3f\n", object.key.c_str(), static_cast<long long>(object.byte_count),
              object.modified);
}

Expected<void> perform(const std::vector<std::string>& words) {
  const std::string& what = words.at(1);
  const std::string& key = words.at(2);
  if (what == "mark") return mark_place(words.at(0), key);
  BENCHHUD_ASSIGN(const auto place, open_place(words.at(0), options_of_environment()));
  if (what == "put") return place->put(key, words.at(3));
  if (what == "fetch") return place->fetch(key, words.at(3), std::stoll(words.at(4)));
  if (what == "remove") return place->remove(key);
  if (what == "list") {
    return place->list(key, [](const PlacedObject& object) {
      print(object);
      return Expected<void>();
    });
  }
  if (what == "find") {
    BENCHHUD_ASSIGN(const auto object, place->find(key));
    if (object) print(*object);
    return {};
  }
  if (what != "cached") return Error{ErrorCode::kInvalidArgument, "there is no " + what};
  BENCHHUD_ASSIGN(const CacheOptions cache_options, cache_options_of_environment());
  ObjectCache cache(cache_options);
  const auto hash = content_hash_of_hex(words.at(3));
  if (!hash) return Error{ErrorCode::kInvalidArgument, "that is no hash"};
  BENCHHUD_ASSIGN(const CachedObject object,
                  cache.get(*place, {key, *hash, std::stoll(words.at(4))}));
  std::printf("%s\n", object.path().c_str());
  return {};
}

}  // namespace
}  // namespace benchhud::schema

int main(int argc, char** argv) {
  using namespace benchhud::schema;  // NOLINT: a test's program
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "hash") {
    const std::string content = content_of(words[1]);
    std::printf("%s\n", content_hash(content).hex().c_str());
    return 0;
  }
  if (const auto done = perform(words); !done) {
    std::fprintf(stderr, "%s: %s\n", std::string(error_info(done.error().code).name).c_str(),
                 done.error().message.c_str());
    return 1;
  }
  return 0;
}
