// Turns early jumps in a list of instructions into nesting.
//
// Problem: a loop that runs once needs no loop if its breaks can be written as ifs, and an
// iteration of a loop can be followed by a copy of the next one only if its one continue stands at
// its end.
//   A; if c { B; JUMP x } else { yield }; C; JUMP y
// becomes  A; z = if c { B; yield x } else { C; yield y }; JUMP z.
// Invariants: the meaning stays; jumps of the other kind and those of nested loops stay jumps.
// Nothing is copied, hence the condition that every if with such a jump in it has a side that
// always leaves: what follows moves to the other. Each early jump nests one deeper.
#ifndef KILN_CORE_MID_CONTROL_NEST_EXITS_H_
#define KILN_CORE_MID_CONTROL_NEST_EXITS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/mir/build.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Early jumps of one list that may be nested.
inline constexpr int kMaxNestedExits = 16;

class ExitNester {
 public:
  using List = std::vector<mir::InstId>;

  // jump: kBreak or kContinue. Values of ifs that vanish are noted in `replace`.
  ExitNester(mir::Module& module, mir::Builder& builder, mir::Replacements& replace, mir::Op jump)
      : m_(module), b_(builder), replace_(replace), jump_(jump) {}

  // Whether every jump can be nested; `list` ends with a terminator.
  bool OnlyNests(absl::Span<const mir::InstId> list) const;

  // The list with jumps turned into yields; it ends with yield (of values of these types), with
  // another terminator if it cannot fall, or with unreachable. Needs OnlyNests.
  List Nest(List list, const std::vector<mir::Type>& types);

  // Regions whose lists changed since the last call, inner ones first.
  std::vector<mir::RegionId> TakeChanged() { return std::exchange(changed_, {}); }

 private:
  bool Yields(mir::RegionId region) const;
  bool HasJump(mir::RegionId region) const;
  size_t FirstExit(absl::Span<const mir::InstId> list) const;
  List Continuation(mir::RegionId side, absl::Span<const mir::InstId> rest) const;
  bool OnlyNests(absl::Span<const mir::InstId> list, int* exits) const;

  mir::Module& m_;
  mir::Builder& b_;
  mir::Replacements& replace_;
  const mir::Op jump_;
  std::vector<mir::RegionId> changed_;
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_CONTROL_NEST_EXITS_H_
