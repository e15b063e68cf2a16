#include "core/mid/lower/lower_gradients.h"

#include <array>
#include <vector>

#include "absl/types/span.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::ImageDim;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::Type;
using mir::ValueId;

class Lowering {
 public:
  Lowering(Module& module, const Features::Gradients& has)
      : m_(module), has_(has), b_(module), samplers_(CountSamplers(module)) {}

  bool Run() {
    mir::RewriteInsts(b_, m_.body, [&](InstId id) {
      if (ToLower(id)) Lower(id);
      return true;
    });
    return changed_;
  }

 private:
  bool ToLower(InstId id) const {
    const mir::Inst& inst = m_.inst(id);
    if (inst.op != Op::kSample) return false;
    const mir::TexelOp& texel = m_.texel_ops[inst.imm1];
    if ((texel.params & mir::kTexelGrad) == 0) return false;
    if (m_.resources[inst.imm0].image.dim == ImageDim::kCube && !has_.of_cubes) return true;
    if ((texel.params & mir::kTexelMinLod) == 0) return false;
    const bool reference = (texel.params & mir::kTexelDref) != 0;
    return (reference && !has_.least_level_with_reference) ||
           (!has_.least_level_with_offsets && HasOffsets(inst, texel));
  }

  // Returns true if the sample has texel offsets, or a sampler that may be in no table: the message
  // header names both.
  bool HasOffsets(const mir::Inst& inst, const mir::TexelOp& texel) const {
    const bool combined = texel.sampler == mir::TexelOp::kNoSampler;
    return texel.offset != std::array<int8_t, 3>{0, 0, 0} ||
           (texel.params & mir::kTexelOffsets) != 0 || samplers_ > has_.samplers_in_table ||
           m_.resources[combined ? inst.imm0 : texel.sampler].count == 0;
  }

  ValueId Square(ValueId v) { return b_.Fmul(v, v); }

  // Sizes of level 0, as floats.
  std::vector<ValueId> Sizes(InstId sample) {
    const mir::Inst inst = m_.inst(sample);
    std::vector<ValueId> sources;
    if ((inst.flags & mir::kIndexed) != 0) sources.push_back(m_.source(sample, 0));
    sources.push_back(b_.Int(0));
    mir::TexelOp query;
    query.params = mir::kTexelLod;
    const std::vector<Type> types(mir::SizeCount(m_.resources[inst.imm0].image), Type::kI32);
    b_.set_flags(inst.flags & (mir::kIndexed | mir::kNonUniform));
    const InstId size =
        b_.EmitInst(Op::kImageSize, sources, types, inst.imm0, mir::AddTexelOp(m_, query));
    b_.set_flags(0);
    std::vector<ValueId> sizes;
    for (size_t i = 0; i < types.size(); ++i) sizes.push_back(b_.U2f(m_.result(size, i)));
    return sizes;
  }

  // The axis of the face to which a direction points.
  struct Facing {
    ValueId z_first;  // the z axis; otherwise
    ValueId y_first;  // the y axis; otherwise the x axis
  };

  // The coordinates of a direction, or of its derivative, with that along the face's axis last.
  // Signs and order of the first two do not matter to lengths.
  std::array<ValueId, 3> Turned(const Facing& f, const std::array<ValueId, 3>& v) {
    const ValueId s = b_.Select(f.z_first, v[0], b_.Select(f.y_first, v[0], v[1]));
    const ValueId t = b_.Select(f.z_first, v[1], v[2]);
    const ValueId axis = b_.Select(f.z_first, v[2], b_.Select(f.y_first, v[1], v[0]));
    return {s, t, axis};
  }

  Facing FacingOf(const std::array<ValueId, 3>& direction) {
    const ValueId x = b_.Fabs(direction[0]), y = b_.Fabs(direction[1]), z = b_.Fabs(direction[2]);
    return {b_.And(b_.Fge(z, x), b_.Fge(z, y)), b_.Fge(y, x)};
  }

