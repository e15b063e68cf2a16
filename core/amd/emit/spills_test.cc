// Spills at the edges of what an instruction reaches: of an offset, of a register's lanes.
#include <string>
#include <string_view>
#include <vector>

#include "core/amd/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::EmitLine;

// Emits one operation of a function in which two vector registers from v9 on hold scalars.
std::vector<std::string> WithLanes(uint8_t width, std::string_view line) {
  std::string text = "reserved v at 9 units 2 spilled s\nblock b0 depth 0\n";
  text += line;
  text += "\nend\n";
  return testing::Lines(testing::EmitText(text, width));
}

// The first four of five dwords are one access.
TEST(SpillsTest, FourDwordsAreOneAccess) {
  EXPECT_EQ(EmitLine("scratch_store %v4x5 #0x0"),
            "scratch_store_dwordx4 off, v[4:7], off; scratch_store_dword off, v8, off offset:16");
  EXPECT_EQ(EmitLine("%v4x3 = scratch_load #0x1"),
            "scratch_load_dwordx3 v[4:6], off, off offset:4");
}

// The last dword decides: an access whose first dwords are in reach goes through the register too.
TEST(SpillsTest, TheLastDwordMustBeInReach) {
  EXPECT_EQ(EmitLine("%v4x2 = scratch_load #0x1fe"),
            "scratch_load_dwordx2 v[4:5], off, off offset:2040");
  EXPECT_EQ(EmitLine("%v4x2 = scratch_load #0x1ff"),
            "s_movk_i32 s104, 2044; scratch_load_dwordx2 v[4:5], off, s104");
}

TEST(SpillsTest, WholeWaveValuesAreStoredInAllLanes) {
  EXPECT_EQ(EmitLine("scratch_store %w4 #0x3 {nomask}"),
            "s_mov_b32 s104, exec_lo; s_mov_b32 exec_lo, -1; "
            "scratch_store_dword off, v4, off offset:12; s_mov_b32 exec_lo, s104");
}

// A pair may lie in the last lane of one register and the first of the next.
TEST(SpillsTest, SlotsGoOnInTheNextRegister) {
  const std::vector<std::string> written = WithLanes(32, "write_lanes %p4 #0x1f {nomask}");
  ASSERT_GE(written.size(), 2u);
  EXPECT_EQ(written[0], "v_writelane_b32 v9, s4, 31");
  EXPECT_EQ(written[1], "v_writelane_b32 v10, s5, 0");
}

TEST(SpillsTest, AMaskIsMergedIntoItsSlot) {
  const std::vector<std::string> lines = WithLanes(64, "%m6 = merge_lanes %m4 #0x2");
  ASSERT_GE(lines.size(), 7u);
  EXPECT_EQ(lines[0], "v_readlane_b32 s6, v9, 2");
  EXPECT_EQ(lines[1], "v_readlane_b32 s7, v9, 3");
  EXPECT_EQ(lines[5], "v_writelane_b32 v9, s6, 2");
  EXPECT_EQ(lines[6], "v_writelane_b32 v9, s7, 3");
}

TEST(SpillsTest, ASlotBeyondTheReservedRegistersIsAnError) {
  EXPECT_EQ(WithLanes(64, "%s4 = read_lanes #0x80 {nomask}")[0],
            "emission of read_lanes (id 0): no lane is reserved for slot 128");
}

}  // namespace
}  // namespace kiln::amd
