#include "core/front/finish/finish_interface.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/front/check/refusal.h"
#include "core/front/finish/split_interface.h"
#include "core/mir/build.h"

namespace kiln::front {
namespace {

using mir::BuiltIn;
using mir::Inst;
using mir::InstId;
using mir::Interface;
using mir::ValueId;

constexpr uint32_t kNone = ~uint32_t{0};

auto Place(const Interface& v) { return std::tie(v.builtin, v.location, v.index, v.component); }

// Finishes the inputs, or the outputs, of a module.
class Finisher {
 public:
  Finisher(mir::Module& module, std::vector<Interface>& list, bool outputs)
      : m_(module), list_(list), outputs_(outputs) {}

  void Run() {
    FindUses();
    Divide();
    Order();
  }

 private:
  void FindUses();
  void Divide();
  void Order();
  bool IsConstantIndex(InstId id) const { return m_.IsConstant(m_.source(id, 0)); }

  mir::Module& m_;
  std::vector<Interface>& list_;
  const bool outputs_;
  std::vector<InstId> uses_;
  std::vector<bool> used_;  // by variable
  std::vector<bool> by_value_;
};

void Finisher::FindUses() {
  used_.assign(list_.size(), false);
  by_value_.assign(list_.size(), false);
  mir::ForEachInst(m_, m_.body, [this](InstId id) {
    const Inst& inst = m_.inst(id);
    if (!mir::IsInterfaceOp(inst.op) || (inst.op == mir::Op::kStoreOutput) != outputs_) return;
    uses_.push_back(id);
    used_[inst.imm0] = true;
    if ((inst.flags & mir::kIndexed) != 0 && !IsConstantIndex(id)) by_value_[inst.imm0] = true;
  });
}

// Replaces arrays never indexed by value by single variables, one for each element used.
void Finisher::Divide() {
  const size_t count = list_.size();
  std::vector<std::vector<uint32_t>> elements(count);  // index in list_ of each element used
  for (const InstId id : uses_) {
    Inst& inst = m_.inst(id);
    const uint32_t v = inst.imm0;
    if (!list_[v].array || by_value_[v] || list_[v].builtin != BuiltIn::kNone) continue;
    used_[v] = false;
    const auto element = static_cast<uint32_t>(m_.value(m_.source(id, 0)).bits);
    elements[v].resize(list_[v].elements, kNone);
    uint32_t& place = elements[v][std::min(element, list_[v].elements - 1)];
    if (place == kNone) {
      place = static_cast<uint32_t>(list_.size());
      Interface single = list_[v];
      single.location += std::min(element, single.elements - 1) * LocationsOf(single);
      single.array = false;
      single.elements = 1;
      list_.push_back(single);
      used_.push_back(true);
    }
    inst.imm0 = place;
    inst.flags &= static_cast<uint16_t>(~mir::kIndexed);
    const auto sources = m_.sources(id);
    const std::vector<ValueId> rest(sources.begin() + 1, sources.end());
    mir::SetSources(m_, id, rest);
  }
}

// Drops unused variables and sorts the others. Merges variables of the same built-in.
void Finisher::Order() {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < list_.size(); ++i) {
    if (used_[i]) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [this](uint32_t a, uint32_t b) { return Place(list_[a]) < Place(list_[b]); });
  std::vector<Interface> sorted;
  std::vector<uint32_t> place(list_.size());
  for (uint32_t i : order) {
    const Interface& v = list_[i];
    if (!sorted.empty() && v.builtin != BuiltIn::kNone && sorted.back().builtin == v.builtin) {
      sorted.back().elements = std::max(sorted.back().elements, v.elements);
      sorted.back().invariant |= v.invariant;
      if (sorted.back().spirv_id == 0) sorted.back().spirv_id = v.spirv_id;
    } else {
      sorted.push_back(v);
    }
    place[i] = static_cast<uint32_t>(sorted.size() - 1);
  }
  list_ = std::move(sorted);
  for (const InstId id : uses_) m_.inst(id).imm0 = place[m_.inst(id).imm0];
}

absl::Status CheckOverlaps(const std::vector<Interface>& list) {
  std::vector<bool> taken;  // by location, component and index
  for (const Interface& v : list) {
    if (v.builtin != BuiltIn::kNone) continue;
    for (uint32_t e = 0; e < v.elements; ++e) {
      const uint32_t first = 4 * (v.location + e) + v.component;
      for (uint32_t slot = first; slot < first + v.components; ++slot) {
        const size_t at = size_t{2} * slot + v.index;
        if (at >= taken.size()) taken.resize(at + 1);
        if (taken[at]) return Invalid("inputs or outputs overlap", v.spirv_id);
        taken[at] = true;
      }
    }
  }
  return absl::OkStatus();
}

// Checks the depth mode of a fragment shader against its outputs.
absl::Status FinishModes(mir::Module& module) {
  const auto depth =
      std::find_if(module.outputs.begin(), module.outputs.end(),
                   [](const Interface& v) { return v.builtin == BuiltIn::kFragDepth; });
  if (depth == module.outputs.end()) {
    module.fragment.depth = mir::DepthMode::kNone;
  } else if (module.fragment.depth == mir::DepthMode::kNone) {
    // VUID-FragDepth-FragDepth-04216
    return Invalid("FragDepth is written without the execution mode DepthReplacing",
                   depth->spirv_id);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FinishInterface(mir::Module& module) {
  if (module.stage == mir::Stage::kCompute) return absl::OkStatus();
  const auto finish = [&module] {
    Finisher(module, module.inputs, false).Run();
    Finisher(module, module.outputs, true).Run();
  };
  finish();
  if (absl::Status s = SplitInterface(module); !s.ok()) return s;
  finish();  // one part of a split variable may be unused
  if (absl::Status s = CheckOverlaps(module.inputs); !s.ok()) return s;
  if (absl::Status s = CheckOverlaps(module.outputs); !s.ok()) return s;
  return module.stage == mir::Stage::kFragment ? FinishModes(module) : absl::OkStatus();
}

}  // namespace kiln::front
