// Types, as they are met: what they are made of stands before them, but for what pointers point at.
//
// A type outside Kiln's reach is recorded with the cause of refusal. A pointer may name a pointee
// that is still to come, and OpTypeForwardPointer a pointer: that they came is checked at the end.
#ifndef KILN_CORE_FRONT_SPIRV_SPIRV_TYPES_H_
#define KILN_CORE_FRONT_SPIRV_SPIRV_TYPES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/front/spirv/spirv.h"
#include "core/front/spirv/spirv_decorations.h"

namespace kiln::front {

// Lifetime: the reading of one module, whose bound is known.
class TypeReader {
 public:
  // `decorations` must outlive this.
  TypeReader(SpirvModule& module, DecorationReader& decorations)
      : m_(module), decorations_(decorations), forward_(module.bound) {}

  // An instruction with a result and no result type.
  absl::Status Read(const SpirvInst& inst);
  absl::Status ReadForwardPointer(const SpirvInst& inst);
  // When everything is read: whether all that was announced came.
  absl::Status Finish() const;

 private:
  absl::Status Make(const SpirvInst& inst, SpirvType& type);
  absl::Status MakeScalar(const SpirvInst& inst, SpirvType& type);
  absl::Status MakeVector(const SpirvInst& inst, SpirvType& type);
  absl::Status MakeArray(const SpirvInst& inst, SpirvType& type);
  absl::Status ArrayLength(const SpirvInst& inst, uint32_t* length);
  absl::Status MakeStruct(const SpirvInst& inst, SpirvType& type);
  absl::Status MakeFunction(const SpirvInst& inst, SpirvType& type);
  absl::Status MakePointer(const SpirvInst& inst, SpirvType& type);
  bool IsForward(uint32_t id) const { return id < m_.bound && forward_[id]; }

  SpirvModule& m_;
  DecorationReader& decorations_;
  std::vector<bool> forward_;             // ids of OpTypeForwardPointer
  std::vector<uint32_t> pointers_ahead_;  // to types that were not there yet
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPIRV_TYPES_H_
