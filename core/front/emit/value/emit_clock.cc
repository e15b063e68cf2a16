// Emits reads of clocks and the extended instructions of SPV_AMD_gcn_shader: the face of a cube
// that a direction points to, and where on it.
#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"

namespace kiln::front {
namespace {

using mir::Op;

// Numbers of instructions (SPV_AMD_gcn_shader, revision 2).
enum class Gcn : uint32_t { kCubeFaceIndex = 1, kCubeFaceCoord = 2, kTime = 3 };

class ClockEmitter : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool EmitReadClock(const SpirvInst& inst);
  bool EmitGcn(const SpirvInst& inst);

 private:
  bool DefineClock(const SpirvInst& inst, mir::Scope scope);
  bool EmitCubeFace(const SpirvInst& inst, bool index);
};

// Binds the clock to an integer of 64 bits, or to a vector of its halves.
bool ClockEmitter::DefineClock(const SpirvInst& inst, mir::Scope scope) {
  if (Supported(inst.type) == nullptr) return false;
  const mir::InstId clock = builder().EmitInst(
      Op::kReadClock, {}, {mir::Type::kI32, mir::Type::kI32}, 0, static_cast<uint32_t>(scope));
  const Leaves halves = {module().result(clock, 0), module().result(clock, 1)};
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  if (types.size() == 2) return Define(inst, halves);
  if (types.size() != 1 || types[0] != mir::Type::kI64) {
    return Malformed("a clock is no integer of 64 bits", inst.result);
  }
  Leaves whole;
  Recut(halves, mir::Type::kI64, &whole);
  return ok() && Define(inst, whole);
}

bool ClockEmitter::EmitReadClock(const SpirvInst& inst) {
  uint32_t scope = 0;
  if (!spirv().IntConstant(inst.operand(3), &scope)) {
    return Malformed("the scope of a clock is not a constant", inst.result);
  }
  switch (static_cast<spv::Scope>(scope)) {
    case spv::Scope::Subgroup: return DefineClock(inst, mir::Scope::kSubgroup);
    case spv::Scope::Device: return DefineClock(inst, mir::Scope::kDevice);
    default: return Refuse("shader_clock", "clock of another scope", inst.result);
  }
}

// Vulkan, "Cube Map Face Selection" and "Cube Map Coordinate Transformation". These divide by the
// absolute value of the major axis, and the extension asks for the coordinates that an access would
// use.
bool ClockEmitter::EmitCubeFace(const SpirvInst& inst, bool index) {
  Leaves p;
  if (!Get(inst.operand(5), &p)) return false;
  if (p.size() != 3 || TypeOf(p[0]) != mir::Type::kF32) {
    return Malformed("a direction is no vector of three 32-bit floats", inst.result);
  }
  const ValueId x = p[0], y = p[1], z = p[2], zero = Float(0);
  const auto size = [&](ValueId v) { return Emit(Op::kFabs, {v}); };
  const auto select = [&](ValueId c, ValueId a, ValueId b) { return Emit(Op::kSelect, {c, a, b}); };
  const auto is_negative = [&](ValueId v) { return Emit(Op::kFlt, {v, zero}); };
  const ValueId by_z =
      Emit(Op::kAnd, {Emit(Op::kFge, {size(z), size(x)}), Emit(Op::kFge, {size(z), size(y)})});
  const ValueId by_y = Emit(Op::kFge, {size(y), size(x)});
  const auto chosen = [&](ValueId of_x, ValueId of_y, ValueId of_z) {
    return select(by_z, of_z, select(by_y, of_y, of_x));
  };
  const ValueId major = chosen(x, y, z);
  const ValueId negative = is_negative(major);
  if (index) {
    const ValueId face = chosen(Float(0), Float(2), Float(4));
    return Define(inst, {Emit(Op::kFadd, {face, select(negative, Float(1), zero)})});
  }
  const auto minus = [&](ValueId v) { return Emit(Op::kFneg, {v}); };
  const ValueId s = chosen(select(negative, z, minus(z)), x, select(negative, minus(x), x));
  const ValueId t = chosen(minus(y), select(negative, minus(z), z), minus(y));
  const ValueId twice = Emit(Op::kFadd, {size(major), size(major)});
  const auto on_face = [&](ValueId v) {
    return Emit(Op::kFadd, {Emit(Op::kFdiv, {v, twice}), Float(0.5f)});
  };
  return ok() && Define(inst, {on_face(s), on_face(t)});
}

bool ClockEmitter::EmitGcn(const SpirvInst& inst) {
  switch (static_cast<Gcn>(inst.operand(4))) {
    case Gcn::kCubeFaceIndex: return EmitCubeFace(inst, true);
    case Gcn::kCubeFaceCoord: return EmitCubeFace(inst, false);
    case Gcn::kTime: return DefineClock(inst, mir::Scope::kSubgroup);
    default: return Malformed("no instruction of SPV_AMD_gcn_shader has this number", inst.result);
  }
}

}  // namespace

bool EmitReadClock(ImportContext& c, const SpirvInst& inst) {
  return ClockEmitter(c).EmitReadClock(inst);
}

bool EmitGcn(ImportContext& c, const SpirvInst& inst) { return ClockEmitter(c).EmitGcn(inst); }

}  // namespace kiln::front
