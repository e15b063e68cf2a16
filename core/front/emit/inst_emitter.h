// The base of the emitters of all kinds of SPIR-V instructions: operands by id, results by id.
//
// Each kind has a class of its own, private to its file; emit.h lists their entry points. They are
// handles on the ImportContext without other state, so one is made wherever it is needed. Functions
// that return bool return false after an error (Errors).
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

  // Returns the type if its values are supported; otherwise refuses it and returns null.
  const SpirvType* Supported(uint32_t type) const;
  // Returns the MIR types of a supported type's leaves.
  const std::vector<mir::Type>& LeafTypes(uint32_t type) const;

  // ---- Operands ----

  bool Get(uint32_t id, Leaves* leaves, uint32_t* type = nullptr) const;
  bool GetScalar(uint32_t id, mir::Type type, ValueId* value) const;
  // Get an integer of any width, as one of 32 bits. If it does not fit, the result is all ones,
  // which is also out of range for every use as an index. GetIndex reads it by its type's
  // signedness; GetSignedIndex as signed, as the indices of access chains always are.
  bool GetIndex(uint32_t id, ValueId* value) const;
  bool GetSignedIndex(uint32_t id, ValueId* value) const;
  // Gets a scalar or vector of floats.
  bool GetFloats(uint32_t id, Leaves* leaves) const;
  // Gets a matrix, or a vector as a matrix of one column.
  bool GetMatrix(uint32_t id, Matrix* matrix) const;
  bool GetPointer(uint32_t id, Pointer* pointer) const;
  bool GetImage(uint32_t id, ImageHandle* handle) const;
  // Appends the leaves of `count` operands from word `first` on, each as large as the result.
  bool Operands(const SpirvInst& inst, size_t first, size_t count, Leaves* operands) const;
  // Gets the constant of a scope or of memory semantics.
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
  // Returns the current value of a slot.
  ValueId SlotValue(uint32_t slot) const {
    const ValueId value = c_.slots.Get(slot);
    return value.valid() ? value : builder().Undef(c_.slots.type(slot));
  }

  ImportContext& c_;

 private:
  bool GetInteger(uint32_t id, bool always_signed, ValueId* value) const;
  // Returns true if the id belongs to the function being walked (or to no function).
  bool IsHere(uint32_t id) const {
    const uint32_t function = spirv().Def(id).function;
    return function == kNoValue || function == c_.place.index;
  }
  bool GetConstant(const SpirvConstant& constant, Leaves* leaves) const;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_INST_EMITTER_H_
