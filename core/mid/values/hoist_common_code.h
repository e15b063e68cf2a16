// Hoists computations that both sides of an if have in common.
//
// Problem: inlining and code written twice leave equal address arithmetic in both sides of an if;
// value numbering does not merge them, since neither side sees the other.
// Invariants: verified MIR in and out. Only pure instructions directly in the sides move (IsPure of
// alias.h: samples and loads of unchanging memory are pure, convergent ops are not). They move to
// before the if: the same lanes execute them as before.
// Algorithm: inner ifs first. The else side's instructions, in program order and with those already
// found equal replaced, are looked up among the then side's; equal ones are kept once, before the
// if. The sources of a found pair are equal too, so they are defined outside or were hoisted.
// Expected linear time, with the nesting of ifs that a value rises through as a factor.
// Limits: an instruction inside an inner if or loop of only one side is not found; equal stores at
// the end of both sides are not sunk.
#ifndef KILN_CORE_MID_VALUES_HOIST_COMMON_CODE_H_
#define KILN_CORE_MID_VALUES_HOIST_COMMON_CODE_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each pair.
absl::StatusOr<bool> HoistCommonCode(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_HOIST_COMMON_CODE_H_
