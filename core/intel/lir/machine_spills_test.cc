// Tests the hooks with which registers are spilled to scratch memory.
#include <bit>
#include <string>

#include "core/intel/device/device.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/testing.h"
#include "core/lir/build.h"
#include "core/lir/print.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::FirstOf;
using testing::FunctionOf;

const lir::SpillHooks& Hooks() { return *lir::SpillsOf(MachineOf(Tgl()), kPoolGrf); }

TEST(MachineSpills, RegistersAloneAreSpilled) {
  EXPECT_EQ(lir::SpillsOf(MachineOf(Tgl()), kPoolFlag), nullptr) << "flags are saved in uniforms";
  EXPECT_EQ(Hooks().to_pool, lir::SpillHooks::kToMemory);
  EXPECT_EQ(Hooks().direct_units, 4096u * 8);  // 12 bits of a message's offset
  EXPECT_EQ(Hooks().far_header_op, kScratchHeader);
}

// Blocks of 8, 4, 2 and 1 registers: as many messages as the number has eights, and bits below.
TEST(MachineSpills, MessagesAreAsFewAsTheBlocksAllow) {
  for (uint32_t registers = 1; registers <= 128; ++registers) {
    const auto fewest = registers / 8 + static_cast<uint32_t>(std::popcount(registers % 8));
    EXPECT_EQ(ScratchMessages(registers), fewest) << registers;
    EXPECT_EQ(Hooks().messages(registers), fewest) << registers;
    const uint32_t block = ScratchBlock(registers);
    EXPECT_LE(block, registers);
    EXPECT_TRUE(block == 8 || block == 4 || block == 2 || block == 1) << block;
    EXPECT_TRUE(block == 8 || 2 * block > registers) << "no larger one fits";
  }
  EXPECT_EQ(ScratchMessages(0), 0u);
}

// %0 is per lane, %1 per lane in words, %2 in qwords, %3 has registers of r0, %4 is a vector.
lir::Function Values(int width, const std::string& body = "") {
  return FunctionOf(width,
                    "value %0 G 4x1\nvalue %1 G 2x1\nvalue %2 G 8x1\nvalue %3 U 4x8 whole\n"
                    "value %4 G 4x3\nvalue %5 U 4x1\nvalue %6 F 0x1\n",
                    body);
}

constexpr auto kDword = static_cast<uint8_t>(isa::Type::kUD);

lir::Operand Payload(const lir::Function& f, uint32_t value) {
  return lir::ValueOperand(lir::ValueId(value), kDword, 0, f.values[value].comps);
}

std::string Spill(int width, uint32_t value, bool no_mask) {
  lir::Function f = Values(width);
  const lir::Operand header = Payload(f, 3);
  return lir::PrintInst(MachineOf(Tgl()), f,
                        Hooks().make_spill(f, header, Payload(f, value), 40, no_mask));
}

TEST(MachineSpills, DwordsAreStoredUnderTheMask) {
  EXPECT_EQ(Spill(8, 0, false), "spill %3x8:ud %0:ud #0x28:ud {w8}");
  EXPECT_EQ(Spill(16, 0, false), "spill %3x8:ud %0:ud #0x28:ud {w16}");
  EXPECT_EQ(Spill(8, 4, true), "spill %3x8:ud %4x3:ud #0x28:ud {w16 nomask}");
}

// The mask of a block message has a bit for each dword of 16 lanes.
TEST(MachineSpills, OthersAreMergedUnderTheMask) {
  EXPECT_EQ(Spill(16, 1, false), "%7x8:ud = merge_spill %3x8:ud %1:ud #0x28:ud {w16}");
  EXPECT_EQ(Spill(16, 2, false), "%7x32:ud = merge_spill %3x8:ud %2:ud #0x28:ud {w16}");
  EXPECT_EQ(Spill(32, 0, false), "%7x32:ud = merge_spill %3x8:ud %0:ud #0x28:ud {w32}");
  EXPECT_EQ(Spill(32, 0, true), "spill %3x8:ud %0:ud #0x28:ud {w16 nomask}");
}

