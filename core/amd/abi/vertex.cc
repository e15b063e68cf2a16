#include "core/amd/abi/vertex.h"

#include <algorithm>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "core/amd/abi/vertex_culling.h"
#include "core/base/cause.h"
#include "core/mir/build.h"
#include "core/mir/uses.h"
#include "core/target/interface.h"

namespace kiln::amd {
namespace {

using mir::BuiltIn;
using mir::InstId;
using mir::Interface;
using mir::Module;
using mir::Op;
using Source = VertexParameter::Source;

constexpr uint32_t kMaxAttributes = 32;  // locations of a draw (maxVertexInputAttributes)
constexpr uint32_t kMaxParameters = 32;  // targets 32 to 63 of exports
constexpr uint32_t kComponents = 4;

absl::Status Refuse(const Interface& v, KnownCause cause, const char* what) {
  return Unsupported(cause, what, v.spirv_id);
}

// ---- Inputs.

// Notes what loads of inputs read.
class Reader {
 public:
  Reader(const Module& m, const PipelineState& state, VertexAbi& abi)
      : m_(m), state_(state), abi_(abi), uses_(m) {}

  absl::Status Run() {
    for (const Interface& v : m_.inputs) {
      abi_.of.emplace_back(v.elements, VertexAbi::kNoAttribute);
      read_.emplace_back(v.elements);
    }
    mir::ForEachInst(m_, m_.body, [&](InstId id) {
      const mir::Inst& inst = m_.inst(id);
      abi_.side_effects |= ChangesMemory(inst.op);
      if (inst.op == Op::kLoadInput) Visit(id, m_.inputs[inst.imm0]);
    });
    if (absl::Status s = RefuseWide(); !s.ok()) return s;
    return Assign();
  }

 private:
  void Visit(InstId id, const Interface& v) {
    if (v.builtin != BuiltIn::kNone) return NoteBuiltIn(v.builtin);
    const mir::Inst& inst = m_.inst(id);
    uint32_t end = 0;
    for (int i = 0; i < inst.num_results; ++i) {
      if (uses_.Unused(m_.result(id, i))) continue;
      end = v.component + inst.imm1 + static_cast<uint32_t>(i) + 1;
    }
    if (end == 0) return;
    std::vector<bool> elements(v.elements);
    NoteElements(m_, id, elements);
    for (uint32_t e = 0; e < v.elements; ++e) {
      if (!elements[e]) continue;
      read_[inst.imm0][e] = true;
      VertexAttribute& a = at_[v.location + e];
      a.location = v.location + e;
      a.components = std::max(a.components, end);
      if (a.type.empty()) a.type = mir::IsFloat(v.type) ? "float" : "int";
    }
  }

  void NoteBuiltIn(BuiltIn builtin) {
    switch (builtin) {
      case BuiltIn::kVertexIndex: abi_.reads_vertex_id = abi_.reads_first_vertex = true; break;
      case BuiltIn::kInstanceIndex: abi_.reads_instance_id = abi_.reads_base_instance = true; break;
      case BuiltIn::kBaseVertex: abi_.reads_first_vertex = true; break;
      case BuiltIn::kBaseInstance: abi_.reads_base_instance = true; break;
      case BuiltIn::kDrawIndex: abi_.reads_draw_id = true; break;
      case BuiltIn::kViewIndex: abi_.reads_view = true; break;
      default: break;
    }
  }

  absl::Status RefuseWide() const {
    for (size_t i = 0; i < m_.inputs.size(); ++i) {
      const bool read = std::find(read_[i].begin(), read_[i].end(), true) != read_[i].end();
      if (read && mir::BitsOf(m_.inputs[i].type) > 32) {
        return Refuse(m_.inputs[i], "vertex_inputs", "input of 64 bits");
      }
    }
    return absl::OkStatus();
  }

  std::optional<uint32_t> RateOf(uint32_t location) const {
    for (const InstanceRate& rate : state_.instance_rates) {
      if (rate.location == location) return rate.divisor;
    }
    return std::nullopt;
  }

  // Returns true if a location has the end of a vector of 64 bits that begins in the one before, as
  // the front end has divided it (core/front/finish/split_interface.h): two variables from one of
  // SPIR-V, the first up to w, the second from x. State names the first, which is the attribute's.
  bool EndsWide(uint32_t location) const {
    for (size_t i = 1; i < m_.inputs.size(); ++i) {
      const Interface &first = m_.inputs[i - 1], &second = m_.inputs[i];
      if (second.builtin == BuiltIn::kNone && first.builtin == BuiltIn::kNone &&
          second.location == location && first.location + 1 == location && second.spirv_id != 0 &&
          first.spirv_id == second.spirv_id && first.type == mir::Type::kI32 &&
          second.type == mir::Type::kI32 && first.component + first.components == 4 &&
          second.component == 0) {
        return true;
      }
    }
    return false;
  }

