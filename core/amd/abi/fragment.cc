#include "core/amd/abi/fragment.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "core/base/cause.h"
#include "core/mir/build.h"
#include "core/mir/uses.h"
#include "core/target/interface.h"

namespace kiln::amd {
namespace {

using mir::BuiltIn;
using mir::Interface;
using mir::Op;

constexpr std::array<uint8_t, kFragmentVgprs> kRegisters = {2, 2, 2, 3, 2, 2, 2, 1,
                                                            1, 1, 1, 1, 1, 1, 1, 1};
constexpr size_t kMaxAttributes = 32;  // SPI_PS_INPUT_CNTL_0 to 31
constexpr uint32_t kAlpha = 3;

constexpr uint32_t BitOf(FragmentVgpr input) { return 1u << static_cast<int>(input); }

// Returns true for an interpolation by the derivatives of barycentrics.
bool NeedsSlopes(const mir::Inst& inst) {
  if (inst.op != Op::kInterpolate) return false;
  const auto at = static_cast<mir::InterpolateAt>(mir::InterpolateAtOf(inst.imm1));
  return at == mir::InterpolateAt::kSample || at == mir::InterpolateAt::kOffset;
}

// Notes what the program reads, stores and does.
class Reader {
 public:
  Reader(const mir::Module& m, FragmentAbi& abi)
      : m_(m), abi_(abi), uses_(m), stored_(m.outputs.size()) {}

  void Run() {
    mir::ForEachInst(m_, m_.body, [&](mir::InstId id) { Visit(id); });
    NoteOutputs();
    if (!quads_) return;
    const bool noted = abi_.kills || abi_.side_effects || helper_invocation_;
    abi_.helpers = noted ? Helpers::kNoted : Helpers::kUnnoted;
  }
  bool Stored(size_t output) const { return stored_[output]; }
  bool reads_viewport() const { return viewport_; }
  // Returns true if the program writes the alpha of render target 0.
  bool StoresAlpha() const {
    for (size_t i = 0; i < m_.outputs.size(); ++i) {
      const Interface& v = m_.outputs[i];
      if (stored_[i] && v.builtin == BuiltIn::kNone && v.location == 0 && v.index == 0 &&
          v.component + v.components > kAlpha) {
        return true;
      }
    }
    return false;
  }

 private:
  void Visit(mir::InstId id) {
    const mir::Inst& inst = m_.inst(id);
    quads_ |= NeedsQuad(inst) || NeedsSlopes(inst);
    helper_invocation_ |= inst.op == Op::kHelperInvocation;
    abi_.kills |= mir::IsKill(inst.op);
    abi_.side_effects |= ChangesMemory(inst.op);
    if (inst.op == Op::kStoreOutput) stored_[inst.imm0] = true;
    if (inst.op != Op::kLoadInput && inst.op != Op::kInterpolate) return;
    const Interface& v = m_.inputs[inst.imm0];
    const bool barycentric = mir::IsBarycentric(v.builtin);
    abi_.barycentric |= barycentric;
    if (!IsAttribute(v) && !barycentric) return NoteBuiltIn(id, v.builtin);
    const bool at_vertex = v.interpolation == mir::Interpolation::kPerVertex;
    if (!IsFlat(v) && !at_vertex) NoteBarycentrics(inst, v);
  }

  void NoteBarycentrics(const mir::Inst& inst, const Interface& v) {
    using mir::InterpolateAt;
    mir::Auxiliary where = v.auxiliary;
    if (inst.op == Op::kInterpolate) {
      const auto at = static_cast<InterpolateAt>(mir::InterpolateAtOf(inst.imm1));
      if (at != InterpolateAt::kCentroid) {
        abi_.inputs |= BitOf(abi_.MovedFrom(v, at));
        return;
      }
      where = mir::Auxiliary::kCentroid;
    }
    abi_.inputs |= BitOf(abi_.BarycentricsAt(v.interpolation, where));
  }

  bool Reads(mir::InstId id, uint32_t component) const {
    const mir::Inst& inst = m_.inst(id);
    if (component < inst.imm1 || component - inst.imm1 >= inst.num_results) return false;
    return !uses_.Unused(m_.result(id, static_cast<int>(component - inst.imm1)));
  }

