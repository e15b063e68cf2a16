#include "core/amd/optimise/pack_words.h"

#include <string>

#include "core/amd/optimise/testing.h"
#include "core/lir/build.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

Word Of(uint32_t value, bool high = false) {
  return {lir::ValueOperand(lir::ValueId(value), 0), high};
}
Word Constant(uint32_t bits) { return {lir::ImmOperand(bits, 0), false}; }

class PackWordsTest : public ::testing::Test {
 protected:
  PackWordsTest() : f_(testing::Parsed("block b0 depth 0\n  end\n")), packer_(f_) {
    packer_.SetSpirvId(7);
  }
  // Returns the list as the text of a block.
  std::string Made() {
    f_.blocks[0].insts = packer_.order();
    return testing::BlocksText(f_);
  }

  lir::Function f_;
  WordPacker packer_;
};

TEST_F(PackWordsTest, WordsOfOneDwordNeedNothing) {
  const PackedSource s = packer_.SourceOf(Of(0, true), Of(0), true);
  EXPECT_EQ(s.dword.id, 0u);
  EXPECT_TRUE(s.low_is_high);
  EXPECT_FALSE(s.high_is_high);
  EXPECT_FALSE(packer_.made_any());
}

TEST_F(PackWordsTest, FloatsArePackedAsFloats) {
  const PackedSource s = packer_.SourceOf(Of(0, true), Of(1), true);
  EXPECT_FALSE(s.low_is_high);
  EXPECT_TRUE(s.high_is_high);
  EXPECT_TRUE(packer_.made_any());
  const std::string text = Made();
  EXPECT_NE(text.find("v_pack_b32_f16 %0:b32 %1:b32 {w32 [op_sel 1] id 7}"), std::string::npos)
      << text;
}

TEST_F(PackWordsTest, BitsArePermuted) {
  packer_.SourceOf(Of(0), Of(1, true), false);
  packer_.PackedBits(Of(0, true), Of(4));  // a scalar
  const std::string text = Made();
  EXPECT_NE(text.find("v_perm_b32 %1:b32 %0:b32 #0x7060100:b32"), std::string::npos) << text;
  EXPECT_NE(text.find("v_copy %4:b32"), std::string::npos) << text;
  EXPECT_NE(text.find("%0:b32 #0x5040302:b32"), std::string::npos) << text;
}

TEST_F(PackWordsTest, TwoWordsArePackedOnceInAList) {
  const PackedSource first = packer_.SourceOf(Of(0), Of(1), true);
  EXPECT_EQ(packer_.SourceOf(Of(0), Of(1), true).dword.id, first.dword.id);
  EXPECT_NE(packer_.SourceOf(Of(0), Of(1), false).dword.id, first.dword.id) << "other bits of NaNs";
  EXPECT_NE(packer_.SourceOf(Of(1), Of(0), true).dword.id, first.dword.id);
  EXPECT_EQ(packer_.order().size(), 3u);
  packer_.Start();
  EXPECT_TRUE(packer_.order().empty());
  EXPECT_NE(packer_.SourceOf(Of(0), Of(1), true).dword.id, first.dword.id);
}

TEST_F(PackWordsTest, ConstantsAreOneImmediate) {
  const PackedSource two = packer_.SourceOf(Constant(0x3b33), Constant(0x3c00), true);
  EXPECT_EQ(two.dword.id, 0x3c003b33u);
  EXPECT_TRUE(two.high_is_high && !two.low_is_high);
  const PackedSource equal = packer_.SourceOf(Constant(0x3c00), Constant(0x3c00), true);
  EXPECT_EQ(equal.dword.id, 0x3c00u);
  EXPECT_FALSE(equal.high_is_high || equal.low_is_high);
  EXPECT_EQ(packer_.SourceOf(Constant(0xfff0), Constant(0xfff0), false).dword.id, 0xfffffff0u);
  EXPECT_EQ(packer_.SourceOf(Constant(0xffef), Constant(0xffef), false).dword.id, 0xffefu)
      << "no inline constant";
  EXPECT_FALSE(packer_.made_any());
}

TEST_F(PackWordsTest, ListsHaveInstructionsOfOthers) {
  packer_.Append(lir::InstId(0));
  EXPECT_EQ(packer_.order().size(), 1u);
  EXPECT_FALSE(packer_.made_any());
}

}  // namespace
}  // namespace kiln::amd
