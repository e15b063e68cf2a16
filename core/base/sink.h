// The interface through which the compiler reports its work: per-pass records, remarks,
// cancellation.
//
// The core logs nothing, reads no clock except for timings, and no environment variables; its
// caller supplies a Sink (the service streams it, the command line prints it, tests inspect it).
#ifndef KILN_CORE_BASE_SINK_H_
#define KILN_CORE_BASE_SINK_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

// One run of one pass, or one step outside the passes (step.h). Names are static strings.
struct PassRecord {
  std::string_view pass;
  std::string_view level;  // "front", "mir", "lir", "out"
  int width = 0;           // dispatch width, 0 before widths are chosen
  bool changed = false;
  int64_t nanoseconds = 0;  // thread CPU time
  int64_t instructions_before = 0;
  int64_t instructions_after = 0;
  int64_t rewrites = 0;  // what --bisect counts
  int64_t max_live = 0;  // registers, 0 where not measured
};

// One decision worth explaining: a refused width, a split message, a switched-off optimisation.
struct Remark {
  std::string_view pass;
  std::string_view kind;  // snake_case, from a bounded set
  uint32_t spirv_id = 0;  // 0: none
  std::string text;       // human-readable, contains the numbers
  int width = 0;          // dispatch width, 0 before widths are chosen
};

class Sink {
 public:
  virtual ~Sink() = default;
  // Called as the pass begins, so that a killed worker's last pass is known.
  virtual void OnPassBegin(std::string_view pass) { (void)pass; }
  virtual void OnPass(const PassRecord& record) { (void)record; }
  virtual void OnRemark(const Remark& remark) { (void)remark; }
  // Receives the IR after a pass, if PassOptions request it.
  virtual void OnSnapshot(std::string_view pass, const std::string& text) {
    (void)pass;
    (void)text;
  }
};

// Limits of one compile. Counts change the result deterministically; the cancel flag and time can
// only make a compile fail.
struct Budget {
  int64_t max_mir_instructions = 200'000;  // after inlining
  const std::atomic<bool>* cancelled = nullptr;
  bool Cancelled() const {
    return cancelled != nullptr && cancelled->load(std::memory_order_relaxed);
  }
};

}  // namespace kiln

#endif  // KILN_CORE_BASE_SINK_H_
