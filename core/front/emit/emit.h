// Entry points of the emitters, by file. Each file documents its emitter.
//
// Functions that take a SPIR-V instruction emit it and bind its result. Those with `handled` first
// check that the instruction is of the file's kind; if not, they set it to false and do nothing.
// All return false after an error (errors.h) unless stated otherwise.
#ifndef KILN_CORE_FRONT_EMIT_EMIT_H_
#define KILN_CORE_FRONT_EMIT_EMIT_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "core/front/emit/context.h"
#include "core/front/emit/flow.h"
#include "core/front/ops/op_emitter.h"
#include "core/front/spirv/spirv.h"
#include "core/front/state/pointer.h"
#include "core/mir/mir.h"

namespace kiln::front {

// emit_function.cc. Emits the entry function; `end`: set to true if its end is reachable.
bool EmitEntry(ImportContext& c, uint32_t function_index, bool* end);
// Emits a call; `returns`: set to true if the code after it is reachable.
bool EmitCall(ImportContext& c, const SpirvInst& inst, bool* returns);

// emit_control.cc: emits the blocks of the function at `place`; `end`: set to true if its end is
// reachable.
bool EmitBody(ImportContext& c, bool* end);
// Emits an edge to a block, by local index, from the block that ends. `follows`: nothing else is
// emitted for that terminator, so the code of a block at this edge may be left to the caller.
using EdgeEmitter = absl::FunctionRef<Flow(uint32_t to, bool follows)>;
// emit_selection.cc: emit OpBranchConditional and OpSwitch. The flow is empty after an error.
Flow EmitBranch(ImportContext& c, const SpirvInst& inst, EdgeEmitter edge);
Flow EmitSwitch(ImportContext& c, const SpirvInst& inst, EdgeEmitter edge);

// emit_phi.cc. Writes the phis of block `to` for the edge from `from`, by local index.
bool AssignPhis(ImportContext& c, uint32_t from, uint32_t to);
// `leading`: only phis precede it in its block.
bool BindPhi(ImportContext& c, const SpirvInst& inst, bool leading);

// emit_inst.cc: emits any instruction in a block except phis and terminators.
bool EmitInst(ImportContext& c, const SpirvInst& inst, bool* returns);

// Values: emit_composite.cc, emit_convert.cc, emit_alu.cc, emit_matrix.cc, emit_dot.cc,
// emit_glsl.cc.
bool EmitComposite(ImportContext& c, const SpirvInst& inst, bool* handled);
bool EmitConvert(ImportContext& c, const SpirvInst& inst, bool* handled);
bool EmitAlu(ImportContext& c, const SpirvInst& inst, bool* handled);
bool EmitMatrix(ImportContext& c, const SpirvInst& inst, bool* handled);
bool EmitIntegerDot(ImportContext& c, const SpirvInst& inst, bool* handled);
bool EmitExtInst(ImportContext& c, const SpirvInst& inst);
// Extended instructions of SPV_AMD_shader_trinary_minmax and SPV_AMD_shader_ballot.
bool EmitTrinary(ImportContext& c, const SpirvInst& inst);
bool EmitVendorBallot(ImportContext& c, const SpirvInst& inst);
// emit_clock.cc: OpReadClockKHR; the extended instructions of SPV_AMD_gcn_shader.
bool EmitReadClock(ImportContext& c, const SpirvInst& inst);
bool EmitGcn(ImportContext& c, const SpirvInst& inst);

// emit_undefined.cc, for reference executions: marks undefined leaves of a result before it is
// bound.
bool MarkUndefined(ImportContext& c, const SpirvInst& inst, Leaves* leaves);

// emit_chain.cc: pointers from pointers, lengths of arrays.
bool EmitChain(ImportContext& c, const SpirvInst& inst, bool* handled);
// emit_pointer.cc: comparisons of pointers.
bool EmitPointerCompare(ImportContext& c, const SpirvInst& inst);

// emit_memory.cc: variables, loads, stores, copies.
bool EmitMemory(ImportContext& c, const SpirvInst& inst, bool* handled);
// Stores through a pointer to anything but an image; `leaves` are of its pointee's type.
bool StoreTo(ImportContext& c, const Pointer& pointer, absl::Span<const ValueId> leaves);

// emit_local.cc: variables in slots, private arrays and constant tables. `count`: leaves to load.
bool LoadLocal(ImportContext& c, const Pointer& pointer, uint32_t count, Leaves* leaves);
bool StoreLocal(ImportContext& c, const Pointer& pointer, absl::Span<const ValueId> leaves);

// emit_input.cc. Appends to `leaves`.
bool LoadInput(ImportContext& c, const Pointer& pointer, Leaves* leaves);
// Loads `count` components, from `first` on, of a built-in input that is no array, whether or not
// the module has a variable for it.
mir::InstId LoadBuiltInInput(ImportContext& c, mir::BuiltIn builtin, uint32_t first,
                             uint32_t count);
// Emits InterpolateAtCentroid, InterpolateAtSample and InterpolateAtOffset of GLSL.std.450.
bool EmitInterpolate(ImportContext& c, const SpirvInst& inst, mir::InterpolateAt at);
// emit_output.cc. Stores the values written to outputs, at the end of the entry function.
bool StoreOutputs(ImportContext& c, uint32_t function_index);

// emit_builtin.cc: loads a built-in variable that is no input of MIR.
bool LoadBuiltin(ImportContext& c, const Pointer& pointer, Leaves* leaves);
// Emits, at the start of the body, the built-ins whose value there is needed.
void BeginBuiltins(ImportContext& c);
// emit_subgroup.cc. Gets a component of a subgroup built-in; returns false if it is none, which is
// no error.
bool SubgroupBuiltin(ImportContext& c, spv::BuiltIn builtin, uint32_t component, ValueId* value);

// emit_atomic.cc
bool EmitAtomic(ImportContext& c, const SpirvInst& inst, bool* handled);
// emit_subgroup.cc
bool EmitSubgroup(ImportContext& c, const SpirvInst& inst, bool* handled);

// emit_image.cc, emit_sample.cc
bool EmitImage(ImportContext& c, const SpirvInst& inst, bool* handled);
// Records the pointer that the result was loaded from.
bool LoadImage(ImportContext& c, const SpirvInst& inst, const Pointer& pointer);
bool TexelAtomic(ImportContext& c, const Pointer& pointer, mir::AtomicOp op, bool is_float,
                 absl::Span<const ValueId> operands, ValueId* result);

// emit_derivative.cc
bool EmitDerivative(ImportContext& c, const SpirvInst& inst, bool* handled);
// Returns a component of the local id, arranged by quads if derivatives are taken that way.
ValueId QuadLocalId(ImportContext& c, uint32_t component);
ValueId LocalInvocationIndex(ImportContext& c);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_EMIT_H_
