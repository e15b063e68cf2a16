#include "core/oracle/generator_testing.h"
#include "gtest/gtest.h"

namespace kiln::oracle::random_modules {
namespace {

using mir::Op;

GenerateOptions Vertices(bool drawn, bool types) {
  return {.stage = mir::Stage::kVertex, .types = types, .drawn = drawn};
}

TEST(GeneratorVertices, OutputsAnywhereOrAtTheEnd) {
  const auto anywhere = Modules(Vertices(false, false)), drawn = Modules(Vertices(true, false));
  EXPECT_LT(AtTheTop(anywhere, {Op::kStoreOutput}), Ops(anywhere)[Op::kStoreOutput]);
  EXPECT_EQ(AtTheTop(drawn, {Op::kStoreOutput}), Ops(drawn)[Op::kStoreOutput]);
}

// Variables by location, then built-in ones; sometimes one of each kind is missing.
TEST(GeneratorVertices, InterfacesOfADraw) {
  int with_layer = 0, narrow = 0;
  for (const bool types : {false, true}) {
    for (const mir::Module& m : Modules(Vertices(true, types))) {
      bool builtin = false;
      for (const mir::Interface& v : m.outputs) {
        EXPECT_TRUE(!builtin || v.builtin != mir::BuiltIn::kNone);
        builtin = v.builtin != mir::BuiltIn::kNone;
        with_layer += v.builtin == mir::BuiltIn::kLayer;
        narrow += mir::BitsOf(v.type) == 16;
        EXPECT_TRUE(types || mir::BitsOf(v.type) == 32);
      }
    }
  }
  EXPECT_GT(with_layer, 100);
  EXPECT_LT(with_layer, 400);
  EXPECT_EQ(narrow, 400);
}

}  // namespace
}  // namespace kiln::oracle::random_modules
