// One job on the device: its buffers, images and descriptors, and the command buffer it runs in. What
// the shader is, compute, fragment or vertex, is the affair of lvpexec.cpp, exec_draw.hpp and
// exec_vertex.hpp.
#pragma once

#include <memory>
#include <vector>

#include "exec_data.hpp"
#include "spirv_reflect.hpp"
#include "vkutil.hpp"

namespace lvp {

using reflect::Base;
using reflect::IoItem;
using reflect::Resource;
using vku::check;

// ---------------------------------------------------------------------------
// Vulkan objects

inline uint32_t memory_type(const vku::Device &d, uint32_t bits, VkMemoryPropertyFlags want)
{
   VkPhysicalDeviceMemoryProperties mp;
   vkGetPhysicalDeviceMemoryProperties(d.inst.phys, &mp);
   for (uint32_t i = 0; i < mp.memoryTypeCount; i++)
      if ((bits >> i & 1) && (mp.memoryTypes[i].propertyFlags & want) == want)
         return i;
   fail("no suitable memory type");
}

struct Buffer {
   VkDevice dev = VK_NULL_HANDLE;
   VkBuffer h = VK_NULL_HANDLE;
   VkDeviceMemory mem = VK_NULL_HANDLE;
   char *map = nullptr;
   size_t size = 0;

