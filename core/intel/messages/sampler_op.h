// The parameter list of a sampler message: LIR op kSampler before lower_samplers.
//
// Uses: [header, 8 dwords of U,] parameters in the order of the message table [, a uniform dword
// added to the descriptor] [, the handle of the surface, a uniform dword]. A parameter is a
// component of G (one element per lane), 8 dwords of U (the same in all lanes, in messages of width
// 8 with NoMask) or an immediate. Definition: the components returned, one vector. The side row is
// the message's, except for `lanes`, which lower_samplers sets.
#ifndef KILN_CORE_INTEL_MESSAGES_SAMPLER_OP_H_
#define KILN_CORE_INTEL_MESSAGES_SAMPLER_OP_H_

#include "core/intel/lir/message.h"
#include "core/lir/lir.h"

namespace kiln::intel {

inline int ParameterCount(const lir::Inst& in, const LirMessage& message) {
  return in.num_uses - (message.fields.header ? 1 : 0) - UsesAfterPayload(in, message);
}

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_MESSAGES_SAMPLER_OP_H_
