// A graphics pipeline, complete or a library, and the vertex attributes that it reads.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "spirv_reflect.hpp"
#include "vkutil.hpp"

using reflect::IoItem;

namespace peerstat {

// Vertex attributes for the shader's own inputs: one buffer, natural formats.
struct VertexInput {
   std::vector<VkVertexInputAttributeDescription> attrs;
   VkVertexInputBindingDescription binding{0, 0, VK_VERTEX_INPUT_RATE_VERTEX};

   void add(uint32_t location, VkFormat f, uint32_t bytes)
   {
      uint32_t at = (binding.stride + 3) & ~3u;
      attrs.push_back({location, 0, f, at});
      binding.stride = at + bytes;
   }
   // Several items may share a location by component: one attribute each way.
   void from_items(const std::vector<IoItem> &items)
   {
      struct Slot {
         IoItem it;
         uint32_t end;
      };
      std::map<uint32_t, Slot> at;
      for (auto &i : items) {
         auto [p, fresh] = at.try_emplace(i.location, Slot{i, 0});
         p->second.end = std::max(p->second.end, i.component + i.comps);
      }
      static const VkFormat f32[4] = {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT,
                                      VK_FORMAT_R32G32B32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT};
      static const VkFormat i32[4] = {VK_FORMAT_R32_SINT, VK_FORMAT_R32G32_SINT, VK_FORMAT_R32G32B32_SINT,
                                      VK_FORMAT_R32G32B32A32_SINT};
      static const VkFormat u32[4] = {VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32_UINT,
                                      VK_FORMAT_R32G32B32A32_UINT};
      static const VkFormat f16[4] = {VK_FORMAT_R16_SFLOAT, VK_FORMAT_R16G16_SFLOAT,
                                      VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT};
      static const VkFormat i16[4] = {VK_FORMAT_R16_SINT, VK_FORMAT_R16G16_SINT, VK_FORMAT_R16G16B16A16_SINT,
                                      VK_FORMAT_R16G16B16A16_SINT};
      static const VkFormat u16[4] = {VK_FORMAT_R16_UINT, VK_FORMAT_R16G16_UINT, VK_FORMAT_R16G16B16A16_UINT,
                                      VK_FORMAT_R16G16B16A16_UINT};
      static const VkFormat f64[4] = {VK_FORMAT_R64_SFLOAT, VK_FORMAT_R64G64_SFLOAT,
                                      VK_FORMAT_R64G64B64_SFLOAT, VK_FORMAT_R64G64B64A64_SFLOAT};
      static const VkFormat i64[4] = {VK_FORMAT_R64_SINT, VK_FORMAT_R64G64_SINT, VK_FORMAT_R64G64B64_SINT,
                                      VK_FORMAT_R64G64B64A64_SINT};
      static const VkFormat u64[4] = {VK_FORMAT_R64_UINT, VK_FORMAT_R64G64_UINT, VK_FORMAT_R64G64B64_UINT,
                                      VK_FORMAT_R64G64B64A64_UINT};
      for (auto &[loc, s] : at) {
         uint32_t n = std::min(s.end, 4u) - 1;
         const VkFormat *t;
         bool f = s.it.base == reflect::Base::F, i = s.it.base == reflect::Base::I;
         switch (s.it.bits) {
         case 64: t = f ? f64 : i ? i64 : u64; break;
         case 16: t = f ? f16 : i ? i16 : u16; break;
         default: t = f ? f32 : i ? i32 : u32; break;
         }
         add(loc, t[n], 4 * (s.it.bits / 8));
      }
   }
};

// Everything vkCreateGraphicsPipelines needs, kept alive together.
struct Graphics {
   std::vector<vku::ShaderModule> modules;
   std::vector<VkPipelineShaderStageCreateInfo> stages;
   std::vector<std::string> names;
   VertexInput vertex;
   VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
   uint32_t patch_points = 3;
   std::vector<VkFormat> colors;
   VkFormat depth = VK_FORMAT_UNDEFINED;
   VkGraphicsPipelineLibraryFlagsEXT libs = 0;   // 0: a complete pipeline
   uint32_t view_mask = 0;