   Buffer(const Buffer &) = delete;
   Buffer &operator=(const Buffer &) = delete;
   Buffer(const vku::Device &d, size_t bytes, VkBufferUsageFlags extra = 0) : dev(d.handle), size(bytes)
   {
      if (!bytes)
         fail("a buffer cannot be empty");
      VkBufferCreateInfo ci{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
      ci.size = bytes;
      ci.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                 VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT | extra;
      VkMemoryAllocateFlagsInfo fi{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
      VkMemoryAllocateInfo ai{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
      if (d.f12.bufferDeviceAddress) {
         ci.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
         fi.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
         ai.pNext = &fi;
      }
      check(vkCreateBuffer(dev, &ci, nullptr, &h), "vkCreateBuffer");
      VkMemoryRequirements mr;
      vkGetBufferMemoryRequirements(dev, h, &mr);
      ai.allocationSize = mr.size;
      ai.memoryTypeIndex = memory_type(d, mr.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                                VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
      check(vkAllocateMemory(dev, &ai, nullptr, &mem), "vkAllocateMemory");
      check(vkBindBufferMemory(dev, h, mem, 0), "vkBindBufferMemory");
      void *p;
      check(vkMapMemory(dev, mem, 0, VK_WHOLE_SIZE, 0, &p), "vkMapMemory");
      map = static_cast<char *>(p);
      memset(map, 0, bytes);
   }
   ~Buffer()
   {
      if (mem)
         vkFreeMemory(dev, mem, nullptr);
      if (h)
         vkDestroyBuffer(dev, h, nullptr);
   }
   VkDeviceAddress address() const
   {
      VkBufferDeviceAddressInfo ai{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
      ai.buffer = h;
      return vkGetBufferDeviceAddress(dev, &ai);
   }
};

struct Image {
   VkDevice dev = VK_NULL_HANDLE;
   VkImage h = VK_NULL_HANDLE;
   VkDeviceMemory mem = VK_NULL_HANDLE;
   VkImageView view = VK_NULL_HANDLE;
   VkExtent3D extent{};
   uint32_t levels = 1, layers = 1, texel = 0;
   VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;

   Image(const Image &) = delete;
   Image &operator=(const Image &) = delete;
   Image(const vku::Device &d, const Format &f, VkImageViewType type, VkExtent3D e, uint32_t nlevels,
         uint32_t nlayers, VkImageUsageFlags usage, uint32_t samples = 1)
      : dev(d.handle), extent(e), levels(nlevels), layers(nlayers), texel(f.bytes)
   {
      if (f.vk == VK_FORMAT_D32_SFLOAT || f.vk == VK_FORMAT_D32_SFLOAT_S8_UINT)
         aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
      if (f.vk == VK_FORMAT_D32_SFLOAT_S8_UINT)
         aspect |= VK_IMAGE_ASPECT_STENCIL_BIT;
      VkImageCreateInfo ci{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
      bool cube = type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
      ci.flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
      ci.imageType = type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_1D_ARRAY ? VK_IMAGE_TYPE_1D
                     : type == VK_IMAGE_VIEW_TYPE_3D                                      ? VK_IMAGE_TYPE_3D
                                                                                          : VK_IMAGE_TYPE_2D;
      ci.format = f.vk;
      ci.extent = e;
      ci.mipLevels = levels;
      ci.arrayLayers = layers;
      ci.samples = VkSampleCountFlagBits(samples);
      ci.tiling = VK_IMAGE_TILING_OPTIMAL;
      ci.usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
      VkImageFormatProperties fp;
      VkResult r = vkGetPhysicalDeviceImageFormatProperties(d.inst.phys, ci.format, ci.imageType, ci.tiling,
                                                            ci.usage, ci.flags, &fp);
      if (r != VK_SUCCESS)
         fail("the device does not support this image (format, dimension and use)");
      if (!(fp.sampleCounts & samples))
         fail("the device has no images of " + std::to_string(samples) + " samples in this format; change \"samples\"");
      check(vkCreateImage(dev, &ci, nullptr, &h), "vkCreateImage");
      VkMemoryRequirements mr;
      vkGetImageMemoryRequirements(dev, h, &mr);
      VkMemoryAllocateInfo ai{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
      ai.allocationSize = mr.size;
      ai.memoryTypeIndex = memory_type(d, mr.memoryTypeBits, 0);
      check(vkAllocateMemory(dev, &ai, nullptr, &mem), "vkAllocateMemory");
      check(vkBindImageMemory(dev, h, mem, 0), "vkBindImageMemory");
      VkImageViewCreateInfo vi{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
      vi.image = h;
      vi.viewType = type;
      vi.format = f.vk;
      vi.subresourceRange = {aspect, 0, levels, 0, layers};
      check(vkCreateImageView(dev, &vi, nullptr, &view), "vkCreateImageView");
   }
   ~Image()
   {
      if (view)
         vkDestroyImageView(dev, view, nullptr);
      if (h)
         vkDestroyImage(dev, h, nullptr);
      if (mem)
         vkFreeMemory(dev, mem, nullptr);
   }
   // Tight layout: level by level, layer by layer, slices, rows, texels.
   std::vector<VkBufferImageCopy> regions(size_t *total = nullptr) const
   {
      std::vector<VkBufferImageCopy> r;
      size_t at = 0;
      for (uint32_t l = 0; l < levels; l++) {
         VkBufferImageCopy c{};
         c.bufferOffset = at;
         c.imageSubresource = {aspect, l, 0, layers};
         c.imageExtent = {std::max(1u, extent.width >> l), std::max(1u, extent.height >> l),
                          std::max(1u, extent.depth >> l)};
         at += size_t(texel) * c.imageExtent.width * c.imageExtent.height * c.imageExtent.depth * layers;
         r.push_back(c);
      }
      if (total)
         *total = at;
      return r;
   }
};

using Sampler = vku::Own<VkSampler, vkDestroySampler>;
using BufferView = vku::Own<VkBufferView, vkDestroyBufferView>;

// ---------------------------------------------------------------------------
// One job

struct Given {
   const Value *spec = nullptr;
   std::string label;
   bool bound = false;
   uint32_t set = 0, binding = 0, index = 0;
   Resource kind = Resource::StorageBuffer;
   const Format *format = nullptr;
   std::unique_ptr<Buffer> buffer;     // the buffer itself, or staging of an image
   std::unique_ptr<Image> image;
   Sampler sampler;
   BufferView view;
};

class Job {
public:
   Job(vku::Device &d, const Value &spec, fs::path base, const reflect::Module &m, const reflect::EntryPoint &ep)
      : d_(d), spec_(spec), base_(std::move(base)), m_(m), ep_(ep), io_(m.interface_of(ep))
   {
   }
   ~Job()
   {
      if (pool_)
         vkDestroyDescriptorPool(d_.handle, pool_, nullptr);
      if (cmds_)
         vkDestroyCommandPool(d_.handle, cmds_, nullptr);
      if (fence_)
         vkDestroyFence(d_.handle, fence_, nullptr);
   }
   std::string run();

private:
   friend class Draw;
   friend class Vertices;

   vku::Device &d_;
   const Value &spec_;
   fs::path base_;
   const reflect::Module &m_;
   const reflect::EntryPoint &ep_;
   reflect::Interface io_;
   std::vector<Given> given_;
   std::vector<vku::SetLayout> set_layouts_;
   vku::PipelineLayout layout_;
   VkDescriptorPool pool_ = VK_NULL_HANDLE;
   std::vector<VkDescriptorSet> sets_;
   VkCommandPool cmds_ = VK_NULL_HANDLE;
   VkCommandBuffer cmd_ = VK_NULL_HANDLE;
   VkFence fence_ = VK_NULL_HANDLE;
   std::string push_;
   std::vector<VkSpecializationMapEntry> spec_map_;
   std::string spec_data_;

   fs::path path(const std::string &p) const { return fs::path(p).is_absolute() ? fs::path(p) : base_ / p; }
   std::string bytes(const Value &v);
   std::string input_values(const Value &v, Base base);
   void create_resources();
   void make_image(Given &g);
   void make_sampler(Given &g);
   void fill_resources();
   void descriptors();
   void specialization();
   void begin();
   void submit();
   void barrier();
   void bind(VkPipelineBindPoint p);
   std::string compute();
   std::string emit(const Value &spec, Elem natural, const char *data, size_t n);
   std::string resources_json();
};

// The DATA notation: {"f32":[..]}, {"hex":".."}, {"file":".."}, {"zero":N},
// {"address":"name"}, or a list of those, one after the other.
inline std::string Job::bytes(const Value &v)
{
   std::string out;
   if (v.kind == Value::Array) {
      for (auto &x : v.a)
         out += bytes(x);
      return out;
   }
   if (v.kind != Value::Object || v.o.size() != 1)
      fail("data must be an object with one key, or a list of such objects");
   const auto &[key, val] = *v.o.begin();
   if (auto e = elem_of(key)) {
      if (val.kind == Value::Array) {
         for (auto &x : val.a)
            put_number(out, *e, x);
      } else {
         put_number(out, *e, val);
      }
      return out;
   }
   if (key == "hex") {
      std::string digits;
      for (char c : val.str())
         if (!isspace((unsigned char)c))
            digits += c;
      if (digits.size() % 2 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
         fail("bad hexadecimal data");
      for (size_t i = 0; i < digits.size(); i += 2)
         out += char(strtoul(digits.substr(i, 2).c_str(), nullptr, 16));
      return out;
   }
   if (key == "file")
      return slurp(path(val.str()));
   if (key == "zero") {
      int64_t n = val.integer();
      if (n < 0 || n > (int64_t(1) << 32))
         fail("bad size in \"zero\"");
      return std::string(size_t(n), '\0');
   }
   if (key == "address") {
      for (auto &g : given_) {
         if (g.label != val.str())
            continue;
         if (!d_.f12.bufferDeviceAddress)
            fail("the device has no buffer addresses");
         // Sizes are computed before buffers exist: the value comes later.
         put(out, g.buffer && !g.image ? uint64_t(g.buffer->address()) : uint64_t(0));
         return out;
      }
      fail("no resource is named \"" + val.str() + "\"");
   }
   fail("unknown kind of data \"" + key + "\"");
}

// Values of an input of a vertex shader: an object with "f32", "i32" or "u32".
inline std::string Job::input_values(const Value &v, Base base)
{
   for (auto &[k, x] : v.o) {
      auto e = elem_of(k);
      if (!e)
         continue;
      if (elem_size(*e) != 4)
         fail("inputs are f32, i32 or u32");
      Value one;
      one.kind = Value::Object;
      one.o[k] = x;
      if ((*e == Elem::F32) != (base == Base::F))
         fail("an input's values do not have the shader's type");
      return bytes(one);
   }
   fail("an input has no values");
}

inline uint32_t u32_of(const Value &v, const char *key, int64_t def, int64_t lo, int64_t hi)
{
   int64_t x = v.get(key, def);
   if (x < lo || x > hi)
      fail(std::string("\"") + key + "\" must be between " + std::to_string(lo) + " and " + std::to_string(hi));
   return uint32_t(x);
}

// The views of a "view_mask", ascending.
inline std::vector<uint32_t> views_of(const Value &v)
{
   std::vector<uint32_t> views;
   const uint32_t mask = u32_of(v, "view_mask", 0, 0, int64_t(~0u));
   for (uint32_t view = 0; view < 32; view++)
      if (mask >> view & 1)
         views.push_back(view);
   return views;
}

inline void Job::make_image(Given &g)
{
   const Value &v = *g.spec;
   g.format = &format_of(v.at("format").str());
   std::string dim = v.get("dim", std::string("2d"));
   static const std::map<std::string, VkImageViewType> dims{
      {"1d", VK_IMAGE_VIEW_TYPE_1D}, {"2d", VK_IMAGE_VIEW_TYPE_2D}, {"3d", VK_IMAGE_VIEW_TYPE_3D},
      {"cube", VK_IMAGE_VIEW_TYPE_CUBE}, {"1d_array", VK_IMAGE_VIEW_TYPE_1D_ARRAY},
      {"2d_array", VK_IMAGE_VIEW_TYPE_2D_ARRAY}, {"cube_array", VK_IMAGE_VIEW_TYPE_CUBE_ARRAY}};
   auto it = dims.find(dim);
   if (it == dims.end())
      fail("unknown \"dim\": " + dim);
   VkExtent3D e{u32_of(v, "width", 1, 1, 16384), u32_of(v, "height", 1, 1, 16384), u32_of(v, "depth", 1, 1, 2048)};
   uint32_t def_layers = dim == "cube" ? 6 : 1;
   uint32_t layers = u32_of(v, "layers", def_layers, 1, 2048);
   uint32_t levels = u32_of(v, "levels", 1, 1, 15);
   VkImageUsageFlags use = g.kind == Resource::StorageImage     ? VK_IMAGE_USAGE_STORAGE_BIT
                           : g.kind == Resource::InputAttachment ? VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT
                                                                 : VK_IMAGE_USAGE_SAMPLED_BIT;
   g.image = std::make_unique<Image>(d_, *g.format, it->second, e, levels, layers, use);
   size_t total;
   g.image->regions(&total);
   g.buffer = std::make_unique<Buffer>(d_, total);
}

inline void Job::make_sampler(Given &g)
{
   const Value &v = *g.spec;
   auto filter = [&](const char *key, const std::string &def) {
      std::string s = v.get(key, def);
      if (s != "nearest" && s != "linear")
         fail(std::string("\"") + key + "\" must be nearest or linear");
      return s == "linear";
   };
   static const std::map<std::string, VkSamplerAddressMode> modes{
      {"repeat", VK_SAMPLER_ADDRESS_MODE_REPEAT}, {"mirror", VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT},
      {"clamp", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE}, {"border", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER}};
   static const std::map<std::string, VkCompareOp> compares{
      {"never", VK_COMPARE_OP_NEVER}, {"less", VK_COMPARE_OP_LESS}, {"equal", VK_COMPARE_OP_EQUAL},
      {"less_equal", VK_COMPARE_OP_LESS_OR_EQUAL}, {"greater", VK_COMPARE_OP_GREATER},
      {"not_equal", VK_COMPARE_OP_NOT_EQUAL}, {"greater_equal", VK_COMPARE_OP_GREATER_OR_EQUAL},
      {"always", VK_COMPARE_OP_ALWAYS}};
   static const std::map<std::string, VkBorderColor> borders{
      {"transparent", VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK}, {"black", VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK},
      {"white", VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE}};
   auto pick = [](const auto &table, const std::string &name, const char *what) {
      auto it = table.find(name);
      if (it == table.end())
         fail(std::string("unknown ") + what + " \"" + name + "\"");
      return it->second;
   };

   VkSamplerCreateInfo ci{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
   bool linear = filter("filter", "nearest");
   ci.magFilter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
   ci.minFilter = ci.magFilter;
   ci.mipmapMode = filter("mipmap", "nearest") ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST;
   std::string a = v.get("address", std::string("clamp"));
   ci.addressModeU = ci.addressModeV = ci.addressModeW = pick(modes, a, "address mode");
   ci.borderColor = pick(borders, v.get("border", std::string("transparent")), "border colour");
   ci.minLod = v.has("min_lod") ? float(v.at("min_lod").num()) : 0.0f;
   ci.maxLod = v.has("max_lod") ? float(v.at("max_lod").num()) : VK_LOD_CLAMP_NONE;
   ci.mipLodBias = v.has("lod_bias") ? float(v.at("lod_bias").num()) : 0.0f;
   if (v.has("compare")) {
      ci.compareEnable = VK_TRUE;
      ci.compareOp = pick(compares, v.at("compare").str(), "comparison");
   }
   if (v.has("unnormalized") && v.at("unnormalized").boolean()) {
      ci.unnormalizedCoordinates = VK_TRUE;
      ci.maxLod = ci.minLod = 0.0f;
   }
   g.sampler = Sampler(d_.handle);
   check(vkCreateSampler(d_.handle, &ci, nullptr, g.sampler.out()), "vkCreateSampler");
}

inline void Job::create_resources()
{
   if (!spec_.has("resources"))
      return;
   const Value &list = spec_.at("resources");
   if (list.kind != Value::Array)
      fail("\"resources\" must be a list");
   given_.resize(list.a.size());
   for (size_t i = 0; i < list.a.size(); i++) {
      Given &g = given_[i];
      g.spec = &list.a[i];
      g.label = g.spec->get("name", std::string());
   }
   for (Given &g : given_) {
      const Value &v = *g.spec;
      std::string what;
      if (v.has("binding")) {
         g.bound = true;
         g.set = u32_of(v, "set", 0, 0, 1024);
         g.binding = u32_of(v, "binding", 0, 0, 1 << 20);
         g.index = u32_of(v, "index", 0, 0, 1 << 20);
         what = "set " + std::to_string(g.set) + " binding " + std::to_string(g.binding);
         const reflect::Binding *b = nullptr;
         for (auto &x : io_.bindings)
            if (x.set == g.set && x.binding == g.binding)
               b = &x;
         if (!b)
            fail(what + " is not used by the shader");
         if (!b->runtime_array && g.index >= b->count)
            fail(what + " has only " + std::to_string(b->count) + " elements");
         g.kind = b->kind;
      } else {
         if (g.label.empty())
            fail("a resource needs \"binding\" or \"name\"");
         what = "resource " + g.label;
      }
      switch (g.kind) {
      case Resource::SampledImage: case Resource::StorageImage: case Resource::InputAttachment:
         make_image(g);
         break;
      case Resource::CombinedImageSampler:
         make_image(g);
         make_sampler(g);
         break;
      case Resource::Sampler:
         make_sampler(g);
         break;
      case Resource::AccelerationStructure:
         fail("acceleration structures are not supported");
      default: {
         size_t n = v.has("data") ? bytes(v.at("data")).size() : 0;
         if (v.has("size"))
            n = std::max(n, size_t(u32_of(v, "size", 0, 1, int64_t(1) << 31)));
         for (auto &x : io_.bindings)
            if (g.bound && x.set == g.set && x.binding == g.binding && n < x.block_size)
               fail(what + ": the block needs " + std::to_string(x.block_size) + " bytes, " + std::to_string(n) +
                    " given");
         if (!n)
            fail(what + ": give \"data\" or \"size\"");
         g.buffer = std::make_unique<Buffer>(d_, n);
         if (g.kind == Resource::UniformTexelBuffer || g.kind == Resource::StorageTexelBuffer) {
            g.format = &format_of(v.at("format").str());
            VkBufferViewCreateInfo vi{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
            vi.buffer = g.buffer->h;
            vi.format = g.format->vk;
            vi.range = VK_WHOLE_SIZE;
            g.view = BufferView(d_.handle);
            check(vkCreateBufferView(d_.handle, &vi, nullptr, g.view.out()), "vkCreateBufferView");
         }
      }
      }
   }
}

inline void Job::fill_resources()
{
   for (Given &g : given_) {
      if (!g.buffer || !g.spec->has("data"))
         continue;
      std::string b = bytes(g.spec->at("data"));
      if (g.image && b.size() != g.buffer->size)
         fail("image data has " + std::to_string(b.size()) + " bytes, the image needs " +
              std::to_string(g.buffer->size));
      memcpy(g.buffer->map, b.data(), std::min(b.size(), g.buffer->size));
   }
   if (spec_.has("push"))
      push_ = bytes(spec_.at("push"));
   if (push_.size() < io_.push_size)
      fail("the shader uses " + std::to_string(io_.push_size) + " bytes of push constants, " +
           std::to_string(push_.size()) + " given");
   push_.resize((push_.size() + 3) & ~size_t(3), '\0');
   if (push_.size() > d_.inst.props.limits.maxPushConstantsSize)
      fail("too many push constants");
}

inline void Job::descriptors()
{
   uint32_t nsets = 0;
   for (auto &b : io_.bindings)
      nsets = std::max(nsets, b.set + 1);
   if (nsets > d_.inst.props.limits.maxBoundDescriptorSets)
      fail("too many descriptor sets");
   std::map<VkDescriptorType, uint32_t> sizes;
   std::vector<VkDescriptorSetLayout> raw;
   std::map<std::pair<uint32_t, uint32_t>, uint32_t> counts;
   for (uint32_t s = 0; s < nsets; s++) {
      std::vector<VkDescriptorSetLayoutBinding> lb;
      for (auto &b : io_.bindings) {
         if (b.set != s)
            continue;
         uint32_t n = b.count;
         if (b.runtime_array) {
            n = 1;
            for (auto &g : given_)
               if (g.bound && g.set == s && g.binding == b.binding)
                  n = std::max(n, g.index + 1);
         }
         counts[{s, b.binding}] = n;
         VkDescriptorSetLayoutBinding x{};
         x.binding = b.binding;
         x.descriptorType = vku::descriptor_type(b.kind);
         x.descriptorCount = n;
         x.stageFlags = VK_SHADER_STAGE_ALL;
         lb.push_back(x);
         sizes[x.descriptorType] += n;
      }
      VkDescriptorSetLayoutCreateInfo ci{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
      ci.bindingCount = uint32_t(lb.size());
      ci.pBindings = lb.data();
      set_layouts_.emplace_back(d_.handle);
      check(vkCreateDescriptorSetLayout(d_.handle, &ci, nullptr, set_layouts_.back().out()),
            "vkCreateDescriptorSetLayout");
      raw.push_back(set_layouts_.back());
   }
   VkPushConstantRange pc{VK_SHADER_STAGE_ALL, 0, uint32_t(push_.size())};
   VkPipelineLayoutCreateInfo li{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
   li.setLayoutCount = nsets;
   li.pSetLayouts = raw.data();
   li.pushConstantRangeCount = push_.empty() ? 0 : 1;
   li.pPushConstantRanges = &pc;
   layout_ = vku::PipelineLayout(d_.handle);
   check(vkCreatePipelineLayout(d_.handle, &li, nullptr, layout_.out()), "vkCreatePipelineLayout");
   if (!nsets)
      return;

   std::vector<VkDescriptorPoolSize> ps;
   for (auto &[t, n] : sizes)
      ps.push_back({t, n});
   VkDescriptorPoolCreateInfo pi{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
   pi.maxSets = nsets;
   pi.poolSizeCount = uint32_t(ps.size());
   pi.pPoolSizes = ps.data();
   check(vkCreateDescriptorPool(d_.handle, &pi, nullptr, &pool_), "vkCreateDescriptorPool");
   VkDescriptorSetAllocateInfo ai{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
   ai.descriptorPool = pool_;
   ai.descriptorSetCount = nsets;
   ai.pSetLayouts = raw.data();
   sets_.resize(nsets);
   check(vkAllocateDescriptorSets(d_.handle, &ai, sets_.data()), "vkAllocateDescriptorSets");

   for (auto &b : io_.bindings) {
      const uint32_t n = counts[{b.set, b.binding}];
      for (uint32_t i = 0; i < n; i++) {
         // An array element that is not given repeats the first one given.
         Given *g = nullptr;
         for (auto &x : given_)
            if (x.bound && x.set == b.set && x.binding == b.binding && (!g || x.index == i))
               g = &x;
         if (!g)
            fail("set " + std::to_string(b.set) + " binding " + std::to_string(b.binding) +
                 (b.name.empty() ? "" : " (" + b.name + ")") + " is used by the shader but not given");
         VkDescriptorBufferInfo bi{};
         VkDescriptorImageInfo ii{};
         VkBufferView bv = g->view;
         VkWriteDescriptorSet w{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
         w.dstSet = sets_[b.set];
         w.dstBinding = b.binding;
         w.dstArrayElement = i;
         w.descriptorCount = 1;
         w.descriptorType = vku::descriptor_type(b.kind);
         if (g->image || g->sampler) {
            ii.imageView = g->image ? g->image->view : VK_NULL_HANDLE;
            ii.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
            ii.sampler = g->sampler;
            w.pImageInfo = &ii;
         } else if (bv) {
            w.pTexelBufferView = &bv;
         } else {
            bi.buffer = g->buffer->h;
            bi.range = VK_WHOLE_SIZE;
            w.pBufferInfo = &bi;
         }
         vkUpdateDescriptorSets(d_.handle, 1, &w, 0, nullptr);
      }
   }
}

inline void Job::specialization()
{
   if (!spec_.has("spec"))
      return;
   for (auto &[id, v] : spec_.at("spec").o) {
      char *e;
      unsigned long n = strtoul(id.c_str(), &e, 10);
      if (id.empty() || *e)
         fail("\"spec\" keys are constant ids");
      std::string b;
      if (v.kind == Value::Bool)
         put(b, uint32_t(v.b));
      else
         b = bytes(v);
      spec_map_.push_back({uint32_t(n), uint32_t(spec_data_.size()), b.size()});
      spec_data_ += b;
   }
}

inline void Job::begin()
{
   VkCommandPoolCreateInfo pi{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
   pi.queueFamilyIndex = d_.family;
   check(vkCreateCommandPool(d_.handle, &pi, nullptr, &cmds_), "vkCreateCommandPool");
   VkCommandBufferAllocateInfo ai{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
   ai.commandPool = cmds_;
   ai.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
   ai.commandBufferCount = 1;
   check(vkAllocateCommandBuffers(d_.handle, &ai, &cmd_), "vkAllocateCommandBuffers");
   VkFenceCreateInfo fi{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   check(vkCreateFence(d_.handle, &fi, nullptr, &fence_), "vkCreateFence");
   VkCommandBufferBeginInfo bi{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   bi.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
   check(vkBeginCommandBuffer(cmd_, &bi), "vkBeginCommandBuffer");

   for (Given &g : given_) {
      if (!g.image)
         continue;
      VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
      b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
      b.newLayout = VK_IMAGE_LAYOUT_GENERAL;
      b.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
      b.image = g.image->h;
      b.subresourceRange = {g.image->aspect, 0, g.image->levels, 0, g.image->layers};
      vkCmdPipelineBarrier(cmd_, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                           nullptr, 1, &b);
      auto r = g.image->regions();
      vkCmdCopyBufferToImage(cmd_, g.buffer->h, g.image->h, VK_IMAGE_LAYOUT_GENERAL, uint32_t(r.size()), r.data());
   }
   barrier();
}

inline void Job::barrier()
{
   VkMemoryBarrier b{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
   b.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
   b.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
   vkCmdPipelineBarrier(cmd_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &b, 0, nullptr, 0,
                        nullptr);
}

inline void Job::bind(VkPipelineBindPoint p)
{
   if (!sets_.empty())
      vkCmdBindDescriptorSets(cmd_, p, layout_, 0, uint32_t(sets_.size()), sets_.data(), 0, nullptr);
   if (!push_.empty())
      vkCmdPushConstants(cmd_, layout_, VK_SHADER_STAGE_ALL, 0, uint32_t(push_.size()), push_.data());
}

inline void Job::submit()
{
   barrier();
   for (Given &g : given_) {
      if (!g.image)
         continue;
      auto r = g.image->regions();
      vkCmdCopyImageToBuffer(cmd_, g.image->h, VK_IMAGE_LAYOUT_GENERAL, g.buffer->h, uint32_t(r.size()), r.data());
   }
   barrier();
   check(vkEndCommandBuffer(cmd_), "vkEndCommandBuffer");
   VkSubmitInfo si{VK_STRUCTURE_TYPE_SUBMIT_INFO};
   si.commandBufferCount = 1;
   si.pCommandBuffers = &cmd_;
   check(vkQueueSubmit(d_.queue, 1, &si, fence_), "vkQueueSubmit");
   check(vkWaitForFences(d_.handle, 1, &fence_, VK_TRUE, UINT64_MAX), "vkWaitForFences");
}

// "out": a file for the raw bytes; otherwise the numbers go into the answer.
inline std::string Job::emit(const Value &spec, Elem natural, const char *data, size_t n)
{
   std::string o = "\"bytes\":" + std::to_string(n);
   if (spec.has("out")) {
      fs::path p = path(spec.at("out").str());
      spill(p, std::string(data, n));
      return o + ",\"file\":" + json::quote(p.string());
   }
   std::string as = spec.get("as", std::string(elem_name(natural)));
   if (as == "hex") {
      std::string h;
      char b[3];
      for (size_t i = 0; i < n; i++) {
         snprintf(b, sizeof b, "%02x", (unsigned char)data[i]);
         h += b;
      }
      return o + ",\"hex\":\"" + h + "\"";
   }
   auto e = elem_of(as);
   if (!e)
      fail("unknown \"as\": " + as);
   return o + ",\"" + as + "\":" + numbers(*e, data, n);
}

inline std::string Job::resources_json()
{
   std::string o = "[";
   for (Given &g : given_) {
      // Things a shader can write, and whatever was asked for.
      bool written = g.kind == Resource::StorageBuffer || g.kind == Resource::StorageImage ||
                     g.kind == Resource::StorageTexelBuffer;
      if (!g.buffer || !(written || g.spec->has("out") || g.spec->has("as")))
         continue;
      if (o.size() > 1)
         o += ",";
      o += "{";
      if (!g.label.empty())
         o += "\"name\":" + json::quote(g.label) + ",";
      if (g.bound)
         o += "\"set\":" + std::to_string(g.set) + ",\"binding\":" + std::to_string(g.binding) +
              ",\"index\":" + std::to_string(g.index) + ",";
      o += emit(*g.spec, g.format ? g.format->elem : Elem::U32, g.buffer->map, g.buffer->size) + "}";
   }
   return o + "]";
}

// Formats of vertex attributes and colour targets that round nothing.
inline VkFormat wide_format(Base b, uint32_t comps)
{
   static const VkFormat t[3][4] = {
      {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT},
      {VK_FORMAT_R32_SINT, VK_FORMAT_R32G32_SINT, VK_FORMAT_R32G32B32_SINT, VK_FORMAT_R32G32B32A32_SINT},
      {VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32_UINT, VK_FORMAT_R32G32B32A32_UINT}};
   return t[int(b)][comps - 1];
}

inline Elem wide_elem(Base b)
{
   return b == Base::F ? Elem::F32 : b == Base::I ? Elem::I32 : Elem::U32;
}

}   // namespace lvp
