#include "ingest/results/manifest_csv.h"

#include <gtest/gtest.h>

#include <string>

namespace benchhud::ingest {
namespace {

std::string texts_of(std::string_view text) {
  const auto read = read_manifest(text);
  if (!read) return "error: " + read.error().message;
  std::string all;
  for (const auto& one : *read) {
    all += one.suite + "/" + one.model + "/" + one.test + "/" + one.backend + "\n";
  }
  return all;
}

TEST(ManifestCsv, EveryCombinationOfARow) {
  EXPECT_EQ(texts_of("suite,model,test,backend\r\n"
                     "torchbench,vgg16 | resnet50,inference,inductor|openxla+dynamo\n"),
            "torchbench/resnet50/eval/inductor\ntorchbench/resnet50/eval/openxla+dynamo\n"
            "torchbench/vgg16/eval/inductor\ntorchbench/vgg16/eval/openxla+dynamo\n");
}

TEST(ManifestCsv, ColumnsInAnyOrderEachResultOnce) {
  EXPECT_EQ(texts_of("\xEF\xBB\xBF# ours\n\nwhy,backend,test,model,suite\n"
                     "x,eager,training,\"a,b\",t\n# more\nx,eager,train,\"a,b\",t"),
            "t/a,b/train/eager\n");
}

TEST(ManifestCsv, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_EQ(texts_of(""), "error: there is no result in it");
  EXPECT_EQ(texts_of("suite,model,test,backend\n"), "error: there is no result in it");
  EXPECT_EQ(texts_of("suite,model,test\na,b,c"),
            "error: line 1: there is no column \"backend\"; a manifest has suite, model, test and "
            "backend");
  EXPECT_EQ(texts_of("suite,suite,model,test,backend\n"),
            "error: line 1: there are two columns \"suite\"");
  EXPECT_EQ(texts_of("suite,model,test,backend\na,b,eval\n"), "error: line 2: there is no backend");
  EXPECT_EQ(texts_of("suite,model,test,backend\n\na,b||c,eval,x\n"),
            "error: line 3: an empty model");
  EXPECT_EQ(texts_of("suite,model,test,backend\na,\"b,eval,x\n"),
            "error: line 2: a quote that does not close");
  EXPECT_EQ(texts_of("suite,model,test,backend\na,\"b\"c,eval,x\n"),
            "error: line 2: there is something behind a closing quote");
}

TEST(ManifestCsv, CombinationsAreBounded) {
  std::string many = "m";
  for (int i = 0; i < 1100; ++i) many += "|m";
  const auto read =
      read_manifest("suite,model,test,backend\n" + many + "," + many + "," + many + "," + many);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, schema::ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace benchhud::ingest
