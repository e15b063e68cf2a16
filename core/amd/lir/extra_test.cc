#include "core/amd/lir/extra.h"

#include <string>
#include <string_view>

#include "core/lir/lir.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

TEST(ExtraTest, TextNamesTheFieldsThatAreNotZero) {
  EXPECT_EQ(PrintExtra(lir::RowOf(Extra())), "");
  Extra extra;
  extra.offset = 16;
  extra.cache = kGlc | kDlc;
  extra.dmask = 15;
  EXPECT_EQ(PrintExtra(lir::RowOf(extra)), "offset 16 cache 5 dmask 15");
}

// Every byte of the record belongs to a field that the text has.
TEST(ExtraTest, TextIsExactBothWays) {
  for (size_t at = 0; at < sizeof(Extra); ++at) {
    lir::SideRow row;
    reinterpret_cast<unsigned char*>(row.words.data())[at] = 0x81;
    lir::SideRow read;
    ASSERT_TRUE(ParseExtra(PrintExtra(row), &read)) << at;
    EXPECT_EQ(read, row) << "byte " << at << ": " << PrintExtra(row);
  }
}

TEST(ExtraTest, RefusesOtherText) {
  lir::SideRow row;
  for (const std::string_view bad : {"offset", "offset x", "colour 1", "dmask 256", "simm 65536"}) {
    EXPECT_FALSE(ParseExtra(bad, &row)) << bad;
  }
}

}  // namespace
}  // namespace kiln::amd
