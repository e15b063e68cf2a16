#include "core/oracle/quads.h"

#include <type_traits>

#include "core/mir/semantics.h"
#include "core/oracle/numbers.h"

namespace kiln::oracle {

uint64_t Difference(mir::Type type, uint64_t a, uint64_t b, Execution& e) {
  uint64_t x = 0;
  mir::semantics::VisitExact(mir::Op::kFsub, type, type, e.flush, [&](auto f) {
    if constexpr (std::is_invocable_v<decltype(f), uint64_t, uint64_t>) x = f(a, b);
  });
  const bool exact = ToDouble(type, a) - ToDouble(type, b) == ToDouble(type, x);
  if (e.in.perturb_seed != 0 && !exact && MayMove(type, x, 1)) x += e.chance.Noise(1);
  return x;
}

}  // namespace kiln::oracle
