#include "core/front/finish/find_needs.h"

#include <algorithm>

#include "core/mir/build.h"

namespace kiln::front {
namespace {

using mir::InstId;
using mir::Module;
using mir::Need;
using mir::Op;

// Returns true if the instruction makes or reads a value of the type.
bool Uses(const Module& m, InstId id, mir::Type type) {
  const mir::Inst& inst = m.inst(id);
  const auto is_of_type = [&](mir::ValueId v) { return m.value(v).type == type; };
  for (int i = 0; i < inst.num_results; ++i) {
    if (is_of_type(m.result(id, i))) return true;
  }
  const auto sources = m.sources(id);
  return std::any_of(sources.begin(), sources.end(), is_of_type);
}

// Returns true if the instruction makes or reads a float of 16 bits, or converts from or to the
// bits of one.
bool UsesHalfFloats(const Module& m, InstId id) {
  const Op op = m.inst(id).op;
  return op == Op::kF2f16 || op == Op::kF16f || Uses(m, id, mir::Type::kF16);
}

bool UsesAddresses(Op op) {
  return op == Op::kLoadGlobal || op == Op::kStoreGlobal || op == Op::kGlobalAtomic;
}

// Lists the need for rounding modes by width if that of doubles, which the module uses, differs
// from another.
void NeedRoundingOfDoubles(Module& module) {
  const auto doubles = std::find_if(module.needs.begin(), module.needs.end(),
                                    [](const auto& n) { return n.need == Need::kFloat64; });
  if (doubles == module.needs.end() || module.Needs(Need::kRoundingByWidth)) return;
  const mir::RoundingMode own = module.f64_mode.rounding;
  const auto differs = [own](mir::RoundingMode other) {
    return own != mir::RoundingMode::kAny && other != mir::RoundingMode::kAny && own != other;
  };
  if (!differs(module.f16_mode.rounding) && !differs(module.f32_mode.rounding)) return;
  module.needs.push_back({Need::kRoundingByWidth, doubles->spirv_id});
}

// Lists the need for barycentric coordinates with the first variable that is one, or per-vertex.
void NeedBarycentrics(Module& module) {
  for (const mir::Interface& v : module.inputs) {
    if (!mir::IsBarycentric(v.builtin) && v.interpolation != mir::Interpolation::kPerVertex) {
      continue;
    }
    module.needs.push_back({Need::kBarycentrics, v.spirv_id});
    return;
  }
}

}  // namespace

void FindNeeds(Module& module) {
  const auto note = [&](Need need, InstId id) {
    if (!module.Needs(need)) module.needs.push_back({need, module.inst(id).spirv_id});
  };
  mir::ForEachInst(module, module.body, [&](InstId id) {
    if (UsesHalfFloats(module, id)) note(Need::kHalfFloats, id);
    if (UsesAddresses(module.inst(id).op)) note(Need::kAddresses, id);
    if (Uses(module, id, mir::Type::kF64)) note(Need::kFloat64, id);
    if (module.inst(id).op == Op::kReadClock) note(Need::kClocks, id);
  });
  NeedRoundingOfDoubles(module);
  NeedBarycentrics(module);
}

}  // namespace kiln::front
