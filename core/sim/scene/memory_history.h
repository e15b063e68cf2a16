// The earlier contents of memory, for simulators whose caches hold old copies.
//
// Problem: a cache line that was loaded some time ago holds what memory was then. Keeping copies of
// lines would only show the times at which this run happened to load them.
//
// Algorithm: each change is logged with the bytes that it overwrites, by cache line. The content at
// an earlier time is the present one with the younger changes undone, newest first.
//
// Times are numbers of changes. Bytes have names, 64-bit numbers that the user gives them; a line
// is cut by names. Cost of Restore: the changes of the lines it touches since that time.
#ifndef KILN_CORE_SIM_SCENE_MEMORY_HISTORY_H_
#define KILN_CORE_SIM_SCENE_MEMORY_HISTORY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace kiln::sim::scene {

class MemoryHistory {
 public:
  // Keeps the last `most` changes.
  MemoryHistory(uint32_t line_bytes, uint64_t most) : line_bytes_(line_bytes), most_(most) {}

  uint64_t now() const { return now_; }
  // The earliest time whose content is still known.
  uint64_t oldest() const { return oldest_; }

  // Records that the bytes named from `name` on, which are `before` now, change.
  void Change(uint64_t name, absl::Span<const uint8_t> before);

  // Turns `bytes`, the present content of the bytes from `name` on, into that of a time not before
  // oldest().
  void Restore(uint64_t name, uint64_t time, absl::Span<uint8_t> bytes) const;

  // Forgets all changes: the present is the oldest known time.
  void Forget();

  // Calls f(name of the line, offset, bytes) for each line that has a part of a range: the part
  // begins `offset` bytes into the range.
  template <typename F>
  void ForEachLine(uint64_t name, uint64_t size, F f) const {
    for (uint64_t done = 0; done < size;) {
      const uint64_t within = (name + done) % line_bytes_;
      const uint64_t part = std::min(size - done, line_bytes_ - within);
      f(name + done - within, done, part);
      done += part;
    }
  }

 private:
  struct Piece {
    uint64_t time;
    uint64_t name;
    std::vector<uint8_t> before;
  };

  uint64_t line_bytes_;
  uint64_t most_;
  uint64_t now_ = 0;
  uint64_t oldest_ = 0;
  // Pieces of a line, oldest first. Looked up by line alone, never iterated.
  std::unordered_map<uint64_t, std::deque<Piece>> lines_;
  std::deque<std::pair<uint64_t, uint64_t>> order_;  // time and line of each piece, oldest first
};

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_MEMORY_HISTORY_H_
