// See message.h.
#include "core/sim/rdna2/message.h"

#include "core/sim/rdna2/vertex_group.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr int kGsAllocReq = 9;

absl::Status Refuse(absl::StatusCode code, const Op& op, const WaveState& wave,
                    absl::string_view what) {
  return OpError(code, op, wave.size, what);
}

}  // namespace

absl::Status ExecuteMessage(const Op& op, const Context& context, const WaveState& wave) {
  const bool requests = op.inst.op == isa::Opcode::kSSendmsg && op.inst.simm == kGsAllocReq;
  if (!requests) return NotModelled(op, wave.size, "message");
  VertexGroup* const group = context.vertices;
  if (group == nullptr) {
    return Refuse(absl::StatusCode::kInvalidArgument, op, wave,
                  "a request of room for exports, not in a vertex program");
  }
  if (wave.number != 0) {
    return Refuse(absl::StatusCode::kFailedPrecondition, op, wave,
                  "a request of room for exports, not of the first wave");
  }
  if (group->allocated) {
    return Refuse(absl::StatusCode::kFailedPrecondition, op, wave,
                  "a second request of room for exports");
  }
  const uint32_t m0 = wave.scalar[isa::kM0];
  const uint32_t vertices = m0 & 0x7ff, primitives = m0 >> 12 & 0x7ff;
  if (vertices > group->count || primitives > group->primitives.size()) {
    return Refuse(absl::StatusCode::kInvalidArgument, op, wave,
                  "a request of more room than the workgroup has vertices or primitives");
  }
  group->allocated = true;
  group->vertices_announced = vertices;
  group->primitives_announced = primitives;
  return absl::OkStatus();
}

}  // namespace kiln::sim::rdna2
