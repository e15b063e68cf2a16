// Results of analysing a program from its bytes, whichever compiler made it, and from its launch
// record, if the caller has one: no module and no pass is involved. Figures follow the counting
// rules of the target's rows of statistics.
#ifndef KILN_CORE_TARGET_ANALYSIS_H_
#define KILN_CORE_TARGET_ANALYSIS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/out/launch_record.h"
#include "core/target/statistics.h"

namespace kiln {

// One unit of the machine: cycles of one thread by the cost model.
struct UnitCost {
  std::string name;    // "fpu", "sampler", "data_cache", ...
  int64_t busy = 0;    // the unit works
  int64_t waits = 0;   // the thread waits for its results
  int64_t queues = 0;  // the thread waits for the unit to be free
};

// Hazards of one kind without a wait. `texts` are the first kMaxWaitsListed of `count`.
struct WaitFindings {
  std::string_view name;   // the key in results: "missing_waits"
  std::string_view title;  // for people: "missing waits". Both live as long as the process
  std::vector<std::string> texts = {};
  int64_t count = 0;
  std::string not_judged = {};  // why there is no verdict, e.g. too many ways through the program
};

inline constexpr size_t kMaxWaitsListed = 1000;

struct Analysis {
  // Without those that bytes do not show, such as spills, and without estimates if there are none.
  Statistics statistics;
  std::vector<UnitCost> units;    // those that the program uses
  std::string bottleneck;         // bounds throughput once latencies are hidden
  int64_t throughput_cycles = 0;  // of the bottleneck, per thread
  // Reason if there are no cycles, units and bottleneck: the cost model does not know a message.
  std::string cycles_not_judged;
  std::vector<std::pair<std::string, int64_t>> messages;  // by name, most frequent first
  std::vector<std::pair<std::string, int64_t>> opcodes;   // the same for instructions
  // Data hazards on paths that threads take, without a wait; further kinds with switches.
  std::vector<WaitFindings> waits;
  // Indices of instructions that could go; nothing if the analysis does not look for them.
  std::optional<std::vector<int64_t>> redundant_syncs;
  // Broken restrictions of the hardware, including illegal opcodes and paths past the end.
  std::vector<std::string> findings;
};

struct AnalyzeOptions {
  std::vector<std::string> switches = {};  // names of Backend::analysis_switches
  // The program's, which lives longer than the call, or null: adds the figures that only it has.
  const out::LaunchRecord* record = nullptr;
};

}  // namespace kiln

#endif  // KILN_CORE_TARGET_ANALYSIS_H_
