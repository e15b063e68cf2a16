// Random well-formed modules for tests: passes must not change what they compute.
//
// Every module ends (loops count down a budget), has no race (a lane writes only its own part of
// buffer 0.0.0 and of shared memory, other lanes' parts are read only after a barrier that all
// lanes reach), and works for any inputs. Equal seeds give equal modules.
#ifndef KILN_CORE_ORACLE_GENERATE_H_
#define KILN_CORE_ORACLE_GENERATE_H_

#include <cstdint>

#include "core/mir/mir.h"
#include "core/oracle/interp.h"

namespace kiln::oracle {

struct GenerateOptions {
  mir::Stage stage = mir::Stage::kCompute;  // or fragment or vertex: see below
  int instructions = 60;                    // roughly, of straight-line code
  int max_depth = 4;                        // of nested ifs and loops
  uint32_t lanes = 16;
  bool floats = true;  // float arithmetic: exact ops only
  // Results do not depend on choices that SPIR-V leaves to interpreter and hardware: no division by
  // 0, no bit field beyond the value, no bits of a NaN, no inexact float ops and rewrites, no
  // private memory before it is written.
  bool defined_only = false;
  // Shared, private, push, tables beside the buffers. (Atomics and elements of 1 and 2 bytes in a
  // lane's own part are generated in any case.)
  bool memory = true;
  bool types = false;  // arithmetic on integers of all widths and on halves
  // Also floats of 64 bits, with `types` and `floats`: arithmetic, their divisions and square roots
  // with `defined_only` too, conversions, and memory.
  bool doubles = false;
  // Operations between lanes, of all types, anywhere; values of inactive lanes are not used.
  bool subgroups = false;
  // Vectors of 16-bit numbers, computed component by component (compute).
  bool word_vectors = false;
  // The number of dwords that stay live throughout, carried by loops of their own with continue and
  // break in nested ifs (compute).
  int pressure = 0;
  bool drawn = false;    // fragments and vertices of a draw: see kDrawnEdge, kDrawnVertices
  uint32_t samples = 1;  // of a pixel of the draw
};

// Random modules of compute stay the same for a seed when generators of other stages change.
//
// Fragments have kFragmentLanes invocations, inputs and outputs of several kinds, and no shared
// memory. They take derivatives and are killed anywhere: derivatives in incomplete quads are
// undefined, and the interpreter always gives them the same value. Fragments read their number from
// a flat input.
inline constexpr uint32_t kFragmentLanes = 16;

// Vertices have kVertexLanes invocations, attributes and outputs of several kinds, arrays among
// them, which are written anywhere, and no shared memory. They read their number from VertexIndex.
inline constexpr uint32_t kVertexLanes = 16;

// Vertices that are drawn also have inputs and outputs of all kinds, those of 16 bits with `types`.
// A draw has at most kDrawnVertices vertices, each once, and kDrawnInstances instances; invocations
// number themselves by both, relative to the first vertex and instance.
inline constexpr uint32_t kDrawnVertices = 16, kDrawnInstances = 3;

// Fragments that are drawn are those of triangles in a render target of kDrawnEdge by kDrawnEdge
// pixels, with the quads and helpers that these have. They number themselves by their pixel, and
// their results do not depend on behaviour in which targets may differ. Besides inputs of all kinds
// they have a sampled image 0.3.0 (8 by 4 texels) and a storage image 0.4.0, and, after their own
// parts of buffer 0.0.0, kCommonDwords that all of them share.
inline constexpr uint32_t kDrawnEdge = 8;
inline constexpr uint32_t kCommonDwords = 8;
constexpr uint32_t DrawnFragments(uint32_t samples) { return kDrawnEdge * kDrawnEdge * samples; }

// Resources: 0.0.0 storage, kOutputDwords per lane; 0.1.0 storage, read-only, 64 dwords;
// 0.2.0 uniform, 64 dwords.
inline constexpr uint32_t kOutputDwords = 16;
mir::Module GenerateModule(uint64_t seed, const GenerateOptions& options = {});

// Buffers and push constants for a generated module, random from the seed.
LaunchInputs GenerateInputs(uint64_t seed, const mir::Module& module);

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_GENERATE_H_
