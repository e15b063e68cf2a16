// See export_vertex.h.
#include "core/sim/rdna2/export_vertex.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/sim/rdna2/export.h"
#include "core/sim/rdna2/vertex_outputs.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr uint32_t kNullPrimitive = 1u << 31;
constexpr uint32_t kIndexMask = 0x1ff;

uint32_t IndexOf(uint32_t packed, uint32_t k) { return packed >> 10 * k & kIndexMask; }

enum class Target : uint8_t { kWrong, kPosition, kPrimitive, kParameter, kPrimitiveParameter };

Target TargetOf(const isa::Instruction& inst, const out::LaunchRecord& record) {
  const uint32_t t = inst.target;
  if (t == kPrimitiveTarget) return Target::kPrimitive;
  if (t >= kPositionTarget && t < kPositionTarget + PositionExports(record)) {
    return Target::kPosition;
  }
  if (t < kParameterTarget) return Target::kWrong;
  const out::AmdParameter* const p = ParameterAt(record, t - kParameterTarget);
  if (p == nullptr) return Target::kWrong;
  return p->per_primitive ? Target::kPrimitiveParameter : Target::kParameter;
}

class Exporter {
 public:
  Exporter(const Op& op, const WaveState& wave, VertexGroup& group)
      : op_(op), inst_(op.inst), wave_(wave), group_(group) {}

