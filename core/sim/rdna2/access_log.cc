// See access_log.h.
#include "core/sim/rdna2/access_log.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_format.h"
#include "core/sim/rdna2/contract_rules.h"

namespace kiln::sim::rdna2 {

uint32_t AccessLog::Begin(uint32_t op, uint32_t wave, uint32_t phase) {
  Issued issued;
  issued.op = op;
  issued.wave = wave;
  issued.begun = phase;
  issued_.push_back(issued);
  return static_cast<uint32_t>(issued_.size());
}

// The instruction under way is ordered behind `earlier` by a barrier before which that one had not
// ended.
void AccessLog::Judge(uint32_t earlier, Space space, uint64_t address, bool earlier_writes) {
  const Issued& a = issued_[earlier - 1];
  const Issued& b = issued_.back();
  if (a.wave == b.wave || b.begun <= a.begun || b.begun > a.done || !status_.ok()) return;
  const Op& op = program_->ops[a.op];
  const Counter wait = RequiredWait(ProducerOf(op), false, Hazard::kAcrossBarrier);
  if (wait == Counter::kNone) return;
  // The address of a texel is one of this process.
  const std::string where = space == Space::kLds     ? absl::StrFormat("LDS at 0x%x", address)
                            : space == Space::kMemory ? absl::StrFormat("memory at 0x%x", address)
                                                      : "a texel";
  status_ = OpError(
      absl::StatusCode::kFailedPrecondition, program_->ops[b.op], program_->wave,
      absl::StrFormat("contract: accesses %s, which wave %d may %s later, because it did not wait "
                      "for %s of \"%s\" before the barrier",
                      where, a.wave, earlier_writes ? "write" : "read", NameOf(wait),
                      Describe(op, program_->wave)));
}

void AccessLog::Note(Space space, uint64_t address, uint32_t bytes, Use use) {
  if (one_cache_ && space != Space::kLds) return;
  const auto now = static_cast<uint32_t>(issued_.size());
  for (uint64_t a = address / 4 * 4; a < address + bytes; a += 4) {
    Dword& dword = dwords_[a << 2 | static_cast<uint64_t>(space)];
    const bool both_atomic = dword.atomic && use == Use::kAtomic;
    if (dword.writer != 0 && !both_atomic) Judge(dword.writer, space, a, true);
    if (use == Use::kRead) {
      const uint32_t wave = issued_.back().wave;
      const auto same = std::find_if(dword.readers.begin(), dword.readers.end(), [&](uint32_t r) {
        return issued_[r - 1].wave == wave;
      });
      if (same != dword.readers.end()) {
        *same = now;
      } else {
        dword.readers.push_back(now);
      }
      continue;
    }
    for (uint32_t r : dword.readers) Judge(r, space, a, false);
    dword.readers.clear();
    dword.writer = now;
    dword.atomic = use == Use::kAtomic;
  }
}

}  // namespace kiln::sim::rdna2
