#include "server/api/api_contract.h"

#include <gtest/gtest.h>

#include "schema/model/contract.h"
#include "server/routes/route_tables.h"

namespace benchhud::server {
namespace {

class Contract : public testing::Test {
 protected:
  /// The parameter that is wrong with an address below /api/v1, "" if none is.
  std::string fault(const std::string& target) {
    query_ = Query();
    const auto address = parse_address(target);
    const auto* operation = contract_.find("GET", address.segments, &query_);
    if (operation == nullptr) return "no such address";
    const auto wrong = ApiContract::check(*operation, address, &query_);
    return wrong ? wrong->parameter : "";
  }
  const ApiContract contract_{schema::openapi_document()};
  Query query_;
};

TEST_F(Contract, EveryOperationHasARoute) {
  EXPECT_GE(contract_.operations().size(), 23U);
  for (const auto& operation : contract_.operations()) {
    const bool reads = operation.method == "GET";
    EXPECT_EQ(all_routes().route(operation.id) != nullptr, reads) << operation.id;
    // A session is the application's own: it changes what a browser holds. So are files: they are
    // read in pieces.
    const bool changes = !reads && operation.segments.front() != "session" && !operation.takes_file;
    EXPECT_EQ(all_routes().change(operation.id) != nullptr, changes) << operation.id;
    EXPECT_TRUE(!(changes || operation.takes_file) ||
                (operation.scope && *operation.scope != schema::Scope::kRead))
        << operation.id << " takes a token that is for it";
  }
  EXPECT_EQ(all_routes().route("nothing"), nullptr);
}

TEST(ContractDocument, AnOperationMayHaveNoParametersAndTakeFiles) {
  const ApiContract contract(R"({"paths": {"/a/b": {
    "get": {"operationId": "x", "responses": {}},
    "post": {"operationId": "y", "responses": {}, "requestBody": {"content": {"application/octet-stream": {}}}}}}})");
  Query query;
  const Operation* read = contract.find("GET", {"a", "b"}, &query);
  ASSERT_NE(read, nullptr);
  EXPECT_TRUE(read->parameters.empty());
  EXPECT_FALSE(read->takes_file);
  EXPECT_TRUE(contract.find("POST", {"a", "b"}, &query)->takes_file);
}

TEST_F(Contract, AddressesAreFoundAndTheirParametersRead) {
  EXPECT_EQ(fault("/runs/a%2Fb/results/7"), "");
  EXPECT_EQ(query_.text("run"), "a/b");
  EXPECT_EQ(query_.integer("experiment"), 7);
  EXPECT_EQ(fault("/runs/a/b"), "no such address");
  EXPECT_EQ(fault("/verification/history"), "");
}

TEST_F(Contract, DefaultsAreFilledIn) {
  EXPECT_EQ(fault("/runs/latest/models"), "");
  EXPECT_EQ(query_.text("baseline"), "inductor");
  EXPECT_EQ(query_.text("baseline_run"), "same");
  EXPECT_FALSE(query_.boolean("verified_only"));
  EXPECT_EQ(fault("/runs"), "");
  EXPECT_EQ(query_.size("limit"), 100U);
  EXPECT_FALSE(query_.has("cursor"));
}

TEST_F(Contract, WhatDoesNotFitIsNamed) {
  EXPECT_EQ(fault("/runs?limit=0"), "limit");
  EXPECT_EQ(fault("/runs?limit=1&limit=1"), "limit");
  EXPECT_EQ(fault("/runs?limit="), "limit");
  EXPECT_EQ(fault("/runs?limit=1e2"), "limit");
  EXPECT_EQ(fault("/runs?since=x"), "since");
  EXPECT_EQ(fault("/runs?label=:x"), "label");
  EXPECT_EQ(fault("/runs?label=a:b:c"), "");
  EXPECT_EQ(fault("/runs?other=1"), "other");
  EXPECT_EQ(fault("/runs?=1"), "") << "a name of nothing is unknown, and there is nothing to name";
  EXPECT_EQ(fault("/runs/x/results/1?run=y"), "run") << "it stands in the path";
  EXPECT_EQ(fault("/series?suite=a&model=b"), "test");
}

TEST_F(Contract, RepeatedParametersAreBounded) {
  std::string target = "/results?model=0";
  for (int i = 1; i < 100; ++i) target += "&model=" + std::to_string(i);
  EXPECT_EQ(fault(target), "");
  EXPECT_EQ(query_.texts("model").size(), 100U);
  EXPECT_EQ(fault(target + "&model=x"), "model");
}

TEST_F(Contract, EqualQuestionsHaveOneText) {
  EXPECT_EQ(fault("/runs?limit=5&since=2025-01-01"), "");
  const auto one = query_.canonical();
  EXPECT_EQ(fault("/runs?since=2025-01-01&limit=5&format=json"), "");
  EXPECT_EQ(query_.canonical(), one);
  EXPECT_EQ(fault("/runs?since=2025-01-01&limit=6"), "");
  EXPECT_NE(query_.canonical(), one);
}

}  // namespace
}  // namespace benchhud::server
