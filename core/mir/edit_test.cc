// Builder, editing utilities and def-use lists.
#include <cstring>
#include <string>
#include <vector>

#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/rewrite.h"
#include "core/mir/uses.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::mir {
namespace {

TEST(Builder, ConstantsAreDeduplicatedAcrossBuilders) {
  Module m;
  m.body = NewRegion(m);
  Builder a(m);
  const ValueId one = a.Int(1);
  EXPECT_EQ(a.Int(1), one);
  EXPECT_NE(a.Constant(Type::kF32, 1), one);
  EXPECT_NE(a.Bool(true), one);
  EXPECT_EQ(Builder(m).Int(1), one);
  EXPECT_EQ(a.Undef(Type::kF32), a.Undef(Type::kF32));
}

TEST(Builder, LateResultsAndSources) {
  Module m;
  m.body = NewRegion(m);
  Builder b(m);
  b.SetRegion(m.body);
  b.set_spirv_id(42);
  const InstId loop = b.Loop({b.Int(0)});
  const RegionId body = m.inst(loop).regions[0];
  b.SetRegion(body);
  const ValueId i = m.region(body).params[0];
  const InstId test = b.If(b.Uge(i, b.Int(3)));
  b.SetRegion(m.inst(test).regions[0]);
  b.Break();
  const InstId jump = m.region(b.region()).insts.back();
  b.SetRegion(m.inst(test).regions[1]);
  b.Yield();
  b.SetRegion(body);
  b.Continue({b.Iadd(i, b.Int(1))});
  // The value turns out to be carried only now.
  SetSources(m, jump, {i});
  const Type type = Type::kI32;
  SetResults(m, loop, {&type, 1});
  b.SetRegion(m.body);
  b.Return();
  EXPECT_EQ(Verify(m), absl::OkStatus());
  EXPECT_EQ(Print(m, {.renumber = true}), R"(mir 1
entry ""
local_size 1, 1, 1
body {
  %0:i32 = loop (%1:i32 = 0) { ;%42
    %2:bool = uge %1, 3 ;%42
    if %2 { ;%42
      break %1 ;%42
    } else {
      yield ;%42
    }
    %3:i32 = iadd %1, 1 ;%42
    continue %3 ;%42
  }
  return ;%42
}
)");
}

TEST(Edit, SetSourcesMayTakeItsOwnSources) {
  Module m = *Parse("mir 1 resource 0 ssbo 0.0.0 body { store_ssbo[0, align 4] 0, 1, 2 return }");
  const InstId store = m.region(m.body).insts[0];
  const absl::Span<const ValueId> old = m.sources(store);
  const std::vector<ValueId> longer = {old[0], old[1], old[2], old[2]};
  SetSources(m, store, longer);
  SetSources(m, store, m.sources(store).subspan(0, 2));
  EXPECT_EQ(PrintInst(m, store), "store_ssbo[0, align 4] 0, 1");
}

TEST(Edit, ReplacementsChain) {
  Module m = *Parse(
      "mir 1 body { %0:i32 = ineg 1 %1:i32 = ineg %0 %2:i32 = ineg %1 "
      "%3:i32 = iadd %1, %2 return }");
  Replacements r(m);
  EXPECT_EQ(r.Apply(m), 0);
  r.Replace(ValueId(2), ValueId(1));
  r.Replace(ValueId(1), ValueId(0));
  EXPECT_EQ(r.Find(ValueId(2)), ValueId(0));
  EXPECT_EQ(r.Apply(m), 3);
  EXPECT_EQ(PrintInst(m, m.region(m.body).insts[3]), "%3:i32 = iadd %0, %0");
}

// Replaces multiplications by two by sums. Instructions that stay are visited in program order.
TEST(Rewrite, OwnersComeBeforeTheirRegionsAndDroppedOnesGo) {
  Module m = *Parse(
      "mir 1 body { %0:i32 = local_index %1:i32 = imul %0, 2 if true { "
      "%2:i32 = imul %1, 2 %3:i32 = ineg %2 yield } else { yield } "
      "%4:i32 = ineg %1 return }");
  Builder b(m);
  Replacements replace(m);
  std::vector<Op> visited;
  RewriteInsts(b, m.body, [&](InstId id) {
    replace.Resolve(m, id);
    visited.push_back(m.inst(id).op);
    if (m.inst(id).op != Op::kImul) return true;
    replace.Replace(m.result(id), b.Iadd(m.source(id, 0), m.source(id, 0)));
    return false;
  });
  EXPECT_EQ(visited, (std::vector<Op>{Op::kLocalIndex, Op::kImul, Op::kIf, Op::kImul, Op::kIneg,
                                      Op::kYield, Op::kYield, Op::kIneg, Op::kReturn}));
  EXPECT_EQ(Verify(m), absl::OkStatus());
  EXPECT_EQ(Print(m, {.renumber = true}), R"(mir 1
entry ""
local_size 1, 1, 1
body {
  %0:i32 = local_index
  %1:i32 = iadd %0, %0
  if true {
    %2:i32 = iadd %1, %1
    %3:i32 = ineg %2
    yield
  } else {
    yield
  }
  %4:i32 = ineg %1
  return
}
)");
}

// Instructions emitted after a nested walk go to the insertion point of before it, with the origin
// of the visited instruction.
TEST(Rewrite, NestedWalksLeaveTheBuilderAsItWas) {
  Module m = *Parse("mir 1 body { if true { %0:i32 = local_index yield } else { yield } return }");
  const InstId branch = m.region(m.body).insts[0];
  m.inst(branch).spirv_id = 7;
  Builder b(m);
  RewriteRegion(b, m.body, [&](InstId id) {
    if (id != branch) return true;
    RewriteInsts(b, m.inst(id).regions[0], [](InstId) { return true; });
    b.LocalIndex();
    return true;
  });
  ASSERT_EQ(m.region(m.body).insts.size(), 3u);
  const InstId made = m.region(m.body).insts[0];
  EXPECT_EQ(m.inst(made).op, Op::kLocalIndex);
  EXPECT_EQ(m.inst(made).spirv_id, 7u);
  EXPECT_EQ(m.region(m.body).insts[1], branch);
  EXPECT_EQ(m.region(m.inst(branch).regions[0]).insts.size(), 2u);
}

TEST(Edit, UsesAreInProgramOrder) {
  const Module m = *Parse(
      "mir 1 body { %0:i32 = ineg 1 if true { %1:i32 = iadd %0, %0 yield } "
      "else { yield } %2:i32 = ineg %0 return }");
  const Uses uses(m);
  ASSERT_EQ(uses.Of(ValueId(0)).size(), 3u);
  EXPECT_EQ(PrintInst(m, uses.Of(ValueId(0))[1].inst), "%1:i32 = iadd %0, %0");
  EXPECT_EQ(uses.Of(ValueId(0))[1].source, 1u);
  EXPECT_EQ(PrintInst(m, uses.Of(ValueId(0))[2].inst), "%2:i32 = ineg %0");
  EXPECT_TRUE(uses.Unused(ValueId(2)));
}

}  // namespace
}  // namespace kiln::mir
