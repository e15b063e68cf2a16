// Tests the machine: its registers, the registers of values, and when a result may lie where a
// source dies. target_copies_test.cc and target_spills_test.cc test the instructions that it makes.
#include "core/intel/lir/machine.h"

#include <string>

#include "core/intel/device/device.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::FirstOf;
using testing::FunctionOf;

TEST(Machine, GeneralAndUniformRegistersShareAPool) {
  const lir::Machine& t = MachineOf(Tgl());
  EXPECT_EQ(t.name, "tgl");
  EXPECT_EQ(&MachineOf(Tgl()), &t) << "one for the process";
  ASSERT_EQ(t.pools.size(), 2u);
  EXPECT_EQ(t.pools[kPoolGrf].units, 1024u);      // 128 registers, in dwords
  EXPECT_EQ(t.pools[kPoolGrf].tail_first, 896u);  // r112
  EXPECT_EQ(t.pools[kPoolGrf].register_units, 8u);
  EXPECT_EQ(t.pools[kPoolFlag].units, 4u);
  ASSERT_EQ(t.files.size(), 3u);
  EXPECT_EQ(t.files[kFileG].pool, kPoolGrf);
  EXPECT_EQ(t.files[kFileU].pool, kPoolGrf);
  EXPECT_EQ(t.files[kFileF].pool, kPoolFlag);
  EXPECT_EQ(t.files[kFileF].save_file, kFileU);
  EXPECT_TRUE(t.files[kFileG].masked_writes);
  EXPECT_FALSE(t.files[kFileU].masked_writes);
}

// Returns "units/alignment" of the value with this line, at 8, 16 and 32 lanes.
std::string Shapes(const std::string& value) {
  const lir::Machine& t = MachineOf(Tgl());
  std::string text;
  for (const int width : {8, 16, 32}) {
    const lir::Function f = FunctionOf(width, "value %0 " + value + "\n");
    if (f.values.empty()) return "";
    if (!text.empty()) text += " ";
    text += std::to_string(t.units_per_comp(f, f.values[0])) + "/" +
            std::to_string(t.alignment(f, f.values[0]));
  }
  return text;
}

TEST(Machine, LanesTakeWholeRegisters) {
  EXPECT_EQ(Shapes("G 4x1"), "8/8 16/8 32/8");
  EXPECT_EQ(Shapes("G 8x1"), "16/8 32/8 64/8");
  EXPECT_EQ(Shapes("G 4x4"), "8/8 16/8 32/8") << "each component";
  EXPECT_EQ(Shapes("G 2x1"), "4/4 8/8 16/8") << "packed words of 8 lanes are half a register";
}

TEST(Machine, UniformsTakeDwords) {
  EXPECT_EQ(Shapes("U 4x1"), "1/1 1/1 1/1");
  EXPECT_EQ(Shapes("U 4x2"), "1/2 1/2 1/2") << "aligned to a qword";
  EXPECT_EQ(Shapes("U 4x3"), "1/1 1/1 1/1");
  EXPECT_EQ(Shapes("U 4x4"), "1/4 1/4 1/4") << "within a register";
  EXPECT_EQ(Shapes("U 4x8 whole"), "1/8 1/8 1/8");
}

TEST(Machine, AFlagHasSixteenLanesAGranule) { EXPECT_EQ(Shapes("F 0x1"), "1/1 1/1 2/2"); }

TEST(Machine, PayloadsAreCountedInRegisters) {
  const lir::Function f =
      FunctionOf(16, "value %0 G 4x4\nvalue %1 G 2x3\nvalue %2 U 4x12 whole\n",
                 "  msg.write %0x4:ud %1x3:uw {w16 [untyped_write lanes 16 channels 15]}\n"
                 "  %0x4:ud = collect %0:ud %2x12:ud #0x0:ud _ {w16}\n");
  ASSERT_EQ(f.blocks.size(), 1u);
  EXPECT_EQ(PayloadRegisters(f, f.uses(FirstOf(f))[0]), 8u);
  EXPECT_EQ(PayloadRegisters(f, f.uses(FirstOf(f))[1]), 3u);
  const auto parts = f.uses(f.blocks[0].insts[1]);
  EXPECT_EQ(PayloadRegisters(f, parts[0]), 2u) << "one component";
  EXPECT_EQ(PayloadRegisters(f, parts[1]), 2u) << "twelve dwords";
  EXPECT_EQ(PayloadRegisters(f, parts[2]), 0u) << "no register";
  EXPECT_EQ(PayloadRegisters(f, parts[3]), 0u);
}

