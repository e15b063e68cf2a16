// Runs a vertex shader and returns all that it writes, of every vertex and instance.
//
// Each vertex is a point, rasterization is off, and the outputs are captured by transform feedback from a
// copy of the module that says where to. So they come as the shader made them: before clipping and
// division, in their own types. 16-bit and 64-bit outputs and attributes are refused. Views are drawn one
// by one from copies that have the number of the view in place of ViewIndex: multiview itself, which
// transform feedback excludes, is for "draw".
#pragma once

#include "exec_job.hpp"
#include "spirv_edit.hpp"

namespace lvp {

class Vertices {
public:
   explicit Vertices(Job &job) : j_(job), d_(job.d_), v_(job.spec_.at("vertices")) {}
   std::string run();

private:
   struct Attribute {
      uint32_t location;
      VkFormat format;
      uint32_t stride;
      VkVertexInputRate rate;
      std::unique_ptr<Buffer> data;
   };

   Job &j_;
   vku::Device &d_;
   const Value &v_;
   uint32_t count_ = 0, instances_ = 1, first_vertex_ = 0, first_instance_ = 0;
   int32_t vertex_offset_ = 0;
   std::vector<uint32_t> indices_;
   uint64_t vertices_read_ = 0;          // of each attribute
   std::vector<Attribute> attributes_;
   std::vector<reflect::Output> outputs_;
   std::vector<edit::Place> places_;
   std::vector<uint32_t> strides_;
   std::vector<uint32_t> views_;
   std::vector<std::vector<std::unique_ptr<Buffer>>> captured_;   // by view
   vku::Pipeline pipe_;

