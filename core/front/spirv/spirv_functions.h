// Reads functions as lists of blocks, blocks as lists of instructions. Among the instructions in a
// block it interprets only merges and terminators.
#ifndef KILN_CORE_FRONT_SPIRV_SPIRV_FUNCTIONS_H_
#define KILN_CORE_FRONT_SPIRV_SPIRV_FUNCTIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

// Lifetime: the reading of one module.
class FunctionReader {
 public:
  explicit FunctionReader(SpirvModule& module) : m_(module) {}

  // Reads an OpFunction, or any instruction after one.
  absl::Status Read(const SpirvInst& inst, uint32_t offset);
  // Returns true if a function has begun and not ended.
  bool inside() const { return in_function_; }
  // Checks, after everything is read, that no function is unfinished.
  absl::Status Finish() const;

 private:
  absl::Status Begin(const SpirvInst& inst);
  absl::Status Parameter(const SpirvInst& inst, uint32_t offset);
  absl::Status End();
  absl::Status Label(const SpirvInst& inst);
  absl::Status Body(const SpirvInst& inst, uint32_t offset);
  // Index of the function being read.
  uint32_t index() const { return static_cast<uint32_t>(m_.functions.size()); }

  SpirvModule& m_;
  bool in_function_ = false;
  bool in_block_ = false;
  SpirvFunction function_;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPIRV_FUNCTIONS_H_
