// Addresses of buckets, answers of object stores, credentials. Requests themselves are tested by
// tests/integration/places.test.mjs.

#include "schema/places/s3_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "schema/places/aws_credentials.h"
#include "schema/places/s3_address.h"
#include "schema/places/s3_answers.h"
#include "schema/places/xml_answer.h"

namespace benchhud::schema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(S3Address, SaysWhereObjectsAre) {
  unsetenv("AWS_REGION");
  unsetenv("AWS_DEFAULT_REGION");
  const auto url = [](std::string_view text) {
    const auto address = parse_s3_address(text);
    return address ? address->base_url() + address->prefix : address.error().message;
  };
  EXPECT_EQ(url("s3://bucket"), "https://bucket.s3.us-east-1.amazonaws.com/");
  EXPECT_EQ(url("s3://bucket/team/a/"), "https://bucket.s3.us-east-1.amazonaws.com/team/a/");
  EXPECT_EQ(url("s3://bucket?region=eu-west-1"), "https://bucket.s3.eu-west-1.amazonaws.com/");
  EXPECT_EQ(url("s3://my.bucket/a"), "https://s3.us-east-1.amazonaws.com/my.bucket/a/");
  EXPECT_EQ(url("s3://bucket?endpoint=http://[::1]:9000/"), "http://[::1]:9000/bucket/");
  EXPECT_EQ(url("s3://bucket/a?endpoint=https%3A%2F%2Fs3.example%3A9000&path_style=false"),
            "https://bucket.s3.example:9000/a/");
  setenv("AWS_DEFAULT_REGION", "us-west-2", 1);
  EXPECT_EQ(url("s3://bucket"), "https://bucket.s3.us-west-2.amazonaws.com/");
  EXPECT_EQ(url("s3://bucket?region=eu-west-1"), "https://bucket.s3.eu-west-1.amazonaws.com/");
  setenv("AWS_DEFAULT_REGION", "evil.example/", 1);
  EXPECT_EQ(url("s3://bucket"), "https://bucket.s3.us-east-1.amazonaws.com/");
  unsetenv("AWS_DEFAULT_REGION");
}

TEST(S3Address, HasOneForm) {
  for (const char* text :
       {"s3://bucket", "s3://bucket/team/a", "s3://bucket?region=eu-west-1",
        "s3://bucket/a?endpoint=https://host:9000&region=x", "s3://my.bucket?path_style=false",
        "s3://bucket?endpoint=http://host&path_style=false"}) {
    const auto address = parse_s3_address(text);
    ASSERT_TRUE(address) << address.error().message;
    EXPECT_EQ(address->text(), text);
  }
  EXPECT_EQ(parse_s3_address("s3://bucket/a//?path_style=false&region=r")->text(),
            "s3://bucket/a?region=r");
}

