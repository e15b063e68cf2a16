#include "core/mir/construct.h"

#include <string>

#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::mir {
namespace {

Module Parsed(const std::string& body) {
  absl::StatusOr<Module> m =
      Parse("mir 1 local_size 8, 1, 1 resource 0 ssbo 0.0.0 body { " + body + " return }");
  EXPECT_TRUE(m.ok()) << m.status();
  return m.ok() ? *std::move(m) : Module();
}

// Returns the first if of the module.
InstId IfOf(const Module& m) {
  for (InstId id : m.region(m.body).insts) {
    if (m.inst(id).op == Op::kIf) return id;
  }
  ADD_FAILURE() << "no if";
  return InstId(0);
}

constexpr char kCondition[] = "%0:i32 = local_index %1:bool = ult %0, 9 ";
constexpr char kStore[] = "store_ssbo[0, align 4] 0, %0 ";

TEST(Construct, NeighboursOfOneKindAreOneConstruct) {
  EXPECT_EQ(ConstructOf(Op::kLoadSsbo), ConstructOf(Op::kLoadShared));
  EXPECT_EQ(ConstructOf(Op::kSample), ConstructOf(Op::kImageSize));
  EXPECT_EQ(ConstructOf(Op::kIadd), Construct::kArithmetic);
  EXPECT_EQ(ConstructOf(Op::kIeq), Construct::kArithmetic);
}

// An operation that is no arithmetic has an effect, depends on memory or lanes, owns regions, or
// has no sources.
TEST(Construct, ArithmeticDependsOnItsSourcesAlone) {
  for (int i = 0; i < NumOps(); ++i) {
    const auto op = static_cast<Op>(i);
    const OpInfo& info = Info(op);
    if (ConstructOf(op) != Construct::kArithmetic || info.Has('T')) continue;
    for (const char flag : {'R', 'W', 'E', 'N', 'M', 'X'}) {
      EXPECT_FALSE(info.Has(flag)) << info.name << " " << flag;
    }
  }
}

TEST(Construct, AnEmptyThenSideIsSwapped) {
  const std::string then_only =
      std::string(kCondition) + "if %1 { " + kStore + "yield } else { yield }";
  const Module a = Parsed(then_only);
  const IfSides one = SidesOf(a, IfOf(a));
  EXPECT_FALSE(one.swapped);
  EXPECT_FALSE(one.has_else);
  EXPECT_EQ(one.then_region, a.inst(IfOf(a)).regions[0]);

  const Module b = Parsed(std::string(kCondition) + "if %1 { yield } else { " + kStore + "yield }");
  const IfSides other = SidesOf(b, IfOf(b));
  EXPECT_TRUE(other.swapped);
  EXPECT_FALSE(other.has_else);
  EXPECT_EQ(other.then_region, b.inst(IfOf(b)).regions[1]);

  const Module c = Parsed(std::string(kCondition) + "if %1 { " + kStore + "yield } else { " +
                          kStore + "yield }");
  EXPECT_TRUE(SidesOf(c, IfOf(c)).has_else);
}

TEST(Construct, SidesThatGiveResultsAreBothNeeded) {
  const Module m = Parsed(std::string(kCondition) + "%2:i32 = if %1 { yield %0 } else { yield 3 }");
  const IfSides sides = SidesOf(m, IfOf(m));
  EXPECT_FALSE(sides.swapped);
  EXPECT_TRUE(sides.has_else);
}

TEST(Construct, EndsOfRegions) {
  const Module m =
      Parsed(std::string(kCondition) + "loop { if %1 { break } else { unreachable } continue }");
  const InstId loop = m.region(m.body).insts[2];
  const RegionId body = m.inst(loop).regions[0];
  const Inst& branch = m.inst(m.region(body).insts[0]);
  EXPECT_EQ(EndOf(m, body), RegionEnd::kJump);
  EXPECT_EQ(EndOf(m, branch.regions[0]), RegionEnd::kJump);
  EXPECT_EQ(EndOf(m, branch.regions[1]), RegionEnd::kUnreachable);
  const Module plain =
      Parsed(std::string(kCondition) + "if %1 { " + kStore + "yield } else { yield }");
  EXPECT_EQ(EndOf(plain, plain.inst(IfOf(plain)).regions[0]), RegionEnd::kYield);
}

}  // namespace
}  // namespace kiln::mir
