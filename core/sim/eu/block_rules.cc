// See block_rules.h.
#include "core/sim/eu/block_rules.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace kiln::sim::eu {
namespace {

using M = isa::Message;
using enum MaskRule;

constexpr MaskRow kRows[] = {
    {M::kBlockWrite, kDwords, 16, "mesa-spill; igc-spill"},
    {M::kBlockRead, kWhole, 16, "mesa-spill; igc-spill: fills have no mask"},
    {M::kScratchWrite, kDwords, 32, "igc-spill: dword mode (oword mode is as kWhole)"},
    {M::kScratchRead, kWhole, 32, "igc-spill: fills have no mode and no mask"},
    {M::kBlockReadUnaligned, kWhole, 4, "visa; mesa-block"},
    {M::kConstBlockRead, kWhole, 16, "visa; mesa-block"},
    {M::kConstBlockReadUnaligned, kWhole, 4, "visa; mesa-block"},
    {M::kA64BlockRead, kWhole, 16, "visa; mesa-block (4 where the descriptor says unaligned)"},
    {M::kA64BlockWrite, kWhole, 16, "visa; mesa-block"},
    {M::kUntypedRead, kLanes, 4, "visa-scatter"},
    {M::kUntypedWrite, kLanes, 4, "visa-scatter"},
    {M::kUntypedAtomic, kLanes, 4, "visa-scatter"},
    {M::kUntypedAtomicFloat, kLanes, 4, "visa-scatter"},
    {M::kDwordScatteredRead, kLanes, 4, "visa-scatter"},
    {M::kDwordScatteredWrite, kLanes, 4, "visa-scatter"},
    {M::kByteScatteredRead, kLanes, 1, "visa-scatter"},
    {M::kByteScatteredWrite, kLanes, 1, "visa-scatter"},
    {M::kA64UntypedRead, kLanes, 4, "visa-scatter"},
    {M::kA64UntypedWrite, kLanes, 4, "visa-scatter"},
    {M::kA64ScatteredRead, kLanes, 1, "visa-scatter"},
    {M::kA64ScatteredWrite, kLanes, 1, "visa-scatter"},
    {M::kA64Atomic, kLanes, 4, "visa-scatter (8 for elements of 8 bytes)"},
    {M::kA64AtomicFloat, kLanes, 4, "visa-scatter"},
};

constexpr int kMaxLanes = 16;  // of a block
constexpr int kRegisterDwords = 8;

absl::Status Unknown(const Message& m, uint32_t lanes, absl::string_view why) {
  return absl::UnimplementedError(
      absl::StrFormat("unsupported message: %s with lanes 0x%04x of it on: %s",
                      isa::Info(m.message).name, lanes, why));
}

}  // namespace

absl::Span<const MaskRow> MaskRows() { return kRows; }

const MaskRow& MaskRowOf(isa::Message message) {
  const MaskRow* row = std::find_if(std::begin(kRows), std::end(kRows),
                                    [message](const MaskRow& r) { return r.message == message; });
  assert(row != std::end(kRows));
  return *row;
}

absl::StatusOr<uint32_t> DwordsOf(const Message& m, uint32_t lanes) {
  const int dwords = m.block_bytes / 4;
  const int standing = std::clamp(dwords, kRegisterDwords, kMaxLanes);
  const uint32_t all = (1u << standing) - 1;
  if ((lanes & all) == all) return ~0u;
  if (MaskRowOf(m.message).rule != kDwords) {
    return Unknown(m, lanes & all, "it is only known to be sent without a mask");
  }
  if (m.kind == MessageKind::kScratchWrite && !m.dword_mode) {
    return Unknown(m, lanes & all, "in oword mode no source says what a mask does");
  }
  if (dwords < kRegisterDwords || dwords > kMaxLanes) {
    return Unknown(m, lanes & all,
                   "no source says which lanes stand for which dwords of a block of this length");
  }
  return lanes & all;
}

}  // namespace kiln::sim::eu
