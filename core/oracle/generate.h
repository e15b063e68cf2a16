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
  bool floats = true;         // float arithmetic: exact ops only
  bool defined_only = false;  // no division by 0, no bit field beyond the value, no bits of
                              // a NaN, no inexact float ops and rewrites, no
                              // private memory before it is written: there SPIR-V leaves open what
                              // the interpreter and the hardware choose
  bool memory = true;         // shared, private, push, tables beside the buffers (atomics and
                              // elements of 1 and 2 bytes of a lane's own part are in any case)
  bool types = false;         // arithmetic on integers of all widths and on halves
  bool subgroups = false;     // operations between lanes, of all types, at any place; of what
                              // lanes that are off hold nothing is used
  int pressure = 0;           // so many dwords live through everything, carried by loops of their
                              // own with continue and break in nested ifs (compute)
  bool drawn = false;         // fragments and vertices of a draw: see kDrawnEdge, kDrawnVertices
  uint32_t samples = 1;       // of a pixel of the draw
};

// Random modules of compute are the same for a seed whatever is added for other stages.
//
// Fragments have kFragmentLanes invocations, inputs and outputs of several kinds, and no shared
// memory. They take derivatives and are killed anywhere: where a quad is not whole, what a
// derivative gives is undefined, which the interpreter always makes the same. They read their
// number from a flat input.
inline constexpr uint32_t kFragmentLanes = 16;

// Vertices have kVertexLanes invocations, attributes and outputs of several kinds, arrays among
// them, which are written anywhere, and no shared memory. They read their number from VertexIndex.
inline constexpr uint32_t kVertexLanes = 16;

// Vertices that are drawn have inputs and outputs of all kinds besides, those of 16 bits with
// `types`. A draw has at most kDrawnVertices vertices, each once, and kDrawnInstances instances;
// runs number themselves by both, from what these begin with.
inline constexpr uint32_t kDrawnVertices = 16, kDrawnInstances = 3;

// Fragments that are drawn are those of triangles in a target of kDrawnEdge by kDrawnEdge pixels,
// with whatever quads and helpers these have. They number themselves by their place, and in all
// that targets may do differently they use nothing that shows it. Beside inputs of all kinds they
// have a sampled image 0.3.0 (8 by 4 texels) and a storage image 0.4.0, and behind their own parts
// of buffer 0.0.0 kCommonDwords for all of them.
inline constexpr uint32_t kDrawnEdge = 8;
inline constexpr uint32_t kCommonDwords = 8;
constexpr uint32_t DrawnFragments(uint32_t samples) { return kDrawnEdge * kDrawnEdge * samples; }

// Resources: 0.0.0 storage, kOutputDwords per lane; 0.1.0 storage, read-only, 64 dwords;
// 0.2.0 uniform, 64 dwords.
inline constexpr uint32_t kOutputDwords = 16;
mir::Module GenerateModule(uint64_t seed, const GenerateOptions& options = {});

// Buffers and push constants for it, random from the seed.
LaunchInputs GenerateInputs(uint64_t seed, const mir::Module& module);

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_GENERATE_H_
