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

// Finds an error if a barrier orders the instruction under way behind `earlier`, which had not
// ended before that barrier.
void AccessLog::Judge(const Access& earlier, Space space, uint64_t address) {
  const Issued& a = issued_[earlier.number - 1];
  const Issued& b = issued_.back();
  if (a.wave == b.wave || b.begun <= a.begun || b.begun > a.done || !status_.ok()) return;
  const Op& op = program_->ops[a.op];
  const Counter wait = RequiredWait(ProducerOf(op), false, Hazard::kAcrossBarrier);
  if (wait == Counter::kNone) return;
  // The address of a texel is one of this process.
  const std::string where = space == Space::kLds      ? absl::StrFormat("LDS at 0x%x", address)
                            : space == Space::kMemory ? absl::StrFormat("memory at 0x%x", address)
                                                      : "a texel";
  status_ = OpError(
      absl::StatusCode::kFailedPrecondition, program_->ops[b.op], program_->wave,
      absl::StrFormat("contract: accesses %s, which wave %d may %s later, because it did not wait "
                      "for %s of \"%s\" before the barrier",
                      where, a.wave, earlier.use == Use::kRead ? "read" : "write", NameOf(wait),
                      Describe(op, program_->wave)));
}

// Returns true if no later access can be behind a barrier which `access` outlives. All waves that
// have not ended have passed as many barriers as the one that accesses now.
bool AccessLog::IsSettled(const Access& access) const {
  const Issued& a = issued_[access.number - 1];
  return a.done == a.begun || a.done < issued_.back().begun;
}

// An instruction takes the place of an earlier one of its wave and kind between the same barriers,
// which ends no later.
void AccessLog::Remember(Use use, Dword& dword) const {
  const Issued& now = issued_.back();
  const auto number = static_cast<uint32_t>(issued_.size());
  for (Access& access : dword) {
    const Issued& a = issued_[access.number - 1];
    if (a.wave != now.wave || a.begun != now.begun || access.use != use) continue;
    if (ProducerOf(program_->ops[a.op]) != ProducerOf(program_->ops[now.op])) continue;
    access.number = number;
    return;
  }
  dword.push_back({number, use});
}

void AccessLog::Note(Space space, uint64_t address, uint32_t bytes, Use use) {
  if (one_cache_ && space != Space::kLds) return;
  for (uint64_t a = address / 4 * 4; a < address + bytes; a += 4) {
    Dword& dword = dwords_[a << 2 | static_cast<uint64_t>(space)];
    dword.erase(std::remove_if(dword.begin(), dword.end(),
                               [this](const Access& access) { return IsSettled(access); }),
                dword.end());
    for (const Access& earlier : dword) {
      const bool alike = earlier.use == use && use != Use::kWrite;  // reads, or atomics
      if (!alike) Judge(earlier, space, a);
    }
    Remember(use, dword);
  }
}

}  // namespace kiln::sim::rdna2