  void NoteBuiltIn(mir::InstId id, BuiltIn builtin) {
    switch (builtin) {
      case BuiltIn::kFragCoord:
        for (uint32_t c = 0; c < 4; ++c) {
          const auto first = static_cast<uint32_t>(FragmentVgpr::kPositionX);
          if (Reads(id, c)) abi_.inputs |= 1u << (first + c);
        }
        break;
      case BuiltIn::kViewportIndex: viewport_ = true; break;
      case BuiltIn::kFrontFacing: abi_.inputs |= BitOf(FragmentVgpr::kFrontFace); break;
      case BuiltIn::kViewIndex:
      case BuiltIn::kLayer: abi_.inputs |= BitOf(FragmentVgpr::kAncillary); break;
      case BuiltIn::kSampleId:
        if (abi_.per_sample) abi_.inputs |= BitOf(FragmentVgpr::kAncillary);
        break;
      // The fraction of a position that is the sample's own.
      case BuiltIn::kSamplePosition:
        if (!abi_.per_sample) break;
        abi_.inputs |= BitOf(FragmentVgpr::kPositionX) | BitOf(FragmentVgpr::kPositionY);
        break;
      case BuiltIn::kSampleMask:
        abi_.inputs |= BitOf(FragmentVgpr::kSampleCoverage);
        if (abi_.per_sample) abi_.inputs |= BitOf(FragmentVgpr::kAncillary);
        break;
      default: break;
    }
  }

  void NoteOutputs() {
    for (size_t i = 0; i < m_.outputs.size(); ++i) {
      if (!stored_[i]) continue;
      switch (m_.outputs[i].builtin) {
        case BuiltIn::kFragDepth: abi_.depth = DepthOf(m_.fragment.depth); break;
        case BuiltIn::kFragStencilRef: abi_.writes_stencil = true; break;
        case BuiltIn::kSampleMask: abi_.writes_sample_mask = true; break;
        default: break;
      }
    }
  }

  // A depth that is unchanged counts as any: there is no state for it.
  static out::DepthOutput DepthOf(mir::DepthMode mode) {
    switch (mode) {
      case mir::DepthMode::kNone: return out::DepthOutput::kOff;
      case mir::DepthMode::kGreater: return out::DepthOutput::kGreater;
      case mir::DepthMode::kLess: return out::DepthOutput::kLess;
      default: return out::DepthOutput::kAny;
    }
  }

