// Tests the machine: its registers, when a result may lie where a source dies, the instructions
// that it makes for the allocator, and its times.
#include "core/amd/lir/machine.h"

#include <array>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/amd/lir/ops.h"
#include "core/lir/build.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// %0 and %1 are per lane, %2 a pair of scalars, %3 and %4 masks, %5 SCC, %6 whole-wave, %7 a
// scalar, %8 a pair per lane.
constexpr const char* kValues =
    "value %0 V 4x1\nvalue %1 V 4x1\nvalue %2 S 4x2\nvalue %3 M 0x1\nvalue %4 M 0x1\n"
    "value %5 SCC 0x1\nvalue %6 W 4x1\nvalue %7 S 4x1\nvalue %8 V 4x2\n";

lir::Function FunctionOf(int width, const std::string& line = "") {
  const std::string text = "function gfx1030 width " + std::to_string(width) + "\n" + kValues +
                           "block b0 depth 0\n" + (line.empty() ? "" : "  " + line + "\n") +
                           "  end\n";
  absl::StatusOr<lir::Function> f = lir::Parse(Gfx1030Machine(), text);
  EXPECT_TRUE(f.ok()) << f.status() << text;
  return f.ok() ? *std::move(f) : lir::Function();
}

std::string Shape(int width, size_t value) {
  const lir::Machine& m = Gfx1030Machine();
  const lir::Function f = FunctionOf(width);
  return std::to_string(m.units_per_comp(f, f.values[value])) + "/" +
         std::to_string(m.alignment(f, f.values[value]));
}

TEST(Machine, MasksAndScalarsShareAPool) {
  const lir::Machine& m = Gfx1030Machine();
  EXPECT_EQ(&Gfx1030Machine(), &m) << "one for the process";
  EXPECT_EQ(m.files[kFileS].pool, kPoolSgpr);
  EXPECT_EQ(m.files[kFileM].pool, kPoolSgpr);
  EXPECT_TRUE(m.files[kFileM].masked_writes);
  EXPECT_EQ(m.files[kFileM].merge_clobbers, 1 << kPoolScc);
  EXPECT_EQ(m.files[kFileV].pool, m.files[kFileW].pool);
  EXPECT_TRUE(m.files[kFileV].always_masked);
  EXPECT_FALSE(m.files[kFileW].masked_writes);
  EXPECT_EQ(m.files[kFileScc].save_file, kFileS);
  EXPECT_EQ(m.pools[kPoolVgpr].units, 256u);
  EXPECT_EQ(m.pools[kPoolScc].units, 1u);
}

TEST(Machine, AMaskHasABitForEachLane) {
  EXPECT_EQ(Shape(32, 3), "1/1");
  EXPECT_EQ(Shape(64, 3), "2/2");
  EXPECT_EQ(Shape(64, 2), "1/2") << "pairs of scalars at even registers";
  EXPECT_EQ(Shape(64, 8), "1/1") << "vectors anywhere";
}

// Returns whether the line's first result may lie in the register of this use.
bool MayReuse(int width, const std::string& line, int use, int def = 0) {
  const lir::Function f = FunctionOf(width, line);
  return Gfx1030Machine().may_reuse_source(f, f.blocks[0].insts[0], def, use);
}

TEST(Machine, AScalarResultOfTwoPassesSparesWhatTheSecondReads) {
  const std::string compare = "%3:b32 = v_cmp_lt_u32 %7:b32 %0:b32 {[]}";
  EXPECT_TRUE(MayReuse(32, compare, 0));
  EXPECT_FALSE(MayReuse(64, compare, 0));
  const std::string carry = "%0:b32 %3:b32 = v_add_co_ci_u32 %0:b32 %1:b32 %4:b32 {[]}";
  EXPECT_TRUE(MayReuse(64, carry, 2, 1)) << "a carry-in is read in step";
}

TEST(Machine, AResultTakesTheRegisterOfAnEqualShape) {
  EXPECT_TRUE(MayReuse(64, "%0:b32 = v_add_f32 %0:b32 %1:b32 {[]}", 1));
  EXPECT_FALSE(MayReuse(64, "%8x2:b32 = v_lshlrev_b64 %0:b32 %8x2:b32 {[]}", 0)) << "longer";
  EXPECT_FALSE(MayReuse(64, "%7:b32 = v_readfirstlane_b32 %0:b32 {[]}", 0)) << "another pool";
}

// Returns the text of the copy of a value's units from register 4 to register 8.
std::string Copy(int width, size_t value, uint32_t units, bool no_mask = false) {
  lir::Function f = FunctionOf(width);
  const lir::Machine& m = Gfx1030Machine();
  const lir::InstId id = m.make_copy(f, f.values[value], 8, 4, units, no_mask);
  for (lir::Operand& o : f.defs(id)) o.id = static_cast<uint32_t>(value);
  for (lir::Operand& o : f.uses(id)) o.id = static_cast<uint32_t>(value);
  return lir::PrintInst(m, f, id);
}

