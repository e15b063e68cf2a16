// The fields of an instruction of LIR besides its operands: modifiers, offsets, cache bits. The
// side row of every isa operation (lir::Function::side).
#ifndef KILN_CORE_AMD_LIR_EXTRA_H_
#define KILN_CORE_AMD_LIR_EXTRA_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/amd/isa/instruction.h"
#include "core/lir/lir.h"
#include "core/lir/side.h"

namespace kiln::amd {

// Bits of Extra::cache and Extra::flags.
enum CacheBits : uint8_t { kGlc = 1, kSlc = 2, kDlc = 4 };
enum ExtraFlags : uint8_t {
  kIdxen = 1,
  kOffen = 2,
  kTfe = 4,
  kLwe = 8,
  kUnnormalised = 16,
  kR128 = 32,
  kA16 = 64,
  kD16 = 128,
};

// Fields have the meaning of those of isa::Instruction with their names; all are 0 by default.
// Negation and absolute value are Operand::mods, clamp is kSaturate.
struct Extra {
  int32_t offset = 0;
  uint32_t dpp_lanes = 0;
  uint16_t dpp_control = 0;
  uint16_t simm = 0;
  uint8_t form = 0;  // isa::Form: kPlain leaves the choice to emission; else kDpp16, kDpp8, kSdwa
  uint8_t dpp_masks = 0;  // rows, then banks << 4
  uint8_t dpp_flags = 0;  // 1 bound_control, 2 fetch_inactive
  uint8_t omod = 0;
  uint8_t op_sel = 0;
  uint8_t op_sel_hi = 0;
  uint8_t neg_hi = 0;
  uint8_t sdwa_dst = 0;  // dst_sel, then dst_unused << 4
  uint8_t sdwa_src0 = 0, sdwa_src1 = 0;
  uint8_t sdwa_sext = 0;
  uint8_t cache = 0;
  uint8_t flags = 0;
  uint8_t dmask = 0;
  uint8_t dim = 0;
  uint8_t format = 0;
  uint8_t offset1 = 0;
  uint8_t exact = 0;  // 1: not for lanes that help
  uint8_t target = 0;
  uint8_t enable = 0;
  uint8_t export_flags = 0;  // 1 done, 2 compressed, 4 valid mask
  uint8_t attribute = 0;
  uint8_t channel = 0;
  uint8_t high = 0;
  friend bool operator==(const Extra&, const Extra&) = default;
};

inline Extra ExtraOf(const lir::Function& f, const lir::Inst& in) {
  return lir::RecordOf<Extra>(f.side[in.aux]);
}
// Adds the record to the function's side rows; returns its index, for Inst::aux.
inline uint32_t AddExtra(lir::Function& f, const Extra& extra) {
  return lir::InternSide(f, lir::RowOf(extra));
}

// Text: names and values of the fields that are not 0: "offset 16 cache 1".
std::string PrintExtra(const lir::SideRow& row);
bool ParseExtra(std::string_view text, lir::SideRow* row);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_LIR_EXTRA_H_
