// What pointers lead to, and what an access through one takes as sources; pointers as values and
// back. (pointers.cc: how a pointer is a value. Arrays of descriptors: resources.cc.)
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

  // To a whole variable.
  bool VariablePointer(uint32_t id, uint32_t type, spv::StorageClass storage,
                       Pointer* pointer) const;
  // Whether memory is laid out here and not by decorations.
  bool HasOwnLayout(const Pointer& pointer) const {
    return pointer.space == Pointer::kShared && !c_.shared.in_blocks;
  }

  // ---- As values ----

  // `followed`: accesses may be made through the value, and not only comparisons.
  bool PointerLeaves(const Pointer& pointer, uint32_t id, Leaves* leaves,
                     bool followed = true) const;
  // What a value of pointer type points at.
  bool PointerFromLeaves(uint32_t id, const SpirvType& type, absl::Span<const ValueId> leaves,
                         Pointer* pointer) const;
  // Bytes from one object to the next for a pointer that is stepped; 0 if nothing says.
  uint64_t PointerStride(uint32_t pointer_type) const;

  // ---- Accesses ----

  using Access = absl::FunctionRef<bool(const Pointer&, Leaves*)>;
  // Makes an access whose results have these types through a pointer that may lead to several
  // variables.
  bool ByTarget(const Pointer& pointer, absl::Span<const mir::Type> types, Access access,
                Leaves* results) const;
  ValueId Offset(const Pointer& pointer, uint32_t offset) const;
  // The address that a pointer to physical memory is.
  ValueId AddressOf(const Pointer& pointer) const;
  // The index of the descriptor if that is chosen by value, else nothing: what sources begin with.
  Leaves DescriptorSources(const Pointer& pointer) const;
  // Those and the offset; or both halves of an address.
  Leaves AddressSources(const Pointer& pointer, uint32_t offset) const;

 private:
  Pointer AtTarget(const Pointer& pointer, uint32_t variable_index) const;
  bool ByTargetFrom(const Pointer& pointer, absl::Span<const uint32_t> targets,
                    absl::Span<const mir::Type> types, Access access, Leaves* results) const;
  bool IsBlock(uint32_t variable) const;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_POINTERS_H_
