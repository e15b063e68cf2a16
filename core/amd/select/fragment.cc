// Selects inputs from the rasteriser (core/amd/ABI.md, "Fragments").
//
// An interpolated component is two instructions, v_interp_p1_f32 by i and v_interp_p2_f32 by j,
// which read the attribute of the lane's own primitive; a flat one is v_interp_mov_f32 of the
// provoking vertex. Lanes of a wave may be of several primitives, so none of these is uniform. A
// per-vertex one has the values of all vertices, in the order of the primitive's own
// (ROTATE_PC_PTR). i and j, however, are weights in an order of the hardware.
//
// Sources: Mesa 25.0.7, aco_instruction_selection (emit_interp_instr), ac_nir_lower_ps_early.c
// (positions of samples, offsets), radv_nir_lower_fs_barycentric.c (weights at offsets),
// ac_nir_lower_intrinsics_to_args.c (fields of the ancillary register).
#include "core/amd/select/fragment.h"

#include <cstddef>

namespace kiln::amd {
namespace {

using mir::BuiltIn;

constexpr uint32_t kHalfFloat = 0x3f000000;  // 0.5
// Fields of the ancillary register: first bit, bits.
constexpr uint32_t kSampleFirst = 8, kSampleBits = 4, kLayerFirst = 16, kLayerBits = 13;

// Positions of samples in sixteenths of a pixel, x and y (Vulkan, "Standard sample locations").
struct SamplePosition {
  uint8_t x, y;
};
constexpr SamplePosition kOf1[] = {{8, 8}};
constexpr SamplePosition kOf2[] = {{12, 12}, {4, 4}};
constexpr SamplePosition kOf4[] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
constexpr SamplePosition kOf8[] = {{9, 5},  {7, 11}, {13, 9},  {5, 3},
                                   {3, 13}, {1, 7},  {11, 15}, {15, 1}};
constexpr SamplePosition kOf16[] = {{9, 9},   {7, 5},  {5, 10},  {12, 7}, {3, 6}, {10, 13},
                                    {13, 11}, {11, 3}, {6, 14},  {8, 1},  {4, 2}, {2, 12},
                                    {0, 8},   {15, 4}, {14, 15}, {1, 0}};

absl::Span<const SamplePosition> PositionsOf(uint32_t samples) {
  switch (samples) {
    case 2: return kOf2;
    case 4: return kOf4;
    case 8: return kOf8;
    case 16: return kOf16;
    default: return kOf1;
  }
}

// Returns a coordinate of all samples: nibble n is the offset of sample n from the centre.
uint64_t PositionsOf(uint32_t samples, size_t coordinate) {
  uint64_t nibbles = 0;
  const absl::Span<const SamplePosition> positions = PositionsOf(samples);
  for (size_t n = 0; n < positions.size(); ++n) {
    const int position = coordinate == 0 ? positions[n].x : positions[n].y;
    nibbles |= uint64_t{static_cast<uint32_t>(position - 8) & 15} << (4 * n);
  }
  return nibbles;
}

}  // namespace

void Fragment::DeclareLiveIns() {
  for (int i = 0; i < kFragmentVgprs; ++i) {
    const auto input = static_cast<FragmentVgpr>(i);
    if (!fragment().Has(input)) continue;
    lir::Value v;
    v.file = kFileV;
    v.comps = static_cast<uint16_t>(RegistersOf(input));
    inputs_[input] = Use(b_.AddLiveIn(v, fragment().VgprOf(input)), 0, static_cast<int>(v.comps));
  }
  DeliverCentroids(FragmentVgpr::kPerspectiveCentre, FragmentVgpr::kPerspectiveCentroid);
  DeliverCentroids(FragmentVgpr::kLinearCentre, FragmentVgpr::kLinearCentroid);
}

// The hardware leaves centroids out of waves all of whose pixels are covered by all samples, and
// says so in bit 31 of prim_mask: they are the centres (Mesa 25.0.7, ac_nir_lower_ps_late.c).
void Fragment::DeliverCentroids(FragmentVgpr centre, FragmentVgpr centroid) {
  if (!fragment().Has(centre) || !fragment().Has(centroid)) return;
  const Operand optimised =
      e_.Compare(Opcode::kVCmpGtI32, Imm(0), launch_.Scalar(fragment().prim_mask));
  const auto chosen = [&](int component) {
    return e_.Valu(Opcode::kVCndmaskB32,
                   {InputOf(centroid, component), InputOf(centre, component), optimised});
  };
  inputs_[centroid] = e_.Vector({chosen(0), chosen(1)}, kFileV);
}

Operand Fragment::InputOf(FragmentVgpr input, int component) const {
  return e_.Component(inputs_.at(input), component);
}

Operand Fragment::Bits(FragmentVgpr input, uint32_t first, uint32_t count) {
  return e_.Valu(Opcode::kVBfeU32, {InputOf(input), Imm(first), Imm(count)});
}

// ---- Attributes.

Fragment::Barycentrics Fragment::BarycentricsOf(FragmentVgpr input) const {
  return {InputOf(input, 0), InputOf(input, 1)};
}

// Returns the difference to the lane's neighbour in the quad, to the right or down.
Operand Fragment::Difference(const Operand& value, bool down) {
  // Lanes of the quad, two bits each: of the first row or column, and of the second one.
  constexpr uint16_t kFirstRow = 0x00 | 1 << 2 | 0 << 4 | 1 << 6;
  constexpr uint16_t kSecondRow = 2 | 3 << 2 | 2 << 4 | 3 << 6;
  constexpr uint16_t kFirstColumn = 0 | 0 << 2 | 2 << 4 | 2 << 6;
  constexpr uint16_t kSecondColumn = 1 | 1 << 2 | 3 << 4 | 3 << 6;
  const auto pattern = [](uint16_t control) {
    Extra extra;
    extra.form = static_cast<uint8_t>(isa::Form::kDpp16);
    extra.dpp_control = control;
    extra.dpp_masks = 0xff;
    return extra;
  };
  const Operand from = e_.Valu(Opcode::kVMovB32, {value}, pattern(down ? kFirstRow : kFirstColumn));
  return e_.Valu(Opcode::kVSubF32, {value, from}, pattern(down ? kSecondRow : kSecondColumn));
}

// Computed at the start, where all lanes of the quads run: the position of the interpolation may be
// one that some of them do not reach.
const Fragment::Slopes& Fragment::SlopesOf(FragmentVgpr input) {
  const auto [at, is_new] = slopes_.try_emplace(input);
  if (is_new) {
    const lir::SelectionBuilder::Prologue prologue(b_);
    for (uint32_t k = 0; k < RegistersOf(input); ++k) {
      const Operand here = InputOf(input, static_cast<int>(k));
      at->second.right[k] = Difference(here, false);
      at->second.down[k] = Difference(here, true);
    }
  }
  return at->second;
}

// The pull model, i / w, j / w and 1 / w, is linear over the primitive; i and j with perspective
// are not.
Fragment::Barycentrics Fragment::Moved(FragmentVgpr from, const Operand& x, const Operand& y) {
  const Slopes& slopes = SlopesOf(from);
  const auto moved = [&](size_t k) {
    const Operand here = InputOf(from, static_cast<int>(k));
    const Operand right = e_.Valu(Opcode::kVFmaF32, {slopes.right[k], x, here});
    return e_.Valu(Opcode::kVFmaF32, {slopes.down[k], y, right});
  };
  if (from != FragmentVgpr::kPullModel) return {moved(0), moved(1)};
  const Operand w = e_.Valu(Opcode::kVRcpF32, {moved(2)});
  const auto times_w = [&](size_t k) { return e_.Valu(Opcode::kVMulF32, {moved(k), w}); };
  return {times_w(0), times_w(1)};
}

// Returns the offset of a sample from the pixel's centre: a nibble, in sixteenths, of one constant
// for each coordinate.
std::array<Operand, 2> Fragment::OffsetOfSample(const Operand& sample) {
  constexpr uint32_t kSixteenth = 0x3d800000;
  std::array<Operand, 2> offset;
  for (size_t k = 0; k < 2; ++k) {
    const uint64_t positions = PositionsOf(fragment().samples, k);
    const Operand shift = e_.Times(e_.ToV(sample), 4);
    const Operand low = e_.ToV(Imm(static_cast<uint32_t>(positions)));
    Operand shifted;
    if (fragment().samples <= 8) {
      shifted = e_.Valu(Opcode::kVLshrrevB32, {shift, low});
    } else {
      const Operand both =
          e_.Vector({low, e_.ToV(Imm(static_cast<uint32_t>(positions >> 32)))}, kFileV);
      shifted = e_.Component(e_.Valu(Opcode::kVLshrrevB64, {shift, both}), 0);
    }
    const Operand nibble = e_.Valu(Opcode::kVBfeI32, {shifted, Imm(0), Imm(4)});
    const Operand number = e_.Valu(Opcode::kVCvtF32I32, {nibble});
    offset[k] = e_.Valu(Opcode::kVMulF32, {Imm(kSixteenth), number});
  }
  return offset;
}

Fragment::Barycentrics Fragment::BarycentricsFor(mir::InstId id) {
  using mir::InterpolateAt;
  const mir::Inst& inst = m_.inst(id);
  const mir::Interface& v = m_.inputs[inst.imm0];
  if (IsFlat(v) || v.interpolation == mir::Interpolation::kPerVertex) return {};
  if (inst.op == mir::Op::kLoadInput) {
    return BarycentricsOf(fragment().BarycentricsAt(v.interpolation, v.auxiliary));
  }
  const auto at = static_cast<InterpolateAt>(mir::InterpolateAtOf(inst.imm1));
  if (at == InterpolateAt::kCentroid) {
    return BarycentricsOf(fragment().BarycentricsAt(v.interpolation, mir::Auxiliary::kCentroid));
  }
  const FragmentVgpr centre = fragment().MovedFrom(v, at);
  const int first = (inst.flags & mir::kIndexed) != 0 ? 1 : 0;
  if (at == InterpolateAt::kOffset) {
    return Moved(centre, e_.ToV(e_.Src(m_.source(id, first))),
                 e_.ToV(e_.Src(m_.source(id, first + 1))));
  }
  if (!fragment().several_samples) return BarycentricsOf(centre);
  const std::array<Operand, 2> offset = OffsetOfSample(e_.Src(m_.source(id, first)));
  return Moved(centre, offset[0], offset[1]);
}

Operand Fragment::Interpolated(uint32_t attribute, uint32_t component, const Barycentrics& at) {
  Extra extra;
  extra.attribute = static_cast<uint8_t>(attribute);
  extra.channel = static_cast<uint8_t>(component);
  const Operand first = e_.Valu(Opcode::kVInterpP1F32, {at.i}, extra);
  return e_.ValuTied(Opcode::kVInterpP2F32, {at.j}, first, extra);
}

// P0 of a flat attribute has the provoking vertex's value.
Operand Fragment::OfVertex(uint32_t attribute, uint32_t component, uint32_t vertex) {
  constexpr uint32_t kParameters[] = {2, 0, 1};  // P0, P10, P20
  Extra extra;
  extra.attribute = static_cast<uint8_t>(attribute);
  extra.channel = static_cast<uint8_t>(component);
  const Operand def = Use(e_.New(kFileV));
  e_.EmitRaw(Op(Opcode::kVInterpMovF32), {def}, {Imm(kParameters[vertex])}, extra);
  return def;
}

// Returns a component of the element that a value selects: the elements one after the other.
Operand Fragment::ElementOf(mir::InstId id, uint32_t component, const Barycentrics& at) {
  const mir::Interface& v = m_.inputs[m_.inst(id).imm0];
  const std::vector<uint32_t>& of = fragment().attributes.of[m_.inst(id).imm0];
  const bool distances = v.builtin == BuiltIn::kClipDistance || v.builtin == BuiltIn::kCullDistance;
  const auto position = static_cast<mir::InterpolateAt>(mir::InterpolateAtOf(m_.inst(id).imm1));
  const uint32_t vertex = m_.inst(id).op == mir::Op::kInterpolate && mir::IsAtVertex(position)
                              ? mir::VertexOf(position)
                              : 0;
  const auto element = [&](uint32_t n) {
    const uint32_t c = distances ? DistanceComponent(m_, v, n) : v.component + component;
    if (v.interpolation == mir::Interpolation::kPerVertex) return OfVertex(of[n], c, vertex);
    return IsFlat(v) ? OfVertex(of[n], c, 0) : Interpolated(of[n], c, at);
  };
  if ((m_.inst(id).flags & mir::kIndexed) == 0) return element(0);
  const mir::ValueId index = m_.source(id, 0);
  if (m_.IsConstant(index)) {
    const uint64_t n = m_.value(index).bits;
    return n < of.size() ? element(static_cast<uint32_t>(n)) : Imm(0);
  }
  Operand chosen = element(0);
  const Operand by = e_.ToV(e_.Src(index));
  for (uint32_t n = 1; n < of.size(); ++n) {
    const Operand here = e_.Compare(Opcode::kVCmpEqU32, Imm(n), by);
    chosen = e_.Valu(Opcode::kVCndmaskB32, {chosen, element(n), here});
  }
  return chosen;
}

absl::Status Fragment::ReadAttribute(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const uint32_t first =
      inst.op == mir::Op::kLoadInput ? inst.imm1 : mir::InterpolatedComponent(inst.imm1);
  const Barycentrics at = BarycentricsFor(id);
  for (int i = 0; i < inst.num_results; ++i) {
    if (!e_.Used(m_.result(id, i))) continue;
    e_.Set(m_.result(id, i), ElementOf(id, first + static_cast<uint32_t>(i), at));
  }
  return absl::OkStatus();
}

absl::Status Fragment::VisitInput(mir::InstId id) {
  return IsAttribute(m_.inputs[m_.inst(id).imm0]) ? ReadAttribute(id) : ReadBuiltIn(id);
}

// ---- Built-ins.

Operand Fragment::SampleId() {
  if (!fragment().per_sample) return Imm(0);
  return Bits(FragmentVgpr::kAncillary, kSampleFirst, kSampleBits);
}

// Returns the samples that the lane covers, among those that it is for.
Operand Fragment::SampleMask() {
  const Operand covered = InputOf(FragmentVgpr::kSampleCoverage);
  if (!fragment().per_sample) return covered;
  const Operand own = e_.Valu(Opcode::kVLshlrevB32, {SampleId(), Imm(1)});
  return e_.Valu(Opcode::kVAndB32, {covered, own});
}

// Returns a coordinate of the sample in its pixel: the fraction of the position, which is the
// sample's. The only sample of a pixel is at its centre.
Operand Fragment::SamplePosition(uint32_t component) {
  if (!fragment().per_sample) return Imm(kHalfFloat);
  return e_.Valu(Opcode::kVFractF32,
                 {InputOf(component == 0 ? FragmentVgpr::kPositionX : FragmentVgpr::kPositionY)});
}

absl::Status Fragment::ReadBuiltIn(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const auto give = [&](const Operand& o) { e_.Set(m_.result(id), o); };
  switch (m_.inputs[inst.imm0].builtin) {
    case BuiltIn::kFragCoord:
      for (int i = 0; i < inst.num_results; ++i) {
        if (!e_.Used(m_.result(id, i))) continue;
        const uint32_t c = inst.imm1 + static_cast<uint32_t>(i);
        const auto position = static_cast<uint32_t>(FragmentVgpr::kPositionX) + c;
        e_.Set(m_.result(id, i), InputOf(static_cast<FragmentVgpr>(position)));
      }
      return absl::OkStatus();
    // Positive for front-facing primitives.
    case BuiltIn::kFrontFacing:
      give(e_.Compare(Opcode::kVCmpLtF32, Imm(0), InputOf(FragmentVgpr::kFrontFace)));
      return absl::OkStatus();
    // Multiview draws each view to the layer of its number.
    case BuiltIn::kViewIndex:
    case BuiltIn::kLayer:
      give(Bits(FragmentVgpr::kAncillary, kLayerFirst, kLayerBits));
      return absl::OkStatus();
    case BuiltIn::kViewportIndex:
      give(OfVertex(*fragment().viewport, 0, 0));
      return absl::OkStatus();
    case BuiltIn::kBaryCoord:
    case BuiltIn::kBaryCoordNoPerspective: ReadWeights(id); return absl::OkStatus();
    case BuiltIn::kSampleId: give(SampleId()); return absl::OkStatus();
    case BuiltIn::kSamplePosition:
      for (int i = 0; i < inst.num_results; ++i) {
        e_.Set(m_.result(id, i), SamplePosition(inst.imm1 + static_cast<uint32_t>(i)));
      }
      return absl::OkStatus();
    case BuiltIn::kSampleMask: give(SampleMask()); return absl::OkStatus();
    default: return e_.Unexpected("not a built-in of fragments");
  }
}

void Fragment::VisitHelperInvocation(mir::InstId id) {
  const mir::ValueId result = m_.result(id);
  if (fragment().helpers == Helpers::kNone) return e_.Set(result, Imm(0));
  e_.Set(result, e_.Pseudo(kHelperMask, kFileM, 1, {}));
}

}  // namespace kiln::amd
