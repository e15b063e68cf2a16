#include "core/mid/memory/remove_unread_outputs.h"

#include <algorithm>
#include <vector>

#include "core/base/bitset.h"
#include "core/mir/build.h"

namespace kiln::mid {
namespace {

using mir::InstId;
using mir::Interface;
using mir::Value;
using mir::ValueId;
using Reads = absl::FunctionRef<bool(uint32_t, uint32_t)>;

// Returns true if `component` is read in an element that the store may write.
bool IsRead(const mir::Module& m, InstId store, uint32_t component, Reads reads) {
  const mir::Inst& inst = m.inst(store);
  const Interface& v = m.outputs[inst.imm0];
  uint32_t first = 0;
  uint32_t end = v.elements;
  if ((inst.flags & mir::kIndexed) != 0 && m.IsConstant(m.source(store, 0))) {
    first = static_cast<uint32_t>(std::min<uint64_t>(m.value(m.source(store, 0)).bits, end));
    end = std::min(end, first + 1);
  }
  for (uint32_t e = first; e < end; ++e) {
    if (reads(v.location + e, v.component + component)) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> RemoveUnreadOutputs(mir::Module& m, Reads reads, PassContext& context) {
  mir::Builder b(m);
  std::vector<InstId> stores;
  mir::ForEachInst(m, m.body, [&](InstId id) {
    if (m.inst(id).op != mir::Op::kStoreOutput) return;
    const Interface& v = m.outputs[m.inst(id).imm0];
    if (v.builtin == mir::BuiltIn::kNone && mir::BitsOf(v.type) <= 32) stores.push_back(id);
  });
  BitSet dead(m.insts.size());
  bool changed = false;
  for (const InstId id : stores) {
    const int addresses = (m.inst(id).flags & mir::kIndexed) != 0 ? 1 : 0;
    std::vector<int> unread;  // sources
    bool any = false;
    for (int i = addresses; i < m.inst(id).num_sources; ++i) {
      const uint32_t component = m.inst(id).imm1 + static_cast<uint32_t>(i - addresses);
      if (IsRead(m, id, component, reads)) {
        any = true;
      } else if (m.value(m.source(id, i)).kind != Value::Kind::kUndef) {
        unread.push_back(i);
      }
    }
    if (any && unread.empty()) continue;
    if (!context.Rewrite()) break;
    changed = true;
    if (!any) dead.set(id.index);
    for (const int i : unread) {
      const ValueId undefined = b.Undef(m.outputs[m.inst(id).imm0].type);
      m.sources(id)[i] = undefined;
    }
  }
  if (changed) mir::RemoveInsts(m, dead);
  return changed;
}

}  // namespace kiln::mid