  absl::Status Assign() {
    if (at_.size() > kMaxAttributes) {
      return BeyondLimit("vertex_inputs", {"attributes that are read", at_.size(), kMaxAttributes});
    }
    for (auto& [location, attribute] : at_) {
      attribute.divisor = RateOf(location);
      if (!attribute.divisor && EndsWide(location)) attribute.divisor = RateOf(location - 1);
      const bool by_instance = attribute.divisor.has_value();
      abi_.reads_vertex_id |= !by_instance;
      abi_.reads_first_vertex |= !by_instance;
      abi_.reads_base_instance |= by_instance;
      abi_.reads_instance_id |= by_instance && *attribute.divisor != 0;
      const auto number = static_cast<uint32_t>(abi_.attributes.size());
      for (size_t i = 0; i < m_.inputs.size(); ++i) {
        const Interface& v = m_.inputs[i];
        if (v.builtin != BuiltIn::kNone || location < v.location) continue;
        const uint32_t e = location - v.location;
        if (e < v.elements && read_[i][e]) abi_.of[i][e] = number;
      }
      abi_.attributes.push_back(attribute);
    }
    return absl::OkStatus();
  }

  const Module& m_;
  const PipelineState& state_;
  VertexAbi& abi_;
  const mir::Uses uses_;
  std::vector<std::vector<bool>> read_;            // by input and element
  absl::btree_map<uint32_t, VertexAttribute> at_;  // by location
};

// ---- Outputs.

// The values that are stored to the four components of a location.
struct Stored {
  bool any = false;
  // Bits of a constant, of components that have no other value; absent: not stored, or undefined.
  std::array<std::optional<uint32_t>, kComponents> constant = {};
  bool varies = false;
};

class Writer {
 public:
  Writer(const Module& m, const PipelineState& state, VertexAbi& abi)
      : m_(m), state_(state), abi_(abi) {}

  absl::Status Run() {
    if (const uint64_t distances = CountDistances(m_.outputs); distances > kMaxDistances) {
      return BeyondLimit("vertex_outputs",
                         {"distances to clip and cull by", distances, kMaxDistances});
    }
    absl::Status status;
    mir::ForEachInst(m_, m_.body, [&](InstId id) {
      if (status.ok() && m_.inst(id).op == Op::kStoreOutput) status = Visit(id);
    });
    if (!status.ok()) return status;
    if (abi_.view_mask != 0) abi_.positions.layer = abi_.reads_view = true;
    return Assign();
  }

 private:
  absl::Status Visit(InstId id) {
    const mir::Inst& inst = m_.inst(id);
    const Interface& v = m_.outputs[inst.imm0];
    if (mir::BitsOf(v.type) > 32) return Refuse(v, "vertex_outputs", "output of 64 bits");
    std::vector<bool> elements(v.elements);
    NoteElements(m_, id, elements);
    PositionParts& p = abi_.positions;
    switch (v.builtin) {
      case BuiltIn::kPosition: break;
      case BuiltIn::kPointSize: p.point_size = true; break;
      case BuiltIn::kViewportIndex: p.viewport = true; break;
      case BuiltIn::kLayer:
        // VUID-VkGraphicsPipelineCreateInfo-renderPass-06050: no shader may have the built-in under
        // multiview.
        if (abi_.view_mask != 0) {
          return WithSpirvId(WithCause(absl::InvalidArgumentError(
                                           "vertex: the layer is written while the view mask is "
                                           "not 0"),
                                       "multiview_layer"),
                             v.spirv_id);
        }
        p.layer = true;
        break;
      case BuiltIn::kClipDistance:
      case BuiltIn::kCullDistance:
        for (uint32_t e = 0; e < v.elements; ++e) {
          if (!elements[e]) continue;
          const auto bit = static_cast<uint8_t>(1u << DistanceOf(m_, v, e));
          (v.builtin == BuiltIn::kClipDistance ? p.clip : p.cull) |= bit;
        }
        break;
      case BuiltIn::kNone:
        for (uint32_t e = 0; e < v.elements; ++e) {
          if (elements[e]) Note(id, v, locations_[v.location + e]);
        }
        break;
      default: break;
    }
    return absl::OkStatus();
  }

  void Note(InstId id, const Interface& v, Stored& to) {
    const mir::Inst& inst = m_.inst(id);
    to.any = true;
    const int first = (inst.flags & mir::kIndexed) != 0 ? 1 : 0;
    for (int i = first; i < inst.num_sources; ++i) {
      const mir::Value& value = m_.value(m_.source(id, i));
      const uint32_t c = v.component + inst.imm1 + static_cast<uint32_t>(i - first);
      if (value.kind == mir::Value::Kind::kUndef) continue;
      if (value.kind != mir::Value::Kind::kConstant || mir::BitsOf(v.type) != 32 ||
          c >= kComponents) {
        to.varies = true;
        continue;
      }
      const auto bits = static_cast<uint32_t>(value.bits);
      to.varies |= to.constant[c].value_or(bits) != bits;
      to.constant[c] = bits;
    }
  }

