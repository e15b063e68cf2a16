// Draws for tests of vertex programs of gfx1030 that cull, one program to draw them, and the
// comparison of a run with one that culls nothing.
#ifndef KILN_TESTS_EXEC_CULLING_DRAWS_H_
#define KILN_TESTS_EXEC_CULLING_DRAWS_H_

#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "absl/status/statusor.h"
#include "core/driver/compile.h"
#include "core/sim/scene/vertex.h"
#include "tests/exec/culling.h"

namespace kiln::exec {

// A program whose position is attribute 0, with outputs that need the vertex's number, the
// instance's, and an attribute that the position does not.
extern const char kCullingProgram[];

// Compiles a module for gfx1030, for workgroups of `group`.
absl::StatusOr<Compiled> CompileCulling(const std::string& text, PrimitiveCulling culling,
                                        uint32_t group);

// Kinds of draws: what their vertices are like.
enum class DrawKind {
  kLarge,       // triangles of the viewport's size
  kBeyond,      // many outside
  kSmall,       // smaller than a pixel
  kGrid,        // on a grid: areas of 0, edges on the limits and on samples
  kMixedSigns,  // signs of w mixed
  kNotFinite,   // numbers that are none, infinities, w of 0
  kAllOutside,
  kAllInside,  // in front, large: none is culled but by its face
};
inline constexpr DrawKind kDrawKinds[] = {
    DrawKind::kLarge,      DrawKind::kBeyond,    DrawKind::kSmall,      DrawKind::kGrid,
    DrawKind::kMixedSigns, DrawKind::kNotFinite, DrawKind::kAllOutside, DrawKind::kAllInside};

// Makes a draw for kCullingProgram of consecutive vertices.
sim::scene::VertexInputs RandomDraw(std::mt19937& random, DrawKind kind, uint32_t count,
                                    uint32_t instances);

// Returns an attribute of the draw in a run.
std::array<float, 4> AttributeAt(const sim::scene::VertexInputs& draw, size_t number, uint32_t run);
// Returns what kCullingProgram makes of a run.
JudgedVertex VertexAt(const sim::scene::VertexInputs& draw, uint32_t run);

// Returns "" or how the outputs of vertices differ from those of a run in which nothing is culled.
// Vertices that no exported primitive has need no outputs.
std::string DifferenceFromWhole(const CulledRun& run, const sim::scene::VertexInputs& whole);

inline constexpr uint32_t kCullFront = CullingRequest::kFront, kCullBack = CullingRequest::kBack;
inline constexpr uint32_t kFrontIsCcw = CullingRequest::kFrontIsCcw,
                          kCullSmall = CullingRequest::kSmall;
inline constexpr CullingRequest kRequests[] = {
    {0, 1},
    {kCullFront, 1},
    {kCullBack, 1},
    {kCullBack | kFrontIsCcw, 1},
    {kCullFront | kFrontIsCcw, 1},
    {kCullSmall, 1},
    {kCullSmall, 4},
    {kCullSmall, 8},
    {kCullBack | kFrontIsCcw | kCullSmall, 4},
    {kCullFront | kCullBack, 1},
};

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_CULLING_DRAWS_H_
