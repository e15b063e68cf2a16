#include "core/mid/lower_float_atomics.h"

#include <utility>
#include <vector>

#include "core/mir/build.h"

namespace kiln::mid {
namespace {

using mir::AtomicOp;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::Type;
using mir::ValueId;

class Lowering {
 public:
  explicit Lowering(Module& module) : m_(module), b_(module), replace_(module) {}

  bool Run() {
    Visit(m_.body);
    replace_.Apply(m_);
    return changed_;
  }

 private:
  void Visit(RegionId region) {
    std::vector<InstId> old;
    old.swap(m_.region(region).insts);
    std::vector<InstId> list;
    list.reserve(old.size());
    for (InstId id : old) {
      if (IsAddition(m_.inst(id))) {
        Lower(id, &list);
        continue;
      }
      list.push_back(id);
      for (int r = 0; r < m_.inst(id).num_regions; ++r) Visit(m_.inst(id).regions[r]);
    }
    m_.region(region).insts = std::move(list);
  }

  static bool IsAddition(const mir::Inst& inst) {
    return (inst.op == Op::kSsboAtomic || inst.op == Op::kSharedAtomic ||
            inst.op == Op::kGlobalAtomic) &&
           inst.imm1 == static_cast<uint32_t>(AtomicOp::kFadd);
  }

  // The same access with another operation on integers.
  ValueId Access(InstId like, AtomicOp op, std::vector<ValueId> values) {
    const mir::Inst inst = m_.inst(like);
    std::vector<ValueId> sources(m_.sources(like).begin(), m_.sources(like).end() - 1);
    sources.insert(sources.end(), values.begin(), values.end());
    b_.set_flags(inst.flags);
    const InstId access =
        b_.EmitInst(inst.op, sources, {Type::kI32}, inst.imm0, static_cast<uint32_t>(op));
    b_.set_flags(0);
    return m_.result(access);
  }

  void Lower(InstId id, std::vector<InstId>* list) {
    changed_ = true;
    b_.SetList(list);
    b_.set_spirv_id(m_.inst(id).spirv_id);
    const ValueId addend = m_.sources(id).back();
    const ValueId first = Access(id, AtomicOp::kLoad, {});
    const InstId loop = b_.Loop({first});
    const RegionId body = m_.inst(loop).regions[0];
    b_.SetRegion(body);
    const ValueId expected = m_.region(body).params[0];
    const ValueId sum = b_.Bitcast(b_.Fadd(b_.Bitcast(expected), addend));
    const ValueId found = Access(id, AtomicOp::kCompareExchange, {expected, sum});
    const InstId test = b_.If(b_.Ieq(found, expected));
    b_.SetRegion(m_.inst(test).regions[0]);
    b_.Break({found});
    b_.SetRegion(m_.inst(test).regions[1]);
    b_.Yield();
    b_.SetRegion(body);
    b_.Continue({found});
    mir::SetResults(m_, loop, {Type::kI32});
    b_.SetList(list);
    replace_.Replace(m_.result(id), b_.Bitcast(m_.result(loop)));
  }

  Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> LowerFloatAtomics(Module& module, PassContext&) {
  return Lowering(module).Run();
}

}  // namespace kiln::mid
