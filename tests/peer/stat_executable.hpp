// The programs of a pipeline as the driver describes them (VK_KHR_pipeline_executable_properties).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json.hpp"
#include "vkutil.hpp"

namespace peerstat {

struct Stat {
   std::string name, value;   // value is JSON text
   std::optional<uint64_t> integer;
};

struct Executable {
   std::string name, description;
   VkShaderStageFlags stages = 0;
   uint32_t subgroup = 0;
   std::vector<Stat> stats;
   struct Rep {
      std::string name;
      bool text;
      std::string data;
   };
   std::vector<Rep> reps;
   std::string binary_file, binary_note;
   std::string record_file, record_note;

   std::optional<uint64_t> stat(const char *n) const
   {
      for (auto &s : stats)
         if (s.name == n)
            return s.integer;
      return std::nullopt;
   }
};

inline Stat stat_of(const VkPipelineExecutableStatisticKHR &st)
{
   Stat s;
   s.name = st.name;
   switch (st.format) {
   case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
      s.value = st.value.b32 ? "true" : "false";
      break;
   case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
      s.value = std::to_string(st.value.i64);
      s.integer = uint64_t(st.value.i64);
      break;
   case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
      s.value = std::to_string(st.value.u64);
      s.integer = st.value.u64;
      break;
   case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
      s.value = json::number(st.value.f64);
      break;
   default:
      s.value = "null";
   }
   return s;
}

inline std::vector<Stat> stats_of(const vku::Device &d, const VkPipelineExecutableInfoKHR &ei)
{
   auto get_stats = d.proc<PFN_vkGetPipelineExecutableStatisticsKHR>("vkGetPipelineExecutableStatisticsKHR");
   uint32_t n = 0;
   vku::check(get_stats(d.handle, &ei, &n, nullptr), "vkGetPipelineExecutableStatisticsKHR");
   std::vector<VkPipelineExecutableStatisticKHR> st(n, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
   vku::check(get_stats(d.handle, &ei, &n, st.data()), "vkGetPipelineExecutableStatisticsKHR");
   std::vector<Stat> out;
   for (auto &s : st)
      out.push_back(stat_of(s));
   return out;
}

inline std::vector<Executable::Rep> reps_of(const vku::Device &d, const VkPipelineExecutableInfoKHR &ei)
{
   auto get_reps = d.proc<PFN_vkGetPipelineExecutableInternalRepresentationsKHR>(
      "vkGetPipelineExecutableInternalRepresentationsKHR");
   std::vector<Executable::Rep> out;
   uint32_t nr = 0;
   vku::check(get_reps(d.handle, &ei, &nr, nullptr), "vkGetPipelineExecutableInternalRepresentationsKHR");
   std::vector<VkPipelineExecutableInternalRepresentationKHR> rp(
      nr, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR});
   vku::check(get_reps(d.handle, &ei, &nr, rp.data()), "vkGetPipelineExecutableInternalRepresentationsKHR");
   std::vector<std::string> buf(nr);
   for (uint32_t i = 0; i < nr; i++) {
      buf[i].resize(rp[i].dataSize);
      rp[i].pData = buf[i].data();
   }
   vku::check(get_reps(d.handle, &ei, &nr, rp.data()), "vkGetPipelineExecutableInternalRepresentationsKHR");
   for (uint32_t i = 0; i < nr; i++) {
      buf[i].resize(rp[i].dataSize);
      if (rp[i].isText)
         while (!buf[i].empty() && buf[i].back() == '\0')
            buf[i].pop_back();
      out.push_back({rp[i].name, bool(rp[i].isText), std::move(buf[i])});
   }
   return out;
}

// Returns the executables of the target's stages with their statistics; with `reps`, also the listings and other
// representations that the driver reveals.
inline std::vector<Executable> inspect(const vku::Device &d, VkPipeline pipe, bool reps, VkShaderStageFlags target)
{
   auto get_props = d.proc<PFN_vkGetPipelineExecutablePropertiesKHR>("vkGetPipelineExecutablePropertiesKHR");

   VkPipelineInfoKHR pi{VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR};
   pi.pipeline = pipe;
   uint32_t n = 0;
   vku::check(get_props(d.handle, &pi, &n, nullptr), "vkGetPipelineExecutablePropertiesKHR");
   std::vector<VkPipelineExecutablePropertiesKHR> props(n, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR});
   vku::check(get_props(d.handle, &pi, &n, props.data()), "vkGetPipelineExecutablePropertiesKHR");

   std::vector<Executable> out;
   for (uint32_t e = 0; e < n; e++) {
      if (!(props[e].stages & target))
         continue;
      Executable x;
      x.name = props[e].name;
      x.description = props[e].description;
      x.stages = props[e].stages;
      x.subgroup = props[e].subgroupSize;
      VkPipelineExecutableInfoKHR ei{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
      ei.pipeline = pipe;
      ei.executableIndex = e;
      x.stats = stats_of(d, ei);
      if (reps)
         x.reps = reps_of(d, ei);
      out.push_back(std::move(x));
   }
   return out;
}

}   // namespace peerstat
