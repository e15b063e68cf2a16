// The function under construction, and the tools with which every room of selection extends it:
// values, operands, instructions, and short sequences that several rooms share.
//
// Representation of values: integers and floats are in G (one element per lane) or U
// (core/mid/analysis/divergence.h), constants are immediates until an instruction cannot take one.
// A value of 16 bits is packed (G with 2-byte elements), or a word of each dword of a 32-bit value
// (operand with `sub`): instructions read either, so taking words out of dwords, and narrowing,
// cost nothing. A value of 8 bits is a byte of a wider one. In U both are the low part of a dword.
// Booleans are 0 / -1 dwords where they are stored, passed along edges or combined, and flags (file
// F) where a select or an if reads them. A flag is made right before its use, and at most kMaxFlags
// are kept, in one block, so that flags never need spilling. A compare that only feeds flags of its
// line is emitted in front of the first use, and again if its flag had to be dropped.
#ifndef KILN_CORE_INTEL_SELECT_EMISSION_H_
#define KILN_CORE_INTEL_SELECT_EMISSION_H_

#include <cassert>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/abi/abi.h"
#include "core/intel/abi/width_abi.h"
#include "core/intel/isa/instruction.h"
#include "core/intel/lir/ops.h"
#include "core/intel/select/caches.h"
#include "core/intel/select/operands.h"
#include "core/lir/selection_builder.h"
#include "core/mid/analysis/module_cursor.h"
#include "core/mir/mir.h"

namespace kiln::intel {

class Emission : public mid::ModuleCursor {
 public:
  Emission(const mir::Module& m, const Abi& abi, const WidthAbi& at_width);

  const Abi& abi() const { return abi_; }
  const WidthAbi& at_width() const { return at_width_; }
  // Returns what the device that code is made for has.
  const Instructions& device_has() const { return abi_.device->instructions; }
  lir::Function& function() { return f_; }
  lir::SelectionBuilder& builder() { return b_; }
  Scopes& scopes() { return scopes_; }

  // Returns the function with its blocks and its prologue in their places.
  lir::Function Finish();

  // ---- values
  lir::ValueId NewG(int comps = 1, int elem_bytes = 4);
  lir::ValueId NewU();
  lir::ValueId NewRegisters(int registers);  // U, whole registers
  lir::ValueId NewF();
  // Returns a new value for a result of this type.
  lir::ValueId New(Where where, Type t = Type::kUD) {
    if (where == Where::kUniform) return NewU();
    return NewG(1, isa::ByteSize(t) == 2 ? 2 : 4);
  }
  Operand Def(lir::ValueId v, Type t) const { return Use(v, t, 0, f_.value(v).comps); }
  Where WhereOf(mir::ValueId v) const { return IsUniform(v) ? Where::kUniform : Where::kLanes; }
  uint8_t FileOf(const Operand& o) const { return f_.value(o.value()).file; }
  // Return the EU's type for a value of MIR; a stored boolean is a dword.
  Type FloatType(mir::ValueId v) const {
    return m_.value(v).type == mir::Type::kF16 ? Type::kHF : Type::kF;
  }
  Type IntType(mir::ValueId v, bool is_signed) const;
  // Returns the bits of the value as far as they matter to selection: 8, 16, 32; a stored boolean
  // has 32.
  uint32_t BitsOf(mir::ValueId v) const;
  uint32_t BytesOf(mir::ValueId v) const { return BitsOf(v) / 8; }
  // Returns the operand that holds a number; immediates for constants.
  Operand Src(mir::ValueId v, Type t) const;
  void Set(mir::ValueId v, Operand o) { map_[v.index] = o; }
  // Returns a register operand: an immediate is put into U (once, at the start of the program).
  Operand ToRegister(const Operand& o);
  // Returns the same value as a plain component in file G, ready to be (part of) a payload.
  Operand ToLanes(const Operand& o);
  // Returns the operand that Set has given for the value.
  const Operand& Given(mir::ValueId v) const {
    assert(map_[v.index].kind != Operand::Kind::kNone);
    return map_[v.index];
  }

  // ---- instructions
  lir::InstFields Fields(Where where) const;
  // Returns those of an instruction that writes this many lanes for all lanes, NoMask.
  lir::InstFields UniformFields(int lanes) const;
  // Emits any instruction as it is.
  void EmitRaw(uint16_t op, const lir::InstFields& fields, std::initializer_list<Operand> defs,
               std::initializer_list<Operand> uses);
  // Emits an EU instruction into a new value; sources are made legal first.
  Operand Alu(Opcode op, Type t, Where where, std::initializer_list<Operand> sources,
              const Extra& extra = {});
  Operand Math(MathFunction fn, Type t, Where where, Operand a, Operand b = {});
  Operand Mov(Type t, Where where, Operand source) { return Alu(Opcode::kMov, t, where, {source}); }
  void LegaliseSources(Opcode op, Sources& sources, Extra& extra);

  // ---- sequences
  Operand MinMax(Where where, Type t, bool max, Operand a, Operand b);
  // Returns `if_true` where the flag is set, else `if_false`.
  Operand SelectByFlag(Where where, Type t, const Flag& flag, Operand if_true, Operand if_false);
  // Emit a compare that makes only a flag, and one that makes 0 / -1.
  Flag CompareFlag(Where where, CondMod cmod, Operand a, Operand b);
  Operand CompareStored(Where where, CondMod cmod, Type t, Operand a, Operand b);
  // Returns `base` plus this many bytes; an immediate stays one.
  Operand Offset(Operand base, uint32_t bytes, Where where);
  // Returns one operand for consecutive parts: the parts themselves if they are consecutive
  // already.
  Operand Payload(absl::Span<const Operand> parts);
  // Returns the value for `lanes` lanes from `group` on, in registers of its own; a uniform value
  // is in each of them.
  Operand LanePart(const Operand& o, int lanes, int group);
  // Returns component i of a message's response.
  Operand Component(const Operand& response, int i) const;
  // Sets a result that is one for all lanes, in a file that it may have.
  void SetAnswer(mir::ValueId result, const Operand& o);

 private:
  const mir::Module& m_;
  const Abi& abi_;
  const WidthAbi& at_width_;
  const int width_;
  lir::Function f_;
  lir::SelectionBuilder b_{f_};
  Scopes scopes_;
  std::vector<Operand> map_;  // by MIR value
  absl::btree_map<uint32_t, lir::ValueId> constants_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_EMISSION_H_
