// What can be said of a program from its bytes alone, whoever compiled it: no module, no launch
// record, no pass ran. All figures follow the counting rules of Statistics.
#ifndef KILN_CORE_TARGET_ANALYSIS_H_
#define KILN_CORE_TARGET_ANALYSIS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/target/compiled.h"

namespace kiln {

// One unit of the machine, cycles of one thread by the cost model.
struct UnitCost {
  std::string name;    // "fpu", "sampler", "data_cache", ...
  int64_t busy = 0;    // the unit works
  int64_t waits = 0;   // the thread waits for its results
  int64_t queues = 0;  // the thread waits for the unit to be free
};

// Hazards that nothing waits for. `texts` are the first kMaxWaitsListed of `count`.
struct WaitFindings {
  std::vector<std::string> texts;
  int64_t count = 0;
  std::string not_judged;  // why nothing can be said: too many ways through the program, for one
};

inline constexpr size_t kMaxWaitsListed = 1000;

struct Analysis {
  Statistics statistics;          // spills and fills cannot be told from bytes: 0
  std::vector<UnitCost> units;    // those that the program uses
  std::string bottleneck;         // bounds throughput once latencies are hidden
  int64_t throughput_cycles = 0;  // of the bottleneck, per thread
  // Why there are no cycles, units and bottleneck: the cost model does not know a message.
  std::string cycles_not_judged;
  std::vector<std::pair<std::string, int64_t>> messages;  // by name, most frequent first
  std::vector<std::pair<std::string, int64_t>> opcodes;   // the same of instructions
  WaitFindings missing_waits;  // data hazards that threads meet and nothing waits for
  // With AnalyzeOptions::fusion: those that need a block entered with all channels off besides, as
  // the thread that this one is fused with may make it (the simulator's Options::fusion).
  WaitFindings missing_if_skipped;
  std::vector<int64_t> redundant_syncs;  // indices of instructions that could go
  // Broken restrictions of the hardware, illegal opcodes and ways past the end among them.
  std::vector<std::string> findings;
};

struct AnalyzeOptions {
  bool fusion = false;
};

}  // namespace kiln

#endif  // KILN_CORE_TARGET_ANALYSIS_H_
