// How often a loop runs and what would be left of it if it were unrolled.
//
// Problem: unrolling needs the exact number of iterations and the size of the result, for loops
// whose counters step in any way (adding, shifting, halving, two counters at once, floats) and that
// leave in the middle. Pattern matching on "counter < bound" covers few of them. Algorithm: the
// iterations are walked with what is known: parameters that start constant, constants, and what
// folding (fold.h, the compiler's only arithmetic on constants) makes of them. An if on a known
// condition is walked on that side only, an if on an unknown one on both. The loop ends where an
// iteration meets no continue. An iteration that begins with the same knowledge as the one before
// will never end so. Bounds that come from specialisation constants are constants by then. An
// iteration that stores outside of a private array at a known offset ends there: such an access is
// undefined (SPIR-V, OpAccessChain: an index out of bounds), so no lane gets to it. A loop that
// fills an array therefore runs at most once for each element, whatever its bound. Loads are
// undefined too, but front ends of languages that evaluate both operands of a choice make such
// loads and drop what they give: nothing is concluded from them. Cost: instructions walked, at most
// `max_steps` for one call, and until `max_residue` is left over. Nested loops are not walked
// iteration by iteration: nothing is known of what they carry.
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
  int64_t max_residue = 0;  // more is not counted: no bound is found then
  // The same for the residue of more iterations than one, and for exits.
  int64_t max_residue_of_iterations = std::numeric_limits<int64_t>::max();
  int max_unknown_exits = std::numeric_limits<int>::max();
  // Iterations of loops inside are walked too, as if these were unrolled as well. Otherwise, and
  // where no bound is found for them, their bodies count once.
  bool into_loops = false;
};

struct LoopIterations {
  bool bounded = false;  // at most so many iterations are begun; false: no bound was found
  int iterations = 0;    // the last of them meets no continue
  // Jumps out on conditions that are not known, over all iterations. 0: the number is exact.
  int unknown_exits = 0;
  // Instructions left over all iterations after folding, jumps and branches included. Accesses to
  // private arrays at a known offset are not counted: such arrays become values.
  int64_t residue = 0;
  // Accesses to private arrays whose offset is known in every iteration, though not before
  // unrolling.
  int array_accesses = 0;
  // The elements that these read and write, over all iterations.
  int64_t array_elements = 0;
  // Accesses to private arrays, over all iterations, whose offset is not known; part of the
  // residue.
  int unknown_array_accesses = 0;
};

struct UnrollableLoop {
  mir::InstId loop;
  LoopIterations count;  // bounded
};

bool AccessesPrivateArray(mir::Op op);
// Of an access to a private array.
inline int ElementsOf(const mir::Inst& inst) {
  return inst.op == mir::Op::kStorePrivate ? inst.num_sources - 1 : inst.num_results;
}

// Whether the instruction is a store to a private array that leaves it, being at this offset.
bool StoresOutside(const mir::Module& module, mir::InstId store, uint64_t offset);

class LoopAnalysis {
 public:
  explicit LoopAnalysis(const mir::Module& module) : m_(module) {}

  // The module may have grown since the last call.
  LoopIterations CountIterations(mir::InstId loop, const LoopLimits& limits);

 private:
  using Known = std::optional<uint64_t>;

  // How control leaves a list of instructions.
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
  // By value: what it is known to be in the iteration being walked, if `seen_` is this call's
  // number.
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
