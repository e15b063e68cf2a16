// Changes to a copy of a module, where a result cannot be had from the module as it is.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include <spirv/unified1/spirv.hpp>

#include "spirv_reflect.hpp"

namespace edit {

using Words = std::vector<uint32_t>;

// Calls f(opcode, position of the first word, number of words) for each instruction. The module has been
// through reflect::Module, so that lengths are known to be good.
template <class F> void each(const Words &w, F f)
{
   for (size_t at = 5; at < w.size(); at += w[at] >> 16)
      f(spv::Op(w[at] & 0xffff), at, w[at] >> 16);
}

// The second sources of blending (Index 1) become outputs of their own, `shift` locations further up:
// then one draw returns both sources, and no blending touches them.
inline Words separate_dual_source(Words w, uint32_t shift)
{
   std::set<uint32_t> second;
   each(w, [&](spv::Op op, size_t at, uint32_t n) {
      if (op == spv::OpDecorate && n == 4 && w[at + 2] == spv::DecorationIndex && w[at + 3] == 1) {
         second.insert(w[at + 1]);
         w[at + 3] = 0;
      }
   });
   each(w, [&](spv::Op op, size_t at, uint32_t n) {
      if (op == spv::OpDecorate && n == 4 && w[at + 2] == spv::DecorationLocation && second.count(w[at + 1]))
         w[at + 3] += shift;
   });
   return w;
}

// Without the built-in: every load of ViewIndex becomes the number of a view. For results of one view that
// can be had without multiview only (no transform feedback in a render pass that has it,
// VUID-vkCmdBeginTransformFeedbackEXT-None-02373).
inline Words with_view(const Words &w, uint32_t view)
{
   std::set<uint32_t> variables;
   each(w, [&](spv::Op op, size_t at, uint32_t n) {
      if (op == spv::OpDecorate && n == 4 && w[at + 2] == spv::DecorationBuiltIn && w[at + 3] == spv::BuiltInViewIndex)
         variables.insert(w[at + 1]);
   });
   auto is_load = [&](spv::Op op, size_t at) { return op == spv::OpLoad && variables.count(w[at + 3]); };
   std::map<uint32_t, uint32_t> numbers;   // by type, the constant
   Words out(w.begin(), w.begin() + 5), constants;
   each(w, [&](spv::Op op, size_t at, uint32_t) {
      if (!is_load(op, at) || numbers.count(w[at + 1]))
         return;
      const uint32_t id = numbers[w[at + 1]] = out[3]++;
      constants.insert(constants.end(), {4u << 16 | uint32_t(spv::OpConstant), w[at + 1], id, view});
   });
   each(w, [&](spv::Op op, size_t at, uint32_t n) {
      if (op == spv::OpFunction) {         // the first; the constants follow all types
         out.insert(out.end(), constants.begin(), constants.end());
         constants.clear();
      }
      if (is_load(op, at)) {
         out.insert(out.end(), {4u << 16 | uint32_t(spv::OpCopyObject), w[at + 1], w[at + 2], numbers[w[at + 1]]});
         return;
      }
      if (op == spv::OpAccessChain || op == spv::OpCopyMemory || op == spv::OpFunctionCall)
         for (uint32_t k = 1; k < n; k++)
            if (variables.count(w[at + k]))
               throw std::runtime_error("the shader reaches ViewIndex by other than a load");
      out.insert(out.end(), w.begin() + long(at), w.begin() + long(at + n));
   });
   return out;
}

struct Place {                   // where an output is captured
   uint32_t buffer, offset;
};

// Captures outputs by transform feedback; places[k] is that of outputs[k], strides has the bytes for one
// vertex in each buffer.
inline Words capture(const Words &w, uint32_t function, const std::vector<reflect::Output> &outputs,
                     const std::vector<Place> &places, const std::vector<uint32_t> &strides)
{
   auto put = [](Words &to, spv::Op op, const Words &args) {
      to.push_back(uint32_t(args.size() + 1) << 16 | uint32_t(op));
      to.insert(to.end(), args.begin(), args.end());
   };
   Words capability, mode, decorations;
   put(capability, spv::OpCapability, {spv::CapabilityTransformFeedback});
   put(mode, spv::OpExecutionMode, {function, spv::ExecutionModeXfb});
   for (size_t k = 0; k < outputs.size(); k++) {
      const reflect::Output &o = outputs[k];
      auto decorate = [&](spv::Decoration d, uint32_t value) {
         if (o.block)
            put(decorations, spv::OpMemberDecorate, {o.block, o.member, uint32_t(d), value});
         else
            put(decorations, spv::OpDecorate, {o.id, uint32_t(d), value});
      };
      decorate(spv::DecorationOffset, places[k].offset);
      decorate(spv::DecorationXfbBuffer, places[k].buffer);
      decorate(spv::DecorationXfbStride, strides[places[k].buffer]);
   }

   // The order of sections: capabilities first, modes after the entry points, decorations before types.
   size_t modes_at = 0, types_at = 0;
   each(w, [&](spv::Op op, size_t at, uint32_t n) {
      if (op == spv::OpEntryPoint)
         modes_at = at + n;
      if (!types_at && op >= spv::OpTypeVoid && op <= spv::OpTypeFunction)
         types_at = at;
   });
   Words out(w.begin(), w.begin() + 5);
   auto append = [&](const Words &x) { out.insert(out.end(), x.begin(), x.end()); };
   append(capability);
   out.insert(out.end(), w.begin() + 5, w.begin() + long(modes_at));
   append(mode);
   out.insert(out.end(), w.begin() + long(modes_at), w.begin() + long(types_at));
   append(decorations);
   out.insert(out.end(), w.begin() + long(types_at), w.end());
   return out;
}

}   // namespace edit
