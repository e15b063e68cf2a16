// Numbers of Vulkan's enumerations that captures have, by their names without "VK_" (the Vulkan
// specification's vk.xml).
#ifndef KILN_CLIENT_CAPTURE_VULKAN_NUMBERS_H_
#define KILN_CLIENT_CAPTURE_VULKAN_NUMBERS_H_

#include <cstdint>

namespace kiln::client::vulkan {

inline constexpr uint32_t kUnused = 0xffffffff;  // ATTACHMENT_UNUSED
inline constexpr uint32_t kFormatUndefined = 0;

// VkStructureType.
inline constexpr uint32_t kPipelineRendering = 1000044002;
inline constexpr uint32_t kRenderPassMultiview = 1000053000;
inline constexpr uint32_t kRequiredSubgroupSize = 1000225001;
inline constexpr uint32_t kRenderingAttachmentLocation = 1000232001;
inline constexpr uint32_t kPipelineLibrary = 1000290000;
inline constexpr uint32_t kGraphicsPipelineLibrary = 1000320002;
inline constexpr uint32_t kModuleIdentifier = 1000462002;
inline constexpr uint32_t kPipelineCreateFlags2 = 1000470005;

// VkDynamicState.
inline constexpr uint32_t kDynamicRasterizerDiscard = 1000377001;
inline constexpr uint32_t kDynamicPolygonMode = 1000455004;
inline constexpr uint32_t kDynamicRasterizationSamples = 1000455005;
inline constexpr uint32_t kDynamicAlphaToCoverage = 1000455007;
inline constexpr uint32_t kDynamicAlphaToOne = 1000455008;
inline constexpr uint32_t kDynamicColorBlendEnable = 1000455010;
inline constexpr uint32_t kDynamicColorBlendEquation = 1000455011;
inline constexpr uint32_t kDynamicColorWriteMask = 1000455012;

// VkPrimitiveTopology: POINT_LIST, LINE_LIST and LINE_STRIP come first.
inline constexpr uint32_t kTopologyLineStrip = 2;
inline constexpr uint32_t kTopologyLineListAdjacency = 6, kTopologyLineStripAdjacency = 7;

// VkBlendFactor: those that read the first output's alpha, and SRC1_COLOR to ONE_MINUS_SRC1_ALPHA,
// which read the second output.
inline constexpr uint32_t kBlendSourceAlpha = 6, kBlendOneMinusSourceAlpha = 7,
                          kBlendSourceAlphaSaturate = 14;
inline constexpr uint32_t kBlendFirstSource1 = 15, kBlendLastSource1 = 18;

// VkPipelineCreateFlagBits.
inline constexpr uint64_t kCreateDispatchBase = 0x10;
inline constexpr uint64_t kCreateLibrary = 0x800;
// VkPipelineShaderStageCreateFlagBits.
inline constexpr uint32_t kStageRequireFullSubgroups = 2;

}  // namespace kiln::client::vulkan

#endif  // KILN_CLIENT_CAPTURE_VULKAN_NUMBERS_H_
