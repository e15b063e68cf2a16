#include "core/amd/perf/program.h"

#include <string>

#include "absl/strings/match.h"
#include "core/amd/perf/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Sgpr;
using isa::Vgpr;
using testing::Bytes;
using testing::End;
using testing::Make;
using testing::Placed;
using testing::WithImmediate;

Instruction Add() { return Make(Opcode::kVAddF32, Vgpr(0), Vgpr(0), Vgpr(1)); }
Instruction Branch(Opcode op, int dwords) {
  return WithImmediate(op, static_cast<uint16_t>(dwords));
}

// "loops.uniform.divergent" of each block.
std::string Depths(const std::vector<Block>& blocks) {
  std::string text;
  for (const Block& b : blocks) {
    if (!text.empty()) text += ' ';
    text += std::to_string(b.loops) + '.' + std::to_string(b.uniform_ifs) + '.' +
            std::to_string(b.divergent_ifs);
  }
  return text;
}

TEST(DecodeCode, EndsWhereCompilersPad) {
  std::vector<uint8_t> bytes = Bytes(
      {{Add(), End(), WithImmediate(Opcode::kSCodeEnd, 0), WithImmediate(Opcode::kSCodeEnd, 0)}});
  bytes.insert(bytes.end(), {0xff, 0xff, 0xff, 0xff});  // data, no instruction
  const auto program = DecodeCode(bytes);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->size(), 2u);
  EXPECT_EQ(BytesOf(*program), 8);
}

TEST(DecodeCode, RefusesWhatIsNoProgram) {
  EXPECT_EQ(DecodeCode({}).status().message(), "there is no instruction");
  std::vector<uint8_t> bytes = Bytes({{Add()}});
  bytes.insert(bytes.end(), {0xff, 0xff, 0xff, 0xff});
  const absl::Status s = DecodeCode(bytes).status();
  EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StartsWith(s.message(), "byte 4: ")) << s;
}

TEST(WaveShownBy, IsThatOfExec) {
  const Instruction all32 = Make(Opcode::kSMovB32, isa::Source(isa::kExecLo), isa::Source(193));
  const Instruction all64 = Make(Opcode::kSMovB64, isa::Source(isa::kExecLo), isa::Source(193));
  const Instruction save64 = Make(Opcode::kSAndSaveexecB64, Sgpr(0), Sgpr(2));
  const Instruction save32 = Make(Opcode::kSAndSaveexecB32, Sgpr(0), Sgpr(2));
  const Instruction other64 = Make(Opcode::kSMovB64, Sgpr(0), Sgpr(2));
  EXPECT_EQ(WaveShownBy(Placed({{all64, End()}})), isa::Wave::k64);
  EXPECT_EQ(WaveShownBy(Placed({{save64, End()}})), isa::Wave::k64);
  EXPECT_EQ(WaveShownBy(Placed({{all32, save32, other64, Add(), End()}})), isa::Wave::k32);
}

TEST(BlocksOf, AnIfWithAnElse) {
  const auto blocks = BlocksOf(Placed({{Add(), Branch(Opcode::kSCbranchScc0, 2), Add(),
                                        Branch(Opcode::kSBranch, 1), Add(), End()}}));
  EXPECT_EQ(Depths(blocks), "0.0.0 0.1.0 0.1.0 0.0.0");
  EXPECT_EQ(blocks[2].predecessors, std::vector<int32_t>({0}));
  EXPECT_EQ(blocks[3].predecessors, std::vector<int32_t>({1, 2}));
}

TEST(BlocksOf, ALoopWithABreakAndADivergentIf) {
  const auto blocks =
      BlocksOf(Placed({{Add(), Branch(Opcode::kSCbranchScc1, 4), Branch(Opcode::kSCbranchExecz, 1),
                        Add(), Add(), Branch(Opcode::kSBranch, -6), End()}}));
  EXPECT_EQ(Depths(blocks), "1.0.0 1.0.0 1.0.1 1.0.0 0.0.0");
  EXPECT_EQ(blocks[0].predecessors, std::vector<int32_t>({3}));
}

TEST(BlocksOf, AnExitSkipsNoSide) {
  const auto blocks =
      BlocksOf(Placed({{Branch(Opcode::kSCbranchScc0, 2), Add(), End(), Add(), End()}}));
  EXPECT_EQ(Depths(blocks), "0.0.0 0.0.0 0.0.0");
  EXPECT_EQ(blocks[2].predecessors, std::vector<int32_t>({0}));
}

TEST(BlocksOf, ABranchOutOfTheProgramLeadsNowhere) {
  const auto blocks = BlocksOf(Placed({{Branch(Opcode::kSCbranchScc0, 100), End()}}));
  EXPECT_EQ(Depths(blocks), "0.0.0");
}

}  // namespace
}  // namespace kiln::amd