   void parameters();
   void attributes();
   void places();
   void pipeline(uint32_t view);
   void draw();
   std::string result();
};

inline const char *output_builtin(uint32_t builtin)
{
   switch (builtin) {
   case spv::BuiltInPosition: return "position";
   case spv::BuiltInPointSize: return "point_size";
   case spv::BuiltInClipDistance: return "clip_distance";
   case spv::BuiltInCullDistance: return "cull_distance";
   case spv::BuiltInLayer: return "layer";
   case spv::BuiltInViewportIndex: return "viewport";
   default: return nullptr;
   }
}

inline void Vertices::parameters()
{
   constexpr int64_t most = 1 << 20;
   instances_ = u32_of(v_, "instances", 1, 1, 1 << 16);
   views_ = views_of(v_);
   if (views_.empty())
      views_ = {0};
   first_instance_ = u32_of(v_, "first_instance", 0, 0, most);
   if (!v_.has("indices")) {
      if (v_.has("vertex_offset"))
         fail("\"vertex_offset\" is added to \"indices\"; give these, or \"first_vertex\" instead");
      count_ = u32_of(v_, "count", 0, 1, most);
      first_vertex_ = u32_of(v_, "first_vertex", 0, 0, most);
      vertices_read_ = uint64_t(first_vertex_) + count_;
      return;
   }
   if (v_.has("count") || v_.has("first_vertex"))
      fail("\"indices\" say how many vertices there are and which; drop \"count\" and \"first_vertex\"");
   vertex_offset_ = int32_t(v_.get("vertex_offset", int64_t(0)));
   for (auto &x : v_.at("indices").a) {
      const int64_t index = x.integer(), vertex = index + vertex_offset_;
      if (index < 0 || index > most || vertex < 0)
         fail("\"indices\" are whole numbers from 0 on, also after \"vertex_offset\" is added");
      indices_.push_back(uint32_t(index));
      vertices_read_ = std::max(vertices_read_, uint64_t(vertex) + 1);
   }
   count_ = uint32_t(indices_.size());
   if (!count_)
      fail("\"indices\" is a list of at least one vertex");
}

// One attribute for each location: inputs that share one are components of the same attribute.
inline void Vertices::attributes()
{
   std::map<uint32_t, IoItem> at;
   for (auto &i : j_.io_.inputs) {
      if (i.bits != 32)
         fail("the input at location " + std::to_string(i.location) + " has " + std::to_string(i.bits) +
              "-bit components; only 32-bit inputs can be given");
      IoItem &x = at.emplace(i.location, i).first->second;
      if (x.base != i.base)
         fail("inputs of different types share location " + std::to_string(i.location));
      x.comps = std::max(x.comps, i.component + i.comps);
   }
   if (at.size() > d_.inst.props.limits.maxVertexInputBindings)
      fail("the device has only " + std::to_string(d_.inst.props.limits.maxVertexInputBindings) + " vertex attributes");
   for (auto &[location, item] : at) {
      const Value *given = nullptr;
      if (v_.has("inputs"))
         for (auto &x : v_.at("inputs").a)
            if (x.get("location", int64_t(0)) == location)
               given = &x;
      if (!given)
         fail("the input at location " + std::to_string(location) + " is not given; add it to \"inputs\"");
      const std::string rate = given->get("rate", std::string("vertex"));
      if (rate != "vertex" && rate != "instance")
         fail("\"rate\" is vertex or instance");
      const std::string data = j_.input_values(*given, item.base);
      Attribute a{location, wide_format(item.base, item.comps), item.comps * 4,
                  rate == "vertex" ? VK_VERTEX_INPUT_RATE_VERTEX : VK_VERTEX_INPUT_RATE_INSTANCE, nullptr};
      const uint64_t need = rate == "vertex" ? vertices_read_ : uint64_t(first_instance_) + instances_;
      if (data.size() < need * a.stride)
         fail("the input at location " + std::to_string(location) + " has " + std::to_string(data.size() / 4) +
              " values, " + std::to_string(need * item.comps) + " needed (" + std::to_string(item.comps) + " for each " +
              rate + ")");
      a.data = std::make_unique<Buffer>(d_, data.size());
      memcpy(a.data->map, data.data(), data.size());
      attributes_.push_back(std::move(a));
   }
}

// Lays the outputs out one after the other, in as few buffers as the device's limits allow.
inline void Vertices::places()
{
   if (!d_.transform_feedback)
      fail("the device has no transform feedback, by which outputs are returned");
   if (j_.m_.has(spv::CapabilityTransformFeedback))
      fail("the module uses transform feedback itself; compile it without");
   VkPhysicalDeviceTransformFeedbackPropertiesEXT limits{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT};
   VkPhysicalDeviceProperties2 p2{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
   p2.pNext = &limits;
   vkGetPhysicalDeviceProperties2(d_.inst.phys, &p2);

   outputs_ = j_.m_.vertex_outputs(j_.ep_);
   for (auto &o : outputs_) {
      uint32_t bytes = 0;
      if (o.builtin && !output_builtin(*o.builtin))
         fail("the built-in output " + std::to_string(*o.builtin) + " cannot be returned; do not write it");
      for (auto &i : o.items) {
         if (i.bits != 32)
            fail("the output at location " + std::to_string(i.location) + " has " + std::to_string(i.bits) +
                 "-bit components; only 32-bit outputs can be returned");
         bytes += i.comps * 4;
      }
      const uint32_t room = std::min(limits.maxTransformFeedbackBufferDataSize,
                                     limits.maxTransformFeedbackBufferDataStride);
      if (strides_.empty() || strides_.back() + bytes > room)
         strides_.push_back(0);
      if (bytes > room || strides_.size() > limits.maxTransformFeedbackBuffers)
         fail("the device cannot capture outputs of that size; write fewer of them");
      places_.push_back({uint32_t(strides_.size() - 1), strides_.back()});
      strides_.back() += bytes;
   }
   if (outputs_.empty())
      fail("the vertex shader writes no outputs");
}

inline void Vertices::pipeline(uint32_t view)
{
   vku::ShaderModule sm = vku::make_module(
      d_.handle, edit::capture(edit::with_view(j_.m_.words, view), j_.ep_.function, outputs_, places_, strides_));
   const VkSpecializationInfo spec{uint32_t(j_.spec_map_.size()), j_.spec_map_.data(), j_.spec_data_.size(),
                                   j_.spec_data_.data()};
   VkPipelineShaderStageCreateInfo st{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
   st.stage = VK_SHADER_STAGE_VERTEX_BIT;
   st.module = sm;
   st.pName = j_.ep_.name.c_str();
   st.pSpecializationInfo = &spec;
   std::vector<VkVertexInputBindingDescription> vb;
   std::vector<VkVertexInputAttributeDescription> va;
   for (uint32_t i = 0; i < attributes_.size(); i++) {
      vb.push_back({i, attributes_[i].stride, attributes_[i].rate});
      va.push_back({attributes_[i].location, i, attributes_[i].format, 0});
   }
   VkPipelineVertexInputStateCreateInfo vi{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
   vi.vertexBindingDescriptionCount = uint32_t(vb.size());
   vi.pVertexBindingDescriptions = vb.data();
   vi.vertexAttributeDescriptionCount = uint32_t(va.size());
   vi.pVertexAttributeDescriptions = va.data();
   VkPipelineInputAssemblyStateCreateInfo ia{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
   ia.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
   VkPipelineRasterizationStateCreateInfo rs{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
   rs.rasterizerDiscardEnable = VK_TRUE;
   rs.lineWidth = 1;
   VkPipelineRenderingCreateInfo ri{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
   VkGraphicsPipelineCreateInfo ci{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
   ci.pNext = &ri;
   ci.stageCount = 1;
   ci.pStages = &st;
   ci.pVertexInputState = &vi;
   ci.pInputAssemblyState = &ia;
   ci.pRasterizationState = &rs;
   ci.layout = j_.layout_;
   pipe_ = vku::Pipeline(d_.handle);
   check(vkCreateGraphicsPipelines(d_.handle, VK_NULL_HANDLE, 1, &ci, nullptr, pipe_.out()),
         "vkCreateGraphicsPipelines");
}

inline void Vertices::draw()
{
   auto bind = d_.proc<PFN_vkCmdBindTransformFeedbackBuffersEXT>("vkCmdBindTransformFeedbackBuffersEXT");
   auto start = d_.proc<PFN_vkCmdBeginTransformFeedbackEXT>("vkCmdBeginTransformFeedbackEXT");
   auto stop = d_.proc<PFN_vkCmdEndTransformFeedbackEXT>("vkCmdEndTransformFeedbackEXT");
   std::vector<VkBuffer> buffers;
   std::vector<std::unique_ptr<Buffer>> &captured = captured_.emplace_back();
   for (uint32_t stride : strides_) {
      captured.push_back(std::make_unique<Buffer>(d_, size_t(stride) * count_ * instances_,
                                                  VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT));
      buffers.push_back(captured.back()->h);
   }
   const std::vector<VkDeviceSize> zeros(std::max(buffers.size(), attributes_.size()));
   Buffer counters(d_, 4 * buffers.size(), VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT);
   const std::vector<VkBuffer> counter(buffers.size(), counters.h);
   std::vector<VkDeviceSize> counter_at;
   for (size_t i = 0; i < buffers.size(); i++)
      counter_at.push_back(4 * i);
   std::unique_ptr<Buffer> index;
   if (!indices_.empty()) {
      index = std::make_unique<Buffer>(d_, indices_.size() * 4);
      memcpy(index->map, indices_.data(), index->size);
   }
   j_.begin();
   VkRenderingInfo ri{VK_STRUCTURE_TYPE_RENDERING_INFO};
   ri.renderArea = {{0, 0}, {1, 1}};
   ri.layerCount = 1;
   vkCmdBeginRendering(j_.cmd_, &ri);
   vkCmdBindPipeline(j_.cmd_, VK_PIPELINE_BIND_POINT_GRAPHICS, pipe_);
   j_.bind(VK_PIPELINE_BIND_POINT_GRAPHICS);
   for (uint32_t i = 0; i < attributes_.size(); i++)
      vkCmdBindVertexBuffers(j_.cmd_, i, 1, &attributes_[i].data->h, zeros.data());
   bind(j_.cmd_, 0, uint32_t(buffers.size()), buffers.data(), zeros.data(), nullptr);
   start(j_.cmd_, 0, 0, nullptr, nullptr);
   if (index) {
      vkCmdBindIndexBuffer(j_.cmd_, index->h, 0, VK_INDEX_TYPE_UINT32);
      vkCmdDrawIndexed(j_.cmd_, count_, instances_, 0, vertex_offset_, first_instance_);
   } else {
      vkCmdDraw(j_.cmd_, count_, instances_, first_vertex_, first_instance_);
   }
   stop(j_.cmd_, 0, uint32_t(counter.size()), counter.data(), counter_at.data());
   vkCmdEndRendering(j_.cmd_);
   j_.submit();
   for (size_t i = 0; i < buffers.size(); i++) {
      uint32_t bytes;
      memcpy(&bytes, counters.map + 4 * i, 4);
      if (bytes != captured[i]->size)
         fail("the device captured " + std::to_string(bytes) + " bytes of outputs instead of " +
              std::to_string(captured[i]->size));
   }
}

inline std::string Vertices::result()
{
   std::string o = ",\"count\":" + std::to_string(count_) + ",\"instances\":" + std::to_string(instances_) +
                   ",\"outputs\":[";
   for (size_t k = 0; k < outputs_.size(); k++) {
      uint32_t at = places_[k].offset;
      for (auto &i : outputs_[k].items) {
         std::string data;
         const uint32_t stride = strides_[places_[k].buffer];
         for (size_t instance = 0; instance < instances_; instance++)
            for (auto &captured : captured_)
               for (size_t n = 0; n < count_; n++)
                  data.append(captured[places_[k].buffer]->map + (instance * count_ + n) * stride + at, i.comps * 4);
         at += i.comps * 4;
         const std::string where = std::to_string(i.location), comp = std::to_string(i.component);
         std::string name = outputs_[k].builtin ? output_builtin(*outputs_[k].builtin) : "out" + where + "." + comp;
         o += o.back() == '[' ? "{" : ",{";
         o += outputs_[k].builtin ? "\"builtin\":" + json::quote(name) : "\"location\":" + where + ",\"component\":" + comp;
         Value v;
         v.kind = Value::Object;
         if (v_.has("out")) {
            v.o["out"].kind = Value::String;
            v.o["out"].s = v_.at("out").str() + "." + name;
         }
         o += ",\"components\":" + std::to_string(i.comps) + "," +
              j_.emit(v, wide_elem(i.base), data.data(), data.size()) + "}";
      }
   }
   return o + "]";
}

inline std::string Vertices::run()
{
   parameters();
   attributes();
   places();
   for (uint32_t view : views_) {
      pipeline(view);
      draw();
   }
   return result();
}

}   // namespace lvp
