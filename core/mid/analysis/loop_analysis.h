// How often a loop runs, and how many instructions are left of it if it is unrolled.
//
// Problem: unrolling needs the exact number of iterations and the size of the result, for loops
// whose counters step in any way (adding, shifting, halving, two counters at once, floats) and that
// leave in the middle. Pattern matching on "counter < bound" covers few of them.
// Algorithm: the iterations are walked with the values known: parameters that start constant,
// constants, and what folds from these (fold.h, the compiler's only arithmetic on constants). An if
// on a known condition is walked on that side only, an if on an unknown one on both. The loop ends
// where an iteration meets no continue. If an iteration begins with the same known values as the
// one before, no end will be found. Bounds that come from specialisation constants are constants by
// then. An iteration that stores outside of a private array at a known offset ends there: such an
// access is undefined (SPIR-V, OpAccessChain: an index out of bounds), so no lane reaches it. A
// loop that fills an array therefore runs at most once for each element, whatever its bound. Loads
// outside are undefined too, but front ends of languages that evaluate both operands of a choice
// emit such loads and drop their results: nothing is concluded from them. Nested loops are not
// walked iteration by iteration unless LoopLimits::into_loops says so: the values they carry are
// unknown.
// Cost: instructions walked, at most `max_steps` for one call, and until `max_residue` is exceeded.
#ifndef KILN_CORE_MID_ANALYSIS_LOOP_ANALYSIS_H_
#define KILN_CORE_MID_ANALYSIS_LOOP_ANALYSIS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/mir/mir.h"

namespace kiln::mid {

struct LoopLimits {
  int max_iterations = 0;
  int64_t max_steps = 0;    // instructions walked
  int64_t max_residue = 0;  // counting stops beyond it, and no bound is found then
  // The same for the residue of loops with more than one iteration, and for exits.
  int64_t max_residue_of_iterations = std::numeric_limits<int64_t>::max();
  int max_unknown_exits = std::numeric_limits<int>::max();
  // Walks the iterations of nested loops too, as if these were unrolled as well. Otherwise, and if
  // no bound is found for them, their bodies count once.
  bool into_loops = false;
};

struct LoopIterations {
  bool bounded = false;  // `iterations` is a bound; false: none was found
  int iterations = 0;    // iterations begun; the last of them meets no continue
  // Jumps out on unknown conditions, over all iterations. 0: the number of iterations is exact.
  int unknown_exits = 0;
  // Instructions left over all iterations after folding, jumps and branches included. Accesses to
  // private arrays at a known offset are not counted: such arrays become values.
  int64_t residue = 0;
  // Accesses to private arrays whose offset is known in every iteration, but only after unrolling.
  int array_accesses = 0;
  // The number of elements that these read and write, over all iterations.
  int64_t array_elements = 0;
  // Accesses to private arrays, over all iterations, whose offset is unknown; part of the residue.
  int unknown_array_accesses = 0;
};

struct UnrollableLoop {
  mir::InstId loop;
  LoopIterations count;  // bounded
};

bool AccessesPrivateArray(mir::Op op);
// The number of elements that an access to a private array reads or writes.
inline int ElementsOf(const mir::Inst& inst) {
  return inst.op == mir::Op::kStorePrivate ? inst.num_sources - 1 : inst.num_results;
}

// Returns true if the instruction is a store to a private array that, at this offset, exceeds it.
bool StoresOutside(const mir::Module& module, mir::InstId store, uint64_t offset);

class LoopAnalysis {
 public:
  explicit LoopAnalysis(const mir::Module& module) : m_(module) {}

  // The module may have grown since the last call.
  LoopIterations CountIterations(mir::InstId loop, const LoopLimits& limits);

 private:
  using Known = std::optional<uint64_t>;

  // How control leaves a list of instructions: past its end, or by a jump.
  enum class Exit : uint8_t { kFalls, kJumps };

  struct Next {
    bool continues = false;
    std::vector<Known> params;
  };

  bool WalkIterations(mir::InstId loop, int* iterations);
  void WalkLoop(mir::InstId loop);
  bool IsOver(int iterations) const;
  Exit WalkRegion(mir::RegionId region, bool certain);
  Exit WalkIf(mir::InstId id, bool certain);
  bool NeverReached(mir::InstId id) const;
  void WalkValue(mir::InstId id);
  bool WalkTable(mir::InstId id);
  void WalkJump(mir::InstId id, bool certain);
  Known Evaluate(mir::InstId id) const;
  Known EvaluateSelect(mir::InstId id) const;
  Known Get(mir::ValueId v) const;
  void Set(mir::ValueId v, Known bits);
  void CountOnce(mir::RegionId region);

  const mir::Module& m_;
  // By value: its known bits in the iteration being walked, valid if `seen_` is the number of this
  // call.
  std::vector<uint64_t> bits_;
  std::vector<uint32_t> seen_;
  uint32_t call_ = 0;
  LoopLimits limits_;
  int64_t steps_left_ = 0;
  LoopIterations result_;
  Next next_;
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ANALYSIS_LOOP_ANALYSIS_H_
