// The parameter list of a sampler message: LIR op kSampler before lower_samplers.
//
// Uses: [header, 8 dwords of U,] parameters in the order of the message table [, a uniform dword
// added to the descriptor] [, the handle of the surface, a uniform dword]. A parameter is a component of G (a lane each), 8 dwords of U (the same
// in all lanes, in messages of width 8 with NoMask) or an immediate. Definition: the components
// returned, one vector.
#ifndef KILN_CORE_INTEL_MESSAGES_SAMPLER_OP_H_
#define KILN_CORE_INTEL_MESSAGES_SAMPLER_OP_H_

#include <cstdint>

#include "core/intel/isa/messages.h"
#include "core/lir/lir.h"

namespace kiln::intel {

// Inst::aux of kSampler.
struct SamplerAux {
  isa::Message message = isa::Message::kSample;
  uint8_t bti = 0;
  uint8_t sampler = 0;     // 0..15
  bool header = false;
  bool indirect = false;   // a use is added to the descriptor
  bool bindless = false;   // the last use is the surface's handle

  constexpr uint32_t Pack() const {
    return static_cast<uint32_t>(message) | uint32_t{bti} << 8 | uint32_t{sampler} << 16 |
           (header ? 1u << 20 : 0) | (indirect ? 1u << 21 : 0) | (bindless ? 1u << 22 : 0);
  }
  static constexpr SamplerAux Unpack(uint32_t aux) {
    SamplerAux s;
    s.message = static_cast<isa::Message>(aux & 0xff);
    s.bti = static_cast<uint8_t>(aux >> 8);
    s.sampler = aux >> 16 & 0xf;
    s.header = (aux >> 20 & 1) != 0;
    s.indirect = (aux >> 21 & 1) != 0;
    s.bindless = (aux >> 22 & 1) != 0;
    return s;
  }
};

// Uses behind the parameters: of the descriptors, and the predicate.
inline int UsesBehind(const lir::Inst& in) {
  const SamplerAux aux = SamplerAux::Unpack(in.aux);
  return (aux.indirect ? 1 : 0) + (aux.bindless ? 1 : 0) + (in.predicate_mode != 0 ? 1 : 0);
}

inline int ParameterCount(const lir::Inst& in) {
  return in.num_uses - (SamplerAux::Unpack(in.aux).header ? 1 : 0) - UsesBehind(in);
}

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_MESSAGES_SAMPLER_OP_H_
