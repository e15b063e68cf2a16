// Stores by the first lane, as text and in the simulator; the lane's number.
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/amd/emit/testing.h"
#include "core/amd/lir/lanes.h"
#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

std::string Line(const StoreAux& aux, bool two) {
  return absl::StrCat("lane_store %v2 %v5", two ? " %v6" : "", " {aux ", aux.Pack(), "}");
}

TEST(EmitWorkgroupScans, OneAndTwoValues) {
  using testing::EmitLine;
  EXPECT_EQ(EmitLine(Line({.offset = 9, .bytes = 1}, false)),
            "s_mov_b32 s104, exec_lo; s_mov_b32 exec_lo, 1; ds_write_b8 v2, v5 offset:9; "
            "s_mov_b32 exec_lo, s104");
  EXPECT_EQ(
      EmitLine(Line({.offset = 9, .stride_dwords = 2, .bytes = 1, .whole_wave = true}, true), 64),
      "s_mov_b64 exec, 1; ds_write_b8 v2, v5 offset:9; ds_write_b8 v2, v6 offset:17; "
      "s_mov_b64 exec, -1");
  EXPECT_EQ(EmitLine(Line({.offset = 8, .stride_dwords = 4, .whole_wave = true}, true)),
            "s_mov_b32 exec_lo, 1; ds_write2_b32 v2, v5, v6 offset0:2 offset1:6; "
            "s_mov_b32 exec_lo, -1");
  EXPECT_EQ(EmitLine(Line({.offset = 1020, .stride_dwords = 4, .whole_wave = true}, true)),
            "s_mov_b32 exec_lo, 1; ds_write_b32 v2, v5 offset:1020; "
            "ds_write_b32 v2, v6 offset:1036; s_mov_b32 exec_lo, -1");
}

TEST(EmitWorkgroupScans, TheLanesNumber) {
  EXPECT_EQ(testing::EmitLine("%v1 = lane_number", 64), "v_mbcnt_lo_u32_b32 v1, -1, 0");
}

// Each lane has another value; all lanes read what the first stored, and are on again.
TEST(EmitWorkgroupScans, TheFirstLanesValueInAllLanes) {
  for (const uint8_t width : {32, 64}) {
    for (const bool whole : {false, true}) {
      const StoreAux aux = {.offset = 4, .stride_dwords = 1, .whole_wave = whole};
      const auto program = testing::EmitText(
          absl::StrCat("block b0 depth 0\n%v5 = v_add_nc_u32 #0x7 %v0 {[]}\n",
                       "%v6 = v_add_nc_u32 #0x30 %v0 {[]}\n%v2 = v_copy #0x0\n", Line(aux, true),
                       "\n%v8x2 = ds_read_b64 %v2 {[offset 4]}\n",
                       "%v1 = v_lshl_add_u32 %v9 #0x8 %v8 {[]}\n",
                       "%v1 = v_lshl_add_u32 %v0 #0x10 %v1 {[]}\nend\n"),
          width);
      ASSERT_TRUE(program.ok()) << program.status();
      const Binary binary = testing::Compile(*program);
      std::vector<uint32_t> words(binary.instruction_bytes / 4 - 1);
      std::memcpy(words.data(), binary.bytes.data(), binary.instruction_bytes - 4);
      const auto got = sim::rdna2::Lanes({.lanes = width, .body = words, .lds_bytes = 512});
      ASSERT_EQ(got.size(), width);
      for (uint32_t lane = 0; lane < width; ++lane) EXPECT_EQ(got[lane], lane << 16 | 0x3007);
    }
  }
}

}  // namespace
}  // namespace kiln::amd
