// Tests of the scoreboard pass: small programs with known answers, and random programs judged by
// executing them along random paths against the rules themselves (Executor below), which shares
// nothing with the pass but the register footprints.
#include "core/intel/swsb/swsb.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/intel/isa/disasm.h"
#include "core/intel/isa/encode.h"
#include "core/intel/isa/footprint.h"
#include "core/intel/isa/messages.h"
#include "core/intel/swsb/encoding.h"

namespace kiln::intel::swsb {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::Program;
using isa::Type;

constexpr isa::Generation kGen = isa::Generation::kGen12;

Operand Reg(int nr, isa::Region region = {8, 8, 1}) {
  Operand o;
  o.file = isa::File::kGrf;
  o.type = Type::kF;
  o.nr = static_cast<uint8_t>(nr);
  o.region = region;
  return o;
}

Operand Dst(int nr) { return Reg(nr, {0, 1, 1}); }

Operand Null() {
  Operand o;
  o.file = isa::File::kArf;
  return o;
}

Instruction Alu(int dst, int a, int b, bool no_mask = false) {
  Instruction inst;
  inst.op = Opcode::kAdd;
  inst.exec_size = 8;
  inst.no_mask = no_mask;
  inst.dst = Dst(dst);
  inst.src[0] = Reg(a);
  inst.src[1] = Reg(b);
  return inst;
}

Instruction Math(int dst, int a, bool no_mask = false) {
  Instruction inst;
  inst.op = Opcode::kMath;
  inst.math = isa::MathFunction::kSqrt;
  inst.exec_size = 8;
  inst.no_mask = no_mask;
  inst.dst = Dst(dst);
  inst.src[0] = Reg(a);
  return inst;
}

// Reads one register through address register `address`.
Instruction Load(int dst, int address, bool no_mask = false) {
  isa::MessageFields f;
  f.message = isa::Message::kUntypedRead;
  f.bti = 1;
  f.channels = 1;
  isa::SetLengths(kGen, f);
  Instruction inst = *isa::MakeSend(kGen, f);
  inst.no_mask = no_mask;
  inst.dst = Dst(dst);
  inst.src[0] = Reg(address);
  return inst;
}

Instruction Store(int address, int data, bool no_mask = false) {
  isa::MessageFields f;
  f.message = isa::Message::kUntypedWrite;
  f.bti = 1;
  f.channels = 1;
  isa::SetLengths(kGen, f);
  Instruction inst = *isa::MakeSend(kGen, f);
  inst.no_mask = no_mask;
  inst.src[0] = Reg(address);
  inst.src[1] = Reg(data);
  return inst;
}

Instruction EndOfThread(int payload) {
  isa::MessageFields f;
  f.message = isa::Message::kEndOfThread;
  isa::SetLengths(kGen, f);
  Instruction inst = *isa::MakeSend(kGen, f);
  inst.no_mask = true;
  inst.src[0] = Reg(payload);
  return inst;
}

Instruction Branch(Opcode op) {
  Instruction inst;
  inst.op = op;
  inst.exec_size = 8;
  if (isa::Info(op).pred) inst.pred = isa::PredCtrl::kNormal;
  return inst;
}

Program MakeProgram(std::vector<Instruction> insts) {
  Program program;
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
// channels off; the NoMask write after it must wait itself. Outside of control flow the masked
// wait is enough.
TEST(Swsb, MaskedWaitsInSkippedBlocksDoNotCoverNoMaskConsumers) {
  Program program;
  program.Append(Store(5, 10));
  program.Append(Branch(Opcode::kIf), {4, 4});
  program.Append(Alu(10, 1, 2));
  program.Append(Alu(10, 3, 4, true));
  program.Append(Branch(Opcode::kEndif), {5, isa::kNoTarget});
  EXPECT_EQ(Annotated(program), "40 00 30 nop:30 01 00");
  EXPECT_EQ(Annotated(MakeProgram({Store(5, 10), Alu(10, 1, 2), Alu(10, 3, 4, true)})), "40 30 01");
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
  Program program;
  program.Append(Branch(Opcode::kIf), {2, 2});
  program.Append(Load(10, 5));
  program.Append(Branch(Opcode::kEndif), {3, isa::kNoTarget});
  program.Append(Alu(11, 10, 2));
  EXPECT_EQ(Annotated(program), "00 40 00 20");
}

TEST(Swsb, LoopCarriedDependencyIsFound) {
  // r10 is loaded at the end of the body and read at its start.
  Program program;
  program.Append(Alu(11, 10, 2));
  program.Append(Load(10, 5));
  program.Append(Branch(Opcode::kWhile), {0, isa::kNoTarget});
  const auto stats = AssignScoreboard(program);
  ASSERT_TRUE(stats.ok());
  EXPECT_EQ(Bytes(program), "20 90 00");
  EXPECT_LE(stats->rounds, 4);
}

TEST(Swsb, InsertedSyncIsReachedByBranchesToItsInstruction) {
  Program program;
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

// Executes a finished program along one path and checks every access against what is in flight.
class Executor {
 public:
  explicit Executor(const Program& program) : program_(program) {
    for (int32_t i = 0; i < program.Next(); ++i) {
      footprints_.push_back(isa::FootprintOf(program.insts[i]));
    }
  }

  // Empty, or the first violation. `choose` gives random numbers.
  std::string Path(std::mt19937& rng, int steps) {
    int32_t pc = 0;
    off_until_ = -1;
    while (pc < program_.Next() && steps-- > 0) {
      if (pc >= off_until_) off_until_ = -1;
      const bool off = off_until_ >= 0;
      const Instruction& inst = program_.insts[pc];
      if (!off || inst.no_mask) {
        if (std::string why = Step(pc); !why.empty()) return why;
      } else if (IsInOrder(inst)) {
        ++position_;  // issued without channels, and counted
      }
      pc = Next(pc, off, rng);
    }
    return "";
  }

 private:
  struct InFlight {
    int32_t inst;
    int64_t position;  // in-order
    int token;         // -1: in order
    bool reads_done = false;
  };

  // Forward jumps either jump or run what they skip with all channels off, as fused EUs do; a loop
  // that is left may run once more with all channels off.
  int32_t Next(int32_t pc, bool off, std::mt19937& rng) {
    const Instruction& inst = program_.insts[pc];
    if (off || !isa::IsBranch(inst.op)) return pc + 1;
    const int32_t target = program_.targets[pc].jip;
    switch (rng() % 3) {
      case 0:
        return pc + 1;
      case 1:
        return target;
      default:
        off_until_ = target > pc ? target : pc + 1;
        return target > pc ? pc + 1 : target;
    }
  }

  void Wait(const Instruction& inst) {
    const int b = inst.swsb;
    const bool sets = IsOutOfOrder(inst);
    uint16_t dst = 0, src = 0;
    int distance = b < 0x10 ? b : b & 0x80 ? b >> 4 & 7 : 0;
    if ((b & 0x80) && !sets) dst = static_cast<uint16_t>(1u << (b & 15));
    if (b >> 4 == 2) dst = static_cast<uint16_t>(1u << (b & 15));
    if (b >> 4 == 3) src = static_cast<uint16_t>(1u << (b & 15));
    if (inst.op == Opcode::kSync && inst.src[0].file == isa::File::kImm) {
      const auto mask = static_cast<uint16_t>(inst.src[0].imm);
      if (inst.sync == isa::SyncFunction::kAllWr) dst |= mask;
      if (inst.sync == isa::SyncFunction::kAllRd) src |= mask;
    }
    std::vector<InFlight> rest;
    for (InFlight f : flight_) {
      if (f.token < 0 ? distance != 0 && f.position <= position_ - distance
                      : (dst >> f.token & 1) != 0) {
        continue;
      }
      if (f.token >= 0 && (src >> f.token & 1)) f.reads_done = true;
      rest.push_back(f);
    }
    flight_ = rest;
  }

  std::string Step(int32_t pc) {
    const Instruction& inst = program_.insts[pc];
    Wait(inst);
    const isa::Footprint& mine = footprints_[pc];
    for (const InFlight& f : flight_) {
      if (f.token < 0 && position_ - f.position > 10) continue;
      const isa::Footprint& theirs = footprints_[f.inst];
      const bool raw = mine.reads.Intersects(theirs.writes);
      const bool waw = mine.writes.Intersects(theirs.writes);
      const bool war = mine.writes.Intersects(theirs.reads) && !f.reads_done &&
                       (f.token >= 0 || IsOutOfOrder(inst));
      if (raw || waw || war) {
        return "instruction " + std::to_string(pc) + " does not wait for " +
               std::to_string(f.inst) + ": " + isa::Disassemble(kGen, inst);
      }
    }
    const int b = inst.swsb;
    if (IsOutOfOrder(inst) && !inst.send.eot) {
      if (b >> 4 != 4 && !(b & 0x80)) return "out-of-order instruction without a token";
      flight_.push_back({pc, position_, b & 15});
    } else if (IsInOrder(inst)) {
      flight_.push_back({pc, position_, -1});
      ++position_;
    }
    return "";
  }

  const Program& program_;
  std::vector<isa::Footprint> footprints_;
  std::vector<InFlight> flight_;
  int64_t position_ = 0;
  int32_t off_until_ = -1;
};

// `nomask`: one in so many instructions is NoMask; 0 for none.
Instruction RandomInstruction(std::mt19937& rng, int registers, int nomask) {
  const auto reg = [&] { return static_cast<int>(10 + rng() % registers); };
  const bool no_mask = nomask != 0 && rng() % nomask == 0;
  switch (rng() % 6) {
    case 0:
      return Load(reg(), reg(), no_mask);
    case 1:
      return Store(reg(), reg(), no_mask);
    case 2:
      return Math(reg(), reg(), no_mask);
    default:
      return Alu(reg(), reg(), reg(), no_mask);
  }
}

// Random structured code: straight runs, ifs with or without else, do-while loops.
void RandomBody(std::mt19937& rng, Program& program, int depth, int registers, int nomask = 4) {
  const int parts = 1 + static_cast<int>(rng() % 4);
  for (int p = 0; p < parts; ++p) {
    const int run = static_cast<int>(rng() % 8);
    for (int i = 0; i < run; ++i) program.Append(RandomInstruction(rng, registers, nomask));
    if (depth == 0) continue;
    if (rng() % 3 == 0) {
      const int32_t head = program.Next();
      RandomBody(rng, program, depth - 1, registers, nomask);
      program.Append(Branch(Opcode::kWhile), {head, isa::kNoTarget});
      continue;
    }
    const int32_t branch = program.Append(Branch(Opcode::kIf));
    RandomBody(rng, program, depth - 1, registers, nomask);
    int32_t jip = program.Next();
    if (rng() % 2 == 0) {
      const int32_t other = program.Append(Branch(Opcode::kElse));
      jip = program.Next();
      RandomBody(rng, program, depth - 1, registers, nomask);
      program.targets[other] = {program.Next(), program.Next()};
    }
    program.targets[branch] = {jip, program.Next()};
    program.Append(Branch(Opcode::kEndif), {program.Next() + 1, isa::kNoTarget});
  }
}

TEST(Swsb, RandomProgramsKeepTheRulesOnEveryPathTried) {
  int syncs = 0, instructions = 0, reused = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 rng(seed);
    Program program;
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
  EXPECT_GT(reused, 0);  // the choice among busy tokens was tried
  EXPECT_GT(instructions, 5000);
}

// The judge must judge: without its waits, a program breaks the rules. Removes one wait at a time.
// Without NoMask instructions, since waits that only skipped blocks need are rarely on a path
// tried.
TEST(Swsb, RemovingAWaitIsNoticed) {
  int removed = 0, noticed = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 rng(seed);
    Program program;
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
  Program a;
  RandomBody(rng, a, 3, 8);
  Program b = a;
  ASSERT_TRUE(AssignScoreboard(a).ok());
  ASSERT_TRUE(AssignScoreboard(b).ok());
  EXPECT_EQ(*isa::Finalise(kGen, a), *isa::Finalise(kGen, b));
}

TEST(Swsb, CallsAreRefusedByName) {
  Program program = MakeProgram({Branch(Opcode::kRet)});
  EXPECT_EQ(AssignScoreboard(program).status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace kiln::intel::swsb
