// Fragments of a draw in random modules.
//
// Results that differ between targets are not used: derivatives and quad reads where a lane of the
// quad is missing, results of atomics in helper lanes, subgroup operations in which helpers take
// part. A discarded lane may continue as a helper or not; after a possible discard only quads
// without helpers count as whole. Outputs are written at the end, as the importer does.
#include "core/oracle/generator.h"

#include <iterator>
#include <vector>

namespace kiln::oracle::random_modules {

void Generator::DeclareDrawn() {
  discards_ = random_.OneIn(2);
  m_.fragment.sample_rate = options_.samples > 1 && random_.OneIn(3);
  // the mode at the start of the program is not specified
  m_.f16_mode.denorms = mir::DenormMode::kPreserve;
  Interface smooth = {.components = 4, .type = Type::kF32};
  Interface number = {
      .location = 1, .components = 2, .type = Type::kI32, .interpolation = Interpolation::kFlat};
  Interface array = {.location = 2,
                     .components = 2,
                     .array = true,
                     .elements = 3,
                     .type = Type::kF32,
                     .interpolation = Interpolation::kNoPerspective,
                     .auxiliary = Auxiliary::kCentroid};
  Interface linear = {.location = 5,
                      .component = 1,
                      .components = 3,
                      .type = Type::kF32,
                      .interpolation = Interpolation::kNoPerspective};
  Interface flat = {.location = 6, .type = Type::kF32, .interpolation = Interpolation::kFlat};
  Interface coord = {.builtin = BuiltIn::kFragCoord, .components = 4, .type = Type::kF32};
  Interface facing = {.builtin = BuiltIn::kFrontFacing, .type = Type::kBool};
  Interface primitive = {.builtin = BuiltIn::kPrimitiveId, .type = Type::kI32};
  Interface sample = {.builtin = BuiltIn::kSampleId, .type = Type::kI32};
  Interface mask = {.builtin = BuiltIn::kSampleMask, .array = true, .type = Type::kI32};
  m_.inputs = {smooth, number, array, linear, flat, coord, facing, primitive};
  if (PerSample()) m_.inputs.push_back(sample);
  m_.inputs.push_back(mask);
  Interface integer = {.location = 1, .type = Type::kI32};
  Interface pair = {
      .location = 2 + random_.Below(4), .component = 1, .components = 2, .type = Type::kI32};
  Interface depth = {.builtin = BuiltIn::kFragDepth, .type = Type::kF32};
  m_.outputs = {smooth, integer, pair};
  const bool early = random_.OneIn(8);
  m_.fragment.early_tests = early;
  if (!early && random_.OneIn(3)) {
    m_.fragment.depth = static_cast<DepthMode>(1 + random_.Below(3));
  }
  if (!early && random_.OneIn(4)) m_.outputs.push_back(mask);
  if (m_.fragment.depth != DepthMode::kNone) m_.outputs.push_back(depth);
  m_.resources.push_back({.kind = ResourceKind::kCombinedImageSampler, .binding = kTexture});
  m_.resources.push_back(
      {.kind = ResourceKind::kStorageImage,
       .binding = kImage,
       .image = {.component = mir::ComponentType::kUint, .format = mir::ImageFormat::kR32ui}});
}

// Numbers fragments by pixel of the render target, and by sample if each has an invocation.
void Generator::NumberTheFragment() {
  const InstId at = b_.LoadInput(kCoordInput, 0, 2);
  x_ = b_.Convert(Op::kF2u, m_.result(at, 0), Type::kI32);
  y_ = b_.Convert(Op::kF2u, m_.result(at, 1), Type::kI32);
  lane_ = b_.Iadd(b_.Imul(y_, b_.Int(kDrawnEdge)), x_);
  if (PerSample()) {
    const ValueId sample = m_.result(b_.LoadInput(kSampleInput, 0, 1));
    lane_ = b_.Iadd(b_.Imul(lane_, b_.Int(options_.samples)), sample);
  }
  Define(lane_);
  Define(x_);
  Define(y_);
}

void Generator::WriteDrawnOutputs() {
  for (uint32_t i = 0; i < m_.outputs.size(); ++i) {
    const Interface& v = m_.outputs[i];
    const bool builtin = v.builtin != BuiltIn::kNone;
    if (!builtin && random_.OneIn(5)) continue;
    const uint32_t first = random_.Below(v.components);
    std::vector<ValueId> values;
    for (uint32_t c = first; c < v.components; ++c) values.push_back(OfOneZero(Pick(v.type)));
    if (v.builtin == BuiltIn::kFragDepth) values[0] = b_.Emit(Op::kFsaturate, {values[0]});
    b_.StoreOutput(i, first, values, v.array ? b_.Int(0) : ValueId());
  }
}

void Generator::DrawnOperation(int depth) {
  switch (random_.Below(12)) {
    case 0: return Define(b_.HelperInvocation());
    case 1:
    case 2: return DrawnKill(depth);
    case 3: return PerSample() ? DrawnInput() : Define(DrawnInterpolation());
    case 4:
    case 5: return DrawnInput();
    case 6: return DrawnSample();
    case 7: return PerSample() ? DrawnSample() : ImageAccess();
    case 8: return CommonAtomic();
    case 9: return LanesOfTargets();
    case 10: return QuadRead();
    default: return DrawnDerivative();
  }
}

void Generator::DrawnInput() {
  switch (random_.Below(7)) {
    case 0:
    case 1: {
      const uint32_t first = random_.Below(4);
      return DefineResults(b_.LoadInput(kSmoothInput, first, 1 + random_.Below(4 - first)));
    }
    case 2: {
      const ValueId element = b_.Urem(Pick(Type::kI32), b_.Int(3));
      return DefineResults(b_.LoadInput(kArrayInput, 0, 2, random_.OneIn(2) ? element : b_.Int(1)));
    }
    case 3: {
      const uint32_t first = random_.Below(3);
      return DefineResults(b_.LoadInput(kLinearInput, first, 1 + random_.Below(3 - first)));
    }
    case 4: return DefineResults(b_.LoadInput(random_.OneIn(2) ? kFlatInput : kNumberInput, 0, 1));
    case 5: return DefineResults(b_.LoadInput(kCoordInput, 2, 1));
    default: {
      const uint32_t kind = random_.Below(3);
      const auto mask = static_cast<uint32_t>(m_.inputs.size()) - 1;
      if (kind == 2) return DefineResults(b_.LoadInput(mask, 0, 1, b_.Int(0)));
      return DefineResults(b_.LoadInput(kind == 0 ? kFacingInput : kPrimitiveInput, 0, 1));
    }
  }
}

// Offsets are multiples of 1/16, the precision to which targets round them.
ValueId Generator::DrawnInterpolation() {
  auto at = static_cast<InterpolateAt>(random_.Below(3));
  // Not every target compiles interpolation at one of several samples.
  if (at == InterpolateAt::kSample && options_.samples > 1) at = InterpolateAt::kCentroid;
  std::vector<ValueId> sources;
  if (at == InterpolateAt::kSample) sources.push_back(b_.Int(0));
  const bool constant = random_.OneIn(2);
  for (int i = 0; i < 2 && at == InterpolateAt::kOffset; ++i) {
    const ValueId chosen = b_.Fsub(
        b_.Fmul(b_.Ffloor(b_.Fmul(Fraction(), b_.Float(15))), b_.Float(0.0625f)), b_.Float(0.5f));
    sources.push_back(constant ? b_.Float((static_cast<float>(random_.Below(16)) - 8) / 16)
                               : chosen);
  }
  return m_.result(b_.EmitInst(Op::kInterpolate, sources, {Type::kF32}, kLinearInput,
                               PackInterpolateAt(at, random_.Below(3))));
}

// Kills few lanes each time, at any depth.
void Generator::DrawnKill(int depth) {
  if (kills_++ >= 4) return Define(b_.HelperInvocation());
  constexpr Op kKills[] = {Op::kDemote, Op::kTerminate, Op::kDiscard, Op::kDiscard};
  const Op op = kKills[random_.Below(discards_ ? 4 : 2)];
  discarded_ |= op == Op::kDiscard;
  const ValueId bits = b_.And(b_.Iadd(Pick(Type::kI32), lane_), b_.Int(7));
  const ValueId few = b_.Ieq(bits, b_.Int(random_.Below(8)));
  const ValueId condition = random_.OneIn(3) ? b_.And(few, Pick(Type::kBool)) : few;
  if (random_.OneIn(2) || depth >= options_.max_depth) return b_.Kill(op, condition);
  KillInIf(op, condition);
}

// Returns the lanes of the quad that count as present, a bit each.
ValueId Generator::QuadMask() {
  const bool strict = discarded_ || (discards_ && !fuel_.empty());
  const ValueId counts = strict ? b_.Not(b_.HelperInvocation()) : b_.Bool(true);
  const InstId ballot = b_.EmitInst(Op::kBallot, {counts}, kFourInts);
  const ValueId lane = b_.SubgroupInvocation();
  const ValueId upper = b_.Ine(b_.And(lane, b_.Int(32)), b_.Int(0));
  const ValueId half = b_.Select(upper, m_.result(ballot, 1), m_.result(ballot, 0));
  return b_.And(b_.Ushr(half, b_.And(lane, b_.Int(28))), b_.Int(15));
}

// Modes other than fine are used only in the first row or column, where both give the same.
void Generator::DrawnDerivative() {
  const auto mode = static_cast<DerivativeMode>(random_.Below(3));
  const Op op = random_.OneIn(2) ? Op::kDdx : Op::kDdy;
  const ValueId v = Fraction();
  ValueId defined = QuadIsWhole();
  if (mode != DerivativeMode::kFine) {
    const ValueId bit = b_.And(b_.SubgroupInvocation(), b_.Int(op == Op::kDdx ? 2 : 1));
    defined = b_.And(defined, b_.Ieq(bit, b_.Int(0)));
  }
  Define(b_.Select(defined, b_.Derivative(op, v, mode), b_.Float(0)));
}

void Generator::QuadRead() {
  const ValueId v = PickTyped(AnyType());
  const uint32_t n = 1 + random_.Below(3);
  const ValueId mask = QuadMask();
  const bool swap = random_.OneIn(2);
  const ValueId mine = b_.And(b_.SubgroupInvocation(), b_.Int(3));
  const ValueId lane = swap ? b_.Xor(mine, b_.Int(n)) : b_.Int(n);
  const ValueId read = b_.Emit(swap ? Op::kQuadSwap : Op::kQuadBroadcast, {v}, n);
  const ValueId on = b_.Ine(b_.And(b_.Ushr(mask, lane), b_.Int(1)), b_.Int(0));
  // A value that is the same everywhere needs no reading, and no helpers in the quad: then the lane
  // may be missing, and its own value is the same.
  DefineTyped(b_.Select(on, read, v));
}

// Subgroup operations without helpers: it is not specified whether helpers take part.
void Generator::LanesOfTargets() {
  const InstId branch = b_.If(b_.Not(b_.HelperInvocation()));
  const Builder::InsertionPoint outer = b_.insertion_point();
  const std::vector<Type> types = {Type::kI32, Type::kBool,
                                   options_.floats ? Type::kF32 : Type::kI32};
  const Mark mark = Enter();
  b_.SetRegion(m_.inst(branch).regions[0]);
  for (uint32_t i = 1 + random_.Below(3); i > 0; --i) LaneOperation();
  b_.Yield(PickAll(types));
  Leave(mark);
  b_.SetRegion(m_.inst(branch).regions[1]);
  b_.Yield(PickAll(types));
  b_.SetInsertionPoint(outer);
  SetResults(m_, branch, types);
  DefineResults(branch);
}

// An atomic on dwords that all fragments share, after their own parts. The operations commute.
void Generator::CommonAtomic() {
  constexpr AtomicOp kAtomics[] = {AtomicOp::kAdd, AtomicOp::kUmax, AtomicOp::kSmin, AtomicOp::kXor,
                                   AtomicOp::kOr};
  const uint32_t which = random_.Below(std::size(kAtomics));
  const uint32_t at = 4 * (DrawnFragments(options_.samples) * kOutputDwords + which);
  b_.Atomic(Op::kSsboAtomic, kAtomics[which], 0, b_.Int(at), {Pick(Type::kI32)});
}

// Accesses the fragment's own texel; no access is outside of the image.
void Generator::ImageAccess() {
  const uint32_t plain = AddTexelOp(m_, {});
  switch (random_.Below(3)) {
    case 0: {
      std::vector<ValueId> sources = {x_, y_};
      for (int c = 0; c < 4; ++c) sources.push_back(Pick(Type::kI32));
      b_.EmitInst(Op::kImageStore, sources, {}, kImage, plain);
      return;
    }
    case 1: {
      const InstId load = b_.EmitInst(Op::kImageLoad, {x_, y_}, kFourInts, kImage, plain);
      return Define(m_.result(load, 0));
    }
    default: {
      TexelOp texel;
      texel.atomic = random_.OneIn(2) ? AtomicOp::kAdd : AtomicOp::kExchange;
      const InstId atomic = b_.EmitInst(Op::kImageAtomic, {x_, y_, Pick(Type::kI32)}, {Type::kI32},
                                        kImage, AddTexelOp(m_, texel));
      return Define(OfTargets(m_.result(atomic)));
    }
  }
}

// Coordinates between texels, never close to a texel's border, in few bits, so that filtering is
// exact.
ValueId Generator::TextureCoordinate() {
  const ValueId cut = b_.Ffloor(b_.Fmul(Fraction(), b_.Float(64)));
  return b_.Fadd(b_.Fmul(cut, b_.Float(1.0f / 64)), b_.Float(1.0f / 128));
}

void Generator::DrawnSample() {
  constexpr Type kFourFloats[] = {Type::kF32, Type::kF32, Type::kF32, Type::kF32};
  TexelOp texel;
  std::vector<ValueId> sources;
  Op op = Op::kSample;
  const uint32_t kind = random_.Below(5);
  switch (kind) {
    case 0:
      op = Op::kFetch;
      texel.params = mir::kTexelLod;
      sources = {b_.And(Pick(Type::kI32), b_.Int(7)), b_.And(Pick(Type::kI32), b_.Int(3)),
                 b_.And(Pick(Type::kI32), b_.Int(1))};
      break;
    case 1:
      texel.params = mir::kTexelLod;
      sources = {TextureCoordinate(), TextureCoordinate(),
                 b_.Float(static_cast<float>(random_.Below(2)))};
      break;
    case 2:
      op = Op::kGather;
      texel.component = static_cast<uint8_t>(random_.Below(4));
      sources = {TextureCoordinate(), TextureCoordinate()};
      break;
    default: {
      // Whole levels: a pixel is half a texel, one or two.
      op = Op::kSampleImplicit;
      const float scale = 1.0f / static_cast<float>(4u << random_.Below(3));
      const ValueId x = m_.result(b_.LoadInput(kCoordInput, 0, 1));
      sources = {b_.Fmul(x, b_.Float(scale)),
                 b_.Float(static_cast<float>(random_.Below(64)) / 64 + 1.0f / 128)};
      if (kind == 4) {
        texel.params = mir::kTexelBias;
        sources.push_back(b_.Float(static_cast<float>(random_.Below(2))));
      }
      break;
    }
  }
  if (op != Op::kFetch && random_.OneIn(3)) {
    texel.params |= mir::kTexelOffsets;
    for (int k = 0; k < 2; ++k) {  // from -8 to 7
      const ValueId high = b_.Shl(Pick(Type::kI32), b_.Int(28));
      sources.push_back(b_.Ashr(high, b_.Int(28)));
    }
  }
  const InstId load = b_.EmitInst(op, sources, kFourFloats, kTexture, AddTexelOp(m_, texel));
  if (op != Op::kSampleImplicit) return DefineResults(load);
  const ValueId whole = QuadIsWhole();
  for (int c = 0; c < 4; ++c) Define(b_.Select(whole, m_.result(load, c), b_.Float(0)));
}

// Results of atomics in helper lanes are undefined: replaces them by 0 in fragments that are drawn.
ValueId Generator::OfTargets(ValueId v) {
  if (!DrawsFragments()) return v;
  const ValueId helps = b_.HelperInvocation();
  return b_.Select(helps, b_.Constant(m_.value(v).type, 0), v);
}

}  // namespace kiln::oracle::random_modules
