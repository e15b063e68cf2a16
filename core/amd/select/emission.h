// The function under construction, and the tools with which every room of selection extends it:
// values, operands, instructions, and short sequences that several rooms share.
//
// Representation of values (an operand for each MIR value; Given):
//   constants    immediates, until an instruction cannot take one
//   numbers      S (a scalar register), where all lanes have the same value (IsUniform) and a
//   scalar
//                instruction could make it; else V. So a uniform number may be in V (floats are:
//                there is no scalar arithmetic for them); a divergent one never is in S.
//                16-bit and smaller numbers are in the low part of a dword, whose upper part is
//                undefined. 64-bit ones are two components, the low one first
//   booleans     M (a bit for each lane) or SCC, S (0 or 1) and immediates (0 or 1) if uniform.
//                Bits of lanes that are off are undefined (lanes that left a loop keep theirs), so
//                a reader of whole masks clears them
// Nothing here knows physical registers.
#ifndef KILN_CORE_AMD_SELECT_EMISSION_H_
#define KILN_CORE_AMD_SELECT_EMISSION_H_

#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/amd/abi/abi.h"
#include "core/amd/isa/opcodes.h"
#include "core/amd/lir/extra.h"
#include "core/amd/lir/ops.h"
#include "core/lir/selection_builder.h"
#include "core/mid/analysis/module_cursor.h"
#include "core/mir/mir.h"

namespace kiln::amd {

using isa::Opcode;
using lir::Operand;

inline Operand Use(lir::ValueId v, int comp = 0, int comps = 1) {
  return lir::ValueOperand(v, 0, static_cast<uint16_t>(comp), static_cast<uint16_t>(comps));
}
inline Operand Imm(uint32_t bits) { return lir::ImmOperand(bits, 0); }
inline bool IsImm(const Operand& o) { return o.kind == Operand::Kind::kImm; }
inline bool Exists(const Operand& o) { return o.kind != Operand::Kind::kNone; }
inline Operand Negated(Operand o) {
  o.mods ^= Operand::kNegate;
  return o;
}

class Emission : public mid::ModuleCursor {
 public:
  Emission(const mir::Module& m, const Abi& abi, uint32_t width);

  const Abi& abi() const { return abi_; }
  uint32_t width() const { return width_; }
  bool wide() const { return width_ == 64; }  // masks have two dwords
  lir::Function& function() { return f_; }
  lir::SelectionBuilder& builder() { return b_; }
  // Lanes that help are on, and must not have effects.
  bool notes_helpers() const { return notes_helpers_; }
  // From here on there are none.
  void EndHelpers() { notes_helpers_ = false; }

  // Returns the function with its blocks and its prologue in their places.
  lir::Function Finish();

  // ---- values
  lir::ValueId New(LirFile file, int comps = 1);
  LirFile FileOf(const Operand& o) const { return static_cast<LirFile>(f_.value(o.value()).file); }
  bool IsIn(const Operand& o, LirFile file) const { return IsValue(o) && FileOf(o) == file; }
  // Returns true for a constant or a scalar register: what SALU and addresses take.
  bool IsScalar(const Operand& o) const { return IsImm(o) || IsIn(o, kFileS); }
  uint32_t BitsOf(mir::ValueId v) const { return mir::BitsOf(m_.value(v).type); }
  // Returns the operand that holds a number of at most 32 bits; immediates for constants, with
  // bits above a smaller type 0. Half returns the dwords of 64-bit ones.
  Operand Src(mir::ValueId v) const;
  // Returns a number of at most 32 bits, extended to 32.
  Operand Widened(mir::ValueId v, bool is_signed);
  // Says of a smaller number in V that the bits above it are 0.
  void SetZeroAbove(mir::ValueId v) { zero_above_[v.index] = true; }
  // Returns one dword of a 64-bit number: 0 the low one.
  Operand Half(mir::ValueId v, int half) const;
  void Set(mir::ValueId v, Operand o) { map_[v.index] = o; }
  // Sets what a load found for each lane. Lanes of one load may find different values while another
  // wave writes there; a value that counts as uniform becomes that of the first lane, unless
  // everything that is computed from it is computed lane by lane.
  void SetLoaded(mir::ValueId v, const Operand& o) { Set(v, one_value_[v.index] ? ToS(o) : o); }
  const Operand& Given(mir::ValueId v) const {
    assert(Exists(map_[v.index]));
    return map_[v.index];
  }
  // Returns true unless the reader of a value computes it, so that no operand holds it.
  bool HasOperand(mir::ValueId v) const {
    return m_.value(v).kind == mir::Value::Kind::kConstant ||
           m_.value(v).kind == mir::Value::Kind::kUndef || Exists(map_[v.index]);
  }
  // Return the same value in V, of as many components; in S (v_readfirstlane of a uniform one in
  // V); as S or immediate. Modifiers become part of numbers of one component.
  Operand ToV(const Operand& o);
  Operand ToS(const Operand& o);
  Operand ToScalar(const Operand& o);
  // Returns component `comp` of a value with several.
  Operand Component(const Operand& vector, int comp) const;
  // Returns one operand for dwords in a row of one file (V or S), copied unless they are that
  // already.
  Operand Vector(absl::Span<const Operand> parts, LirFile file);
  Operand Vector(std::initializer_list<Operand> parts, LirFile file) {
    return Vector(absl::Span<const Operand>(parts.begin(), parts.size()), file);
  }

