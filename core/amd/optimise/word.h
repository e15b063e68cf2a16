// Words of dwords: where operands of 16 bits are, and which instructions read them in place.
// Internal to this folder.
#ifndef KILN_CORE_AMD_OPTIMISE_WORD_H_
#define KILN_CORE_AMD_OPTIMISE_WORD_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/amd/lir/extra.h"
#include "core/lir/def_use.h"
#include "core/lir/lir.h"

namespace kiln::amd {

// 16 bits that an instruction reads: a word of a dword in a register, or a constant.
struct Word {
  lir::Operand dword;  // one component of a value, without modifiers; of a constant the word itself
  bool high = false;

  bool is_constant() const { return dword.kind == lir::Operand::Kind::kImm; }
  bool is_value() const { return lir::IsValue(dword); }
};

inline bool SameDword(const lir::Operand& a, const lir::Operand& b) {
  return lir::IsValue(a) && lir::IsValue(b) && a.id == b.id && a.comp == b.comp;
}

// Returns true if the instruction moves the high word of its source to the low one of its result.
bool IsHighToLow(const lir::Function& f, lir::InstId id);

// Returns what the low word of the operand is: shifts by a word, masks and copies of constants are
// looked through. The modifiers of the operand are left out.
Word WordOf(const lir::Function& f, const lir::DefUse& info, const lir::Operand& operand);

// Returns true if the instruction puts two low words together: v_perm_b32 of the high one, the low
// one and kPackSelector.
inline constexpr uint32_t kPackSelector = 0x05040100;
bool IsPack(const lir::Function& f, lir::InstId id);

// Returns true if of this use of the instruction only the low word counts.
bool ReadsLowWord(const lir::Function& f, lir::InstId id, size_t use);

// Returns true if the instruction could read the high word of a dword in place of the low word that
// this use names: by op_sel, SDWA or a store of the high word (d16_hi).
bool CanReadHighWord(const lir::Function& f, lir::InstId id, size_t use);
// Makes it read the high word of `dword`; the modifiers of the use stay.
void ReadHighWord(lir::Function& f, lir::InstId id, size_t use, const lir::Operand& dword);

// The readers of each value.
class Readers {
 public:
  struct Reader {
    lir::InstId inst;  // invalid: an edge
    uint32_t place;    // position among the uses, or among the arguments
    lir::BlockId from;
    lir::BlockId to;  // of an edge: the block whose parameter the argument is for
  };
  explicit Readers(const lir::Function& f);
  absl::Span<const Reader> Of(uint32_t value) const {
    return absl::MakeConstSpan(readers_).subspan(first_[value], first_[value + 1] - first_[value]);
  }

 private:
  std::vector<uint32_t> first_;  // by value, and the end
  std::vector<Reader> readers_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_OPTIMISE_WORD_H_