// %0 and %1 are per lane, %2 and %3 halves of such values in a thread of 32 lanes, %4 is a scalar,
// %5 a flag, %6 and %7 are words per lane, %8 is a vector of two.
bool MayReuse(const std::string& instruction, int use) {
  const lir::Machine& t = MachineOf(Tgl());
  const lir::Function f = FunctionOf(32,
                                     "value %0 G 4x1\nvalue %1 G 4x1\n"
                                     "value %2 U 4x16 whole\nvalue %3 U 4x16 whole\n"
                                     "value %4 U 4x1\nvalue %5 F 0x1\n"
                                     "value %6 G 2x1\nvalue %7 G 2x1\nvalue %8 G 4x2\n",
                                     "  " + instruction + "\n");
  return !f.blocks.empty() && t.may_reuse_source(f, FirstOf(f), 0, use);
}

// Each half of the execution reads just the registers that it writes.
TEST(Machine, ASourceOfTheSameShapeMayBeWrittenOver) {
  EXPECT_TRUE(MayReuse("%0:f = add %1:f %4:f {w32}", 0));
  EXPECT_TRUE(MayReuse("%2x16:f = add %3x16:f %4:f {w16}", 0));
}

// The second half still reads the scalar.
TEST(Machine, AScalarMayNotBeWrittenOverByManyLanes) {
  EXPECT_FALSE(MayReuse("%0:f = add %1:f %4:f {w32}", 1));
  EXPECT_FALSE(MayReuse("%2x16:f = add %3x16:f %4:f {w16}", 1));
  EXPECT_FALSE(MayReuse("%2x16:ud = math %4:ud %3x16:ud {w16 g16 aux 12}", 0));
}

// An instruction whose result is one register writes once, after it has read.
TEST(Machine, AResultOfOneRegisterMayLieOverSourcesOfOne) {
  EXPECT_TRUE(MayReuse("%6:uw = add %7:uw %4:uw {w16}", 0));
  EXPECT_TRUE(MayReuse("%4:f = add %4:f %4:f {nomask}", 0));
  EXPECT_FALSE(MayReuse("%6:uw = mov %0:ud {w16}", 0)) << "the source is two registers";
  EXPECT_FALSE(MayReuse("%0:ud = mov %6:uw {w32}", 0)) << "the result is";
}

TEST(Machine, SourcesThatAreReadLateMayNotBeWrittenOver) {
  EXPECT_FALSE(MayReuse("%0:ud %1:ud = mul32 %0:ud %1:ud {w32}", 0));
  EXPECT_FALSE(MayReuse("%0:ud = shuffle %1:ud %6:uw {w32}", 0));
  EXPECT_FALSE(MayReuse("%0:ud = xor_lanes %1:ud {w32 nomask aux 1}", 0));
  EXPECT_TRUE(MayReuse("%0:ud = f2f16 %1:f {w32}", 0));
  // The lowest part is read first, and the others when a part has been written.
  EXPECT_TRUE(MayReuse("%0:ud = pack %1:ud %1:ud {w32}", 0));
  EXPECT_FALSE(MayReuse("%0:ud = pack %1:ud %1:ud {w32}", 1));
}

