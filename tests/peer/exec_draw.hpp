// Draws with a fragment shader and returns what it wrote: colours, depth and stencil, of each sample.
//
// Colours go to targets of four 32-bit components, so that nothing is rounded. Targets of several samples
// are read by a compute shader: copying to buffers is for one sample, resolving would mix them. Targets have
// layers for views, which all come, or for vertices that choose one, of which the first comes.
#pragma once

#include <deque>

#include "exec_job.hpp"
#include "spirv_build.hpp"
#include "spirv_edit.hpp"

namespace lvp {

inline VkImageMemoryBarrier to_general(const Image &i)
{
   VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
   b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
   b.newLayout = VK_IMAGE_LAYOUT_GENERAL;
   b.dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT;
   b.image = i.h;
   b.subresourceRange = {i.aspect, 0, 1, 0, i.layers};
   return b;
}

// Copies one aspect of the first layers of an image to a buffer, layer by layer, pixel by pixel and sample by
// sample; of several samples, one layer. Lives until the commands have run.
class Readback {
public:
   Readback(const vku::Device &d, const Image &image, VkFormat format, VkImageAspectFlags aspect, Base base,
            uint32_t comps, uint32_t samples, uint32_t layers)
      : d_(d), image_(image), aspect_(aspect), samples_(samples), layers_(layers), set_layout_(d.handle),
        layout_(d.handle), pipe_(d.handle), pool_(d.handle), view_(d.handle)
   {
      // Stencil is the one aspect that a copy delivers in bytes.
      const size_t word = samples == 1 && aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? 1 : 4;
      const size_t words = size_t(image.extent.width) * image.extent.height * layers * samples * comps;
      buffer_ = std::make_unique<Buffer>(d, words * word);
      if (samples > 1)
         prepare(format, base, comps);
   }

   void record(VkCommandBuffer cmd)
   {
      if (samples_ == 1) {
         VkBufferImageCopy c{};
         c.imageExtent = image_.extent;
         c.imageSubresource = {aspect_, 0, 0, layers_};
         vkCmdCopyImageToBuffer(cmd, image_.h, VK_IMAGE_LAYOUT_GENERAL, buffer_->h, 1, &c);
         return;
      }
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipe_);
      vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0, nullptr);
      vkCmdDispatch(cmd, image_.extent.width, image_.extent.height, 1);
   }

   std::string bytes() const
   {
      std::string s(buffer_->map, buffer_->size);
      if (samples_ == 1 || aspect_ != VK_IMAGE_ASPECT_STENCIL_BIT)
         return s;
      std::string low;
      for (size_t i = 0; i < s.size(); i += 4)
         low += s[i];
      return low;
   }

