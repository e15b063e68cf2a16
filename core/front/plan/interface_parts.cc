#include "core/front/plan/interface_parts.h"

#include <string_view>

#include "core/front/check/coverage.h"
#include "core/front/check/refusal.h"
#include "core/mir/immediates.h"

namespace kiln::front {
namespace {

constexpr uint32_t kMaxLocations = 4096;  // more than any device has (mir/verify_stage.cc)
constexpr size_t kMaxParts = 4 * kMaxLocations;

bool TypeFits(char letter, mir::Type type) {
  switch (letter) {
    case 'u': return type == mir::Type::kI32;
    case 's': return type == mir::Type::kF32;
    case 'b': return type == mir::Type::kBool;
    default: return type != mir::Type::kBool && type != mir::Type::kI8;
  }
}

// Vulkan, "Component Assignment": 64-bit scalars begin at components 0 or 2, and only vectors that
// begin at 0 continue in the next location.
bool FitsLocation(const mir::Interface& v, uint32_t first) {
  if (v.type != mir::Type::kI64) return first + v.components <= 4;
  return first == 0 || (first == 2 && v.components == 1);
}

mir::Type ScalarType(const SpirvType& scalar) {
  if (scalar.kind == SpirvType::kBool) return mir::Type::kBool;
  return scalar.kind == SpirvType::kInt ? mir::IntOfBits(scalar.width)
                                        : mir::FloatOfBits(scalar.width);
}

// Combines the decorations of a variable, or of the structs around a part, with a member's.
SpirvInterface Inside(SpirvInterface outer, const SpirvInterface& member) {
  outer.flat |= member.flat;
  outer.no_perspective |= member.no_perspective;
  outer.centroid |= member.centroid;
  outer.sample |= member.sample;
  outer.invariant |= member.invariant;
  outer.per_vertex |= member.per_vertex;
  if (!member.unsupported.empty()) outer.unsupported = member.unsupported;
  outer.location = member.location;
  outer.component = member.component;
  if (member.index != 0) outer.index = member.index;
  return outer;
}

mir::Auxiliary AuxiliaryOf(const SpirvInterface& decorations) {
  return decorations.sample     ? mir::Auxiliary::kSample
         : decorations.centroid ? mir::Auxiliary::kCentroid
                                : mir::Auxiliary::kCentre;
}

class Divider {
 public:
  Divider(const SpirvModule& m, const SpirvVariable& v, mir::Stage stage,
          std::vector<InterfacePart>* parts)
      : m_(m),
        v_(v),
        fragment_(stage == mir::Stage::kFragment),
        output_(v.storage == spv::StorageClass::Output),
        parts_(parts) {}

  absl::Status Run() {
    const SpirvDecorations& d = m_.decorations[v_.id];
    if (IsPerVertex(m_, v_)) return DividePerVertex(d);
    location_ = d.interface.location;
    return Divide(v_.pointee, 0, d.builtin, d.interface);
  }

 private:
  char Where() const { return fragment_ ? (output_ ? 'F' : 'f') : (output_ ? 'V' : 'v'); }
  absl::Status DividePerVertex(const SpirvDecorations& decorations);
  absl::Status Divide(uint32_t type, uint32_t leaf, uint32_t builtin,
                      const SpirvInterface& decorations);
  absl::Status DivideStruct(const SpirvType& type, uint32_t leaf,
                            const SpirvInterface& decorations);
  absl::Status Add(const SpirvType& vector, uint32_t leaf, uint32_t elements, bool array,
                   uint32_t builtin, const SpirvInterface& decorations);
  absl::Status SetBuiltIn(spv::BuiltIn builtin, const SpirvInterface& decorations,
                          mir::Interface* variable) const;
  absl::Status SetLocation(uint32_t elements, const SpirvInterface& decorations,
                           mir::Interface* variable);
  void SetQualifiers(const SpirvInterface& decorations, mir::Interface* variable) const;

