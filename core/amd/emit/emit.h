// Emission: allocated LIR of gfx1030 to instructions with symbolic targets.
//
// In: a function with registers, without collects; slots and the temporary pair are reserved
// (lir/ops.h). Out: a program in layout order, each instruction in its shortest form. Next come
// waits/form_clauses.h, waits/insert_waits.h, avoid_hazards.h and finalise.h (bytes). Linear.
//
// Immediates: 32 bits; 64-bit integers are sign-extended, doubles have them as their high half. An
// instruction reads its literal as the type of the operand says.
//
// Errors are Internal and name the operation: an instruction that the encoding or a rule of
// isa/verify.h refuses, constructs that do not nest.
#ifndef KILN_CORE_AMD_EMIT_EMIT_H_
#define KILN_CORE_AMD_EMIT_EMIT_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "core/amd/emit/program.h"
#include "core/lir/lir.h"

namespace kiln::amd {

// Registers that the start of a vertex program reads (vertex_start.h).
struct VertexStart {
  uint32_t group_sgpr = 0;      // vertices of the group [20:12], primitives [30:22]
  uint32_t wave_sgpr = 0;       // lanes of vertices [7:0], of primitives [15:8]; wave [27:24]
  uint32_t primitive_vgpr = 0;  // the packed primitive
  // The number of the primitive, and the parameter that it is exported as.
  struct PrimitiveId {
    uint32_t vgpr = 0;
    uint32_t parameter = 0;
  };
  std::optional<PrimitiveId> primitive_id = std::nullopt;
};

struct EmitOptions {
  bool remove_execz_branches = true;  // where what they skip is cheap
  uint32_t spill_offset = 0;          // bytes of a lane's scratch before the spilled registers
  bool keep_exec_at_end = false;      // for tests of what ends constructs
  // For fragments: the SGPR with prim_mask, which goes to m0; whole quads run; and LiveLanes holds
  // the lanes that were on at the start and have not been killed.
  std::optional<uint32_t> prim_mask = std::nullopt;
  bool whole_quads = false;
  bool notes_helpers = false;
  std::optional<VertexStart> vertex = std::nullopt;  // for vertex programs that do not cull
  bool all_lanes = false;  // the program begins with all lanes on, whichever the launch turned on
};

absl::StatusOr<Program> Emit(const lir::Function& allocated, const EmitOptions& options = {});

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_EMIT_H_
