// The frame of random modules, and the values that they compute with.
#include "core/oracle/generator.h"

#include "core/oracle/generator_testing.h"
#include "gtest/gtest.h"

namespace kiln::oracle::random_modules {
namespace {

TEST(Generator, FloatsAreComputedOnlyWhereAskedFor) {
  for (const bool floats : {false, true}) {
    int results = 0;
    ForEachInstOf(Modules({.floats = floats, .types = true}), [&](const Module& m, InstId id) {
      for (int i = 0; i < m.inst(id).num_results; ++i) {
        results += IsFloat(m.value(m.result(id, i)).type);
      }
    });
    EXPECT_EQ(results != 0, floats);
  }
}

TEST(Generator, ArithmeticIsOf32BitsUnlessTypesAreAskedFor) {
  for (const bool types : {false, true}) {
    int narrow = 0, wide = 0;
    ForEachInstOf(Modules({.instructions = 150, .memory = false, .types = types}),
                  [&](const Module& m, InstId id) {
                    if (m.inst(id).op != Op::kUmax) return;
                    narrow += BitsOf(m.value(m.result(id)).type) < 32;
                    wide += BitsOf(m.value(m.result(id)).type) > 32;
                  });
    EXPECT_EQ(narrow != 0, types);
    EXPECT_EQ(wide != 0, types);
  }
}

// Values live at the end are stored whatever comes before.
TEST(Generator, EveryModuleStoresTheSecondHalfOfItsOutput) {
  for (const Module& m : Modules({.instructions = 1})) {
    int stores = 0;
    for (const InstId id : m.region(m.body).insts) stores += m.inst(id).op == Op::kStoreSsbo;
    EXPECT_GE(stores, 8);
    EXPECT_EQ(m.inst(m.region(m.body).insts.back()).op, Op::kReturn);
  }
}

}  // namespace
}  // namespace kiln::oracle::random_modules
