// Selects what vertex programs read and export (core/amd/ABI.md, "Vertices").
//
// All attributes are loaded at the start, each through a V# of its own that has its format, so that
// the code depends on no format. Outputs are kept until the end. There the positions are exported
// first: the position itself, then point size, layer and viewport in one vector, then distances;
// the last one is marked (done). Then come parameters; rasterisation waits for those that state
// announces. Without any, it may begin at the last position: stores are waited for before it.
//
// Values of 16 bits are 32 at this boundary: attributes arrive as floats, or as integers whose low
// word counts, and outputs leave likewise.
//
// Sources: Mesa 25.0.7, ac_nir_prerast_utils.c (exports), README-ISA.md ("RDNA early
// rasterization"); T. Granlund, P. Montgomery, "Division by Invariant Integers using
// Multiplication".
#include "core/amd/select/vertex.h"

#include <bit>

#include "core/amd/cull/numbers.h"
#include "core/amd/select/barriers.h"
#include "core/base/cause.h"

namespace kiln::amd {
namespace {

using mir::BuiltIn;

constexpr uint32_t kOne = 0x3f800000;  // 1.0
constexpr uint32_t kPositionTarget = 12, kPrimitiveTarget = 20, kParameterTarget = 32;
constexpr uint8_t kDone = 1;  // Extra::export_flags
constexpr uint32_t kDescriptorBytes = 16;

}  // namespace

void Vertex::DeclareLiveIns() {
  const auto declare = [&](uint32_t vgpr) {
    lir::Value v;
    v.file = kFileV;
    return Use(b_.AddLiveIn(v, vgpr));
  };
  if (vertex().reads_vertex_id) vertex_id_ = declare(kVertexIdVgpr);
  if (vertex().reads_instance_id) instance_id_ = declare(kInstanceIdVgpr);
  if (vertex().culls) {  // each part of the program loads its own
    own_vertex_id_ = vertex_id_;
    own_instance_id_ = instance_id_;
    first_two_indices_ = declare(kPrimitiveVgpr);
    third_index_ = declare(kThirdVertexVgpr);
    if (vertex().exports_primitive_id()) primitive_id_ = declare(kPrimitiveIdVgpr);
    return;
  }
  const lir::SelectionBuilder::Prologue prologue(b_);
  for (uint32_t i = 0; i < vertex().attributes.size(); ++i) LoadAttribute(i);
}

// ---- Inputs.

// Returns number / divisor, for all numbers: the multiplier is 2^32 and 32 more bits, of which
// these are multiplied with.
Operand Vertex::Divided(const Operand& number, uint32_t divisor) {
  if (std::has_single_bit(divisor)) {
    const auto shift = static_cast<uint32_t>(std::countr_zero(divisor));
    return shift == 0 ? number : e_.Valu(Opcode::kVLshrrevB32, {Imm(shift), number});
  }
  const auto shift = static_cast<uint32_t>(std::bit_width(divisor - 1));
  const uint64_t excess = (uint64_t{1} << shift) - divisor;
  const auto multiplier = static_cast<uint32_t>((excess << 32) / divisor + 1);
  const Operand high = e_.Valu(Opcode::kVMulHiU32, {number, e_.ToS(Imm(multiplier))});
  const Operand rest = e_.Valu(Opcode::kVSubNcU32, {number, high});
  const Operand half = e_.Valu(Opcode::kVLshrrevB32, {Imm(1), rest});
  return e_.Valu(Opcode::kVLshrrevB32, {Imm(shift - 1), e_.Valu(Opcode::kVAddNcU32, {half, high})});
}

// Values of the lane's vertex, which several rooms read, are computed at the start of the program,
// or of its part: all of them, in the block in which that begins.
std::optional<lir::SelectionBuilder::Prologue> Vertex::AtStart() {
  if (vertex().culls) return std::nullopt;
  return std::optional<lir::SelectionBuilder::Prologue>(std::in_place, b_);
}

Operand Vertex::VertexNumber() {
  if (!Exists(vertex_number_)) {
    const auto start = AtStart();
    vertex_number_ = e_.Valu(Opcode::kVAddNcU32, {Draw(vertex().first_vertex), vertex_id_});
  }
  return vertex_number_;
}

// Returns the element of an attribute whose elements are of `divisor` instances; 1: the instance.
Operand Vertex::InstanceNumber(uint32_t divisor) {
  Operand& number = instances_[divisor];
  if (!Exists(number)) {
    const auto start = AtStart();
    const Operand base = Draw(vertex().base_instance);
    number = divisor == 0 ? e_.ToV(base)
                          : e_.Valu(Opcode::kVAddNcU32, {base, Divided(instance_id_, divisor)});
  }
  return number;
}

// Returns the attribute's V#. Parts of a program share it.
Operand Vertex::DescriptorOf(uint32_t number) {
  descriptors_.resize(vertex().attributes.size());
  Operand& resource = descriptors_[number];
  if (Exists(resource)) return resource;
  const lir::SelectionBuilder::Prologue prologue(b_);
  Extra at;
  at.offset = static_cast<int32_t>(kDescriptorBytes * number);
  resource = Use(e_.New(kFileS, 4), 0, 4);
  e_.EmitRaw(Op(Opcode::kSLoadDwordx4), {resource},
             {launch_.Address(*vertex().vertex_buffers), lir::NoOperand()}, at);
  return resource;
}

void Vertex::LoadAttribute(uint32_t number) {
  constexpr Opcode kLoads[] = {Opcode::kSNop, Opcode::kBufferLoadFormatX,
                               Opcode::kBufferLoadFormatXy, Opcode::kBufferLoadFormatXyz,
                               Opcode::kBufferLoadFormatXyzw};
  const VertexAttribute& a = vertex().attributes[number];
  const Operand resource = DescriptorOf(number);
  const Operand index = a.divisor ? InstanceNumber(*a.divisor) : VertexNumber();
  Extra extra;
  extra.flags = kIdxen;
  const auto components = static_cast<int>(a.components);
  const Operand loaded = Use(e_.New(kFileV, components), 0, components);
  e_.EmitRaw(Op(kLoads[components]), {loaded}, {index, resource, Imm(0)}, extra, lir::kUnordered);
  attributes_.push_back(loaded);
}

// Begins a part of a program that culls, whose vertex is not the one that was launched in the lane.
void Vertex::StartVertex(mir::InstId id) {
  attributes_.clear();
  instances_.clear();
  vertex_number_ = {};
  if (vertex().reads_vertex_id) {
    vertex_id_ = e_.ToV(e_.Src(m_.source(id, 0)));
    VertexNumber();
  }
  if (vertex().reads_instance_id) {
    instance_id_ = e_.ToV(e_.Src(m_.source(id, 1)));
    InstanceNumber(1);
  }
  for (uint32_t i = 0; i < vertex().attributes.size(); ++i) LoadAttribute(i);
}

void Vertex::VisitLaunch(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const auto set = [&](const Operand& o) { e_.Set(m_.result(id), o); };
  if (inst.op == mir::Op::kLaunchVector) {
    switch (static_cast<LaunchVector>(inst.imm0)) {
      case LaunchVector::kFirstTwoIndices: return set(first_two_indices_);
      case LaunchVector::kThirdIndex: return set(third_index_);
      case LaunchVector::kVertexId: return set(own_vertex_id_);
      case LaunchVector::kInstanceId: return set(own_instance_id_);
    }
  }
  constexpr auto kViewport = static_cast<uint32_t>(LaunchScalar::kViewportScaleX);
  switch (static_cast<LaunchScalar>(inst.imm0)) {
    case LaunchScalar::kGroupCounts: return set(launch_.Scalar(kGroupSgpr));
    case LaunchScalar::kWaveCounts: return set(launch_.Scalar(kWaveSgpr));
    case LaunchScalar::kCullingSettings: return set(Draw(vertex().culling_settings));
    case LaunchScalar::kViewportScaleX:
    case LaunchScalar::kViewportScaleY:
    case LaunchScalar::kViewportOffsetX:
    case LaunchScalar::kViewportOffsetY:
      return set(launch_.Scalar(*vertex().viewport + inst.imm0 - kViewport));
  }
}

void Vertex::VisitEffect(mir::InstId id) {
  switch (static_cast<StageEffect>(m_.inst(id).imm0)) {
    case StageEffect::kRequestRoom:
      e_.EmitRaw(kRequestRoom, {}, {e_.ToS(e_.Src(m_.source(id, 0)))});
      return;
    case StageEffect::kExportPrimitive: ExportPrimitive(m_.source(id, 0)); return;
    case StageEffect::kStartVertex: StartVertex(id); return;
    case StageEffect::kExportVertex: ExportAll(); return;
  }
}

// Returns a component of the element that the instruction names. If a value selects among several
// elements, an index beyond the last selects the first, since none is defined.
Operand Vertex::ElementOf(mir::InstId id, uint32_t component) {
  const mir::Inst& inst = m_.inst(id);
  const mir::Interface& v = m_.inputs[inst.imm0];
  const std::vector<uint32_t>& of = vertex().of[inst.imm0];
  const auto element = [&](uint32_t n) {
    const Operand& vector = attributes_[of[n]];
    return e_.Component(vector, static_cast<int>(v.component + component));
  };
  if ((inst.flags & mir::kIndexed) == 0) return element(0);
  const mir::ValueId index = m_.source(id, 0);
  if (m_.IsConstant(index)) {
    const uint64_t n = m_.value(index).bits;
    return n < of.size() ? element(static_cast<uint32_t>(n)) : e_.ToV(Imm(0));
  }
  Operand chosen = element(0);
  const Operand by = e_.ToV(e_.Src(index));
  for (uint32_t n = 1; n < of.size(); ++n) {
    const Operand here = e_.Compare(Opcode::kVCmpEqU32, Imm(n), by);
    chosen = e_.Valu(Opcode::kVCndmaskB32, {chosen, element(n), here});
  }
  return chosen;
}

void Vertex::ReadAttribute(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  for (int i = 0; i < inst.num_results; ++i) {
    const mir::ValueId result = m_.result(id, i);
    if (!e_.Used(result)) continue;
    Operand o = ElementOf(id, inst.imm1 + static_cast<uint32_t>(i));
    if (m_.value(result).type == mir::Type::kF16) o = e_.Valu(Opcode::kVCvtF16F32, {o});
    e_.Set(result, o);
  }
}

absl::Status Vertex::VisitInput(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  const auto give = [&](const Operand& o) { e_.Set(result, e_.IsUniform(result) ? o : e_.ToV(o)); };
  switch (m_.inputs[inst.imm0].builtin) {
    case BuiltIn::kNone: ReadAttribute(id); break;
    case BuiltIn::kVertexIndex: give(VertexNumber()); break;
    case BuiltIn::kInstanceIndex: give(InstanceNumber(1)); break;
    case BuiltIn::kBaseVertex: give(Draw(vertex().first_vertex)); break;
    case BuiltIn::kBaseInstance: give(Draw(vertex().base_instance)); break;
    case BuiltIn::kDrawIndex: give(Draw(vertex().draw_id)); break;
    case BuiltIn::kViewIndex: give(Draw(vertex().view_index)); break;
    default: return e_.Unexpected("not a built-in of vertices");
  }
  return absl::OkStatus();
}

// ---- Outputs.

Operand Vertex::AsDword(mir::ValueId value) {
  if (e_.IsBool(value)) return e_.ToV(bools_.LaneNumberOf(value));
  if (m_.value(value).type == mir::Type::kF16) {
    return e_.Valu(Opcode::kVCvtF32F16, {e_.ToV(e_.Src(value))});
  }
  return e_.ToV(e_.Src(value));
}

absl::Status Vertex::VisitStore(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::Interface& v = m_.outputs[inst.imm0];
  int first = 0;
  uint32_t element = 0;
  if ((inst.flags & mir::kIndexed) != 0) {
    if (!m_.IsConstant(m_.source(id, 0))) {
      return Unsupported("vertex_outputs", "output chosen by value", inst.spirv_id);
    }
    element = static_cast<uint32_t>(m_.value(m_.source(id, 0)).bits);
    if (element >= v.elements) return absl::OkStatus();  // there is none
    first = 1;
  }
  if (v.builtin == BuiltIn::kNone) {
    const VertexParameter* p =
        vertex().ParameterOf(VertexParameter::Source::kLocation, v.location + element);
    if (p == nullptr || !p->exported()) return absl::OkStatus();
  }
  for (int i = first; i < inst.num_sources; ++i) {
    const mir::ValueId source = m_.source(id, i);
    if (m_.value(source).kind == mir::Value::Kind::kUndef) continue;
    const uint32_t c = inst.imm1 + static_cast<uint32_t>(i - first);
    const Operand o = AsDword(source);
    switch (v.builtin) {
      case BuiltIn::kPosition: position_[c] = o; break;
      case BuiltIn::kPointSize: point_size_ = o; break;
      case BuiltIn::kLayer: layer_ = o; break;
      case BuiltIn::kViewportIndex: viewport_ = o; break;
      case BuiltIn::kClipDistance:
      case BuiltIn::kCullDistance: distances_[DistanceOf(m_, v, element)] = o; break;
      default: locations_[v.location + element][v.component + c] = o; break;
    }
  }
  return absl::OkStatus();
}

void Vertex::Emit(uint32_t target, const Vector& values, bool done) {
  Extra extra;
  extra.target = static_cast<uint8_t>(target);
  for (size_t c = 0; c < values.size(); ++c) {
    if (Exists(values[c])) extra.enable |= static_cast<uint8_t>(1u << c);
  }
  if (done) extra.export_flags |= kDone;
  e_.EmitRaw(Op(Opcode::kExp), {}, absl::MakeConstSpan(values), extra);
}

// Returns the position with all components: those that are not stored are not defined, but fixed
// functions read them.
Vertex::Vector Vertex::PositionOf() {
  Vector position = position_;
  for (size_t c = 0; c < position.size(); ++c) {
    if (!Exists(position[c])) position[c] = e_.ToV(Imm(c == 3 ? kOne : 0));
  }
  return position;
}

// Point size in x; layer in bits 15:0 and viewport in bits 31:16 of z. An undefined value that is
// stored is 0.
Vertex::Vector Vertex::Miscellaneous() {
  const PositionParts& p = vertex().positions;
  const auto given = [&](const Operand& o) { return Exists(o) ? o : e_.ToV(Imm(0)); };
  Vector values;
  if (p.point_size) values[0] = given(point_size_);
  const Operand layer = vertex().view_mask != 0 ? e_.ToV(Draw(vertex().view_index)) : layer_;
  if (p.viewport && p.layer) {
    values[2] = e_.Valu(Opcode::kVLshlOrB32, {given(viewport_), Imm(16), given(layer)});
  } else if (p.viewport) {
    values[2] = e_.Valu(Opcode::kVLshlrevB32, {Imm(16), given(viewport_)});
  } else if (p.layer) {
    values[2] = given(layer);
  }
  return values;
}

// Returns the distances of a group that are stored; 0 for those that are undefined.
Vertex::Vector Vertex::Distances(uint32_t group) {
  const PositionParts& p = vertex().positions;
  Vector values;
  for (size_t c = 0; c < values.size(); ++c) {
    const size_t number = 4 * group + c;
    if (((p.clip | p.cull) >> number & 1) == 0) continue;
    values[c] = Exists(distances_[number]) ? distances_[number] : e_.ToV(Imm(0));
  }
  return values;
}

void Vertex::ExportPositions() {
  const PositionParts& p = vertex().positions;
  std::vector<Vector> exports = {PositionOf()};
  if (p.miscellaneous()) exports.push_back(Miscellaneous());
  for (uint32_t n = 0; n < 2; ++n) {
    if (p.group(n)) exports.push_back(Distances(n));
  }
  const bool stores_must_end =
      vertex().side_effects && vertex().vertex_exports() == 0 && !vertex().exports_primitive_id();
  for (size_t i = 0; i < exports.size(); ++i) {
    const bool last = i + 1 == exports.size();
    if (last && stores_must_end) EndAccesses(e_);
    Emit(kPositionTarget + static_cast<uint32_t>(i), exports[i], last);
  }
}

// A lane's primitive, and its number if fragments read it.
void Vertex::ExportPrimitive(mir::ValueId packed) {
  Emit(kPrimitiveTarget, {e_.ToV(e_.Src(packed))}, true);
  const VertexParameter* id = vertex().ParameterOf(VertexParameter::Source::kPrimitiveId);
  if (id != nullptr) Emit(kParameterTarget + id->slot, {primitive_id_}, false);
}

void Vertex::ExportAll() {
  using Source = VertexParameter::Source;
  ExportPositions();
  for (const VertexParameter& p : vertex().parameters) {
    if (!p.exported()) continue;
    Vector values;
    switch (p.source) {
      case Source::kPrimitiveId: continue;  // exported by the lanes of primitives
      case Source::kViewport: values[0] = Exists(viewport_) ? viewport_ : e_.ToV(Imm(0)); break;
      case Source::kDistances: values = Distances(p.number); break;
      case Source::kLocation: values = locations_[p.number]; break;
    }
    Emit(kParameterTarget + p.slot, values, false);
  }
}

}  // namespace kiln::amd
