// Pure ops by themselves: which exist, which round, which are undefined. (Their meanings:
// interp_test.)
#include "core/oracle/numbers.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::oracle {
namespace {

// Executes the first instruction of a body, whose sources are constants, in all of four lanes.
struct One {
  explicit One(const std::string& body, LaunchInputs in = {})
      : module(*mir::Parse("mir 1 body {\n" + body + " return }")), inputs(std::move(in)) {
    execution.lanes = 4;
    execution.registers.resize(4 * module.values.size());
    for (size_t i = 0; i < module.values.size(); ++i) {
      if (module.values[i].kind != mir::Value::Kind::kConstant) continue;
      for (int lane = 0; lane < 4; ++lane) {
        execution.Lanes(mir::ValueId(i))[lane] = module.values[i].bits;
      }
    }
    for (uint32_t lane = 0; lane < 4; ++lane) all.set(lane);
  }
  bool Exec() { return numbers.Exec(id, all); }
  uint64_t Result(int lane = 0) { return execution.Lanes(module.result(id))[lane]; }

  const mir::Module module;
  LaunchInputs inputs;
  Execution execution{module, inputs};
  Numbers numbers{execution};
  const mir::InstId id = module.region(module.body).insts[0];
  BitSet all{4};
};

TEST(Numbers, KnowsPureOpsAndNoOthers) {
  One sum("%0:i32 = iadd 2, 3");
  EXPECT_TRUE(sum.Exec());
  EXPECT_EQ(sum.Result(), 5u);
  One root("%0:f32 = frsq 4f");
  EXPECT_TRUE(root.Exec());
  EXPECT_EQ(root.Result(), 0x3f000000u);
  EXPECT_FALSE(One("%0:bool = subgroup_any true").Exec());
}

// 100 / 2 pi is rounded to 24 bits before the sine is taken.
TEST(Numbers, TakesAnglesInTurnsIfAsked) {
  const auto result = [](const std::string& text, bool in_turns) {
    LaunchInputs inputs;
    inputs.angles_in_turns = in_turns;
    One one("%0:f32 = " + text, inputs);
    EXPECT_TRUE(one.Exec());
    return ToDouble(mir::Type::kF32, one.Result());
  };
  EXPECT_FLOAT_EQ(result("fsin 100f", false), std::sin(100.0));
  const float turns = 100.0f * 0.15915494f;
  EXPECT_EQ(result("fsin 100f", true), static_cast<float>(std::sin(2 * std::numbers::pi * turns)));
  EXPECT_NE(result("fsin 100f", true), result("fsin 100f", false));
  EXPECT_EQ(result("fsin 2000f", true), 0) << "more than 256 turns";
  EXPECT_EQ(result("fcos 2000f", true), 1);
}

// The possible remainders of 1e6 by 0.1: a quotient of 24 bits is known to about one, the product
// to 1/16.
TEST(Numbers, PerturbsRemaindersAsWhatTheyAreMadeOf) {
  for (const char* op : {"fmod", "frem"}) {
    float least = 10, most = -10;
    for (uint32_t seed = 1; seed <= 40; ++seed) {
      LaunchInputs inputs;
      inputs.perturb_seed = seed;
      One inexact("%0:f32 = " + std::string(op) + " 1000000f, 0.1f", inputs);
      EXPECT_TRUE(inexact.Exec());
      const double x = ToDouble(mir::Type::kF32, inexact.Result());
      least = std::min(least, static_cast<float>(x));
      most = std::max(most, static_cast<float>(x));
      One exact("%0:f32 = " + std::string(op) + " 7f, 2f", inputs);
      EXPECT_TRUE(exact.Exec());
      EXPECT_EQ(exact.Result(), 0x3f800000u) << op;
    }
    EXPECT_GT(most - least, 0.0625f) << op;
    EXPECT_LT(std::max(most, -least), 0.5f) << op;
  }
}

TEST(Numbers, PerturbsWhatRoundsByAUnitAndNothingElse) {
  bool moved = false;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    LaunchInputs inputs;
    inputs.perturb_seed = seed;
    One inexact("%0:f32 = fadd 1f, 0.00000001f", inputs);
    EXPECT_TRUE(inexact.Exec());
    EXPECT_LE(std::abs(static_cast<int64_t>(inexact.Result()) - 0x3f800000), 1);
    moved |= inexact.Result() != 0x3f800000;
    One exact("%0:f32 = fadd 1f, 2f", inputs);
    EXPECT_TRUE(exact.Exec());
    EXPECT_EQ(exact.Result(), 0x40400000u);
    One precise("%0:f32 = fadd.exact 1f, 0.00000001f", inputs);
    EXPECT_TRUE(precise.Exec());
    EXPECT_EQ(precise.Result(), 0x3f800000u);
  }
  EXPECT_TRUE(moved);
}

TEST(Numbers, PerturbsQuotientsThatReciprocalsMakeInexact) {
  std::set<uint64_t> by_10, by_8;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    LaunchInputs inputs;
    inputs.perturb_seed = seed;
    One ten("%0:f32 = fdiv -5f, 10f", inputs);
    EXPECT_TRUE(ten.Exec());
    by_10.insert(ten.Result());
    One eight("%0:f32 = fdiv -5f, 8f", inputs);
    EXPECT_TRUE(eight.Exec());
    by_8.insert(eight.Result());
  }
  EXPECT_EQ(by_10, (std::set<uint64_t>{0xbeffffff, 0xbf000000, 0xbf000001}));
  EXPECT_EQ(by_8.size(), 1u);
}

TEST(Numbers, CountsUndefinedQuotientsAndSelects) {
  One quotient("%0:i32 = sdiv 0x80000000, -1");
  EXPECT_TRUE(quotient.Exec());
  EXPECT_EQ(quotient.execution.statistics.undefined_results, 4);
  LaunchInputs inputs;
  inputs.prefers_defined = true;
  One select("%0:i32 = select true, undef.i32, 7", inputs);
  EXPECT_TRUE(select.Exec());
  EXPECT_EQ(select.Result(), 7u);
  EXPECT_EQ(select.execution.statistics.undefined_results, 4);
}

}  // namespace
}  // namespace kiln::oracle
