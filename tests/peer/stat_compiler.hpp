// Compiles one entry point of a module with the driver: for its times, then for its statistics and files.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "launch_record.hpp"
#include "radv_record.hpp"
#include "spirv_build.hpp"
#include "spirv_reflect.hpp"
#include "stat_dump.hpp"
#include "stat_executable.hpp"
#include "stat_layout.hpp"
#include "stat_options.hpp"
#include "stat_plan.hpp"
#include "stat_result.hpp"
#include "stat_util.hpp"
#include "vkutil.hpp"

namespace peerstat {

// Compiles shaders with one driver, and says what came of it.
class Compiler {
public:
   // `scratch`: the folder that Mesa's Intel compilers write to; empty without --dump-bin.
   Compiler(const Options &o, const std::string &scratch)
      : opt_(o), scratch_(scratch), inst_("peerstat", uint32_t(o.device)), dump_(opt_, inst_, scratch_)
   {
   }

   const vku::Instance &instance() const { return inst_; }
   std::string driver() const { return inst_.driver_name + ", " + inst_.driver_info; }
   vku::Device &device_for(const reflect::Module &m) { return device(vku::optional_for(m)); }
   std::string take_messages() { return std::exchange(inst_.messages, {}); }

   // Returns the line of the result. Throws std::runtime_error if there is none.
   std::string run(const std::string &file, const reflect::Module &m, const reflect::EntryPoint &ep, bool name_entry);

private:
   struct Job;

   const Options &opt_;
   const std::string scratch_;
   vku::Instance inst_;
   const Dump dump_;
   std::map<uint32_t, std::unique_ptr<vku::Device>> devices_;