  // Twice the derivatives on the face, those of s / axis and t / axis, from the direction's.
  std::vector<ValueId> OnFace(const std::array<ValueId, 3>& at, const std::array<ValueId, 3>& d) {
    const ValueId inverse = b_.Frcp(at[2]);
    std::vector<ValueId> result;
    for (int k = 0; k < 2; ++k) {
      const ValueId place = b_.Fmul(at[k], inverse);
      result.push_back(b_.Fmul(b_.Fsub(d[k], b_.Fmul(place, d[2])), inverse));
    }
    return result;
  }

  // Derivatives in texels of level 0, by x or y.
  std::vector<ValueId> InTexels(InstId sample, const std::vector<ValueId>& sizes, int coordinates,
                                int derivatives, int count) {
    std::vector<ValueId> d;
    for (int k = 0; k < count; ++k) d.push_back(m_.source(sample, derivatives + k));
    ValueId half;
    if (m_.resources[m_.inst(sample).imm0].image.dim == ImageDim::kCube) {
      std::array<ValueId, 3> at;
      for (int k = 0; k < 3; ++k) at[k] = m_.source(sample, coordinates + k);
      const Facing facing = FacingOf(at);
      d = OnFace(Turned(facing, at), Turned(facing, {d[0], d[1], d[2]}));
      half = b_.Fmul(sizes[0], b_.Float(0.5f));
    }
    for (size_t k = 0; k < d.size(); ++k) d[k] = b_.Fmul(d[k], half.valid() ? half : sizes[k]);
    return d;
  }

  ValueId SquareOfLength(const std::vector<ValueId>& v) {
    ValueId sum = Square(v[0]);
    for (size_t k = 1; k < v.size(); ++k) sum = b_.Fadd(sum, Square(v[k]));
    return sum;
  }

  ValueId LevelOf(InstId id, const mir::TexelSources& s) {
    const std::vector<ValueId> sizes = Sizes(id);
    const ValueId x = SquareOfLength(InTexels(id, sizes, s.coordinates, s.ddx, s.num_derivatives));
    const ValueId y = SquareOfLength(InTexels(id, sizes, s.coordinates, s.ddy, s.num_derivatives));
    const ValueId level = b_.Fmul(b_.Flog2(b_.Fmax(x, y)), b_.Float(0.5f));
    return s.min_lod >= 0 ? b_.Fmax(level, m_.source(id, s.min_lod)) : level;
  }

  // Emits the computation of the level before the sample, and gives the sample the level.
  void Lower(InstId id) {
    changed_ = true;
    const mir::TexelSources s = mir::TexelSourcesOf(m_, id);
    const ValueId level = LevelOf(id, s);
    // Derivatives and min LOD are consecutive sources, which the level replaces.
    const absl::Span<const ValueId> old = m_.sources(id);
    std::vector<ValueId> sources(old.begin(), old.begin() + s.ddx);
    sources.push_back(level);
    const int first_after = s.ddx + 2 * s.num_derivatives + (s.min_lod >= 0);
    sources.insert(sources.end(), old.begin() + first_after, old.end());
    mir::TexelOp texel = m_.texel_ops[m_.inst(id).imm1];
    texel.params &= static_cast<uint16_t>(~(mir::kTexelGrad | mir::kTexelMinLod));
    texel.params |= mir::kTexelLod;
    m_.inst(id).imm1 = mir::AddTexelOp(m_, texel);
    mir::SetSources(m_, id, sources);
  }

  static uint64_t CountSamplers(const Module& module) {
    uint64_t samplers = 0;
    for (const mir::Resource& r : module.resources) {
      const bool samples = r.kind == mir::ResourceKind::kSampler ||
                           r.kind == mir::ResourceKind::kCombinedImageSampler;
      if (samples) samplers += r.count;
    }
    return samplers;
  }

  Module& m_;
  const Features::Gradients has_;
  mir::Builder b_;
  const uint64_t samplers_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> LowerGradients(Module& module, const Features& features, PassContext&) {
  return Lowering(module, features.gradients).Run();
}

}  // namespace kiln::mid
