#include "core/amd/pipeline/read_code.h"

#include "core/amd/perf/testing.h"
#include "core/amd/pipeline/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// The size of waves is what the record says, the caller, or the code, in this order.
TEST(ReadCode, KnowsTheSizeOfWaves) {
  testing::StoreProgram p = testing::MakeStoreProgram(7);
  EXPECT_EQ(ReadCode(p.code, nullptr, false)->wave, isa::Wave::k32);
  EXPECT_EQ(ReadCode(p.code, nullptr, true)->wave, isa::Wave::k64);
  EXPECT_FALSE(ReadCode(p.code, nullptr, false)->recorded.has_value());
  const auto recorded = ReadCode(p.code, &p.record, false);
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  EXPECT_EQ(recorded->wave, isa::Wave::k32);
  EXPECT_TRUE(recorded->recorded.has_value());
  EXPECT_EQ(ReadCode(p.code, &p.record, true).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

// Data that the record says to follow the code are not decoded.
TEST(ReadCode, EndsWhereTheRecordSays) {
  testing::StoreProgram p = testing::MakeStoreProgram(7);
  const size_t instructions = ReadCode(p.code, nullptr, false)->program.size();
  p.code.insert(p.code.end(), 8, 0xff);
  EXPECT_FALSE(ReadCode(p.code, nullptr, false).ok());
  EXPECT_EQ(ReadCode(p.code, &p.record, false)->program.size(), instructions);
}

}  // namespace
}  // namespace kiln::amd
