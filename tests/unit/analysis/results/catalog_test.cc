#include "analysis/results/catalog.h"

#include <gmock/gmock.h>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;

TEST(Catalog, OneConfigurationIsItsBackend) {
  Fleet fleet;
  const auto a = fleet.add("m", "openxla+dynamo");
  const auto b = fleet.add("m", "inductor", 8, R"({"keep_model_data_on_cuda":true})");
  const auto catalog = fleet.catalog();
  EXPECT_EQ(catalog.find(a)->column(), "openxla+dynamo");
  EXPECT_EQ(catalog.find(b)->column(), "inductor");
  EXPECT_EQ(catalog.find(schema::ExperimentId{99}), nullptr);
}

TEST(Catalog, SeveralConfigurationsShowWhatTellsThemApart) {
  Fleet fleet;
  const auto plain = fleet.add("m", "inductor");
  const auto one = fleet.add("m", "inductor", 8, R"({"a":true,"b":"x,y"})");
  const auto two = fleet.add("n", "inductor", 8, R"({"a":true,"c":[1,{"d":":,"}]})");
  const auto catalog = fleet.catalog();
  EXPECT_EQ(catalog.find(plain)->column(), "inductor");
  EXPECT_EQ(catalog.find(one)->column(), "inductor [a=true, b=x,y]");
  EXPECT_EQ(catalog.find(two)->column(), R"(inductor [a=true, c=[1,{"d":":,"}]])");
}

TEST(Catalog, WhatAllConfigurationsHaveIsLeftOut) {
  Fleet fleet;
  const auto one = fleet.add("m", "inductor", 8, R"({"a":true,"b":1})");
  const auto two = fleet.add("m", "inductor", 8, R"({"a":true})");
  const auto catalog = fleet.catalog();
  EXPECT_EQ(catalog.find(one)->column(), "inductor [b=1]");
  EXPECT_EQ(catalog.find(two)->column(), "inductor");
}

TEST(Catalog, PartOfTheExperimentsHasTheColumnsThatItHasAmongAll) {
  Fleet fleet;
  fleet.add("m", "inductor", 8, R"({"a":true,"b":1})");
  fleet.add("m", "inductor", 8, R"({"a":true,"c":2})");
  fleet.add("n", "inductor", 8, R"({"a":true,"b":1})");
  fleet.add("n", "eager");
  const auto all = fleet.catalog();
  for (const CatalogEntry& one : all.entries()) {
    Configurations configurations;
    configurations.add(one.experiment());
    for (const CatalogEntry& other : all.entries()) configurations.add_other(other.experiment());
    CatalogBuilder builder;
    builder.add(one.id(), one.experiment());
    const Catalog part = std::move(builder).finish(&configurations);
    EXPECT_EQ(part.find(one.id())->column(), one.column());
  }
}

TEST(Catalog, ComparablesShareModelTestAndBatchSizeWhateverTheFlags) {
  Fleet fleet;
  const auto a = fleet.add("m", "inductor");
  const auto b = fleet.add("m", "eager", 8, R"({"f":1})");
  const auto c = fleet.add("m", "eager", 16);
  const auto d = fleet.add("m", "eager", 8, "{}", "train");
  const auto unknown = fleet.add("m", "eager", std::nullopt);
  const auto catalog = fleet.catalog();
  EXPECT_EQ(catalog.find(a)->comparable(), catalog.find(b)->comparable());
  EXPECT_NE(catalog.find(a)->comparable(), catalog.find(c)->comparable());
  EXPECT_NE(catalog.find(a)->comparable(), catalog.find(unknown)->comparable());
  EXPECT_EQ(catalog.find(a)->workload(), catalog.find(c)->workload());
  EXPECT_NE(catalog.find(a)->workload(), catalog.find(d)->workload());
}

TEST(Catalog, FindsExperimentsWhereIdsAreMissing) {
  CatalogBuilder builder;
  schema::Experiment experiment;
  const std::vector<std::int64_t> ids = {3, 4, 9, 1'000'000'000'000};
  for (const std::int64_t id : ids) {
    experiment.model = "m" + std::to_string(id);
    builder.add(schema::ExperimentId{id}, experiment);
  }
  const Catalog catalog = std::move(builder).finish();
  for (const std::int64_t id : ids) {
    const CatalogEntry* entry = catalog.find(schema::ExperimentId{id});
    ASSERT_NE(entry, nullptr) << id;
    EXPECT_EQ(entry->experiment().model, "m" + std::to_string(id));
  }
  for (const std::int64_t id : {-1, 0, 2, 5, 8, 10}) {
    EXPECT_EQ(catalog.find(schema::ExperimentId{id}), nullptr) << id;
  }
  EXPECT_EQ(catalog.last_id(), schema::ExperimentId{1'000'000'000'000});
}

TEST(Catalog, OutlivesItsBuilderAndMoves) {
  CatalogBuilder builder;
  schema::Experiment experiment;
  experiment.model = "a model whose name is too long for a string without memory of its own";
  experiment.dynamo = "inductor";
  builder.add(schema::ExperimentId{1}, experiment);
  Catalog first = std::move(builder).finish();
  const Catalog catalog = std::move(first);
  EXPECT_EQ(catalog.entries().front().experiment().model, experiment.model);
  EXPECT_EQ(catalog.entries().front().experiment().dynamo, "inductor");
  EXPECT_EQ(catalog.entries().front().column(), "inductor");
}

TEST(Catalog, IsSortedByModelTestBackendAndBatchSize) {
  Fleet fleet;
  fleet.add("b", "inductor", 8);
  fleet.add("a", "inductor", 16);
  fleet.add("a", "inductor", std::nullopt);
  fleet.add("a", "eager", 32);
  fleet.add("a", "inductor", 2);
  std::vector<std::int64_t> ids;
  const auto catalog = fleet.catalog();
  for (const auto& entry : catalog.entries()) {
    ids.push_back(schema::to_int(entry.id()));
    EXPECT_EQ(&catalog.entries()[catalog.place(entry)], &entry);
  }
  EXPECT_THAT(ids, ElementsAre(4, 3, 5, 2, 1));
}

}  // namespace
}  // namespace benchhud::analysis
