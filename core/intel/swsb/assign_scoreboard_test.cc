// Tests of the scoreboard pass: small programs with known answers, and random programs. The latter
// are judged by executing them along random paths against the rules themselves (Executor of
// waits/testing.h), which share nothing with the pass but the register footprints.
#include "core/intel/swsb/assign_scoreboard.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/intel/swsb/encoding.h"
#include "core/intel/waits/testing.h"

namespace kiln::intel::swsb {
namespace {

using namespace waits::testing;  // NOLINT: the vocabulary of these tests

Program MakeProgram(const std::vector<Instruction>& insts) {
  Program program(kGen);
  for (const Instruction& inst : insts) program.Append(inst);
  return program;
}

std::string Bytes(const Program& program) {
  std::string out;
  for (const Instruction& inst : program.insts) {
    if (!out.empty()) out += " ";
    if (inst.op == Opcode::kSync) {
      out += inst.sync == isa::SyncFunction::kAllRd   ? "rd" + std::to_string(inst.src[0].imm)
             : inst.sync == isa::SyncFunction::kAllWr ? "wr" + std::to_string(inst.src[0].imm)
                                                      : "nop";
      out += ":";
    }
    static const char* kHex = "0123456789abcdef";
    out += kHex[inst.swsb >> 4];
    out += kHex[inst.swsb & 15];
  }
  return out;
}

std::string Annotated(Program program) {
  const auto stats = AssignScoreboard(program);
  return stats.ok() ? Bytes(program) : std::string(stats.status().message());
}

TEST(Swsb, InOrderReadAfterWriteGetsADistance) {
  EXPECT_EQ(Annotated(MakeProgram({Alu(10, 1, 2), Alu(11, 1, 2), Alu(12, 10, 2)})), "00 00 02");
}

TEST(Swsb, InOrderWriteAfterReadNeedsNothing) {
  EXPECT_EQ(Annotated(MakeProgram({Alu(10, 1, 2), Alu(1, 3, 4)})), "00 00");
}

TEST(Swsb, OutOfOrderWriteAfterInOrderReadWaits) {
  EXPECT_EQ(Annotated(MakeProgram({Alu(10, 1, 2), Load(1, 5)})), "00 90");
}

// Positions have 16 bits and restart in very long blocks. No pending producer is forgotten there,
// and no old one becomes near.
TEST(Swsb, LongBlocksCountOn) {
  Program program(kGen);
  for (int i = 0; i < 70000; ++i) program.Append(Alu(10 + i % 4, 10 + (i + 1) % 4, 2));
  ASSERT_TRUE(AssignScoreboard(program).ok());
  ASSERT_EQ(program.insts.size(), 70000u);
  for (int i = 3; i < 70000; ++i) ASSERT_EQ(program.insts[i].swsb, Distance(3)) << i;
}

TEST(Swsb, OldWritersOfLongBlocksNeedNothing) {
  Program program(kGen);
  program.Append(Alu(10, 1, 2));
  for (int i = 1; i < 65536; ++i) program.Append(Alu(11, 1, 2));
  program.Append(Alu(12, 10, 2));
  ASSERT_TRUE(AssignScoreboard(program).ok());
  for (const Instruction& inst : program.insts) ASSERT_EQ(inst.swsb, 0);
}

TEST(Swsb, DistancesBeyondThePipelineNeedNothing) {
  std::vector<Instruction> insts = {Alu(10, 1, 2)};
  for (int i = 0; i < 9; ++i) insts.push_back(Alu(40 + i, 1, 2));
  std::vector<Instruction> longer = insts;
  insts.push_back(Alu(60, 10, 2));  // distance 10: the byte holds at most 7
  longer.push_back(Alu(49, 1, 2));
  longer.push_back(Alu(60, 10, 2));  // distance 11
  EXPECT_EQ(Annotated(MakeProgram(insts)).substr(30), "07");
  EXPECT_EQ(Annotated(MakeProgram(longer)).substr(33), "00");
}

TEST(Swsb, TokenOfALoadIsWaitedForOnce) {
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5), Alu(11, 10, 2), Alu(12, 10, 3)})), "40 20 00");
}

TEST(Swsb, AFenceWaitsForTheAnswersOfMessages) {
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5), Fence(20)})), "40 nop:20 41");
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5), Load(11, 6), Fence(20)})), "40 41 wr3:00 42");
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5), Alu(12, 10, 3), Fence(20)})), "40 20 41");
  EXPECT_EQ(Annotated(MakeProgram({Store(5, 6), Fence(20)})), "40 41") << "it has no answer";
  EXPECT_EQ(Annotated(MakeProgram({Math(5, 6), Fence(20)})), "40 41");
}

