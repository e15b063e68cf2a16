// What a well-formed module is. The verifier runs after every pass in tests and shares no code
// with what makes modules.
//
//  1. The body is a region; every region is owned by exactly one instruction, which is in exactly
//     one region (the tree is a tree). Ids are in range.
//  2. Only kIf has two regions and only kLoop one. Nesting is at most 512.
//  3. A region ends with a terminator and has no other. The body ends with return or unreachable;
//     a region of an if with yield, break, continue or unreachable; a loop body with break,
//     continue or unreachable. return is nowhere else; break and continue are in a loop.
//  4. yield carries as many values as its if has results, break as its loop has results, continue
//     as its loop's body has parameters; types agree one by one. A loop has a source for each
//     parameter, of its type. Only loop bodies have parameters.
//  5. The number of sources and results is that of the op; types agree with its signature: 't'
//     and 'n' stand for one type throughout. Loads define and stores take at least one dword
//     (i32 or f32); bitcast goes between i32 and f32; atomics take the operands of their AtomicOp,
//     i32 or, for the float operations, f32. An instruction with the flag indexed has an i32 before
//     its other sources. Texel ops have the sources and results that image.h says.
//  6. A value is used after its definition in the same region or in regions nested there.
//     Results and parameters say who owns them, and the owner says the same.
//  7. Constants: a bool is 0 or 1.
//  8. Immediates: components are 0..2; resources and private arrays exist, stores and atomics go
//     to storage buffers that are not read-only, load_ubo reads a uniform buffer; alignments are
//     powers of two from 4; memory classes are known and, but in control barriers, not empty;
//     nothing waits at device scope; clusters are powers of two up to 128 and the operator of a
//     reduction is one of its type; what an op does not use is 0.
//     Texel ops: sample and gather have a sampler (their image's own if it is combined), the others
//     none; images are of the kind that the op reads; parameters are those that the op can have.
//  9. Flags are known ones; no-contraction only on ops with a float result; volatile, coherent
//     and non-uniform only on memory ops; indexed exactly where the resource is an array.
// 10. Resources ascend by (set, binding, element), kind and image, without repetition; uniform and
//     storage buffers share their place with nothing. Enumerators of images are known. Sizes of
//     shared memory and private arrays are multiples of 4; the local size is not 0 in any
//     dimension.
// 11. Inputs and outputs are those of a graphics stage, there they are as stage.h says: known, of
//     types and components that fit their location or built-in, in order, without overlap. Outside
//     of compute the local size is 1 and there is no shared memory. Fragments have a relation of
//     depths exactly if they write one; modes of fragments are nowhere else.
// 12. Ops are those of the stage: workgroups and shared memory in compute, inputs and outputs in
// the
//     others, derivatives not in vertices, kills, helper_invocation and interpolate in fragments.
// 13. What loads, interpolates or stores exists, has these components and this type, and is indexed
//     exactly if it is an array; interpolate takes f32 inputs that are interpolated.
#ifndef KILN_CORE_MIR_VERIFY_H_
#define KILN_CORE_MIR_VERIFY_H_

#include "absl/status/status.h"
#include "core/mir/mir.h"

namespace kiln::mir {

inline constexpr int kMaxNesting = 512;

// Ok, or Internal with the number of the invariant, what is wrong and the instruction as text.
// Linear.
absl::Status Verify(const Module& module);

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_VERIFY_H_
