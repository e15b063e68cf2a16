// The base of the rooms of selection: classes that each own one construct. Gives them the tools
// that all of them make code with. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_ROOM_H_
#define KILN_CORE_INTEL_SELECT_ROOM_H_

#include <initializer_list>
#include <optional>
#include <string_view>

#include "core/intel/select/emission.h"

namespace kiln::intel {

class Room {
 public:
  Room(const Room&) = delete;

 protected:
  explicit Room(Emission& e)
      : e_(e),
        m_(e.module()),
        abi_(e.abi()),
        at_width_(e.at_width()),
        width_(e.at_width().width),
        f_(e.function()),
        b_(e.builder()) {}

  // See emission.h.
  lir::ValueId NewG(int comps = 1, int elem_bytes = 4) { return e_.NewG(comps, elem_bytes); }
  lir::ValueId NewU() { return e_.NewU(); }
  lir::ValueId NewRegisters(int registers) { return e_.NewRegisters(registers); }
  lir::ValueId NewF() { return e_.NewF(); }
  lir::ValueId New(Where where, Type t = Type::kUD) { return e_.New(where, t); }
  Operand Def(lir::ValueId v, Type t) const { return e_.Def(v, t); }
  bool IsUniform(mir::ValueId v) const { return e_.IsUniform(v); }
  Where WhereOf(mir::ValueId v) const { return e_.WhereOf(v); }
  uint8_t FileOf(const Operand& o) const { return e_.FileOf(o); }
  Type FloatType(mir::ValueId v) const { return e_.FloatType(v); }
  Type IntType(mir::ValueId v, bool is_signed) const { return e_.IntType(v, is_signed); }
  uint32_t BitsOf(mir::ValueId v) const { return e_.BitsOf(v); }
  Operand Src(mir::ValueId v, Type t) const { return e_.Src(v, t); }
  void Set(mir::ValueId v, Operand o) { e_.Set(v, o); }
  Operand ToRegister(const Operand& o) { return e_.ToRegister(o); }
  Operand ToLanes(const Operand& o) { return e_.ToLanes(o); }
  lir::InstFields Fields(Where where) const { return e_.Fields(where); }
  void EmitRaw(uint16_t op, const lir::InstFields& fields, std::initializer_list<Operand> defs,
               std::initializer_list<Operand> uses) {
    e_.EmitRaw(op, fields, defs, uses);
  }
  Operand Alu(Opcode op, Type t, Where where, std::initializer_list<Operand> sources,
              const Extra& extra = {}) {
    return e_.Alu(op, t, where, sources, extra);
  }
  Operand Math(MathFunction fn, Type t, Where where, Operand a, Operand b = {}) {
    return e_.Math(fn, t, where, a, b);
  }
  Operand Mov(Type t, Where where, Operand source) { return e_.Mov(t, where, source); }
  void LegaliseSources(Opcode op, Sources& sources, Extra& extra) {
    e_.LegaliseSources(op, sources, extra);
  }
  absl::Status Refuse(const mir::Inst& inst, KnownCause cause, std::string_view why) const {
    return e_.Refuse(inst, cause, why);
  }
  absl::Status Unexpected(const mir::Inst& inst, std::string_view why) const {
    return e_.Unexpected(inst, why);
  }
  std::optional<mir::InstId> DefinedBy(mir::ValueId v, mir::Op op) const {
    return e_.DefinedBy(v, op);
  }
  Operand MinMax(Where where, Type t, bool max, Operand a, Operand b) {
    return e_.MinMax(where, t, max, a, b);
  }
  Operand SelectByFlag(Where where, Type t, const Flag& flag, Operand if_true, Operand if_false) {
    return e_.SelectByFlag(where, t, flag, if_true, if_false);
  }
  Flag CompareFlag(Where where, CondMod cmod, Operand a, Operand b) {
    return e_.CompareFlag(where, cmod, a, b);
  }
  Operand CompareStored(Where where, CondMod cmod, Type t, Operand a, Operand b) {
    return e_.CompareStored(where, cmod, t, a, b);
  }
  Operand Offset(Operand base, uint32_t bytes, Where where) {
    return e_.Offset(base, bytes, where);
  }
  Operand Payload(absl::Span<const Operand> parts) { return e_.Payload(parts); }
  Operand LanePart(const Operand& o, int lanes, int group) { return e_.LanePart(o, lanes, group); }
  Operand Component(const Operand& response, int i) const { return e_.Component(response, i); }
  void SetAnswer(mir::ValueId result, const Operand& o) { e_.SetAnswer(result, o); }
  bool Used(mir::ValueId v) { return e_.Used(v); }
  uint32_t UsedMask(mir::InstId id) { return e_.UsedMask(id); }

  Emission& e_;
  const mir::Module& m_;
  const Abi& abi_;
  const WidthAbi& at_width_;
  const int width_;
  lir::Function& f_;
  lir::Builder& b_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_ROOM_H_