   vku::Device &device(uint32_t optional);
   bool is_radv() const { return inst_.driver_name == "radv"; }
   Job job_of(vku::Device &d, const reflect::Module &m, const reflect::EntryPoint &ep) const;
   Times measure(const vku::Device &d, const Job &job) const;
   std::vector<Executable> examine(const vku::Device &d, const Job &job, const std::string &file, bool name_entry) const;
   void dump_radv(const vku::Device &d, VkPipelineCache cache, const Job &job, const std::string &file,
                  const std::string &base, std::vector<Executable> &ex) const;
   void dump_records(const vku::Device &d, VkPipelineCache cache, const Job &job, const std::string &file,
                     std::vector<Executable> &ex) const;
};

inline vku::Device &Compiler::device(uint32_t optional)
{
   auto &slot = devices_[optional];
   if (!slot) {
      slot = std::make_unique<vku::Device>(inst_, optional, opt_.robust);
      // One throw-away compile keeps first-use costs out of the measurements.
      vku::ShaderModule m = vku::make_module(slot->handle, build::empty_compute());
      vku::PipelineLayout l(slot->handle);
      VkPipelineLayoutCreateInfo li{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
      vku::check(vkCreatePipelineLayout(slot->handle, &li, nullptr, l.out()), "vkCreatePipelineLayout");
      VkComputePipelineCreateInfo ci{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
      ci.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
      ci.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
      ci.stage.module = m;
      ci.stage.pName = "main";
      ci.layout = l;
      vku::Pipeline p(slot->handle);
      vku::check(vkCreateComputePipelines(slot->handle, VK_NULL_HANDLE, 1, &ci, nullptr, p.out()),
                 "warm-up compile");
   }
   return *slot;
}

// One entry point as a pipeline that can be created again and again.
struct Compiler::Job {
   const Options &opt;
   const reflect::EntryPoint &ep;
   VkShaderStageFlagBits bit;
   reflect::Interface io;
   Layout layout;
   Plan plan;
   vku::ShaderModule module;   // of a compute shader

   uint32_t stage_number() const { return uint32_t(__builtin_ctz(bit)); }
   bool compute() const { return bit == VK_SHADER_STAGE_COMPUTE_BIT; }
   VkResult create(const vku::Device &d, VkPipelineCreateFlags flags, VkPipelineCache cache,
                   VkPipelineCreationFeedbackCreateInfo *fb, VkPipeline *out) const;
};

inline VkResult Compiler::Job::create(const vku::Device &d, VkPipelineCreateFlags flags, VkPipelineCache cache,
                                      VkPipelineCreationFeedbackCreateInfo *fb, VkPipeline *out) const
{
   if (!compute())
      return plan.gfx.create(d.handle, layout.layout, flags, cache, fb, out);
   VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
   size.requiredSubgroupSize = opt.subgroup_size;
   VkComputePipelineCreateInfo ci{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
   ci.pNext = fb;
   ci.flags = flags;
   ci.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
   ci.stage.pNext = opt.subgroup_size ? &size : nullptr;
   ci.stage.stage = bit;
   ci.stage.module = module;
   ci.stage.pName = ep.name.c_str();
   ci.layout = layout.layout;
   ci.basePipelineIndex = -1;
   return vkCreateComputePipelines(d.handle, cache, 1, &ci, nullptr, out);
}

// Fills what launch records of every driver take.
template <class Input>
void fill(Input &in, const std::string &file, const reflect::EntryPoint &ep, const reflect::Interface &io,
          const Layout &layout, uint32_t view_mask)
{
   in.file = file;
   in.entry = ep.name;
   in.stage = reflect::stage_name(ep.model);
   in.io = &io;
   in.slots = &layout.slots;
   in.view_mask = view_mask;
}

inline Compiler::Job Compiler::job_of(vku::Device &d, const reflect::Module &m, const reflect::EntryPoint &ep) const
{
   const VkShaderStageFlagBits bit = vku::stage_bit(ep.model);
   reflect::Interface io = m.interface_of(ep);
   Layout layout = make_layout(d, io, VK_SHADER_STAGE_ALL);
   Job job{opt_, ep, bit, std::move(io), std::move(layout), {}, vku::ShaderModule(d.handle)};
   if (job.compute()) {
      job.module = vku::make_module(d.handle, m.words);
      job.plan.method = "compute";
   } else {
      job.plan = plan_graphics(opt_, d, m, ep, job.io);
   }
   return job;
}

// Compiles the pipeline for its times. An empty cache object of its own for every run keeps the driver from using
// its internal one, so nothing is remembered.
inline Times Compiler::measure(const vku::Device &d, const Job &job) const
{
   Times times;
   const uint32_t nstages = job.compute() ? 1 : uint32_t(job.plan.gfx.stages.size());
   for (int r = 0; r < opt_.runs; r++) {
      vku::PipelineCache cache(d.handle);
      VkPipelineCacheCreateInfo pci{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
      vku::check(vkCreatePipelineCache(d.handle, &pci, nullptr, cache.out()), "vkCreatePipelineCache");
      VkPipelineCreationFeedback whole{};
      std::vector<VkPipelineCreationFeedback> per(nstages);
      VkPipelineCreationFeedbackCreateInfo fb{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO};
      fb.pPipelineCreationFeedback = &whole;
      fb.pipelineStageCreationFeedbackCount = nstages;
      fb.pPipelineStageCreationFeedbacks = per.data();
      vku::Pipeline p(d.handle);
      double c0 = cpu_ms(), t0 = now_ms();
      VkResult res = job.create(d, 0, cache, &fb, p.out());
      double t1 = now_ms(), c1 = cpu_ms();
      vku::check(res, job.compute() ? "vkCreateComputePipelines" : "vkCreateGraphicsPipelines");
      times.wall.push_back(t1 - t0);
      times.cpu.push_back(c1 - c0);
      const auto &tgt = per[job.plan.target_index];
      if (tgt.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT)
         times.stage.push_back(double(tgt.duration) / 1e6);
      times.cache_hit |= (whole.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT) != 0;
   }
   return times;
}

// Compiles the pipeline once more, untimed, for the compiler's statistics and the files of --dump-asm and --dump-bin.
inline std::vector<Executable> Compiler::examine(const vku::Device &d, const Job &job, const std::string &file,
                                                 bool name_entry) const
{
   // RADV caches nothing of a pipeline whose listings it captures: its machine code and its listings come from two
   // compiles.
   const bool cached = is_radv() && !opt_.dump_bin.empty();
   const bool reps = !opt_.dump_asm.empty() || (!opt_.dump_bin.empty() && !cached);
   if (!scratch_.empty())
      for (auto &e : fs::directory_iterator(scratch_))
         fs::remove(e.path());
   const VkPipelineCreateFlags statistics = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
   const VkPipelineCreateFlags listings = statistics | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
   vku::PipelineCache cache(d.handle);
   VkPipelineCacheCreateInfo pci{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
   vku::check(vkCreatePipelineCache(d.handle, &pci, nullptr, cache.out()), "vkCreatePipelineCache");
   vku::Pipeline p(d.handle), q(d.handle);
   vku::check(job.create(d, reps && !cached ? listings : statistics, cache, nullptr, p.out()),
              "pipeline with statistics");
   std::vector<Executable> ex = inspect(d, p, reps && !cached, job.bit);
   const std::string base = flat_name(file) + (name_entry ? "." + flat_name(job.ep.name) : "");
   if (cached) {
      dump_radv(d, cache, job, file, base, ex);
      if (reps) {
         vku::check(job.create(d, listings, VK_NULL_HANDLE, nullptr, q.out()), "pipeline with listings");
         dump_.listings(base, inspect(d, q, true, job.bit));
      }
   } else if (reps) {
      if (!opt_.dump_asm.empty())
         dump_.listings(base, ex);
      if (!opt_.dump_bin.empty())
         dump_.intel(base, ex);
   }
   if (!opt_.dump_bin.empty())
      dump_records(d, cache, job, file, ex);
   return ex;
}

inline void Compiler::dump_radv(const vku::Device &d, VkPipelineCache cache, const Job &job, const std::string &file,
                                const std::string &base, std::vector<Executable> &ex) const
{
   radv::Input in;
   in.target = getenv("RADV_FORCE_FAMILY") ? getenv("RADV_FORCE_FAMILY") : "";
   fill(in, file, job.ep, job.io, job.layout, opt_.view_mask);
   in.linked = !job.plan.gfx.libs;
   for (auto &a : job.plan.gfx.vertex.attrs)
      in.attributes.push_back({a.location, a.offset});
   in.vertex_stride = job.plan.gfx.vertex.binding.stride;
   dump_.radv_code(base, cache_data(d, cache), in, job.stage_number(), ex);
}

// Writes the launch records of Intel's drivers.
inline void Compiler::dump_records(const vku::Device &d, VkPipelineCache cache, const Job &job,
                                   const std::string &file, std::vector<Executable> &ex) const
{
   const char *platform = getenv("NOOP_I915_PLATFORM");
   if (!platform)
      return;
   launch::Input in;
   in.target = platform;
   fill(in, file, job.ep, job.io, job.layout, opt_.view_mask);
   dump_.records(d, cache, in, job.stage_number(), ex);
}

inline std::string Compiler::run(const std::string &file, const reflect::Module &m, const reflect::EntryPoint &ep,
                                 bool name_entry)
{
   if (!vku::stage_bit(ep.model))
      throw std::runtime_error(std::string("stage not supported: ") + reflect::stage_name(ep.model));
   vku::Device &d = device_for(m);
   if (!d.exec_props)
      throw std::runtime_error("the driver has no VK_KHR_pipeline_executable_properties");
   const Job job = job_of(d, m, ep);
   Result r;
   r.driver = driver();
   r.device = inst_.props.deviceName;
   r.method = job.plan.method;
   r.note = job.plan.note;
   r.color_format = opt_.color_name;
   r.times = measure(d, job);
   r.executables = examine(d, job, file, name_entry);
   r.lacks = joined(d.missing(m));
   return success(file, ep, job.io, r);
}

}   // namespace peerstat
