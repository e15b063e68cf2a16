#include "core/mid/lower/lower_derivatives.h"

#include <vector>

#include "absl/types/span.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::InstId;
using mir::Module;
using mir::Op;
using mir::TexelOp;
using mir::TexelSources;
using mir::Type;
using mir::ValueId;

// Bits of a lane's number in its quad.
constexpr uint32_t kRight = 1, kDown = 2;

class Lowering {
 public:
  explicit Lowering(Module& module) : m_(module), b_(module), replace_(module) {}

  bool Run() {
    mir::RewriteInsts(b_, m_.body, [&](InstId id) { return Visit(id); });
    replace_.Apply(m_);
    return changed_;
  }

 private:
  // Returns true if the instruction stays.
  bool Visit(InstId id) {
    switch (m_.inst(id).op) {
      case Op::kDdx: Replace(id, kRight); return false;
      case Op::kDdy: Replace(id, kDown); return false;
      case Op::kSampleImplicit: GiveGradient(id); return true;
      default: return true;
    }
  }

  void Replace(InstId id, uint32_t direction) {
    changed_ = true;
    const uint16_t flags = m_.inst(id).flags & mir::kExact;
    replace_.Replace(m_.result(id), Derivative(m_.source(id, 0), direction, flags));
  }

  ValueId ConvertFloat(ValueId v, Type to) {
    return m_.value(v).type == to ? v : b_.Convert(Op::kF2f, v, to);
  }

  // `flags`: of the difference.
  ValueId Derivative(ValueId v, uint32_t direction, uint16_t flags) {
    const Type type = m_.value(v).type;
    const ValueId here = ConvertFloat(v, Type::kF32);
    const ValueId there = b_.Emit(Op::kQuadSwap, {here}, direction);
    const ValueId side = b_.And(b_.SubgroupInvocation(), b_.Int(direction));
    const ValueId low = b_.Ieq(side, b_.Int(0));
    const ValueId from = b_.Select(low, here, there);
    const ValueId to = b_.Select(low, there, here);
    b_.set_flags(flags);
    const ValueId difference = b_.Fsub(to, from);
    b_.set_flags(0);
    return ConvertFloat(difference, type);
  }

  // Gives a sample explicit derivatives. Sources are in the order of TexelParam: the derivatives
  // replace the bias, or go where it would be.
  void GiveGradient(InstId id) {
    changed_ = true;
    const TexelSources s = mir::TexelSourcesOf(m_, id);
    const absl::Span<const ValueId> span = m_.sources(id);
    const std::vector<ValueId> old(span.begin(), span.end());
    const int spatial = SpatialCount(m_.resources[m_.inst(id).imm0].image.dim);
    const ValueId scale = s.bias < 0 ? ValueId() : b_.Fexp2(old[s.bias]);
    std::vector<ValueId> dx, dy;
    for (int k = 0; k < spatial; ++k) {
      for (uint32_t direction : {kRight, kDown}) {
        ValueId d = Derivative(old[s.coordinates + k], direction, 0);
        if (scale.valid()) d = b_.Fmul(d, scale);
        (direction == kRight ? dx : dy).push_back(d);
      }
    }
    const int first = s.bias >= 0   ? s.bias
                      : s.dref >= 0 ? s.dref + 1
                                    : s.coordinates + s.num_coordinates;
    std::vector<ValueId> sources(old.begin(), old.begin() + first);
    sources.insert(sources.end(), dx.begin(), dx.end());
    sources.insert(sources.end(), dy.begin(), dy.end());
    sources.insert(sources.end(), old.begin() + first + (s.bias >= 0), old.end());
    TexelOp texel = m_.texel_ops[m_.inst(id).imm1];
    texel.params = static_cast<uint16_t>((texel.params & ~mir::kTexelBias) | mir::kTexelGrad);
    mir::SetSources(m_, id, sources);
    m_.inst(id).imm1 = mir::AddTexelOp(m_, texel);
    m_.inst(id).op = Op::kSample;
  }

  Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> LowerDerivatives(Module& module, PassContext&) {
  return Lowering(module).Run();
}

}  // namespace kiln::mid
