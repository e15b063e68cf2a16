// The table of scalar opcodes, and vectors of those that the interpreter does not judge.
#include "core/sim/rdna2/alu/scalar.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Encoding;
using amd::isa::Info;
using amd::isa::Instruction;
using amd::isa::kOpcodeCount;
using amd::isa::Opcode;
using amd::isa::OpcodeInfo;

Instruction Of(Opcode op, uint16_t simm = 0) {
  Instruction inst;
  inst.op = op;
  inst.simm = simm;
  return inst;
}

ScalarResult Compute(Opcode op, uint64_t a = 0, uint64_t b = 0, bool scc = false) {
  return EvaluateScalar(Of(op), {{a, b}, scc, 0, 0});
}
void Expect(Opcode op, uint64_t a, uint64_t b, uint64_t value, bool scc) {
  const ScalarResult r = Compute(op, a, b);
  EXPECT_EQ(r.value, value) << Info(op).mnemonic;
  EXPECT_EQ(r.scc, scc) << Info(op).mnemonic;
}

TEST(Scalar, EveryOpcodeIsComputedOrNamed) {
  std::set<std::string> refused;
  int computed = 0;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpcodeInfo& info = Info(i);
    const absl::Status status = CheckScalarComputed(Of(info.op));
    if (!amd::isa::IsScalarAlu(info.encoding)) {
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      continue;
    }
    if (status.ok()) {
      ++computed;
      EXPECT_NE(info.encoding, Encoding::kSopp);
    } else if (info.encoding != Encoding::kSopp) {
      EXPECT_NE(status.message().find(info.mnemonic), std::string::npos);
      refused.insert(std::string(info.mnemonic));
    }
  }
  const std::set<std::string> state = {"s_version",
                                       "s_getreg_b32",
                                       "s_setreg_b32",
                                       "s_setreg_imm32_b32",
                                       "s_call_b64",
                                       "s_waitcnt_vscnt",
                                       "s_waitcnt_vmcnt",
                                       "s_waitcnt_expcnt",
                                       "s_waitcnt_lgkmcnt",
                                       "s_subvector_loop_begin",
                                       "s_subvector_loop_end",
                                       "s_getpc_b64",
                                       "s_setpc_b64",
                                       "s_swappc_b64",
                                       "s_rfe_b64"};
  EXPECT_EQ(refused, state);
  EXPECT_EQ(computed, 146);  // README.md has this count
}

// SCC and exec stay unless the opcode's flags say that they are written.
TEST(Scalar, ChangesNoMoreThanTheTableSays) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpcodeInfo& info = Info(i);
    if (!CheckScalarComputed(Of(info.op)).ok()) continue;
    for (const uint64_t a : {0ull, 5ull, 0xffffffffull}) {
      for (const bool scc : {false, true}) {
        const ScalarResult r = EvaluateScalar(Of(info.op), {{a, 3}, scc, 9, 0xff});
        const bool writes_scc = info.Has(amd::isa::opcode_flag::kSccW),
                   writes_exec = info.Has(amd::isa::opcode_flag::kExecW),
                   is_wide = amd::isa::Dwords(info.dst) == 2;
        EXPECT_TRUE(writes_scc || r.scc == scc) << info.mnemonic;
        EXPECT_TRUE(writes_exec || r.exec == 0xff) << info.mnemonic;
        EXPECT_TRUE(is_wide || r.value >> 32 == 0) << info.mnemonic;
      }
    }
  }
}

