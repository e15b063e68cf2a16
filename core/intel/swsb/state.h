// The lattice of the scoreboard dataflow: what may be pending on each register at one point of the
// program.
//
// Resources: a0 as one, accumulators, the responses of messages as one (fences wait for them), and
// the GRFs that the program names, numbered from kFirstRegister on; rows have one entry for each of
// them. Positions count in-order instructions from the start of the current block; producers in
// earlier blocks have negative positions.
//
// There are three ledgers, because waits differ in what they cover: masked producers that masked
// consumers must wait for, NoMask producers that all consumers must wait for, and masked producers
// that NoMask consumers must wait for. The last differs from the first where a block may run with
// all channels off: a masked instruction's wait is then skipped, and a NoMask instruction after it
// in the block still runs concurrently with the masked producers before the block (not with those
// in it, which have been skipped too: see Fresh in assign_scoreboard.cc).
#ifndef KILN_CORE_INTEL_SWSB_STATE_H_
#define KILN_CORE_INTEL_SWSB_STATE_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/intel/isa/footprint.h"

namespace kiln::intel::swsb {

inline constexpr int kAddressResource = 0;
inline constexpr int kAccumulatorResource = kAddressResource + 1;
inline constexpr int kAnswersResource = kAccumulatorResource + 16;
inline constexpr int kFirstRegister = kAnswersResource + 1;
inline constexpr int kResources = kFirstRegister + isa::kGrfCount;

// In-order instructions farther back than this have completed: the pipeline is no longer (distances
// above 10 never matter; fact from the reference compiler's scoreboard pass).
inline constexpr int kPipelineLength = 10;

// 16 bits, since rows of positions are joined at every edge. The walk of a long block restarts them
// (Leave) at kMaxPositions.
using Position = int16_t;
inline constexpr Position kMaxPositions = 1 << 14;
inline constexpr Position kNone = std::numeric_limits<Position>::min();

enum Ledger { kMasked = 0, kNoMask = 1, kMaskedForNoMask = 2 };
inline constexpr int kLedgers = 3;

// The instruction that carries a wait, and so the ledgers that the wait clears.
enum class Carrier {
  kMaskedSkippable,  // kMasked; the caller adds what it covers of kMaskedForNoMask
  kMasked,           // kMasked, kMaskedForNoMask: the block never runs with all channels off
  kNoMask,           // all
};

inline bool Covers(Carrier carrier, int ledger) {
  switch (ledger) {
    case kMasked: return true;
    case kMaskedForNoMask: return carrier != Carrier::kMaskedSkippable;
    default: return carrier == Carrier::kNoMask;
  }
}

// Indexed by ledger, then resource. Whole rows are joined and cleared; their length is a multiple
// of any vector's, so the compiler can vectorise this.
struct State {
  // Long enough that the compiler makes a loop of vectors instead of unrolling single steps.
  static constexpr int kLane = 32;
  static constexpr int kRow = (kResources + kLane - 1) / kLane * kLane;

  Position write[kLedgers][kRow];  // last in-order writer
  Position read[kLedgers][kRow];   // last in-order reader
  uint16_t dst[kLedgers][kRow];    // tokens whose destination may be this resource
  uint16_t src[kLedgers][kRow];    // tokens that may read this resource
  // In-order producers at or before these have completed.
  Position done[kLedgers] = {kNone, kNone, kNone};
  bool special = false;  // the previous instruction used a register that hardware does not protect
  bool reached = false;
  int row;  // entries of each row in use, a multiple of kLane

  // The state of a program that names this many GRFs.
  explicit State(int registers) : row((kFirstRegister + registers + kLane - 1) / kLane * kLane) {
    for (int c = 0; c < kLedgers; ++c) {
      std::fill_n(write[c], row, kNone);
      std::fill_n(read[c], row, kNone);
      std::fill_n(dst[c], row, uint16_t{0});
      std::fill_n(src[c], row, uint16_t{0});
    }
  }

  // Turns this state, after `length` in-order instructions of its block, into one before the first
  // instruction of a block.
  void Leave(Position length) {
    for (int c = 0; c < kLedgers; ++c) {
      const Position from = std::max(done[c], static_cast<Position>(length - kPipelineLength - 1));
      done[c] = kNone;
      for (Position(*positions)[kRow] : {&write[c], &read[c]}) {
        ForRow([&](int r) {
          Position& p = (*positions)[r];
          p = p <= from ? kNone : static_cast<Position>(p - length);
        });
      }
    }
  }

  // Joins another state before the first instruction of a block into this one. Returns true if this
  // one has grown.
  bool Join(const State& other) {
    if (!reached) {
      *this = other;
      reached = true;
      return true;
    }
    int grown = other.special && !special;
    special |= other.special;
    for (int c = 0; c < kLedgers; ++c) {
      grown |= Raise(write[c], other.write[c]);
      grown |= Raise(read[c], other.read[c]);
      grown |= Add(dst[c], other.dst[c]);
      grown |= Add(src[c], other.src[c]);
    }
    return grown != 0;
  }

  // Returns true if joining the other state would add nothing.
  bool Includes(const State& other) const {
    if (other.special && !special) return false;
    for (int c = 0; c < kLedgers; ++c) {
      for (int r = 0; r < row; ++r) {
        if (other.write[c][r] > write[c][r] || other.read[c][r] > read[c][r]) return false;
        if ((other.dst[c][r] & ~dst[c][r]) != 0 || (other.src[c][r] & ~src[c][r]) != 0)
          return false;
      }
    }
    return true;
  }

  // Updates the state after a wait for token.dst (or only .src).
  void ClearTokens(uint16_t dst_tokens, uint16_t src_tokens, Carrier carrier) {
    const uint16_t both = dst_tokens | src_tokens;  // a written destination implies read sources
    if (both == 0) return;
    for (int c = 0; c < kLedgers; ++c) {
      if (!Covers(carrier, c)) continue;
      ForRow([&](int r) { src[c][r] &= static_cast<uint16_t>(~both); });
      if (dst_tokens == 0) continue;
      ForRow([&](int r) { dst[c][r] &= static_cast<uint16_t>(~dst_tokens); });
    }
  }

  // Notes that all in-order producers at or before `position` have completed.
  void ClearOrdered(Position position, Carrier carrier) {
    for (int c = 0; c < kLedgers; ++c) {
      if (Covers(carrier, c)) done[c] = std::max(done[c], position);
    }
  }

  // Return the last in-order writer and reader of a register that may still be pending, or kNone.
  Position Writer(int r, int c) const { return write[c][r] <= done[c] ? kNone : write[c][r]; }
  Position Reader(int r, int c) const { return read[c][r] <= done[c] ? kNone : read[c][r]; }

 private:
  // Calls f(0), ..., f(row - 1), in whole vectors.
  template <class F>
  void ForRow(F&& f) const {
    for (int first = 0; first < row; first += kLane) {
      for (int k = 0; k < kLane; ++k) f(first + k);
    }
  }
  int Raise(Position (&to)[kRow], const Position (&other)[kRow]) const {
    int grown = 0;
    ForRow([&](int r) {
      grown |= other[r] > to[r];
      to[r] = std::max(to[r], other[r]);
    });
    return grown;
  }
  int Add(uint16_t (&to)[kRow], const uint16_t (&other)[kRow]) const {
    uint16_t grown = 0;
    ForRow([&](int r) {
      grown |= static_cast<uint16_t>(other[r] & ~to[r]);
      to[r] |= other[r];
    });
    return grown;
  }
};

}  // namespace kiln::intel::swsb

#endif  // KILN_CORE_INTEL_SWSB_STATE_H_
