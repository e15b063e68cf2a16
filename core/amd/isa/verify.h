// Verifier of gfx1030's code: rules that a well-formed encoding must still obey, by name.
//
// Each rule is a row: a name, its statement, its source, and a predicate over one instruction.
// Rules over a whole program (branch targets, clauses, its end) are rows without a predicate. The
// verifier repairs nothing: the back end must not produce a finding, and binaries of the reference
// compiler have none. Cost: linear, a few dozen comparisons an instruction.
#ifndef KILN_CORE_AMD_ISA_VERIFY_H_
#define KILN_CORE_AMD_ISA_VERIFY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/instruction.h"
#include "core/amd/isa/operands.h"

namespace kiln::amd::isa {

struct Rule {
  absl::string_view name;
  absl::string_view statement;
  absl::string_view source;
  // `uses` are the instruction's operands. Null: a rule over programs.
  bool (*broken)(const Instruction& inst, Wave wave, const OperandUses& uses);
  // The encodings of which instructions can break it, a bit for each.
  uint32_t of = ~uint32_t{0};
};

absl::Span<const Rule> Rules();

struct Finding {
  uint32_t offset = 0;     // bytes
  absl::string_view rule;  // its name
  std::string text;        // the statement and the instruction
};

// Returns the rules that one instruction breaks.
std::vector<const Rule*> BrokenBy(const Instruction& inst, Wave wave);

// Returns all findings of a program, in program order.
std::vector<Finding> Verify(absl::Span<const PlacedInstruction> program, Wave wave);

}  // namespace kiln::amd::isa

#endif  // KILN_CORE_AMD_ISA_VERIFY_H_
