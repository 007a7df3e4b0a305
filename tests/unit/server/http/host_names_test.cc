#include "server/http/host_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace benchhud::server {
namespace {

HostNames names(std::string_view listens_on, bool is_local, std::vector<std::string> allowed = {}) {
  return *HostNames::make(listens_on, is_local, allowed);
}

TEST(HostNames, LoopbackIsThisMachineAlone) {
  for (const char* host :
       {"127.0.0.1", "127.1.2.3", "localhost", "LocalHost", "::1", "0:0:0:0:0:0:0:1"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"", "0.0.0.0", "::", "127.example.org", "127.0.0.1.example.org",
                           "localhost.example.org", "1127.0.0.1", "10.127.0.1"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

TEST(HostNames, LoopbackServerAnswersForItsOwnNamesOnly) {
  const HostNames own = names("127.0.0.1", true);
  for (const char* host :
       {"localhost", "LOCALHOST:80", "127.0.0.9:1", "[::1]:8080", "localhost."}) {
    EXPECT_TRUE(own.contains(host)) << host;
  }
  for (const char* host : {"", ":80", "evil.example", "localhost.evil.example", "[::1", "::1",
                           "127.1", "localhost:8o", "[::1]80", "localhost\t", "10.0.0.1"}) {
    EXPECT_FALSE(own.contains(host)) << host;
  }
}

TEST(HostNames, NameThatTheServerListensOnIsAnswered) {
  const HostNames own = names("build-host", true);
  EXPECT_TRUE(own.contains("build-host:8080"));
  EXPECT_FALSE(own.contains("other-host:8080"));
}

TEST(HostNames, ReachableServerAnswersForAllUntilNamesAreGiven) {
  EXPECT_TRUE(names("0.0.0.0", false).contains("anything at all"));
  const HostNames given = names("0.0.0.0", false, {"hud.example.org"});
  EXPECT_TRUE(given.contains("HUD.example.org:443"));
  EXPECT_TRUE(given.contains("localhost"));
  EXPECT_FALSE(given.contains("evil.example"));
}

TEST(HostNames, RejectsAllowedNamesThatAreNone) {
  for (const char* text : {"", ".", "a:80", "http://a", "a/b", "[::1", "*.example.org"}) {
    EXPECT_FALSE(HostNames::make("127.0.0.1", true, std::vector<std::string>{text})) << text;
  }
}

}  // namespace
}  // namespace benchhud::server
