#include "tests/exec/findings.h"

#include "gtest/gtest.h"

namespace kiln::exec {
namespace {

Variant Of(int width, std::vector<uint8_t> code) {
  Variant v;
  v.name = "v";
  v.width = width;
  v.code = std::move(code);
  return v;
}

// s_endpgm; s_branch beyond the end of the program, s_endpgm.
const std::vector<uint8_t> kGood = {0x00, 0x00, 0x81, 0xbf};
const std::vector<uint8_t> kFar = {0x40, 0x00, 0x82, 0xbf, 0x00, 0x00, 0x81, 0xbf};

TEST(Findings, OfGfx1030AreTheRulesThatItsCodeBreaks) {
  EXPECT_EQ(Findings(Target::kGfx1030, Of(32, kGood)), "");
  EXPECT_NE(Findings(Target::kGfx1030, Of(64, kFar)), "");
}

TEST(Findings, CodeOfAnotherTargetDoesNotDecode) {
  EXPECT_NE(Findings(Target::kTgl, Of(8, kGood)), "");
}

}  // namespace
}  // namespace kiln::exec