  const mir::Module& m_;
  FragmentAbi& abi_;
  const mir::Uses uses_;
  std::vector<bool> stored_;
  bool quads_ = false, helper_invocation_ = false, viewport_ = false;
};

// One kind of barycentrics must be filled, one with perspective if w is.
void AddRequiredInputs(FragmentAbi& abi) {
  constexpr uint32_t kBarycentrics = 0x7f, kWithPerspective = 0xf;
  const bool w = abi.Has(FragmentVgpr::kPositionW);
  if ((abi.inputs & (w ? kWithPerspective : kBarycentrics)) == 0) {
    abi.inputs |= BitOf(FragmentVgpr::kPerspectiveCentre);
  }
}

// Adds the viewport's number to the attributes, before the primitive's: what primitives export is
// found by its position, the last (Mesa 25.0.7, radv_cmd_buffer.c, radv_emit_ps_inputs).
uint32_t AddViewport(FragmentAttributes& attributes) {
  using Source = FragmentAttribute::Source;
  std::vector<FragmentAttribute>& list = attributes.list;
  const bool primitive = !list.empty() && list.back().source == Source::kPrimitiveId;
  const auto at = static_cast<uint32_t>(list.size() - (primitive ? 1 : 0));
  FragmentAttribute viewport;
  viewport.source = Source::kViewport;
  viewport.input = {0, "viewport", true};
  list.insert(list.begin() + at, viewport);
  for (std::vector<uint32_t>& elements : attributes.of) {
    for (uint32_t& number : elements) number += number != FragmentAttributes::kNone && number >= at;
  }
  return at;
}

absl::Status AssignAttributes(const mir::Module& m, bool reads_viewport, FragmentAbi& abi) {
  // The coordinate of points comes from no parameter: its OFFSET is that of constants, 0x20.
  constexpr uint32_t kFlat = 1u << 10, kPointSprite = 1u << 17 | 0x20;
  // The parameters as they were exported (bit 5 of OFFSET), in the order of the vertices
  // (ROTATE_PC_PTR), not their differences: Mesa 25.0.7, radv_cmd_buffer.c, offset_to_ps_input.
  constexpr uint32_t kPerVertex = kFlat | 1u << 11 | 1u << 5;
  absl::StatusOr<FragmentAttributes> attributes = AttributesOf(m);
  if (!attributes.ok()) return attributes.status();
  if (reads_viewport) abi.viewport = AddViewport(*attributes);
  const size_t count = attributes->list.size();
  if (count > kMaxAttributes) {
    return BeyondLimit("fragment_inputs", {"attributes of vertices", count, kMaxAttributes});
  }
  for (const FragmentAttribute& a : attributes->list) {
    const bool point = a.source == FragmentAttribute::Source::kPointCoord;
    abi.controls.push_back((a.input.flat ? kFlat : 0) | (a.input.per_vertex ? kPerVertex : 0) |
                           (point ? kPointSprite : 0));
  }
  abi.attributes = *std::move(attributes);
  return absl::OkStatus();
}

// Returns the format that takes all components that state lets through or reads, in the
// attachment's precision. Packed formats have all four components.
ExportFormat FormatOf(uint8_t components, const ColorAttachment& attachment) {
  if (components == 0) return ExportFormat::kNone;
  switch (attachment.precision) {
    case AttachmentPrecision::kFloat16: return ExportFormat::kFloat16;
    case AttachmentPrecision::kUnorm16: return ExportFormat::kUnorm16;
    case AttachmentPrecision::kSnorm16: return ExportFormat::kSnorm16;
    case AttachmentPrecision::kInt16:
      return attachment.type == AttachmentType::kUint ? ExportFormat::kUint16
                                                      : ExportFormat::kSint16;
    case AttachmentPrecision::k32: break;
  }
  switch (components) {
    case 1: return ExportFormat::kR32;
    case 2:
    case 3: return ExportFormat::kGr32;
    case 8:
    case 9: return ExportFormat::kAr32;
    default: return ExportFormat::kAbgr32;
  }
}

// Lists the exports of colours: of locations that the program writes and that have an attachment.
void AssignColours(const mir::Module& m, const FragmentState& state, const Reader& reads,
                   FragmentAbi& abi) {
  absl::btree_set<uint32_t> written;
  for (size_t i = 0; i < m.outputs.size(); ++i) {
    const Interface& v = m.outputs[i];
    if (v.builtin != BuiltIn::kNone || !reads.Stored(i)) continue;
    if (v.index != 0) abi.dual_source = true;
    for (uint32_t e = 0; e < v.elements && v.index == 0; ++e) written.insert(v.location + e);
  }
  for (uint32_t location : written) {
    ColorAttachment attachment;
    if (state.attachments) {
      attachment.write_mask = 0;
      for (const ColorAttachment& a : *state.attachments) {
        if (a.location == location) attachment = a;
      }
    }
    uint8_t components = attachment.write_mask;
    if (abi.dual_source && components != 0) components = 15;
    if (attachment.blend_reads_alpha && components != 0) components |= 1u << kAlpha;
    if (state.alpha_to_coverage && location == 0) components |= 1u << kAlpha;
    const ExportFormat format = FormatOf(components, attachment);
    if (format != ExportFormat::kNone) abi.colours.push_back({location, 0, format, components});
  }
  abi.dual_source &= !abi.colours.empty();
}

// A second source of blending is possible for render target 0 alone
// (VkPhysicalDeviceLimits::maxFragmentDualSrcAttachments is 1).
absl::Status AddSecondSource(FragmentAbi& abi) {
  if (!abi.dual_source) return absl::OkStatus();
  if (abi.colours.size() != 1 || abi.colours[0].location != 0) {
    return Unsupported("fragment_outputs",
                       "second source of blending with render targets other than 0");
  }
  abi.colours.push_back({0, 1, abi.colours[0].format});
  return absl::OkStatus();
}

}  // namespace

bool NeedsQuad(const mir::Inst& inst) {
  switch (inst.op) {
    case Op::kDdx:
    case Op::kDdy:
    case Op::kSampleImplicit:
    case Op::kImageLod:
    case Op::kQuadBroadcast:
    case Op::kQuadSwap: return true;
    case Op::kReduce: return inst.imm1 != 0 && inst.imm1 <= 4;
    default: return false;
  }
}

bool IsPacked(ExportFormat format) {
  return format >= ExportFormat::kFloat16 && format <= ExportFormat::kSint16;
}

uint32_t RegistersOf(FragmentVgpr input) { return kRegisters[static_cast<size_t>(input)]; }

uint32_t FragmentAbi::VgprOf(FragmentVgpr input) const {
  assert(Has(input));
  uint32_t vgpr = 0;
  for (int i = 0; i < static_cast<int>(input); ++i) {
    if ((inputs >> i & 1) != 0) vgpr += kRegisters[static_cast<size_t>(i)];
  }
  return vgpr;
}

uint32_t FragmentAbi::input_vgprs() const {
  uint32_t vgprs = 0;
  for (int i = 0; i < kFragmentVgprs; ++i) {
    if ((inputs >> i & 1) != 0) vgprs += kRegisters[static_cast<size_t>(i)];
  }
  return vgprs;
}

FragmentVgpr FragmentAbi::BarycentricsAt(mir::Interpolation interpolation,
                                         mir::Auxiliary where) const {
  const bool linear = interpolation == mir::Interpolation::kNoPerspective;
  if (!several_samples) where = mir::Auxiliary::kCentre;
  if (per_sample) where = mir::Auxiliary::kSample;
  switch (where) {
    case mir::Auxiliary::kCentre:
      return linear ? FragmentVgpr::kLinearCentre : FragmentVgpr::kPerspectiveCentre;
    case mir::Auxiliary::kCentroid:
      return linear ? FragmentVgpr::kLinearCentroid : FragmentVgpr::kPerspectiveCentroid;
    case mir::Auxiliary::kSample: break;
  }
  return linear ? FragmentVgpr::kLinearSample : FragmentVgpr::kPerspectiveSample;
}

FragmentVgpr FragmentAbi::MovedFrom(const mir::Interface& input, mir::InterpolateAt at) const {
  if (input.interpolation == mir::Interpolation::kNoPerspective) return FragmentVgpr::kLinearCentre;
  // The only sample of a pixel is at its centre.
  const bool stays = at == mir::InterpolateAt::kSample && !several_samples;
  const bool pulled = input.builtin == BuiltIn::kBaryCoord && !stays;
  return pulled ? FragmentVgpr::kPullModel : FragmentVgpr::kPerspectiveCentre;
}

ExportFormat FragmentAbi::DepthFormat() const {
  const bool z = depth != out::DepthOutput::kOff;
  if (alpha_in_depth) {
    return writes_stencil || writes_sample_mask ? ExportFormat::kAbgr32 : ExportFormat::kAr32;
  }
  if (writes_sample_mask) return z ? ExportFormat::kAbgr32 : ExportFormat::kUint16;
  if (writes_stencil) return ExportFormat::kGr32;
  return z ? ExportFormat::kR32 : ExportFormat::kNone;
}

bool FragmentAbi::NeedsExport() const {
  return kills || !colours.empty() || DepthFormat() != ExportFormat::kNone;
}

absl::StatusOr<FragmentAbi> AssignFragment(const mir::Module& m, const FragmentState& state) {
  FragmentAbi abi;
  abi.samples = state.samples;
  abi.several_samples = state.samples > 1;
  abi.per_sample = abi.several_samples && (m.fragment.sample_rate || state.sample_shading);
  abi.alpha_to_coverage = state.alpha_to_coverage;
  abi.alpha_to_one = state.alpha_to_one;
  Reader reads(m, abi);
  reads.Run();
  AddRequiredInputs(abi);
  abi.alpha_in_depth = abi.alpha_to_coverage && abi.alpha_to_one && reads.StoresAlpha();
  if (absl::Status s = AssignAttributes(m, reads.reads_viewport(), abi); !s.ok()) return s;
  AssignColours(m, state, reads, abi);
  if (absl::Status s = AddSecondSource(abi); !s.ok()) return s;
  return abi;
}

}  // namespace kiln::amd
