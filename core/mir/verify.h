// The invariants of a well-formed module. The verifier runs after every pass in tests and shares no
// code with the passes and the importer.
//
// 1. The body is a region; every region is owned by exactly one instruction, which is in exactly
//    one region (the tree is a tree). Ids are in range.
// 2. Only kIf has two regions and only kLoop one. Nesting is at most 512.
// 3. A region ends with a terminator and has no other. The body ends with return or unreachable; a
//    region of an if with yield, break, continue or unreachable; a loop body with break, continue
//    or unreachable. return is nowhere else; break and continue are in a loop.
// 4. yield carries as many values as its if has results, break as its loop has results, continue as
//    its loop's body has parameters; types agree one by one. A loop has a source for each
//    parameter, of its type. Only loop bodies have parameters.
// 5. The number of sources and results is that of the op; types agree with its signature: 't' and
//    'n' stand for one type throughout. Loads define and stores take at least one element, no
//    bools, all of one size; bitcast goes between an integer and a float of one width, extensions
//    to a wider and trunc to a narrower type; atomics take the operands of their AtomicOp, of the
//    types that ops.def lists. An instruction with the flag indexed has an i32 before its other
//    sources. Texel ops have the sources and results of image.h.
// 6. A value is used after its definition in the same region or in regions nested there. Results
//    and parameters name their owner, and the owner lists them.
// 7. Constants: a bool is 0 or 1; no bit beyond the type is set.
// 8. Immediates: components are 0..2; resources and private arrays exist, stores and atomics other
//    than loads go to storage buffers that are neither read-only nor unchanging, load_ubo reads a
//    uniform buffer; alignments are powers of two, at least the size of an element; memory classes
//    are known and, except in control barriers, not empty; no control barrier waits at device
//    scope; clusters are powers of two up to 128 and the operator of a reduction fits its type;
//    unused immediates are 0. Texel ops: sample and gather have a sampler (their image's own if it
//    is combined), the others none; images are of the kind that the op reads; parameters are those
//    that the op can have.
// 9. Flags are known ones; those of float arithmetic are only on ops with one result that compute
//    from or to floats; volatile, coherent and non-uniform only on memory ops; indexed exactly
//    where the resource is an array.
// 10. Resources ascend by (set, binding, element), kind and image, without repetition.
//     Enumerators of images are known. Sizes of shared memory and private arrays are multiples of
//     4; the local size is not 0 in any dimension.
// 11. Inputs and outputs exist only in graphics stages and are as stage.h says: known, of types and
//     components that fit their location or built-in, in order, without overlap. Outside of compute
//     the local size is 1 and there is no shared memory. Fragments have a DepthMode exactly if they
//     write a depth; modes of fragments are in no other stage.
// 12. Ops are those of the stage: workgroups and shared memory in compute, inputs and outputs in
//     the others, derivatives not in vertices, kills, helper_invocation and interpolate in
//     fragments.
// 13. The input or output of a load, interpolate or store exists, has these components and this
//     type, and is indexed exactly if it is an array; interpolate takes f32 inputs that are
//     interpolated.
// 14. Enumerators of float controls and needs are known; no need is repeated. A module whose
//     declared rounding modes differ (that of doubles counts if it has any), or with a value of
//     type f64, an atomic of such, or a 64-bit atomic on shared memory, has the need for it
//     (needs.def), and one whose samples have offsets in the op that not every target has, a need
//     that reaches as far. Needs that nothing uses any more may stay.
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
