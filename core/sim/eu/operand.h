// Reading and writing operands: from registers of any type and region to plain arrays, and back.
//
// Fetches convert to one of two forms: 64-bit integers (exact for every integer type) or floats.
// Cost: one indexed load or store per channel.
#ifndef KILN_CORE_SIM_EU_OPERAND_H_
#define KILN_CORE_SIM_EU_OPERAND_H_

#include <cstdint>

#include "core/sim/eu/program.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

// Byte offsets into Thread::regs of the elements of a register operand.
struct Offsets {
  uint16_t at[kMaxChannels];
};

// Resolves addresses of `count` elements of `bytes` each. False if an indirect address is outside
// the general registers.
bool Resolve(const Thread& thread, const OperandPlan& plan, int count, int bytes, Offsets& out);

// Reads as integers; modifiers are applied, `bitwise` makes negate mean not. Float operands are not
// allowed. Returns false as Resolve does.
bool FetchInts(const Thread& thread, const OperandPlan& plan, int count, bool bitwise,
               int64_t* out);

// Reads F or HF as floats; modifiers are applied; subnormals are flushed as the control register
// says, if `flush`.
bool FetchFloats(const Thread& thread, const OperandPlan& plan, int count, bool flush, float* out);

// Returns the value wrapped to an integer type, sign- or zero-extended.
int64_t WrapTo(isa::Type type, int64_t value);

// Returns the value clamped to the range of an integer type.
int64_t ClampTo(isa::Type type, int64_t value);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_OPERAND_H_
