// Makes a vertex program leave out the primitives that cannot be seen, and vertices of no others.
//
// Problem: a primitive shader (NGG) has the primitives of its vertices at hand, and room for
// exports costs: primitives that cannot be seen are better not exported, nor vertices that only
// they have.
//
// Algorithm, of a workgroup whose lanes have a vertex and a primitive each. The position's part of
// the program runs for all vertices. Vertices store what the tests need in a record of LDS;
// primitives test theirs (triangle.h), and mark the vertices of those that are left. A scan of the
// workgroup numbers these vertices without holes; the first wave requests room for them; each moves
// its position and numbers into the record of its number, and tells its number in its own record.
// Primitives read the numbers of their vertices and are exported, the others as null primitives in
// their places, so that the order is kept. Lanes up to the number of vertices read a record, run
// the rest of the program for it, and export. If the driver's settings cull nothing, or if the
// workgroup has few primitives, all of both are exported as they are.
//
// In: verified MIR of a vertex program whose stores of outputs are in the body itself, without
// effects on memory and results that depend on which lanes are active (FindCullingObstacle); its
// ABI, which culls. Out: verified MIR with the numbers of numbers.h, for waves of `width` lanes.
// Values that both parts compute are computed twice; what only one needs is in that one alone.
// Linear.
//
// Sources: Mesa 25.0.7, ac_nir_lower_ngg.c (steps and what they share), radv_nir_lower_abi.c (when
// nothing is culled).
#ifndef KILN_CORE_AMD_CULL_CULL_H_
#define KILN_CORE_AMD_CULL_CULL_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/amd/abi/vertex.h"
#include "core/mir/mir.h"

namespace kiln::amd {

// Workgroups of fewer primitives cull nothing. A power of two.
inline constexpr uint32_t kFewestCulled = 16;

// Errors: Internal, for a module that is not as above.
absl::Status CullPrimitives(mir::Module& module, const VertexAbi& abi, uint32_t width);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_CULL_CULL_H_