TEST(Machine, ResponsesMayLieOverPayloads) {
  EXPECT_TRUE(MayReuse("%2x16:ud = msg.read %3x16:ud {w16 [untyped_read lanes 16 channels 1]}", 0));
  EXPECT_TRUE(
      MayReuse("%2x16:ud = msg.atomic %3x16:ud {w16 [untyped_atomic lanes 16 returns 1]}", 0));
  // Several messages: the first response comes before the second payload is read.
  EXPECT_FALSE(MayReuse("%2x16:ud = msg.atomic %3x16:ud {w16 [a64_atomic lanes 8 returns 1]}", 0));
}

TEST(Machine, FlagsAreNotInTheWay) {
  EXPECT_TRUE(MayReuse("%5:ud = cmp %0:f %1:f {w32 cmod 5}", 0));
  EXPECT_TRUE(MayReuse("%0:ud = sel %1:ud %1:ud %5:ud {w32 pred 1}", 2));
  EXPECT_FALSE(MayReuse("%0:ud = mov #0x1:ud {w32}", 0)) << "no value";
}

// The shared code knows of an operation only what its flags say.
TEST(IntelOps, FlagsSayWhatAnOperationDoes) {
  const absl::Span<const lir::OpInfo> ops = IntelOps();
  ASSERT_EQ(ops.size(), static_cast<size_t>(kNumLirOps));
  for (uint16_t op = 0; op < kNumLirOps; ++op) {
    const lir::OpInfo& info = ops[op];
    const auto has = [&](unsigned flags) { return (info.flags & flags) == flags; };
    SCOPED_TRACE(std::string(info.name));
    if (IsMessage(op)) {
      EXPECT_TRUE(has(lir::kOpSide | lir::kOpSendLike));
    }
    if (IsTargetWrite(op)) {
      EXPECT_TRUE(has(lir::kOpWritesMemory | lir::kOpSideEffect));
      EXPECT_EQ(info.memory_class, kTargetClass);
    }
    if (IsSamplerList(op)) {
      EXPECT_TRUE(has(lir::kOpSide));
      EXPECT_FALSE(has(lir::kOpSendLike)) << "parameters need not lie together";
    }
    // Stores and ends of lanes are not removed.
    if (has(lir::kOpWritesMemory) || has(lir::kOpExit) || has(lir::kOpTerminator)) {
      EXPECT_TRUE(has(lir::kOpSideEffect));
    }
    EXPECT_EQ(has(lir::kOpSpill), op == kSpill || op == kMergeSpill);
    EXPECT_EQ(has(lir::kOpFill), op == kFill);
    EXPECT_EQ(info.memory_class == kDeadMaskClass,
              op == kStartDead || op == kKill || op == kLive || op == kDiscardJump);
  }
  EXPECT_EQ(kCollect, isa::kOpcodeCount) << "the rows follow the EU's own opcodes";
  EXPECT_TRUE(ops[kCollect].flags & lir::kOpCollect);
  EXPECT_EQ(MachineOf(Tgl()).collect_op, kCollect);
  for (const uint16_t op : {kSend, kMsgQuad, kMsgRead, kMsgAtomic, kMsgUrbEnd, kMsgTargetEnd}) {
    EXPECT_TRUE(IsMessage(op)) << op;
    EXPECT_EQ(IsTargetWrite(op), op == kMsgTargetEnd) << op;
  }
  for (const uint16_t op : {Op(isa::Opcode::kSend), uint16_t{kSampler}, uint16_t{kSpill},
                            uint16_t{kFence}, uint16_t{kBarrier}}) {
    EXPECT_FALSE(IsMessage(op)) << op;
    EXPECT_EQ(IsSamplerList(op), op == kSampler) << op;
  }
  for (const uint16_t end : {kEot, kMsgTargetEnd, kMsgUrbEnd}) {
    EXPECT_TRUE(ops[end].flags & lir::kOpTerminator) << end;
  }
  for (const isa::Opcode op : {isa::Opcode::kAdd, isa::Opcode::kMul, isa::Opcode::kXor}) {
    EXPECT_TRUE(ops[Op(op)].flags & lir::kOpCommutative);
  }
  EXPECT_FALSE(ops[Op(isa::Opcode::kShl)].flags & lir::kOpCommutative);
}

}  // namespace
}  // namespace kiln::intel
