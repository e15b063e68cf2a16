#include "core/amd/emit/vertex_start.h"

#include "core/amd/emit/operands.h"
#include "core/amd/emit/pseudo.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

constexpr uint8_t kPrimitiveTarget = 20, kFirstParameter = 32;
constexpr int kAllocRequest = 9;  // s_sendmsg: GS_ALLOC_REQ
constexpr int kPrimitivesOfRequest = 12;

// Fields of scalar registers, as s_bfe takes them: first bit, and bits << 16.
constexpr uint32_t FieldOf(uint32_t first, uint32_t bits) { return bits << 16 | first; }
constexpr uint32_t kGroupVertices = FieldOf(12, 9), kGroupPrimitives = FieldOf(22, 9);
constexpr uint32_t kWaveNumberMask = 0xfu << 24;

isa::Operand Scalar(uint32_t sgpr) { return isa::Sgpr(static_cast<int>(sgpr)); }
isa::Operand Second() { return isa::Sgpr(static_cast<int>(kTemporarySgpr + 1)); }

void AddWithLiteral(Context& c, Opcode op, isa::Operand dst, isa::Operand a, uint32_t literal) {
  isa::Instruction inst;
  inst.op = op;
  inst.dst = dst;
  inst.src[0] = a;
  inst.src[1] = isa::Source(isa::kLiteralCode);
  inst.literal = literal;
  c.Add(inst);
}

// Asks for the room that m0 says.
void SendRequest(Context& c) {
  isa::Instruction request;
  request.op = Opcode::kSSendmsg;
  request.simm = kAllocRequest;
  c.Add(request);
}

void RequestRoom(Context& c, const VertexStart& start) {
  const int others = c.NewLabel();
  const isa::Operand group = Scalar(start.group_sgpr), m0 = isa::Sgpr(isa::kM0);
  AddWithLiteral(c, Opcode::kSAndB32, Temporary(), Scalar(start.wave_sgpr), kWaveNumberMask);
  c.AddBranch(Opcode::kSCbranchScc1, others);
  AddWithLiteral(c, Opcode::kSBfeU32, Temporary(), group, kGroupPrimitives);
  c.Add(Opcode::kSLshlB32, Temporary(), Temporary(), Constant(kPrimitivesOfRequest));
  AddWithLiteral(c, Opcode::kSBfeU32, Second(), group, kGroupVertices);
  c.Add(Opcode::kSOrB32, m0, Temporary(), Second());
  SendRequest(c);
  c.Bind(others);
}

// Sets exec to the first n lanes, n in bits 22:16 of the temporary register, which s_bfe takes as a
// number of bits.
void SetLanes(Context& c) {
  const Opcode op = c.wave() == isa::Wave::k64 ? Opcode::kSBfeU64 : Opcode::kSBfeU32;
  c.Add(op, Exec(), Constant(-1), Temporary());
}

void Export(Context& c, uint32_t target, bool done, uint32_t vgpr) {
  isa::Instruction inst;
  inst.op = Opcode::kExp;
  inst.target = static_cast<uint8_t>(target);
  inst.enable = 1;
  inst.done = done;
  inst.src[0] = isa::Vgpr(static_cast<int>(vgpr));
  c.Add(inst);
}

}  // namespace

bool EmitRoomRequest(Context& c, lir::InstId i) {
  if (c.f().inst(i).op != kRequestRoom) return false;
  c.Add(Opcode::kSMovB32, isa::Sgpr(isa::kM0), RegisterOf(c.f(), c.f().uses(i)[0]));
  SendRequest(c);
  return true;
}

void EmitVertexStart(Context& c, const VertexStart& start, int end) {
  RequestRoom(c, start);
  const int vertices = c.NewLabel();
  const isa::Operand wave = Scalar(start.wave_sgpr);
  c.Add(Opcode::kSLshlB32, Temporary(), wave, Constant(8));
  SetLanes(c);
  c.AddBranch(Opcode::kSCbranchExecz, vertices);
  Export(c, kPrimitiveTarget, true, start.primitive_vgpr);
  if (start.primitive_id) {
    Export(c, kFirstParameter + start.primitive_id->parameter, false, start.primitive_id->vgpr);
  }
  c.Bind(vertices);
  c.Add(Opcode::kSPackLlB32B16, Temporary(), Constant(0), wave);
  SetLanes(c);
  c.AddBranch(Opcode::kSCbranchExecz, end);
}

}  // namespace kiln::amd
