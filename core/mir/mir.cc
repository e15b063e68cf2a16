// The op table of ops.def as data.
#include "core/mir/mir.h"

#include <algorithm>

namespace kiln::mir {
namespace {

constexpr int V = -1;

constexpr uint32_t Flags(std::string_view letters) {
  uint32_t bits = 0;
  for (char c : letters) bits |= OpInfo::FlagBit(c);
  return bits;
}

}  // namespace

constexpr std::array<OpInfo, kNumOps> kOps = {{
#define OP(enumerator, text, sources, results, signature, flags) \
  {text, sources, results, signature, Flags(flags)},
#include "core/mir/ops.def"
#undef OP
}};

bool IsTexelOp(Op op) {
  return (op >= Op::kSample && op <= Op::kImageSamples) || op == Op::kSampleImplicit ||
         op == Op::kImageLod || op == Op::kImageAtomic64;
}

bool IsSampling(Op op) {
  return op == Op::kSample || op == Op::kGather || op == Op::kSampleImplicit || op == Op::kImageLod;
}

bool IsInterfaceOp(Op op) {
  return op == Op::kLoadInput || op == Op::kInterpolate || op == Op::kStoreOutput;
}

bool IsKill(Op op) { return op == Op::kDemote || op == Op::kDiscard || op == Op::kTerminate; }

bool Module::Needs(Need need) const {
  return std::any_of(needs.begin(), needs.end(), [&](const Needed& n) { return n.need == need; });
}

bool RoundsToZero(const Module& module, Op op, Type result) {
  const Type type = op == Op::kF2f16 ? Type::kF16 : result;
  if (!IsFloat(type)) return false;
  const RoundingMode own = module.float_mode(type).rounding;
  if (own != RoundingMode::kAny) return own == RoundingMode::kToZero;
  if (type == Type::kF64) return RoundsToZero(module, op, Type::kF16);
  const Type other = type == Type::kF16 ? Type::kF32 : Type::kF16;
  return module.float_mode(other).rounding == RoundingMode::kToZero;
}

TexelSources TexelSourcesOf(Op op, uint16_t flags, const TexelOp& texel, const ImageInfo& info) {
  TexelSources s;
  const auto take = [&s](int count) {
    const int first = s.total;
    s.total += count;
    return first;
  };
  const auto has = [&](TexelParam p) { return (texel.params & p) != 0; };
  if ((flags & kIndexed) != 0) s.image_index = take(1);
  if (has(kTexelSamplerIndex)) s.sampler_index = take(1);
  const bool query = op == Op::kImageSize || op == Op::kImageLevels || op == Op::kImageSamples;
  if (!query) {
    s.num_coordinates =
        op == Op::kImageLod ? SpatialCount(info.dim) : CoordinateCount(info, IsSampling(op));
    s.coordinates = take(s.num_coordinates);
  }
  if (has(kTexelDref)) s.dref = take(1);
  if (has(kTexelBias)) s.bias = take(1);
  if (has(kTexelLod)) s.lod = take(1);
  if (has(kTexelGrad)) {
    s.num_derivatives = SpatialCount(info.dim);
    s.ddx = take(s.num_derivatives);
    s.ddy = take(s.num_derivatives);
  }
  if (has(kTexelMinLod)) s.min_lod = take(1);
  if (has(kTexelSample)) s.sample = take(1);
  if (has(kTexelOffsets)) {
    s.num_offsets = OffsetCount(info.dim);
    s.offsets = take(s.num_offsets);
  }
  s.num_values = op == Op::kImageStore      ? 4
                 : op == Op::kImageAtomic   ? AtomicOperands(texel.atomic)
                 : op == Op::kImageAtomic64 ? 2 * AtomicOperands(texel.atomic)
                                            : 0;
  if (s.num_values != 0) s.values = take(s.num_values);
  return s;
}

bool IsSubgroupUniform(const Inst& inst) {
  switch (inst.op) {
    case Op::kSubgroupAny:
    case Op::kSubgroupAll:
    case Op::kBallot:
    case Op::kReadFirst:
    case Op::kReadLane:
    case Op::kWorkgroupScan: return true;
    case Op::kReduce: return inst.imm1 == 0;
    default: return false;
  }
}

}  // namespace kiln::mir
