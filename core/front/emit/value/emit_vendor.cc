// Emits the extended instructions of SPV_AMD_shader_trinary_minmax and SPV_AMD_shader_ballot.
//
// Reads of other lanes become shuffles whose lane is computed; a lane that is off gives 0 to those
// that read it. The group operations of SPV_AMD_shader_ballot, which are instructions of their own,
// are emit_subgroup.cc's. Other sets of vendors are refused.
#include <array>

#include "core/front/emit/emit.h"
#include "core/front/emit/value/subgroup_emitter.h"
#include "core/mir/immediates.h"

namespace kiln::front {
namespace {

using mir::Op;

// Numbers of instructions (SPV_AMD_shader_trinary_minmax, revision 4; SPV_AMD_shader_ballot, 5).
enum class Trinary : uint32_t { kFirst = 1, kMin = 1, kMax = 4, kMid = 7, kLast = 9 };
enum class Lanes : uint32_t { kSwizzle = 1, kSwizzleMasked = 2, kWrite = 3, kCountBelow = 4 };

struct MinMax {
  Op min, max;
};
// For floats, unsigned and signed integers: the order of the instructions.
constexpr std::array<MinMax, 3> kMinMax = {
    {{Op::kFmin, Op::kFmax}, {Op::kUmin, Op::kUmax}, {Op::kImin, Op::kImax}}};

}  // namespace

bool SubgroupEmitter::EmitTrinary(const SpirvInst& inst) {
  const uint32_t number = inst.operand(4);
  if (number < static_cast<uint32_t>(Trinary::kFirst) ||
      number > static_cast<uint32_t>(Trinary::kLast)) {
    return Malformed("no instruction of SPV_AMD_shader_trinary_minmax has this number",
                     inst.result);
  }
  const MinMax& ops = kMinMax[(number - 1) % kMinMax.size()];
  const bool floats = ops.min == Op::kFmin;
  Leaves operands;
  if (!Operands(inst, 5, 3, &operands)) return false;
  const size_t n = operands.size() / 3;
  Leaves results;
  for (size_t i = 0; i < n; ++i) {
    const ValueId x = operands[i], y = operands[n + i], z = operands[2 * n + i];
    if (mir::IsFloat(TypeOf(x)) != floats || TypeOf(x) == mir::Type::kBool) {
      return Malformed("operand is not of the operation's type", inst.result);
    }
    if (number < static_cast<uint32_t>(Trinary::kMax)) {
      results.push_back(Emit(ops.min, {Emit(ops.min, {x, y}), z}));
    } else if (number < static_cast<uint32_t>(Trinary::kMid)) {
      results.push_back(Emit(ops.max, {Emit(ops.max, {x, y}), z}));
    } else {
      // The middle one: z between the smaller and the larger of the others.
      const ValueId low = Emit(ops.min, {x, y}), high = Emit(ops.max, {x, y});
      results.push_back(Emit(ops.min, {Emit(ops.max, {low, z}), high}));
    }
  }
  return ok() && Define(inst, results);
}

bool SubgroupEmitter::EmitVendorBallot(const SpirvInst& inst) {
  switch (static_cast<Lanes>(inst.operand(4))) {
    case Lanes::kSwizzle: {
      Leaves offsets;
      if (!Get(inst.operand(6), &offsets)) return false;
      if (offsets.size() != 4 || TypeOf(offsets[0]) != mir::Type::kI32) {
        return Malformed("offset is not a vector of four 32-bit integers", inst.result);
      }
      const ValueId me = builder().SubgroupInvocation();
      const ValueId in_quad = Emit(Op::kAnd, {me, Int(3)});
      const ValueId offset = Emit(Op::kAnd, {SelectComponent(offsets, in_quad), Int(3)});
      return EmitReadOrZero(inst, Emit(Op::kOr, {Emit(Op::kAnd, {me, Int(~3u)}), offset}));
    }
    case Lanes::kSwizzleMasked: {
      Leaves masks;
      if (!Get(inst.operand(6), &masks)) return false;
      if (masks.size() != 3 || TypeOf(masks[0]) != mir::Type::kI32) {
        return Malformed("mask is not a vector of three 32-bit integers", inst.result);
      }
      // Among 32 lanes; the masks have five bits.
      const ValueId me = builder().SubgroupInvocation();
      ValueId lane = Emit(Op::kAnd, {me, masks[0]});
      lane = Emit(Op::kXor, {Emit(Op::kOr, {lane, masks[1]}), masks[2]});
      lane = Emit(Op::kAnd, {lane, Int(31)});
      return EmitReadOrZero(inst, Emit(Op::kOr, {Emit(Op::kAnd, {me, Int(~31u)}), lane}));
    }
    case Lanes::kWrite: {
      Leaves values;
      ValueId lane;
      if (!Operands(inst, 5, 2, &values) || !GetIndex(inst.operand(7), &lane)) return false;
      const ValueId mine = Emit(Op::kIeq, {builder().SubgroupInvocation(), lane});
      const size_t n = values.size() / 2;
      Leaves results;
      for (size_t i = 0; i < n; ++i) {
        results.push_back(Emit(Op::kSelect, {mine, values[n + i], values[i]}));
      }
      return ok() && Define(inst, results);
    }
    case Lanes::kCountBelow: {
      ValueId mask;
      if (!GetScalar(inst.operand(5), mir::Type::kI64, &mask)) return false;
      const ValueId high = ConvertInt(Emit(Op::kUshr, {mask, Int(32)}), mir::Type::kI32, false);
      const Leaves below = LaneMaskOf(mir::LaneMask::kLess);
      const auto count = [&](ValueId word, ValueId lanes) {
        return Emit(Op::kBitCount, {Emit(Op::kAnd, {word, lanes})});
      };
      return DefineCount(inst,
                         Emit(Op::kIadd, {count(ConvertInt(mask, mir::Type::kI32, false), below[0]),
                                          count(high, below[1])}));
    }
    default:
      return Malformed("no instruction of SPV_AMD_shader_ballot has this number", inst.result);
  }
}

// Binds what a lane holds of the operand, or 0 if the lane is off.
bool SubgroupEmitter::EmitReadOrZero(const SpirvInst& inst, ValueId lane) {
  Leaves values;
  if (!Operands(inst, 5, 1, &values)) return false;
  const ValueId on = BallotBit(Ballot(builder().Bool(true)), lane);
  Leaves results;
  for (const ValueId v : values) {
    const ValueId zero = builder().Constant(TypeOf(v), 0);
    results.push_back(Emit(Op::kSelect, {on, Emit(Op::kShuffle, {v, lane}), zero}));
  }
  return ok() && Define(inst, results);
}

bool EmitTrinary(ImportContext& c, const SpirvInst& inst) {
  return SubgroupEmitter(c).EmitTrinary(inst);
}

bool EmitVendorBallot(ImportContext& c, const SpirvInst& inst) {
  return SubgroupEmitter(c).EmitVendorBallot(inst);
}

}  // namespace kiln::front
