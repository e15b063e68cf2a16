// Phis are slots (plan.h): the edge to a block writes the block's phis, all at once because they
// may read each other; in the block their ids are bound to the slots.
#include <utility>
#include <vector>

#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"

namespace kiln::front {
namespace {

class Phis : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool Assign(uint32_t from, uint32_t to) const;
  bool Bind(const SpirvInst& inst, bool leading) const;
};

bool Phis::Assign(uint32_t from, uint32_t to) const {
  const uint32_t first_block = c_.place.function->first_block;
  const uint32_t from_label = spirv().blocks[first_block + from].label;
  const SpirvBlock& block = spirv().blocks[first_block + to];
  std::vector<std::pair<uint32_t, ValueId>> assigned;
  for (uint32_t i = block.first; i < block.end; ++i) {
    const SpirvInst inst = spirv().Inst(spirv().body_offsets[i]);
    if (inst.op != spv::Op::OpPhi) break;
    if (!Charge(inst.size())) return false;
    const SpirvType* type = Supported(inst.type);
    if (type == nullptr) return false;
    const uint32_t slot = plan().slots[inst.result];
    size_t k = 3;
    while (k + 1 < inst.size() && inst.words[k + 1] != from_label) k += 2;
    if (k + 1 >= inst.size()) return Malformed("phi has no value for a predecessor", inst.result);
    Leaves leaves;
    uint32_t value_type = 0;
    if (!Get(inst.words[k], &leaves, &value_type)) return false;
    if (value_type != inst.type || slot == kNoSlot) {
      return Malformed("phi operand is not of the phi's type", inst.result);
    }
    for (size_t n = 0; n < leaves.size(); ++n) {
      assigned.push_back({slot + static_cast<uint32_t>(n), leaves[n]});
    }
  }
  for (const auto& [slot, value] : assigned) c_.slots.Set(slot, value);
  return true;
}

bool Phis::Bind(const SpirvInst& inst, bool leading) const {
  const uint32_t slot = plan().slots[inst.result];
  if (!leading || slot == kNoSlot)
    return Malformed("phi is not at the start of its block", inst.result);
  c_.bindings.BindSlots(inst.result, inst.type, slot);
  return true;
}

}  // namespace

bool AssignPhis(ImportContext& c, uint32_t from, uint32_t to) { return Phis(c).Assign(from, to); }

bool BindPhi(ImportContext& c, const SpirvInst& inst, bool leading) {
  return Phis(c).Bind(inst, leading);
}

}  // namespace kiln::front
