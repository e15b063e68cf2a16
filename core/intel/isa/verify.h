// EU verifier: rules that a well-formed encoding must still obey, as named restrictions.
//
// Each restriction is a row: a name, what it says, for which generations it holds by which source,
// and a predicate over one decoded instruction. Rules over a whole program (branch targets, end of
// thread) are rows without a predicate and are checked by Verify itself. Nothing here repairs; the
// back end must not produce a finding, and binaries that the reference compiler makes give none.
// Cost: linear, a few dozen comparisons an instruction.
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
  Rulings by;                                               // of each generation, whether it holds
  bool (*broken)(Generation gen, const Instruction& inst);  // null: a rule over programs
};

absl::Span<const Restriction> Restrictions();
const ColumnTable& RestrictionTable();

struct Finding {
  uint32_t offset = 0;  // bytes, or the index where the caller has no offsets
  absl::string_view restriction;
  std::string text;  // the rule and the instruction
};

// Restrictions that one instruction breaks. Unimplemented, isa_table_unfilled, for a generation of
// which not every row says whether it holds (columns.h).
absl::StatusOr<std::vector<const Restriction*>> BrokenBy(Generation gen, const Instruction& inst);

// All findings of a program, in program order. Errors as above.
absl::StatusOr<std::vector<Finding>> Verify(Generation gen,
                                            absl::Span<const PlacedInstruction> program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_VERIFY_H_
