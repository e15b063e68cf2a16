// Bytes: distances, islands, constant data, padding.
#include "core/amd/emit/finalise.h"

#include <cstring>
#include <vector>

#include "core/amd/emit/program.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/disasm.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

Row RowOf(Opcode op, int target = Row::kNoTarget) {
  Row row;
  row.inst.op = op;
  row.target = target;
  return row;
}
Row Nop() { return RowOf(Opcode::kSNop); }
Row End() { return RowOf(Opcode::kSEndpgm); }

std::vector<isa::PlacedInstruction> Decoded(const Binary& binary) {
  const auto decoded =
      isa::DecodeProgram(absl::MakeConstSpan(binary.bytes.data(), binary.data_offset));
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *decoded : std::vector<isa::PlacedInstruction>();
}

// Follows branches from the instruction at index `at` until one that is none; returns its offset.
int64_t Arrival(const std::vector<isa::PlacedInstruction>& program, size_t at, int* hops) {
  while (true) {
    const int64_t to = isa::BranchTarget(program[at]);
    ++*hops;
    at = 0;
    while (at < program.size() && program[at].offset != to) ++at;
    if (at == program.size()) return -1;
    if (program[at].inst.op != Opcode::kSBranch) return to;
  }
}

TEST(FinaliseTest, DistancesCountFromTheEndOfTheBranch) {
  Program program;
  program.rows = {Nop(), RowOf(Opcode::kSCbranchScc0, 3), RowOf(Opcode::kSBranch, 0), End()};
  const auto binary = Finalise(program, {});
  ASSERT_TRUE(binary.ok()) << binary.status();
  const auto decoded = Decoded(*binary);
  EXPECT_EQ(decoded[1].inst.simm, 1);
  EXPECT_EQ(decoded[2].inst.simm, 0xfffd);
  EXPECT_EQ(binary->instruction_bytes, 16u);
  ASSERT_EQ(decoded.size(), 9u);
  for (size_t i = 4; i < 9; ++i) EXPECT_EQ(decoded[i].inst.op, Opcode::kSCodeEnd);
}

TEST(FinaliseTest, ConstantDataFollowsThePadding) {
  Program program;
  Row getpc = RowOf(Opcode::kSGetpcB64);
  getpc.inst.dst = isa::Sgpr(2);
  Row add = RowOf(Opcode::kSAddU32);
  add.inst.dst = add.inst.src[0] = isa::Sgpr(2);
  add.inst.src[1] = isa::Source(isa::kLiteralCode);
  add.inst.literal = 8;  // an offset into the data
  add.constant_address = true;
  program.rows = {Nop(), getpc, add, End()};
  const std::vector<uint8_t> data = {1, 2, 3, 4};
  const auto binary = Finalise(program, data);
  ASSERT_TRUE(binary.ok()) << binary.status();
  const std::vector<isa::PlacedInstruction> decoded = Decoded(*binary);
  for (size_t i = 0; i < binary->program.size(); ++i) {
    EXPECT_EQ(binary->program[i].offset, decoded[i].offset);
    EXPECT_EQ(binary->program[i].length, decoded[i].length);
    EXPECT_EQ(binary->program[i].inst, decoded[i].inst);
  }
  EXPECT_EQ(binary->data_offset, 48u);  // 20 of instructions, 20 of padding, aligned to 16
  EXPECT_EQ(binary->bytes.size(), 52u);
  EXPECT_EQ(binary->bytes[48], 1);
  // s_getpc_b64 gives the address of the sum, byte 8.
  EXPECT_EQ(Decoded(*binary)[2].inst.literal, 48u - 8u + 8u);
}

