// Emits single ops of MIR with checked operand types, constants, conversions between widths, and
// the marks of undefined results. Code that needs no SPIR-V module depends on this alone, and is
// tested with it alone.
//
// An OpEmitter is a handle: its only state is a reference to the Emission. Construct one wherever
// it is needed.
#ifndef KILN_CORE_FRONT_OPS_OP_EMITTER_H_
#define KILN_CORE_FRONT_OPS_OP_EMITTER_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/front/ops/errors.h"
#include "core/mir/build.h"
#include "core/mir/mir.h"

namespace kiln::front {

using mir::ValueId;
using Leaves = absl::InlinedVector<ValueId, 16>;

// The flags that forbid licences of float arithmetic (mir::InstFlags), by the width of the floats
// computed with. float_limits.h determines them.
struct FloatLimits {
  uint16_t of_f16 = 0;
  uint16_t of_f32 = 0;
  uint16_t of_f64 = 0;

  uint16_t Of(mir::Type type) const {
    switch (type) {
      case mir::Type::kF16: return of_f16;
      case mir::Type::kF32: return of_f32;
      case mir::Type::kF64: return of_f64;
      default: return 0;
    }
  }
};

// The MIR being made. Lifetime: one import.
struct Emission {
  // See Errors and ImportOptions::mark_undefined for the arguments.
  Emission(const std::vector<spv::Capability>& capabilities, uint64_t max_instructions,
           bool marks_undefined)
      : errors(capabilities, max_instructions), mark_undefined(marks_undefined) {}
  Emission(const Emission&) = delete;
  Emission& operator=(const Emission&) = delete;

  mir::Module module;
  mir::Builder builder{module};
  Errors errors;
  const bool mark_undefined;
  FloatLimits entry_limits;  // of the entry point; set at set-up
  // The limits of the SPIR-V instruction being emitted.
  FloatLimits float_limits;
  bool no_contraction = false;
};

class OpEmitter {
 public:
  explicit OpEmitter(Emission& emission) : e_(emission) {}

  mir::Module& module() const { return e_.module; }
  mir::Builder& builder() const { return e_.builder; }

  // See Errors.
  bool ok() const { return e_.errors.ok(); }
  bool Fail(absl::Status status) const { return e_.errors.Fail(std::move(status)); }
  bool Refuse(std::string_view cause, Detail detail, uint32_t id = 0) const {
    return e_.errors.Refuse(cause, std::move(detail), id);
  }
  bool Malformed(const std::string& detail, uint32_t id = 0) const {
    return e_.errors.Malformed(detail, id);
  }
  // Notes that the module needs something that not every target has, with the instruction being
  // emitted, if nothing before needed it. `id`: SPIR-V's, to blame in a refusal; 0: none.
  void Need(mir::Need need, uint32_t id) const {
    if (!module().Needs(need)) module().needs.push_back({need, id, e_.errors.instruction()});
  }
  // Notes that the module needs 64-bit floats, and the first place that uses them. This need comes
  // before others: without such floats a target has no use for the rest.
  void NeedDoubles(mir::DoubleUse use, uint32_t id) const;
  // Calls `emit`, whose code is no reason to need 64-bit floats: a variable that is initialised but
  // not used is common. Should the code stay, FindNeeds lists it.
  template <class F>
  bool WithoutNeedOfDoubles(F emit) const {
    const bool needed = module().Needs(mir::Need::kFloat64);
    const bool emitted = emit();
    if (!needed && module().Needs(mir::Need::kFloat64))
      module().needs.erase(module().needs.begin());
    return emitted;
  }
  // Notes that a sample has this constant texel offset, if not every target has it: the module
  // lists the least and the greatest, each with the first instruction that has it.
  void NeedTexelOffset(int32_t offset, uint32_t id) const;
  bool Charge(uint64_t work) const { return e_.errors.Charge(work, e_.module.insts.size()); }

  // Emits one op after checking its sources against the signature; if they do not fit, the module
  // is malformed and the result is meaningless. Float arithmetic gets the flags that the
  // instruction being emitted requires.
  ValueId Emit(mir::Op op, absl::Span<const ValueId> sources, uint32_t imm0 = 0) const;
  ValueId Emit(mir::Op op, std::initializer_list<ValueId> sources, uint32_t imm0 = 0) const {
    return Emit(op, absl::MakeConstSpan(sources.begin(), sources.size()), imm0);
  }
  mir::Type TypeOf(ValueId v) const { return e_.module.value(v).type; }

  ValueId Int(uint32_t x) const { return e_.builder.Int(x); }
  ValueId Float(float x) const { return e_.builder.Float(x); }
  // Returns a constant of the precision of `like`, which has a number of this value.
  ValueId FloatLike(ValueId like, double x) const;
  // Emit 1 / x and 1 / sqrt(x): ops of their own, or for 64-bit floats, which have none, a
  // division.
  ValueId Reciprocal(ValueId x) const;
  ValueId InverseSqrt(ValueId x) const;
  // Returns true if the instruction being emitted lacks one of these licences (flags of float
  // arithmetic) for values of this type.
  bool Keeps(mir::Type type, uint16_t limits) const {
    return (e_.float_limits.Of(type) & limits) != 0;
  }

  // Returns true for a constant of 32 bits or less.
  bool IsConstant(ValueId v, uint32_t* bits) const;
  // Returns true for a constant that does not fit 32 bits, signed or unsigned.
  bool IsWideConstant(ValueId v) const;

  // Emits an op whose result type differs from its signature's; see mir::Builder::Convert.
  ValueId Convert(mir::Op op, ValueId v, mir::Type to) const;
  // Convert between integers of any widths, and between floats of any widths.
  ValueId ConvertInt(ValueId v, mir::Type to, bool is_signed) const;
  ValueId ConvertFloat(ValueId v, mir::Type to) const;
  // Converts an integer of any width to 32 bits; all ones if it does not fit.
  ValueId ToIndex(ValueId v, bool is_signed) const;
  // WasNarrow returns true if a 64-bit value was extended from one that fits 32 bits. FitsIndex
  // emits a bool that is true if the value fits 32 bits.
  bool WasNarrow(ValueId v, bool is_signed) const;
  ValueId FitsIndex(ValueId v, bool is_signed) const;
  // Convert a float to an integer of the same bits, and back; integers stay unchanged.
  ValueId AsInt(ValueId v) const;
  ValueId FromInt(ValueId v, mir::Type to) const;
  // Appends the bits of `from` in order, low ones first, as values of type `part`, whose width
  // differs.
  void Recut(absl::Span<const ValueId> from, mir::Type part, Leaves* out) const;
  // Convert bools to 0 or 1 in memory and back; other values stay unchanged.
  ValueId ToMemory(ValueId v) const;
  ValueId FromMemory(ValueId v, mir::Type type) const;
  // Selects a component by value; an index beyond the last is undefined.
  ValueId SelectComponent(absl::Span<const ValueId> components, ValueId index) const;

  // Mark results as undefined if Emission::mark_undefined is set; otherwise return `value`. An
  // invalid condition means never.
  ValueId UndefinedWhere(ValueId condition, ValueId value) const;
  // `index` is an unsigned integer of any width.
  ValueId UndefinedBeyond(ValueId index, uint32_t count, ValueId value) const;

 private:
  uint16_t FloatFlags(const mir::OpInfo& info, absl::Span<const ValueId> sources) const;

 protected:
  Emission& e_;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_OPS_OP_EMITTER_H_