TEST(MachineSpills, FillsBringAllLanes) {
  lir::Function f = Values(16);
  const lir::Operand header = Payload(f, 3);
  EXPECT_EQ(lir::PrintInst(MachineOf(Tgl()), f, Hooks().make_fill(f, lir::ValueId(0), header, 8)),
            "%0:ud = fill %3x8:ud #0x8:ud {w16 nomask}");
  EXPECT_EQ(lir::PrintInst(MachineOf(Tgl()), f, Hooks().make_fill(f, lir::ValueId(1), header, 8)),
            "%1:ud = fill %3x8:ud #0x8:ud {w8 nomask}");
  EXPECT_EQ(lir::PrintInst(MachineOf(Tgl()), f, Hooks().make_fill(f, lir::ValueId(4), header, 8)),
            "%4x3:ud = fill %3x8:ud #0x8:ud {w16 nomask}");
}

TEST(MachineSpills, WholeRegistersOfLanesCanBeMasked) {
  const lir::Function f8 = Values(8), f16 = Values(16);
  EXPECT_TRUE(Hooks().can_mask(f8, f8.values[0]));
  EXPECT_FALSE(Hooks().can_mask(f8, f8.values[1])) << "half a register";
  EXPECT_TRUE(Hooks().can_mask(f16, f16.values[1]));
  EXPECT_FALSE(Hooks().can_mask(f16, f16.values[3])) << "no lanes";
  const lir::Value one = Hooks().register_value();
  EXPECT_EQ(one.file, kFileU);
  EXPECT_EQ(one.comps, 8);
  EXPECT_TRUE(one.whole_registers);
}

bool CanRepeat(const std::string& instruction) {
  const lir::Function f = Values(16, "  " + instruction + "\n");
  return !f.blocks.empty() && Hooks().can_repeat(f, FirstOf(f));
}

TEST(MachineSpills, WhatCostsNoMoreThanAFillIsRepeated) {
  EXPECT_TRUE(CanRepeat("%0:ud = mov #0x1:ud {w16}"));
  EXPECT_TRUE(CanRepeat("%0:ud = add %0:ud #0x1:ud {w16}"));
  EXPECT_TRUE(CanRepeat("%0:ud = shl %0:ud #0x1:ud {w16}"));
  EXPECT_TRUE(CanRepeat("%1:uw = lane_ids {w16 nomask}"));
  EXPECT_TRUE(CanRepeat("%3x8:ud = header #0x20:ud {w8 nomask}"));
  EXPECT_TRUE(CanRepeat("%3x8:ud = msg %3x8:ud {w8 nomask [const_block_read header 1 owords 2]}"));
}

TEST(MachineSpills, NothingElseIsRepeated) {
  EXPECT_FALSE(CanRepeat("%0:f = mul %0:f %0:f {w16}")) << "latency";
  EXPECT_FALSE(CanRepeat("%0:f = math %0:f {w16 aux 4}"));
  EXPECT_FALSE(CanRepeat("%0:ud = add %0:ud %0:ud %6:uw {w16 pred 1}")) << "a predicate";
  EXPECT_FALSE(CanRepeat("%0:ud %6:uw = add %0:ud %0:ud {w16 cmod 5}")) << "a flag";
  EXPECT_FALSE(CanRepeat("%6:uw = mov %0:ud {w16 cmod 2}")) << "a flag alone";
  EXPECT_FALSE(CanRepeat("%0:ud = msg %0:ud {w16 [sample_lz lanes 16]}")) << "a message of lanes";
  EXPECT_FALSE(CanRepeat(
      "%3x8:ud = msg %3x8:ud %5:ud {w8 nomask [const_block_read header 1 owords 2 indirect]}"))
      << "a computed descriptor";
  EXPECT_FALSE(CanRepeat("%0:ud = msg.read %0:ud {w16 [untyped_read lanes 16 channels 1]}"))
      << "memory may have changed";
}

}  // namespace
}  // namespace kiln::intel