TEST(FinaliseTest, NotesLocations) {
  Program program;
  Row load = RowOf(Opcode::kSLoadDwordx4);
  load.inst.dst = isa::Sgpr(8);
  load.inst.src[0] = isa::Sgpr(0);
  load.spirv_id = 5;
  Row move = RowOf(Opcode::kVMovB32);
  move.inst.dst = isa::Vgpr(40);
  move.inst.src[0] = isa::Sgpr(9);
  move.spirv_id = 7;
  program.rows = {load, move, move, End()};
  const auto binary = Finalise(program, {});
  ASSERT_TRUE(binary.ok()) << binary.status();
  ASSERT_EQ(binary->locations.size(), 3u);
  EXPECT_EQ(binary->locations[1].offset, 8u);
  EXPECT_EQ(binary->locations[1].spirv_id, 7u);
}

// Beyond the 16 bits of a distance, in both directions.
TEST(FinaliseTest, FarBranchesHop) {
  constexpr int kNops = 100000;
  Program program;
  program.rows.push_back(RowOf(Opcode::kSCbranchScc0, kNops + 2));
  program.rows.insert(program.rows.end(), kNops, Nop());
  program.rows.push_back(RowOf(Opcode::kSCbranchScc1, 0));
  program.rows.push_back(End());
  const auto binary = Finalise(program, {});
  ASSERT_TRUE(binary.ok()) << binary.status();
  const auto decoded = Decoded(*binary);
  int hops = 0;
  EXPECT_EQ(Arrival(decoded, 0, &hops), binary->instruction_bytes - 4);
  EXPECT_EQ(hops, 4);
  size_t back = decoded.size();
  while (decoded[--back].inst.op != Opcode::kSCbranchScc1) continue;
  hops = 0;
  EXPECT_EQ(Arrival(decoded, back, &hops), 0);
  EXPECT_EQ(hops, 4);
  // Execution that falls into an island jumps over it.
  int nops = 0;
  for (size_t i = 1; decoded[i].inst.op != Opcode::kSCbranchScc1;) {
    nops += decoded[i].inst.op == Opcode::kSNop;
    if (decoded[i].inst.op != Opcode::kSBranch) {
      ++i;
      continue;
    }
    const int64_t to = isa::BranchTarget(decoded[i]);
    while (decoded[i].offset != to) ++i;
  }
  EXPECT_EQ(nops, kNops);
}

TEST(FinaliseTest, IslandsStayOutOfClauses) {
  Program program;
  program.rows.push_back(RowOf(Opcode::kSBranch, 60));
  for (int i = 0; i < 40; ++i) program.rows.push_back(Nop());
  Row clause = RowOf(Opcode::kSClause);
  clause.inst.simm = 17;
  program.rows.push_back(clause);
  Row load = RowOf(Opcode::kSLoadDword);
  load.inst.dst = isa::Sgpr(8);
  load.inst.src[0] = isa::Sgpr(0);
  for (int i = 0; i < 18; ++i) program.rows.push_back(load);
  program.rows.push_back(End());
  const auto binary = Finalise(program, {}, {.farthest = 60});
  ASSERT_TRUE(binary.ok()) << binary.status();
  const auto decoded = Decoded(*binary);
  size_t at = 0;
  while (decoded[at].inst.op != Opcode::kSClause) ++at;
  for (size_t i = 1; i <= 18; ++i) EXPECT_EQ(decoded[at + i].inst.op, Opcode::kSLoadDword);
  int hops = 0;
  EXPECT_EQ(Arrival(decoded, 0, &hops), binary->instruction_bytes - 4);
  EXPECT_GT(hops, 1);
}

TEST(FinaliseTest, TheEncodersRefusalIsNamed) {
  Program program;
  Row move = RowOf(Opcode::kVMovB32);
  move.inst.dst = isa::Sgpr(1);
  move.inst.src[0] = isa::Vgpr(1);
  program.rows = {move, End()};
  const auto binary = Finalise(program, {});
  EXPECT_EQ(binary.status().message(),
            "instruction 0 (id 0): v_mov_b32: dst: cannot hold operand 1");
}

}  // namespace
}  // namespace kiln::amd
