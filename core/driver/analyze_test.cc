// The analysis of a target is found by its row; core/intel/pipeline/analyze_test.cc tests it.
#include "core/driver/analyze.h"

#include "gtest/gtest.h"

namespace kiln {
namespace {

TEST(Analyze, IsThatOfTheTarget) {
  const absl::StatusOr<Analysis> zeros = Analyze(Target::kTgl, std::vector<uint8_t>(64, 0));
  ASSERT_TRUE(zeros.ok()) << zeros.status();
  EXPECT_EQ(zeros->statistics.At("bytes"), 64);
  EXPECT_EQ(zeros->opcodes, (std::vector<std::pair<std::string, int64_t>>{{"illegal", 4}}));
}

TEST(Analyze, OtherBytesAreAnError) {
  const auto error = [](size_t bytes, uint8_t byte) {
    return Analyze(Target::kTgl, std::vector<uint8_t>(bytes, byte)).status();
  };
  EXPECT_EQ(error(16, 0xff).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(error(16, 0xff).message().find("offset 0: no opcode has the code "), 0u)
      << error(16, 0xff);
  EXPECT_EQ(error(7, 0), absl::InvalidArgumentError("offset 0: truncated instruction"));
}

TEST(Analyze, ModesAreThoseOfTheTarget) {
  ASSERT_EQ(AnalysisSwitches().size(), 2u);
  const std::string name(AnalysisSwitches()[0].name);
  EXPECT_TRUE(CheckAnalysis(Target::kTgl, {.switches = {name}}).ok());
  EXPECT_EQ(CheckAnalysis(Target::kTgl, {.switches = {name, "other"}}).message(),
            "--other: the analysis of tgl has no such mode");
}

}  // namespace
}  // namespace kiln