TEST(S3Address, IsRefusedWithTheReason) {
  const std::vector<std::pair<const char*, const char*>> wrong = {
      {"s3:/bucket", "does not begin with s3://"},
      {"s3://", "no name of a bucket"},
      {"s3://ab", "no name of a bucket"},
      {"s3://Bucket", "no name of a bucket"},
      {"s3://bucket:80", "no name of a bucket"},
      {"s3://a..b", "no name of a bucket"},
      {"s3://-ab", "no name of a bucket"},
      {"s3://key:secret@bucket", "may hold no credentials"},
      {"s3://bucket/../other", "cannot be the beginning of keys"},
      {"s3://bucket/a b", "cannot be the beginning of keys"},
      {"s3://bucket?endpoint=ftp://host", "no http(s):// URL"},
      {"s3://bucket?endpoint=https://user:pass@host", "may hold no credentials"},
      {"s3://bucket?endpoint=https://host/path", "more or less than"},
      {"s3://bucket?endpoint=https://", "more or less than"},
      {"s3://bucket?endpoint=https://host:99999", "more or less than"},
      {"s3://bucket?endpoint=https://host:port", "more or less than"},
      {"s3://bucket?endpoint=https://:9000", "more or less than"},
      {"s3://bucket?endpoint=http://[::1", "more or less than"},
      {"s3://bucket?endpoint=%zz", "two hexadecimal digits"},
      {"s3://bucket?endpoint=%4", "two hexadecimal digits"},
      {"s3://bucket?region=a/b", "region that is no name"},
      {"s3://bucket?path_style=yes", "neither true nor false"},
      {"s3://bucket?secret=x", "unknown part \"secret\""},
      {"s3://bucket?region", "without a value"},
  };
  for (const auto& [text, why] : wrong) {
    const auto address = open_place(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_THAT(address.error().message, HasSubstr(why)) << text;
  }
}

TEST(XmlAnswer, GivesEachElementWithItsPathAndText) {
  std::vector<std::string> seen;
  const auto read = read_xml("<a xmlns:x=\"u\"><x:b>1 &lt; 2</x:b><b/>t<c><d>&#65;</d></c></a>",
                             [&](std::string_view path, const std::string& text) {
                               seen.push_back(std::string(path) + "=" + text);
                               return Expected<void>();
                             });
  ASSERT_TRUE(read);
  EXPECT_THAT(seen, ElementsAre("a/b=1 < 2", "a/b=", "a/c/d=A", "a/c=", "a=t"));
}

TEST(XmlAnswer, EndsWithTheVisitorsError) {
  int visited = 0;
  const auto read = read_xml("<a><b/><c/></a>", [&](std::string_view, const std::string&) {
    ++visited;
    return Expected<void>(Error{ErrorCode::kBusy, "enough"});
  });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "enough");
  EXPECT_EQ(visited, 1);
}

TEST(XmlAnswer, IsEndedByWhatTheVisitorThrows) {
  int visited = 0;
  const auto read =
      read_xml("<a><b/><c/></a>", [&](std::string_view, const std::string&) -> Expected<void> {
        ++visited;
        throw std::bad_alloc();
      });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kNoMemory);
  EXPECT_EQ(visited, 1);
}

TEST(S3Answers, AnErrorOfAnotherFormIsEmpty) {
  EXPECT_EQ(read_s3_error("<Error><Code>NoSuchKey</Code></Error>").code, "NoSuchKey");
  EXPECT_EQ(read_s3_error("<Error><Code>not a name</Code></Error>").code, "");
  for (const char* body : {"", "<html><Code>NoSuchKey</Code></html>", "<Error><Code>NoSuchKey"}) {
    EXPECT_EQ(read_s3_error(body).code, "") << body;
  }
}

TEST(S3Answers, AnObjectTakesNothingFromTheOneBefore) {
  const auto list = read_s3_list(
      "<ListBucketResult><Contents><Key>a</Key><Size>1</Size>"
      "<LastModified>2026-01-01T00:00:00Z</LastModified></Contents>"
      "<Contents><Key>b</Key></Contents></ListBucketResult>");
  ASSERT_FALSE(list);
  EXPECT_THAT(list.error().message, HasSubstr("lacks its key, size or time"));
}

TEST(AwsCredentials, AreNotShown) {
  AwsKeys keys;
  EXPECT_EQ(keys.redacted("nothing to hide"), "nothing to hide");
  keys.secret = "a/b+c";
  keys.token = "……";
  EXPECT_EQ(keys.redacted("a/b+c, a/b+ca/b+c, a%2Fb%2Bc"), "…, ……, …");
  EXPECT_EQ(keys.redacted("a/b+"), "a/b+");
}

TEST(AwsCredentials, OfAServiceHoldNoSecretsInMessages) {
  for (const char* json :
       {"{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s3cret\",\"Expiration\":\"soon\"}",
        "{\"AccessKeyId\":\"\",\"SecretAccessKey\":\"s3cret\"}", "{\"SecretAccessKey\":\"s3cret\"}",
        "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s3cret\",\"Token\":\"a\\r\\nb\"}",
        "[\"s3cret\"]", "\"s3cret", ""}) {
    const auto keys = read_service_keys(json);
    ASSERT_FALSE(keys) << json;
    EXPECT_THAT(keys.error().message, Not(HasSubstr("s3cret")));
  }
  const auto keys = read_service_keys(
      "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"b\",\"Expiration\":\"1970-01-01T00:01:00Z\"}");
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->expires, 60);
}

}  // namespace
}  // namespace benchhud::schema