TEST(Machine, CopiesOfMasksMergeUnderTheLanesThatAreOn) {
  EXPECT_EQ(Copy(32, 0, 1), "%0:b32@8 = v_move %0:b32@4 {w32 ra aux 1}");
  EXPECT_EQ(Copy(64, 3, 2), "%3:b32@8 = mask_merge %3:b32@4 {w64 ra aux 2}");
  EXPECT_EQ(Copy(64, 3, 2, true), "%3:b32@8 = s_move %3:b32@4 {w64 nomask ra aux 2}");
  EXPECT_EQ(Copy(32, 7, 1), "%7:b32@8 = s_move %7:b32@4 {w32 nomask ra aux 1}");
  EXPECT_EQ(Copy(32, 6, 1), "%6:b32@8 = v_move %6:b32@4 {w32 nomask ra aux 1}");
}

// An exchange is one operation in each file: what it uses meanwhile is no operand.
TEST(Machine, ExchangesAreOneOperation) {
  const lir::Machine& m = Gfx1030Machine();
  lir::Function f = FunctionOf(32);
  std::array<lir::InstId, 3> out;
  EXPECT_EQ(m.make_swap(f, f.values[0], 4, 8, 1, false, absl::MakeSpan(out)), 1);
  EXPECT_EQ(f.inst(out[0]).op, kVSwap);
  EXPECT_EQ(m.make_swap(f, f.values[3], 4, 8, 1, false, absl::MakeSpan(out)), 1);
  EXPECT_EQ(f.inst(out[0]).op, kMaskSwap);
  ASSERT_EQ(m.make_swap(f, f.values[7], 4, 8, 1, true, absl::MakeSpan(out)), 1);
  EXPECT_EQ(f.inst(out[0]).op, kSSwap);
  EXPECT_EQ(f.defs(out[0])[0].reg, 4u);
  EXPECT_EQ(f.uses(out[0])[0].reg, 8u);
  EXPECT_EQ(f.defs(out[0])[1].reg, 8u);
  EXPECT_EQ(f.uses(out[0])[1].reg, 4u);
}

TEST(Machine, SccIsSavedInAScalar) {
  const lir::Machine& m = Gfx1030Machine();
  lir::Function f = FunctionOf(32);
  EXPECT_EQ(lir::PrintInst(m, f, m.make_save(f, lir::ValueId(7), lir::ValueId(5))),
            "%7:b32 = save_scc %5:b32 {nomask ra}");
  EXPECT_EQ(lir::PrintInst(m, f, m.make_restore(f, lir::ValueId(5), lir::ValueId(7))),
            "%5:b32 = restore_scc %7:b32 {nomask ra}");
}

std::string Spill(uint32_t value, bool no_mask) {
  const lir::Machine& m = Gfx1030Machine();
  lir::Function f = FunctionOf(64);
  const lir::Operand payload = lir::ValueOperand(lir::ValueId(value), 0, 0, f.values[value].comps);
  const lir::SpillHooks& hooks = *lir::SpillsOf(m, m.files[f.values[value].file].pool);
  return lir::PrintInst(m, f, hooks.make_spill(f, lir::NoOperand(), payload, 5, no_mask));
}

TEST(Machine, ScalarsAreSpilledToLanesAndVectorsToMemory) {
  const lir::Machine& m = Gfx1030Machine();
  ASSERT_EQ(m.spills.size(), 2u);
  EXPECT_EQ(m.spills[0].pool, kPoolSgpr) << "before the pool that takes them";
  EXPECT_EQ(m.spills[0].to_pool, kPoolVgpr);
  EXPECT_EQ(m.spills[0].places_per_unit(FunctionOf(64)), 64u);
  EXPECT_EQ(m.spills[1].to_pool, lir::SpillHooks::kToMemory);
  EXPECT_EQ(Spill(0, false), "scratch_store %0:b32 #0x5:b32 {w64}");
  EXPECT_EQ(Spill(7, true), "write_lanes %7:b32 #0x5:b32 {w64 nomask}");
  EXPECT_EQ(Spill(3, true), "write_lanes %3:b32 #0x5:b32 {w64 nomask}");
  EXPECT_EQ(Spill(3, false), "%9:b32 = merge_lanes %3:b32 #0x5:b32 {w64}") << "with a temporary";
}

