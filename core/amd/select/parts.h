// Bytes and words of dwords, which conversions read in place (v_cvt_f32_ubyte, SDWA), and pairs of
// words, which v_perm puts together. Internal to this folder.
//
// The masks and shifts that name a part, or put one in its place, get no code if all their readers
// do without.
#ifndef KILN_CORE_AMD_SELECT_PARTS_H_
#define KILN_CORE_AMD_SELECT_PARTS_H_

#include <cstdint>
#include <optional>

#include "core/amd/select/emission.h"

namespace kiln::amd {

// Bits of a dword: a byte or a word at a multiple of its size.
struct Part {
  mir::ValueId dword;
  uint32_t first = 0;
  uint32_t bits = 0;
};

// The low words of two numbers as the halves of a dword.
struct WordPair {
  mir::ValueId low, high;
};

class Parts {
 public:
  explicit Parts(Emission& e) : e_(e), m_(e.module()) {}

  // Returns the part that the conversion `id` to a float reads, if it is one that an instruction
  // converts in place.
  std::optional<Part> ConvertedBy(mir::InstId id) const;
  // Returns the words that the `or` puts together; divergent ones only.
  std::optional<WordPair> PairOf(mir::InstId id);
  // Returns true if all readers of the mask, shift or widening do without it.
  bool IsAbsorbed(mir::InstId id);

 private:
  std::optional<Part> PartOf(mir::ValueId v) const;
  std::optional<uint32_t> Constant(mir::InstId id, int source) const;
  bool HasOneReader(mir::ValueId v);
  mir::ValueId LowWord(mir::ValueId v, bool rest_is_zero);

  Emission& e_;
  const mir::Module& m_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_PARTS_H_
