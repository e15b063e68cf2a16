// Emits single ops of MIR, their operand types checked; constants; conversions between widths; and
// the marks of undefined results. What needs no SPIR-V stands on this alone, and is tested with it
// alone.
//
// An OpEmitter is a handle: it has no state but a reference to the Emission, and is made where
// needed.
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

// The flags that take licences from float arithmetic (mir::InstFlags), by the floats that it
// computes with. Where they come from: float_limits.h.
struct FloatLimits {
  uint16_t of_f16 = 0;
  uint16_t of_f32 = 0;

  uint16_t Of(mir::Type type) const {
    return type == mir::Type::kF16 ? of_f16 : type == mir::Type::kF32 ? of_f32 : uint16_t{0};
  }
};

// The MIR being made. Lifetime: one import.
struct Emission {
  // For the arguments see Errors, and ImportOptions::mark_undefined.
  Emission(const std::vector<spv::Capability>& capabilities, uint64_t max_instructions,
           bool marks_undefined)
      : errors(capabilities, max_instructions), mark_undefined(marks_undefined) {}
  Emission(const Emission&) = delete;
  Emission& operator=(const Emission&) = delete;

  mir::Module module;
  mir::Builder builder{module};
  Errors errors;
  const bool mark_undefined;
  FloatLimits entry_limits;  // of the entry point; set-up decides
  // Of the SPIR-V instruction being emitted.
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
  bool Charge(uint64_t work) const { return e_.errors.Charge(work, e_.module.insts.size()); }

  // Emits one op after checking its sources against the signature; a module whose sources do not
  // fit is malformed, and gets a value without meaning. Float arithmetic gets the flags that the
  // instruction being emitted asks for.
  ValueId Emit(mir::Op op, absl::Span<const ValueId> sources, uint32_t imm0 = 0) const;
  ValueId Emit(mir::Op op, std::initializer_list<ValueId> sources, uint32_t imm0 = 0) const {
    return Emit(op, absl::MakeConstSpan(sources.begin(), sources.size()), imm0);
  }
  mir::Type TypeOf(ValueId v) const { return e_.module.value(v).type; }

  ValueId Int(uint32_t x) const { return e_.builder.Int(x); }
  ValueId Float(float x) const { return e_.builder.Float(x); }
  // A constant of the precision that `like` has.
  ValueId FloatLike(ValueId like, float x) const;
  // Whether the instruction being emitted lacks one of these licences (flags of float arithmetic)
  // for values of this type.
  bool Keeps(mir::Type type, uint16_t limits) const {
    return (e_.float_limits.Of(type) & limits) != 0;
  }

  // A constant of 32 bits or less.
  bool IsConstant(ValueId v, uint32_t* bits) const;
  // A constant that 32 bits do not hold, of either sign.
  bool IsWideConstant(ValueId v) const;

  // Another type of result than the signature tells; see mir::Builder::Convert.
  ValueId Convert(mir::Op op, ValueId v, mir::Type to) const;
  // Between integers of any widths; between floats of any widths.
  ValueId ConvertInt(ValueId v, mir::Type to, bool is_signed) const;
  ValueId ConvertFloat(ValueId v, mir::Type to) const;
  // An integer of any width as one of 32 bits; all ones if they do not hold it.
  ValueId ToIndex(ValueId v, bool is_signed) const;
  // Whether a value of 64 bits was extended from one that 32 bits hold; the bool that they hold it.
  bool WasNarrow(ValueId v, bool is_signed) const;
  ValueId FitsIndex(ValueId v, bool is_signed) const;
  // The bits of a float as an integer and back; integers stay as they are.
  ValueId AsInt(ValueId v) const;
  ValueId FromInt(ValueId v, mir::Type to) const;
  // The bits of `from` in order, low ones first, as values of `part`, which has another width.
  void Recut(absl::Span<const ValueId> from, mir::Type part, Leaves* out) const;
  // A bool is 0 or 1 in memory; other values are themselves.
  ValueId ToMemory(ValueId v) const;
  ValueId FromMemory(ValueId v, mir::Type type) const;
  // A component chosen by value; beyond them all it is undefined.
  ValueId SelectComponent(absl::Span<const ValueId> components, ValueId index) const;

  // Without Emission::mark_undefined these two change nothing. An invalid condition: never.
  ValueId UndefinedWhere(ValueId condition, ValueId value) const;
  // `index` is an integer without sign of any width.
  ValueId UndefinedBeyond(ValueId index, uint32_t count, ValueId value) const;

 private:
  uint16_t FloatFlags(const mir::OpInfo& info, absl::Span<const ValueId> sources) const;

 protected:
  Emission& e_;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_OPS_OP_EMITTER_H_
