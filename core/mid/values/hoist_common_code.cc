#include "core/mid/values/hoist_common_code.h"

#include <utility>
#include <vector>

#include "core/base/bitset.h"
#include "core/base/key_table.h"
#include "core/mid/analysis/alias.h"
#include "core/mid/analysis/value_key.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

class Hoister {
 public:
  Hoister(Module& module, PassContext& context)
      : m_(module),
        b_(module),
        replace_(module),
        context_(context),
        moved_(module.insts.size()),
        gone_(module.insts.size()) {}

  bool Run() {
    Visit(m_.body);
    if (!changed_) return false;
    mir::RemoveInsts(m_, gone_);
    replace_.Apply(m_);
    return true;
  }

 private:
  void Visit(RegionId region) {
    mir::RewriteRegion(b_, region, [&](InstId id) {
      for (int r = 0; r < m_.inst(id).num_regions; ++r) Visit(m_.inst(id).regions[r]);
      if (m_.inst(id).op == Op::kIf) Merge(m_.inst(id).regions[0], m_.inst(id).regions[1]);
      return true;
    });
  }

  bool MayMove(InstId id) const {
    const Inst& inst = m_.inst(id);
    return IsPure(m_, id) && inst.num_results != 0 && inst.num_regions == 0 &&
           (inst.flags & (mir::kVolatile | mir::kIndexed)) == 0 && !gone_.test(id.index);
  }

  ValueKey Key(InstId id) {
    return KeyOf(m_, id, [&](ValueId v) { return replace_.Find(v); });
  }

  // Moves instructions that both sides have from the then side to before the if.
  void Merge(RegionId then_region, RegionId else_region) {
    if (m_.region(then_region).insts.size() < 2 || m_.region(else_region).insts.size() < 2) return;
    KeyTable seen;
    for (InstId id : m_.region(then_region).insts) {
      if (MayMove(id)) seen.FindOrAdd(Key(id), id.index);
    }
    bool found = false;
    for (InstId id : m_.region(else_region).insts) {
      if (!MayMove(id)) continue;
      const uint32_t* found_at = seen.Find(Key(id));
      if (found_at == nullptr || !context_.Rewrite()) continue;
      const InstId equal(*found_at);
      for (int r = 0; r < m_.inst(id).num_results; ++r) {
        replace_.Replace(m_.result(id, r), m_.result(equal, r));
      }
      gone_.set(id.index);
      moved_.set(equal.index);
      found = changed_ = true;
    }
    if (!found) return;
    std::vector<InstId> rest;
    for (InstId id : m_.region(then_region).insts) {
      if (moved_.test(id.index)) {
        b_.Append(id);
      } else {
        rest.push_back(id);
      }
      moved_.reset(id.index);
    }
    m_.region(then_region).insts = std::move(rest);
  }

  Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  PassContext& context_;
  BitSet moved_;  // of the then side being merged: moves before the if
  BitSet gone_;   // of else sides: replaced
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> HoistCommonCode(Module& module, PassContext& context) {
  return Hoister(module, context).Run();
}

}  // namespace kiln::mid