   void stage(VkDevice d, VkShaderStageFlagBits bit, const std::vector<uint32_t> &words,
              const std::string &entry)
   {
      modules.push_back(vku::make_module(d, words));
      names.push_back(entry);
      VkPipelineShaderStageCreateInfo s{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
      s.stage = bit;
      s.module = modules.back();
      stages.push_back(s);
   }

   VkResult create(VkDevice d, VkPipelineLayout layout, VkPipelineCreateFlags flags, VkPipelineCache cache,
                   VkPipelineCreationFeedbackCreateInfo *fb, VkPipeline *out) const
   {
      std::vector<VkPipelineShaderStageCreateInfo> named = stages;
      for (size_t i = 0; i < named.size(); i++)
         named[i].pName = names[i].c_str();

      VkPipelineRenderingCreateInfo ri{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
      ri.viewMask = view_mask;
      ri.colorAttachmentCount = uint32_t(colors.size());
      ri.pColorAttachmentFormats = colors.data();
      ri.depthAttachmentFormat = depth;
      VkGraphicsPipelineLibraryCreateInfoEXT li{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT};
      li.flags = libs;
      VkGraphicsPipelineCreateInfo ci{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
      ci.pNext = &ri;
      if (libs) {
         ri.pNext = &li;
         flags |= VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
      }
      if (fb) {
         fb->pNext = ci.pNext;
         ci.pNext = fb;
      }

      VkPipelineVertexInputStateCreateInfo vi{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
      vi.vertexBindingDescriptionCount = vertex.attrs.empty() ? 0 : 1;
      vi.pVertexBindingDescriptions = &vertex.binding;
      vi.vertexAttributeDescriptionCount = uint32_t(vertex.attrs.size());
      vi.pVertexAttributeDescriptions = vertex.attrs.data();
      VkPipelineInputAssemblyStateCreateInfo ia{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
      ia.topology = topology;
      VkPipelineTessellationStateCreateInfo ts{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
      ts.patchControlPoints = patch_points;
      VkPipelineViewportStateCreateInfo vp{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
      vp.viewportCount = 1;
      vp.scissorCount = 1;
      VkPipelineRasterizationStateCreateInfo rs{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
      rs.polygonMode = VK_POLYGON_MODE_FILL;
      rs.cullMode = VK_CULL_MODE_NONE;
      rs.lineWidth = 1.0f;
      VkPipelineMultisampleStateCreateInfo mss{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
      mss.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
      VkPipelineDepthStencilStateCreateInfo ds{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
      ds.depthTestEnable = depth != VK_FORMAT_UNDEFINED;
      ds.depthWriteEnable = ds.depthTestEnable;
      ds.depthCompareOp = VK_COMPARE_OP_LESS;
      std::vector<VkPipelineColorBlendAttachmentState> att(colors.size());
      for (size_t i = 0; i < att.size(); i++) {
         att[i] = {};
         att[i].colorWriteMask = colors[i] == VK_FORMAT_UNDEFINED ? 0 : 0xf;
      }
      VkPipelineColorBlendStateCreateInfo cb{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
      cb.attachmentCount = uint32_t(att.size());
      cb.pAttachments = att.data();
      const VkDynamicState dyn[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
      VkPipelineDynamicStateCreateInfo dy{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
      dy.dynamicStateCount = 2;
      dy.pDynamicStates = dyn;

      bool tess = false;
      for (auto &s : stages)
         tess |= s.stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
      ci.flags = flags;
      ci.stageCount = uint32_t(stages.size());
      ci.pStages = named.data();
      ci.pVertexInputState = &vi;
      ci.pInputAssemblyState = &ia;
      ci.pTessellationState = tess ? &ts : nullptr;
      ci.pViewportState = &vp;
      ci.pRasterizationState = &rs;
      ci.pMultisampleState = &mss;
      ci.pDepthStencilState = &ds;
      ci.pColorBlendState = &cb;
      ci.pDynamicState = &dy;
      ci.layout = layout;
      ci.basePipelineIndex = -1;
      return vkCreateGraphicsPipelines(d, cache, 1, &ci, nullptr, out);
   }
};

}   // namespace peerstat
