// Emits terminators that choose between edges: OpBranchConditional and OpSwitch.
//
// A switch is a chain of comparisons; one with many cases is first divided into halves, so that
// nesting stays logarithmic. Constant conditions and selectors are resolved here.
#include <algorithm>
#include <vector>

#include "core/front/emit/emit.h"
#include "core/front/emit/flow/loops.h"

namespace kiln::front {
namespace {

// Maximum number of cases in a chain; more are divided into halves.
constexpr size_t kLinearCases = 8;

struct SwitchCase {
  uint32_t target = 0;
  std::vector<uint64_t> literals;  // ascending
};

// Returns true if one comparison separates the first cases from the rest. Literals are sorted, as
// are cases by their first literal, which differ.
bool Separates(absl::Span<const SwitchCase> cases, size_t split) {
  const uint64_t middle = cases[split].literals.front();
  return std::all_of(cases.begin(), cases.begin() + split,
                     [middle](const SwitchCase& c) { return c.literals.back() < middle; });
}

class Selections : public Loops {
 public:
  using Loops::Loops;

  Flow EmitBranch(const SpirvInst& inst, EdgeEmitter edge) const;
  Flow EmitSwitch(const SpirvInst& inst, EdgeEmitter edge) const;

 private:
  uint32_t BlockOf(uint32_t label) const {
    return spirv().Def(label).index - c_.place.function->first_block;
  }
  bool AlwaysJumps(uint32_t to) const;
  ValueId IsOneOf(ValueId selector, absl::Span<const SwitchCase> cases) const;
  Flow EmitCases(ValueId selector, absl::Span<const SwitchCase> cases, uint32_t otherwise,
                 EdgeEmitter edge) const;
};

// ---- Branches ----

// Returns true if control that takes the edge to a block never reaches the end of the innermost
// loop's code by falling through.
bool Selections::AlwaysJumps(uint32_t to) const {
  const CfgBlock& target = c_.place.plan->cfg.blocks[to];
  return IsJump(to) || (!target.label && target.always_jumps);
}

Flow Selections::EmitBranch(const SpirvInst& inst, EdgeEmitter edge) const {
  const uint32_t targets[2] = {BlockOf(inst.operand(2)), BlockOf(inst.operand(3))};
  ValueId condition;
  if (!GetScalar(inst.operand(1), mir::Type::kBool, &condition)) return {};
  if (targets[0] == targets[1]) return edge(targets[0], true);
  uint32_t bits = 0;
  if (IsConstant(condition, &bits)) return edge(targets[bits != 0 ? 0 : 1], true);
  const bool jumps[2] = {AlwaysJumps(targets[0]), AlwaysJumps(targets[1])};
  if (!jumps[0] && !jumps[1]) {
    return EmitIf(
        condition, [&] { return edge(targets[0], false); },
        [&] { return edge(targets[1], false); });
  }
  // Nests the side that jumps, so that the other follows. If both jump, nests the one that leaves
  // the loop immediately, so that the continue ends the body.
  int nested = jumps[0] ? 0 : 1;
  if (jumps[0] && jumps[1]) {
    const auto leaves_at_once = [&](uint32_t to) {
      return IsJump(to) && to != c_.place.loops.back().header;
    };
    if (!leaves_at_once(targets[0]) && leaves_at_once(targets[1])) nested = 1;
  }
  const auto jump = [&] { return edge(targets[nested], false); };
  const auto here = [] { return Flow{{kHereLabel, ValueId()}}; };
  const Flow flow = nested == 0 ? EmitIf(condition, jump, here) : EmitIf(condition, here, jump);
  if (!ok()) return {};
  if (flow.size() != 1 || flow[0].first != kHereLabel) {
    Fail(absl::InternalError("a subtree that always jumps ended without a jump"));
    return {};
  }
  return edge(targets[1 - nested], true);
}

// ---- Switches ----

// Returns whether the selector equals a literal of the cases. Invalid after an error.
ValueId Selections::IsOneOf(ValueId selector, absl::Span<const SwitchCase> cases) const {
  ValueId condition;
  for (const SwitchCase& c : cases) {
    for (uint64_t literal : c.literals) {
      const ValueId equal =
          Emit(mir::Op::kIeq,
               {selector, builder().IntOf(TypeOf(selector), static_cast<int64_t>(literal))});
      condition = condition.valid() ? Emit(mir::Op::kOr, {condition, equal}) : equal;
      if (!Charge(1)) return ValueId();
    }
  }
  return condition;
}

// Emits the cases. `otherwise`: the default, or kNoBlock if one of the cases certainly applies.
Flow Selections::EmitCases(ValueId selector, absl::Span<const SwitchCase> cases, uint32_t otherwise,
                           EdgeEmitter edge) const {
  if (!ok()) return {};
  if (cases.empty()) return edge(otherwise, false);
  if (cases.size() == 1 && otherwise == kNoBlock) return edge(cases[0].target, false);
  const size_t split = cases.size() > kLinearCases ? cases.size() / 2 : 1;
  const bool many = otherwise != kNoBlock && c_.place.plan->cfg.blocks[otherwise].many_edges;
  if (split > 1 && many && Separates(cases, split)) {
    if (!Charge(1)) return {};
    const auto middle = static_cast<int64_t>(cases[split].literals.front());
    const ValueId below =
        Emit(mir::Op::kUlt, {selector, builder().IntOf(TypeOf(selector), middle)});
    return EmitIf(
        below, [&] { return EmitCases(selector, cases.first(split), otherwise, edge); },
        [&] { return EmitCases(selector, cases.subspan(split), otherwise, edge); });
  }
  const ValueId condition = IsOneOf(selector, cases.first(split));
  return EmitIf(
      condition, [&] { return EmitCases(selector, cases.first(split), kNoBlock, edge); },
      [&] { return EmitCases(selector, cases.subspan(split), otherwise, edge); });
}

Flow Selections::EmitSwitch(const SpirvInst& inst, EdgeEmitter edge) const {
  Leaves operand;
  if (!Get(inst.operand(1), &operand)) return {};
  if (operand.size() != 1 || !mir::IsInt(TypeOf(operand[0]))) {
    Malformed("switch selector is not an integer", inst.operand(1));
    return {};
  }
  const ValueId selector = operand[0];
  // Literals of a narrow selector are extended to a word, those of a wide one have two words.
  const uint64_t literal_mask = mir::MaskOf(TypeOf(selector));
  const size_t words = spirv().SwitchLiteralWords(inst);
  const uint32_t otherwise = BlockOf(inst.operand(2));
  const bool constant = module().IsConstant(selector);
  const uint64_t bits = constant ? module().value(selector).bits : 0;
  std::vector<SwitchCase> cases;
  std::vector<uint32_t> case_of(c_.place.plan->cfg.blocks.size(), kNoBlock);
  for (size_t i = 3; i + words < inst.size(); i += words + 1) {
    const uint32_t target = BlockOf(inst.words[i + words]);
    const uint64_t high = words == 2 ? uint64_t{inst.words[i + 1]} << 32 : 0;
    const uint64_t literal = (inst.words[i] | high) & literal_mask;
    if (constant && literal == bits) return edge(target, true);
    if (target == otherwise) continue;
    if (case_of[target] == kNoBlock) {
      case_of[target] = static_cast<uint32_t>(cases.size());
      cases.push_back({target, {}});
    }
    cases[case_of[target]].literals.push_back(literal);
  }
  if (!Charge(case_of.size() / 16)) return {};
  if (constant || cases.empty()) return edge(otherwise, true);
  for (SwitchCase& c : cases) std::sort(c.literals.begin(), c.literals.end());
  std::sort(cases.begin(), cases.end(), [](const SwitchCase& a, const SwitchCase& b) {
    return a.literals.front() < b.literals.front();
  });
  return EmitCases(selector, cases, otherwise, edge);
}

}  // namespace

Flow EmitBranch(ImportContext& c, const SpirvInst& inst, EdgeEmitter edge) {
  return Selections(c).EmitBranch(inst, edge);
}

Flow EmitSwitch(ImportContext& c, const SpirvInst& inst, EdgeEmitter edge) {
  return Selections(c).EmitSwitch(inst, edge);
}

}  // namespace kiln::front
