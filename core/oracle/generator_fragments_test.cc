#include "core/oracle/generator_testing.h"
#include "gtest/gtest.h"

namespace kiln::oracle::random_modules {
namespace {

using mir::Op;

constexpr GenerateOptions kFragments = {.stage = mir::Stage::kFragment, .instructions = 150};

TEST(GeneratorFragments, OperationsOfTheStage) {
  auto ops = Ops(Modules(kFragments));
  for (const Op op : {Op::kHelperInvocation, Op::kDemote, Op::kDiscard, Op::kTerminate, Op::kDdx,
                      Op::kDdy, Op::kInterpolate, Op::kLoadInput, Op::kStoreOutput}) {
    EXPECT_GT(ops[op], 50) << mir::Info(op).name;
  }
}

// Some lanes are left: instructions that end lanes are only in ifs and loops.
TEST(GeneratorFragments, NothingEndsLanesAtTheTop) {
  const auto modules = Modules(kFragments);
  EXPECT_GT(AtTheTop(modules, {Op::kDemote}), 100);
  EXPECT_EQ(AtTheTop(modules, {Op::kDiscard, Op::kTerminate}), 0);
}

}  // namespace
}  // namespace kiln::oracle::random_modules