TEST(Scalar, Sums) {
  Expect(Opcode::kSAddI32, 0x7fffffff, 1, 0x80000000, true);
  Expect(Opcode::kSAddI32, 0xffffffff, 1, 0, false);
  Expect(Opcode::kSSubI32, 0x80000000, 1, 0x7fffffff, true);
  Expect(Opcode::kSLshl2AddU32, 0x40000000, 1, 1, true);
  Expect(Opcode::kSLshl4AddU32, 1, 0xfffffff0, 0, true);
  Expect(Opcode::kSLshl1AddU32, 3, 1, 7, false);
  Expect(Opcode::kSAbsdiffI32, 3, 5, 2, true);
  Expect(Opcode::kSAbsI32, 0x80000000, 0, 0x80000000, true);
  Expect(Opcode::kSMinI32, 0xffffffff, 1, 0xffffffff, true);
  Expect(Opcode::kSMaxU32, 1, 0xffffffff, 0xffffffff, false);
  const ScalarResult carry = Compute(Opcode::kSAddcU32, 0xffffffff, 0, true);
  EXPECT_EQ(carry.value, 0u);
  EXPECT_TRUE(carry.scc);
  const ScalarResult borrow = Compute(Opcode::kSSubbU32, 5, 5, true);
  EXPECT_EQ(borrow.value, 0xffffffffu);
  EXPECT_TRUE(borrow.scc);
}

TEST(Scalar, FieldsAndBits) {
  Expect(Opcode::kSBfeU32, 0x12345678, 8 << 16 | 4, 0x67, true);
  Expect(Opcode::kSBfeI32, 0x00000080, 8 << 16, 0xffffff80, true);
  Expect(Opcode::kSBfeU32, 0x12345678, 32 << 16, 0x12345678, true);
  Expect(Opcode::kSBfeU32, 0x12345678, 4, 0, false);
  // How the hardware's lane masks of counts are made (Mesa's merged shaders).
  Expect(Opcode::kSBfeU64, ~uint64_t{0}, 64u << 16, ~uint64_t{0}, true);
  Expect(Opcode::kSBfeU64, ~uint64_t{0}, 5u << 16, 0x1f, true);
  Expect(Opcode::kSBfeI64, 0x8000000000, 8u << 16 | 32, 0xffffffffffffff80, true);
  Expect(Opcode::kSBfmB32, 4, 8, 0xf00, false);
  Expect(Opcode::kSBfmB64, 33, 1, 0x3fffffffe, false);
  Expect(Opcode::kSFf0I32B32, 0xffffffff, 0, 0xffffffff, false);
  Expect(Opcode::kSFf0I32B64, 0xffffffff, 0, 32, false);
  Expect(Opcode::kSFlbitI32B32, 0x00010000, 0, 15, false);
  Expect(Opcode::kSFlbitI32B64, 1, 0, 63, false);
  Expect(Opcode::kSFlbitI32, 0xfffffffe, 0, 31, false);
  Expect(Opcode::kSFlbitI32I64, ~uint64_t{0}, 0, 0xffffffff, false);
  Expect(Opcode::kSBcnt0I32B32, 0xff, 0, 24, true);
  Expect(Opcode::kSSextI32I8, 0x80, 0, 0xffffff80, false);
  Expect(Opcode::kSSextI32I16, 0x18000, 0, 0xffff8000, false);
  Expect(Opcode::kSWqmB32, 0x00100001, 0, 0x00f0000f, true);
  Expect(Opcode::kSQuadmaskB64, 0xf000000000000010, 0, 0x8002, true);
  Expect(Opcode::kSBitreplicateB64B32, 0x80000005, 0, 0xc000000000000033, false);
  Expect(Opcode::kSBitcmp1B64, uint64_t{1} << 40, 40, 0, true);
  Expect(Opcode::kSBitcmp0B32, 1, 32, 0, false);
  Expect(Opcode::kSPackLhB32B16, 0x11112222, 0x33334444, 0x33332222, false);
  Expect(Opcode::kSPackHhB32B16, 0x11112222, 0x33334444, 0x33331111, false);
  EXPECT_EQ(EvaluateScalar(Of(Opcode::kSBitset0B32), {{4, 0}, false, 0xff, 0}).value, 0xefu);
  EXPECT_EQ(EvaluateScalar(Of(Opcode::kSBitset1B64), {{40, 0}, false, 1, 0}).value, 0x10000000001u);
}

