// The packed instruction that computes what an instruction of 16 bits does, twice. Internal to this
// folder.
#ifndef KILN_CORE_AMD_OPTIMISE_PACKED_FORM_H_
#define KILN_CORE_AMD_OPTIMISE_PACKED_FORM_H_

#include <array>
#include <optional>

#include "core/amd/isa/opcodes.h"
#include "core/amd/optimise/word.h"

namespace kiln::amd {

// An operation on words as a packed instruction has it. Differences of floats are sums with a
// negated source.
struct PackedForm {
  isa::Opcode op = isa::Opcode::kSNop;
  bool is_float = false;
  bool commutes = false;  // sources 0 and 1 may be exchanged
  bool saturates = false;
  int sources = 0;
  std::array<Word, 3> words;
  std::array<bool, 3> negated = {};  // never of a constant
};

// Returns true if a packed instruction may compute what the operation does.
bool HasPackedForm(uint16_t op);

// Returns none for an instruction that no packed one computes: another operation, absolute values,
// forms with parts or other lanes.
std::optional<PackedForm> PackedFormOf(const lir::Function& f, const lir::DefUse& info,
                                       lir::InstId id);

// Returns true if one instruction could compute both.
inline bool CanShare(const PackedForm& a, const PackedForm& b) {
  return a.op == b.op && a.saturates == b.saturates;
}

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_OPTIMISE_PACKED_FORM_H_
