// Turns early jumps in a list of instructions into nesting.
//
// Problem: a loop that runs once needs no loop if its breaks can be written as ifs, and an
// iteration of a loop can be followed by a copy of the next one only if its one continue is at its
// end.
//   A; if c { B; JUMP x } else { yield }; C; JUMP y
// becomes  A; z = if c { B; yield x } else { C; yield y }; JUMP z.
// Invariants: the meaning is the same; jumps of the other kind and those of nested loops stay
// jumps. Nothing is copied. Therefore every if with such a jump in it must have a side that always
// leaves: the code after the if moves into the other side. Each early jump adds one level of
// nesting.
#ifndef KILN_CORE_MID_CONTROL_NEST_EXITS_H_
#define KILN_CORE_MID_CONTROL_NEST_EXITS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/mir/build.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// The largest number of early jumps of one list that are nested.
inline constexpr int kMaxNestedExits = 16;

class ExitNester {
 public:
  using List = std::vector<mir::InstId>;

  // jump: kBreak or kContinue. Results of ifs that are removed are replaced in `replace`.
  ExitNester(mir::Module& module, mir::Builder& builder, mir::Replacements& replace, mir::Op jump)
      : m_(module), b_(builder), replace_(replace), jump_(jump) {}

  // Returns true if every jump can be nested; `list` ends with a terminator.
  bool OnlyNests(absl::Span<const mir::InstId> list) const;

  // Returns the list with jumps turned into yields. It ends with yield (of values of these types),
  // with another terminator if control never reaches its end, or with unreachable. Requires
  // OnlyNests.
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
