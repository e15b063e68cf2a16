#include <string_view>

#include "core/oracle/generator_testing.h"
#include "gtest/gtest.h"

namespace kiln::oracle::random_modules {
namespace {

using mir::Op;

TEST(GeneratorArithmetic, DrawsAllButWhatTargetsApproximate) {
  auto ops = Ops(Modules({.instructions = 200, .types = true}));
  for (int i = 0; i <= static_cast<int>(Op::kUnreachable); ++i) {
    const auto op = static_cast<Op>(i);
    const mir::OpInfo& info = mir::Info(op);
    const bool approximate = op == Op::kFrsq || op == Op::kFexp2 || op == Op::kFlog2 ||
                             op == Op::kFsin || op == Op::kFcos || op == Op::kFpow;
    if (!info.Has('P') || info.sources <= 0 || info.results != 1) continue;
    if (approximate) {
      EXPECT_EQ(ops[op], 0) << info.name;
    } else if (info.signature.find_first_of("jg") == std::string_view::npos) {
      EXPECT_GT(ops[op], 0) << info.name;
    }
  }
  for (const Op op : {Op::kTrunc, Op::kZext, Op::kSext, Op::kI2f, Op::kU2f}) EXPECT_GT(ops[op], 0);
}

TEST(GeneratorArithmetic, KeepsOperandsWhereResultsAreDefined) {
  const auto modules = Modules({.instructions = 200, .defined_only = true, .types = true});
  auto ops = Ops(modules);
  for (const Op op : {Op::kFdiv, Op::kFrcp, Op::kFsqrt, Op::kFrem, Op::kFmod, Op::kBitcast}) {
    EXPECT_EQ(ops[op], 0) << mir::Info(op).name;
  }
  int divisions = 0;
  ForEachInstOf(modules, [&](const mir::Module& m, mir::InstId id) {
    const Op op = m.inst(id).op;
    if (op != Op::kSdiv && op != Op::kSrem && op != Op::kSmod) return;
    ++divisions;
    const mir::ValueId divisor = m.source(id, 1);
    ASSERT_EQ(DefinedBy(m, divisor), Op::kOr);
    EXPECT_EQ(m.value(m.source(mir::InstId(m.value(divisor).owner), 1)).bits, 1u);
  });
  EXPECT_GT(divisions, 50);
}

TEST(GeneratorArithmetic, DrawsDoublesWhereAsked) {
  for (const bool defined_only : {false, true}) {
    auto ops = Ops(Modules(
        {.instructions = 200, .defined_only = defined_only, .types = true, .doubles = true}));
    for (const Op op : {Op::kFdiv, Op::kFsqrt, Op::kPackF64, Op::kF64Low, Op::kF64High, Op::kF2f}) {
      EXPECT_GT(ops[op], 0) << mir::Info(op).name;
    }
  }
  ForEachInstOf(Modules({.instructions = 200, .types = true}),
                [](const mir::Module& m, mir::InstId id) {
                  for (const mir::ValueId v : m.sources(id))
                    EXPECT_NE(m.value(v).type, mir::Type::kF64);
                });
}

}  // namespace
}  // namespace kiln::oracle::random_modules