  // Returns the constant that fragments can find without an export: 0000, 0001, 1110 or 1111 as
  // floats.
  static std::optional<uint32_t> ConstantOf(const Stored& stored) {
    constexpr uint32_t kOne = 0x3f800000;
    if (stored.varies) return std::nullopt;
    for (uint32_t which = 0; which < 4; ++which) {
      bool same = true;
      for (uint32_t c = 0; c < kComponents; ++c) {
        const uint32_t wanted = ((c == 3 ? which & 1 : which >> 1) != 0) ? kOne : 0;
        same &= stored.constant[c].value_or(wanted) == wanted;
      }
      if (same) return which;
    }
    return std::nullopt;
  }

  // Numbers the parameters: the viewport, locations ascending, distances, then, behind those of
  // vertices, the primitive's number.
  absl::Status Assign() {
    const NextStageBuiltIns all = {.viewport = true, .distances = true, .primitive_id = true};
    NextStageBuiltIns reads = state_.next_stage_reads ? NextStageBuiltIns() : all;
    if (state_.next_stage_built_ins) reads = *state_.next_stage_built_ins;
    uint32_t slots = 0;
    const auto add = [&](Source source, uint32_t number) {
      abi_.parameters.push_back({source, number, slots++});
    };
    if (abi_.positions.viewport && reads.viewport) add(Source::kViewport, 0);
    for (const auto& [location, stored] : locations_) {
      // A fragment program that reads the values of each vertex needs the export; only state says
      // that none does.
      const std::optional<uint32_t> constant =
          state_.next_stage_reads ? ConstantOf(stored) : std::nullopt;
      if (constant) {
        abi_.parameters.push_back(
            {Source::kLocation, location, VertexParameter::kConstant + *constant});
      } else {
        add(Source::kLocation, location);
      }
    }
    for (uint32_t n = 0; n < 2 && reads.distances; ++n) {
      if (abi_.positions.group(n)) add(Source::kDistances, n);
    }
    // Where nothing says that it is read, it is left out rather than refused.
    const bool unknown = !state_.next_stage_reads && !state_.next_stage_built_ins;
    if (reads.primitive_id && !(unknown && slots == kMaxParameters)) add(Source::kPrimitiveId, 0);
    if (slots > kMaxParameters) {
      return BeyondLimit("vertex_outputs", {"locations of outputs", slots, kMaxParameters});
    }
    ListOutputs();
    return absl::OkStatus();
  }

  void ListOutputs() {
    for (const auto& [location, parts] : PartsWritten(m_)) {
      out::VertexOutput& output = abi_.outputs.emplace_back(out::VertexOutput{location});
      for (const UsedPart& part : parts) output.parts.push_back(part.part);
    }
  }

  const Module& m_;
  const PipelineState& state_;
  VertexAbi& abi_;
  absl::btree_map<uint32_t, Stored> locations_;
};

}  // namespace

uint32_t DistanceOf(const Module& m, const Interface& v, uint32_t element) {
  return DistanceNumber(m.outputs, v, element);
}

uint32_t PositionParts::exports() const {
  return 1 + (miscellaneous() ? 1 : 0) + (group(0) ? 1 : 0) + (group(1) ? 1 : 0);
}

uint32_t VertexAbi::PlaceSgprs(uint32_t next) {
  if (!attributes.empty()) vertex_buffers = next++;
  if (reads_first_vertex) first_vertex = next++;
  if (reads_draw_id) draw_id = next++;
  if (reads_base_instance) base_instance = next++;
  if (reads_view) view_index = next++;
  if (culls) {
    culling_settings = next++;
    viewport = next;
    next += 4;
  }
  return next;
}

const VertexParameter* VertexAbi::ParameterOf(Source source, uint32_t number) const {
  for (const VertexParameter& p : parameters) {
    if (p.source == source && p.number == number) return &p;
  }
  return nullptr;
}

uint32_t VertexAbi::vertex_exports() const {
  uint32_t count = 0;
  for (const VertexParameter& p : parameters) {
    count += p.exported() && p.source != Source::kPrimitiveId ? 1 : 0;
  }
  return count;
}

bool VertexAbi::exports_primitive_id() const {
  return ParameterOf(Source::kPrimitiveId) != nullptr;
}

uint32_t VertexAbi::input_vgprs() const { return kVertexIdVgpr + 1 + EsVgprCompCnt(); }

absl::StatusOr<VertexAbi> AssignVertex(const Module& m, const PipelineState& state,
                                       uint32_t group_size) {
  VertexAbi abi;
  abi.view_mask = state.view_mask;
  abi.group_size = group_size;
  if (absl::Status s = Reader(m, state, abi).Run(); !s.ok()) return s;
  if (absl::Status s = Writer(m, state, abi).Run(); !s.ok()) return s;
  const absl::StatusOr<bool> culls = CullsPrimitives(m, state, abi);
  if (!culls.ok()) return culls.status();
  abi.culls = *culls;
  return abi;
}

}  // namespace kiln::amd
