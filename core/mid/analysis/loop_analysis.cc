#include "core/mid/analysis/loop_analysis.h"

#include <array>

#include "core/mid/values/fold.h"
#include "core/mir/build.h"

namespace kiln::mid {

using mir::Inst;
using mir::InstId;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

namespace {

constexpr int kMaxSources = 4;

// Returns true if one operand with this value determines the result of a boolean operation.
bool DecidesAlone(Op op, uint64_t value) {
  return (op == Op::kAnd && value == 0) || (op == Op::kOr && value != 0);
}

bool MayFold(const Inst& inst) {
  const mir::OpInfo& info = mir::Info(inst.op);
  return info.Has('P') && !info.Has('M') && inst.num_results == 1 && inst.num_sources > 0 &&
         inst.num_sources <= kMaxSources;
}

}  // namespace

bool AccessesPrivateArray(Op op) { return op == Op::kLoadPrivate || op == Op::kStorePrivate; }

bool StoresOutside(const mir::Module& module, InstId store, uint64_t offset) {
  const Inst& inst = module.inst(store);
  if (inst.op != Op::kStorePrivate) return false;
  const uint64_t bytes =
      uint64_t{mir::BytesOf(module.value(module.source(store, 1)).type)} * (inst.num_sources - 1u);
  return offset + bytes > module.private_arrays[inst.imm0].bytes;
}

LoopIterations LoopAnalysis::CountIterations(InstId loop, const LoopLimits& limits) {
  bits_.resize(m_.values.size());
  seen_.resize(m_.values.size());
  ++call_;
  limits_ = limits;
  result_ = LoopIterations();
  steps_left_ = limits.max_steps;
  int iterations = 0;
  result_.bounded = WalkIterations(loop, &iterations);
  result_.iterations = iterations;
  return result_;
}

// Counts the iterations begun. Returns true if the last of them meets no continue, false if no
// bound was found.
bool LoopAnalysis::WalkIterations(InstId loop, int* iterations) {
  const RegionId body = m_.inst(loop).regions[0];
  std::vector<Known> params;
  for (ValueId v : m_.sources(loop)) params.push_back(Get(v));
  for (*iterations = 1; *iterations <= limits_.max_iterations; ++*iterations) {
    for (size_t i = 0; i < params.size(); ++i) Set(m_.region(body).params[i], params[i]);
    next_.continues = false;
    next_.params.clear();
    WalkRegion(body, /*certain=*/true);
    if (IsOver(*iterations)) return false;
    if (!next_.continues) return true;
    if (next_.params == params) return false;
    params.swap(next_.params);
  }
  return false;
}

void LoopAnalysis::WalkLoop(InstId loop) {
  for (int r = 0; r < m_.inst(loop).num_results; ++r) Set(m_.result(loop, r), std::nullopt);
  const LoopIterations before = result_;
  Next outer = std::move(next_);
  int iterations = 0;
  const bool walked = limits_.into_loops && WalkIterations(loop, &iterations) &&
                      result_.unknown_exits == before.unknown_exits;
  next_ = std::move(outer);
  if (walked) return;
  result_ = before;
  ++result_.residue;
  CountOnce(m_.inst(loop).regions[0]);
}

bool LoopAnalysis::IsOver(int iterations) const {
  return steps_left_ < 0 || result_.residue > limits_.max_residue ||
         (iterations > 1 && result_.residue > limits_.max_residue_of_iterations) ||
         result_.unknown_exits > limits_.max_unknown_exits;
}

LoopAnalysis::Known LoopAnalysis::Get(ValueId v) const {
  if (m_.IsConstant(v)) return m_.value(v).bits;
  if (seen_[v.index] != call_) return std::nullopt;
  return bits_[v.index];
}

void LoopAnalysis::Set(ValueId v, Known bits) {
  seen_[v.index] = bits.has_value() ? call_ : 0;
  bits_[v.index] = bits.value_or(0);
}

LoopAnalysis::Exit LoopAnalysis::WalkRegion(RegionId region, bool certain) {
  for (InstId id : m_.region(region).insts) {
    if (--steps_left_ < 0) return Exit::kJumps;
    switch (m_.inst(id).op) {
      case Op::kIf:
        if (WalkIf(id, certain) == Exit::kJumps) return Exit::kJumps;
        break;
      case Op::kLoop: WalkLoop(id); break;
      case Op::kYield: return Exit::kFalls;
      case Op::kBreak:
      case Op::kContinue: WalkJump(id, certain); return Exit::kJumps;
      case Op::kUnreachable: return Exit::kJumps;
      default:
        if (NeverReached(id)) return Exit::kJumps;
        WalkValue(id);
    }
  }
  return Exit::kJumps;
}

bool LoopAnalysis::NeverReached(InstId id) const {
  if (m_.inst(id).op != Op::kStorePrivate) return false;
  const Known offset = Get(m_.source(id, 0));
  return offset.has_value() && StoresOutside(m_, id, *offset);
}

LoopAnalysis::Exit LoopAnalysis::WalkIf(InstId id, bool certain) {
  const Inst& inst = m_.inst(id);
  const Known condition = Get(m_.source(id, 0));
  std::array<bool, 2> yields = {false, false};
  for (int side = 0; side < 2; ++side) {
    if (condition.has_value() && (*condition != 0) != (side == 0)) continue;
    yields[side] = WalkRegion(inst.regions[side], certain && condition.has_value()) == Exit::kFalls;
  }
  if (!condition.has_value()) result_.residue += 2;
  if (!yields[0] && !yields[1]) return Exit::kJumps;
  for (int r = 0; r < inst.num_results; ++r) {
    Known merged;
    for (int side = 0; side < 2; ++side) {
      if (!yields[side]) continue;
      const Known known = Get(m_.source(m_.region(inst.regions[side]).insts.back(), r));
      merged = side == 1 && yields[0] && known != merged ? std::nullopt : known;
    }
    Set(m_.result(id, r), merged);
    if (yields[0] && yields[1] && !merged.has_value()) ++result_.residue;
  }
  return Exit::kFalls;
}

void LoopAnalysis::WalkJump(InstId id, bool certain) {
  if (m_.inst(id).op == Op::kBreak) {
    if (certain) return;
    ++result_.unknown_exits;
    ++result_.residue;
    return;
  }
  const int n = m_.inst(id).num_sources;
  for (int i = 0; i < n; ++i) {
    const Known known = Get(m_.source(id, i));
    if (!next_.continues) {
      next_.params.push_back(known);
    } else if (next_.params[i] != known) {
      next_.params[i] = std::nullopt;
    }
  }
  next_.continues = true;
}

void LoopAnalysis::WalkValue(InstId id) {
  const Inst& inst = m_.inst(id);
  if (AccessesPrivateArray(inst.op)) {
    if (Get(m_.source(id, 0)).has_value()) {
      if (m_.IsConstant(m_.source(id, 0))) return;
      ++result_.array_accesses;
      result_.array_elements += ElementsOf(inst);
      return;
    }
    ++result_.unknown_array_accesses;
  }
  if (inst.op == Op::kLoadConstant && WalkTable(id)) return;
  const Known known = Evaluate(id);
  if (!known.has_value()) ++result_.residue;
  for (int r = 0; r < inst.num_results; ++r) Set(m_.result(id, r), known);
}

// Evaluates a load from the module's constant tables at a known offset; returns false if it is
// none.
bool LoopAnalysis::WalkTable(InstId id) {
  const Known offset = Get(m_.source(id, 0));
  const int n = m_.inst(id).num_results;
  const uint32_t size = mir::BytesOf(m_.value(m_.result(id)).type);
  if (!offset.has_value() || *offset + uint64_t{size} * n > m_.constant_data.size()) {
    return false;
  }
  for (int i = 0; i < n; ++i) {
    uint64_t bits = 0;
    for (uint32_t k = size; k-- > 0;) bits = bits << 8 | m_.constant_data[*offset + size * i + k];
    Set(m_.result(id, i), bits);
  }
  return true;
}

LoopAnalysis::Known LoopAnalysis::Evaluate(InstId id) const {
  const Inst& inst = m_.inst(id);
  if (!MayFold(inst) || IsLeftToTarget(m_.stage, inst.op, inst.flags)) return std::nullopt;
  if (inst.op == Op::kSelect) return EvaluateSelect(id);
  const mir::Type type = m_.value(m_.result(id)).type;
  std::array<uint64_t, kMaxSources> bits;
  bool all = true;
  for (int i = 0; i < inst.num_sources; ++i) {
    const Known known = Get(m_.source(id, i));
    if (!known.has_value()) {
      if (type != mir::Type::kBool) return std::nullopt;
      all = false;
      continue;
    }
    if (type == mir::Type::kBool && DecidesAlone(inst.op, *known)) return known;
    bits[i] = *known;
  }
  if (!all) return std::nullopt;
  return FoldOp(inst.op, type, m_.value(m_.source(id, 0)).type,
                absl::MakeConstSpan(bits.data(), inst.num_sources),
                mir::RoundsToZero(m_, inst.op, type));
}

LoopAnalysis::Known LoopAnalysis::EvaluateSelect(InstId id) const {
  const Known condition = Get(m_.source(id, 0));
  if (!condition.has_value()) return std::nullopt;
  return Get(m_.source(id, *condition != 0 ? 1 : 2));
}

void LoopAnalysis::CountOnce(RegionId region) {
  mir::ForEachInst(m_, region, [&](InstId id) {
    ++result_.residue;
    --steps_left_;
    if (!AccessesPrivateArray(m_.inst(id).op) || m_.IsConstant(m_.source(id, 0))) return;
    ++result_.unknown_array_accesses;
  });
}

}  // namespace kiln::mid
