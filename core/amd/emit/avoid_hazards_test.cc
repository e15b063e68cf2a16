#include "core/amd/emit/avoid_hazards.h"

#include <vector>

#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

// Returns the opcodes after the pass; a branch in front of them goes to row `target`.
std::vector<Opcode> After(const std::vector<Opcode>& ops, size_t branch = 0, int target = -1) {
  Program program;
  for (Opcode op : ops) {
    Row row;
    row.inst.op = op;
    program.rows.push_back(row);
  }
  program.rows[branch].target = target;
  AvoidHazards(program);
  std::vector<Opcode> after;
  for (const Row& row : program.rows) after.push_back(row.inst.op);
  return after;
}

using Ops = std::vector<Opcode>;

TEST(AvoidHazardsTest, PermlaneAfterCmpx) {
  EXPECT_EQ(After({Opcode::kVCmpxLtF32, Opcode::kVPermlane16B32}),
            (Ops{Opcode::kVCmpxLtF32, Opcode::kVNop, Opcode::kVPermlane16B32}));
  const Ops apart = {Opcode::kVCmpxLtF32, Opcode::kSNop, Opcode::kVPermlane16B32};
  EXPECT_EQ(After(apart), apart);
}

TEST(AvoidHazardsTest, DenormModeAfterAFloatAtomic) {
  EXPECT_EQ(After({Opcode::kBufferAtomicFmin, Opcode::kSNop, Opcode::kSNop, Opcode::kSDenormMode}),
            (Ops{Opcode::kBufferAtomicFmin, Opcode::kSNop, Opcode::kSNop, Opcode::kVNop,
                 Opcode::kSDenormMode}));
  for (Opcode covers : {Opcode::kSWaitcnt, Opcode::kVMovB32}) {
    const Ops covered = {Opcode::kBufferAtomicFmin, covers, Opcode::kSDenormMode};
    EXPECT_EQ(After(covered), covered);
  }
  const Ops integer = {Opcode::kBufferAtomicAdd, Opcode::kSDenormMode};
  EXPECT_EQ(After(integer), integer);
  const Ops far = {Opcode::kBufferAtomicFmin, Opcode::kSNop, Opcode::kSNop, Opcode::kSNop,
                   Opcode::kSDenormMode};
  EXPECT_EQ(After(far), far);
}

TEST(AvoidHazardsTest, OverABackEdge) {
  // 0: s_denorm_mode, 1: nop, 2: atomic, 3: back to 0.
  const Ops ops = {Opcode::kSDenormMode, Opcode::kSNop, Opcode::kBufferAtomicFmin,
                   Opcode::kSCbranchScc0};
  EXPECT_EQ(After(ops, 3, 0)[0], Opcode::kVNop);
  EXPECT_EQ(After(ops)[0], Opcode::kSDenormMode);
}

}  // namespace
}  // namespace kiln::amd
