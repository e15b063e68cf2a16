// Tests the figures that metrics count of a result: by name, by the older fields, out of range.
#include "server/cache/result_tag.h"

#include <gtest/gtest.h>

#include <string>

#include "kiln/v1/compile.pb.h"
#include "proto/statistics.h"

namespace kiln::cache {
namespace {

TEST(ResultTagTest, SumsFiguresByName) {
  ResultTag tag;
  tag.AddVariant(PackStatistics({{"instructions", 40}, {"waits", 9}, {"vgprs", 7}, {"bytes", 300}})
                     .SerializeAsString());
  tag.AddVariant(
      PackStatistics({{"instructions", 2}, {"spills", 5}, {"registers", 24}, {"bytes", 1}})
          .SerializeAsString());
  EXPECT_EQ(tag.variants, 2);
  EXPECT_EQ(tag.spilling, 1);
  EXPECT_EQ(tag.instructions, 42u);
  EXPECT_EQ(tag.bytes, 301u);
  EXPECT_EQ(tag.spills, 5u);
  EXPECT_EQ(tag.registers, 31u);
}

TEST(ResultTagTest, ReadsTheFieldsOfBeforeThereWereNames) {
  kiln::v1::Statistics statistics;
  statistics.set_instructions(5);
  statistics.set_sends(100);
  statistics.set_spills(2);
  statistics.set_registers(3);
  statistics.set_bytes(80);
  ResultTag tag;
  tag.AddVariant(statistics.SerializeAsString());
  EXPECT_EQ(tag, (ResultTag{0, kOtherStage, 1, 1, 5, 80, 2, 3}));
}

TEST(ResultTagTest, WhatAWorkerSaysStaysInRange) {
  kiln::v1::Statistics statistics;
  statistics.set_instructions(-1);
  ResultTag tag;
  for (int i = 0; i < 300; ++i) tag.AddVariant(statistics.SerializeAsString());
  EXPECT_EQ(tag.variants, 255);
  EXPECT_EQ(tag.instructions, UINT32_MAX);
  tag.AddVariant("no message");
  EXPECT_EQ(StageIndex("no such stage"), kOtherStage);
  EXPECT_EQ(kShaderStages[StageIndex("vertex")].name, "vertex");
}

}  // namespace
}  // namespace kiln::cache
