// Vectors of 16-bit numbers in random modules: the same operations on each component, as targets
// with packed arithmetic compute by one instruction for two of them.
#include <algorithm>
#include <iterator>
#include <vector>

#include "core/oracle/generator.h"

namespace kiln::oracle::random_modules {

// Returns a vector whose components are loaded together, other numbers, or constants.
std::vector<ValueId> Generator::WordVector(Type type, uint32_t size) {
  std::vector<ValueId> vector;
  const uint32_t kind = random_.Below(6);
  if (kind < 3) {
    const ValueId offset =
        kind == 0 ? b_.Int(8 * random_.Below(16)) : b_.And(Pick(Type::kI32), b_.Int(0xf8));
    const std::vector<Type> types(size, Type::kI16);
    const bool storage = random_.OneIn(2);
    const InstId load =
        b_.Load(storage ? Op::kLoadSsbo : Op::kLoadUbo, storage ? 1 : 2, offset, types, 4);
    for (uint32_t c = 0; c < size; ++c) {
      ValueId v = m_.result(load, static_cast<int>(c));
      // Without infinities and NaNs, which all else would soon become.
      if (type == Type::kF16)
        v = b_.Convert(Op::kBitcast, b_.And(v, b_.Constant(Type::kI16, 0xbfff)), type);
      vector.push_back(v);
    }
    return vector;
  }
  for (uint32_t c = 0; c < size; ++c) {
    vector.push_back(c > 0 && kind == 3 ? vector[0] : Pick(type));  // kind 3: one for all
  }
  return vector;
}

// Returns op(a, b, c) component by component, of some vectors in another order or negated.
std::vector<ValueId> Generator::WordOperation(Type type,
                                              const std::vector<std::vector<ValueId>>& vectors) {
  constexpr Op kOfFloats[] = {Op::kFadd, Op::kFsub, Op::kFmul, Op::kFfma, Op::kFmin, Op::kFmax};
  constexpr Op kOfInts[] = {Op::kIadd, Op::kIsub, Op::kImul, Op::kImin, Op::kImax,
                            Op::kUmin, Op::kUmax, Op::kShl,  Op::kUshr, Op::kAshr};
  const bool floats = type == Type::kF16;
  const Op op = floats ? kOfFloats[random_.Below(std::size(kOfFloats))]
                       : kOfInts[random_.Below(std::size(kOfInts))];
  const size_t size = vectors[0].size();
  std::vector<ValueId> sources[3];
  for (std::vector<ValueId>& source : sources) {
    source = vectors[vectors.size() - 1 - random_.Below(std::min<uint32_t>(vectors.size(), 4))];
    if (random_.OneIn(4)) std::rotate(source.begin(), source.begin() + 1, source.end());
    for (ValueId& v : source) {
      if (floats && random_.OneIn(8)) v = b_.Emit(Op::kFneg, {v});
    }
  }
  const bool saturates = floats && random_.OneIn(8);
  std::vector<ValueId> results;
  for (size_t c = 0; c < size; ++c) {
    std::vector<ValueId> of = {sources[0][c], sources[1][c]};
    const bool shifts = op == Op::kShl || op == Op::kUshr || op == Op::kAshr;
    if (shifts) of[1] = b_.Convert(Op::kZext, of[1], Type::kI32);
    if (op == Op::kFfma) of.push_back(sources[2][c]);
    results.push_back(b_.Emit(op, of));
    if (floats) TakeLicences(InstId(m_.value(results.back()).owner));
    if (saturates) results.back() = b_.Emit(Op::kFsaturate, {results.back()});
  }
  return results;
}

// A chain of operations on vectors, perhaps carried by a loop. The components are numbers of the
// program afterwards, and some are stored where the lane may store.
void Generator::WordVectors() {
  const Type type = options_.floats && random_.OneIn(2) ? Type::kF16 : Type::kI16;
  const uint32_t size = random_.OneIn(2) ? 2 : random_.OneIn(2) ? 4 : 3;
  std::vector<std::vector<ValueId>> vectors;
  for (uint32_t i = 2 + random_.Below(2); i > 0; --i) vectors.push_back(WordVector(type, size));
  const auto operate = [&](uint32_t most) {
    for (uint32_t i = 1 + random_.Below(most); i > 0; --i) {
      vectors.push_back(WordOperation(type, vectors));
    }
  };
  operate(4);
  if (random_.OneIn(3)) {
    std::vector<ValueId> initial = {b_.Int(1 + random_.Below(4))};
    initial.insert(initial.end(), vectors.back().begin(), vectors.back().end());
    const InstId loop = b_.Loop(initial);
    const RegionId outer = b_.region(), body = m_.inst(loop).regions[0];
    const std::vector<ValueId> params = m_.region(body).params;
    const size_t before = vectors.size();
    b_.SetRegion(body);
    const InstId test = b_.If(b_.Ieq(params[0], b_.Int(0)));
    b_.SetRegion(m_.inst(test).regions[0]);
    const std::vector<ValueId> carried(params.begin() + 1, params.end());
    b_.Break(carried);
    b_.SetRegion(m_.inst(test).regions[1]);
    b_.Yield();
    b_.SetRegion(body);
    vectors.push_back(carried);
    operate(3);
    std::vector<ValueId> next = {b_.Isub(params[0], b_.Int(1))};
    next.insert(next.end(), vectors.back().begin(), vectors.back().end());
    b_.Continue(next);
    b_.SetRegion(outer);
    SetResults(m_, loop, std::vector<Type>(size, type));
    vectors.resize(before);
    vectors.emplace_back();
    for (uint32_t c = 0; c < size; ++c)
      vectors.back().push_back(m_.result(loop, static_cast<int>(c)));
    operate(2);
  }
  // 0 instead of NaN and -0: targets choose the bits of a NaN, and the sign of a minimum or maximum
  // of both zeros.
  for (ValueId& v : vectors.back()) {
    if (type == Type::kF16) {
      const ValueId zero = b_.Constant(type, 0);
      v = b_.Select(b_.Feq(v, v), b_.Select(b_.Feq(v, zero), zero, v), zero);
    }
    Define(v);
  }
  StoreWords(vectors.back());
}

// Stores the bits.
void Generator::StoreWords(const std::vector<ValueId>& words) {
  const OwnPart part = PickOwnPart();
  std::vector<ValueId> bits;
  for (ValueId v : words) {
    bits.push_back(m_.value(v).type == Type::kF16 ? b_.Convert(Op::kBitcast, v, Type::kI16) : v);
  }
  const uint32_t bytes = 2 * static_cast<uint32_t>(words.size());
  const uint32_t alignment = random_.OneIn(2) ? 4 : 2;
  const Builder::Address at =
      Place(part, random_.Below((part.bytes - bytes) / alignment + 1) * alignment);
  if (part.memory == Op::kLoadGlobal) {
    b_.StoreGlobal(at, bits, alignment);
  } else {
    b_.Store(part.memory == Op::kLoadShared ? Op::kStoreShared : Op::kStoreSsbo, 0, at[0], bits,
             alignment);
  }
}

}  // namespace kiln::oracle::random_modules
