// Pure ops of the interpreter: exact ones, those whose accuracy depends on the target, random
// rounding, and the results that SPIR-V leaves undefined (divisions, selects of undefined values).
#ifndef KILN_CORE_ORACLE_NUMBERS_H_
#define KILN_CORE_ORACLE_NUMBERS_H_

#include <cstdint>

#include "core/base/bitset.h"
#include "core/mir/mir.h"
#include "core/oracle/execution.h"

namespace kiln::oracle {

// Sets the host's rounding of float arithmetic for its lifetime. Everything is computed at run time
// then, so that the host's compiler has folded nothing with another rounding.
class Rounding {
 public:
  explicit Rounding(bool to_zero);
  ~Rounding();
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  const int before_;
};

double ToDouble(mir::Type type, uint64_t bits);

// True for finite floats with an exponent field of at least `least` and below the largest, so that
// adding some units in the last place gives another finite float.
bool MayMove(mir::Type type, uint64_t bits, uint32_t least);

class Numbers {
 public:
  explicit Numbers(Execution& execution) : e_(execution), m_(e_.m), in_(e_.in) {}

  // Executes an instruction with one result and sources in all lanes. Returns false if it is
  // neither in semantics.h nor one of the approximate ops.
  bool Exec(mir::InstId id, const BitSet& active);

 private:
  bool Exact(mir::InstId id);
  bool Approximate(mir::InstId id);
  template <class F>
  void ForLanes(mir::InstId id, F f);
  bool Perturbed(mir::InstId id, mir::Op op);
  bool RoundEitherWay(mir::InstId id);
  bool PerturbRemainder(mir::InstId id);
  void Loosen(mir::InstId id);
  void UndefineQuotients(mir::InstId id, const BitSet& active);
  bool ChoosesUndefined(mir::InstId id, const BitSet& active);

  Execution& e_;
  const mir::Module& m_;
  const LaunchInputs& in_;
};

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_NUMBERS_H_
