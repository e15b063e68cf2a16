// Work of a compile that is no pass of a table (reading, validating, importing, counting, packing),
// reported to the sink as passes are: begin, then thread CPU time. With the passes' own records
// nothing of a compile is without a name, and a worker that dies in such a part says in which.
#ifndef KILN_CORE_BASE_STEP_H_
#define KILN_CORE_BASE_STEP_H_

#include <cstdint>
#include <string_view>

#include "core/base/sink.h"

namespace kiln {

// CPU time of this thread since some fixed point; never goes back.
//
// The kernel's clock costs a system call, 1.4 us where this was measured, and a small module has
// hundreds of records shorter than that. So times under 20 us since the last reading are taken from
// the monotonic clock, which costs no system call; the next longer one is read from the kernel and
// corrects what they were wrong by. A thread that was put off the processor was so for longer.
int64_t ThreadNanoseconds();

// From construction to destruction. `sink` may be null: then no clock is read. `name` and `level`
// ("front", "mir", "lir", "out") are static strings.
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
