// Tests statistics of generated code: made and served apart, by tier and stage, bounded.
#include "server/metrics/code_statistics.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <string>

namespace kiln::metrics {
namespace {

cache::ResultTag Tag(const char* stage, uint8_t spilling = 0) {
  return {1, cache::StageIndex(stage), 2, spilling, 30, 400, spilling * 5u, 60};
}

std::string Text(const CodeStatistics& code) {
  return prometheus::TextSerializer().Serialize(code.Collect());
}

bool Has(const CodeStatistics& code, const std::string& line) {
  return Text(code).find("\n" + line + "\n") != std::string::npos;
}

TEST(CodeStatisticsTest, MadeAndServedAreApart) {
  CodeStatistics code({"tgl", "other"}, {"compute", "fragment"});
  EXPECT_EQ(Text(code).find("target="), std::string::npos) << "no series before there are results";
  code.Made(0, Tag("fragment", 1));
  for (int i = 0; i < 3; ++i) code.Served(0, CodeStatistics::Tier::kMemory, Tag("fragment", 1));
  const std::string of = "{target=\"tgl\",stage=\"fragment\",results=";
  EXPECT_TRUE(Has(code, "kiln_code_variants_total" + of + "\"made\"} 2"));
  EXPECT_TRUE(Has(code, "kiln_code_variants_total" + of + "\"served\"} 6"));
  EXPECT_TRUE(Has(code, "kiln_code_instructions_total" + of + "\"served\"} 90"));
  EXPECT_TRUE(Has(code, "kiln_code_bytes_total" + of + "\"made\"} 400"));
  EXPECT_TRUE(Has(code, "kiln_code_spills_total" + of + "\"served\"} 15"));
  EXPECT_TRUE(Has(code, "kiln_code_spilling_variants_total" + of + "\"served\"} 3"));
  EXPECT_TRUE(Has(code, "kiln_code_registers_total" + of + "\"made\"} 60"));
  const std::string origin = "kiln_code_results_total{target=\"tgl\",stage=\"fragment\",cache=";
  EXPECT_TRUE(Has(code, origin + "\"memory\"} 3"));
  EXPECT_TRUE(Has(code, origin + "\"disk\"} 0"));
}

TEST(CodeStatisticsTest, AStageThatWasNotAnnouncedIsOther) {
  CodeStatistics code({"tgl", "other"}, {"compute"});
  code.Served(1, CodeStatistics::Tier::kMiss, Tag("mesh"));
  code.Served(1, CodeStatistics::Tier::kMiss, Tag("no such stage"));
  const std::string line = "{target=\"other\",stage=\"other\",cache=\"miss\"} 2";
  EXPECT_TRUE(Has(code, "kiln_code_results_total" + line));
}

TEST(CodeStatisticsTest, AResultWithoutCodeHasNoFigures) {
  CodeStatistics code({"tgl"}, {"compute"});
  code.Made(0, {.status = 2});
  code.Served(0, CodeStatistics::Tier::kDisk, {.status = 2});
  EXPECT_EQ(Text(code).find("results="), std::string::npos);
  EXPECT_TRUE(
      Has(code, "kiln_code_results_total{target=\"tgl\",stage=\"other\",cache=\"disk\"} 1"));
}

}  // namespace
}  // namespace kiln::metrics
