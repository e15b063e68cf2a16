#include "core/amd/cull/if.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using mir::Op;
using mir::Type;
using mir::ValueId;

constexpr uint32_t kLanes = 4;

// Runs a program whose lanes store what `emit` makes of the lane's number.
std::vector<uint32_t> Stored(const std::function<ValueId(mir::Builder&, ValueId)>& emit) {
  mir::Module m;
  m.local_size = {kLanes, 1, 1};
  m.resources.resize(1);
  m.body = mir::NewRegion(m);
  mir::Builder b(m);
  b.SetRegion(m.body);
  const ValueId lane = b.LocalIndex();
  b.Store(Op::kStoreSsbo, 0, b.Shl(lane, b.Int(2)), {emit(b, lane)});
  b.Return();
  EXPECT_EQ(mir::Verify(m), absl::OkStatus());
  oracle::LaunchInputs inputs;
  oracle::BoundBuffer& out = inputs.buffers.emplace_back();
  out.bytes.resize(size_t{4} * kLanes);
  const auto run = oracle::Interpret(m, inputs);
  EXPECT_TRUE(run.ok()) << run.status();
  std::vector<uint32_t> words(kLanes);
  std::memcpy(words.data(), inputs.buffers[0].bytes.data(), size_t{4} * kLanes);
  return words;
}

constexpr Type kInts[] = {Type::kI32, Type::kI32};

TEST(If, ResultsAreThoseOfTheSideTaken) {
  const auto words = Stored([](mir::Builder& b, ValueId lane) {
    const auto results = EmitIf(
        b, b.Ult(lane, b.Int(2)), kInts,
        [&] {
          return std::vector<ValueId>{b.Iadd(lane, b.Int(10)), b.Int(100)};
        },
        [&] {
          return std::vector<ValueId>{lane, b.Int(200)};
        });
    EXPECT_EQ(results.size(), 2u);
    return b.Iadd(results[0], results[1]);
  });
  EXPECT_EQ(words, (std::vector<uint32_t>{110, 111, 202, 203}));
}

// Instructions emitted after an if are behind it, also within a side.
TEST(If, SidesHaveIfs) {
  const auto words = Stored([](mir::Builder& b, ValueId lane) {
    const auto outer = EmitIf(
        b, b.Ult(lane, b.Int(3)), {kInts, 1},
        [&] {
          const auto inner = EmitIf(
              b, b.Ult(lane, b.Int(1)), {kInts, 1}, [&] { return std::vector<ValueId>{b.Int(5)}; },
              [&] { return std::vector<ValueId>{b.Int(6)}; });
          return std::vector<ValueId>{b.Imul(inner[0], b.Int(2))};
        },
        [&] { return std::vector<ValueId>{b.Int(1)}; });
    return b.Iadd(outer[0], b.Int(1));
  });
  EXPECT_EQ(words, (std::vector<uint32_t>{11, 13, 13, 2}));
}

TEST(If, WithoutASecondSideResultsAreUndefined) {
  mir::Module m;
  m.body = mir::NewRegion(m);
  mir::Builder b(m);
  b.SetRegion(m.body);
  const ValueId condition = b.Ult(b.LocalIndex(), b.Int(1));
  EmitIf(b, condition, {kInts, 1}, [&] { return std::vector<ValueId>{b.Int(7)}; });
  b.Return();
  EXPECT_EQ(mir::Verify(m), absl::OkStatus());
  int undefined = 0;
  mir::ForEachInst(m, m.body, [&](mir::InstId id) {
    if (m.inst(id).op != Op::kYield) return;
    undefined += m.value(m.source(id, 0)).kind == mir::Value::Kind::kUndef ? 1 : 0;
  });
  EXPECT_EQ(undefined, 1);
}

}  // namespace
}  // namespace kiln::amd
