#include "core/amd/perf/statistics.h"

#include <vector>

#include "core/amd/perf/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Sgpr;
using isa::Vgpr;
using testing::End;
using testing::GlobalLoad;
using testing::GlobalStore;
using testing::Make;
using testing::Placed;
using testing::WaitFor;
using testing::WithImmediate;

ProgramStatistics Of(const std::vector<Instruction>& program) {
  return CountProgram(Placed(program), isa::Wave::k32);
}

Instruction BufferLoad(int dst, int descriptor) {
  return Make(Opcode::kBufferLoadDword, Vgpr(dst), {}, Sgpr(descriptor), isa::Source(128));
}
Instruction ScalarLoad(Opcode op, int dst, int base) { return Make(op, Sgpr(dst), Sgpr(base)); }

TEST(CountProgram, KindsOfInstructions) {
  const ProgramStatistics s = Of({
      Make(Opcode::kVAddF32, Vgpr(0), Vgpr(0), Vgpr(1)),
      Make(Opcode::kVReadlaneB32, Sgpr(0), Vgpr(0), isa::Source(129)),
      Make(Opcode::kSMovB32, Sgpr(0), Sgpr(1)),
      WithImmediate(Opcode::kSBranch, 0),
      WithImmediate(Opcode::kSCbranchScc0, 0),
      WithImmediate(Opcode::kSBarrier, 0),
      WithImmediate(Opcode::kSWaitcntVscnt, 0),
      WaitFor(0, 7, 63),
      WithImmediate(Opcode::kSClause, 1),
      WithImmediate(Opcode::kSNop, 0),
      WithImmediate(Opcode::kSInstPrefetch, 3),
      GlobalLoad(0, 2),
      Make(Opcode::kFlatLoadDword, Vgpr(0), Vgpr(2)),
      Make(Opcode::kDsReadB32, Vgpr(0), Vgpr(1)),
      testing::Export(0),
      ScalarLoad(Opcode::kSLoadDword, 0, 4),
      Make(Opcode::kSMemtime, Sgpr(0)),
      Make(Opcode::kBufferGl0Inv),
      End(),
  });
  EXPECT_EQ(s.valu, 2);
  EXPECT_EQ(s.salu, 1);
  EXPECT_EQ(s.branches, 2);
  EXPECT_EQ(s.waits, 2);
  EXPECT_EQ(s.clause_instructions, 1);
  EXPECT_EQ(s.padding, 2);
  EXPECT_EQ(s.vmem, 1);
  EXPECT_EQ(s.flat, 1);
  EXPECT_EQ(s.lds, 1);
  EXPECT_EQ(s.exports, 1);
  EXPECT_EQ(s.smem, 1);
  EXPECT_EQ(s.instructions, 19 - 2 - 1 - 2);
  EXPECT_EQ(s.loops, 0);
}

TEST(CountProgram, RegistersAndBytes) {
  const ProgramStatistics s =
      Of({GlobalLoad(3, 8), Make(Opcode::kSMovB64, Sgpr(10), Sgpr(2)),
          Make(Opcode::kSMovB32, isa::Source(isa::kVccLo), Sgpr(0)), End()});
  EXPECT_EQ(s.vgprs, 10);  // the address is a pair
  EXPECT_EQ(s.sgprs, 12);
  EXPECT_EQ(s.bytes, 8 + 4 + 4 + 4);
  EXPECT_EQ(Of({End()}).vgprs, 0);
}

TEST(CountProgram, ClausesOfVectorMemory) {
  EXPECT_EQ(Of({GlobalLoad(0, 8), GlobalLoad(1, 10), End()}).vmem_clauses, 1);
  EXPECT_EQ(Of({BufferLoad(0, 0), BufferLoad(1, 0), BufferLoad(2, 4), End()}).vmem_clauses, 2);
  // The third joins the first.
  EXPECT_EQ(Of({BufferLoad(0, 0), BufferLoad(1, 4), BufferLoad(2, 0), End()}).vmem_clauses, 2);
  EXPECT_EQ(Of({GlobalLoad(0, 8), GlobalStore(0, 8), End()}).vmem_clauses, 2);
  EXPECT_EQ(Of({GlobalLoad(0, 8), BufferLoad(1, 0), End()}).vmem_clauses, 2);
  EXPECT_EQ(Of({GlobalLoad(0, 8), WaitFor(0, 7, 63), GlobalLoad(1, 10), End()}).vmem_clauses, 2);
  EXPECT_EQ(Of({GlobalLoad(0, 8), WithImmediate(Opcode::kSNop, 0), GlobalLoad(1, 10), End()})
                .vmem_clauses,
            1);
}

TEST(CountProgram, ClausesOfScalarMemory) {
  const auto load = [](int base) { return ScalarLoad(Opcode::kSLoadDword, 0, base); };
  const auto buffer = [](int base) { return ScalarLoad(Opcode::kSBufferLoadDword, 0, base); };
  EXPECT_EQ(Of({load(4), load(8), End()}).smem_clauses, 1);
  EXPECT_EQ(Of({buffer(4), buffer(8), buffer(4), End()}).smem_clauses, 2);
  EXPECT_EQ(Of({load(4), buffer(4), End()}).smem_clauses, 2);
}

TEST(CountProgram, Loops) {
  EXPECT_EQ(Of({Make(Opcode::kSMovB32, Sgpr(0), Sgpr(1)),
                WithImmediate(Opcode::kSCbranchScc0, static_cast<uint16_t>(-2)), End()})
                .loops,
            1);
}

}  // namespace
}  // namespace kiln::amd
