// See push_ranges.h.
#include "core/sim/eu/push_ranges.h"

#include "absl/strings/str_format.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

absl::Status CheckPushedRanges(const out::LaunchRecord& record) {
  constexpr uint32_t kMaxRanges = 4, kMaxRegisters = 64;
  const out::IntelLaunch& intel = out::IntelOf(record);
  uint32_t ranges = 0;
  bool block = false;
  for (const out::PushPart& p : record.push) {
    if (p.source != out::PushSource::kUbo && p.source != out::PushSource::kDescriptorMemory) {
      block = true;
      continue;
    }
    ++ranges;
    if (p.at % kGrfBytes != 0 || p.bytes % kGrfBytes != 0 || p.offset % kGrfBytes != 0) {
      return absl::InvalidArgumentError(
          absl::StrFormat("launch record: r%d has a piece of a buffer that is not whole registers",
                          intel.push_first_register + p.at / kGrfBytes));
    }
  }
  if (ranges + (block ? 1 : 0) > kMaxRanges || intel.push_registers > kMaxRegisters) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "launch record: %d ranges and %d registers of constants; the hardware has 4 and 64",
        ranges + (block ? 1 : 0), intel.push_registers));
  }
  return absl::OkStatus();
}

}  // namespace kiln::sim::eu
