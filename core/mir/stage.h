// Pipeline stages in MIR: the stage of a module, its modes, and the variables that connect it to
// the stages before and after it.
//
// An Interface is one input or output variable, or one member of a block: scalars of one type in
// consecutive components of a location, or a built-in value. Arrays (also matrices: their columns)
// take consecutive locations and are indexed by value with kIndexed; 64-bit scalars take two
// components each and continue into the next location. The lists of a module are ordered by
// (built-in, location, index, component) and their entries do not overlap (verify.h).
//
// Inputs of fragments are sampled at a position in the pixel: its centre, its centroid, or its
// sample. Origin and pixel centre need no mode: Vulkan allows only the upper left and half
// integers. A per-vertex input is not sampled: `interpolate` at a vertex returns the value that
// this vertex of the primitive gave it, unchanged. Barycentric coordinates are the weights of the
// primitive's vertices at such a position, in the order in which Vulkan numbers the vertices.
//
// Sources: Vulkan specification, "Shader Interfaces" (Location and Component Assignment;
// Interpolation Decorations in "Vertex Output Interpolation"), "Built-In Variables", "Barycentric
// Interpolation"; SPIR-V specification, "Execution Mode" and "Decoration".
#ifndef KILN_CORE_MIR_STAGE_H_
#define KILN_CORE_MIR_STAGE_H_

#include <cstdint>

namespace kiln::mir {

enum class Type : uint8_t;

enum class Stage : uint8_t { kCompute, kFragment, kVertex };

// How the depth that a fragment writes relates to its own; kNone: it writes none.
enum class DepthMode : uint8_t { kNone, kAny, kGreater, kLess, kUnchanged };

struct FragmentModes {
  bool early_tests = false;  // depth and stencil tests come before the program
  bool post_depth = false;   // the input sample mask is the one after these tests
  bool sample_rate = false;  // one invocation per sample
  DepthMode depth = DepthMode::kNone;
  friend bool operator==(const FragmentModes&, const FragmentModes&) = default;
};

enum class Interpolation : uint8_t { kSmooth, kNoPerspective, kFlat, kPerVertex };

// The position in the pixel at which an input is taken.
enum class Auxiliary : uint8_t { kCentre, kCentroid, kSample };

enum class BuiltIn : uint8_t {
  kNone,  // a location
#define BUILTIN(enumerator, ...) enumerator,
#include "core/mir/builtins.def"
#undef BUILTIN
};

// Returns true for the weights of vertices, with perspective or without.
constexpr bool IsBarycentric(BuiltIn builtin) {
  return builtin == BuiltIn::kBaryCoord || builtin == BuiltIn::kBaryCoordNoPerspective;
}

struct Interface {
  BuiltIn builtin = BuiltIn::kNone;
  uint32_t location = 0;   // 0 for built-ins
  uint8_t index = 0;       // of a fragment's outputs: 1 is the second source of blending
  uint8_t component = 0;   // the first one; 0 for built-ins
  uint8_t components = 1;  // scalars of an element, 1 to 4
  bool array = false;      // indexed by value (kIndexed)
  uint32_t elements = 1;   // more than 1 in arrays only
  Type type = Type{0};
  // A fragment's input has one; barycentric coordinates have that of their built-in.
  Interpolation interpolation = Interpolation::kSmooth;
  Auxiliary auxiliary = Auxiliary::kCentre;  // likewise
  bool invariant = false;                    // equal expressions give equal bits in all programs
  uint32_t spirv_id = 0;                     // the OpVariable, or that of the block
};

// The position at which `interpolate` takes an input. Its sources: none, a sample's number, or an
// offset from the pixel's centre, to the right and down. Per-vertex inputs, and no others, are
// taken at a vertex. Vertices that lines and points lack give undefined values.
enum class InterpolateAt : uint8_t { kCentroid, kSample, kOffset, kVertex0, kVertex1, kVertex2 };

inline constexpr uint32_t kVertices = 3;  // of a per-vertex input
constexpr bool IsAtVertex(InterpolateAt at) { return at >= InterpolateAt::kVertex0; }
constexpr uint32_t VertexOf(InterpolateAt at) {
  return static_cast<uint32_t>(at) - static_cast<uint32_t>(InterpolateAt::kVertex0);
}
constexpr InterpolateAt AtVertex(uint32_t vertex) {
  return static_cast<InterpolateAt>(static_cast<uint32_t>(InterpolateAt::kVertex0) + vertex);
}

// imm1 of `interpolate`: the position, and the first component of the input that it returns.
constexpr uint32_t PackInterpolateAt(InterpolateAt at, uint32_t component) {
  return static_cast<uint32_t>(at) | component << 8;
}
constexpr uint32_t InterpolateAtOf(uint32_t imm1) { return imm1 & 255; }
constexpr uint32_t InterpolatedComponent(uint32_t imm1) { return imm1 >> 8; }
constexpr int InterpolateAtSources(InterpolateAt at) {
  return at == InterpolateAt::kSample ? 1 : at == InterpolateAt::kOffset ? 2 : 0;
}

// How a derivative is taken: from the lane's own row or column of the quad (fine); from one of them
// for the whole quad (coarse), where SPIR-V also allows fine; or either.
enum class DerivativeMode : uint8_t { kAny, kCoarse, kFine };

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_STAGE_H_
