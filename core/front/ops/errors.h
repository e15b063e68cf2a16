// Holds an import's first error and its remaining instruction budget.
//
// Anything emitted after the first error is meaningless and discarded. From then on the functions
// that can fail return false, and their callers stop. Lifetime: one import.
#ifndef KILN_CORE_FRONT_OPS_ERRORS_H_
#define KILN_CORE_FRONT_OPS_ERRORS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/base/cause.h"
#include "core/front/grammar/spirv_enums.h"

namespace kiln::front {

// Number of scalar copies that an import may make for each instruction it may emit.
inline constexpr uint64_t kWorkPerInstruction = 64;

class Errors {
 public:
  // `capabilities`, the ones that the module declares, must outlive this.
  Errors(const std::vector<spv::Capability>& capabilities, uint64_t max_instructions)
      : capabilities_(capabilities), max_instructions_(max_instructions) {}

  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }

  // Keep the error if it is the first, with the instruction being emitted attached. All return
  // false, so that a caller can `return Malformed(...)`. `Refuse` names the first declared
  // capability that is refused for that cause. Ids are SPIR-V's, 0: none.
  bool Fail(absl::Status status);
  bool Refuse(std::string_view cause, Detail detail, uint32_t id = 0);
  bool Malformed(const std::string& detail, uint32_t id = 0);

  // Counts scalar copies, which almost every instruction makes. `instructions`: number of MIR
  // instructions so far. Returns false after an error; too many of either is one.
  bool Charge(uint64_t work, size_t instructions) {
    work_ += work;
    const bool fits =
        instructions <= max_instructions_ && work_ <= max_instructions_ * kWorkPerInstruction;
    return fits ? ok() : RefuseSize();
  }

  // Sets the SPIR-V id of the function being walked, which the error for a too large module names.
  void set_function(uint32_t id) { function_ = id; }
  // Sets the offset of the instruction being emitted, in the module's words; 0: none.
  void set_instruction(uint32_t offset) { instruction_ = offset; }
  uint32_t instruction() const { return instruction_; }

 private:
  bool RefuseSize();

  const std::vector<spv::Capability>& capabilities_;
  const uint64_t max_instructions_;
  absl::Status status_ = absl::OkStatus();
  uint64_t work_ = 0;
  uint32_t function_ = 0;
  uint32_t instruction_ = 0;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_OPS_ERRORS_H_
