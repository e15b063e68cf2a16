// Which pipeline shows a stage of graphics as its compiler sees it: the stage alone in a library, or with
// generated partners that keep its inputs and outputs alive (README.md, "Methods").
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "spirv_build.hpp"
#include "spirv_reflect.hpp"
#include "stat_graphics.hpp"
#include "stat_options.hpp"
#include "vkutil.hpp"

namespace peerstat {

struct Plan {
   std::string method, note;
   Graphics gfx;
   size_t target_index = 0;   // position of the shader among the stages
};

inline void add_feed(Graphics &g, VkDevice d, const std::vector<IoItem> &items)
{
   std::vector<uint32_t> used;
   g.stage(d, VK_SHADER_STAGE_VERTEX_BIT, build::feed_vertex(items, used), "main");
   std::sort(used.begin(), used.end());
   for (uint32_t a : used)
      g.vertex.add(a, VK_FORMAT_R32G32B32A32_SFLOAT, 16);
}

inline void add_drain(Graphics &g, VkDevice d, const std::vector<IoItem> &items)
{
   std::vector<IoItem> v;
   for (auto &i : items)
      if (!i.per_primitive && !i.patch)
         v.push_back(i);
   g.stage(d, VK_SHADER_STAGE_FRAGMENT_BIT, build::drain_fragment(v), "main");
   g.colors = {VK_FORMAT_R32G32B32A32_SFLOAT};
}

inline VkFormat depth_format(const vku::Device &d)
{
   for (VkFormat f : {VK_FORMAT_D32_SFLOAT, VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_D16_UNORM}) {
      VkFormatProperties p;
      vkGetPhysicalDeviceFormatProperties(d.inst.phys, f, &p);
      if (p.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)
         return f;
   }
   return VK_FORMAT_UNDEFINED;
}

inline Plan plan_graphics(const Options &opt, vku::Device &d, const reflect::Module &m,
                          const reflect::EntryPoint &ep, const reflect::Interface &io)
{
   Plan p;
   Graphics &g = p.gfx;
   g.view_mask = opt.view_mask;
   const VkShaderStageFlagBits bit = vku::stage_bit(ep.model);
   if (opt.method == "gpl" && !d.gpl)
      throw std::runtime_error("the driver has no VK_EXT_graphics_pipeline_library");
   const bool gpl = d.gpl && opt.method != "linked";
   constexpr VkGraphicsPipelineLibraryFlagsEXT
      VI = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
      PRE = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
      FRAG = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
      OUT = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;

   auto self = [&] {
      p.target_index = g.stages.size();
      g.stage(d.handle, bit, m.words, ep.name);
   };
   auto need = [&](bool ok, const char *what) {
      if (!ok)
         throw std::runtime_error(std::string("the driver has no ") + what);
   };

   if (ep.model == spv::ExecutionModelFragment) {
      for (auto &o : io.outputs) {
         if (o.location >= d.inst.props.limits.maxColorAttachments)
            throw std::runtime_error("colour output location " + std::to_string(o.location) +
                                     " exceeds the driver's limit");
         if (g.colors.size() <= o.location)
            g.colors.resize(o.location + 1, VK_FORMAT_UNDEFINED);
         g.colors[o.location] = o.base == reflect::Base::F ? opt.color
                                : o.base == reflect::Base::I ? VK_FORMAT_R32G32B32A32_SINT
                                                             : VK_FORMAT_R32G32B32A32_UINT;
      }
      g.depth = depth_format(d);
      std::vector<IoItem> in;
      bool prim = false;
      for (auto &i : io.inputs) {
         prim |= i.per_primitive;
         if (!i.per_primitive)
            in.push_back(i);
      }
      if (prim && !gpl)
         p.note = "per-primitive inputs have no producer";
      if (gpl) {
         g.libs = FRAG | OUT;
         self();
         p.method = "gpl: fragment shader + output interface library";
      } else {
         add_feed(g, d.handle, in);
         self();
         p.method = "linked: generated vertex shader writes every input";
      }
      return p;
   }

   // Pre-rasterization stages.
   bool partner = false;
   switch (ep.model) {
   case spv::ExecutionModelVertex:
      g.vertex.from_items(io.inputs);
      self();
      break;
   case spv::ExecutionModelTessellationControl: {
      need(d.features.tessellationShader, "tessellation");
      add_feed(g, d.handle, io.inputs);
      self();
      g.stage(d.handle, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, build::drain_evaluation(io.outputs), "main");
      g.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
      g.patch_points = std::max(1u, std::min(io.output_vertices, d.inst.props.limits.maxTessellationPatchSize));
      partner = true;
      break;
   }
   case spv::ExecutionModelTessellationEvaluation: {
      need(d.features.tessellationShader, "tessellation");
      g.patch_points = io.isolines ? 2 : io.quads ? 4 : 3;
      add_feed(g, d.handle, {});
      g.stage(d.handle, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
              build::feed_control(io.inputs, g.patch_points), "main");
      self();
      g.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
      partner = true;
      break;
   }
   case spv::ExecutionModelGeometry:
      need(d.features.geometryShader, "geometry shaders");
      add_feed(g, d.handle, io.inputs);
      self();
      g.topology = io.in_points          ? VK_PRIMITIVE_TOPOLOGY_POINT_LIST
                   : io.in_lines         ? VK_PRIMITIVE_TOPOLOGY_LINE_LIST
                   : io.in_lines_adj     ? VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY
                   : io.in_triangles_adj ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY
                                         : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
      partner = true;
      break;
   case spv::ExecutionModelTaskEXT:
      need(d.inst.has(VK_EXT_MESH_SHADER_EXTENSION_NAME), "mesh shaders");
      self();
      g.stage(d.handle, VK_SHADER_STAGE_MESH_BIT_EXT, build::empty_mesh(), "main");
      partner = true;
      break;
   case spv::ExecutionModelMeshEXT:
      need(d.inst.has(VK_EXT_MESH_SHADER_EXTENSION_NAME), "mesh shaders");
      self();
      break;
   default:
      throw std::runtime_error(std::string("stage not supported: ") + reflect::stage_name(ep.model));
   }
   const bool mesh = bit == VK_SHADER_STAGE_MESH_BIT_EXT || bit == VK_SHADER_STAGE_TASK_BIT_EXT;
   if (gpl) {
      g.libs = mesh ? PRE : VI | PRE;
      p.method = "gpl: pre-rasterization library, all outputs kept";
   } else {
      if (bit == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT || bit == VK_SHADER_STAGE_TASK_BIT_EXT)
         add_drain(g, d.handle, {});
      else
         add_drain(g, d.handle, io.outputs);
      p.method = "linked: generated fragment shader reads every output";
   }
   if (partner)
      p.note = "needs generated partner stages, which are part of compile_ms";
   return p;
}

}   // namespace peerstat
