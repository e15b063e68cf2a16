// What may be pending on each register at one point of the program: the lattice of the scoreboard
// dataflow.
//
// Resources: GRFs, a0 as one, accumulators. Positions count in-order instructions from the start
// of the current block; producers in earlier blocks have negative positions. Two classes of
// producers are kept apart, masked (0) and NoMask (1), because waits differ in which they cover.
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

enum ProducerClass { kMasked = 0, kNoMask = 1 };

struct Pending {
  Position write[2] = {kNone, kNone};  // last in-order writer, by class
  Position read[2] = {kNone, kNone};   // last in-order reader
  uint16_t dst[2] = {0, 0};            // tokens whose destination this may be
  uint16_t src[2] = {0, 0};            // tokens that may read this
  friend bool operator==(const Pending&, const Pending&) = default;
};

struct State {
  std::array<Pending, kResources> pending;
  Position done[2] = {kNone, kNone};  // in-order producers at or before these have completed
  bool special = false;  // the previous instruction used a register that nothing protects
  bool reached = false;

  friend bool operator==(const State&, const State&) = default;

  // Joins `from`, the state after `length` in-order instructions of its block, into this one, the
  // state before the first instruction of a block.
  void Join(const State& from, Position length) {
    reached = true;
    special |= from.special;
    for (int c : {kMasked, kNoMask}) {
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

  // A wait for token.dst (or only .src) has passed; it covers masked producers, and NoMask ones if
  // the waiting instruction was NoMask.
  void ClearTokens(uint16_t dst_tokens, uint16_t src_tokens, bool no_mask) {
    const uint16_t src = dst_tokens | src_tokens;  // a written destination implies read sources
    if (src == 0) return;
    for (Pending& p : pending) {
      p.dst[kMasked] &= ~dst_tokens;
      p.src[kMasked] &= ~src;
      if (!no_mask) continue;
      p.dst[kNoMask] &= ~dst_tokens;
      p.src[kNoMask] &= ~src;
    }
  }

  // All in-order producers at or before `position` have completed; cover as above.
  void ClearOrdered(Position position, bool no_mask) {
    done[kMasked] = std::max(done[kMasked], position);
    if (no_mask) done[kNoMask] = std::max(done[kNoMask], position);
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
