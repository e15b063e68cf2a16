#include "core/amd/perf/testing.h"

#include <cassert>

#include "core/amd/isa/encode.h"

namespace kiln::amd::testing {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;

Instruction Make(Opcode op, Operand dst, Operand src0, Operand src1, Operand src2) {
  Instruction inst;
  inst.op = op;
  inst.dst = dst;
  inst.src = {src0, src1, src2, Operand()};
  return inst;
}

Instruction WithImmediate(Opcode op, uint16_t simm) {
  Instruction inst;
  inst.op = op;
  inst.simm = simm;
  if (isa::Info(op).encoding == isa::Encoding::kSopk) inst.src[0] = isa::Source(isa::kNull);
  return inst;
}

Instruction WaitFor(int vm, int exp, int lgkm) {
  const int simm = (vm & 15) | (vm & 0x30) << 10 | exp << 4 | lgkm << 8;
  return WithImmediate(Opcode::kSWaitcnt, static_cast<uint16_t>(simm));
}

Instruction GlobalLoad(int dst, int address) {
  return Make(Opcode::kGlobalLoadDword, isa::Vgpr(dst), isa::Vgpr(address));
}

Instruction GlobalStore(int data, int address) {
  return Make(Opcode::kGlobalStoreDword, {}, isa::Vgpr(address), isa::Vgpr(data));
}

Instruction Export(int data) {
  Instruction inst = Make(Opcode::kExp, {}, isa::Vgpr(data));
  inst.enable = 1;
  return inst;
}

Instruction End() { return WithImmediate(Opcode::kSEndpgm, 0); }

std::vector<uint8_t> Bytes(absl::Span<const Instruction> program) {
  auto bytes = isa::EncodeProgram(program);
  assert(bytes.ok());
  return *std::move(bytes);
}

std::vector<isa::PlacedInstruction> Placed(absl::Span<const Instruction> program) {
  auto placed = isa::DecodeProgram(Bytes(program));
  assert(placed.ok());
  return *std::move(placed);
}

}  // namespace kiln::amd::testing
