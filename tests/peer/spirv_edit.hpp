// Changes to a copy of a module, where a result cannot be had from the module as it is.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include <spirv/unified1/spirv.hpp>

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

}   // namespace edit
