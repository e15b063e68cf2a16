// The memory that pointers lead to, the sources of accesses through them, and pointers held as
// values. (Representation of such values: pointers.cc. Arrays of descriptors: resources.cc.)
#ifndef KILN_CORE_FRONT_EMIT_POINTERS_H_
#define KILN_CORE_FRONT_EMIT_POINTERS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "core/front/emit/context.h"
#include "core/front/emit/inst_emitter.h"
#include "core/front/spirv/spirv.h"
#include "core/front/state/pointer.h"
#include "core/mir/mir.h"

namespace kiln::front {

class Pointers : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  // Makes the pointer to a whole variable.
  bool VariablePointer(uint32_t id, uint32_t type, spv::StorageClass storage,
                       Pointer* pointer) const;
  // Returns true if the importer lays the memory out, not decorations.
  bool HasOwnLayout(const Pointer& pointer) const {
    return pointer.space == Pointer::kShared && !c_.shared.in_blocks;
  }

  // ---- Pointers as values ----

  // Converts a pointer to a value. `followed`: the value may be used for accesses, not only for
  // comparisons.
  bool PointerLeaves(const Pointer& pointer, uint32_t id, Leaves* leaves,
                     bool followed = true) const;
  // Converts a value of pointer type to a pointer.
  bool PointerFromLeaves(uint32_t id, const SpirvType& type, absl::Span<const ValueId> leaves,
                         Pointer* pointer) const;
  // Returns the stride in bytes of OpPtrAccessChain's element operand; 0 if none is given.
  uint64_t PointerStride(uint32_t pointer_type) const;

  // ---- Accesses ----

  using Access = absl::FunctionRef<bool(const Pointer&, Leaves*)>;
  // Emits an access, whose results have these types, through a pointer that may lead to several
  // variables.
  bool ByTarget(const Pointer& pointer, absl::Span<const mir::Type> types, Access access,
                Leaves* results) const;
  ValueId Offset(const Pointer& pointer, uint32_t offset) const;
  // Returns the address of a pointer to physical memory.
  ValueId AddressOf(const Pointer& pointer) const;
  // Returns the first sources of an access: the descriptor's index if it is chosen by value, else
  // none.
  Leaves DescriptorSources(const Pointer& pointer) const;
  // Returns those and the offset; for physical memory both halves of the address.
  Leaves AddressSources(const Pointer& pointer, uint32_t offset) const;

 private:
  Pointer AtTarget(const Pointer& pointer, uint32_t variable_index) const;
  bool ByTargetFrom(const Pointer& pointer, absl::Span<const uint32_t> targets,
                    absl::Span<const mir::Type> types, Access access, Leaves* results) const;
  bool IsBlock(uint32_t variable) const;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_POINTERS_H_
