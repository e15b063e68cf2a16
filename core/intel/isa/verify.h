// EU verifier: rules that a well-formed encoding must still obey, as named restrictions.
//
// Each restriction is a row: a name, its statement, the generations for which it holds and by which
// source, and a predicate over one decoded instruction. Rules over a whole program (branch targets,
// end of thread) are rows without a predicate; Verify checks them itself. The verifier repairs
// nothing: the back end must not produce a finding, and binaries of the reference compiler have
// none. Cost: linear, a few dozen comparisons an instruction.
#ifndef KILN_CORE_INTEL_ISA_VERIFY_H_
#define KILN_CORE_INTEL_ISA_VERIFY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/intel/isa/columns.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

struct Restriction {
  absl::string_view name;
  absl::string_view rule;
  // for each generation, whether the rule holds
  Rulings by;
  bool (*broken)(Generation gen, const Instruction& inst);  // null: a rule over programs
};

absl::Span<const Restriction> Restrictions();
const ColumnTable& RestrictionTable();

struct Finding {
  uint32_t offset = 0;  // bytes, or the index where the caller has no offsets
  absl::string_view restriction;
  std::string text;  // the rule and the instruction
};

// Returns the restrictions that one instruction breaks. Unimplemented, isa_table_unfilled, for a
// generation for which some row does not say whether it holds (columns.h).
absl::StatusOr<std::vector<const Restriction*>> BrokenBy(Generation gen, const Instruction& inst);

// Returns all findings of a program, in program order. Errors as above.
absl::StatusOr<std::vector<Finding>> Verify(Generation gen,
                                            absl::Span<const PlacedInstruction> program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_VERIFY_H_
