#include "core/intel/pipeline/simulate.h"

#include "core/sim/eu/simulator.h"

namespace kiln::intel {

absl::StatusOr<sim::scene::RunStats> SimulateTgl(absl::Span<const uint8_t> code,
                                                 const out::LaunchRecord& record,
                                                 const SimulationOptions& options,
                                                 sim::scene::Dispatch& dispatch) {
  sim::eu::Options own = {static_cast<const sim::scene::RunOptions&>(options)};
  own.fusion = Has(options.switches, "fusion");
  absl::StatusOr<sim::eu::RunStats> stats = sim::eu::Run(code, record, own, dispatch);
  if (!stats.ok()) return stats.status();
  return static_cast<sim::scene::RunStats&&>(*stats);
}

}  // namespace kiln::intel
