// Tests program.h.
#include "core/sim/rdna2/program.h"

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

TEST(ProgramTest, BranchesBecomeIndices) {
  const TestProgram p{.lanes = 32,
                      .body =
                          {
                              0xbf840002,              // s_cbranch_scc0 2
                              0x7e0202ff, 0x12345678,  // v_mov_b32_e32 v1, 0x12345678
                              0xbf82fffc,              // s_branch 65532
                              0xbf810000,              // s_endpgm
                          },
                      .whole = true};
  const auto program = Load(CodeOf(p), isa::Wave::k32);
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_EQ(program->ops.size(), 4u);
  EXPECT_EQ(program->ops[0].target, 2u);
  EXPECT_EQ(program->ops[1].bytes, 8u);
  EXPECT_EQ(program->ops[2].target, 0u);
  EXPECT_EQ(program->ops[3].target, Op::kNoTarget);
  EXPECT_EQ(*program->IndexOf(12), 2u);
  EXPECT_EQ(program->IndexOf(8).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Describe(program->ops[1], isa::Wave::k32), "offset 0x4: v_mov_b32_e32 v1, 0x12345678");
}

TEST(ProgramTest, BytesThatAreNoInstruction) {
  const std::vector<uint8_t> bytes(4, 0xff);
  EXPECT_EQ(Load(bytes, isa::Wave::k32).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace kiln::sim::rdna2
