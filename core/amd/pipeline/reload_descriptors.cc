#include "core/amd/pipeline/reload_descriptors.h"

#include <utility>
#include <vector>

#include "core/amd/lir/machine.h"
#include "core/amd/lir/ops.h"
#include "core/lir/build.h"
#include "core/lir/def_use.h"
#include "core/lir/remove_dead.h"

namespace kiln::amd {
namespace {

using lir::InstId;
using lir::Operand;

class Reloader {
 public:
  explicit Reloader(lir::Function& f) : f_(f), info_(lir::FindDefUse(f)) {}

  bool Run() {
    for (size_t b = 0; b < f_.blocks.size(); ++b) Rewrite(lir::BlockId(b));
    if (!changed_) return false;
    lir::DefUse info = lir::FindDefUse(f_);
    lir::RemoveDead(Gfx1030Machine().ops, f_, info, [] { return true; });
    return true;
  }

 private:
  // Returns true if a block loads the value by an address alone: an offset in a register would be
  // live instead of the descriptor.
  bool IsDescriptor(const Operand& o) const {
    const InstId* def = info_.DefOf(o);
    if (def == nullptr || !def->valid()) return false;
    const lir::Inst& in = f_.inst(*def);
    if (in.op != Op(isa::Opcode::kSLoadDwordx4) && in.op != Op(isa::Opcode::kSLoadDwordx8)) {
      return false;
    }
    return !lir::IsValue(f_.uses(*def)[1]);
  }

  void Rewrite(lir::BlockId b) {
    std::vector<InstId> insts;
    loaded_.clear();
    for (const InstId i : f_.block(b).insts) {
      for (uint32_t u = 0; u < f_.inst(i).num_uses; ++u) {
        const Operand use = f_.uses(i)[u];
        if (!IsDescriptor(use) || info_.block[info_.def[use.id].index] == b) continue;
        f_.uses(i)[u].id = LoadedHere(info_.def[use.id], insts).index;
        changed_ = true;
      }
      insts.push_back(i);
    }
    f_.block(b).insts = std::move(insts);
  }

  // Returns what the load gives, loaded in this block.
  lir::ValueId LoadedHere(InstId load, std::vector<InstId>& insts) {
    for (const auto& [original, value] : loaded_) {
      if (original == load) return value;
    }
    const lir::Inst in = f_.inst(load);
    lir::InstFields fields;
    fields.width = in.width;
    fields.flags = in.flags;
    fields.aux = in.aux;
    fields.spirv_id = in.spirv_id;
    Operand def = f_.defs(load)[0];
    f_.values.push_back(lir::Value(f_.value(def.value())));
    def.id = static_cast<uint32_t>(f_.values.size() - 1);
    const std::vector<Operand> uses(f_.uses(load).begin(), f_.uses(load).end());
    insts.push_back(lir::MakeInst(f_, in.op, fields, {&def, 1}, uses));
    loaded_.push_back({load, def.value()});
    return def.value();
  }

  lir::Function& f_;
  const lir::DefUse info_;                               // of the function as it was
  std::vector<std::pair<InstId, lir::ValueId>> loaded_;  // in the current block
  bool changed_ = false;
};

}  // namespace

bool ReloadDescriptors(lir::Function& f) { return Reloader(f).Run(); }

}  // namespace kiln::amd
