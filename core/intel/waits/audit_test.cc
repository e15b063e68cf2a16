// Tests the checker against known answers, and against programs from which waits were removed: it
// must report every removal that an execution along some path shows to be wrong.
#include "core/intel/waits/audit.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "core/intel/swsb/assign_scoreboard.h"
#include "core/intel/waits/testing.h"

namespace kiln::intel::waits {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests

Instruction With(Instruction inst, uint8_t swsb) {
  inst.swsb = swsb;
  return inst;
}

Instruction Sync(uint8_t swsb, bool no_mask = true) {
  Instruction sync;
  sync.op = Opcode::kSync;
  sync.no_mask = no_mask;
  sync.src[0].file = isa::File::kArf;
  sync.swsb = swsb;
  return sync;
}

Program Of(const std::vector<Instruction>& insts) {
  Program program(kGen);
  for (const Instruction& inst : insts) program.Append(inst);
  return program;
}

// Returns the missing waits as text; "" for none.
std::string Missing(const Program& program, Skipping skipping = Skipping::kPossible) {
  const auto missing = FindMissingWaits(program, skipping);
  if (!missing.ok()) return std::string(missing.status().message());
  std::string text;
  for (const MissingWait& m : *missing) text += Describe(program, m) + ";";
  return text;
}

std::vector<int32_t> Redundant(const Program& program) {
  const auto redundant = FindRedundantSyncs(program);
  return redundant.ok() ? *redundant : std::vector<int32_t>{-1};
}

TEST(Audit, InOrderResultsNeedADistance) {
  EXPECT_EQ(Missing(Of({Alu(10, 1, 2), Alu(11, 10, 2)})),
            "instruction 1 (add) does not wait for 0 (add): results not written;");
  EXPECT_EQ(Missing(Of({Alu(10, 1, 2), With(Alu(11, 10, 2), 0x01)})), "");
  // The distance covers only producers farther back.
  EXPECT_NE(Missing(Of({Alu(10, 1, 2), With(Alu(11, 10, 2), 0x02)})), "");
  // Two in-order instructions write in order.
  EXPECT_EQ(Missing(Of({Alu(10, 1, 2), Alu(10, 3, 4), Alu(1, 5, 6)})), "");
}

TEST(Audit, ThePipeIsTenDeep) {
  std::vector<Instruction> insts = {Alu(10, 1, 2)};
  for (int i = 0; i < 9; ++i) insts.push_back(Alu(40 + i, 1, 2));
  std::vector<Instruction> longer = insts;
  insts.push_back(Alu(60, 10, 2));
  longer.push_back(Alu(49, 1, 2));
  longer.push_back(Alu(60, 10, 2));
  EXPECT_NE(Missing(Of(insts)), "");
  EXPECT_EQ(Missing(Of(longer)), "");
}

TEST(Audit, TokensCoverResultsOrSources) {
  const Instruction load = With(Load(10, 5), 0x43);
  EXPECT_EQ(Missing(Of({load, Alu(11, 10, 2)})),
            "instruction 1 (add) does not wait for 0 (send): results not written;");
  EXPECT_EQ(Missing(Of({load, With(Alu(11, 10, 2), 0x23)})), "");
  EXPECT_NE(Missing(Of({load, With(Alu(11, 10, 2), 0x24)})), "");  // another token
  EXPECT_EQ(Missing(Of({load, Alu(5, 1, 2)})),
            "instruction 1 (add) does not wait for 0 (send): sources not read;");
  EXPECT_EQ(Missing(Of({load, With(Alu(5, 1, 2), 0x33)})), "");
  EXPECT_NE(Missing(Of({load, With(Alu(5, 1, 2), 0x33), Alu(11, 10, 2)})), "");
  // Setting the token again waits, too.
  EXPECT_EQ(Missing(Of({load, With(Load(20, 6), 0x43), Alu(11, 10, 2)})), "");
}

TEST(Audit, MasksOfSyncsCoverTheirTokens) {
  Instruction all = Sync(0);
  all.sync = isa::SyncFunction::kAllWr;
  all.src[0].file = isa::File::kImm;
  all.src[0].imm = 1 << 3;
  const Instruction load = With(Load(10, 5), 0x43);
  EXPECT_EQ(Missing(Of({load, all, Alu(11, 10, 2)})), "");
  all.src[0].imm = 1 << 2;
  EXPECT_NE(Missing(Of({load, all, Alu(11, 10, 2)})), "");
  all.src[0] = Operand{};
  EXPECT_EQ(Missing(Of({load, all, Alu(11, 10, 2)})), "");
}

// Wa_1407528679.
TEST(Audit, MaskedWaitsDoNotCoverNoMaskProducers) {
  const Instruction producer = Alu(10, 1, 2, true);
  EXPECT_NE(Missing(Of({producer, With(Alu(11, 10, 2), 0x01)})), "");
  EXPECT_EQ(Missing(Of({producer, Sync(0x01), Alu(11, 10, 2)})), "");
  EXPECT_EQ(Missing(Of({producer, With(Alu(11, 10, 2, true), 0x01)})), "");
}

TEST(Audit, AMaskedWaitInAnIfCoversNoNoMaskConsumer) {
  Program program(kGen);
  program.Append(With(Store(5, 10), 0x40));
  program.Append(Branch(Opcode::kIf), {4, 4});
  program.Append(With(Alu(10, 1, 2), 0x30));
  program.Append(Alu(10, 3, 4, true));
  program.Append(Branch(Opcode::kEndif), {5, isa::kNoTarget});
  EXPECT_NE(Missing(program), "");
  EXPECT_EQ(Missing(program, Skipping::kNever), "");
  EXPECT_EQ(Missing(Of({With(Store(5, 10), 0x40), With(Alu(10, 1, 2), 0x30), Alu(10, 3, 4, true)})),
            "");
}

TEST(Audit, AMaskedWaitInAnIfCoversWhatItsOwnBlockHasBegun) {
  Program program(kGen);
  program.Append(Branch(Opcode::kIf), {4, 4});
  program.Append(With(Math(10, 1), 0x40));
  program.Append(With(Alu(11, 10, 2), 0x20));
  program.Append(Alu(12, 10, 2, true));
  program.Append(Branch(Opcode::kEndif), {5, isa::kNoTarget});
  EXPECT_EQ(Missing(program), "");
  // After another jump.
  Program nested(kGen);
  nested.Append(Branch(Opcode::kIf), {6, 6});
  nested.Append(With(Math(10, 1), 0x40));
  nested.Append(Branch(Opcode::kIf), {5, 5});
  nested.Append(With(Alu(11, 10, 2), 0x20));
  nested.Append(Alu(12, 10, 2, true));
  nested.Append(Branch(Opcode::kEndif), {6, isa::kNoTarget});
  nested.Append(Branch(Opcode::kEndif), {7, isa::kNoTarget});
  EXPECT_EQ(Missing(nested),
            "instruction 4 (add) does not wait for 1 (math): results not written;");
  // The producer is in an earlier iteration.
  Program loop(kGen);
  loop.Append(With(Alu(11, 10, 2), 0x20));
  loop.Append(Alu(12, 10, 2, true));
  loop.Append(Sync(0x01));
  loop.Append(With(Math(10, 1), 0x40));
  loop.Append(Branch(Opcode::kWhile), {0, isa::kNoTarget});
  EXPECT_EQ(Missing(loop), "instruction 1 (add) does not wait for 3 (math): results not written;");
}

TEST(Audit, PathsJoinAndLoopsGoRound) {
  Program loop(kGen);
  loop.Append(Alu(11, 10, 2));
  loop.Append(With(Load(10, 5), 0x90));
  loop.Append(Branch(Opcode::kWhile), {0, isa::kNoTarget});
  EXPECT_EQ(Missing(loop), "instruction 0 (add) does not wait for 1 (send): results not written;");
  Program branch(kGen);
  branch.Append(Branch(Opcode::kIf), {2, 2});
  branch.Append(With(Load(10, 5), 0x40));
  branch.Append(Branch(Opcode::kEndif), {3, isa::kNoTarget});
  branch.Append(Alu(11, 10, 2));
  EXPECT_NE(Missing(branch), "");
}

TEST(Audit, RedundantSyncsAreThoseNoInstructionNeeds) {
  const Instruction load = With(Load(10, 5), 0x43);
  EXPECT_EQ(Redundant(Of({load, Sync(0x23), Alu(11, 10, 2)})), std::vector<int32_t>{});
  EXPECT_EQ(Redundant(Of({load, Sync(0x23), With(Alu(11, 10, 2), 0x23)})), std::vector<int32_t>{1});
  EXPECT_EQ(Redundant(Of({load, Sync(0x23), Alu(11, 1, 2)})), std::vector<int32_t>{1});
  // Around a loop.
  Program program(kGen);
  program.Append(Alu(11, 10, 2));
  program.Append(With(Load(10, 5), 0x90));
  program.Append(Sync(0x20));
  program.Append(Branch(Opcode::kWhile), {0, isa::kNoTarget});
  EXPECT_EQ(Redundant(program), std::vector<int32_t>{});
  program.insts[0].swsb = 0x20;
  EXPECT_EQ(Redundant(program), std::vector<int32_t>{2});
}

TEST(Audit, WaitingForAFenceIsNeverRedundant) {
  EXPECT_EQ(Redundant(Of({With(Fence(20), 0x40), Sync(0x20)})), std::vector<int32_t>{});
}

TEST(Audit, AFenceWaitsForAnswers) {
  const Instruction fence = With(Fence(20), 0x44);
  const Instruction load = With(Load(10, 5), 0x43);
  EXPECT_NE(Missing(Of({load, fence, Sync(0x24)})), "");
  EXPECT_NE(Missing(Of({load, Sync(0x33), fence, Sync(0x24)})), "");
  EXPECT_EQ(Missing(Of({load, Sync(0x23), fence, Sync(0x24)})), "");
  EXPECT_EQ(Redundant(Of({load, Sync(0x23), fence, Sync(0x24)})), std::vector<int32_t>{});
  EXPECT_EQ(Missing(Of({With(Math(11, 5), 0x43), fence, Sync(0x24)})), "");
  EXPECT_EQ(Missing(Of({With(Store(10, 5), 0x43), fence, Sync(0x24)})), "");
}

// A wait that can be removed: an instruction's own, or one bit of a sync's mask.
struct Removal {
  int32_t inst;
  Instruction without;
};

std::vector<Removal> Removals(const Program& program) {
  std::vector<Removal> all;
  for (int32_t i = 0; i < program.Next(); ++i) {
    const Instruction& inst = program.insts[i];
    const uint8_t s = inst.swsb;
    if (IsUnordered(inst)) {
      if ((s & 0x80) != 0) all.push_back({i, With(inst, static_cast<uint8_t>(0x40 | (s & 15)))});
    } else if (s != 0) {
      all.push_back({i, With(inst, 0)});
      if ((s & 0xf0) == 0x20) all.push_back({i, With(inst, static_cast<uint8_t>(0x30 | (s & 15)))});
    }
    if (inst.op != Opcode::kSync || inst.src[0].file != isa::File::kImm) continue;
    for (int t = 0; t < kTokens; ++t) {
      if ((inst.src[0].imm >> t & 1) == 0) continue;
      Removal r = {i, inst};
      r.without.src[0].imm &= ~(uint64_t{1} << t);
      all.push_back(r);
    }
  }
  return all;
}

// Programs of the scoreboard pass obey the rules. With one wait removed, the checker must notice
// every violation that execution notices. (The reverse need not hold: few of all paths are tried.)
TEST(Audit, NoticesEveryRemovalThatExecutionNotices) {
  int removed = 0, wrong = 0, noticed = 0, redundant = 0, syncs = 0;
  for (uint32_t seed = 0; seed < 16; ++seed) {
    std::mt19937 rng(seed);
    Program program(kGen);
    RandomBody(rng, program, 2, seed % 2 == 0 ? 6 : 24, seed % 3 == 0 ? 0 : 4);
    const auto stats = swsb::AssignScoreboard(program);
    ASSERT_TRUE(stats.ok());
    syncs += stats->syncs;
    ASSERT_EQ(Missing(program), "") << "seed " << seed;
    redundant += static_cast<int>(Redundant(program).size());
    for (const Removal& removal : Removals(program)) {
      Program mutant = program;
      mutant.insts[removal.inst] = removal.without;
      ++removed;
      bool breaks = false;
      for (int path = 0; path < 60 && !breaks; ++path) {
        breaks = !Executor(mutant).Path(rng, 300).empty();
      }
      if (!breaks) continue;
      ++wrong;
      if (!Missing(mutant).empty()) ++noticed;
    }
  }
  EXPECT_GT(wrong, 1000);
  EXPECT_EQ(noticed, wrong) << "of " << removed << " removals";
  EXPECT_EQ(redundant, 0) << "of " << syncs;
}

// The scoreboard pass inserts no redundant sync, also in loops, where a later iteration of its
// dataflow may make a wait of an earlier one redundant.
TEST(Audit, TheScoreboardPassInsertsNoRedundantSync) {
  int syncs = 0, refined = 0;
  std::string redundant;
  for (uint32_t seed = 0; seed < 150; ++seed) {
    std::mt19937 rng(seed);
    Program program(kGen);
    RandomBody(rng, program, 3, seed % 2 == 0 ? 6 : 24, static_cast<int>(seed % 3) * 2);
    const auto stats = swsb::AssignScoreboard(program);
    ASSERT_TRUE(stats.ok());
    syncs += stats->syncs;
    refined += stats->refinements > 0;
    ASSERT_EQ(Missing(program), "") << "seed " << seed;
    for (int32_t i : Redundant(program)) {
      absl::StrAppend(&redundant, "seed ", seed, " instruction ", i, "\n");
    }
  }
  EXPECT_EQ(redundant, "") << "of " << syncs;
  EXPECT_GT(refined, 0);
}

}  // namespace
}  // namespace kiln::intel::waits
