// Layouts of descriptor sets and of a pipeline for the resources that a shader names.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "launch_record.hpp"
#include "spirv_reflect.hpp"
#include "vkutil.hpp"

namespace peerstat {

// Descriptor set layouts and pipeline layout from reflection.
struct Layout {
   std::vector<vku::SetLayout> sets;
   vku::PipelineLayout layout;
   std::vector<launch::Slot> slots;   // the same, for launch records
};

inline uint32_t unsized_count(const vku::Device &d, reflect::Resource k, bool &after_bind)
{
   const auto &f = d.f12;
   switch (k) {
   case reflect::Resource::UniformBuffer: after_bind = f.descriptorBindingUniformBufferUpdateAfterBind; break;
   case reflect::Resource::StorageBuffer: after_bind = f.descriptorBindingStorageBufferUpdateAfterBind; break;
   case reflect::Resource::Sampler: case reflect::Resource::SampledImage: case reflect::Resource::CombinedImageSampler:
      after_bind = f.descriptorBindingSampledImageUpdateAfterBind;
      break;
   case reflect::Resource::StorageImage: after_bind = f.descriptorBindingStorageImageUpdateAfterBind; break;
   case reflect::Resource::UniformTexelBuffer: after_bind = f.descriptorBindingUniformTexelBufferUpdateAfterBind; break;
   case reflect::Resource::StorageTexelBuffer: after_bind = f.descriptorBindingStorageTexelBufferUpdateAfterBind; break;
   default: after_bind = false; break;
   }
   return after_bind ? 1024 : 16;
}

inline Layout make_layout(const vku::Device &d, const reflect::Interface &io, VkShaderStageFlags stages)
{
   Layout l;
   uint32_t nsets = 0;
   for (auto &b : io.bindings)
      nsets = std::max(nsets, b.set + 1);
   const auto &lim = d.inst.props.limits;
   if (nsets > lim.maxBoundDescriptorSets)
      throw std::runtime_error("uses descriptor set " + std::to_string(nsets - 1) + ", the driver allows " +
                               std::to_string(lim.maxBoundDescriptorSets) + " sets");
   if (io.push_size > lim.maxPushConstantsSize)
      throw std::runtime_error("uses " + std::to_string(io.push_size) +
                               " bytes of push constants, the driver allows " +
                               std::to_string(lim.maxPushConstantsSize));

   std::vector<VkDescriptorSetLayout> raw;
   for (uint32_t s = 0; s < nsets; s++) {
      std::vector<VkDescriptorSetLayoutBinding> b;
      std::vector<VkDescriptorBindingFlags> fl;
      bool any_after = false;
      for (auto &x : io.bindings) {
         if (x.set != s)
            continue;
         VkDescriptorSetLayoutBinding v{};
         v.binding = x.binding;
         v.descriptorType = vku::descriptor_type(x.kind);
         v.descriptorCount = x.count;
         v.stageFlags = stages;
         VkDescriptorBindingFlags flags = 0;
         if (x.runtime_array) {
            bool after = false;
            v.descriptorCount *= unsized_count(d, x.kind, after);
            if (after)
               flags |= VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
            if (d.f12.descriptorBindingPartiallyBound)
               flags |= VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT;
            any_after |= after;
         }
         b.push_back(v);
         fl.push_back(flags);
         l.slots.push_back({s, x.binding, 0, v.descriptorCount, launch::kind_name(x.kind)});
      }
      VkDescriptorSetLayoutBindingFlagsCreateInfo fi{
         VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO};
      fi.bindingCount = uint32_t(fl.size());
      fi.pBindingFlags = fl.data();
      VkDescriptorSetLayoutCreateInfo ci{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
      ci.pNext = &fi;
      ci.flags = any_after ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT : 0;
      ci.bindingCount = uint32_t(b.size());
      ci.pBindings = b.data();
      l.sets.emplace_back(d.handle);
      vku::check(vkCreateDescriptorSetLayout(d.handle, &ci, nullptr, l.sets.back().out()),
                 "vkCreateDescriptorSetLayout");
      raw.push_back(l.sets.back());
   }

   // Drivers number the descriptors of a set in the order of its bindings.
   for (auto &a : l.slots)
      for (auto &o : l.slots)
         if (o.set == a.set && o.binding < a.binding)
            a.first += o.count;

   VkPushConstantRange pc{stages, 0, (io.push_size + 3) & ~3u};
   VkPipelineLayoutCreateInfo ci{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
   ci.setLayoutCount = uint32_t(raw.size());
   ci.pSetLayouts = raw.data();
   ci.pushConstantRangeCount = io.push_size ? 1 : 0;
   ci.pPushConstantRanges = &pc;
   l.layout = vku::PipelineLayout(d.handle);
   vku::check(vkCreatePipelineLayout(d.handle, &ci, nullptr, l.layout.out()), "vkCreatePipelineLayout");
   return l;
}

}   // namespace peerstat
