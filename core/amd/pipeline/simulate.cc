#include "core/amd/pipeline/simulate.h"

#include "core/sim/rdna2/simulator.h"

namespace kiln::amd {

absl::StatusOr<sim::scene::RunStats> Simulate(absl::Span<const uint8_t> code,
                                              const out::LaunchRecord& record,
                                              const SimulationOptions& options,
                                              sim::scene::Dispatch& dispatch) {
  sim::rdna2::Options own;
  static_cast<sim::scene::RunOptions&>(own) = options;
  return sim::rdna2::Run(code, record, own, dispatch);
}

}  // namespace kiln::amd