TEST(Scalar, Logic) {
  Expect(Opcode::kSAndn2B32, 6, 3, 4, true);
  Expect(Opcode::kSOrn2B64, 1, ~uint64_t{2}, 3, true);
  Expect(Opcode::kSNandB32, 0xffffffff, 0xffffffff, 0, false);
  Expect(Opcode::kSNorB64, 1, 2, ~uint64_t{3}, true);
  Expect(Opcode::kSXnorB32, 5, 5, 0xffffffff, true);
  EXPECT_EQ(Compute(Opcode::kSCselectB64, 1, 2, true).value, 1u);
  EXPECT_EQ(Compute(Opcode::kSCselectB32, 1, 2, false).value, 2u);
  EXPECT_EQ(EvaluateScalar(Of(Opcode::kSCmovB32), {{1, 0}, false, 7, 0}).value, 7u);
  EXPECT_EQ(EvaluateScalar(Of(Opcode::kSCmovB64), {{1, 0}, true, 7, 0}).value, 1u);
}

// s_*_saveexec: the old mask, and SCC of the new one. In s_andn1, the source is inverted; in
// s_andn2 exec is.
TEST(Scalar, ExecMasks) {
  struct Case {
    Opcode op;
    uint64_t value, exec;
    bool scc;
  };
  const Case cases[] = {
      {Opcode::kSAndSaveexecB32, 0xc, 0x8, true},   {Opcode::kSOrSaveexecB64, 0xc, 0xe, true},
      {Opcode::kSXorSaveexecB32, 0xc, 0x6, true},   {Opcode::kSAndn1SaveexecB32, 0xc, 0x4, true},
      {Opcode::kSAndn2SaveexecB32, 0xc, 0x2, true}, {Opcode::kSAndn1WrexecB64, 0x4, 0x4, true},
      {Opcode::kSAndn2WrexecB32, 0x2, 0x2, true}};
  for (const Case& c : cases) {
    const ScalarResult r = EvaluateScalar(Of(c.op), {{0xa, 0}, false, 0, 0xc});
    EXPECT_EQ(r.value, c.value) << Info(c.op).mnemonic;
    EXPECT_EQ(r.exec, c.exec) << Info(c.op).mnemonic;
    EXPECT_EQ(r.scc, c.scc);
  }
  const ScalarResult none = EvaluateScalar(Of(Opcode::kSAndSaveexecB64), {{0x3, 0}, true, 0, 0xc});
  EXPECT_FALSE(none.scc);
  EXPECT_EQ(none.exec, 0u);
}

TEST(Scalar, ConstantsOfSopk) {
  const auto run = [](Opcode op, uint16_t simm, uint64_t a, uint64_t old, bool scc = false) {
    return EvaluateScalar(Of(op, simm), {{a, 0}, scc, old, 0});
  };
  EXPECT_EQ(run(Opcode::kSMovkI32, 0xffff, 0, 0).value, 0xffffffffu);
  EXPECT_EQ(run(Opcode::kSCmovkI32, 5, 0, 9, false).value, 9u);
  EXPECT_EQ(run(Opcode::kSCmovkI32, 5, 0, 9, true).value, 5u);
  EXPECT_TRUE(run(Opcode::kSCmpkEqI32, 0xffff, 0xffffffff, 0).scc);
  EXPECT_FALSE(run(Opcode::kSCmpkEqU32, 0xffff, 0xffffffff, 0).scc);
  EXPECT_TRUE(run(Opcode::kSCmpkGtU32, 0xffff, 0x10000, 0).scc);
  EXPECT_TRUE(run(Opcode::kSCmpkLtI32, 0, 0xffffffff, 0).scc);
  EXPECT_TRUE(run(Opcode::kSAddkI32, 1, 0, 0x7fffffff).scc);
  EXPECT_EQ(run(Opcode::kSAddkI32, 0xffff, 0, 5).value, 4u);
  EXPECT_EQ(run(Opcode::kSMulkI32, 0xfffe, 0, 5).value, 0xfffffff6u);
}

}  // namespace
}  // namespace kiln::sim::rdna2::alu
