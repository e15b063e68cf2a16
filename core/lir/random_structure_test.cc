// Tests the structure that both machines' random programs share.
#include "core/lir/random_structure.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "core/lir/exits.h"
#include "core/lir/print.h"
#include "core/lir/random_scalar_program.h"
#include "core/lir/testing.h"
#include "core/lir/testing_scalar.h"
#include "gtest/gtest.h"

namespace kiln::lir::testing {
namespace {

// First numbers of SplitMix64 from the seed 0, computed with its published code.
TEST(RandomStructureTest, Numbers) {
  Random r{0};
  EXPECT_EQ(r.Next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(r.Next(), 0x6e789e6aa1b965f4u);
}

struct Generator {
  const Machine& machine;
  Function (*program)(uint64_t seed, RandomOptions options);
};

const Generator kGenerators[] = {
    {TestMachine(), [](uint64_t seed, RandomOptions o) { return RandomProgram(seed, o); }},
    {ScalarTestMachine(), [](uint64_t seed, RandomOptions o) {
       o.width = 32;
       return RandomScalarProgram(seed, o, kVectorUnits, kScalarUnits);
     }}};

TEST(RandomStructureTest, TheSameSeedGivesTheSameProgram) {
  for (const Generator& m : kGenerators) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const std::string text = Print(m.machine, m.program(seed, {}));
      EXPECT_EQ(Print(m.machine, m.program(seed, {})), text);
      EXPECT_NE(Print(m.machine, m.program(seed + 1, {})), text);
    }
  }
}

TEST(RandomStructureTest, OptionsAreKept) {
  for (const Generator& m : kGenerators) {
    for (uint64_t seed = 0; seed < 60; ++seed) {
      RandomOptions options;
      options.max_depth = static_cast<int>(seed % 3);
      options.exits = seed % 2 == 0 ? 0 : 10;
      const Function f = m.program(seed, options);
      bool exits = false;
      for (const Block& b : f.blocks) {
        EXPECT_LE(b.loop_depth, options.max_depth);
        exits |= std::any_of(b.insts.begin(), b.insts.end(),
                             [&](InstId i) { return IsExit(m.machine, f, i); });
      }
      EXPECT_TRUE(options.exits != 0 || !exits);
      EXPECT_EQ(f.exit_block.valid(), exits);
    }
  }
}

// Every jump of either machine, parameters, and lanes that leave loops early.
TEST(RandomStructureTest, EveryConstructOccurs) {
  for (const Generator& m : kGenerators) {
    std::set<uint16_t> jumps, expected;
    for (size_t op = 0; op < m.machine.ops.size(); ++op) {
      if (m.machine.ops[op].flags & (kOpTerminator | kOpExit)) {
        expected.insert(static_cast<uint16_t>(op));
      }
    }
    bool params = false;
    for (uint64_t seed = 0; seed < 60; ++seed) {
      RandomOptions options;
      options.exits = 5;
      const Function f = m.program(seed, options);
      for (const Block& b : f.blocks) {
        params |= !b.params.empty();
        for (InstId i : b.insts) {
          if (expected.count(f.inst(i).op) != 0) jumps.insert(f.inst(i).op);
        }
      }
    }
    EXPECT_EQ(jumps, expected);
    EXPECT_TRUE(params);
  }
}

}  // namespace
}  // namespace kiln::lir::testing
