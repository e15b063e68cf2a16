// Options of rdna2_run for vertex draws: how primitives are assembled, what is left out, and a
// judge of that.
#ifndef KILN_TESTS_SIM_VERTEX_OPTIONS_H_
#define KILN_TESTS_SIM_VERTEX_OPTIONS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/sim/rdna2/simulator.h"
#include "core/sim/scene/vertex.h"
#include "nlohmann/json.hpp"

namespace kiln::tests {

class VertexOptions {
 public:
  // Takes --ngg-culling=N, --assembly=JSON or --clip-positions=FILE; false for other words, and for
  // a form that is none.
  bool Take(absl::string_view option);

  // Sets the options of a run; this object lives longer than the run.
  void Set(sim::rdna2::Options& options);

  // Adds "primitives" and "left_out", numbers, and "needed", a 0 or 1 for each run of the draw: it
  // is a corner of a primitive that was exported. With clip positions adds "left_out_by", by set of
  // positions how many primitives it is the first one to excuse, then those with an undefined
  // corner, and last those whose face is culled before the rasteriser snaps their corners
  // (exec::HasCulledFace); FailedPrecondition for any other primitive that is left out.
  absl::Status Judge(const sim::scene::VertexInputs& draw, nlohmann::json& results) const;

 private:
  uint32_t culling_ = 0;
  sim::rdna2::InputAssembly assembly_;
  std::string positions_;  // path
  std::vector<sim::rdna2::DrawnPrimitive> primitives_;
};

}  // namespace kiln::tests

#endif  // KILN_TESTS_SIM_VERTEX_OPTIONS_H_
