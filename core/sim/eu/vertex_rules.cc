// See vertex_rules.h.
#include "core/sim/eu/vertex_rules.h"

#include "core/intel/isa/opcodes.h"
#include "core/sim/eu/graphics_rules.h"
#include "core/sim/eu/vertex_launch.h"

namespace kiln::sim::eu {
namespace {

absl::Status Refuse(const Op& op, absl::string_view what) {
  return OpError(absl::StatusCode::kInvalidArgument, op, what);
}

// Blocks belong to no lane: a thread's spills.
bool IsOwnBlock(const Message& m) {
  return m.kind == MessageKind::kScratchWrite || m.kind == MessageKind::kBlockWrite;
}

bool IsStateless(const Message& m) {
  return !m.a64 && (m.surface == kSurfaceStateless || m.surface == kSurfaceStatelessCoherent);
}

}  // namespace

absl::Status CheckVertexProgram(const Program& program) {
  if (absl::Status s = CheckGraphicsProgram(program, kVertexLanes, /*packed=*/true); !s.ok())
    return s;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (!isa::IsSend(op.inst.op) || !op.inst.send.eot) continue;
    if (op.inst.send.sfid != isa::Sfid::kUrb) {
      return Refuse(op, "a vertex thread that ends without a URB write");
    }
    // Nops may follow; a hardware erratum requires one (core/intel/ABI.md, "Loading").
    for (size_t next = i + 1; next < program.ops.size(); ++next) {
      if (program.ops[next].inst.op == isa::Opcode::kNop) continue;
      return Refuse(program.ops[next], "an instruction after the end of the thread");
    }
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("a vertex program without an end of thread");
}

absl::Status CheckVertexMessage(const Op& op, const Message& m, uint32_t channels,
                                const Thread& t) {
  switch (m.kind) {
    case MessageKind::kEnd: return Refuse(op, "a vertex thread that ends without a URB write");
    case MessageKind::kBarrier: return Refuse(op, "a barrier in a vertex thread");
    case MessageKind::kTargetWrite: return Refuse(op, "a render target write in a vertex thread");
    case MessageKind::kInterpolate: return Refuse(op, "the pixel interpolator in a vertex thread");
    default: break;
  }
  if (m.surface == kSurfaceShared && m.kind != MessageKind::kSample &&
      m.kind != MessageKind::kFence) {
    return Refuse(op, "shared memory in a vertex thread");
  }
  const bool changes = HasSideEffects(m) && !IsOwnBlock(m) && !IsStateless(m);
  if (changes && (channels & ~t.dispatch) != 0) {
    return Refuse(op, "memory is changed for lanes that have no vertex");
  }
  return absl::OkStatus();
}

}  // namespace kiln::sim::eu