  const SpirvModule& m_;
  const SpirvVariable& v_;
  const bool fragment_;
  const bool output_;
  std::vector<InterfacePart>* parts_;
  uint32_t location_ = kNoValue;  // of the next part
  // added to locations given to members, in later elements of an array
  uint32_t shift_ = 0;
};

// Divides the elements of a per-vertex array, whose parts share their entries.
absl::Status Divider::DividePerVertex(const SpirvDecorations& decorations) {
  const SpirvType& vertices = *m_.Type(v_.pointee);
  if (!fragment_ || output_ || vertices.kind != SpirvType::kArray ||
      vertices.count > mir::kVertices) {
    return Invalid("per-vertex variable is not an input array of at most three vertices", v_.id);
  }
  const uint32_t leaves = m_.Type(vertices.element)->leaves;
  const auto first = static_cast<uint32_t>(parts_->size());
  for (uint32_t vertex = 0; vertex < vertices.count; ++vertex) {
    const auto own = static_cast<uint32_t>(parts_->size());
    location_ = decorations.interface.location;
    absl::Status s =
        Divide(vertices.element, vertex * leaves, decorations.builtin, decorations.interface);
    if (!s.ok()) return s;
    for (uint32_t i = own; i < parts_->size(); ++i) {
      InterfacePart& part = (*parts_)[i];
      // Vertices have their built-ins in other forms (distances are differences), or none.
      if (part.variable.builtin != mir::BuiltIn::kNone) {
        return Invalid("built-in variable has values of each vertex", v_.id);
      }
      part.variable.interpolation = mir::Interpolation::kPerVertex;
      part.variable.auxiliary = mir::Auxiliary::kCentre;
      part.vertex = vertex;
      if (vertex != 0) part.shares = first + i - own;
    }
  }
  return absl::OkStatus();
}

absl::Status Divider::Divide(uint32_t type_id, uint32_t leaf, uint32_t builtin,
                             const SpirvInterface& decorations) {
  const SpirvType* type = m_.Type(type_id);
  uint64_t elements = 1;
  bool array = false;
  uint32_t taken = 0;
  while (type->kind == SpirvType::kArray || type->kind == SpirvType::kMatrix) {
    elements *= type->count;  // at most kMaxLeaves: the type is supported
    array = true;
    type = m_.Type(type->element);
  }
  if (type->kind != SpirvType::kStruct) {
    return Add(*type, leaf, static_cast<uint32_t>(elements), array, builtin, decorations);
  }
  if (type->leaves == 0) return absl::OkStatus();
  const uint32_t shift = shift_;
  const uint32_t given = m_.members[type->first_member].interface.location;
  const uint32_t first = given != kNoValue ? given + shift : location_;
  for (uint32_t i = 0; i < elements; ++i) {
    if (absl::Status s = DivideStruct(*type, leaf + i * type->leaves, decorations); !s.ok()) {
      return s;
    }
    // Each element takes as many locations as the first one.
    if (i == 0) taken = location_ - first;
    shift_ += taken;
  }
  shift_ = shift;
  return absl::OkStatus();
}

absl::Status Divider::DivideStruct(const SpirvType& type, uint32_t leaf,
                                   const SpirvInterface& decorations) {
  for (uint32_t i = 0; i < type.count; ++i) {
    const SpirvMember& member = m_.members[type.first_member + i];
    if (member.interface.location != kNoValue) location_ = member.interface.location + shift_;
    const SpirvInterface inside = Inside(decorations, member.interface);
    if (absl::Status s = Divide(member.type, leaf + member.leaf, member.builtin, inside); !s.ok()) {
      return s;
    }
  }
  return absl::OkStatus();
}

absl::Status Divider::Add(const SpirvType& vector, uint32_t leaf, uint32_t elements, bool array,
                          uint32_t builtin, const SpirvInterface& decorations) {
  if (vector.leaves == 0 || elements == 0) return absl::OkStatus();
  if (parts_->size() >= kMaxParts) return Invalid("too many inputs or outputs", v_.id);
  const SpirvType& scalar = vector.kind == SpirvType::kVector ? *m_.Type(vector.element) : vector;
  InterfacePart part;
  part.first_leaf = leaf;
  part.end_leaf = leaf + elements * vector.leaves;
  mir::Interface& variable = part.variable;
  if (vector.leaves > 4 || (scalar.kind != SpirvType::kInt && scalar.kind != SpirvType::kFloat &&
                            scalar.kind != SpirvType::kBool)) {
    return Invalid("input or output is not made of numbers or bools", v_.id);
  }
  variable.spirv_id = v_.id;
  part.leaf_type = ScalarType(scalar);
  // Doubles pass between stages as their bits, without interpolation.
  variable.type = part.leaf_type == mir::Type::kF64 ? mir::Type::kI64 : part.leaf_type;
  variable.components = static_cast<uint8_t>(vector.leaves);
  variable.array = array;
  variable.elements = elements;
  variable.invariant = decorations.invariant;
  if (!decorations.unsupported.empty()) {
    return Refused(decorations.unsupported, "decoration of an input or output", v_.id);
  }
  absl::Status status = builtin != kNoValue
                            ? SetBuiltIn(static_cast<spv::BuiltIn>(builtin), decorations, &variable)
                            : SetLocation(elements, decorations, &variable);
  if (!status.ok()) return status;
  part.is_signed = scalar.is_signed;
  if (fragment_ && mir::BitsOf(variable.type) == 16) {
    variable.type = mir::IsFloat(variable.type) ? mir::Type::kF32 : mir::Type::kI32;
  }
  parts_->push_back(part);
  return absl::OkStatus();
}

absl::Status Divider::SetBuiltIn(spv::BuiltIn builtin, const SpirvInterface& decorations,
                                 mir::Interface* variable) const {
  if (const std::string_view cause = CauseOf(builtin); !cause.empty()) {
    return Refused(cause, NamedRow("built-in variable", "builtin", static_cast<uint32_t>(builtin)),
                   v_.id);
  }
  variable->builtin = BuiltInOf(builtin);
  const mir::BuiltInInfo& info = mir::kBuiltIns[static_cast<int>(variable->builtin)];
  if (variable->builtin == mir::BuiltIn::kNone || info.where.find(Where()) == info.where.npos) {
    return Invalid("built-in variable is not available in this stage and storage class", v_.id);
  }
  const bool is_array = info.where.find('A') != info.where.npos;
  if (!TypeFits(info.type, variable->type) || variable->components != info.components ||
      variable->array != is_array) {
    return Invalid("built-in variable is not of its prescribed type", v_.id);
  }
  if (mir::IsBarycentric(variable->builtin)) {
    variable->interpolation = variable->builtin == mir::BuiltIn::kBaryCoord
                                  ? mir::Interpolation::kSmooth
                                  : mir::Interpolation::kNoPerspective;
    variable->auxiliary = AuxiliaryOf(decorations);
  }
  return absl::OkStatus();
}

absl::Status Divider::SetLocation(uint32_t elements, const SpirvInterface& decorations,
                                  mir::Interface* variable) {
  if (location_ == kNoValue) return Invalid("input or output has no location", v_.id);
  if (!TypeFits('*', variable->type)) {
    return Invalid("input or output has a type that is not allowed", v_.id);
  }
  const uint32_t first = decorations.component;
  const bool wide = variable->type == mir::Type::kI64;
  if (wide && Where() == 'F')
    return Refused("int64_interface", "output with components of 64 bits", v_.id);
  if (first > 3 || !FitsLocation(*variable, first)) {
    return Invalid("components extend beyond their location", v_.id);
  }
  // 64-bit scalars take two components each, so vectors of three and four take two locations.
  const uint32_t taken = elements * (wide && variable->components > 2 ? 2 : 1);
  if (location_ >= kMaxLocations || elements > kMaxLocations || location_ + taken > kMaxLocations) {
    return Invalid("location exceeds the maximum", v_.id);
  }
  variable->location = location_;
  variable->component = static_cast<uint8_t>(first);
  location_ += taken;
  if (decorations.index > 1 || (decorations.index != 0 && Where() != 'F')) {
    return Invalid("output index is not 0 or 1, or the variable is not a fragment output", v_.id);
  }
  variable->index = static_cast<uint8_t>(decorations.index);
  if (Where() == 'f') SetQualifiers(decorations, variable);
  return absl::OkStatus();
}

void Divider::SetQualifiers(const SpirvInterface& decorations, mir::Interface* variable) const {
  const bool flat = decorations.flat || !mir::IsFloat(variable->type);
  variable->interpolation = flat                         ? mir::Interpolation::kFlat
                            : decorations.no_perspective ? mir::Interpolation::kNoPerspective
                                                         : mir::Interpolation::kSmooth;
  if (!flat) variable->auxiliary = AuxiliaryOf(decorations);
}

}  // namespace

mir::BuiltIn BuiltInOf(spv::BuiltIn builtin) {
  switch (builtin) {
    case spv::BuiltIn::VertexIndex: return mir::BuiltIn::kVertexIndex;
    case spv::BuiltIn::InstanceIndex: return mir::BuiltIn::kInstanceIndex;
    case spv::BuiltIn::BaseVertex: return mir::BuiltIn::kBaseVertex;
    case spv::BuiltIn::BaseInstance: return mir::BuiltIn::kBaseInstance;
    case spv::BuiltIn::DrawIndex: return mir::BuiltIn::kDrawIndex;
    case spv::BuiltIn::ViewIndex: return mir::BuiltIn::kViewIndex;
    case spv::BuiltIn::Position: return mir::BuiltIn::kPosition;
    case spv::BuiltIn::PointSize: return mir::BuiltIn::kPointSize;
    case spv::BuiltIn::ClipDistance: return mir::BuiltIn::kClipDistance;
    case spv::BuiltIn::CullDistance: return mir::BuiltIn::kCullDistance;
    case spv::BuiltIn::Layer: return mir::BuiltIn::kLayer;
    case spv::BuiltIn::ViewportIndex: return mir::BuiltIn::kViewportIndex;
    case spv::BuiltIn::FragCoord: return mir::BuiltIn::kFragCoord;
    case spv::BuiltIn::FrontFacing: return mir::BuiltIn::kFrontFacing;
    case spv::BuiltIn::PointCoord: return mir::BuiltIn::kPointCoord;
    case spv::BuiltIn::PrimitiveId: return mir::BuiltIn::kPrimitiveId;
    case spv::BuiltIn::SampleId: return mir::BuiltIn::kSampleId;
    case spv::BuiltIn::SamplePosition: return mir::BuiltIn::kSamplePosition;
    case spv::BuiltIn::SampleMask: return mir::BuiltIn::kSampleMask;
    case spv::BuiltIn::FragDepth: return mir::BuiltIn::kFragDepth;
    case spv::BuiltIn::FragStencilRefEXT: return mir::BuiltIn::kFragStencilRef;
    case spv::BuiltIn::BaryCoordKHR: return mir::BuiltIn::kBaryCoord;
    case spv::BuiltIn::BaryCoordNoPerspKHR: return mir::BuiltIn::kBaryCoordNoPerspective;
    default: return mir::BuiltIn::kNone;
  }
}

bool IsPerVertex(const SpirvModule& m, const SpirvVariable& variable) {
  if (m.decorations[variable.id].interface.per_vertex) return true;
  const SpirvType* type = m.Type(variable.pointee);
  if (type->kind == SpirvType::kArray) type = m.Type(type->element);
  return type->kind == SpirvType::kStruct && type->count != 0 &&
         m.members[type->first_member].interface.per_vertex;
}

absl::Status PartsOf(const SpirvModule& module, const SpirvVariable& variable, mir::Stage stage,
                     std::vector<InterfacePart>* parts) {
  return Divider(module, variable, stage, parts).Run();
}

}  // namespace kiln::front
