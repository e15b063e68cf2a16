// What MIR says about pipeline stages: which one a module is, its modes, and the variables through
// which it meets the stages before and behind it.
//
// An Interface is one input or output variable, or one member of a block: scalars of one type in
// consecutive components of a location, or a built-in value. Arrays (also matrices: their columns)
// take consecutive locations and are indexed by value with kIndexed; 64-bit scalars take two
// components each and run on into the next location. The lists of a module are ordered by
// (built-in, location, index, component) and nothing of them overlaps (verify.h).
//
// Inputs of fragments are values at a place of the pixel: its centre, its centroid, or its sample.
// Origin and pixel centre are Vulkan's (upper left, half integers; others are not allowed there),
// so that they are no mode.
//
// Sources: Vulkan specification, "Shader Interfaces" (Location and Component Assignment;
// Interpolation Decorations in "Vertex Output Interpolation"), "Built-In Variables"; SPIR-V
// specification, "Execution Mode" and "Decoration".
#ifndef KILN_CORE_MIR_STAGE_H_
#define KILN_CORE_MIR_STAGE_H_

#include <cstdint>

namespace kiln::mir {

enum class Type : uint8_t;

enum class Stage : uint8_t { kCompute, kFragment, kVertex };

// How the depth that a fragment writes compares with its own; kNone: it writes none.
enum class DepthMode : uint8_t { kNone, kAny, kGreater, kLess, kUnchanged };

struct FragmentModes {
  bool early_tests = false;  // depth and stencil tests come before the program
  bool post_depth = false;   // the input sample mask is that behind these tests
  bool sample_rate = false;  // one invocation a sample
  DepthMode depth = DepthMode::kNone;
  friend bool operator==(const FragmentModes&, const FragmentModes&) = default;
};

enum class Interpolation : uint8_t { kSmooth, kNoPerspective, kFlat };

// Where in the pixel an input is taken.
enum class Auxiliary : uint8_t { kCentre, kCentroid, kSample };

enum class BuiltIn : uint8_t {
  kNone,  // a location
#define BUILTIN(enumerator, ...) enumerator,
#include "core/mir/builtins.def"
#undef BUILTIN
};

struct Interface {
  BuiltIn builtin = BuiltIn::kNone;
  uint32_t location = 0;   // of kNone, else 0
  uint8_t index = 0;       // of a fragment's outputs: 1 is the second source of blending
  uint8_t component = 0;   // the first one; of kNone, else 0
  uint8_t components = 1;  // scalars of an element, 1 to 4
  bool array = false;      // indexed by value (kIndexed)
  uint32_t elements = 1;   // more than 1 in arrays only
  Type type = Type{0};
  Interpolation interpolation = Interpolation::kSmooth;  // of a fragment's inputs
  Auxiliary auxiliary = Auxiliary::kCentre;              // likewise
  bool invariant = false;  // equal computations of it give equal bits in all programs
  uint32_t spirv_id = 0;   // the OpVariable, or the block's
};

// Where `interpolate` takes an input: the sources are nothing, a sample's number, or an offset from
// the pixel's centre, to the right and down.
enum class InterpolateAt : uint8_t { kCentroid, kSample, kOffset };

// imm1 of `interpolate`: the place, and the first component of the input that it gives.
constexpr uint32_t PackInterpolateAt(InterpolateAt at, uint32_t component) {
  return static_cast<uint32_t>(at) | component << 8;
}
constexpr uint32_t InterpolateAtOf(uint32_t imm1) { return imm1 & 255; }
constexpr uint32_t InterpolatedComponent(uint32_t imm1) { return imm1 >> 8; }
constexpr int InterpolateAtSources(InterpolateAt at) {
  return at == InterpolateAt::kCentroid ? 0 : at == InterpolateAt::kSample ? 1 : 2;
}

// How a derivative may be taken: from the lane's own row or column of the quad (fine); from one of
// them for the whole quad, or fine (coarse); or either. SPIR-V lets a coarse one be exact.
enum class DerivativeMode : uint8_t { kAny, kCoarse, kFine };

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_STAGE_H_
