// Reads types in order: their parts are defined before them, except the pointees of pointers.
//
// An unsupported type is recorded with its cause of refusal. A pointer may name a pointee that is
// not defined yet, and OpTypeForwardPointer a pointer; Finish checks that they were defined.
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

  // Reads an instruction with a result and no result type.
  absl::Status Read(const SpirvInst& inst);
  absl::Status ReadForwardPointer(const SpirvInst& inst);
  // Checks, after everything is read, that all forward references were defined.
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
  std::vector<uint32_t> pointers_ahead_;  // pointers to types that were not defined yet
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPIRV_TYPES_H_
