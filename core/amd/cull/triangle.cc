#include "core/amd/cull/triangle.h"

#include <limits>
#include <vector>

#include "core/amd/abi/vertex.h"
#include "core/amd/cull/if.h"
#include "core/mir/construct.h"

namespace kiln::amd {
namespace {

using mir::Op;
using mir::Type;
using mir::ValueId;

constexpr uint32_t kSignBit = 31;

class Tests {
 public:
  Tests(mir::Builder& b, const std::array<Corner, 3>& corners, const CullingState& state)
      : b_(b), c_(corners), state_(state) {}

  ValueId Keep(const std::function<void()>& keep) {
    const size_t first = b_.module().insts.size();
    ValueId culled = b_.Or(Behind(), FaceCulled());
    if (c_[0].outside.valid()) culled = b_.Or(culled, Clipped());
    const ValueId candidate = b_.Not(culled);
    const Type type = Type::kBool;
    const ValueId visible = EmitIf(b_, candidate, {&type, 1}, [&] {
      const ValueId signs = b_.Or(b_.Or(Bits(c_[0].w), Bits(c_[1].w)), Bits(c_[2].w));
      const ValueId inner = b_.Or(b_.Not(BoxCulled()), b_.Slt(signs, b_.Int(0)));
      EmitIf(b_, inner, {}, [&] {
        keep();
        return std::vector<ValueId>();
      });
      return std::vector<ValueId>{inner};
    })[0];
    MarkExact(first);
    return b_.And(candidate, visible);
  }

 private:
  ValueId Bits(ValueId v) { return b_.Convert(Op::kBitcast, v, Type::kI32); }
  ValueId Least(ValueId p, ValueId q, ValueId r) { return b_.Fmin(b_.Fmin(p, q), r); }
  ValueId Most(ValueId p, ValueId q, ValueId r) { return b_.Fmax(b_.Fmax(p, q), r); }

  // Arithmetic is computed as written: a degenerate triangle's area is exactly 0, and comparisons
  // see numbers that are not finite.
  void MarkExact(size_t first) {
    mir::Module& m = b_.module();
    for (size_t i = first; i < m.insts.size(); ++i) {
      const mir::InstId id(static_cast<uint32_t>(i));
      const bool one = m.inst(id).num_results == 1 &&
                       mir::ConstructOf(m.inst(id).op) == mir::Construct::kArithmetic;
      bool floats = one && mir::IsFloat(m.value(m.result(id)).type);
      for (const ValueId v : m.sources(id)) floats |= one && mir::IsFloat(m.value(v).type);
      if (floats) m.inst(id).flags |= mir::kExact;
    }
  }

  // Minima and maxima leave out what is no number.
  ValueId Behind() { return b_.Not(b_.Flt(b_.Float(0), Most(c_[0].w, c_[1].w, c_[2].w))); }

  ValueId Clipped() {
    return b_.Ine(b_.And(b_.And(c_[0].outside, c_[1].outside), c_[2].outside), b_.Int(0));
  }

  // An area is positive if the triangle is counter-clockwise, y pointing down. If front faces are
  // counter-clockwise, the sign of the area is the number of the face's bit in the settings: 0 for
  // front, 1 for back; else its opposite.
  ValueId FaceCulled() {
    static_assert(kCullFront == 1 && kCullBack == 2 && kFrontIsCounterClockwise == 4);
    constexpr uint32_t kFrontBit = 2;
    const auto& [p, q, r] = c_;
    const ValueId area = b_.Fsub(b_.Fmul(b_.Fsub(r.x, p.x), b_.Fsub(q.y, p.y)),
                                 b_.Fmul(b_.Fsub(p.x, q.x), b_.Fsub(p.y, r.y)));
    const ValueId mirrored = b_.Xor(b_.Xor(Bits(p.w), Bits(q.w)), Bits(r.w));
    const ValueId other_front =
        b_.Shl(b_.Not(state_.settings), b_.Int(kSignBit - kFrontBit));  // other bits do not count
    const ValueId sign =
        b_.Ushr(b_.Xor(b_.Xor(mirrored, Bits(area)), other_front), b_.Int(kSignBit));
    const ValueId culled = b_.Ine(b_.UbitfieldExtract(state_.settings, sign, b_.Int(1)), b_.Int(0));
    const ValueId finite = b_.Flt(b_.Fabs(area), b_.Float(std::numeric_limits<float>::infinity()));
    return b_.And(b_.Or(culled, b_.Feq(area, b_.Float(0))), finite);
  }

  ValueId BoxCulled() {
    const std::array<ValueId, 2> low = {Least(c_[0].x, c_[1].x, c_[2].x),
                                        Least(c_[0].y, c_[1].y, c_[2].y)};
    const std::array<ValueId, 2> high = {Most(c_[0].x, c_[1].x, c_[2].x),
                                         Most(c_[0].y, c_[1].y, c_[2].y)};
    const ValueId beyond = b_.Fmax(Most(low[0], low[1], b_.Fneg(high[0])), b_.Fneg(high[1]));
    const ValueId outside = b_.Flt(b_.Float(1), beyond);
    const Type type = Type::kBool;
    return EmitIf(
        b_, b_.Ine(b_.And(state_.settings, b_.Int(kCullSmall)), b_.Int(0)), {&type, 1},
        [&] {
          ValueId culled = outside;
          for (size_t axis = 0; axis < 2; ++axis) {
            culled = b_.Or(culled, HoldsNoSample(axis, low[axis], high[axis]));
          }
          return std::vector<ValueId>{culled};
        },
        [&] { return std::vector<ValueId>{outside}; })[0];
  }

  // Samples are at whole numbers and a half: none is between two numbers that round to the same.
  // Positions may be off by two to the power of the settings' highest byte.
  ValueId HoldsNoSample(size_t axis, ValueId low, ValueId high) {
    constexpr uint32_t kBias = 127, kMantissa = 23;  // of floats
    const ValueId exponent =
        b_.Iadd(b_.Ashr(state_.settings, b_.Int(kCullingPrecisionShift)), b_.Int(kBias));
    const ValueId margin =
        b_.Convert(Op::kBitcast, b_.Shl(exponent, b_.Int(kMantissa)), Type::kF32);
    const ValueId from = b_.Fsub(b_.Ffma(low, state_.scale[axis], state_.offset[axis]), margin);
    const ValueId to = b_.Fadd(b_.Ffma(high, state_.scale[axis], state_.offset[axis]), margin);
    return b_.Feq(b_.FroundEven(from), b_.FroundEven(to));
  }

  mir::Builder& b_;
  const std::array<Corner, 3>& c_;
  const CullingState& state_;
};

}  // namespace

ValueId KeepTriangle(mir::Builder& b, const std::array<Corner, 3>& corners,
                     const CullingState& state, const std::function<void()>& keep) {
  return Tests(b, corners, state).Keep(keep);
}

}  // namespace kiln::amd
