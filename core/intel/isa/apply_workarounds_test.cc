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

Program Make(std::vector<Instruction> insts) {
  Program program(kGen);
  for (const Instruction& inst : insts) program.Append(inst);
  return program;
}

TEST(Workarounds, AccumulatorIsClearedOnlyIfWritten) {
  Program program = Make({Alu(Opcode::kAdd, 8), EndOfThread()});
  ASSERT_TRUE(ApplyWorkarounds(program, 8).ok());
  EXPECT_EQ(program.insts.size(), 2u);

  Instruction mach = Alu(Opcode::kMach, 8);
  mach.acc_write = true;
  program = Make({mach, Alu(Opcode::kAdd, 8), EndOfThread()});
  ASSERT_TRUE(ApplyWorkarounds(program, 8).ok());
  ASSERT_EQ(program.insts.size(), 4u);
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
  EXPECT_EQ(once, 5u);
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
  ASSERT_EQ(program.insts.size(), 4u);
  EXPECT_EQ(program.insts[0].op, Opcode::kMad);
  EXPECT_EQ(program.insts[0].dst.arf, Arf::kAccumulator);
  EXPECT_EQ(program.insts[1].op, Opcode::kMov);
  EXPECT_EQ(program.insts[1].dst.subnr, 20);
  EXPECT_EQ(program.insts[1].src[0].arf, Arf::kAccumulator);
  for (const Instruction& inst : program.insts) EXPECT_TRUE(BrokenBy(kGen, inst)->empty());

  mad.dst.subnr = 16;  // aligned: left alone
  program = Make({mad, EndOfThread()});
  ASSERT_TRUE(ApplyWorkarounds(program, 8).ok());
  EXPECT_EQ(program.insts.size(), 2u);
}

TEST(Workarounds, FirstInstructionHasAMask) {
  for (int exec : {8, 16}) {
    Program program = Make({Alu(Opcode::kAdd, exec), EndOfThread()});
    ASSERT_TRUE(ApplyWorkarounds(program, 16).ok());
    EXPECT_EQ(program.insts.size(), exec == 16 ? 2u : 3u);
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
  ASSERT_EQ(program.insts.size(), 4u);
  // A loop back to the first instruction runs the dummy again; that is harmless.
  EXPECT_EQ(program.targets[2].jip, 0);
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
