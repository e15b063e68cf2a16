// Work of a compile outside the pass tables (reading, validating, importing, counting, packing),
// reported to the sink as passes are: begin, then thread CPU time. Together with the passes' own
// records this names every part of a compile, so a worker that dies names the part it was in.
#ifndef KILN_CORE_BASE_STEP_H_
#define KILN_CORE_BASE_STEP_H_

#include <cstdint>
#include <string_view>

#include "core/base/sink.h"

namespace kiln {

// Returns the CPU time of this thread since some fixed point, in nanoseconds; never decreases.
//
// The kernel's clock costs a system call, 1.4 us where this was measured, and a small module has
// hundreds of records shorter than that. So times under 20 us since the last reading are taken from
// the monotonic clock, which costs no system call; the next longer one is read from the kernel and
// corrects the accumulated error. Until then, time in which the thread was descheduled is counted.
int64_t ThreadNanoseconds();

// Times the span from construction to destruction. `sink` may be null: then no clock is read.
// `name` and `level` ("front", "mir", "lir", "out") are static strings.
class Step {
 public:
  Step(Sink* sink, std::string_view name, std::string_view level, int width = 0);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  Sink* sink_;
  PassRecord record_;
};

}  // namespace kiln

#endif  // KILN_CORE_BASE_STEP_H_
