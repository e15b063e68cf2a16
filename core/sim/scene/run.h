// The options of a run in any simulator, and its results.
//
// A thread is what runs the lanes of a program together: out/launch_record.h has the same word for
// all machines. A simulator whose machine has further modes derives its options from RunOptions.
#ifndef KILN_CORE_SIM_SCENE_RUN_H_
#define KILN_CORE_SIM_SCENE_RUN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln::sim::scene {

struct RunOptions {
  // Contract mode: an instruction that does not wait for what it needs is an error. Otherwise
  // missing waits do not show.
  bool contract = true;
  // Judges also by rules for which no source is known, which only Kiln's own code must obey.
  bool unsourced = true;
  // Runs workgroups, threads and lanes in the opposite order and fills undefined registers and
  // memory differently: an output that changes depends on undefined contents or order.
  bool opposite = false;
  bool zero_memory = false;  // shared memory and scratch start as 0, as in the MIR interpreter
  // Memory mode: messages take effect late and out of order, threads alternate in random order
  // after random times, whatever `opposite` says, and one to four consecutive workgroups run at the
  // same time, until all of them have ended. The seed decides everything.
  std::optional<uint64_t> memory_seed;
  uint64_t max_instructions = uint64_t{1} << 32;  // of the whole run; for time, Dispatch::limit
};

// Accesses of one instruction to a buffer or image beyond its end: they read 0 and write nothing. A
// block that is partly outside counts by the dwords that the program uses.
struct OutOfBounds {
  uint32_t offset = 0;    // byte of the instruction
  std::string where;      // "set 0 binding 1 (surface 3)", of the first of them
  uint64_t accesses = 0;  // lanes, or dwords of blocks
};

struct RunStats {
  uint64_t instructions = 0;
  uint64_t lane_operations = 0;  // active lanes of all instructions but branches and waits
  uint64_t messages = 0;         // to memory, samplers and fixed functions
  uint64_t threads = 0;
  // Byte offsets of the instructions that any thread executed for at least one lane, ascending.
  std::vector<uint32_t> executed;
  // Ascending by offset.
  std::vector<OutOfBounds> out_of_bounds;
};

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_RUN_H_
