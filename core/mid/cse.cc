#include "core/mid/cse.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/mir/build.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::ValueId;

class Cse {
 public:
  Cse(Module& module, PassContext& context) : m_(module), replace_(module), context_(context) {}

  bool Run() {
    Visit(m_.body);
    replace_.Apply(m_);
    return merged_ > 0;
  }

 private:
  // What makes two instructions the same.
  using Key = std::vector<uint32_t>;

  void Visit(mir::RegionId region) {
    const size_t mark = scope_.size();
    for (InstId id : m_.region(region).insts) {
      for (ValueId& v : m_.sources(id)) v = replace_.Find(v);
      VisitInst(id);
      for (int r = 0; r < m_.inst(id).num_regions; ++r) Visit(m_.inst(id).regions[r]);
    }
    for (; scope_.size() > mark; scope_.pop_back()) available_.erase(scope_.back());
  }

  void VisitInst(InstId id) {
    const Inst& inst = m_.inst(id);
    if (!mir::Info(inst.op).Has('P') || inst.num_results == 0 || (inst.flags & mir::kVolatile)) {
      return;
    }
    Key key = KeyOf(id);
    const auto [it, added] = available_.try_emplace(key, id);
    if (added) {
      scope_.push_back(std::move(key));
      return;
    }
    if (!context_.Rewrite()) return;
    for (int r = 0; r < inst.num_results; ++r) {
      replace_.Replace(m_.result(id, r), m_.result(it->second, r));
    }
    ++merged_;
  }

  Key KeyOf(InstId id) const {
    const Inst& inst = m_.inst(id);
    Key key;
    key.reserve(5 + inst.num_sources);
    key.push_back(static_cast<uint32_t>(inst.op));
    // The flags differ only where one must not be fused: such results are kept apart.
    key.push_back(static_cast<uint32_t>(inst.flags) << 16 | inst.num_results);
    key.push_back(inst.imm0);
    key.push_back(inst.imm1);
    // A load's result types are not in its sources.
    uint32_t types = 0;
    for (int r = 0; r < inst.num_results; ++r) {
      types = types * 3 + static_cast<uint32_t>(m_.value(m_.result(id, r)).type);
    }
    key.push_back(types);
    for (ValueId v : m_.sources(id)) key.push_back(v.index);
    if (mir::Info(inst.op).Has('C') && key[5] > key[6]) std::swap(key[5], key[6]);
    return key;
  }

  Module& m_;
  mir::Replacements replace_;
  PassContext& context_;
  absl::flat_hash_map<Key, InstId> available_;  // looked up only, never iterated
  std::vector<Key> scope_;                      // keys in the order they became available
  int64_t merged_ = 0;
};

}  // namespace

absl::StatusOr<bool> EliminateCommonSubexpressions(Module& module, PassContext& context) {
  return Cse(module, context).Run();
}

}  // namespace kiln::mid
