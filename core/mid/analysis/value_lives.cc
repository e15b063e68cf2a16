#include "core/mid/analysis/value_lives.h"

#include <algorithm>

#include "core/mir/build.h"

namespace kiln::mid {

using mir::Inst;
using mir::InstId;
using mir::Op;
using mir::RegionId;
using mir::Value;
using mir::ValueId;

ValueLives::ValueLives(const mir::Module& module)
    : m_(module),
      at_(module.insts.size()),
      defined_(module.values.size()),
      needed_(module.values.size()) {
  Number(m_.body, kNoLoop);
  mir::ForEachInst(m_, m_.body, [&](InstId id) {
    for (ValueId v : m_.sources(id)) AddUse(v, id);
  });
}

void ValueLives::Number(RegionId region, int loop) {
  for (ValueId p : m_.region(region).params) defined_[p.index] = next_;
  for (InstId id : m_.region(region).insts) {
    const Inst& inst = m_.inst(id);
    at_[id.index] = {++next_, loop};
    int inner = loop;
    if (inst.op == Op::kLoop) {
      inner = static_cast<int>(loops_.size());
      loops_.push_back({loop, next_, 0});
    }
    for (int r = 0; r < inst.num_regions; ++r) Number(inst.regions[r], inner);
    for (int r = 0; r < inst.num_results; ++r) defined_[m_.result(id, r).index] = next_;
    if (inst.op == Op::kLoop) loops_[static_cast<size_t>(inner)].end = next_;
  }
}

bool ValueLives::Lives(ValueId v) const {
  const Value::Kind kind = m_.value(v).kind;
  return kind == Value::Kind::kResult || kind == Value::Kind::kParam;
}

int64_t ValueLives::NeededSince(int64_t definition, InstId user) const {
  int64_t needed = at_[user.index].place;
  for (int loop = at_[user.index].loop; loop != kNoLoop;) {
    const Loop& around = loops_[static_cast<size_t>(loop)];
    if (around.place <= definition) break;
    needed = around.end;
    loop = around.parent;
  }
  return needed;
}

int64_t ValueLives::Added(ValueId v, int64_t place) const {
  return Lives(v) ? std::max<int64_t>(0, place - needed_[v.index]) : 0;
}

int64_t ValueLives::MostDwords() const {
  std::vector<int64_t> change(static_cast<size_t>(next_) + 2);  // by position, in bytes
  for (uint32_t v = 0; v < needed_.size(); ++v) {
    if (needed_[v] == 0) continue;
    const int64_t bytes = mir::BytesOf(m_.value(ValueId(v)).type);
    change[static_cast<size_t>(defined_[v])] += bytes;
    change[static_cast<size_t>(needed_[v])] -= bytes;
  }
  int64_t now = 0, most = 0;
  for (int64_t c : change) most = std::max(most, now += c);
  return (most + 3) / 4;
}

void ValueLives::AddUse(ValueId v, InstId user) {
  if (!Lives(v)) return;
  needed_[v.index] = std::max(needed_[v.index], NeededSince(defined_[v.index], user));
}

}  // namespace kiln::mid