  // ---- instructions
  // Emits any operation as it is. For isa operations `extra` becomes the side row.
  lir::InstId EmitRaw(uint16_t op, absl::Span<const Operand> defs, absl::Span<const Operand> uses,
                      const Extra& extra = {}, uint8_t flags = 0, uint32_t aux = 0);
  lir::InstId EmitRaw(uint16_t op, std::initializer_list<Operand> defs,
                      std::initializer_list<Operand> uses, const Extra& extra = {},
                      uint8_t flags = 0, uint32_t aux = 0) {
    return EmitRaw(op, absl::Span<const Operand>(defs.begin(), defs.size()),
                   absl::Span<const Operand>(uses.begin(), uses.size()), extra, flags, aux);
  }
  // Emits a vector instruction into a new value in V (or S, for v_readfirstlane and its kin) of as
  // many components as its result has dwords. Sources are made legal first: constant bus (two
  // scalars, one of them a literal), sources that must be VGPRs or scalars. `flags`: kSaturate.
  Operand Valu(Opcode op, std::initializer_list<Operand> sources, const Extra& extra = {},
               uint8_t flags = 0);
  // The same of a commutative opcode, with a scalar source first: short forms have a VGPR second.
  Operand Commuted(Opcode op, Operand a, Operand b, const Extra& extra = {}, uint8_t flags = 0) {
    return IsIn(b, kFileV) ? Valu(op, {a, b}, extra, flags) : Valu(op, {b, a}, extra, flags);
  }
  // The same of an opcode whose result is a lane mask (v_cmp).
  Operand Compare(Opcode op, Operand a, Operand b, const Extra& extra = {});
  // The same of an opcode with a carry out: {sum, mask}. `carry_in` may be absent.
  struct WithCarry {
    Operand result;
    Operand carry;
  };
  WithCarry ValuCarry(Opcode op, Operand a, Operand b, Operand carry_in = {});
  // The same of a tied opcode (v_fmac, v_dot4c): `old` becomes the result.
  Operand ValuTied(Opcode op, std::initializer_list<Operand> sources, Operand old,
                   const Extra& extra = {});
  // Emits a scalar instruction into a new value in S. Sources must be scalar. `scc`: of opcodes
  // that read it.
  Operand Salu(Opcode op, std::initializer_list<Operand> sources, Operand scc = {});
  // The same of opcodes whose result is SCC (s_cmp), or whose SCC alone is wanted: returns it.
  Operand SaluScc(Opcode op, std::initializer_list<Operand> sources);
  struct WithScc {
    Operand result;
    Operand scc;
  };
  WithScc SaluBoth(Opcode op, std::initializer_list<Operand> sources, Operand scc = {});
  // Emits a pseudo operation into a new value.
  Operand Pseudo(LirOp op, LirFile file, int comps, std::initializer_list<Operand> uses,
                 uint32_t aux = 0);

  // ---- sequences
  // Returns a + b as numbers of 32 bits, in S if both are scalar; a constant if both are.
  Operand Add(Operand a, Operand b);
  // Returns `o` times a constant.
  Operand Times(Operand o, uint32_t factor);
  // Returns lir::kUnordered for a load of what nothing writes while the program runs, else 0.
  uint8_t OrderOf(mir::InstId id) const;

 private:
  using Sources = absl::InlinedVector<Operand, 4>;
  void LegaliseVector(Opcode op, Sources& sources, const Extra& extra);
  void LegaliseScalar(Sources& sources);
  // Returns true for a smaller number above which are zeros.
  bool IsZeroAbove(mir::ValueId v) const;

  const mir::Module& m_;
  const Abi& abi_;
  const uint32_t width_;
  bool notes_helpers_;
  lir::Function f_;
  lir::SelectionBuilder b_{f_};
  std::vector<Operand> map_;           // by MIR value
  std::vector<bool> zero_above_;       // by MIR value
  const std::vector<bool> one_value_;  // by MIR value (one_values.h)
};

// Returns the fields of a dot product of whole dwords, as LLVM 19 and Mesa 25.0.7 encode it.
Extra WholeDotProduct();

// Returns true for the bits of a 32-bit operand that need no literal: integers from -16 to 64, and
// eight floats and 1/2pi (ISA guide, table 3). Numbers of 16 and 64 bits have others.
bool IsInline(uint32_t bits);

// The base of the rooms of selection: classes that each own one construct.
class Room {
 public:
  Room(const Room&) = delete;

 protected:
  explicit Room(Emission& e)
      : e_(e), m_(e.module()), abi_(e.abi()), f_(e.function()), b_(e.builder()) {}

  Emission& e_;
  const mir::Module& m_;
  const Abi& abi_;
  lir::Function& f_;
  lir::SelectionBuilder& b_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_EMISSION_H_