TEST(Swsb, SourceWaitClearsReadsOnly) {
  // The load reads r5 and writes r10; writing r5 waits for the read, reading r10 still waits.
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5), Alu(5, 1, 2), Alu(12, 10, 3)})), "40 30 20");
  // The destination wait implies the sources were read.
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5), Alu(12, 10, 3), Alu(5, 1, 2)})), "40 20 00");
}

TEST(Swsb, DistanceAndTokenShareAByte) {
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5), Alu(11, 1, 2), Alu(12, 10, 11)})), "40 00 90");
}

TEST(Swsb, TwoTokensTakeOneSync) {
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5), Load(11, 6), Alu(12, 10, 11)})), "40 41 nop:21 20");
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5), Load(11, 6), Store(10, 11)})), "40 41 wr3:00 42");
  // A destination and a source: the mask instruction's own byte takes the second wait.
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5), Store(6, 7), Load(7, 10)})), "40 41 rd2:20 42");
}

// Setting a token waits for its former user: a loop that loads into the same register.
TEST(Swsb, ATokenUsedAgainIsWaitedForByItself) {
  Program program(kGen);
  program.Append(Load(10, 5));
  program.Append(Branch(Opcode::kWhile), {0, isa::kNoTarget});
  EXPECT_EQ(Annotated(program), "40 00");  // r10 is written again: no further wait
}

// After a wait for a message's sources, its token stays in use until its response has come.
TEST(Swsb, ATokenIsFreeWhenItsAnswerHasCome) {
  std::vector<Instruction> insts;
  for (int t = 0; t < kTokens; ++t) insts.push_back(Load(20 + t, 50 + t));
  insts.push_back(Alu(50, 1, 2));   // writes a register that the first one reads
  insts.push_back(Alu(51, 21, 2));  // reads the response of the second
  insts.push_back(Load(60, 70));
  for (int t = 0; t < kTokens; ++t) insts.push_back(Alu(80 + t, 20 + t, 60));
  Program program = MakeProgram(insts);
  ASSERT_TRUE(AssignScoreboard(program).ok());
  for (const Instruction& inst : program.insts) {
    if (isa::IsSend(inst.op) && inst.dst.nr == 60) {
      EXPECT_EQ(inst.swsb & 0xf, 1);
    }
  }
}

TEST(Swsb, MathIsOutOfOrder) {
  EXPECT_EQ(Annotated(MakeProgram({Alu(5, 1, 2), Math(10, 5), Alu(11, 10, 10)})), "00 90 20");
}

TEST(Swsb, EndOfThreadTakesNoToken) {
  EXPECT_EQ(Annotated(MakeProgram({Alu(127, 1, 2, true), EndOfThread(127)})), "00 01");
  // Always distance 1 and nothing else (Wa_14013672992).
  EXPECT_EQ(Annotated(MakeProgram({EndOfThread(127)})), "01");
  EXPECT_EQ(Annotated(MakeProgram({Load(126, 5, true), EndOfThread(126)})), "40 nop:20 01");
}

// Wa_1407528679: a masked instruction cannot carry the wait for a NoMask producer.
TEST(Swsb, NoMaskProducersAreWaitedForByNoMaskInstructions) {
  EXPECT_EQ(Annotated(MakeProgram({Alu(10, 1, 2, true), Alu(11, 10, 2)})), "00 nop:01 00");
  EXPECT_EQ(Annotated(MakeProgram({Alu(10, 1, 2, true), Alu(11, 10, 2, true)})), "00 01");
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5, true), Alu(11, 10, 2)})), "40 nop:20 00");
  // The masked wait does not clear; the NoMask one does.
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5, true), Alu(11, 10, 2), Alu(12, 10, 2)})),
            "40 nop:20 00 00");
}

// A store before an if reads r10. The masked wait inside is skipped when the block runs with all
// channels off, so the NoMask write after it must wait itself. Outside of control flow the masked
// wait is enough.
TEST(Swsb, MaskedWaitsInSkippedBlocksDoNotCoverNoMaskConsumers) {
  Program program(kGen);
  program.Append(Store(5, 10));
  program.Append(Branch(Opcode::kIf), {4, 4});
  program.Append(Alu(10, 1, 2));
  program.Append(Alu(10, 3, 4, true));
  program.Append(Branch(Opcode::kEndif), {5, isa::kNoTarget});
  EXPECT_EQ(Annotated(program), "40 00 30 30 00");
  EXPECT_EQ(Annotated(MakeProgram({Store(5, 10), Alu(10, 1, 2), Alu(10, 3, 4, true)})), "40 30 00");
}