TEST(Machine, FillsOfScalarsIgnoreTheMask) {
  const lir::Machine& m = Gfx1030Machine();
  lir::Function f = FunctionOf(32);
  const auto fill = [&](uint32_t value, size_t pool) {
    return lir::PrintInst(m, f,
                          m.spills[pool].make_fill(f, lir::ValueId(value), lir::NoOperand(), 5));
  };
  EXPECT_EQ(fill(8, 1), "%8x2:b32 = scratch_load #0x5:b32 {w32}");
  EXPECT_EQ(fill(7, 0), "%7:b32 = read_lanes #0x5:b32 {w32 nomask}");
}

TEST(Machine, ConstantsAreMadeAgain) {
  const auto repeats = [](const std::string& line) {
    const lir::Function f = FunctionOf(32, line);
    return Gfx1030Machine().spills[1].can_repeat(f, f.blocks[0].insts[0]);
  };
  EXPECT_TRUE(repeats("%0:b32 = v_copy #0x7:b32"));
  EXPECT_FALSE(repeats("%0:b32 = v_copy %7:b32")) << "the scalar may be gone";
  EXPECT_FALSE(repeats("%0:b32 = v_add_f32 #0x7:b32 #0x7:b32 {[]}"));
}

TEST(Machine, VectorInstructionsOf64LanesIssueTwice) {
  const auto timing = [](int width, const std::string& line) {
    const lir::Function f = FunctionOf(width, line);
    return Gfx1030Machine().timing(Gfx1030Machine(), f, f.blocks[0].insts[0]);
  };
  const std::string sum = "%0:b32 = v_add_f32 %0:b32 %1:b32 {[]}";
  EXPECT_EQ(timing(32, sum).issue, 1);
  EXPECT_EQ(timing(64, sum).issue, 2);
  const std::string scalar = "%7:b32 = s_mul_i32 %7:b32 %7:b32 {[]}";
  EXPECT_EQ(timing(64, scalar).issue, 1);
  EXPECT_GT(timing(32, "%0:b32 = scratch_load #0x5:b32").latency, timing(32, sum).latency);
}

TEST(Machine, TablesSayWhatOperationsDo) {
  const lir::Machine& m = Gfx1030Machine();
  const auto info = [&](isa::Opcode op) -> const lir::OpInfo& { return m.ops[Op(op)]; };
  EXPECT_EQ(info(isa::Opcode::kSAddU32).clobbers, 1 << kPoolScc);
  EXPECT_EQ(info(isa::Opcode::kSCmpEqU32).clobbers, 0) << "SCC is its result";
  EXPECT_EQ(info(isa::Opcode::kVFmacF32).tied, kDataUse);
  EXPECT_TRUE(info(isa::Opcode::kVCmpLtU32).flags & lir::kOpWritesOffLanes);
  EXPECT_TRUE(info(isa::Opcode::kBufferStoreDword).flags & lir::kOpSideEffect);
  EXPECT_FALSE(info(isa::Opcode::kBufferLoadDword).flags & lir::kOpSideEffect);
  // Components that nothing reads are written late all the same.
  for (const isa::Opcode op : {isa::Opcode::kBufferLoadDwordx4, isa::Opcode::kSLoadDwordx4,
                               isa::Opcode::kImageSample, isa::Opcode::kDsReadB128}) {
    EXPECT_TRUE(info(op).flags & lir::kOpSendLike) << info(op).name;
  }
  EXPECT_FALSE(info(isa::Opcode::kSAddU32).flags & lir::kOpSendLike);
  for (const auto clock : {isa::Opcode::kSMemtime, isa::Opcode::kSMemrealtime}) {
    EXPECT_TRUE(info(clock).flags & lir::kOpBarrier) << info(clock).name;
  }
  EXPECT_NE(info(isa::Opcode::kDsReadB32).memory_class,
            info(isa::Opcode::kBufferLoadDword).memory_class);
}

TEST(Machine, ReservedScalarsAreTheSlotsAndTheTemporaryPair) {
  for (const int width : {32, 64}) {
    lir::Function f = FunctionOf(width);
    const uint32_t all = lir::FreeUnits(Gfx1030Machine(), f, kPoolSgpr);
    Reserve(f, 3);
    const uint32_t mask = MaskUnits(f);
    EXPECT_EQ(all - lir::FreeUnits(Gfx1030Machine(), f, kPoolSgpr), 2 + 2 + 3 * mask);
    const uint32_t lowest = UnitOfSgpr(SlotPlaces(3, mask).Sgpr(2));
    EXPECT_FALSE(lir::MayHold(Gfx1030Machine(), f, kPoolSgpr, lowest, 1));
    EXPECT_TRUE(lir::MayHold(Gfx1030Machine(), f, kPoolSgpr, lowest - 1, 1));
  }
}

}  // namespace
}  // namespace kiln::amd
