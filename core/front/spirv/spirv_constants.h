// Evaluates constants as they are read: bits by leaf in SpirvModule::constant_leaves. Values given
// for specialisation constants replace their literals, so that everything derived from them
// follows.
#ifndef KILN_CORE_FRONT_SPIRV_SPIRV_CONSTANTS_H_
#define KILN_CORE_FRONT_SPIRV_SPIRV_CONSTANTS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

// Lifetime: the reading of one module.
class ConstantReader {
 public:
  ConstantReader(SpirvModule& module, absl::Span<const SpecConstant> specialisation)
      : m_(module), specialisation_(specialisation) {}

  // Reads an instruction with a result and a result type, outside functions.
  absl::Status Read(const SpirvInst& inst);

 private:
  absl::Status Make(const SpirvInst& inst, const SpirvType& type, SpirvConstant& c);
  absl::Status MakeScalar(const SpirvInst& inst, const SpirvType& type);
  absl::Status MakeComposite(const SpirvInst& inst, const SpirvType& type);
  absl::Status MakeReplica(const SpirvInst& inst, const SpirvType& type);
  void AppendLeaves(SpirvConstant part);
  // Returns the value given for a constant that can be specialised.
  std::optional<uint64_t> Override(uint32_t id) const;

  SpirvModule& m_;
  absl::Span<const SpecConstant> specialisation_;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPIRV_CONSTANTS_H_
