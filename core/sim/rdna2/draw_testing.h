// Draws for tests: small fragment and vertex programs from words, and what they leave.
//
// Fragments: one triangle that covers all of 4 x 4 pixels, front-facing; its vertices are 0 (the
// provoking one) at the upper left corner, 1 beyond the right and 2 beyond the lower edge, so that
// i is x / 4 and j is y / 4. Its w is 1, its depth (x + y) / 16. Attribute 0 is the component x of
// location 0: 1, 3 and 5 at the vertices. prim_mask is s0, i and j are v0 and v1. The render target
// at location 0 begins as 0.
//
// Vertices: two waves of 64 lanes, 80 vertices, 78 primitives. The program requests room, exports
// its primitives, then the position (n, n, n, 1) of vertex n and the parameter 0 (n, 1). Bytes:
// llvm-mc 19, from the text beside them.
#ifndef KILN_CORE_SIM_RDNA2_DRAW_TESTING_H_
#define KILN_CORE_SIM_RDNA2_DRAW_TESTING_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/rdna2/simulator.h"
#include "core/sim/rdna2/testing.h"
#include "core/sim/scene/fragment.h"
#include "core/sim/scene/vertex.h"

namespace kiln::sim::rdna2 {

// Returns the words one after the other.
Words Joined(std::initializer_list<Words> parts);

// Parts of fragment programs.
inline const Words kReady = {0xbefc0300};                    // s_mov_b32 m0, s0
inline const Words kInterpolate = {0xc8080000, 0xc8090001};  // v2 = attr0.x by v0 and v1
inline const Words kExportV2 = {0xf800180f, 0x02020202};     // exp mrt0 v2, v2, v2, v2 done vm
inline const Words kEndProgram = {0xbf810000};               // s_endpgm
inline const Words kNoLanes = {0xbefe0380};                  // s_mov_b32 exec_lo, 0
inline const Words kOne = {0x7e0402f2};                      // v_mov_b32_e32 v2, 1.0
inline const Words kTwo = {0x7e0602f4};                      // v_mov_b32_e32 v3, 2.0

struct FragmentProgram {
  Words body = {};
  uint32_t lanes = 32;
  out::LaunchRecord record = {};  // of FragmentRecord, changed
  scene::FragmentInputs draw = {};
  Options options = {};
};

// Returns a program with the record and draw described above.
FragmentProgram ProgramOf(Words body);

// Runs a program and returns its draw after the run.
absl::StatusOr<scene::FragmentInputs> RunDraw(FragmentProgram program);

// Returns a component of the render target `target` at a pixel, as a float.
float ColorAt(const scene::FragmentInputs& draw, uint32_t x, uint32_t y, uint32_t component,
              size_t target = 0);

// Parts of vertex programs.
inline const Words kRequest = {
    0x8700ff03, 0x0f000000,  // s_and_b32 s0, s3, 0xf000000
    0xbf850007,              // s_cbranch_scc1 7
    0x9380ff02, 0x00090016,  // s_bfe_u32 s0, s2, 0x90016
    0x8f008c00,              // s_lshl_b32 s0, s0, 12
    0x9381ff02, 0x0009000c,  // s_bfe_u32 s1, s2, 0x9000c
    0x887c0100,              // s_or_b32 m0, s0, s1
    0xbf900009,              // s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)
};
inline const Words kPackPrimitives = {
    0x8f008803,              // s_lshl_b32 s0, s3, 8
    0x94fe00c1,              // s_bfe_u64 exec, -1, s0
    0x2c120090,              // v_lshrrev_b32_e32 v9, 16, v0
    0x360000ff, 0x0000ffff,  // v_and_b32_e32 v0, 0xffff, v0
    0xd76f0000, 0x04011509,  // v_lshl_or_b32 v0, v9, 10, v0
    0xd76f0000, 0x04012901,  // v_lshl_or_b32 v0, v1, 20, v0
};
inline const Words kExportPrimitives = {0xf8000941, 0x00000000};  // exp prim v0 done
inline const Words kWaitExports = {0xbf8cff0f};                   // s_waitcnt expcnt(0)
inline const Words kShadeVertices = {
    0x99000380,  // s_pack_ll_b32_b16 s0, 0, s3
    0x94fe00c1,  // s_bfe_u64 exec, -1, s0
    0x7e0c0d05,  // v_cvt_f32_u32_e32 v6, v5
    0x7e0e02f2,  // v_mov_b32_e32 v7, 1.0
};
inline const Words kExportPosition = {0xf80008cf, 0x07060606};   // exp pos0 v6, v6, v6, v7 done
inline const Words kExportParameter = {0xf8000203, 0x00000706};  // exp param0 v6, v7, off, off

struct VertexProgram {
  Words body = {};
  out::LaunchRecord record = {};
  scene::VertexInputs draw = {};
  Options options = {};
};

// Returns the program described above, with another body if one is given.
VertexProgram VertexProgramOf(Words body = {});

// Runs a program and returns its vertices after the run.
absl::StatusOr<scene::VertexInputs> RunVertices(VertexProgram program);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_DRAW_TESTING_H_
