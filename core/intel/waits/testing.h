// Programs and a judge for tests of waits: builders of small instructions, random structured
// programs, and an executor that follows one path and checks every access against the instructions
// in flight. Shares nothing with the scoreboard pass or with the checker but register footprints.
#ifndef KILN_CORE_INTEL_WAITS_TESTING_H_
#define KILN_CORE_INTEL_WAITS_TESTING_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/intel/isa/disasm.h"
#include "core/intel/isa/encode.h"
#include "core/intel/isa/footprint.h"
#include "core/intel/isa/messages.h"
#include "core/intel/isa/program.h"
#include "core/intel/waits/rules.h"

namespace kiln::intel::waits::testing {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::Program;
using isa::Type;

inline constexpr isa::Generation kGen = isa::Generation::kGen12;

inline Operand Reg(int nr, isa::Region region = {8, 8, 1}) {
  Operand o;
  o.file = isa::File::kGrf;
  o.type = Type::kF;
  o.nr = static_cast<uint8_t>(nr);
  o.region = region;
  return o;
}

inline Operand Dst(int nr) { return Reg(nr, {0, 1, 1}); }

inline Operand Null() {
  Operand o;
  o.file = isa::File::kArf;
  return o;
}

inline Instruction Alu(int dst, int a, int b, bool no_mask = false) {
  Instruction inst;
  inst.op = Opcode::kAdd;
  inst.exec_size = 8;
  inst.no_mask = no_mask;
  inst.dst = Dst(dst);
  inst.src[0] = Reg(a);
  inst.src[1] = Reg(b);
  return inst;
}

inline Instruction Math(int dst, int a, bool no_mask = false) {
  Instruction inst;
  inst.op = Opcode::kMath;
  inst.math = isa::MathFunction::kSqrt;
  inst.exec_size = 8;
  inst.no_mask = no_mask;
  inst.dst = Dst(dst);
  inst.src[0] = Reg(a);
  return inst;
}

// A message that reads one register through address register `address`.
inline Instruction Load(int dst, int address, bool no_mask = false) {
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

inline Instruction Store(int address, int data, bool no_mask = false) {
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

// A fence, which responds in one register when it is done.
inline Instruction Fence(int dst) {
  isa::MessageFields f;
  f.message = isa::Message::kMemoryFence;
  f.header = true;
  f.commit = true;
  isa::SetLengths(kGen, f);
  Instruction inst = *isa::MakeSend(kGen, f);
  inst.no_mask = true;
  inst.dst = Dst(dst);
  inst.src[0] = Reg(0);
  return inst;
}

inline Instruction EndOfThread(int payload) {
  isa::MessageFields f;
  f.message = isa::Message::kEndOfThread;
  isa::SetLengths(kGen, f);
  Instruction inst = *isa::MakeSend(kGen, f);
  inst.no_mask = true;
  inst.src[0] = Reg(payload);
  return inst;
}

inline Instruction Branch(Opcode op) {
  Instruction inst;
  inst.op = op;
  inst.exec_size = 8;
  if (isa::Info(op).pred) inst.pred = isa::PredCtrl::kNormal;
  return inst;
}

// Executes a finished program along one path and checks every access against the instructions in
// flight.
class Executor {
 public:
  explicit Executor(const Program& program) : program_(program) {
    for (int32_t i = 0; i < program.Next(); ++i) {
      footprints_.push_back(isa::FootprintOf(program.insts[i]));
    }
  }

  // Returns the first violation, or an empty text. `rng` chooses the path.
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

  // Forward branches either jump, or run the code that they skip with all channels off, as fused
  // EUs do; a loop that is left may run once more with all channels off.
  int32_t Next(int32_t pc, bool off, std::mt19937& rng) {
    const Instruction& inst = program_.insts[pc];
    if (off || !isa::IsBranch(inst.op)) return pc + 1;
    const int32_t target = program_.targets[pc].jip;
    switch (rng() % 3) {
      case 0: return pc + 1;
      case 1: return target;
      default: off_until_ = target > pc ? target : pc + 1; return target > pc ? pc + 1 : target;
    }
  }

  void Wait(const Instruction& inst) {
    const int b = inst.swsb;
    uint16_t dst = 0, src = 0;
    int distance = b < 0x10 ? b : b & 0x80 ? b >> 4 & 7 : 0;
    // A token is set only when it is free: setting it waits for its former user.
    if ((b & 0x80) != 0 || b >> 4 == 4) dst = static_cast<uint16_t>(1u << (b & 15));
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
      const bool waw = mine.writes.Intersects(theirs.writes) && (f.token >= 0 || IsUnordered(inst));
      const bool war = mine.writes.Intersects(theirs.reads) && !f.reads_done &&
                       (f.token >= 0 || IsUnordered(inst));
      const bool overtaken = IsMemoryFence(program_.generation, inst) &&
                             isa::IsSend(program_.insts[f.inst].op) && !theirs.writes.Empty();
      if (raw || waw || war || overtaken) {
        return "instruction " + std::to_string(pc) + " does not wait for " +
               std::to_string(f.inst) + ": " + isa::Disassemble(kGen, inst);
      }
    }
    const int b = inst.swsb;
    if (IsUnordered(inst) && !inst.send.eot) {
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

// Returns a random instruction; one in `nomask` is NoMask, none if it is 0.
inline Instruction RandomInstruction(std::mt19937& rng, int registers, int nomask) {
  const auto reg = [&] { return static_cast<int>(10 + rng() % registers); };
  const bool no_mask = nomask != 0 && rng() % nomask == 0;
  switch (rng() % 6) {
    case 0: return Load(reg(), reg(), no_mask);
    case 1: return Store(reg(), reg(), no_mask);
    case 2: return Math(reg(), reg(), no_mask);
    default:
      if (rng() % 12 == 0) return Fence(reg());
      return Alu(reg(), reg(), reg(), no_mask);
  }
}

// Appends random structured code: straight runs, ifs with or without else, do-while loops.
inline void RandomBody(std::mt19937& rng, Program& program, int depth, int registers,
                       int nomask = 4) {
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

}  // namespace kiln::intel::waits::testing

#endif  // KILN_CORE_INTEL_WAITS_TESTING_H_
