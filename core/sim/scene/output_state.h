// The state of fragment operations: depth and stencil tests, blending. Vulkan 1.3, "Fragment
// Operations" and "The Framebuffer".
//
// The defaults let every fragment through and keep its values unchanged.
#ifndef KILN_CORE_SIM_SCENE_OUTPUT_STATE_H_
#define KILN_CORE_SIM_SCENE_OUTPUT_STATE_H_

#include <array>
#include <cstdint>
#include <optional>

#include "core/sim/scene/compare.h"
#include "core/sim/scene/texel.h"

namespace kiln::sim::scene {

struct DepthState {
  CompareFunction compare = CompareFunction::kAlways;
  bool write = true;
  std::optional<std::array<float, 2>> bounds;  // of the stored depth: minimum and maximum
  // Depth is clamped to 0 to 1, as with the feature depthClampZeroOne, and rounded; without a
  // format it is any float. Vulkan leaves depth outside of the viewport's undefined without the
  // feature.
  std::optional<TexelFormat> format;
};

enum class StencilOp : uint8_t {
  kKeep,
  kZero,
  kReplace,
  kIncrementClamp,
  kDecrementClamp,
  kInvert,
  kIncrementWrap,
  kDecrementWrap,
};

struct StencilFace {
  StencilOp fail = StencilOp::kKeep, pass = StencilOp::kKeep, depth_fail = StencilOp::kKeep;
  CompareFunction compare = CompareFunction::kAlways;
  uint8_t compare_mask = 0xff, write_mask = 0xff;
  uint8_t reference = 0;  // unless the program exports one
};

struct StencilState {
  StencilFace front, back;
};

enum class BlendFactor : uint8_t {
  kZero,
  kOne,
  kSrcColor,
  kOneMinusSrcColor,
  kDstColor,
  kOneMinusDstColor,
  kSrcAlpha,
  kOneMinusSrcAlpha,
  kDstAlpha,
  kOneMinusDstAlpha,
  kConstantColor,
  kOneMinusConstantColor,
  kConstantAlpha,
  kOneMinusConstantAlpha,
  kSrcAlphaSaturate,
  kSrc1Color,
  kOneMinusSrc1Color,
  kSrc1Alpha,
  kOneMinusSrc1Alpha,
};

enum class BlendOp : uint8_t { kAdd, kSubtract, kReverseSubtract, kMin, kMax };

struct BlendEquation {
  BlendFactor src = BlendFactor::kOne, dst = BlendFactor::kZero;
  BlendOp op = BlendOp::kAdd;
};

struct BlendState {
  BlendEquation color, alpha;
};

enum class LogicOp : uint8_t {
  kClear,
  kAnd,
  kAndReverse,
  kCopy,
  kAndInverted,
  kNoOp,
  kXor,
  kOr,
  kNor,
  kEquivalent,
  kInvert,
  kOrReverse,
  kCopyInverted,
  kOrInverted,
  kNand,
  kSet,
};

struct OutputState {
  DepthState depth;
  std::optional<StencilState> stencil;  // none: no test, and stencil stays as it is
  uint32_t sample_mask = ~0u;           // VkPipelineMultisampleStateCreateInfo::pSampleMask
  bool alpha_to_coverage = false;       // VkPipelineMultisampleStateCreateInfo
  std::array<float, 4> blend_constants{};
  std::optional<LogicOp> logic_op;
};

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_OUTPUT_STATE_H_
