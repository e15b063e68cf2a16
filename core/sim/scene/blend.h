// Blending and logical operations: the value that a render target keeps of a colour. Vulkan 1.3,
// "Blending" and "Logical Operations".
#ifndef KILN_CORE_SIM_SCENE_BLEND_H_
#define KILN_CORE_SIM_SCENE_BLEND_H_

#include <array>
#include <optional>

#include "core/sim/scene/output_state.h"
#include "core/sim/scene/texel.h"

namespace kiln::sim::scene {

// The two colours of a fragment (the second only of dual-source blending), and what is stored.
struct BlendInputs {
  Texel source{}, second{}, stored{};
  std::array<float, 4> constants{};
};

// Returns the blended colour, unrounded. Colours and blend factors of fixed-point formats are
// clamped to their range first (1 minus a negative number is above 1); no format: 32-bit floats.
Texel Blend(const BlendState& state, std::optional<TexelFormat> format, const BlendInputs& in);

// Returns the result of a logical operation on the bits of two texels of a format.
Texel Combine(LogicOp op, TexelFormat format, const Texel& source, const Texel& stored);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_BLEND_H_