  absl::Status Run() {
    const Target target = TargetOf(inst_, *group_.record);
    if (target == Target::kWrong) {
      return Refuse(absl::StatusCode::kInvalidArgument, "to a target that state does not have");
    }
    if (inst_.compressed) return Refuse(absl::StatusCode::kInvalidArgument, "compressed");
    const bool parameter = target == Target::kParameter || target == Target::kPrimitiveParameter;
    if (parameter && (inst_.done || inst_.valid_mask)) {
      return Refuse(absl::StatusCode::kInvalidArgument, "of a parameter with done or vm");
    }
    // Other waves need not wait for the first one's request: the machine makes them.
    if (wave_.number == 0 && !group_.allocated) {
      return Refuse(absl::StatusCode::kFailedPrecondition, "before the request of room for it");
    }
    for (int lane = 0; lane < wave_.lanes(); ++lane) {
      if ((wave_.Exec() >> lane & 1) == 0) continue;
      const auto number =
          wave_.number * static_cast<uint32_t>(wave_.lanes()) + static_cast<uint32_t>(lane);
      if (absl::Status s = Lane(target, number, lane); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Refuse(absl::StatusCode code, absl::string_view what) const {
    return ExportError(code, op_, wave_, what);
  }

  absl::Status Lane(Target target, uint32_t number, int lane) {
    const bool of_primitive = target == Target::kPrimitive || target == Target::kPrimitiveParameter;
    // An export beyond the room is found at the end, when it is known for all waves.
    const size_t most = of_primitive ? group_.primitives.size() : group_.count;
    if (number >= most) {
      return Refuse(
          absl::StatusCode::kFailedPrecondition,
          absl::StrFormat("for %s %d of %d", of_primitive ? "primitive" : "vertex", number, most));
    }
    const std::array<uint32_t, 4> values = ExportedDwords(op_, wave_, lane);
    if (target == Target::kPrimitive) return Primitive(number, values[0]);
    ExportedVertex& to = of_primitive ? group_.of_primitives[number] : group_.of_vertices[number];
    const bool position = target == Target::kPosition;
    const uint32_t at =
        position ? inst_.target - kPositionTarget : kPositions + inst_.target - kParameterTarget;
    if (position) {
      if (to.done) {
        return Refuse(absl::StatusCode::kFailedPrecondition,
                      "after the last position (done) of a vertex");
      }
      to.done = inst_.done;
    }
    if ((to.channels[at] & inst_.enable) != 0 || (position && to.channels[at] != 0)) {
      return Refuse(absl::StatusCode::kInvalidArgument, "to a target for the second time");
    }
    to.channels[at] |= inst_.enable;
    for (size_t c = 0; c < 4; ++c) {
      if ((inst_.enable >> c & 1) != 0) to.values[at][c] = values[c];
    }
    return absl::OkStatus();
  }

  absl::Status Primitive(uint32_t number, uint32_t packed) {
    if (!inst_.done) {
      return Refuse(absl::StatusCode::kInvalidArgument, "of a primitive, not the last one (done)");
    }
    ExportedPrimitive& to = group_.exported_at[number];
    if (to.exists) {
      return Refuse(absl::StatusCode::kFailedPrecondition, "of a primitive for the second time");
    }
    to = {true, packed};
    return absl::OkStatus();
  }

  const Op& op_;
  const isa::Instruction& inst_;
  const WaveState& wave_;
  VertexGroup& group_;
};

absl::Status Failed(const std::string& what) {
  return absl::FailedPreconditionError(absl::StrCat("a workgroup of vertices: ", what));
}

// Checks that exactly the announced primitives and vertices were exported.
absl::Status CheckAnnounced(const VertexGroup& g) {
  if (!g.allocated) return Failed("no request of room for exports");
  const size_t all = g.primitives.size();
  if (!g.culls && (g.vertices_announced != g.count || g.primitives_announced != all)) {
    return Failed("less room than for its vertices and primitives");
  }
  for (size_t i = 0; i < all; ++i) {
    const bool exists = g.exported_at[i].exists;
    if (exists != (i < g.primitives_announced)) {
      return Failed(absl::StrFormat("primitive %d of %d announced is %s", i, g.primitives_announced,
                                    exists ? "exported" : "not exported"));
    }
  }
  for (uint32_t v = 0; v < g.count; ++v) {
    const ExportedVertex& e = g.of_vertices[v];
    if (e.done != (v < g.vertices_announced)) {
      return Failed(absl::StrFormat("vertex %d of %d announced has %s last position (done)", v,
                                    g.vertices_announced, e.done ? "a" : "no"));
    }
    if (!e.done) continue;
    for (uint32_t p = 0; p < PositionExports(*g.record); ++p) {
      if (e.channels[p] == 0) return Failed(absl::StrFormat("vertex %d has no position %d", v, p));
    }
    for (uint32_t p = 0; p < ParameterExports(*g.record); ++p) {
      const out::AmdParameter* const parameter = ParameterAt(*g.record, p);
      if (parameter == nullptr || parameter->per_primitive) continue;
      if (e.channels[kPositions + p] == 0) {
        return Failed(absl::StrFormat("vertex %d has no parameter %d", v, p));
      }
    }
  }
  return absl::OkStatus();
}

// Checks the number of a primitive if it was exported.
absl::Status CheckNumber(const VertexGroup& g, size_t primitive) {
  for (const out::AmdParameter& p : out::AmdOf(*g.record).vertex.parameters) {
    if (p.builtin != "primitive_id" || !p.per_primitive) continue;
    const ExportedVertex& e = g.of_primitives[primitive];
    const uint32_t at = kPositions + p.spi_ps_input_cntl;
    if ((e.channels[at] & 1) == 0) return Failed("a primitive without its number");
    if (e.values[at][0] != g.primitives[primitive].number) {
      return absl::InvalidArgumentError("a primitive with another number than it was given");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ExportVertex(const Op& op, const WaveState& wave, VertexGroup& group) {
  return Exporter(op, wave, group).Run();
}

absl::Status FinishVertices(VertexGroup& g) {
  if (absl::Status s = CheckAnnounced(g); !s.ok()) return s;
  // By the number under which it was exported: the vertex.
  std::vector<std::optional<uint32_t>> original(g.count);
  for (size_t i = 0; i < g.primitives_announced; ++i) {
    const uint32_t packed = g.exported_at[i].packed;
    if ((packed & kNullPrimitive) != 0) {
      if (!g.culls) return Failed("a primitive is left out, which nothing asks for");
      continue;
    }
    if (absl::Status s = CheckNumber(g, i); !s.ok()) return s;
    for (uint32_t k = 0; k < 3; ++k) {
      const uint32_t index = IndexOf(packed, k);
      if (index >= g.vertices_announced) return Failed("a primitive of a vertex beyond the last");
      const uint32_t vertex = g.primitives[i].vertices[k];
      if (original[index].value_or(vertex) != vertex) {
        return absl::InvalidArgumentError("two primitives take one export for different vertices");
      }
      original[index] = vertex;
    }
  }
  for (uint32_t v = 0; v < g.count; ++v) {
    if (!original[v]) continue;
    if (!g.culls && *original[v] != v) {
      return absl::InvalidArgumentError("a primitive of other vertices than it was given");
    }
    for (const uint32_t run : g.runs[*original[v]]) {
      WriteOutputs(*g.record, g.of_vertices[v], run, *g.draw);
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::sim::rdna2
