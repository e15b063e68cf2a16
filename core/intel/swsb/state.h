// What may be pending on each register at one point of the program: the lattice of the scoreboard
// dataflow.
//
// Resources: GRFs, a0 as one, accumulators. Positions count in-order instructions from the start
// of the current block; producers in earlier blocks have negative positions.
//
// Three ledgers are kept apart, because waits differ in what they cover: what masked consumers must
// wait for of masked producers, what anybody must wait for of NoMask producers, and what NoMask
// consumers must wait for of masked producers. The last differs from the first where a block may
// run with all channels off: a masked instruction's wait is then skipped, and a NoMask instruction
// after it in the block still runs beside the masked producers before the block.
#ifndef KILN_CORE_INTEL_SWSB_STATE_H_
#define KILN_CORE_INTEL_SWSB_STATE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "core/intel/isa/footprint.h"

namespace kiln::intel::swsb {

inline constexpr int kAddressResource = isa::kGrfCount;
inline constexpr int kAccumulatorResource = kAddressResource + 1;
inline constexpr int kResources = kAccumulatorResource + 16;

// In-order instructions farther back than this have completed: the pipeline is no longer
// (distances above 10 never matter; fact from the reference compiler's scoreboard pass).
inline constexpr int kPipelineLength = 10;

using Position = int32_t;
inline constexpr Position kNone = std::numeric_limits<Position>::min();

enum Ledger { kMasked = 0, kNoMask = 1, kMaskedForNoMask = 2 };
inline constexpr int kLedgers = 3;

// Who a wait was carried by, and so which ledgers it clears.
enum class Carrier {
  kMaskedSkippable,  // kMasked
  kMasked,           // kMasked, kMaskedForNoMask: the block never runs with all channels off
  kNoMask,           // all
};

inline bool Covers(Carrier carrier, int ledger) {
  switch (ledger) {
    case kMasked:
      return true;
    case kMaskedForNoMask:
      return carrier != Carrier::kMaskedSkippable;
    default:
      return carrier == Carrier::kNoMask;
  }
}

struct Pending {
  Position write[kLedgers] = {kNone, kNone, kNone};  // last in-order writer, by ledger
  Position read[kLedgers] = {kNone, kNone, kNone};   // last in-order reader
  uint16_t dst[kLedgers] = {0, 0, 0};                // tokens whose destination this may be
  uint16_t src[kLedgers] = {0, 0, 0};                // tokens that may read this
  friend bool operator==(const Pending&, const Pending&) = default;
};

struct State {
  std::array<Pending, kResources> pending;
  // In-order producers at or before these have completed.
  Position done[kLedgers] = {kNone, kNone, kNone};
  bool special = false;  // the previous instruction used a register that nothing protects
  bool reached = false;

  friend bool operator==(const State&, const State&) = default;

  // Joins `from`, the state after `length` in-order instructions of its block, into this one, the
  // state before the first instruction of a block.
  void Join(const State& from, Position length) {
    reached = true;
    special |= from.special;
    for (int c = 0; c < kLedgers; ++c) {
      const Position done = std::max(from.done[c], length - kPipelineLength - 1);
      const auto moved = [=](Position p) { return p <= done ? kNone : p - length; };
      for (int r = 0; r < kResources; ++r) {
        pending[r].write[c] = std::max(pending[r].write[c], moved(from.pending[r].write[c]));
        pending[r].read[c] = std::max(pending[r].read[c], moved(from.pending[r].read[c]));
        pending[r].dst[c] |= from.pending[r].dst[c];
        pending[r].src[c] |= from.pending[r].src[c];
      }
    }
  }

  // A wait for token.dst (or only .src) has passed.
  void ClearTokens(uint16_t dst_tokens, uint16_t src_tokens, Carrier carrier) {
    const uint16_t src = dst_tokens | src_tokens;  // a written destination implies read sources
    if (src == 0) return;
    for (Pending& p : pending) {
      for (int c = 0; c < kLedgers; ++c) {
        if (!Covers(carrier, c)) continue;
        p.dst[c] &= ~dst_tokens;
        p.src[c] &= ~src;
      }
    }
  }

  // All in-order producers at or before `position` have completed.
  void ClearOrdered(Position position, Carrier carrier) {
    for (int c = 0; c < kLedgers; ++c) {
      if (Covers(carrier, c)) done[c] = std::max(done[c], position);
    }
  }

  // The last in-order writer and reader of a register that may still be under way, or kNone.
  Position Writer(int r, int c) const {
    const Position p = pending[r].write[c];
    return p <= done[c] ? kNone : p;
  }
  Position Reader(int r, int c) const {
    const Position p = pending[r].read[c];
    return p <= done[c] ? kNone : p;
  }
};

}  // namespace kiln::intel::swsb

#endif  // KILN_CORE_INTEL_SWSB_STATE_H_