// The same wait covers, for all consumers, a masked producer of its own block: either both have run
// or neither.
TEST(Swsb, MaskedWaitsInSkippedBlocksCoverProducersOfTheirBlock) {
  Program program(kGen);
  program.Append(Branch(Opcode::kIf), {5, 5});
  program.Append(Math(10, 1));
  program.Append(Alu(11, 10, 2));
  program.Append(Alu(12, 10, 2, true));
  program.Append(Store(20, 21));
  program.Append(Branch(Opcode::kEndif), {6, isa::kNoTarget});
  EXPECT_EQ(Annotated(program), "00 40 20 00 41 00");
  // The same holds for a wait for the sources of the block's own message.
  program.insts[1] = Store(5, 10);
  program.insts[2] = Alu(10, 1, 2);
  program.insts[3] = Alu(10, 3, 4, true);
  EXPECT_EQ(Annotated(program), "00 40 30 00 41 00");
}

// This does not hold after another jump: the wait's block may be skipped where the producer's was
// not. Nor does it hold for a producer after the wait, in an earlier iteration.
TEST(Swsb, MaskedWaitsInSkippedBlocksDoNotCoverProducersOfOtherBlocks) {
  Program program(kGen);
  program.Append(Branch(Opcode::kIf), {6, 6});
  program.Append(Math(10, 1));
  program.Append(Branch(Opcode::kIf), {5, 5});
  program.Append(Alu(11, 10, 2));
  program.Append(Alu(12, 10, 2, true));
  program.Append(Branch(Opcode::kEndif), {6, isa::kNoTarget});
  program.Append(Branch(Opcode::kEndif), {7, isa::kNoTarget});
  EXPECT_EQ(Annotated(program), "00 40 00 20 20 00 00");
  Program loop(kGen);
  loop.Append(Alu(11, 10, 2));
  loop.Append(Alu(12, 10, 2, true));
  loop.Append(Math(10, 1));
  loop.Append(Branch(Opcode::kWhile), {0, isa::kNoTarget});
  EXPECT_EQ(Annotated(loop), "20 20 nop:01 40 00");
}

// An earlier producer with the same token stays in flight if the block is skipped.
TEST(Swsb, ATokenOfTheBlockThatWasInUseBeforeIsNotCovered) {
  Program program(kGen);
  program.Append(Math(10, 1));
  for (int i = 1; i < kTokens; ++i) program.Append(Math(20 + i, 60));
  program.Append(Branch(Opcode::kIf), {20, 20});
  program.Append(Math(10, 2));  // gets a token of those before, since all are in use
  program.Append(Alu(11, 10, 3));
  program.Append(Alu(12, 10, 3, true));
  program.Append(Branch(Opcode::kEndif), {21, isa::kNoTarget});
  for (int i = 1; i < kTokens; ++i) program.Append(Alu(40, 20 + i, 3));
  ASSERT_TRUE(AssignScoreboard(program).ok());
  int32_t at = 0;
  while (!(program.insts[at].no_mask && program.insts[at].op == Opcode::kAdd)) ++at;
  const bool by_itself = program.insts[at].swsb >> 4 == 2;
  const bool by_sync = program.insts[at - 1].op == Opcode::kSync;
  EXPECT_TRUE(by_itself || by_sync) << Bytes(program);
}

TEST(Swsb, SyncOnARegisterBecomesAPlainWait) {
  Instruction sync;
  sync.op = Opcode::kSync;
  sync.no_mask = true;
  sync.src[0] = Reg(10, {0, 1, 0});
  Program program = MakeProgram({Load(10, 5, true), sync});
  ASSERT_TRUE(AssignScoreboard(program).ok());
  EXPECT_EQ(Bytes(program), "40 nop:20");
  EXPECT_EQ(program.insts[1].src[0].file, isa::File::kArf);
}

TEST(Swsb, SyncAllwrOfTheInputClearsTokens) {
  Instruction sync;
  sync.op = Opcode::kSync;
  sync.sync = isa::SyncFunction::kAllWr;
  sync.no_mask = true;
  sync.src[0] = Null();
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5), sync, Alu(11, 10, 5)})), "40 wr0:00 00");
  sync.no_mask = false;
  EXPECT_EQ(Annotated(MakeProgram({Load(10, 5, true), sync, Alu(11, 10, 5)})),
            "40 wr0:00 nop:20 00");
}

TEST(Swsb, ControlRegisterIsGuardedOnBothSides) {
  Instruction set = Alu(0, 1, 2, true);
  set.op = Opcode::kOr;
  set.exec_size = 1;
  set.dst = Null();
  set.dst.arf = isa::Arf::kControl;
  set.dst.type = Type::kUD;
  Program program = MakeProgram({Alu(10, 1, 2, true), set, Alu(11, 3, 4, true)});
  EXPECT_EQ(Annotated(program), "00 01 01");
}

TEST(Swsb, FlagsNeedNothing) {
  Instruction cmp = Alu(0, 1, 2);
  cmp.op = Opcode::kCmp;
  cmp.cmod = isa::CondMod::kL;
  cmp.dst = Null();
  Instruction use = Alu(10, 3, 4);
  use.pred = isa::PredCtrl::kNormal;
  EXPECT_EQ(Annotated(MakeProgram({cmp, use})), "00 00");
}

