// What the emitter of every kind of SPIR-V instruction stands on: operands by id, results by id.
//
// The kinds are classes of their own, each private to its file; emit.h lists how they are entered.
// They are handles on the ImportContext and have no other state, so one is made where it is needed.
// What returns bool returns false after an error (Errors).
#ifndef KILN_CORE_FRONT_EMIT_INST_EMITTER_H_
#define KILN_CORE_FRONT_EMIT_INST_EMITTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/front/emit/context.h"
#include "core/front/ops/matrix_math.h"
#include "core/front/ops/op_emitter.h"
#include "core/front/spirv/spirv.h"
#include "core/front/state/pointer.h"
#include "core/mir/mir.h"

namespace kiln::front {

class InstEmitter : public OpEmitter {
 public:
  explicit InstEmitter(ImportContext& context) : OpEmitter(context.emission), c_(context) {}

  // ---- Types ----

  // The type if values of it can be handled; null after refusing.
  const SpirvType* Supported(uint32_t type) const;
  // Of a type that is supported.
  const std::vector<mir::Type>& LeafTypes(uint32_t type) const;

  // ---- Operands ----

  bool Get(uint32_t id, Leaves* leaves, uint32_t* type = nullptr) const;
  bool GetScalar(uint32_t id, mir::Type type, ValueId* value) const;
  // An integer of any width, as one of 32 bits; one that they do not hold is all ones, which is
  // beyond whatever it indexes as well. It is read as its type says; indices of access chains are
  // signed whatever theirs says.
  bool GetIndex(uint32_t id, ValueId* value) const;
  bool GetSignedIndex(uint32_t id, ValueId* value) const;
  // Scalars and vectors of floats, at least one.
  bool GetFloats(uint32_t id, Leaves* leaves) const;
  // A matrix, or a vector as a matrix of one column.
  bool GetMatrix(uint32_t id, Matrix* matrix) const;
  bool GetPointer(uint32_t id, Pointer* pointer) const;
  bool GetImage(uint32_t id, ImageHandle* handle) const;
  // `count` operands from word `first` on, each as large as the result, one after the other.
  bool Operands(const SpirvInst& inst, size_t first, size_t count, Leaves* operands) const;
  // The constant that says a scope or memory semantics.
  bool Semantics(uint32_t id, uint32_t* value) const;

  // ---- Results ----

  // Binds the leaves to the result's id, after checking that they fit its type.
  bool Define(const SpirvInst& inst, absl::Span<const ValueId> leaves) const;
  bool DefinePointer(const SpirvInst& inst, const Pointer& pointer) const;
  bool DefineImage(const SpirvInst& inst, const ImageHandle& handle) const;

 protected:
  const SpirvModule& spirv() const { return c_.spirv; }
  const Plan& plan() const { return c_.plan; }
  const Layouts& layouts() const { return c_.layouts; }
  // The value of a slot here.
  ValueId SlotValue(uint32_t slot) const {
    const ValueId value = c_.slots.Get(slot);
    return value.valid() ? value : builder().Undef(c_.slots.type(slot));
  }

  ImportContext& c_;

 private:
  bool GetInteger(uint32_t id, bool always_signed, ValueId* value) const;
  // Whether the id belongs to the function being walked (or to no function).
  bool IsHere(uint32_t id) const {
    const uint32_t function = spirv().Def(id).function;
    return function == kNoValue || function == c_.place.index;
  }
  bool GetConstant(const SpirvConstant& constant, Leaves* leaves) const;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_INST_EMITTER_H_
