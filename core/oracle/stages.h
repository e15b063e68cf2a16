// Graphics stages in the interpreter: inputs, outputs, derivatives, kills.
//
// Fragments run in quads of four consecutive lanes. A lane is a helper from the start or since it
// was demoted: it continues, and its stores, atomics (omitted by the interpreter's control) and
// outputs have no effect. A lane that is discarded or terminated is no longer active. Outputs are
// kept lane by lane and copied to the launch at the end, of the lanes that reached it and are no
// helpers.
//
// Vertices are lanes in the order of the launch: no quads, no helpers, and all that reach the end
// are live.
//
// Inputs of fragments are linear over the pixel: the launch gives their value at the centre and
// their slopes.
//
// Sources, for each rule: Vulkan specification, "Shaders", sections "Quad", "Derivative Operations"
// (P1 - P0 and P3 - P2, P2 - P0 and P3 - P1; coarse ones may be those of P0 for all; undefined
// unless control flow is uniform in the quad), "Helper Invocations" (no effect on memory but
// Function, Private and Output; results of atomics are undefined); SPIR-V specification,
// "Control-Flow Instructions": OpKill, OpTerminateInvocation ("ceases all further processing in any
// invocation that executes it"), and OpDemoteToHelperInvocation (later stores are suppressed, no
// outputs, not a flow control instruction), OpIsHelperInvocationEXT (also true of those demoted).
#ifndef KILN_CORE_ORACLE_STAGES_H_
#define KILN_CORE_ORACLE_STAGES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/base/bitset.h"
#include "core/mir/mir.h"
#include "core/oracle/execution.h"

namespace kiln::oracle {

class Stages {
 public:
  explicit Stages(Execution& execution) : e_(execution), m_(e_.m), in_(e_.in) {}

  // Called once, when the number of lanes is known. Returns InvalidArgument if the launch does not
  // fit.
  absl::Status Prepare();
  // Executes inputs, outputs, derivatives and kills; returns false for other ops. Removes lanes
  // that end from `active`.
  bool Exec(mir::InstId id, BitSet* active);
  // Records the lanes that reached the end. Does nothing in compute.
  void Finish(const BitSet& active);

 private:
  using Offset = std::array<double, 2>;  // from the pixel's centre, to the right and down

  void LoadInput(mir::InstId id, const BitSet& active);
  void Interpolate(mir::InstId id, const BitSet& active);
  Offset DeclaredOffset(const mir::Interface& v, size_t lane) const;
  Offset AskedOffset(mir::InstId id, size_t lane);
  uint64_t InputAt(uint32_t input, uint32_t element, uint32_t component, size_t lane,
                   const Offset& offset) const;
  uint32_t ElementOf(mir::InstId id, const mir::Interface& v, size_t lane, bool* outside);
  void StoreOutput(mir::InstId id, const BitSet& active);
  void Derive(mir::InstId id, const BitSet& active);
  void Kill(mir::InstId id, BitSet* active);

  Execution& e_;
  const mir::Module& m_;
  LaunchInputs& in_;
  std::vector<std::vector<uint64_t>> outputs_;  // as StageData::outputs
  std::vector<std::vector<bool>> written_;      // likewise
};

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_STAGES_H_
