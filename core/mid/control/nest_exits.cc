#include "core/mid/control/nest_exits.h"

namespace kiln::mid {

using mir::Inst;
using mir::InstId;
using mir::Op;
using mir::RegionId;
using mir::Type;
using mir::ValueId;

bool ExitNester::Yields(RegionId region) const {
  return m_.inst(m_.region(region).insts.back()).op == Op::kYield;
}

bool ExitNester::HasJump(RegionId region) const {
  bool found = false;
  mir::ForEachJumpOfLoop(m_, region, [&](InstId id) { found |= m_.inst(id).op == jump_; });
  return found;
}

// The index of the first if in the list with jumps inside, or the list's size.
size_t ExitNester::FirstExit(absl::Span<const InstId> list) const {
  for (size_t i = 0; i < list.size(); ++i) {
    if (m_.inst(list[i]).op != Op::kIf) continue;
    if (HasJump(m_.inst(list[i]).regions[0]) || HasJump(m_.inst(list[i]).regions[1])) return i;
  }
  return list.size();
}

// The code that a side of the list's first exit executes from there on: its own instructions and,
// if it yields, the rest of the list.
ExitNester::List ExitNester::Continuation(RegionId side, absl::Span<const InstId> rest) const {
  List list = m_.region(side).insts;
  if (!Yields(side)) return list;
  list.pop_back();
  list.insert(list.end(), rest.begin(), rest.end());
  return list;
}

bool ExitNester::OnlyNests(absl::Span<const InstId> list) const {
  int exits = 0;
  return OnlyNests(list, &exits);
}

bool ExitNester::OnlyNests(absl::Span<const InstId> list, int* exits) const {
  const size_t at = FirstExit(list);
  if (at == list.size()) return true;
  if (++*exits > kMaxNestedExits) return false;
  const Inst& inst = m_.inst(list[at]);
  if (Yields(inst.regions[0]) && Yields(inst.regions[1])) return false;
  for (RegionId side : inst.regions) {
    if (!OnlyNests(Continuation(side, list.subspan(at + 1)), exits)) return false;
  }
  return true;
}

ExitNester::List ExitNester::Nest(List list, const std::vector<Type>& types) {
  const size_t at = FirstExit(list);
  if (at == list.size()) {
    if (m_.inst(list.back()).op == jump_) m_.inst(list.back()).op = Op::kYield;
    return list;
  }
  const InstId id = list[at];
  const List rest(list.begin() + static_cast<ptrdiff_t>(at) + 1, list.end());
  const Inst inst = m_.inst(id);
  for (RegionId side : inst.regions) {
    if (!Yields(side)) continue;
    const InstId yield = m_.region(side).insts.back();
    for (int i = 0; i < inst.num_results; ++i) {
      replace_.Replace(m_.result(id, i), replace_.Find(m_.source(yield, i)));
    }
  }
  for (RegionId side : inst.regions) {
    List nested = Nest(Continuation(side, rest), types);
    m_.region(side).insts = std::move(nested);
    changed_.push_back(side);
  }
  m_.inst(id).num_results = 0;
  if (!types.empty()) mir::SetResults(m_, id, types);
  list.resize(at + 1);
  b_.SetList(&list);
  if (!Yields(inst.regions[0]) && !Yields(inst.regions[1])) {
    b_.Unreachable();
    return list;
  }
  std::vector<ValueId> values;
  for (size_t i = 0; i < types.size(); ++i) values.push_back(m_.result(id, static_cast<int>(i)));
  b_.Yield(values);
  return list;
}

}  // namespace kiln::mid
