// How the emitters are entered, by file. What each of them does is its file's to say.
//
// Functions of a SPIR-V instruction emit it and bind its result. With `handled`, the file looks
// whether the instruction is of its kind: false then, and nothing is done. All return false after
// an error (errors.h) unless said otherwise.
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

// emit_function.cc. The entry function; `end`: whether its end is reached.
bool EmitEntry(ImportContext& c, uint32_t function_index, bool* end);
// `returns`: whether what follows the call is reached.
bool EmitCall(ImportContext& c, const SpirvInst& inst, bool* returns);

// emit_control.cc: the blocks of the function at `place`; `end`: whether its end is reached.
bool EmitBody(ImportContext& c, bool* end);
// An edge to a block, by local index, from the one that ends. `follows`: nothing else is emitted
// for that end, so the code of a block that belongs here may be left for afterwards.
using EdgeEmitter = absl::FunctionRef<Flow(uint32_t to, bool follows)>;
// emit_selection.cc: OpBranchConditional and OpSwitch. Empty after an error.
Flow EmitBranch(ImportContext& c, const SpirvInst& inst, EdgeEmitter edge);
Flow EmitSwitch(ImportContext& c, const SpirvInst& inst, EdgeEmitter edge);

// emit_phi.cc. Writes the phis of block `to` for the edge from `from`, by local index.
bool AssignPhis(ImportContext& c, uint32_t from, uint32_t to);
// `leading`: only phis stand before it in its block.
bool BindPhi(ImportContext& c, const SpirvInst& inst, bool leading);

// emit_inst.cc: any instruction in a block but phis and terminators.
bool EmitInst(ImportContext& c, const SpirvInst& inst, bool* returns);

// Values: emit_composite.cc, emit_convert.cc, emit_alu.cc, emit_matrix.cc, emit_dot.cc,
// emit_glsl.cc.
bool EmitComposite(ImportContext& c, const SpirvInst& inst, bool* handled);
bool EmitConvert(ImportContext& c, const SpirvInst& inst, bool* handled);
bool EmitAlu(ImportContext& c, const SpirvInst& inst, bool* handled);
bool EmitMatrix(ImportContext& c, const SpirvInst& inst, bool* handled);
bool EmitIntegerDot(ImportContext& c, const SpirvInst& inst, bool* handled);
bool EmitExtInst(ImportContext& c, const SpirvInst& inst);

// emit_undefined.cc, for judges: marks what is undefined of a result that is about to be bound.
bool MarkUndefined(ImportContext& c, const SpirvInst& inst, Leaves* leaves);

// emit_chain.cc: pointers from pointers, the lengths of arrays.
bool EmitChain(ImportContext& c, const SpirvInst& inst, bool* handled);
// emit_pointer.cc: pointers compared.
bool EmitPointerCompare(ImportContext& c, const SpirvInst& inst);

// emit_memory.cc: variables, loads, stores, copies.
bool EmitMemory(ImportContext& c, const SpirvInst& inst, bool* handled);
// Through a pointer to anything but an image; `leaves` of the type pointed at.
bool StoreTo(ImportContext& c, const Pointer& pointer, absl::Span<const ValueId> leaves);

// emit_local.cc: of variables in slots, private arrays and constant tables. `count`: leaves loaded.
bool LoadLocal(ImportContext& c, const Pointer& pointer, uint32_t count, Leaves* leaves);
bool StoreLocal(ImportContext& c, const Pointer& pointer, absl::Span<const ValueId> leaves);

// emit_input.cc. `leaves` are appended.
bool LoadInput(ImportContext& c, const Pointer& pointer, Leaves* leaves);
// One that is built in and no array, whether the module has a variable for it or not; `count`
// components from `first` on.
mir::InstId LoadBuiltInInput(ImportContext& c, mir::BuiltIn builtin, uint32_t first,
                             uint32_t count);
// InterpolateAtCentroid and its like of GLSL.std.450.
bool EmitInterpolate(ImportContext& c, const SpirvInst& inst, mir::InterpolateAt at);
// emit_output.cc. At the end of the entry function: what it wrote of its outputs.
bool StoreOutputs(ImportContext& c, uint32_t function_index);

// emit_builtin.cc: what a built-in variable holds that is no input of MIR.
bool LoadBuiltin(ImportContext& c, const Pointer& pointer, Leaves* leaves);
// At the start of the body: what built-ins hold that are asked for their value then.
void BeginBuiltins(ImportContext& c);
// emit_subgroup.cc. Those of subgroups: whether it is one; never an error.
bool SubgroupBuiltin(ImportContext& c, spv::BuiltIn builtin, uint32_t component, ValueId* value);

// emit_atomic.cc
bool EmitAtomic(ImportContext& c, const SpirvInst& inst, bool* handled);
// emit_subgroup.cc
bool EmitSubgroup(ImportContext& c, const SpirvInst& inst, bool* handled);

// emit_image.cc, emit_sample.cc
bool EmitImage(ImportContext& c, const SpirvInst& inst, bool* handled);
// Keeps the pointer as what the result was loaded from.
bool LoadImage(ImportContext& c, const SpirvInst& inst, const Pointer& pointer);
bool TexelAtomic(ImportContext& c, const Pointer& pointer, mir::AtomicOp op, bool is_float,
                 absl::Span<const ValueId> operands, ValueId* result);

// emit_derivative.cc
bool EmitDerivative(ImportContext& c, const SpirvInst& inst, bool* handled);
// The place in the workgroup, by quads if that is how derivatives are taken.
ValueId QuadLocalId(ImportContext& c, uint32_t component);
ValueId LocalInvocationIndex(ImportContext& c);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_EMIT_H_
