// The interface by which a tool follows a run, to judge it by other means than contract mode
// (tests/sim).
#ifndef KILN_CORE_SIM_RDNA2_OBSERVER_H_
#define KILN_CORE_SIM_RDNA2_OBSERVER_H_

#include <cstdint>

namespace kiln::sim::rdna2 {

enum class Space : uint8_t { kLds, kMemory, kImages };

enum class Use : uint8_t { kRead, kWrite, kAtomic };

class Observer {
 public:
  virtual ~Observer() = default;

  // A workgroup begins; its waves are numbered from 0.
  virtual void Group() = 0;

  // A wave that has passed `phase` barriers is about to execute the instruction at byte `offset`,
  // with the lanes in `exec`. Waves run in turns: those of a workgroup alternate.
  virtual void Step(uint32_t wave, uint32_t phase, uint32_t offset, uint64_t exec) = 0;

  // The instruction of the last step accesses bytes; not told of scalar loads. `address`: of LDS
  // and memory one of the simulated machine, of images one of this process.
  virtual void Access(Space space, uint64_t address, uint32_t bytes, Use use) = 0;
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_OBSERVER_H_