TEST(Swsb, JoinTakesTheUnion) {
  // if: r10 loaded in the then-branch only; read after endif.
  Program program(kGen);
  program.Append(Branch(Opcode::kIf), {2, 2});
  program.Append(Load(10, 5));
  program.Append(Branch(Opcode::kEndif), {3, isa::kNoTarget});
  program.Append(Alu(11, 10, 2));
  EXPECT_EQ(Annotated(program), "00 40 00 20");
}

TEST(Swsb, LoopCarriedDependencyIsFound) {
  // r10 is loaded at the end of the body and read at its start.
  Program program(kGen);
  program.Append(Alu(11, 10, 2));
  program.Append(Load(10, 5));
  program.Append(Branch(Opcode::kWhile), {0, isa::kNoTarget});
  const auto stats = AssignScoreboard(program);
  ASSERT_TRUE(stats.ok());
  EXPECT_EQ(Bytes(program), "20 90 00");
  EXPECT_LE(stats->iterations, 4);
}

TEST(Swsb, InsertedSyncIsReachedByBranchesToItsInstruction) {
  Program program(kGen);
  program.Append(Alu(11, 10, 12));
  program.Append(Load(10, 5));
  program.Append(Load(12, 6));
  program.Append(Branch(Opcode::kWhile), {0, isa::kNoTarget});
  ASSERT_TRUE(AssignScoreboard(program).ok());
  ASSERT_EQ(program.insts[0].op, Opcode::kSync);
  EXPECT_EQ(program.targets[4].jip, 0);
}

TEST(Swsb, UnlistedIndirectOperandWaitsForEverything) {
  Instruction move = Alu(11, 0, 0);
  move.op = Opcode::kMov;
  move.src[0] = Reg(0, {isa::Region::kVxH, 1, 0});
  move.src[0].indirect = true;
  move.src[1] = Operand{};
  Program program = MakeProgram({Load(40, 5), move});
  EXPECT_EQ(Annotated(program), "40 20");
  program.indirect.push_back({1, {50, 4}});
  EXPECT_EQ(Annotated(program), "40 00");
}

TEST(Swsb, RandomProgramsKeepTheRulesOnEveryPathTried) {
  int syncs = 0, instructions = 0, reused = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 rng(seed);
    Program program(kGen);
    RandomBody(rng, program, 3, seed % 2 == 0 ? 6 : 40);
    instructions += program.Next();
    const auto stats = AssignScoreboard(program);
    ASSERT_TRUE(stats.ok()) << stats.status();
    syncs += stats->syncs;
    reused += stats->reused_tokens;
    for (int path = 0; path < 40; ++path) {
      ASSERT_EQ(Executor(program).Path(rng, 600), "") << "seed " << seed;
    }
  }
  EXPECT_GT(syncs, 0);
  EXPECT_GT(reused, 0);  // the choice among busy tokens has occurred
  EXPECT_GT(instructions, 5000);
}

// The judge must notice missing waits: a program without one of its waits breaks the rules. Removes
// one wait at a time. The programs have no NoMask instructions, since waits that only skipped
// blocks need are rarely on a path that is tried.
TEST(Swsb, RemovingAWaitIsNoticed) {
  int removed = 0, noticed = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 rng(seed);
    Program program(kGen);
    RandomBody(rng, program, 2, 6, 0);
    ASSERT_TRUE(AssignScoreboard(program).ok());
    for (Instruction& inst : program.insts) {
      const uint8_t waits = inst.swsb;
      const bool own = IsOutOfOrder(inst) ? (waits & 0x80) != 0 : waits != 0;
      if (!own) continue;
      inst.swsb = IsOutOfOrder(inst) ? SetToken(waits & 15) : 0;
      ++removed;
      for (int path = 0; path < 300; ++path) {
        if (!Executor(program).Path(rng, 400).empty()) {
          ++noticed;
          break;
        }
      }
      inst.swsb = waits;
    }
  }
  EXPECT_GT(removed, 200);
  EXPECT_GE(noticed, removed * 9 / 10) << removed;
}

TEST(Swsb, SameProgramSameBytes) {
  std::mt19937 rng(7);
  Program a(kGen);
  RandomBody(rng, a, 3, 8);
  Program b = a;
  ASSERT_TRUE(AssignScoreboard(a).ok());
  ASSERT_TRUE(AssignScoreboard(b).ok());
  EXPECT_EQ(*isa::Finalise(a), *isa::Finalise(b));
}

TEST(Swsb, CallsAreRefusedByName) {
  Program program = MakeProgram({Branch(Opcode::kRet)});
  EXPECT_EQ(AssignScoreboard(program).status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace kiln::intel::swsb
