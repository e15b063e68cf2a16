// Selection of conversions between numbers of all widths, and parts of wider values. Internal to
// this folder.
#ifndef KILN_CORE_INTEL_SELECT_CONVERSIONS_H_
#define KILN_CORE_INTEL_SELECT_CONVERSIONS_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class Conversions : public Room {
 public:
  explicit Conversions(Emission& e) : Room(e) {}

  Operand Widened(mir::ValueId v, Where where, bool is_signed);
  Operand ToHalf(Where where, Operand source);
  std::optional<Operand> NarrowPart(mir::ValueId v) const;
  Operand WordPart(mir::ValueId v) const;
  Operand Packed(Where where, std::vector<Operand> parts);
  void EmitPack(Where where, const Operand& def, absl::Span<const Operand> parts);
  Operand Conversion(mir::InstId id, Where where);
  Operand PackedWords(mir::InstId id, Where where);

 private:
  Operand IntToFloat(mir::InstId id, Where where, bool is_signed);
  Operand FloatToInt(mir::InstId id, Where where, bool is_signed);
  Operand IntToInt(mir::InstId id, Where where, bool is_signed);
  std::optional<Operand> PartOf(mir::ValueId x, uint64_t first_bit, uint64_t bits,
                                bool is_signed) const;
  Operand Truncated(mir::InstId id) const;
  Operand LowWord(mir::ValueId v, bool rest_is_zero) const;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_CONVERSIONS_H_
