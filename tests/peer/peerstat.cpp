// peerstat - compile SPIR-V shaders with the installed Vulkan driver and print
// what the driver's compiler says about the result, one JSON object per line.
//
// No shader is ever executed, so the driver may run on a null device. See
// README.md for the output format and for what each method means.

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "json.hpp"
#include "launch_record.hpp"
#include "machine_code.hpp"
#include "radv_cache.hpp"
#include "radv_record.hpp"
#include "spirv_build.hpp"
#include "spirv_reflect.hpp"
#include "vkutil.hpp"

namespace fs = std::filesystem;
using reflect::IoItem;
using reflect::Resource;

namespace {

struct Options {
   int runs = 3;
   int jobs = 1;
   int timeout = 60;
   int device = 0;
   long mem_mb = 0;
   std::string entry;
   std::string method = "auto";
   VkFormat color = VK_FORMAT_R32G32B32A32_SFLOAT;
   std::string color_name = "rgba32f";
   bool robust = false;
   uint32_t view_mask = 0;
   uint32_t subgroup_size = 0;     // required of compute shaders; 0: the driver chooses
   std::string dump_asm, dump_bin;
   bool quiet = false;
};

[[noreturn]] void usage(int rc)
{
   fprintf(rc ? stderr : stdout,
           "usage: peerstat [options] FILE.spv | DIRECTORY | @LIST ...\n"
           "  --runs N          timed compiles per shader (default 3)\n"
           "  --jobs N          worker processes (default 1; more disturb the times)\n"
           "  --timeout S       seconds one shader may take in all (default 60)\n"
           "  --mem-limit MB    address space limit of a worker (default none)\n"
           "  --entry NAME      only this entry point (default: all in a module)\n"
           "  --method M        auto | gpl | linked, for graphics stages (default auto)\n"
           "  --color-format F  rgba8 | rgba16f | rgba32f for float colour outputs\n"
           "                    (default rgba32f)\n"
           "  --robust          enable robustBufferAccess and robustImageAccess\n"
           "  --view-mask MASK  graphics pipelines are for these views of multiview, a bit each\n"
           "  --subgroup-size N compute shaders must have this subgroup size (default: the driver's choice)\n"
           "  --dump-asm DIR    write the compiler's internal representations as text\n"
           "  --dump-bin DIR    write the machine code of every executable and, for ANV and\n"
           "                    RADV, how to launch it (FILE.launch.json)\n"
           "  --device N        index of the physical device (default 0)\n"
           "  --list            print the device and exit\n"
           "  --quiet           no progress and no summary on stderr\n"
           "A directory is searched for *.spv; @LIST names a file with one path per line,\n"
           "@- reads that list from standard input.\n");
   exit(rc);
}

double now_ms()
{
   timespec ts;
   clock_gettime(CLOCK_MONOTONIC, &ts);
   return double(ts.tv_sec) * 1e3 + double(ts.tv_nsec) / 1e6;
}

double cpu_ms()
{
   timespec ts;
   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
   return double(ts.tv_sec) * 1e3 + double(ts.tv_nsec) / 1e6;
}

double median(std::vector<double> v)
{
   if (v.empty())
      return 0;
   std::sort(v.begin(), v.end());
   size_t n = v.size();
   return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

std::string ms(double v)
{
   char b[32];
   snprintf(b, sizeof b, "%.3f", v);
   return b;
}

// A file name made of a path: separators become '_', leading dots go.
std::string flat_name(const std::string &path)
{
   std::string o;
   for (char c : path) {
      bool ok = isalnum((unsigned char)c) || c == '.' || c == '-' || c == '_' || c == '+';
      o += ok ? c : '_';
   }
   size_t k = o.find_first_not_of("._");
   return k == std::string::npos ? "shader" : o.substr(k);
}

void write_file(const fs::path &p, const void *data, size_t n)
{
   FILE *f = fopen(p.c_str(), "wb");
   if (!f)
      throw std::runtime_error("cannot write " + p.string() + ": " + strerror(errno));
   bool ok = fwrite(data, 1, n, f) == n;
   ok &= fclose(f) == 0;
   if (!ok)
      throw std::runtime_error("short write to " + p.string());
}

std::string read_file(const fs::path &p)
{
   std::ifstream f(p, std::ios::binary);
   return {std::istreambuf_iterator<char>(f), {}};
}

// ---------------------------------------------------------------------------
// One shader

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

class Compiler {
public:
   Compiler(const Options &o, const std::string &scratch)
      : opt_(o), scratch_(scratch), inst_("peerstat", uint32_t(o.device))
   {
   }

   const vku::Instance &instance() const { return inst_; }
   std::string driver() const { return inst_.driver_name + ", " + inst_.driver_info; }
   vku::Device &device_for(const reflect::Module &m) { return device(vku::optional_for(m)); }
   std::string take_messages() { return std::exchange(inst_.messages, {}); }

   std::string run(const std::string &file, const reflect::Module &m, const reflect::EntryPoint &ep,
                   bool name_entry);

private:
   const Options &opt_;
   std::string scratch_;
   vku::Instance inst_;
   std::map<uint32_t, std::unique_ptr<vku::Device>> devices_;

   vku::Device &device(uint32_t optional);
   std::vector<Executable> inspect(vku::Device &d, VkPipeline p, bool reps, VkShaderStageFlags target);
   bool is_radv() const { return inst_.driver_name == "radv"; }
   void dump_listings(const std::string &base, const std::vector<Executable> &ex);
   void dump_intel(const std::string &base, std::vector<Executable> &ex);
   void dump_radv(const std::string &base, const std::vector<uint8_t> &cache, const radv::Input &in, uint32_t stage,
                  std::vector<Executable> &ex);
   std::vector<uint8_t> cache_data(vku::Device &d, VkPipelineCache cache);
   void write_records(vku::Device &d, VkPipelineCache cache, launch::Input in, uint32_t stage,
                      std::vector<Executable> &ex);
   std::vector<std::string> anv_binaries();
};

vku::Device &Compiler::device(uint32_t optional)
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

// Descriptor set layouts and pipeline layout from reflection.
struct Layout {
   std::vector<vku::SetLayout> sets;
   vku::PipelineLayout layout;
   std::vector<launch::Slot> slots;   // the same, for launch records
};

uint32_t unsized_count(const vku::Device &d, Resource k, bool &after_bind)
{
   const auto &f = d.f12;
   switch (k) {
   case Resource::UniformBuffer: after_bind = f.descriptorBindingUniformBufferUpdateAfterBind; break;
   case Resource::StorageBuffer: after_bind = f.descriptorBindingStorageBufferUpdateAfterBind; break;
   case Resource::Sampler: case Resource::SampledImage: case Resource::CombinedImageSampler:
      after_bind = f.descriptorBindingSampledImageUpdateAfterBind;
      break;
   case Resource::StorageImage: after_bind = f.descriptorBindingStorageImageUpdateAfterBind; break;
   case Resource::UniformTexelBuffer: after_bind = f.descriptorBindingUniformTexelBufferUpdateAfterBind; break;
   case Resource::StorageTexelBuffer: after_bind = f.descriptorBindingStorageTexelBufferUpdateAfterBind; break;
   default: after_bind = false; break;
   }
   return after_bind ? 1024 : 16;
}

Layout make_layout(const vku::Device &d, const reflect::Interface &io, VkShaderStageFlags stages)
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
                   VkPipelineCreationFeedbackCreateInfo *fb, VkPipeline *out)
   {
      for (size_t i = 0; i < stages.size(); i++)
         stages[i].pName = names[i].c_str();

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
      ci.pStages = stages.data();
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

struct Plan {
   std::string method, note;
   Graphics gfx;
   size_t target_index = 0;   // position of the shader among the stages
};

void add_feed(Graphics &g, VkDevice d, const std::vector<IoItem> &items)
{
   std::vector<uint32_t> used;
   g.stage(d, VK_SHADER_STAGE_VERTEX_BIT, build::feed_vertex(items, used), "main");
   std::sort(used.begin(), used.end());
   for (uint32_t a : used)
      g.vertex.add(a, VK_FORMAT_R32G32B32A32_SFLOAT, 16);
}

void add_drain(Graphics &g, VkDevice d, const std::vector<IoItem> &items)
{
   std::vector<IoItem> v;
   for (auto &i : items)
      if (!i.per_primitive && !i.patch)
         v.push_back(i);
   g.stage(d, VK_SHADER_STAGE_FRAGMENT_BIT, build::drain_fragment(v), "main");
   g.colors = {VK_FORMAT_R32G32B32A32_SFLOAT};
}

VkFormat depth_format(const vku::Device &d)
{
   for (VkFormat f : {VK_FORMAT_D32_SFLOAT, VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_D16_UNORM}) {
      VkFormatProperties p;
      vkGetPhysicalDeviceFormatProperties(d.inst.phys, f, &p);
      if (p.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)
         return f;
   }
   return VK_FORMAT_UNDEFINED;
}

Plan plan_graphics(const Options &opt, vku::Device &d, const reflect::Module &m,
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

std::vector<Executable> Compiler::inspect(vku::Device &d, VkPipeline pipe, bool reps, VkShaderStageFlags target)
{
   auto get_props = d.proc<PFN_vkGetPipelineExecutablePropertiesKHR>("vkGetPipelineExecutablePropertiesKHR");
   auto get_stats = d.proc<PFN_vkGetPipelineExecutableStatisticsKHR>("vkGetPipelineExecutableStatisticsKHR");
   auto get_reps = d.proc<PFN_vkGetPipelineExecutableInternalRepresentationsKHR>(
      "vkGetPipelineExecutableInternalRepresentationsKHR");

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
      uint32_t ns = 0;
      vku::check(get_stats(d.handle, &ei, &ns, nullptr), "vkGetPipelineExecutableStatisticsKHR");
      std::vector<VkPipelineExecutableStatisticKHR> st(ns, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
      vku::check(get_stats(d.handle, &ei, &ns, st.data()), "vkGetPipelineExecutableStatisticsKHR");
      for (uint32_t i = 0; i < ns; i++) {
         Stat s;
         s.name = st[i].name;
         switch (st[i].format) {
         case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
            s.value = st[i].value.b32 ? "true" : "false";
            break;
         case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
            s.value = std::to_string(st[i].value.i64);
            s.integer = uint64_t(st[i].value.i64);
            break;
         case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
            s.value = std::to_string(st[i].value.u64);
            s.integer = st[i].value.u64;
            break;
         case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
            s.value = json::number(st[i].value.f64);
            break;
         default:
            s.value = "null";
         }
         x.stats.push_back(s);
      }
      if (reps) {
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
            x.reps.push_back({rp[i].name, bool(rp[i].isText), std::move(buf[i])});
         }
      }
      out.push_back(std::move(x));
   }
   return out;
}

// The files Mesa's Intel compiler wrote since the directory was last emptied.
std::vector<std::string> Compiler::anv_binaries()
{
   std::vector<std::string> out;
   if (scratch_.empty())
      return out;
   for (auto &e : fs::directory_iterator(scratch_))
      if (e.path().extension() == ".bin")
         out.push_back(read_file(e.path()));
   return out;
}

// Names of the executables in names of files, each different.
std::vector<std::string> file_tags(const std::vector<Executable> &ex)
{
   std::map<std::string, int> seen;
   std::vector<std::string> tag;
   for (auto &x : ex) {
      std::string t = flat_name(x.name);
      int k = seen[t]++;
      tag.push_back(k ? t + "-" + std::to_string(k) : t);
   }
   return tag;
}

void Compiler::dump_listings(const std::string &base, const std::vector<Executable> &ex)
{
   const std::vector<std::string> tag = file_tags(ex);
   for (size_t i = 0; i < ex.size(); i++)
      for (auto &r : ex[i].reps)
         write_file(fs::path(opt_.dump_asm) / (base + "." + tag[i] + "." + flat_name(r.name) + (r.text ? ".txt" : ".dat")),
                    r.data.data(), r.data.size());
}

// Writes the machine code that Mesa's Intel compilers left in files.
void Compiler::dump_intel(const std::string &base, std::vector<Executable> &ex)
{
   const std::vector<std::string> tag = file_tags(ex);
   std::vector<std::string> anv = anv_binaries();
   std::vector<GenCode> code;
   for (auto &b : anv)
      code.push_back(gen_code(b));
   for (size_t i = 0; i < ex.size(); i++) {
      Executable &x = ex[i];
      std::string bin;
      for (auto &r : x.reps) {
         if (!r.text || r.name != "GEN Assembly")
            continue;
         // The dumped binary with as many instructions as the listing; of
         // several, the one with the same mix of execution sizes.
         const GenShape want = gen_listing(r.data);
         GenCode *best = nullptr;
         int best_d = 0;
         for (auto &c : code) {
            if (!c.valid || c.old.count != want.count)
               continue;
            int d = std::min(c.old.distance(want), c.gfx12.distance(want));
            if (!best || d < best_d) {
               best = &c;
               best_d = d;
            }
         }
         if (!best) {
            x.binary_note = "no dumped binary has " + std::to_string(want.count) + " instructions";
         } else {
            bin = best->code;
            best->valid = false;   // used up
         }
      }
      if (bin.empty()) {
         if (x.binary_note.empty())
            x.binary_note = "the driver does not reveal the machine code";
         continue;
      }
      fs::path p = fs::path(opt_.dump_bin) / (base + "." + tag[i] + ".bin");
      write_file(p, bin.data(), bin.size());
      x.binary_file = p.string();
   }
}

// Writes the machine code that RADV's pipeline cache holds, and its launch record.
void Compiler::dump_radv(const std::string &base, const std::vector<uint8_t> &cache, const radv::Input &in, uint32_t stage,
                         std::vector<Executable> &ex)
{
   const std::vector<std::string> tag = file_tags(ex);
   for (size_t i = 0; i < ex.size(); i++) {
      Executable &x = ex[i];
      const fs::path p = fs::path(opt_.dump_bin) / (base + "." + tag[i] + ".bin");
      radv::Shader s;
      try {
         if (inst_.driver_info.rfind(std::string(radv::KnownVersion) + "-", 0) != 0 && inst_.driver_info != radv::KnownVersion)
            throw std::runtime_error(std::string("the layout of RADV's pipeline cache is known for ") + radv::KnownVersion + " only");
         const auto shaders = radv::parse_cache(cache, {inst_.props.vendorID, inst_.props.deviceID, inst_.props.pipelineCacheUUID});
         s = radv::shader_of_stage(shaders, stage);
         radv::expect(x.stat("Code size").value_or(s.instruction_bytes) == s.instruction_bytes, "code size of the statistics");
         write_file(p, s.code.data(), s.code.size());
         x.binary_file = p.string();
      } catch (const std::exception &e) {
         x.binary_note = e.what();
         continue;
      }
      fs::path r = p;
      r.replace_extension(".launch.json");
      try {
         fs::remove(r);            // an earlier run's, if this one is refused
         const std::string text = radv::record(s, in);
         write_file(r, text.data(), text.size());
         x.record_file = r.string();
      } catch (const std::exception &e) {
         x.record_note = e.what();
      }
   }
}

std::vector<uint8_t> Compiler::cache_data(vku::Device &d, VkPipelineCache cache)
{
   size_t n = 0;
   vku::check(vkGetPipelineCacheData(d.handle, cache, &n, nullptr), "vkGetPipelineCacheData");
   std::vector<uint8_t> data(n);
   vku::check(vkGetPipelineCacheData(d.handle, cache, &n, data.data()), "vkGetPipelineCacheData");
   data.resize(n);
   return data;
}

// Writes the launch record beside each binary of ANV.
void Compiler::write_records(vku::Device &d, VkPipelineCache cache, launch::Input in, uint32_t stage,
                             std::vector<Executable> &ex)
{
   std::vector<launch::Program> programs;
   std::vector<uint8_t> data;
   std::string why;
   try {
      if (inst_.driver_info.rfind("Mesa 25.0.", 0) != 0)
         throw std::runtime_error("the layout of ANV's pipeline cache is known for Mesa 25.0 only");
      data = cache_data(d, cache);
      programs = launch::parse_cache(data);
   } catch (const std::exception &e) {
      why = e.what();
   }
   for (auto &x : ex) {
      if (x.binary_file.empty())
         continue;
      fs::path p = x.binary_file;
      p.replace_extension(".launch.json");
      try {
         fs::remove(p);            // an earlier run's, if this one is refused
         if (!why.empty())
            throw std::runtime_error(why);
         in.code = read_file(x.binary_file);
         in.listing.clear();
         for (auto &r : x.reps)
            if (r.text && r.name == "GEN Assembly")
               in.listing = r.data;
         std::string text = launch::record(programs, stage, x.subgroup, in);
         if (text.empty())
            throw std::runtime_error("no program in the pipeline cache has this machine code");
         write_file(p, text.data(), text.size());
         x.record_file = p.string();
      } catch (const std::exception &e) {
         x.record_note = e.what();
      }
   }
}

std::string Compiler::run(const std::string &file, const reflect::Module &m, const reflect::EntryPoint &ep,
                          bool name_entry)
{
   const VkShaderStageFlagBits bit = vku::stage_bit(ep.model);
   if (!bit)
      throw std::runtime_error(std::string("stage not supported: ") + reflect::stage_name(ep.model));
   vku::Device &d = device_for(m);
   if (!d.exec_props)
      throw std::runtime_error("the driver has no VK_KHR_pipeline_executable_properties");

   reflect::Interface io = m.interface_of(ep);
   Layout layout = make_layout(d, io, VK_SHADER_STAGE_ALL);

   const bool compute = bit == VK_SHADER_STAGE_COMPUTE_BIT;
   Plan plan;
   vku::ShaderModule cs(d.handle);
   if (compute) {
      cs = vku::make_module(d.handle, m.words);
      plan.method = "compute";
   } else {
      plan = plan_graphics(opt_, d, m, ep, io);
   }

   auto create = [&](VkPipelineCreateFlags flags, VkPipelineCache cache,
                     VkPipelineCreationFeedbackCreateInfo *fb, VkPipeline *out) {
      if (!compute)
         return plan.gfx.create(d.handle, layout.layout, flags, cache, fb, out);
      VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{
         VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
      size.requiredSubgroupSize = opt_.subgroup_size;
      VkComputePipelineCreateInfo ci{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
      ci.pNext = fb;
      ci.flags = flags;
      ci.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
      ci.stage.pNext = opt_.subgroup_size ? &size : nullptr;
      ci.stage.stage = bit;
      ci.stage.module = cs;
      ci.stage.pName = ep.name.c_str();
      ci.layout = layout.layout;
      ci.basePipelineIndex = -1;
      return vkCreateComputePipelines(d.handle, cache, 1, &ci, nullptr, out);
   };

   // Timed compiles: an empty cache object of its own for every run keeps the
   // driver from using its internal one, so nothing is remembered.
   std::vector<double> wall, cpu, stage;
   bool hit = false;
   const uint32_t nstages = compute ? 1 : uint32_t(plan.gfx.stages.size());
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
      VkResult res = create(0, cache, &fb, p.out());
      double t1 = now_ms(), c1 = cpu_ms();
      vku::check(res, compute ? "vkCreateComputePipelines" : "vkCreateGraphicsPipelines");
      wall.push_back(t1 - t0);
      cpu.push_back(c1 - c0);
      const auto &tgt = per[plan.target_index];
      if (tgt.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT)
         stage.push_back(double(tgt.duration) / 1e6);
      hit |= (whole.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT) != 0;
   }

   // One more compile, untimed, that records the compiler's statistics. RADV caches nothing of a pipeline
   // whose listings it captures: its machine code and its listings come from two compiles.
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
   vku::check(create(reps && !cached ? listings : statistics, cache, nullptr, p.out()), "pipeline with statistics");
   std::vector<Executable> ex = inspect(d, p, reps && !cached, bit);
   const std::string base = flat_name(file) + (name_entry ? "." + flat_name(ep.name) : "");
   const uint32_t stage_number = uint32_t(__builtin_ctz(bit));
   if (cached) {
      radv::Input in;
      in.target = getenv("RADV_FORCE_FAMILY") ? getenv("RADV_FORCE_FAMILY") : "";
      in.file = file;
      in.entry = ep.name;
      in.stage = reflect::stage_name(ep.model);
      in.io = &io;
      in.slots = &layout.slots;
      in.view_mask = opt_.view_mask;
      in.linked = !plan.gfx.libs;
      for (auto &a : plan.gfx.vertex.attrs)
         in.attributes.push_back({a.location, a.offset});
      in.vertex_stride = plan.gfx.vertex.binding.stride;
      dump_radv(base, cache_data(d, cache), in, stage_number, ex);
      if (reps) {
         vku::check(create(listings, VK_NULL_HANDLE, nullptr, q.out()), "pipeline with listings");
         dump_listings(base, inspect(d, q, true, bit));
      }
   } else if (reps) {
      if (!opt_.dump_asm.empty())
         dump_listings(base, ex);
      if (!opt_.dump_bin.empty())
         dump_intel(base, ex);
   }
   const char *platform = getenv("NOOP_I915_PLATFORM");   // Intel
   if (platform && !opt_.dump_bin.empty()) {
      launch::Input in;
      in.target = platform;
      in.file = file;
      in.entry = ep.name;
      in.stage = reflect::stage_name(ep.model);
      in.io = &io;
      in.slots = &layout.slots;
      in.view_mask = opt_.view_mask;
      write_records(d, cache, in, stage_number, ex);
   }

   std::string o = "{\"file\":" + json::quote(file) + ",\"entry\":" + json::quote(ep.name) +
                   ",\"stage\":" + json::quote(reflect::stage_name(ep.model)) +
                   ",\"driver\":" + json::quote(driver()) +
                   ",\"device\":" + json::quote(inst_.props.deviceName) + ",\"ok\":true,\"error\":null" +
                   ",\"method\":" + json::quote(plan.method);
   if (!plan.note.empty())
      o += ",\"note\":" + json::quote(plan.note);
   std::string lacks;
   for (auto &c : d.missing(m))
      lacks += (lacks.empty() ? "" : ", ") + c;
   if (!lacks.empty())
      o += ",\"device_lacks\":" + json::quote(lacks);
   if (ep.model == spv::ExecutionModelFragment)
      o += ",\"color_format\":" + json::quote(opt_.color_name);
   if (compute)
      o += ",\"local_size\":[" + std::to_string(io.local_size[0]) + "," + std::to_string(io.local_size[1]) + "," +
           std::to_string(io.local_size[2]) + "]";
   o += ",\"compile_ms_median\":" + ms(median(wall)) + ",\"compile_ms\":[";
   for (size_t i = 0; i < wall.size(); i++)
      o += (i ? "," : "") + ms(wall[i]);
   o += "],\"cpu_ms_median\":" + ms(median(cpu));
   if (!stage.empty())
      o += ",\"stage_ms_median\":" + ms(median(stage));
   o += std::string(",\"cache_hit\":") + (hit ? "true" : "false");
   if (!io.warnings.empty()) {
      o += ",\"warnings\":[";
      for (size_t i = 0; i < io.warnings.size(); i++)
         o += (i ? "," : "") + json::quote(io.warnings[i]);
      o += "]";
   }
   o += ",\"executables\":[";
   for (size_t i = 0; i < ex.size(); i++) {
      const Executable &x = ex[i];
      o += (i ? "," : "");
      o += "{\"name\":" + json::quote(x.name) + ",\"subgroup_size\":" + std::to_string(x.subgroup);
      if (!x.binary_file.empty())
         o += ",\"binary\":" + json::quote(x.binary_file);
      if (!x.binary_note.empty())
         o += ",\"binary_note\":" + json::quote(x.binary_note);
      if (!x.record_file.empty())
         o += ",\"launch_record\":" + json::quote(x.record_file);
      if (!x.record_note.empty())
         o += ",\"launch_record_note\":" + json::quote(x.record_note);
      o += ",\"stats\":{";
      for (size_t k = 0; k < x.stats.size(); k++)
         o += (k ? "," : "") + json::quote(x.stats[k].name) + ":" + x.stats[k].value;
      o += "}}";
   }
   o += "]}";
   return o;
}

std::string failure(const std::string &file, const std::string &entry, const std::string &stage,
                    const std::string &driver, const std::string &device, const std::string &why,
                    const std::string &lacks, const std::string &log)
{
   std::string o = "{\"file\":" + json::quote(file);
   if (!entry.empty())
      o += ",\"entry\":" + json::quote(entry);
   o += ",\"stage\":" + (stage.empty() ? std::string("null") : json::quote(stage));
   o += ",\"driver\":" + json::quote(driver) + ",\"device\":" + json::quote(device);
   o += ",\"ok\":false,\"error\":" + json::quote(why);
   if (!lacks.empty())
      o += ",\"device_lacks\":" + json::quote(lacks);
   if (!log.empty())
      o += ",\"log\":" + json::quote(log);
   return o + ",\"executables\":[]}";
}

// ---------------------------------------------------------------------------
// Workers: each shader is compiled in a child process, which is replaced when
// the compiler crashes or exceeds the time limit.

// Child -> parent, one line each:
//   "I driver\tdevice"  identification, once
//   "S stage\tentry\tlacks"  about to compile; capabilities the device lacks
//   "R json"            a result
//   "D"                 file finished
//   "F text"            the worker cannot start at all
void send_line(int fd, const std::string &s)
{
   std::string l = s + "\n";
   for (size_t at = 0; at < l.size();) {
      ssize_t n = write(fd, l.data() + at, l.size() - at);
      if (n < 0 && errno == EINTR)
         continue;
      if (n <= 0)
         _exit(3);
      at += size_t(n);
   }
}

[[noreturn]] void worker_main(const Options &opt, int in, int out, const std::string &scratch)
{
   prctl(PR_SET_PDEATHSIG, SIGKILL);
   for (int sig : {SIGINT, SIGTERM, SIGHUP})
      signal(sig, SIG_IGN);   // the parent decides
   if (opt.mem_mb > 0) {
      rlimit rl{rlim_t(opt.mem_mb) << 20, rlim_t(opt.mem_mb) << 20};
      setrlimit(RLIMIT_AS, &rl);
   }
   rlimit core{0, 0};
   setrlimit(RLIMIT_CORE, &core);
   if (!scratch.empty())
      setenv("INTEL_SHADER_BIN_DUMP_PATH", scratch.c_str(), 1);

   std::unique_ptr<Compiler> comp;
   try {
      comp = std::make_unique<Compiler>(opt, scratch);
   } catch (const std::exception &e) {
      send_line(out, std::string("F ") + e.what());
      _exit(4);
   }
   const std::string driver = comp->driver(), device = comp->instance().props.deviceName;
   send_line(out, "I " + driver + "\t" + device);

   FILE *f = fdopen(in, "r");
   char *line = nullptr;
   size_t cap = 0;
   ssize_t n;
   while (f && (n = getline(&line, &cap, f)) > 0) {
      std::string file(line, size_t(n));
      while (!file.empty() && file.back() == '\n')
         file.pop_back();
      try {
         reflect::Module m = reflect::Module::load(file);
         size_t matched = 0;
         for (auto &ep : m.entries) {
            if (!opt.entry.empty() && ep.name != opt.entry)
               continue;
            matched++;
            std::string lacks;
            try {
               for (auto &c : comp->device_for(m).missing(m))
                  lacks += (lacks.empty() ? "" : ", ") + c;
               send_line(out, std::string("S ") + reflect::stage_name(ep.model) + "\t" + ep.name + "\t" + lacks);
               comp->take_messages();
               send_line(out, "R " + comp->run(file, m, ep, m.entries.size() > 1));
            } catch (const std::exception &e) {
               send_line(out, "R " + failure(file, ep.name, reflect::stage_name(ep.model), driver, device,
                                             e.what(), lacks, comp->take_messages()));
            }
         }
         if (!matched)
            send_line(out, "R " + failure(file, opt.entry, "", driver, device, "no such entry point", "", ""));
      } catch (const std::exception &e) {
         send_line(out, "R " + failure(file, "", "", driver, device, e.what(), "", ""));
      }
      send_line(out, "D");
   }
   // Skip the drivers' exit handlers: nothing is left to save.
   _exit(0);
}

volatile sig_atomic_t g_stop;

struct Worker {
   pid_t pid = -1;
   int to = -1, from = -1;
   std::string buffer, scratch, log_path;
   long job = -1;
   double deadline = 0;
   std::string stage, entry, lacks, driver, device;
};

class Pool {
public:
   Pool(const Options &o, const std::vector<std::string> &files) : opt_(o), files_(files)
   {
      char t[] = "/tmp/peerstat.XXXXXX";
      std::string base = t;
      if (const char *e = getenv("TMPDIR"); e && *e)
         base = std::string(e) + "/peerstat.XXXXXX";
      std::vector<char> b(base.begin(), base.end());
      b.push_back(0);
      if (!mkdtemp(b.data()))
         throw std::runtime_error("cannot create a directory for temporary files");
      dir_ = b.data();
   }
   ~Pool()
   {
      for (auto &w : workers_)
         stop(w);
      std::error_code ec;
      fs::remove_all(dir_, ec);
   }

   // Returns the number of failed shaders; throws when no worker can start.
   int run();

private:
   const Options &opt_;
   const std::vector<std::string> &files_;
   std::string dir_;
   std::vector<Worker> workers_;
   std::vector<std::vector<std::string>> results_;
   std::vector<bool> finished_;
   size_t next_ = 0, printed_ = 0;
   int failed_ = 0, lines_ = 0;
   std::string fatal_;

   void start(Worker &w, size_t index);
   void stop(Worker &w);
   void give(Worker &w);
   void result(Worker &w, const std::string &line);
   void done(size_t job);
   void lost(Worker &w, size_t index, bool timeout);
   std::string log_tail(Worker &w);
};

void Pool::start(Worker &w, size_t index)
{
   w.log_path = dir_ + "/log" + std::to_string(index);
   if (!opt_.dump_bin.empty()) {
      w.scratch = dir_ + "/bin" + std::to_string(index);
      fs::remove_all(w.scratch);
      fs::create_directories(w.scratch);
   }
   int a[2], b[2];
   if (pipe2(a, O_CLOEXEC) || pipe2(b, O_CLOEXEC))
      throw std::runtime_error("pipe failed");
   fflush(nullptr);
   pid_t pid = fork();
   if (pid < 0)
      throw std::runtime_error("fork failed");
   if (pid == 0) {
      close(a[1]);
      close(b[0]);
      for (auto &o : workers_) {
         if (o.to >= 0) close(o.to);
         if (o.from >= 0) close(o.from);
      }
      int log = open(w.log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
      int null = open("/dev/null", O_RDWR);
      if (null >= 0) {
         dup2(null, 0);
         dup2(log >= 0 ? log : null, 1);   // drivers may print to stdout
      }
      if (log >= 0)
         dup2(log, 2);
      worker_main(opt_, a[0], b[1], w.scratch);
   }
   close(a[0]);
   close(b[1]);
   w.pid = pid;
   w.to = a[1];
   w.from = b[0];
   w.buffer.clear();
   w.job = -1;
}

void Pool::stop(Worker &w)
{
   if (w.to >= 0) close(w.to);
   if (w.from >= 0) close(w.from);
   w.to = w.from = -1;
   if (w.pid > 0) {
      kill(w.pid, SIGKILL);
      while (waitpid(w.pid, nullptr, 0) < 0 && errno == EINTR)
         ;
   }
   w.pid = -1;
}

std::string Pool::log_tail(Worker &w)
{
   std::string s = read_file(w.log_path);
   // Every start of HASVK prints this; it says nothing about a shader.
   size_t k = s.find("MESA-INTEL: warning: Haswell Vulkan support is incomplete\n");
   if (k != std::string::npos)
      s.erase(k, s.find('\n', k) - k + 1);
   if (s.size() > 2000)
      s = s.substr(s.size() - 2000);
   while (!s.empty() && (s.back() == '\n' || s.back() == ' '))
      s.pop_back();
   return s;
}

void Pool::give(Worker &w)
{
   if (next_ >= files_.size()) {
      if (w.to >= 0) {
         close(w.to);
         w.to = -1;
      }
      w.job = -1;
      return;
   }
   w.job = long(next_++);
   w.stage.clear();
   w.entry.clear();
   w.deadline = now_ms() + opt_.timeout * 1e3;
   if (truncate(w.log_path.c_str(), 0) != 0) {
      // the log only decorates error messages
   }
   std::string l = files_[size_t(w.job)] + "\n";
   if (write(w.to, l.data(), l.size()) != ssize_t(l.size())) {
      // A dead worker shows up as end of file on its result pipe.
   }
}

void Pool::result(Worker &w, const std::string &line)
{
   std::string l = line;
   if (l.find(",\"ok\":true,") == std::string::npos) {
      failed_++;
      std::string tail = log_tail(w);
      if (!tail.empty() && l.find(",\"log\":") == std::string::npos) {
         size_t at = l.rfind(",\"executables\":[]}");
         if (at != std::string::npos)
            l.insert(at, ",\"log\":" + json::quote(tail));
      }
   }
   lines_++;
   results_[size_t(w.job)].push_back(l);
}

void Pool::done(size_t job)
{
   finished_[job] = true;
   while (printed_ < files_.size() && finished_[printed_]) {
      for (auto &l : results_[printed_])
         puts(l.c_str());
      results_[printed_].clear();
      printed_++;
   }
   fflush(stdout);
   if (!opt_.quiet && isatty(2))
      fprintf(stderr, "\r%zu/%zu", printed_, files_.size());
}

void Pool::lost(Worker &w, size_t index, bool timeout)
{
   int status = 0;
   if (timeout)
      kill(w.pid, SIGKILL);
   while (waitpid(w.pid, &status, 0) < 0 && errno == EINTR)
      ;
   w.pid = -1;
   std::string why;
   if (timeout)
      why = "time limit of " + std::to_string(opt_.timeout) + " s exceeded";
   else if (WIFSIGNALED(status))
      why = std::string("compiler crashed: ") + strsignal(WTERMSIG(status));
   else
      why = "compiler ended the process, status " + std::to_string(WEXITSTATUS(status));
   if (w.job >= 0) {
      result(w, failure(files_[size_t(w.job)], w.entry, w.stage, w.driver, w.device, why, w.lacks, ""));
      done(size_t(w.job));
   }
   stop(w);
   if (next_ < files_.size()) {
      start(w, index);
      give(w);
   }
}

int Pool::run()
{
   results_.resize(files_.size());
   finished_.resize(files_.size());
   size_t n = std::min(size_t(std::max(1, opt_.jobs)), files_.size());
   workers_.resize(n);
   for (size_t i = 0; i < n; i++) {
      start(workers_[i], i);
      give(workers_[i]);
   }
   bool identified = false;
   while (printed_ < files_.size()) {
      std::vector<pollfd> pf;
      std::vector<size_t> who;
      double wait = 1e9;
      for (size_t i = 0; i < n; i++) {
         if (workers_[i].from < 0)
            continue;
         pf.push_back({workers_[i].from, POLLIN, 0});
         who.push_back(i);
         if (workers_[i].job >= 0)
            wait = std::min(wait, workers_[i].deadline - now_ms());
      }
      if (pf.empty())
         break;
      if (g_stop)
         throw std::runtime_error("interrupted");
      int r = poll(pf.data(), pf.size(), int(std::max(0.0, std::min(wait, 1e6))) + 1);
      if (r < 0) {
         if (errno != EINTR)
            throw std::runtime_error("poll failed");
         continue;
      }
      for (size_t k = 0; k < pf.size(); k++) {
         Worker &w = workers_[who[k]];
         if (pf[k].revents) {
            char b[65536];
            ssize_t got = read(w.from, b, sizeof b);
            if (got < 0 && errno == EINTR)
               continue;
            if (got <= 0) {
               if (w.job >= 0) {
                  if (!identified && fatal_.empty())
                     fatal_ = "the driver crashed while starting up\n" + log_tail(w);
                  if (!identified)
                     throw std::runtime_error(fatal_);
                  lost(w, who[k], false);
               } else {
                  stop(w);
               }
               continue;
            }
            w.buffer.append(b, size_t(got));
            for (size_t nl; (nl = w.buffer.find('\n')) != std::string::npos;) {
               std::string l = w.buffer.substr(0, nl);
               w.buffer.erase(0, nl + 1);
               if (l.empty())
                  continue;
               std::string arg = l.size() > 2 ? l.substr(2) : "";
               size_t tab = arg.find('\t');
               switch (l[0]) {
               case 'F':
                  fatal_ = arg + (log_tail(w).empty() ? "" : "\n" + log_tail(w));
                  break;
               case 'I':
                  identified = true;
                  w.driver = arg.substr(0, tab);
                  w.device = tab == std::string::npos ? "" : arg.substr(tab + 1);
                  break;
               case 'S': {
                  size_t tab2 = arg.find('\t', tab + 1);
                  w.stage = arg.substr(0, tab);
                  w.entry = arg.substr(tab + 1, tab2 - tab - 1);
                  w.lacks = arg.substr(tab2 + 1);
                  break;
               }
               case 'R':
                  result(w, arg);
                  break;
               case 'D':
                  done(size_t(w.job));
                  give(w);
                  break;
               }
            }
         } else if (w.job >= 0 && now_ms() > w.deadline) {
            lost(w, who[k], true);
         }
      }
      if (!fatal_.empty() && !identified)
         throw std::runtime_error(fatal_);
   }
   if (!opt_.quiet)
      fprintf(stderr, "%speerstat: %d results from %zu files, %d failed\n", isatty(2) ? "\r" : "", lines_,
              files_.size(), failed_);
   return failed_;
}

void collect(const std::string &arg, std::vector<std::string> &files)
{
   if (arg.size() > 1 && arg[0] == '@') {
      std::string name = arg.substr(1);
      std::ifstream f;
      std::istream *in = &std::cin;
      if (name != "-") {
         f.open(name);
         if (!f)
            throw std::runtime_error("cannot open list " + name);
         in = &f;
      }
      for (std::string l; std::getline(*in, l);)
         if (!l.empty())
            files.push_back(l);
      return;
   }
   if (fs::is_directory(arg)) {
      std::vector<std::string> found;
      for (auto &e : fs::recursive_directory_iterator(arg, fs::directory_options::skip_permission_denied))
         if (e.is_regular_file() && e.path().extension() == ".spv")
            found.push_back(e.path().string());
      std::sort(found.begin(), found.end());
      files.insert(files.end(), found.begin(), found.end());
      return;
   }
   files.push_back(arg);
}

}   // namespace

int main(int argc, char **argv)
{
   Options opt;
   std::vector<std::string> files;
   bool list = false;
   try {
      auto number = [](const std::string &name, const char *s, long lo, long hi) {
         char *e;
         long v = strtol(s, &e, 10);
         if (*e || e == s || v < lo || v > hi)
            throw std::runtime_error("bad value for " + name + ": " + s);
         return v;
      };
      for (int i = 1; i < argc; i++) {
         std::string a = argv[i];
         auto val = [&]() -> const char * {
            if (i + 1 >= argc)
               throw std::runtime_error(a + " needs a value");
            return argv[++i];
         };
         if (a == "--runs") opt.runs = int(number(a, val(), 1, 1000));
         else if (a == "--jobs") opt.jobs = int(number(a, val(), 1, 256));
         else if (a == "--timeout") opt.timeout = int(number(a, val(), 1, 86400));
         else if (a == "--mem-limit") opt.mem_mb = number(a, val(), 1, 1 << 20);
         else if (a == "--device") opt.device = int(number(a, val(), 0, 64));
         else if (a == "--entry") opt.entry = val();
         else if (a == "--method") {
            opt.method = val();
            if (opt.method != "auto" && opt.method != "gpl" && opt.method != "linked")
               throw std::runtime_error("unknown method " + opt.method);
         } else if (a == "--color-format") {
            opt.color_name = val();
            if (opt.color_name == "rgba8") opt.color = VK_FORMAT_R8G8B8A8_UNORM;
            else if (opt.color_name == "rgba16f") opt.color = VK_FORMAT_R16G16B16A16_SFLOAT;
            else if (opt.color_name == "rgba32f") opt.color = VK_FORMAT_R32G32B32A32_SFLOAT;
            else throw std::runtime_error("unknown colour format " + opt.color_name);
         } else if (a == "--robust") opt.robust = true;
         else if (a == "--view-mask") opt.view_mask = uint32_t(std::stoul(val(), nullptr, 0));
         else if (a == "--subgroup-size") opt.subgroup_size = uint32_t(number(a, val(), 1, 128));
         else if (a == "--dump-asm") opt.dump_asm = val();
         else if (a == "--dump-bin") opt.dump_bin = val();
         else if (a == "--list") list = true;
         else if (a == "--quiet") opt.quiet = true;
         else if (a == "--help" || a == "-h") usage(0);
         else if (a.size() > 1 && a[0] == '-') throw std::runtime_error("unknown option " + a);
         else collect(a, files);
      }
      signal(SIGPIPE, SIG_IGN);
      struct sigaction sa{};
      sa.sa_handler = [](int) { g_stop = 1; };   // leave through the clean-up
      for (int sig : {SIGINT, SIGTERM, SIGHUP})
         sigaction(sig, &sa, nullptr);
      setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
      if (list) {
         vku::Instance in("peerstat", uint32_t(opt.device));
         vku::Device d(in, 0, false);
         printf("{\"driver\":%s,\"device\":%s,\"vulkan\":\"%u.%u.%u\",\"subgroup_size\":%u,"
                "\"graphics_pipeline_library\":%s,\"executable_properties\":%s,\"mesh_shader\":%s,"
                "\"tessellation\":%s,\"geometry\":%s}\n",
                json::quote(in.driver_name + ", " + in.driver_info).c_str(),
                json::quote(in.props.deviceName).c_str(), VK_API_VERSION_MAJOR(in.props.apiVersion),
                VK_API_VERSION_MINOR(in.props.apiVersion), VK_API_VERSION_PATCH(in.props.apiVersion),
                in.subgroup.subgroupSize, d.gpl ? "true" : "false", d.exec_props ? "true" : "false",
                in.has(VK_EXT_MESH_SHADER_EXTENSION_NAME) ? "true" : "false",
                d.features.tessellationShader ? "true" : "false", d.features.geometryShader ? "true" : "false");
         fflush(stdout);
         _exit(0);
      }
      if (files.empty())
         throw std::runtime_error("no shader files given (try --help)");
      for (auto &f : files)
         if (f.find('\n') != std::string::npos)
            throw std::runtime_error("a file name contains a line break");
      for (auto *dir : {&opt.dump_asm, &opt.dump_bin})
         if (!dir->empty())
            fs::create_directories(*dir);

      return Pool(opt, files).run() ? 1 : 0;
   } catch (const std::exception &e) {
      fprintf(stderr, "peerstat: %s\n", e.what());
      return 2;
   }
}
