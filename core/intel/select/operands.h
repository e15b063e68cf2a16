// The representation of operands and flags in selection, and where an instruction executes.
// Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_OPERANDS_H_
#define KILN_CORE_INTEL_SELECT_OPERANDS_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "core/intel/isa/instruction.h"
#include "core/lir/build.h"
#include "core/lir/lir.h"

namespace kiln::intel {

using isa::CondMod;
using isa::MathFunction;
using isa::Opcode;
using isa::Type;
using lir::Operand;

// A flag as it is read: the operand, and whether the predicate is inverted.
struct Flag {
  Operand operand;
  bool inverse = false;
};

// Where an instruction executes.
enum class Where : uint8_t {
  kLanes,    // per lane, under the execution mask
  kUniform,  // once, NoMask, into file U
};

struct Extra {
  CondMod cmod = CondMod::kNone;
  bool saturate = false;
  bool strided = false;  // a 16- or 8-bit result in the low part of each dword, not packed
  std::optional<Flag> predicate;
};

// The sources of an EU instruction: at most three and a predicate.
using Sources = absl::InlinedVector<Operand, 4>;

inline Operand Use(lir::ValueId v, Type t, int comp = 0, int comps = 1) {
  return lir::ValueOperand(v, static_cast<uint8_t>(t), static_cast<uint16_t>(comp),
                           static_cast<uint16_t>(comps));
}
inline Operand Imm(uint32_t bits, Type t) { return lir::ImmOperand(bits, static_cast<uint8_t>(t)); }
inline Operand Retype(Operand o, Type t) {
  o.type = static_cast<uint8_t>(t);
  return o;
}
// Returns the element of 1, 2 or 4 bytes at a byte of data whose dwords are `dword_stride`
// components apart.
inline Operand ElementAt(lir::ValueId data, uint32_t byte, uint32_t element, int dword_stride) {
  const Type t = element == 1 ? Type::kUB : element == 2 ? Type::kUW : Type::kUD;
  Operand o = Use(data, t, static_cast<int>(byte / 4) * dword_stride);
  o.sub = static_cast<uint8_t>(byte % 4);
  return o;
}
inline bool IsImm(const Operand& o) { return o.kind == Operand::Kind::kImm; }

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_OPERANDS_H_
