// Divergence analysis: which values are the same in all active lanes of a subgroup or workgroup.
//
// Problem: a value that is equal across the lanes of a subgroup needs one scalar register and one
// scalar instruction, and a branch on it needs no masking. "Equal" refers to the lanes that execute
// the definition together; inactive lanes do not count.
// Algorithm: forward over the tree on a lattice of three levels; values start at the lowest and
// rise. A value is at least as high as its sources; results of ifs are also as high as the
// condition, unless both sides give the same value; results of loops as high as the conditions
// under which lanes leave, unless all breaks carry the same value from outside. Parameters are as
// high as the values carried to them and, where several continues carry different ones, as the
// conditions that choose between them. A continue under a divergent condition makes later breaks of
// that loop divergent too, since lanes that continued remain in the loop. Private arrays have the
// level of the values stored in them. The walk is repeated until nothing rises. After
// kMaxIterations everything is declared divergent, which is always right, so that the cost is
// linear.
// Sources: the lattice is that of Karrenberg and Hack, Whole-Function Vectorization (CGO 2011);
// temporal divergence at loop exits as in Rosemann, Moll, Hack, An Abstract Interpretation for SPMD
// Divergence (POPL 2021).
// Limits: loads of writable memory at a uniform address count as uniform for the subgroup (one
// message serves it); volatile ones as divergent. Atomics are divergent.
#ifndef KILN_CORE_MID_ANALYSIS_DIVERGENCE_H_
#define KILN_CORE_MID_ANALYSIS_DIVERGENCE_H_

#include <cstdint>
#include <vector>

#include "core/mir/mir.h"

namespace kiln::mid {

enum class Uniformity : uint8_t {
  kWorkgroup,  // equal in all lanes of the workgroup that execute this
  kSubgroup,   // equal in all lanes of a subgroup
  kDivergent,
};

// The purpose for which uniformity is computed.
enum class UniformFor : uint8_t {
  kLanes,  // equal values in the lanes that execute the definition
  // Also, the value can live in one register for all lanes, although writes to it ignore the
  // execution mask and a thread may execute blocks with all its lanes inactive (fused units). Such
  // writes must not reach lanes that took another path. So results of ifs and loops never qualify
  // (a side executed without active lanes could overwrite them), and parameters only if their loop
  // has one continue, at the end of its body: every lane still in the loop takes it, and lanes that
  // left read none. Private arrays belong to one lane, and so do ops that depend on the lane's
  // number.
  kOneRegister,
  // Also, the value can live in one register for all lanes, and a thread enters a side of an if, or
  // runs a loop, only with lanes that are on, or the values made there have no reader outside
  // (scalar registers beside vector ones). Differs from kOneRegister in the results of ifs and
  // loops that all lanes take the same way. Those of others do not qualify even if both sides, or
  // all breaks, give the same value: lanes that wait hold it while others write it again, which
  // lir/ra refuses.
  kScalarRegister,
};

class Divergence {
 public:
  static constexpr int kMaxIterations = 16;

  // Linear. The result describes the module at the time of the call.
  explicit Divergence(const mir::Module& module, UniformFor use = UniformFor::kLanes);

  Uniformity Of(mir::ValueId v) const { return level_[v.index]; }
  bool Uniform(mir::ValueId v) const { return level_[v.index] != Uniformity::kDivergent; }

  // The conditions under which lanes leave a loop. If not kDivergent, all lanes of a subgroup that
  // run an iteration together leave together.
  Uniformity ExitOf(mir::InstId loop) const { return exit_[loop.index]; }
  // The conditions under which an instruction is executed, counted from the innermost loop around
  // it (from the entry outside of loops). If not kDivergent, the lanes that began the iteration
  // together are all still active.
  Uniformity ControlOf(mir::InstId inst) const { return control_[inst.index]; }
  // The same, counted from the entry: all lanes that the subgroup has are active. Not known of
  // graphics stages, whose subgroups need not be full; and fragments may have been killed.
  bool AllLanesAt(mir::InstId inst) const {
    return total_control_[inst.index] != Uniformity::kDivergent;
  }

 private:
  friend class DivergenceSolver;
  std::vector<Uniformity> level_;          // by value
  std::vector<Uniformity> exit_;           // by instruction
  std::vector<Uniformity> control_;        // by instruction
  std::vector<Uniformity> total_control_;  // by instruction
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ANALYSIS_DIVERGENCE_H_
