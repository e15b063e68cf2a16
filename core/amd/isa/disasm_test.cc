#include "core/amd/isa/disasm.h"

#include <gtest/gtest.h>

#include "core/amd/isa/encode.h"
#include "core/amd/isa/examples.h"

namespace kiln::amd::isa {
namespace {

TEST(Disasm, ExamplesReadAsLlvmWritesThem) {
  for (const Example& example : Examples()) {
    const auto decoded = Decode(example.bytes);
    ASSERT_TRUE(decoded.ok()) << example.text << ": " << decoded.status();
    EXPECT_EQ(Disassemble(decoded->inst, Wave::k32), example.text);
    EXPECT_EQ(static_cast<size_t>(decoded->length), example.bytes.size()) << example.text;
  }
}

TEST(Disasm, LaneMasksAreNamedByTheWavesSize) {
  Instruction inst;
  inst.op = Opcode::kVCndmaskB32;
  inst.dst = Vgpr(1);
  inst.src[0] = Vgpr(2);
  inst.src[1] = Vgpr(3);
  EXPECT_EQ(Disassemble(inst, Wave::k32), "v_cndmask_b32_e32 v1, v2, v3, vcc_lo");
  EXPECT_EQ(Disassemble(inst, Wave::k64), "v_cndmask_b32_e32 v1, v2, v3, vcc");
  inst.form = Form::kVop3;
  inst.src[2] = Sgpr(4);
  EXPECT_EQ(Disassemble(inst, Wave::k32), "v_cndmask_b32_e64 v1, v2, v3, s4");
  EXPECT_EQ(Disassemble(inst, Wave::k64), "v_cndmask_b32_e64 v1, v2, v3, s[4:5]");
}

TEST(Disasm, BranchesWithinAProgramNameLabels) {
  Instruction nop, back, out, end;
  back.op = Opcode::kSCbranchScc1;
  back.simm = static_cast<uint16_t>(-2);  // to the nop
  out.op = Opcode::kSBranch;
  out.simm = 100;  // out of the program
  end.op = Opcode::kSEndpgm;
  const auto bytes = EncodeProgram({nop, back, out, end});
  ASSERT_TRUE(bytes.ok());
  const auto program = DecodeProgram(*bytes);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(BranchTarget((*program)[1]), 0);
  EXPECT_EQ(BranchTarget((*program)[2]), 412);
  EXPECT_EQ(BranchTarget((*program)[3]), -1);
  EXPECT_EQ(DisassembleProgram(*program, Wave::k32),
            "L0:\n  s_nop 0\n  s_cbranch_scc1 L0\n  s_branch 100\n  s_endpgm\n");
}

}  // namespace
}  // namespace kiln::amd::isa
