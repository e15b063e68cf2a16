// Instructions that put words into dwords, for sources of packed instructions. Internal to this
// folder.
#ifndef KILN_CORE_AMD_OPTIMISE_PACK_WORDS_H_
#define KILN_CORE_AMD_OPTIMISE_PACK_WORDS_H_

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "absl/types/span.h"
#include "core/amd/lir/extra.h"
#include "core/amd/optimise/word.h"
#include "core/lir/lir.h"

namespace kiln::amd {

// Returns the selector with which v_perm_b32 of the high and the low word's dwords puts the words
// together.
constexpr uint32_t PackSelector(bool low_is_high, bool high_is_high) {
  return kPackSelector + (low_is_high ? 0x0202u : 0) + (high_is_high ? 0x02020000u : 0);
}

// A dword as the source of a packed instruction, and which of its words the two results take.
struct PackedSource {
  lir::Operand dword;
  bool low_is_high = false, high_is_high = true;
};

// Makes a list of instructions. Two words are put together once in a list.
class WordPacker {
 public:
  explicit WordPacker(lir::Function& f) : f_(f) {}

  // Begins a list; the caller has taken over the previous one.
  void Start();
  // Instructions made from now on are of this SPIR-V id.
  void SetSpirvId(uint32_t id) { spirv_id_ = id; }
  void Append(lir::InstId id) { order_.push_back(id); }
  const std::vector<lir::InstId>& order() const { return order_; }
  bool made_any() const { return made_any_; }  // in any list

  // Returns a new value, a vector register.
  lir::Operand NewDword();
  void Emit(uint16_t op, lir::Operand def, absl::Span<const lir::Operand> uses, const Extra& extra,
            uint8_t flags = 0);
  // Returns the operand in a vector register of its own.
  lir::Operand Copied(const lir::Operand& o);
  // Returns a dword of the two words with every bit kept.
  lir::Operand PackedBits(const Word& low, const Word& high);
  // Returns where the words are in one dword, which is made if there is none; as_floats: readers
  // take them as floats.
  PackedSource SourceOf(const Word& low, const Word& high, bool as_floats);

 private:
  lir::Operand PackedFloats(const Word& low, const Word& high);
  lir::Operand Packed(const Word& low, const Word& high, bool as_floats);

  lir::Function& f_;
  std::vector<lir::InstId> order_;
  std::map<std::tuple<uint64_t, uint64_t, bool>, lir::Operand> packs_;
  uint32_t spirv_id_ = 0;
  bool made_any_ = false;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_OPTIMISE_PACK_WORDS_H_
