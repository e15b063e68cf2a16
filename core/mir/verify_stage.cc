#include "core/mir/verify_stage.h"

#include <tuple>
#include <vector>

#include "core/mir/immediates.h"

namespace kiln::mir {
namespace {

// Larger than the limit of any device; keeps sums of locations small.
constexpr uint32_t kMaxLocations = 4096;

bool Is64Bit(Type type) { return BitsOf(type) == 64; }

// The 32-bit components that an element occupies; a narrower scalar fills one.
uint32_t SlotsOf(const Interface& v) { return v.components * (Is64Bit(v.type) ? 2u : 1u); }

uint32_t LocationsOf(const Interface& v) { return (v.component + SlotsOf(v) + 3) / 4; }

bool TypeFits(char letter, Type type) {
  switch (letter) {
    case 'u': return type == Type::kI32;
    case 's': return type == Type::kF32;
    case 'b': return type == Type::kBool;
    default: return type != Type::kBool && type != Type::kI8;
  }
}

bool IsKnown(const Interface& v) {
  return static_cast<uint32_t>(v.builtin) < kNumBuiltIns && static_cast<int>(v.type) < kNumTypes &&
         v.interpolation <= Interpolation::kPerVertex && v.auxiliary <= Auxiliary::kSample;
}

absl::string_view BuiltInFault(const Interface& v, char where) {
  const BuiltInInfo& info = kBuiltIns[static_cast<int>(v.builtin)];
  if (info.where.find(where) == info.where.npos)
    return "a built-in that is not available there in the stage";
  if (v.components != info.components) return "a built-in has another number of components";
  if (v.array != (info.where.find('A') != info.where.npos)) {
    return "exactly built-in distances and masks are arrays";
  }
  if (v.location != 0 || v.component != 0 || v.index != 0) return "a built-in has a location";
  if (IsBarycentric(v.builtin)) {
    const Interpolation own =
        v.builtin == BuiltIn::kBaryCoord ? Interpolation::kSmooth : Interpolation::kNoPerspective;
    return v.interpolation == own ? "" : "barycentric coordinates with another interpolation";
  }
  const bool qualified =
      v.interpolation != Interpolation::kSmooth || v.auxiliary != Auxiliary::kCentre;
  return qualified ? "a built-in is interpolated in its own way" : "";
}

// Vulkan, "Component Assignment": 64-bit scalars start at components 0 or 2, and only those that
// start at 0 continue into the next location.
absl::string_view LocationFault(const Interface& v) {
  const bool wide = Is64Bit(v.type);
  if (v.components < 1 || v.components > 4) return "an element does not have 1 to 4 components";
  if (wide ? v.component % 2 != 0 || (v.component != 0 && LocationsOf(v) != 1)
           : LocationsOf(v) != 1) {
    return "components beyond the location";
  }
  if (v.location >= kMaxLocations || v.elements > kMaxLocations) return "a location too large";
  return "";
}

// Vulkan, VUID-StandaloneSpirv-Flat-04744: integers and 64-bit types are not interpolated.
absl::string_view QualifierFault(const Interface& v, char where) {
  const bool qualified =
      v.interpolation != Interpolation::kSmooth || v.auxiliary != Auxiliary::kCentre;
  if (where != 'f')
    return qualified ? "an interpolation mode on a variable that is not a fragment input" : "";
  const bool flat =
      v.interpolation == Interpolation::kFlat || v.interpolation == Interpolation::kPerVertex;
  if (!flat && !IsFloat(v.type)) return "an integer is interpolated";
  return flat && v.auxiliary != Auxiliary::kCentre
             ? "a flat or per-vertex input cannot have an interpolation position"
             : "";
}

absl::string_view VariableFault(const Interface& v, char where) {
  if (!IsKnown(v)) return "an unknown enumerator of an input or output";
  const bool builtin = v.builtin != BuiltIn::kNone;
  if (!TypeFits(kBuiltIns[static_cast<int>(v.builtin)].type, v.type)) {
    return "an input or output of a type that it cannot have";
  }
  if (v.elements == 0 || (!v.array && v.elements != 1)) {
    return "exactly arrays have several elements, and at least one";
  }
  if (absl::string_view fault = LocationFault(v); !fault.empty()) return fault;
  if (v.index > 1 || (v.index != 0 && where != 'F'))
    return "an index on a variable that is not a fragment output";
  return builtin ? BuiltInFault(v, where) : QualifierFault(v, where);
}

bool Precedes(const Interface& a, const Interface& b) {
  const auto place = [](const Interface& v) {
    return std::tie(v.builtin, v.location, v.index, v.component);
  };
  return place(a) < place(b);
}

absl::string_view ListFault(const std::vector<Interface>& list, char where) {
  std::vector<bool> taken;  // by index, location and component
  for (size_t i = 0; i < list.size(); ++i) {
    const Interface& v = list[i];
    if (absl::string_view fault = VariableFault(v, where); !fault.empty()) return fault;
    if (i != 0 && !Precedes(list[i - 1], v)) return "inputs or outputs out of order or repeated";
    if (v.builtin != BuiltIn::kNone) continue;
    for (uint32_t e = 0; e < v.elements; ++e) {
      const uint32_t first = 4 * (v.location + e * LocationsOf(v)) + v.component;
      for (uint32_t slot = first; slot < first + SlotsOf(v); ++slot) {
        const size_t at = size_t{2} * slot + v.index;
        if (at >= taken.size()) taken.resize(at + 1);
        if (taken[at]) return "inputs or outputs overlap";
        taken[at] = true;
      }
    }
  }
  return "";
}

// Returns what is wrong with taking an input at a position.
absl::string_view PositionFault(const Interface& v, InterpolateAt at) {
  if (IsAtVertex(at)) {
    return v.interpolation == Interpolation::kPerVertex ? "" : "a vertex of an input that has none";
  }
  const bool interpolated =
      v.interpolation == Interpolation::kSmooth || v.interpolation == Interpolation::kNoPerspective;
  if ((v.builtin != BuiltIn::kNone && !IsBarycentric(v.builtin)) || v.type != Type::kF32 ||
      !interpolated) {
    return "an input that is not interpolated";
  }
  return "";
}

}  // namespace

absl::string_view StageFault(const Module& m) {
  if (m.stage > Stage::kVertex) return "no such stage";
  if (m.stage != Stage::kFragment && m.fragment != FragmentModes()) {
    return "modes of fragments in another stage";
  }
  if (m.fragment.depth > DepthMode::kUnchanged) return "unknown depth mode";
  if (m.stage == Stage::kCompute) {
    return m.inputs.empty() && m.outputs.empty() ? "" : "inputs or outputs in compute";
  }
  const bool fragment = m.stage == Stage::kFragment;
  if (fragment && m.HasWorkgroups()) return "a local size of fragments";
  if (m.shared_bytes != 0 && !m.HasWorkgroups()) return "shared memory without workgroups";
  const absl::string_view fault = ListFault(m.inputs, fragment ? 'f' : 'v');
  if (!fault.empty()) return fault;
  bool writes_depth = false;
  for (const Interface& v : m.outputs) writes_depth |= v.builtin == BuiltIn::kFragDepth;
  if (!writes_depth && m.fragment.depth != DepthMode::kNone)
    return "a depth mode without a depth output";
  if (writes_depth && m.fragment.depth == DepthMode::kNone)
    return "a depth output without a depth mode";
  return ListFault(m.outputs, fragment ? 'F' : 'V');
}

bool HasOp(const Module& m, InstId id) {
  const Stage stage = m.stage;
  switch (m.inst(id).op) {
    // Vulkan, "Built-In Variables": workgroups, and subgroups in workgroups.
    case Op::kWorkgroupId:
    case Op::kNumWorkgroups:
    case Op::kBaseWorkgroup:
    case Op::kLocalIndex:
    case Op::kSubgroupId:
    case Op::kNumSubgroups: return stage == Stage::kCompute;
    case Op::kLoadShared:
    case Op::kStoreShared:
    case Op::kSharedAtomic:
    case Op::kSharedAtomic64: return m.HasWorkgroups();
    case Op::kWorkgroupScan: return stage != Stage::kFragment;
    case Op::kStageEffect: return stage != Stage::kCompute;
    case Op::kControlBarrier:
      return m.HasWorkgroups() || m.inst(id).imm1 == static_cast<uint32_t>(Scope::kSubgroup);
    case Op::kLoadInput:
    case Op::kStoreOutput: return stage != Stage::kCompute;
    // Vulkan, "Derivative Operations": fragments, and compute with a derivative group.
    case Op::kDdx:
    case Op::kDdy:
    case Op::kSampleImplicit:
    case Op::kImageLod: return stage != Stage::kVertex;
    case Op::kInterpolate:
    case Op::kDemote:
    case Op::kDiscard:
    case Op::kTerminate:
    case Op::kHelperInvocation: return stage == Stage::kFragment;
    default: return true;
  }
}

absl::string_view InterfaceUseFault(const Module& m, InstId id) {
  const Inst& inst = m.inst(id);
  const bool output = inst.op == Op::kStoreOutput;
  const std::vector<Interface>& list = output ? m.outputs : m.inputs;
  if (inst.imm0 >= list.size()) return output ? "no such output" : "no such input";
  const Interface& v = list[inst.imm0];
  if (v.array != ((inst.flags & kIndexed) != 0)) return "exactly arrays are indexed";
  int addresses = v.array ? 1 : 0;
  uint32_t component = inst.imm1;
  if (inst.op == Op::kInterpolate) {
    if (InterpolateAtOf(inst.imm1) > static_cast<uint32_t>(InterpolateAt::kVertex2)) {
      return "unknown interpolation position";
    }
    const auto at = static_cast<InterpolateAt>(InterpolateAtOf(inst.imm1));
    if (const absl::string_view fault = PositionFault(v, at); !fault.empty()) return fault;
    const Type type = at == InterpolateAt::kSample ? Type::kI32 : Type::kF32;
    if (inst.num_sources != addresses + InterpolateAtSources(at)) return "wrong number of sources";
    for (int i = addresses; i < inst.num_sources; ++i) {
      if (m.value(m.source(id, i)).type != type)
        return "an interpolation position of the wrong type";
    }
    component = InterpolatedComponent(inst.imm1);
  } else if (output ? inst.num_sources <= addresses : inst.num_sources != addresses) {
    return "wrong number of sources";
  } else if (!output && v.interpolation == Interpolation::kPerVertex) {
    return "a per-vertex input is loaded without a vertex";
  }
  if (addresses != 0 && m.value(m.source(id, 0)).type != Type::kI32)
    return "an index is not an i32";
  const int count = output ? inst.num_sources - addresses : inst.num_results;
  if (count == 0 || component > 3 || component + static_cast<uint32_t>(count) > v.components) {
    return "components that the input or output does not have";
  }
  for (int i = 0; i < count; ++i) {
    const ValueId x = output ? m.source(id, addresses + i) : m.result(id, i);
    if (m.value(x).type != v.type) return "a component of another type";
  }
  return "";
}

}  // namespace kiln::mir
