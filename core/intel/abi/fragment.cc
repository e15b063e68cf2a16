#include "core/intel/abi/fragment.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "core/base/cause.h"
#include "core/intel/abi/attribute_numbers.h"
#include "core/intel/abi/vertex.h"
#include "core/mir/build.h"
#include "core/mir/uses.h"
#include "core/target/fragment_attributes.h"
#include "core/target/interface.h"

namespace kiln::intel {
namespace {

using mir::BuiltIn;
using mir::InstId;
using mir::Interface;
using mir::Module;
using mir::Op;
using out::PayloadPart;

// Returns the slot of the vertex that an attribute comes from, numbered as in vertex.h, whatever
// the preceding stage is. Nothing if fixed functions make it.
std::optional<uint32_t> SourceOf(const FragmentAttribute& attribute) {
  switch (attribute.source) {
    case FragmentAttribute::Source::kLocation: return kVueLocations + attribute.number;
    case FragmentAttribute::Source::kDistances: return kVueDistances + attribute.number;
    default: return std::nullopt;
  }
}

// Outputs that instructions store, parts of the payload that they read, and their other effects.
struct Reads {
  std::vector<bool> stored;  // by output
  absl::btree_set<PayloadPart> parts;
};

class Reader {
 public:
  Reader(const Module& m, FragmentAbi& abi) : m_(m), abi_(abi), uses_(m) {
    reads_.stored.resize(m.outputs.size());
  }

  Reads Run() {
    mir::ForEachInst(m_, m_.body, [&](InstId id) { Visit(id); });
    return std::move(reads_);
  }

 private:
  void Visit(InstId id) {
    const mir::Inst& inst = m_.inst(id);
    abi_.kills |= mir::IsKill(inst.op);
    abi_.side_effects |= ChangesMemory(inst.op);
    if (inst.op == Op::kStoreOutput) reads_.stored[inst.imm0] = true;
    if (inst.op != Op::kLoadInput && inst.op != Op::kInterpolate) return;
    const Interface& v = m_.inputs[inst.imm0];
    if (v.builtin != BuiltIn::kNone) NoteBuiltIn(id, v.builtin);
    if (!IsAttribute(v) || IsFlat(v)) return;
    abi_.nonperspective |= v.interpolation == mir::Interpolation::kNoPerspective;
    if (inst.op == Op::kLoadInput) {
      reads_.parts.insert(abi_.BarycentricsOf(v));
      return;
    }
    using mir::InterpolateAt;
    switch (static_cast<InterpolateAt>(mir::InterpolateAtOf(inst.imm1))) {
      case InterpolateAt::kCentroid:
        reads_.parts.insert(abi_.BarycentricsAt(v.interpolation, mir::Auxiliary::kCentroid));
        break;
      case InterpolateAt::kSample:
        // The only sample of a pixel is at its centre.
        if (!abi_.several_samples) {
          reads_.parts.insert(abi_.BarycentricsAt(v.interpolation, mir::Auxiliary::kSample));
        }
        abi_.interpolator |= abi_.several_samples;
        break;
      case InterpolateAt::kOffset: abi_.interpolator = true; break;
      default: break;  // values of single vertices are refused before (Features)
    }
  }

  bool Reads1(InstId id, uint32_t component) const {
    const mir::Inst& inst = m_.inst(id);
    if (component < inst.imm1 || component - inst.imm1 >= inst.num_results) return false;
    return !uses_.Unused(m_.result(id, static_cast<int>(component - inst.imm1)));
  }

  void NoteBuiltIn(InstId id, BuiltIn builtin) {
    switch (builtin) {
      case BuiltIn::kFragCoord:
        if (Reads1(id, 2)) reads_.parts.insert(PayloadPart::kSourceDepth);
        if (Reads1(id, 3)) reads_.parts.insert(PayloadPart::kSourceW);
        if (abi_.per_sample && (Reads1(id, 0) || Reads1(id, 1))) {
          reads_.parts.insert(PayloadPart::kPositionOffsets);
        }
        break;
      case BuiltIn::kSamplePosition:
        if (abi_.per_sample) reads_.parts.insert(PayloadPart::kPositionOffsets);
        break;
      case BuiltIn::kSampleMask:
        if (abi_.several_samples) reads_.parts.insert(PayloadPart::kInputCoverage);
        break;
      default: break;
    }
  }