private:
   const vku::Device &d_;
   const Image &image_;
   VkImageAspectFlags aspect_;
   uint32_t samples_, layers_;
   std::unique_ptr<Buffer> buffer_;
   vku::SetLayout set_layout_;
   vku::PipelineLayout layout_;
   vku::Pipeline pipe_;
   vku::Own<VkDescriptorPool, vkDestroyDescriptorPool> pool_;
   vku::Own<VkImageView, vkDestroyImageView> view_;
   VkDescriptorSet set_ = VK_NULL_HANDLE;

   void prepare(VkFormat format, Base base, uint32_t comps)
   {
      VkDescriptorSetLayoutBinding lb[2]{};
      VkDescriptorPoolSize size[2];
      for (uint32_t i = 0; i < 2; i++) {
         lb[i].binding = i;
         lb[i].descriptorType = i ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
         lb[i].descriptorCount = 1;
         lb[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
         size[i] = {lb[i].descriptorType, 1};
      }
      VkDescriptorSetLayoutCreateInfo si{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
      si.bindingCount = 2;
      si.pBindings = lb;
      check(vkCreateDescriptorSetLayout(d_.handle, &si, nullptr, set_layout_.out()), "vkCreateDescriptorSetLayout");
      VkPipelineLayoutCreateInfo li{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
      li.setLayoutCount = 1;
      li.pSetLayouts = &set_layout_.h;
      check(vkCreatePipelineLayout(d_.handle, &li, nullptr, layout_.out()), "vkCreatePipelineLayout");

      vku::ShaderModule sm =
         vku::make_module(d_.handle, build::read_samples(base, comps, image_.extent.width, samples_));
      VkComputePipelineCreateInfo ci{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
      ci.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
      ci.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
      ci.stage.module = sm;
      ci.stage.pName = "main";
      ci.layout = layout_;
      check(vkCreateComputePipelines(d_.handle, VK_NULL_HANDLE, 1, &ci, nullptr, pipe_.out()),
            "vkCreateComputePipelines");

      VkDescriptorPoolCreateInfo pi{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
      pi.maxSets = 1;
      pi.poolSizeCount = 2;
      pi.pPoolSizes = size;
      check(vkCreateDescriptorPool(d_.handle, &pi, nullptr, pool_.out()), "vkCreateDescriptorPool");
      VkDescriptorSetAllocateInfo ai{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
      ai.descriptorPool = pool_;
      ai.descriptorSetCount = 1;
      ai.pSetLayouts = &set_layout_.h;
      check(vkAllocateDescriptorSets(d_.handle, &ai, &set_), "vkAllocateDescriptorSets");
      VkImageViewCreateInfo vi{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
      vi.image = image_.h;
      vi.viewType = VK_IMAGE_VIEW_TYPE_2D;
      vi.format = format;
      vi.subresourceRange = {aspect_, 0, 1, 0, 1};
      check(vkCreateImageView(d_.handle, &vi, nullptr, view_.out()), "vkCreateImageView");
      VkDescriptorImageInfo image{VK_NULL_HANDLE, view_, VK_IMAGE_LAYOUT_GENERAL};
      VkDescriptorBufferInfo buffer{buffer_->h, 0, VK_WHOLE_SIZE};
      VkWriteDescriptorSet w[2];
      for (uint32_t i = 0; i < 2; i++) {
         w[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
         w[i].dstSet = set_;
         w[i].dstBinding = i;
         w[i].descriptorCount = 1;
         w[i].descriptorType = lb[i].descriptorType;
      }
      w[0].pImageInfo = &image;
      w[1].pBufferInfo = &buffer;
      vkUpdateDescriptorSets(d_.handle, 2, w, 0, nullptr);
   }
};

class Draw {
public:
   explicit Draw(Job &job) : j_(job), d_(job.d_), dr_(job.spec_.at("draw")) {}
   std::string run();

private:
   struct Attr {
      uint32_t location;
      VkFormat format;
      uint32_t stride;
      std::unique_ptr<Buffer> data;
   };
   struct Target {
      uint32_t location, index;   // as the shader names them
      Base base;
      std::unique_ptr<Image> image;
      std::unique_ptr<Readback> back;
   };
   // The shader itself, then copies of its interpolated inputs if asked for.
   struct Pass {
      std::map<uint32_t, Target> targets;   // by location in the module that is drawn with
      vku::Pipeline pipe;
      vku::ShaderModule fm;
      bool depth = false, stencil = false;
      std::unique_ptr<Image> depth_stencil;
      std::unique_ptr<Readback> depth_back, stencil_back;

      uint32_t count() const { return targets.empty() ? 0 : targets.rbegin()->first + 1; }
   };
   struct Sampling {
      bool per_sample = false, alpha_to_coverage = false, alpha_to_one = false;
      VkSampleMask mask = ~0u;
   };

   Job &j_;
   vku::Device &d_;
   const Value &dr_;
   uint32_t w_ = 0, h_ = 0, samples_ = 1, vertices_ = 0, view_mask_ = 0, layers_ = 1, viewports_ = 1;
   VkPrimitiveTopology topology_{};
   Sampling sampling_;
   std::vector<Attr> attrs_;
   std::vector<IoItem> items_;
   std::string vs_entry_ = "main";
   vku::ShaderModule vm_;
   std::deque<Pass> passes_;   // keeps references valid

   uint32_t layers_read() const { return view_mask_ ? layers_ : 1; }
   bool asked(const char *key) const { return dr_.has(key) && dr_.at(key).boolean(); }
   void parameters();
   std::string positions() const;
   const Value *given_input(uint32_t location, uint32_t component) const;
   void attribute(uint32_t location, Base base, uint32_t comps, const std::string &data);
   uint32_t choice(const char *key, uint32_t most, spv::BuiltIn builtin, build::VertexBuiltIns &made);
   uint32_t distances(const char *key);
   void built_ins();
   void vertex_stage();
   void callers_vertex_shader();
   std::unique_ptr<Image> target_image(const Format &f, VkImageUsageFlags usage) const;
   void add_target(Pass &p, uint32_t at, uint32_t location, uint32_t index, Base base);
   void shader_pass();
   void input_passes();
   void pipeline(Pass &p, const std::vector<uint32_t> &words, const std::string &entry, const Sampling &s,
                 const VkSpecializationInfo *spec);
   void record(Pass &p);
   VkClearColorValue clear(Base base) const;
   std::string emit_as(const std::string &suffix, Elem e, const std::string &data);
   std::string result();
};

inline void Draw::parameters()
{
   w_ = u32_of(dr_, "width", 8, 1, 4096), h_ = u32_of(dr_, "height", 8, 1, 4096);
   static const std::map<std::string, VkPrimitiveTopology> topologies{
      {"point_list", VK_PRIMITIVE_TOPOLOGY_POINT_LIST}, {"line_list", VK_PRIMITIVE_TOPOLOGY_LINE_LIST},
      {"line_strip", VK_PRIMITIVE_TOPOLOGY_LINE_STRIP}, {"triangle_list", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
      {"triangle_strip", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP},
      {"triangle_fan", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN}};
   auto topo = topologies.find(dr_.get("topology", std::string("triangle_list")));
   if (topo == topologies.end())
      fail("unknown topology");
   topology_ = topo->second;

   samples_ = u32_of(dr_, "samples", 1, 1, 64);
   if (samples_ & (samples_ - 1))
      fail("\"samples\" is a power of two");
   if (const std::vector<uint32_t> views = views_of(dr_); !views.empty()) {
      view_mask_ = uint32_t(dr_.at("view_mask").integer());
      layers_ = views.back() + 1;
      VkPhysicalDeviceMultiviewProperties limits{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES};
      VkPhysicalDeviceProperties2 p2{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
      p2.pNext = &limits;
      vkGetPhysicalDeviceProperties2(d_.inst.phys, &p2);
      if (!d_.f11.multiview || layers_ > limits.maxMultiviewViewCount)
         fail("the device has " + std::to_string(limits.maxMultiviewViewCount) + " views at most");
      if (samples_ > 1)
         fail("views are drawn with one sample; drop \"samples\"");
      if (dr_.has("layers"))
         fail("a view is a layer; drop \"layers\" or \"view_mask\"");
   }
   sampling_.per_sample = asked("sample_shading");
   sampling_.alpha_to_coverage = asked("alpha_to_coverage");
   sampling_.alpha_to_one = asked("alpha_to_one");
   sampling_.mask = u32_of(dr_, "sample_mask", int64_t(~0u), 0, int64_t(~0u));
   if (sampling_.per_sample && !d_.features.sampleRateShading)
      fail("the device cannot shade each sample; drop \"sample_shading\"");
   if (sampling_.alpha_to_one && !d_.features.alphaToOne)
      fail("the device does not replace alpha by one; drop \"alpha_to_one\"");
}

// One triangle that covers the render target unless given.
inline std::string Draw::positions() const
{
   std::string pos;
   if (dr_.has("positions")) {
      for (auto &p : dr_.at("positions").a) {
         if (p.kind != Value::Array || p.a.size() != 4)
            fail("a position is four numbers");
         for (auto &x : p.a)
            put(pos, float(x.num()));
      }
   } else {
      for (float x : {-1.f, -1.f, 0.f, 1.f, 3.f, -1.f, 0.f, 1.f, -1.f, 3.f, 0.f, 1.f})
         put(pos, x);
   }
   if (pos.empty())
      fail("no positions");
   return pos;
}

inline const Value *Draw::given_input(uint32_t location, uint32_t component) const
{
   if (!dr_.has("inputs"))
      return nullptr;
   for (auto &v : dr_.at("inputs").a)
      if (v.get("location", int64_t(0)) == location && v.get("component", int64_t(0)) == component)
         return &v;
   return nullptr;
}

inline void Draw::attribute(uint32_t location, Base base, uint32_t comps, const std::string &data)
{
   Attr a{location, wide_format(base, comps), comps * 4, nullptr};
   if (data.size() != size_t(a.stride) * vertices_)
      fail("the input at location " + std::to_string(location) + " has " + std::to_string(data.size() / 4) +
           " values, " + std::to_string(comps * vertices_) + " needed (" + std::to_string(vertices_) + " vertices)");
   a.data = std::make_unique<Buffer>(d_, data.size());
   memcpy(a.data->map, data.data(), data.size());
   attrs_.push_back(std::move(a));
}

inline void Draw::callers_vertex_shader()
{
   reflect::Module vs = reflect::Module::load(j_.path(dr_.at("vertex_shader").str()).string());
   const reflect::EntryPoint *ep = nullptr;
   for (auto &e : vs.entries)
      if (e.model == spv::ExecutionModelVertex && (!ep || e.name == dr_.get("vertex_entry", std::string("main"))))
         ep = &e;
   if (!ep)
      fail("the vertex shader module has no vertex entry point");
   vs_entry_ = ep->name;
   reflect::Interface vio = vs.interface_of(*ep);
   for (auto &b : vio.bindings) {
      bool have = false;
      for (auto &x : j_.io_.bindings)
         have |= x.set == b.set && x.binding == b.binding;
      if (!have)
         fail("the vertex shader uses a resource the fragment shader does not");
   }
   for (auto &it : vio.inputs) {
      const Value *v = given_input(it.location, it.component);
      if (!v)
         fail("vertex input at location " + std::to_string(it.location) + " is not given");
      attribute(it.location, it.base, it.comps, j_.input_values(*v, it.base));
   }
   vm_ = vku::make_module(d_.handle, vs.words);
}

// A number for each vertex that the vertex shader hands on as a built-in. Returns how many there are to choose from.
inline uint32_t Draw::choice(const char *key, uint32_t most, spv::BuiltIn builtin, build::VertexBuiltIns &made)
{
   if (!dr_.has(key))
      return 1;
   std::string data;
   uint32_t count = 1;
   for (auto &v : dr_.at(key).a) {
      if (v.num() < 0 || v.num() >= most)
         fail(std::string("\"") + key + "\" are numbers below " + std::to_string(most));
      put(data, uint32_t(v.num()));
      count = std::max(count, uint32_t(v.num()) + 1);
   }
   made.chosen.push_back(builtin);
   attribute(uint32_t(attrs_.size()), Base::U, 1, data);
   return count;
}

// Distances of each vertex, vertex by vertex; an attribute for each of a vertex. Returns how many a vertex has.
inline uint32_t Draw::distances(const char *key)
{
   if (!dr_.has(key))
      return 0;
   const std::vector<Value> &all = dr_.at(key).a;
   const uint32_t count = uint32_t(all.size()) / vertices_;
   if (count == 0 || all.size() % vertices_)
      fail(std::string("\"") + key + "\" has no numbers for each vertex");
   for (uint32_t k = 0; k < count; k++) {
      std::string data;
      for (uint32_t v = 0; v < vertices_; v++)
         put(data, float(all[v * count + k].num()));
      attribute(uint32_t(attrs_.size()), Base::F, 1, data);
   }
   return count;
}

// Further outputs of the generated vertex shader, and the shader itself.
inline void Draw::built_ins()
{
   build::VertexBuiltIns made;
   if (!view_mask_)
      layers_ = choice("layers", 16, spv::BuiltInLayer, made);
   viewports_ = choice("viewports", 16, spv::BuiltInViewportIndex, made);
   if (layers_ > 1 && samples_ > 1)
      fail("several layers of several samples are not drawn");
   if (topology_ == VK_PRIMITIVE_TOPOLOGY_POINT_LIST)
      made.point_size = dr_.has("point_size") ? float(dr_.at("point_size").num()) : 1.0f;
   else if (dr_.has("point_size"))
      fail("\"point_size\" is for points");
   made.clip_distances = distances("clip_distances");
   made.cull_distances = distances("cull_distances");
   vm_ = vku::make_module(d_.handle, build::exact_vertex(items_, made));
}

// Vertex shader: generated around the fragment inputs, or the caller's.
inline void Draw::vertex_stage()
{
   const std::string pos = positions();
   vertices_ = uint32_t(pos.size() / 16);
   for (auto &i : j_.io_.inputs)
      if (!i.per_primitive)
         items_.push_back(i);
   if (dr_.has("vertex_shader")) {
      callers_vertex_shader();
   } else {
      for (uint32_t k = 0; k < items_.size(); k++) {
         const Value *v = given_input(items_[k].location, items_[k].component);
         if (!v)
            fail("input at location " + std::to_string(items_[k].location) + " component " +
                 std::to_string(items_[k].component) + " is not given");
         attribute(k, items_[k].base, items_[k].comps, j_.input_values(*v, items_[k].base));
      }
      attribute(uint32_t(items_.size()), Base::F, 4, pos);
      built_ins();
   }
   if (attrs_.size() > d_.inst.props.limits.maxVertexInputAttributes)
      fail("too many inputs");
}

inline std::unique_ptr<Image> Draw::target_image(const Format &f, VkImageUsageFlags usage) const
{
   return std::make_unique<Image>(d_, f, layers_ == 1 ? VK_IMAGE_VIEW_TYPE_2D : VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                                  VkExtent3D{w_, h_, 1}, 1, layers_, usage, samples_);
}

inline void Draw::add_target(Pass &p, uint32_t at, uint32_t location, uint32_t index, Base base)
{
   static const Format wide[3] = {{VK_FORMAT_R32G32B32A32_SFLOAT, 16, Elem::F32},
                                  {VK_FORMAT_R32G32B32A32_SINT, 16, Elem::I32},
                                  {VK_FORMAT_R32G32B32A32_UINT, 16, Elem::U32}};
   const Format &f = wide[int(base)];
   Target t{location, index, base, nullptr, nullptr};
   t.image = target_image(f, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
   t.back = std::make_unique<Readback>(d_, *t.image, f.vk, VK_IMAGE_ASPECT_COLOR_BIT, base, 4, samples_,
                                       layers_read());
   p.targets[at] = std::move(t);
}

inline void Draw::shader_pass()
{
   const reflect::Interface &io = j_.io_;
   Pass &p = passes_.emplace_back();
   uint32_t shift = 0;   // from the first sources of blending to the second
   bool dual = false;
   for (auto &o : io.outputs) {
      shift = std::max(shift, o.location + 1);
      dual |= o.index != 0;
   }
   for (auto &o : io.outputs) {
      const uint32_t at = o.location + (o.index ? shift : 0);
      if (at >= d_.inst.props.limits.maxColorAttachments)
         fail("colour output location out of range");
      add_target(p, at, o.location, o.index, o.base);
   }
   p.depth = io.writes_depth || asked("depth");
   p.stencil = io.writes_stencil;
   if (p.depth || p.stencil) {
      static const Format formats[2] = {{VK_FORMAT_D32_SFLOAT, 4, Elem::F32},
                                        {VK_FORMAT_D32_SFLOAT_S8_UINT, 8, Elem::U8}};
      const Format &f = formats[p.stencil];
      p.depth_stencil = target_image(
         f, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | (samples_ > 1 ? VK_IMAGE_USAGE_SAMPLED_BIT : 0));
      if (p.depth)
         p.depth_back = std::make_unique<Readback>(d_, *p.depth_stencil, f.vk, VK_IMAGE_ASPECT_DEPTH_BIT, Base::F, 1,
                                                   samples_, layers_read());
      if (p.stencil)
         p.stencil_back = std::make_unique<Readback>(d_, *p.depth_stencil, f.vk, VK_IMAGE_ASPECT_STENCIL_BIT, Base::U,
                                                     1, samples_, layers_read());
   }
   const VkSpecializationInfo spec{uint32_t(j_.spec_map_.size()), j_.spec_map_.data(), j_.spec_data_.size(),
                                   j_.spec_data_.data()};
   pipeline(p, dual ? edit::separate_dual_source(j_.m_.words, shift) : j_.m_.words, j_.ep_.name, sampling_, &spec);
}

inline void Draw::input_passes()
{
   // The copies interpolate where the shader does: at samples if it runs for each of them.
   Sampling s;
   s.per_sample = sampling_.per_sample || (samples_ > 1 && j_.m_.has(spv::CapabilitySampleRateShading));
   const size_t most = d_.inst.props.limits.maxColorAttachments;
   for (size_t at = 0; at < items_.size(); at += most) {
      std::vector<IoItem> part(items_.begin() + long(at), items_.begin() + long(std::min(items_.size(), at + most)));
      Pass &p = passes_.emplace_back();
      for (uint32_t k = 0; k < part.size(); k++)
         add_target(p, k, k, 0, part[k].base);
      pipeline(p, build::copy_fragment(part), "main", s, nullptr);
   }
}

inline void Draw::pipeline(Pass &p, const std::vector<uint32_t> &words, const std::string &entry, const Sampling &s,
                           const VkSpecializationInfo *spec)
{
   std::vector<VkFormat> formats(p.count(), VK_FORMAT_UNDEFINED);
   std::vector<VkPipelineColorBlendAttachmentState> blend(p.count());
   for (auto &[at, t] : p.targets) {
      formats[at] = wide_format(t.base, 4);
      blend[at].colorWriteMask = 0xf;
   }
   p.fm = vku::make_module(d_.handle, words);
   VkPipelineShaderStageCreateInfo st[2];
   for (auto &x : st)
      x = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
   st[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
   st[0].module = vm_;
   st[0].pName = vs_entry_.c_str();
   st[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
   st[1].module = p.fm;
   st[1].pName = entry.c_str();
   st[1].pSpecializationInfo = spec;
   std::vector<VkVertexInputBindingDescription> vb;
   std::vector<VkVertexInputAttributeDescription> va;
   for (uint32_t i = 0; i < attrs_.size(); i++) {
      vb.push_back({i, attrs_[i].stride, VK_VERTEX_INPUT_RATE_VERTEX});
      va.push_back({attrs_[i].location, i, attrs_[i].format, 0});
   }
   VkPipelineVertexInputStateCreateInfo vi{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
   vi.vertexBindingDescriptionCount = uint32_t(vb.size());
   vi.pVertexBindingDescriptions = vb.data();
   vi.vertexAttributeDescriptionCount = uint32_t(va.size());
   vi.pVertexAttributeDescriptions = va.data();
   VkPipelineInputAssemblyStateCreateInfo ia{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
   ia.topology = topology_;
   const std::vector<VkViewport> vp(viewports_, VkViewport{0, 0, float(w_), float(h_), 0, 1});
   const std::vector<VkRect2D> sc(viewports_, VkRect2D{{0, 0}, {w_, h_}});
   VkPipelineViewportStateCreateInfo vps{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
   vps.viewportCount = viewports_;
   vps.pViewports = vp.data();
   vps.scissorCount = viewports_;
   vps.pScissors = sc.data();
   VkPipelineRasterizationStateCreateInfo rs{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
   rs.cullMode = VK_CULL_MODE_NONE;
   rs.lineWidth = 1;
   VkPipelineMultisampleStateCreateInfo ms{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
   ms.rasterizationSamples = VkSampleCountFlagBits(samples_);
   ms.sampleShadingEnable = s.per_sample;
   ms.minSampleShading = 1;
   const VkSampleMask mask[2] = {s.mask, ~0u};
   ms.pSampleMask = mask;
   ms.alphaToCoverageEnable = s.alpha_to_coverage;
   ms.alphaToOneEnable = s.alpha_to_one;
   VkPipelineDepthStencilStateCreateInfo ds{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
   ds.depthTestEnable = ds.depthWriteEnable = p.depth;
   ds.depthCompareOp = VK_COMPARE_OP_ALWAYS;
   ds.stencilTestEnable = p.stencil;
   ds.front = {VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE, VK_COMPARE_OP_ALWAYS, 0xff, 0xff, 0};
   ds.back = ds.front;
   VkPipelineColorBlendStateCreateInfo cb{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
   cb.attachmentCount = p.count();
   cb.pAttachments = blend.data();
   VkPipelineRenderingCreateInfo ri{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
   ri.viewMask = view_mask_;
   ri.colorAttachmentCount = p.count();
   ri.pColorAttachmentFormats = formats.data();
   if (p.depth_stencil)
      ri.depthAttachmentFormat = p.stencil ? VK_FORMAT_D32_SFLOAT_S8_UINT : VK_FORMAT_D32_SFLOAT;
   if (p.stencil)
      ri.stencilAttachmentFormat = ri.depthAttachmentFormat;
   VkGraphicsPipelineCreateInfo ci{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
   ci.pNext = &ri;
   ci.stageCount = 2;
   ci.pStages = st;
   ci.pVertexInputState = &vi;
   ci.pInputAssemblyState = &ia;
   ci.pViewportState = &vps;
   ci.pRasterizationState = &rs;
   ci.pMultisampleState = &ms;
   ci.pDepthStencilState = &ds;
   ci.pColorBlendState = &cb;
   ci.layout = j_.layout_;
   p.pipe = vku::Pipeline(d_.handle);
   check(vkCreateGraphicsPipelines(d_.handle, VK_NULL_HANDLE, 1, &ci, nullptr, p.pipe.out()),
         "vkCreateGraphicsPipelines");
}

inline VkClearColorValue Draw::clear(Base base) const
{
   VkClearColorValue v{};
   if (!dr_.has("clear"))
      return v;
   const Value &c = dr_.at("clear");
   if (c.kind != Value::Array || c.a.size() != 4)
      fail("\"clear\" is four numbers");
   for (size_t i = 0; i < 4; i++) {
      if (base == Base::F)
         v.float32[i] = float(c.a[i].num());
      else
         v.int32[i] = int32_t(c.a[i].num());
   }
   return v;
}

inline void Draw::record(Pass &p)
{
   auto cleared = [&](const Image &image) {
      VkImageMemoryBarrier b = to_general(image);
      vkCmdPipelineBarrier(j_.cmd_, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                           nullptr, 0, nullptr, 1, &b);
      VkRenderingAttachmentInfo a{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
      a.imageView = image.view;
      a.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
      a.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
      return a;
   };
   // A render pass with views clears their layers alone.
   auto clear_layers = [&](const Image &image, const VkRenderingAttachmentInfo &a) {
      if (!view_mask_)
         return;
      const VkImageSubresourceRange all{image.aspect, 0, 1, 0, layers_};
      if (image.aspect == VK_IMAGE_ASPECT_COLOR_BIT)
         vkCmdClearColorImage(j_.cmd_, image.h, VK_IMAGE_LAYOUT_GENERAL, &a.clearValue.color, 1, &all);
      else
         vkCmdClearDepthStencilImage(j_.cmd_, image.h, VK_IMAGE_LAYOUT_GENERAL, &a.clearValue.depthStencil, 1, &all);
      j_.barrier();
   };
   std::vector<VkRenderingAttachmentInfo> att(p.count(), {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO});
   for (auto &[at, t] : p.targets) {
      att[at] = cleared(*t.image);
      if (&p == &passes_.front())
         att[at].clearValue.color = clear(t.base);
      clear_layers(*t.image, att[at]);
   }
   VkRenderingAttachmentInfo da;
   VkRenderingInfo ri{VK_STRUCTURE_TYPE_RENDERING_INFO};
   ri.renderArea = {{0, 0}, {w_, h_}};
   ri.layerCount = layers_;
   ri.viewMask = view_mask_;
   ri.colorAttachmentCount = p.count();
   ri.pColorAttachments = att.data();
   if (p.depth_stencil) {
      da = cleared(*p.depth_stencil);
      da.clearValue.depthStencil = {1.0f, 0};
      clear_layers(*p.depth_stencil, da);
      ri.pDepthAttachment = &da;
      ri.pStencilAttachment = p.stencil ? &da : nullptr;
   }
   vkCmdBeginRendering(j_.cmd_, &ri);
   vkCmdBindPipeline(j_.cmd_, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipe);
   j_.bind(VK_PIPELINE_BIND_POINT_GRAPHICS);
   for (uint32_t i = 0; i < attrs_.size(); i++) {
      VkDeviceSize zero = 0;
      vkCmdBindVertexBuffers(j_.cmd_, i, 1, &attrs_[i].data->h, &zero);
   }
   vkCmdDraw(j_.cmd_, vertices_, u32_of(dr_, "instances", 1, 1, 1 << 16), 0, 0);
   vkCmdEndRendering(j_.cmd_);
   j_.barrier();
   for (auto &[at, t] : p.targets)
      t.back->record(j_.cmd_);
   if (p.depth_back)
      p.depth_back->record(j_.cmd_);
   if (p.stencil_back)
      p.stencil_back->record(j_.cmd_);
}

// "out" of the draw is a prefix: PREFIX.color0, PREFIX.depth, PREFIX.in0.0
inline std::string Draw::emit_as(const std::string &suffix, Elem e, const std::string &data)
{
   Value v;
   v.kind = Value::Object;
   if (dr_.has("out")) {
      Value f;
      f.kind = Value::String;
      f.s = dr_.at("out").str() + "." + suffix;
      v.o["out"] = f;
   }
   return j_.emit(v, e, data.data(), data.size());
}

inline std::string Draw::result()
{
   const Pass &first = passes_.front();
   std::string o = ",\"width\":" + std::to_string(w_) + ",\"height\":" + std::to_string(h_) +
                   ",\"samples\":" + std::to_string(samples_) +
                   (view_mask_ ? ",\"layers\":" + std::to_string(layers_) : "") + ",\"colors\":[";
   for (auto &[at, t] : first.targets) {
      const std::string second = t.index ? "." + std::to_string(t.index) : "";
      o += (o.back() == '[' ? "" : ",");
      o += "{\"location\":" + std::to_string(t.location) + ",\"index\":" + std::to_string(t.index) + "," +
           emit_as("color" + std::to_string(t.location) + second, wide_elem(t.base), t.back->bytes()) + "}";
   }
   o += "]";
   if (first.depth_back)
      o += ",\"depth\":{" + emit_as("depth", Elem::F32, first.depth_back->bytes()) + "}";
   if (first.stencil_back)
      o += ",\"stencil\":{" + emit_as("stencil", Elem::U8, first.stencil_back->bytes()) + "}";
   if (!asked("interpolated"))
      return o;
   o += ",\"interpolated\":[";
   const size_t most = d_.inst.props.limits.maxColorAttachments;
   for (size_t k = 0; k < items_.size(); k++) {
      const IoItem &it = items_[k];
      const std::string wide = passes_[1 + k / most].targets.at(uint32_t(k % most)).back->bytes();
      std::string data;   // without the padding components
      for (size_t at = 0; at < wide.size(); at += 16)
         data.append(wide, at, it.comps * 4);
      o += (k ? "," : "");
      o += "{\"location\":" + std::to_string(it.location) + ",\"component\":" + std::to_string(it.component) +
           ",\"components\":" + std::to_string(it.comps) + ",\"flat\":" + (it.flat ? "true" : "false") + "," +
           emit_as("in" + std::to_string(it.location) + "." + std::to_string(it.component), wide_elem(it.base), data) +
           "}";
   }
   return o + "]";
}

inline std::string Draw::run()
{
   parameters();
   vertex_stage();
   shader_pass();
   if (asked("interpolated"))
      input_passes();
   j_.begin();
   for (Pass &p : passes_)
      record(p);
   j_.submit();
   return result();
}

}   // namespace lvp
