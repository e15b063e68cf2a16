#include "core/intel/select/uniform.h"

#include "core/mir/build.h"

namespace kiln::intel {
namespace {

using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

class Finder {
 public:
  explicit Finder(const Module& m) : m_(m), uniform_(m.values.size(), true) {}

  std::vector<bool> Run() {
    do {
      changed_ = false;
      Visit(m_.body);
    } while (changed_);
    return std::move(uniform_);
  }

 private:
  // The loop's only continue if that ends its body, else none.
  InstId TailContinue(RegionId body) const {
    InstId only;
    int continues = 0;
    mir::ForEachJumpOfLoop(m_, body, [&](InstId jump) {
      if (m_.inst(jump).op != Op::kContinue) return;
      ++continues;
      only = jump;
    });
    const bool tail = continues == 1 && m_.region(body).insts.back() == only;
    return tail ? only : InstId();
  }

  bool AllUniform(InstId inst) const {
    for (ValueId v : m_.sources(inst)) {
      if (!uniform_[v.index]) return false;
    }
    return true;
  }

  void Demote(ValueId v) {
    if (!uniform_[v.index]) return;
    uniform_[v.index] = false;
    changed_ = true;
  }

  bool OpKeepsUniform(Op op) const {
    switch (op) {
      case Op::kIf:
      case Op::kLoop:
      case Op::kSsboAtomic:
      case Op::kSharedAtomic:
      case Op::kImageAtomic:
      case Op::kGlobalAtomic:
      case Op::kLoadPrivate:
        return false;
      default:
        return !mir::Info(op).Has('S');
    }
  }

  void VisitLoop(InstId loop) {
    const RegionId body = m_.inst(loop).regions[0];
    const auto& params = m_.region(body).params;
    const InstId tail = TailContinue(body);
    for (size_t i = 0; i < params.size(); ++i) {
      if (!tail || !uniform_[m_.source(loop, static_cast<int>(i)).index] ||
          !uniform_[m_.source(tail, static_cast<int>(i)).index]) {
        Demote(params[i]);
      }
    }
  }

  void Visit(RegionId region) {
    for (InstId id : m_.region(region).insts) {
      const mir::Inst& inst = m_.inst(id);
      if (inst.op == Op::kLoop) VisitLoop(id);
      if (!mir::IsSubgroupUniform(inst) && (!OpKeepsUniform(inst.op) || !AllUniform(id))) {
        for (int r = 0; r < inst.num_results; ++r) Demote(m_.result(id, r));
      }
      for (int r = 0; r < inst.num_regions; ++r) Visit(inst.regions[r]);
    }
  }

  const Module& m_;
  std::vector<bool> uniform_;
  bool changed_ = false;
};

}  // namespace

std::vector<bool> FindUniformValues(const Module& module) { return Finder(module).Run(); }

}  // namespace kiln::intel
