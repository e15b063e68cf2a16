// Captures of several files.
#include "client/capture/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "client/capture/testing.h"

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CaptureBase, IsTheNameWithoutANumber) {
  EXPECT_EQ(CaptureBase("a/b.foz"), "a/b.foz");
  EXPECT_EQ(CaptureBase("a/b.1.foz"), "a/b.foz");
  EXPECT_EQ(CaptureBase("a/b.x.12.foz"), "a/b.x.foz");
  EXPECT_EQ(CaptureBase("a/b.x.foz"), "a/b.x.foz");
  EXPECT_EQ(CaptureBase("a/.1.foz"), "a/.1.foz");
  EXPECT_EQ(CaptureBase("b.1.txt"), "b.1.txt");
}

TEST(Capture, ResolvesAcrossItsFiles) {
  const auto capture = Capture::Open(FormPath("split.foz"));
  ASSERT_TRUE(capture.ok()) << capture.status();
  EXPECT_THAT((*capture)->pipelines(), ElementsAre(PipelineId{FozTag::kComputePipeline, 0x20},
                                                   PipelineId{FozTag::kComputePipeline, 0x21}));
  EXPECT_TRUE((*capture)->Module(0x10).ok()) << (*capture)->Module(0x10).status();
  // Damaged in the first file.
  EXPECT_TRUE((*capture)->Module(0x12).ok()) << (*capture)->Module(0x12).status();
  EXPECT_TRUE(absl::IsNotFound((*capture)->Module(0x11).status()));
}

TEST(Capture, MayLackItsFirstFile) {
  const std::string folder = testing::TempDir() + "/numbered";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(FormPath("split.2.foz"), folder + "/c.7.foz");
  const auto capture = Capture::Open(folder + "/c.foz");
  ASSERT_TRUE(capture.ok()) << capture.status();
  EXPECT_TRUE((*capture)->Module(0x10).ok());
}

TEST(Capture, SortsPipelinesByKindAndHash) {
  const auto capture = Capture::Open(FormPath("kinds.foz"));
  ASSERT_TRUE(capture.ok()) << capture.status();
  std::vector<std::string> names;
  for (const PipelineId& id : (*capture)->pipelines()) names.push_back(id.Name());
  EXPECT_THAT(names, ElementsAre("graphics/0000000000000040", "graphics/0000000000000041",
                                 "graphics/0000000000000042", "graphics/0000000000000043",
                                 "compute/0000000000000020", "ray_tracing/0000000000000050"));
}

TEST(Capture, EveryFormOfAModuleIsTheSameCode) {
  const auto capture = Capture::Open(FormPath("kinds.foz"));
  ASSERT_TRUE(capture.ok()) << capture.status();
  const auto first = (*capture)->Module(0x10);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->size(), 24u);
  EXPECT_EQ(first->substr(20), "\xff\xff\xff\xff");
  for (const uint64_t hash : {0x11, 0x12, 0x13}) {
    const auto other = (*capture)->Module(hash);
    ASSERT_TRUE(other.ok()) << other.status();
    EXPECT_EQ(*other, *first) << hash;
  }
}

TEST(Capture, EveryWrongModuleIsNamed) {
  const auto capture = Capture::Open(FormPath("payloads.foz"));
  ASSERT_TRUE(capture.ok()) << capture.status();
  for (uint64_t hash = 1; hash <= 0x13; ++hash) {
    const auto module = (*capture)->Module(hash);
    EXPECT_TRUE(absl::IsDataLoss(module.status())) << hash << " " << module.status();
  }
}

TEST(Capture, TellsWhichFileIsCut) {
  const auto capture = Capture::Open(FormPath("cut.foz"));
  ASSERT_TRUE(capture.ok()) << capture.status();
  EXPECT_THAT((*capture)->trouble(), HasSubstr("cut.foz: the last entry is cut short"));
}

TEST(Capture, AMissingFileIsAnError) {
  EXPECT_TRUE(absl::IsNotFound(Capture::Open(FormPath("none.foz")).status()));
}

}  // namespace
}  // namespace kiln::client
