// Pseudo operations in the simulator: what each lane gets, with some lanes off.

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/amd/emit/testing.h"
#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// Sets FLAT_SCRATCH to the wave's scratch memory, where the simulator's test program has it.
const std::vector<uint32_t> kScratch = {
    0xbe9403ff, 0x10000000,  // s_mov_b32 s20, 0x10000000
    0x80140614,              // s_add_u32 s20, s20, s6
    0xbe9503ff, 0xffff8000,  // s_mov_b32 s21, 0xffff8000
    0xb994f814,              // s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s20
    0xb995f815,              // s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s21
};

// Runs LIR text and returns v1 of each lane; v0 is the lane.
std::vector<uint32_t> Run(const std::string& text, uint8_t width) {
  const std::string whole =
      absl::StrCat("reserved v at 25 units 2 spilled s\nblock b0 depth 0\n", text, "\nend\n");
  const auto program = testing::EmitText(whole, width);
  EXPECT_TRUE(program.ok()) << program.status();
  if (!program.ok()) return {};
  const Binary binary = testing::Compile(*program);
  if (binary.instruction_bytes < 4) return {};
  std::vector<uint32_t> words = kScratch;
  const size_t first = words.size();
  words.resize(first + binary.instruction_bytes / 4 - 1);
  std::memcpy(&words[first], binary.bytes.data(), binary.instruction_bytes - 4);
  return sim::rdna2::Lanes({.lanes = width, .body = words, .scratch_per_lane = 8192});
}

using Want = std::function<uint32_t(uint32_t)>;

void Expect(const std::string& text, const Want& want) {
  for (uint8_t width : {32, 64}) {
    const std::vector<uint32_t> got = Run(text, width);
    ASSERT_EQ(got.size(), width);
    for (uint32_t lane = 0; lane < width; ++lane) {
      EXPECT_EQ(got[lane], want(lane)) << "lane " << lane << " of " << int{width} << "\n" << text;
    }
  }
}

// m20 = odd lanes; m22 = lanes whose bit 1 is set.
constexpr char kMasks[] =
    "%v2 = v_and_b32 #0x1 %v0 {[]}\n%m20 = v_cmp_ne_u32 #0x0 %v2 {[]}\n"
    "%v2 = v_and_b32 #0x2 %v0 {[]}\n%m22 = v_cmp_ne_u32 #0x0 %v2 {[]}\n";
// Puts a mask into v1.
std::string Show(const char* mask) {
  return absl::StrCat("%v1 = v_cndmask_b32 #0x0 #0x1 %", mask, " {[]}\n");
}
// Runs `text` with the even lanes alone.
std::string InEvenLanes(const std::string& text) {
  return absl::StrCat("mask_if %m20 {inv}\n-> b1, b2\nblock b1 depth 0\n", text,
                      "mask_endif\n-> b2\nblock b2 depth 0\n");
}

bool Odd(uint32_t lane) { return lane % 2 != 0; }
bool Two(uint32_t lane) { return lane % 4 >= 2; }

TEST(PseudoTest, Merge) {
  Expect(absl::StrCat(kMasks, "%m24 = s_copy %m20\n", InEvenLanes("%m24 = mask_merge %m22\n"),
                      Show("m24")),
         [](uint32_t lane) { return Odd(lane) ? 1 : Two(lane); });
}

TEST(PseudoTest, Swap) {
  const std::string text = absl::StrCat(kMasks, "%m24 = mask_const #0x1\n%m26 = mask_const #0x0\n",
                                        InEvenLanes("%m24 %m26 = mask_swap %m26 %m24\n"));
  Expect(text + Show("m24"), [](uint32_t lane) { return Odd(lane); });
  Expect(text + Show("m26"), [](uint32_t lane) { return !Odd(lane); });
}

TEST(PseudoTest, Logic) {
  const auto two = [](const char* op) {
    return absl::StrCat(kMasks, "%m24 = ", op, " %m20 %m22\n", Show("m24"));
  };
  Expect(two("mask_and"), [](uint32_t lane) { return Odd(lane) && Two(lane); });
  Expect(two("mask_and_not"), [](uint32_t lane) { return Odd(lane) && !Two(lane); });
  Expect(two("mask_or"), [](uint32_t lane) { return Odd(lane) || Two(lane); });
  Expect(two("mask_xor"), [](uint32_t lane) { return Odd(lane) != Two(lane); });
  // Bits of lanes that are off are cleared.
  Expect(absl::StrCat(kMasks, InEvenLanes("%m24 = mask_not %m22\n"), Show("m24")),
         [](uint32_t lane) { return !Odd(lane) && !Two(lane); });
}

// v1 = 1 if SCC says so of the even lanes.
std::string OfEven(const char* question) {
  return absl::StrCat(
      kMasks, "%m28 = v_cmp_lt_u32 %v0 #0x64 {[]}\n",
      InEvenLanes(absl::StrCat("%c = ", question, "\n%s30 = save_scc %c {nomask}\n")),
      "%c = restore_scc %s30 {nomask}\n%m24 = mask_of_scc %c\n", Show("m24"));
}

TEST(PseudoTest, AnyAndAll) {
  Expect(OfEven("mask_any %m20"), [](uint32_t) { return 0; });
  Expect(OfEven("mask_any %m22"), [](uint32_t) { return 1; });
  Expect(OfEven("mask_all %m22"), [](uint32_t) { return 0; });
  Expect(OfEven("mask_all %m28"), [](uint32_t) { return 1; });
}

TEST(PseudoTest, LanesKeepScalars) {
  Expect(
      "%s20 = s_copy #0x1234\n%s21 = s_copy #0x4321\nwrite_lanes %p20 #0x1f {nomask}\n"
      "%p24 = read_lanes #0x1f {nomask}\n%v1 = v_copy %s25\n",
      [](uint32_t) { return 0x4321; });
  Expect(absl::StrCat(kMasks, "write_lanes %m20 #0x4 {nomask}\n",
                      InEvenLanes("%m30 = merge_lanes %m22 #0x4\n"),
                      "%m24 = read_lanes #0x4 {nomask}\n", Show("m24")),
         [](uint32_t lane) { return Odd(lane) ? 1 : Two(lane); });
}

TEST(PseudoTest, WholeWaveMovesWriteLanesThatAreOff) {
  Expect(
      absl::StrCat(kMasks, "%w4 = v_move %w0 {nomask aux 1}\n%w5 = v_copy #0x7 {nomask}\n",
                   InEvenLanes("%w4 %w5 = v_swap %w5 %w4 {nomask aux 1}\n"), "%v1 = v_copy %v5\n"),
      [](uint32_t lane) { return lane; });
  Expect(absl::StrCat(kMasks, "%v1 = v_copy #0x7\n", InEvenLanes("%v1 = v_copy %v0\n")),
         [](uint32_t lane) { return Odd(lane) ? 7 : lane; });
}

TEST(PseudoTest, Scratch) {
  for (const char* place : {"#0x0", "#0x1fc", "#0x1fd", "#0x400"}) {
    Expect(absl::StrCat("%v4 = v_copy #0x5\n%v5 = v_copy %v0\nscratch_store %v4x4 ", place,
                        "\n%v8x2 = scratch_load ", place, "\n%v1 = v_copy %v9\n"),
           [](uint32_t lane) { return lane; });
  }
}

}  // namespace
}  // namespace kiln::amd
