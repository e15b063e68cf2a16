// Values that stay live throughout the random module: loops carry them and nested ifs change them,
// with continue and break at any depth. At 32 lanes they exceed the registers, and lanes that left
// a loop early wait with all of them live.
#include "core/oracle/generator.h"

#include <vector>

namespace kiln::oracle::random_modules {

void Generator::LoadKept() {
  for (int k = 0; k < options_.pressure; ++k) {
    const ValueId word = b_.And(b_.Iadd(lane_, b_.Int(random_.Below(64))), b_.Int(63));
    const InstId load = b_.Load(Op::kLoadSsbo, 1, b_.Imul(word, b_.Int(4)), {Type::kI32});
    kept_.push_back(m_.result(load, 0));
  }
}

ValueId& Generator::SomeKept() { return kept_[random_.Below(static_cast<uint32_t>(kept_.size()))]; }

void Generator::ChangeKept() {
  const ValueId sum = b_.Iadd(b_.Imul(SomeKept(), b_.Int(3)), SomeKept());
  SomeKept() = sum;
}

// Ends the region for its active lanes.
void Generator::JumpWithKept(ValueId fuel) {
  if (random_.OneIn(4)) return b_.Break(kept_);
  std::vector<ValueId> values = {b_.Isub(fuel, b_.Int(1))};
  values.insert(values.end(), kept_.begin(), kept_.end());
  b_.Continue(values);
}

void Generator::KeptIf(ValueId fuel, int depth) {
  const ValueId bits = b_.And(b_.Iadd(SomeKept(), fuel), b_.Int(3));
  const InstId inst = b_.If(b_.Ieq(bits, b_.Int(random_.Below(4))));
  const RegionId outer = b_.region();
  const std::vector<ValueId> before = kept_;
  std::vector<ValueId> after[2];
  const bool jumps = random_.OneIn(3);  // only one of the two sides reaches the end of the if
  for (uint32_t r = 0; r < 2; ++r) {
    kept_ = before;
    b_.SetRegion(m_.inst(inst).regions[r]);
    for (uint32_t k = random_.Below(3); k > 0; --k) ChangeKept();
    for (uint32_t k = random_.Below(3); k > 0 && depth < options_.max_depth; --k) {
      KeptIf(fuel, depth + 1);
    }
    if (r == 0 && jumps) JumpWithKept(fuel);
    after[r] = kept_;
  }
  if (jumps) after[0] = after[1];
  std::vector<size_t> changed;
  for (size_t k = 0; k < before.size(); ++k) {
    if (after[0][k] != before[k] || after[1][k] != before[k]) changed.push_back(k);
  }
  for (uint32_t r = jumps ? 1 : 0; r < 2; ++r) {
    std::vector<ValueId> values;
    values.reserve(changed.size());
    for (size_t k : changed) values.push_back(after[r][k]);
    b_.SetRegion(m_.inst(inst).regions[r]);
    b_.Yield(values);
  }
  b_.SetRegion(outer);
  SetResults(m_, inst, std::vector<Type>(changed.size(), Type::kI32));
  kept_ = before;
  for (size_t k = 0; k < changed.size(); ++k) {
    kept_[changed[k]] = m_.result(inst, static_cast<int>(k));
  }
}

void Generator::KeptLoop() {
  if (kept_.empty()) return;
  std::vector<ValueId> initial = {b_.And(SomeKept(), b_.Int(3))};
  initial.insert(initial.end(), kept_.begin(), kept_.end());
  const InstId loop = b_.Loop(initial);
  const RegionId outer = b_.region(), body = m_.inst(loop).regions[0];
  b_.SetRegion(body);
  const std::vector<ValueId> params(m_.region(body).params.begin(), m_.region(body).params.end());
  const ValueId fuel = params[0];
  kept_.assign(params.begin() + 1, params.end());
  const InstId test = b_.If(b_.Ieq(fuel, b_.Int(0)));
  b_.SetRegion(m_.inst(test).regions[0]);
  b_.Break(kept_);
  b_.SetRegion(m_.inst(test).regions[1]);
  b_.Yield();
  b_.SetRegion(body);
  for (uint32_t k = 6 + random_.Below(14); k > 0; --k) KeptIf(fuel, 1);
  std::vector<ValueId> next = {b_.Isub(fuel, b_.Int(1))};
  next.insert(next.end(), kept_.begin(), kept_.end());
  b_.Continue(next);
  b_.SetRegion(outer);
  SetResults(m_, loop, std::vector<Type>(kept_.size(), Type::kI32));
  for (size_t k = 0; k < kept_.size(); ++k) kept_[k] = m_.result(loop, static_cast<int>(k));
  for (uint32_t k = 0; k < 3; ++k) Define(SomeKept());
}

void Generator::StoreKept() {
  for (uint32_t dword = 0; dword < 8 && dword < kept_.size(); ++dword) {
    ValueId sum = kept_[dword];
    for (size_t k = dword + 8; k < kept_.size(); k += 8) {
      sum = b_.Iadd(b_.Imul(sum, b_.Int(5)), kept_[k]);
    }
    StoreOutput(dword, sum);
  }
}

}  // namespace kiln::oracle::random_modules
