#include "core/front/finish/find_needs.h"

#include <algorithm>

#include "core/mir/build.h"

namespace kiln::front {
namespace {

using mir::InstId;
using mir::Module;
using mir::Need;
using mir::Op;

// Returns true if the instruction makes or reads a float of 16 bits, or converts from or to the
// bits of one.
bool UsesHalfFloats(const Module& m, InstId id) {
  const mir::Inst& inst = m.inst(id);
  if (inst.op == Op::kF2f16 || inst.op == Op::kF16f) return true;
  const auto is_half = [&](mir::ValueId v) { return m.value(v).type == mir::Type::kF16; };
  for (int i = 0; i < inst.num_results; ++i) {
    if (is_half(m.result(id, i))) return true;
  }
  const auto sources = m.sources(id);
  return std::any_of(sources.begin(), sources.end(), is_half);
}

bool UsesAddresses(Op op) {
  return op == Op::kLoadGlobal || op == Op::kStoreGlobal || op == Op::kGlobalAtomic;
}

}  // namespace

void FindNeeds(Module& module) {
  const auto note = [&](Need need, InstId id) {
    if (!module.Needs(need)) module.needs.push_back({need, module.inst(id).spirv_id});
  };
  mir::ForEachInst(module, module.body, [&](InstId id) {
    if (UsesHalfFloats(module, id)) note(Need::kHalfFloats, id);
    if (UsesAddresses(module.inst(id).op)) note(Need::kAddresses, id);
  });
}

}  // namespace kiln::front
