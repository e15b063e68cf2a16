// See vertex_culling.h. Source: Mesa 25.0.7, radv_shader.c, radv_consider_culling.
#include "core/amd/abi/vertex_culling.h"

#include "absl/status/status.h"
#include "core/amd/abi/waterfall.h"
#include "core/base/cause.h"
#include "core/mir/build.h"
#include "core/target/interface.h"

namespace kiln::amd {
namespace {

using mir::BuiltIn;
using mir::InstId;
using mir::Interface;
using mir::Op;

// With more inputs, fragments are thought to be what a draw waits for (of a navi21).
constexpr uint32_t kMaxInputs = 12;

// Returns true for what depends on the lane, or on which lanes are on with it. `waterfalls`: of
// WaterfallReads.
bool DependsOnLanes(const mir::Module& m, InstId id, const BitSet& waterfalls) {
  const mir::Inst& inst = m.inst(id);
  switch (inst.op) {
    case Op::kSubgroupInvocation:
    case Op::kSubgroupId:
    case Op::kNumSubgroups:
    case Op::kLaneMask: return true;
    case Op::kReadFirst: return (inst.flags & mir::kUniform) == 0 && !waterfalls.test(id.index);
    default: return mir::Info(inst.op).Has('X');
  }
}

}  // namespace

std::optional<CullingObstacle> FindCullingObstacle(const mir::Module& m,
                                                   const PositionParts& positions) {
  bool has_position = false;
  std::optional<CullingObstacle> found;
  const BitSet waterfalls = WaterfallReads(m);
  mir::ForEachInst(m, m.body, [&](InstId id) {
    const mir::Inst& inst = m.inst(id);
    if (inst.op == Op::kStoreOutput) {
      has_position |= m.outputs[inst.imm0].builtin == BuiltIn::kPosition;
    }
    if (found) return;
    if (ChangesMemory(inst.op)) {
      found = {"the shader writes memory, which it must do once for each vertex", inst.spirv_id};
    } else if (DependsOnLanes(m, id, waterfalls)) {
      found = {"the shader has an operation of subgroups, and vertices change their lanes",
               inst.spirv_id};
    } else if (inst.op == Op::kReadClock) {
      found = {"the shader reads a clock, and its code is executed in parts", inst.spirv_id};
    }
  });
  if (found) return found;
  if (positions.viewport) {
    for (const Interface& v : m.outputs) {
      if (v.builtin != BuiltIn::kViewportIndex) continue;
      return CullingObstacle{"the shader chooses the viewport, and the program is told of one",
                             v.spirv_id};
    }
  }
  if (!has_position) return CullingObstacle{"the shader writes no position", 0};
  return std::nullopt;
}

uint32_t CountNextStageInputs(const PipelineState& state, const VertexAbi& abi) {
  const uint32_t distances =
      (abi.positions.group(0) ? 1u : 0u) + (abi.positions.group(1) ? 1u : 0u);
  if (!state.next_stage_reads) {
    return static_cast<uint32_t>(abi.outputs.size()) + distances + (abi.positions.layer ? 1 : 0);
  }
  const NextStageBuiltIns built_ins = state.next_stage_built_ins.value_or(NextStageBuiltIns());
  return static_cast<uint32_t>(state.next_stage_reads->size()) + (built_ins.viewport ? 1 : 0) +
         (built_ins.distances ? distances : 0) + (built_ins.primitive_id ? 1 : 0);
}

absl::StatusOr<bool> CullsPrimitives(const mir::Module& m, const PipelineState& state,
                                     const VertexAbi& abi) {
  if (state.primitive_culling == PrimitiveCulling::kOff) return false;
  const std::optional<CullingObstacle> obstacle = FindCullingObstacle(m, abi.positions);
  if (state.primitive_culling == PrimitiveCulling::kDefault) {
    return !obstacle && CountNextStageInputs(state, abi) <= kMaxInputs;
  }
  if (obstacle) return Unsupported("primitive_culling", obstacle->why, obstacle->spirv_id);
  return true;
}

}  // namespace kiln::amd
