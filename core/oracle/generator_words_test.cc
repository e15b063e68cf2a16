#include "core/oracle/generator_testing.h"
#include "gtest/gtest.h"

namespace kiln::oracle::random_modules {
namespace {

using mir::Op;
using mir::Type;

// Numbers of 16 bits are computed in twos and more, carried by loops, and stored together.
TEST(GeneratorWords, VectorsAreComputedCarriedAndStored) {
  int sums = 0, shifts = 0, carried = 0, stored = 0;
  const GenerateOptions options = {.instructions = 20, .types = true, .word_vectors = true};
  ForEachInstOf(Modules(options), [&](const mir::Module& m, mir::InstId id) {
    const auto is_word = [&](mir::ValueId v) { return mir::BitsOf(m.value(v).type) == 16; };
    switch (m.inst(id).op) {
      case Op::kFadd:
      case Op::kIadd: sums += is_word(m.result(id)) ? 1 : 0; break;
      case Op::kShl: shifts += is_word(m.result(id)) ? 1 : 0; break;
      case Op::kLoop:
        carried +=
            m.inst(id).num_results >= 2 && is_word(m.result(id, 0)) && is_word(m.result(id, 1));
        break;
      case Op::kStoreSsbo:
        stored += m.inst(id).num_sources >= 3 && is_word(m.source(id, 1)) ? 1 : 0;
        break;
      default: break;
    }
  });
  EXPECT_GT(sums, 50);
  EXPECT_GT(shifts, 10);
  EXPECT_GT(carried, 10);
  EXPECT_GT(stored, 20);
}

}  // namespace
}  // namespace kiln::oracle::random_modules
