#include "core/intel/isa/apply_workarounds.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/intel/isa/messages.h"
#include "core/intel/isa/verify.h"

namespace kiln::intel::isa {
namespace {

constexpr Generation kGen = Generation::kGen12;

Instruction Alu(Opcode op, int exec) {
  Instruction inst;
  inst.op = op;
  inst.exec_size = static_cast<uint8_t>(exec);
  inst.dst.file = File::kGrf;
  inst.dst.nr = 10;
  inst.dst.region.hstride = 1;
  for (int i = 0; i < 2; ++i) {
    inst.src[i].file = File::kGrf;
    inst.src[i].nr = static_cast<uint8_t>(20 + i);
    inst.src[i].region = {8, 8, 1};
  }
  return inst;
}

Instruction EndOfThread() {
  MessageFields f;
  f.message = Message::kEndOfThread;
  SetLengths(kGen, f);
  Instruction inst = *MakeSend(kGen, f);
  inst.src[0].file = File::kGrf;
  inst.src[0].nr = 127;
  inst.swsb = 1;
  return inst;
}

Program Make(const std::vector<Instruction>& insts) {
  Program program(kGen);
  for (const Instruction& inst : insts) program.Append(inst);
  return program;
}

TEST(Workarounds, AccumulatorIsClearedOnlyIfWritten) {
  Program program = Make({Alu(Opcode::kAdd, 8), EndOfThread()});
  ASSERT_TRUE(ApplyWorkarounds(program, 8).ok());
  EXPECT_EQ(program.insts.size(), 3u);  // with a nop after the end of the thread

  Instruction mach = Alu(Opcode::kMach, 8);
  mach.acc_write = true;
  program = Make({mach, Alu(Opcode::kAdd, 8), EndOfThread()});
  ASSERT_TRUE(ApplyWorkarounds(program, 8).ok());
  ASSERT_EQ(program.insts.size(), 5u);
  EXPECT_EQ(program.insts[2].dst.arf, Arf::kAccumulator);
  EXPECT_TRUE(program.insts[2].no_mask);
  EXPECT_TRUE(program.insts[3].send.eot);
}

TEST(Workarounds, NothingIsDoneTwice) {
  Instruction mach = Alu(Opcode::kMach, 8);
  mach.acc_write = true;
  Program program = Make({mach, Alu(Opcode::kAdd, 16), EndOfThread()});
  ASSERT_TRUE(ApplyWorkarounds(program, 0).ok());
  const size_t once = program.insts.size();
  EXPECT_EQ(once, 6u);
  ASSERT_TRUE(ApplyWorkarounds(program, 0).ok());
  EXPECT_EQ(program.insts.size(), once);
}

TEST(Workarounds, UnalignedScalarThreeSourceDestinationGoesThroughTheAccumulator) {
  Instruction mad = Alu(Opcode::kMad, 1);
  mad.no_mask = true;
  mad.dst.type = Type::kF;
  mad.dst.subnr = 20;
  for (Operand& src : mad.src) {
    src.file = File::kGrf;
    src.type = Type::kF;
    src.region = {0, 1, 0};
  }
  Program program = Make({mad, EndOfThread()});
  ASSERT_TRUE(ApplyWorkarounds(program, 8).ok());
  ASSERT_EQ(program.insts.size(), 5u);
  EXPECT_EQ(program.insts[0].op, Opcode::kMad);
  EXPECT_EQ(program.insts[0].dst.arf, Arf::kAccumulator);
  EXPECT_EQ(program.insts[1].op, Opcode::kMov);
  EXPECT_EQ(program.insts[1].dst.subnr, 20);
  EXPECT_EQ(program.insts[1].src[0].arf, Arf::kAccumulator);
  for (const Instruction& inst : program.insts) EXPECT_TRUE(BrokenBy(kGen, inst)->empty());

  mad.dst.subnr = 16;  // aligned: left alone
  program = Make({mad, EndOfThread()});
  ASSERT_TRUE(ApplyWorkarounds(program, 8).ok());
  EXPECT_EQ(program.insts.size(), 3u);  // with a nop after the end of the thread
}

TEST(Workarounds, FirstInstructionHasAMask) {
  for (int exec : {8, 16}) {
    Program program = Make({Alu(Opcode::kAdd, exec), EndOfThread()});
    ASSERT_TRUE(ApplyWorkarounds(program, 16).ok());
    EXPECT_EQ(program.insts.size(), exec == 16 ? 3u : 4u);
    EXPECT_EQ(program.insts[0].no_mask, exec != 16);
  }
}

TEST(Workarounds, BranchesStillReachTheirTargets) {
  Instruction branch;
  branch.op = Opcode::kWhile;
  branch.exec_size = 8;
  Program program = Make({Alu(Opcode::kAdd, 8)});
  program.Append(branch, {0, kNoTarget});
  program.Append(EndOfThread());
  ASSERT_TRUE(ApplyWorkarounds(program, 16).ok());
  ASSERT_EQ(program.insts.size(), 5u);
  // A loop back to the first instruction runs the dummy again, which is harmless.
  EXPECT_EQ(program.targets[2].jip, 0);
}

TEST(Workarounds, ALegalInstructionFollowsTheEnd) {
  Program program = Make({Alu(Opcode::kAdd, 8), EndOfThread()});
  ASSERT_TRUE(ApplyWorkarounds(program, 8).ok());
  ASSERT_EQ(program.insts.size(), 3u);
  EXPECT_EQ(program.insts[2].op, Opcode::kNop);
  EXPECT_TRUE(BrokenBy(kGen, program.insts[2])->empty());
}

// Returns a predicated read of two registers.
Instruction PredicatedRead(int to, int payload) {
  MessageFields f;
  f.message = Message::kUntypedRead;
  f.channels = 3;
  SetLengths(kGen, f);
  Instruction inst = *MakeSend(kGen, f);
  inst.pred = PredCtrl::kNormal;
  inst.dst.file = inst.src[0].file = File::kGrf;
  inst.dst.nr = static_cast<uint8_t>(to);
  inst.src[0].nr = static_cast<uint8_t>(payload);
  inst.swsb = 0x40;
  return inst;
}

// The instruction in front of it reads, in all three sources, a register that the message does not
// write.
TEST(Workarounds, PredicatedMessagesThatAnswerFollowOtherReads) {
  struct Case {
    int to, payload, read;
  };
  for (const Case& c : {Case{50, 40, 40}, Case{40, 40, 0}, Case{39, 40, 0}, Case{0, 1, 2}}) {
    Program program = Make({PredicatedRead(c.to, c.payload), EndOfThread()});
    ASSERT_TRUE(ApplyWorkarounds(program, 8).ok());
    ASSERT_EQ(program.insts.size(), 4u);
    const Instruction& csel = program.insts[0];
    EXPECT_EQ(csel.op, Opcode::kCsel);
    EXPECT_TRUE(csel.no_mask);
    EXPECT_EQ(csel.dst.nr, c.read);
    for (const Operand& src : csel.src) EXPECT_EQ(src.nr, c.read);
    EXPECT_TRUE(BrokenBy(kGen, csel)->empty());
    ASSERT_TRUE(ApplyWorkarounds(program, 8).ok());
    EXPECT_EQ(program.insts.size(), 4u);
  }
  // Without a predicate, or without a destination, nothing is done.
  Instruction read = PredicatedRead(50, 40);
  read.pred = PredCtrl::kNone;
  Program program = Make({read, EndOfThread()});
  ASSERT_TRUE(ApplyWorkarounds(program, 8).ok());
  EXPECT_EQ(program.insts.size(), 3u);
  read = PredicatedRead(50, 40);
  read.dst = Operand();
  read.dst.file = File::kArf;
  program = Make({read, EndOfThread()});
  ASSERT_TRUE(ApplyWorkarounds(program, 8).ok());
  EXPECT_EQ(program.insts.size(), 3u);
}

TEST(Workarounds, TableIsCompleteAndNamesRealRestrictions) {
  std::set<std::string> names;
  for (const Restriction& r : Restrictions()) names.insert(std::string(r.name));
  std::set<std::string> ids;
  for (const Workaround& w : Workarounds()) {
    EXPECT_TRUE(ids.insert(std::string(w.id)).second) << w.id;
    for (const Ruling& r : w.by) EXPECT_EQ(r.source.empty(), r.cell == Cell::kUnfilled) << w.id;
    const std::string where(w.where);
    const size_t quote = where.find('\'');
    if (quote == std::string::npos) {
      EXPECT_NE(w.status, WorkaroundStatus::kVerified) << w.id;
      continue;
    }
    EXPECT_TRUE(names.count(where.substr(quote + 1, where.find('\'', quote + 1) - quote - 1)))
        << where;
  }
}

}  // namespace
}  // namespace kiln::intel::isa