  const Module& m_;
  FragmentAbi& abi_;
  const mir::Uses uses_;
  Reads reads_;
};

// Assigns a number, which is a slot of the setup data, to each attribute that is read.
absl::Status AssignSlots(const Module& m, FragmentAbi& abi) {
  absl::StatusOr<FragmentAttributes> read = AttributesOf(m);
  if (!read.ok()) return read.status();
  std::vector<std::optional<uint32_t>> sources;
  for (const FragmentAttribute& a : read->list) sources.push_back(SourceOf(a));
  const absl::StatusOr<std::vector<uint32_t>> numbers = NumberAttributes(sources);
  if (!numbers.ok()) return numbers.status();
  absl::btree_map<uint32_t, out::FragmentInput> by_slot;
  for (size_t i = 0; i < read->list.size(); ++i) {
    by_slot[(*numbers)[i]] = std::move(read->list[i].input);
    abi.setup_slots = std::max(abi.setup_slots, (*numbers)[i] + 1);
  }
  for (auto& [n, input] : by_slot) {
    abi.attribute_slots.push_back(n);
    abi.attributes.push_back(std::move(input));
  }
  for (const std::vector<uint32_t>& elements : read->of) {
    std::vector<uint32_t>& of = abi.slots.emplace_back();
    for (uint32_t index : elements) {
      of.push_back(index == FragmentAttributes::kNone ? FragmentAbi::kNoSlot : (*numbers)[index]);
    }
  }
  return absl::OkStatus();
}

// Finds the render targets: locations that the program writes and that have an attachment.
void AssignTargets(const Module& m, const FragmentState& state, FragmentAbi& abi) {
  absl::btree_set<uint32_t> written;
  for (const Interface& v : m.outputs) {
    if (v.builtin != BuiltIn::kNone) continue;
    if (v.index != 0) abi.dual_source = true;
    for (uint32_t e = 0; e < v.elements && v.index == 0; ++e) written.insert(v.location + e);
  }
  for (uint32_t location : written) {
    const auto is_here = [&](const ColorAttachment& a) { return a.location == location; };
    if (state.attachments &&
        std::none_of(state.attachments->begin(), state.attachments->end(), is_here)) {
      continue;
    }
    abi.targets.push_back({location, static_cast<uint32_t>(abi.targets.size())});
  }
  abi.dual_source &= !abi.targets.empty();
}

bool WritesFirstAlone(const FragmentAbi& abi) {
  return abi.targets.size() == 1 && abi.targets[0].location == 0;
}

// A second source of blending is possible for render target 0 alone
// (VkPhysicalDeviceLimits::maxFragmentDualSrcAttachments is 1).
absl::Status CheckTargets(const FragmentAbi& abi) {
  if (!abi.dual_source || WritesFirstAlone(abi)) return absl::OkStatus();
  return Unsupported("fragment_outputs",
                     "second source of blending with render targets other than 0");
}

// Alpha to coverage uses the alpha of location 0 (Vulkan, "Multisample Coverage"). Hardware can
// apply it if the program writes that render target and no other, and does so if the program
// outputs no sample mask (Mesa 25.0.7, brw_nir_lower_alpha_to_coverage.c). Otherwise the program
// computes a sample mask from it, and hardware does not apply it in addition. An alpha that is not
// written is undefined: any coverage will do.
void AssignCoverage(const Module& m, const Reads& reads, const FragmentState& state,
                    FragmentAbi& abi) {
  constexpr uint32_t kAlpha = 3;
  if (!state.alpha_to_coverage || (WritesFirstAlone(abi) && !abi.writes_sample_mask)) return;
  for (size_t i = 0; i < m.outputs.size(); ++i) {
    const Interface& v = m.outputs[i];
    const bool has_alpha = v.builtin == BuiltIn::kNone && v.location == 0 && v.index == 0 &&
                           v.component + v.components > kAlpha;
    abi.masks_by_alpha |= has_alpha && reads.stored[i];
  }
  abi.writes_sample_mask |= abi.masks_by_alpha;
}

// A depth that is unchanged counts as one that becomes no larger, as in Mesa.
out::DepthOutput DepthOf(mir::DepthMode mode) {
  switch (mode) {
    case mir::DepthMode::kNone: return out::DepthOutput::kOff;
    case mir::DepthMode::kAny: return out::DepthOutput::kAny;
    case mir::DepthMode::kGreater: return out::DepthOutput::kGreater;
    case mir::DepthMode::kLess:
    case mir::DepthMode::kUnchanged: return out::DepthOutput::kLess;
  }
  return out::DepthOutput::kAny;
}

void AssignOutputs(const Module& m, const Reads& reads, FragmentAbi& abi) {
  for (size_t i = 0; i < m.outputs.size(); ++i) {
    if (!reads.stored[i]) continue;
    switch (m.outputs[i].builtin) {
      case BuiltIn::kFragDepth: abi.depth = DepthOf(m.fragment.depth); break;
      case BuiltIn::kFragStencilRef: abi.writes_stencil = true; break;
      case BuiltIn::kSampleMask: abi.writes_sample_mask = true; break;
      default: break;
    }
  }
}

uint32_t RegistersOf(PayloadPart part, uint32_t lanes) {
  switch (part) {
    case PayloadPart::kPositionOffsets: return 1;
    case PayloadPart::kSourceDepth:
    case PayloadPart::kSourceW:
    case PayloadPart::kInputCoverage: return lanes / 8;
    default: return lanes / 4;  // barycentric coordinates: two for each lane
  }
}

}  // namespace

out::PayloadPart FragmentAbi::BarycentricsAt(mir::Interpolation interpolation,
                                             mir::Auxiliary where) const {
  const bool linear = interpolation == mir::Interpolation::kNoPerspective;
  const auto first =
      static_cast<int>(linear ? PayloadPart::kLinearPixel : PayloadPart::kPerspectivePixel);
  if (!several_samples) where = mir::Auxiliary::kCentre;
  if (per_sample) where = mir::Auxiliary::kSample;
  const int place = where == mir::Auxiliary::kCentre     ? 0
                    : where == mir::Auxiliary::kCentroid ? 1
                                                         : 2;
  return static_cast<PayloadPart>(first + place);
}

out::PayloadPart FragmentAbi::BarycentricsOf(const mir::Interface& input) const {
  return BarycentricsAt(input.interpolation, input.auxiliary);
}

uint32_t FragmentPayload::RegisterOf(out::PayloadPart part, uint32_t first_lane) const {
  for (const out::PayloadItem& item : items) {
    if (item.what == part && item.first_lane == first_lane) return item.reg;
  }
  assert(false && "the payload lacks a part that the program reads");
  return 0;
}

absl::StatusOr<FragmentAbi> AssignFragment(const Module& m, const FragmentState& state) {
  FragmentAbi abi;
  abi.samples = state.samples;
  abi.alpha_to_coverage = state.alpha_to_coverage;
  abi.several_samples = state.samples > 1;
  abi.per_sample = abi.several_samples && (m.fragment.sample_rate || state.sample_shading);
  const Reads reads = Reader(m, abi).Run();
  abi.parts.assign(reads.parts.begin(), reads.parts.end());
  if (absl::Status s = AssignSlots(m, abi); !s.ok()) return s;
  AssignTargets(m, state, abi);
  AssignOutputs(m, reads, abi);
  if (absl::Status s = CheckTargets(abi); !s.ok()) return s;
  AssignCoverage(m, reads, state, abi);
  return abi;
}

FragmentPayload PayloadAt(const FragmentAbi& abi, int width) {
  FragmentPayload payload;
  const auto add = [&](PayloadPart part, uint32_t registers, uint32_t first_lane) {
    payload.items.push_back({payload.registers, registers, part, first_lane});
    payload.registers += registers;
  };
  const uint32_t all = static_cast<uint32_t>(width), lanes = std::min(all, 16u);
  add(PayloadPart::kHeader, 1, 0);
  for (uint32_t first = 0; first < all; first += lanes) add(PayloadPart::kPixelPositions, 1, first);
  for (uint32_t first = 0; first < all; first += lanes) {
    for (PayloadPart part : abi.parts) add(part, RegistersOf(part, lanes), first);
  }
  return payload;
}

}  // namespace kiln::intel
