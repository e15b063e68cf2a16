// Random modules verify, round-trip through text, end, do something, and depend on the seed alone.
#include "core/oracle/generate.h"

#include <cstdint>
#include <string>
#include <vector>

#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::oracle {
namespace {

using mir::Module;
using mir::Parse;

std::vector<uint8_t> Outcome(const Module& m, uint64_t seed) {
  LaunchInputs inputs = GenerateInputs(seed, m);
  const absl::StatusOr<InterpStatistics> run = Interpret(m, inputs);
  EXPECT_TRUE(run.ok()) << run.status();
  return inputs.buffers[0].bytes;
}

TEST(Generate, ModulesAreWellFormedRoundTripAndEnd) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Module m = GenerateModule(seed);
    ASSERT_EQ(Verify(m), absl::OkStatus()) << seed << "\n" << Print(m);
    const std::string text = Print(m);
    absl::StatusOr<Module> parsed = Parse(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    ASSERT_EQ(Print(*parsed), text);
    const std::vector<uint8_t> expected = Outcome(m, seed);
    ASSERT_EQ(Outcome(*parsed, seed), expected);
    Module compact = m;
    Compact(compact);
    ASSERT_EQ(Verify(compact), absl::OkStatus());
    ASSERT_EQ(Outcome(compact, seed), expected);
    changed += expected != GenerateInputs(seed, m).buffers[0].bytes;
    ASSERT_EQ(Print(GenerateModule(seed)), text);
  }
  EXPECT_EQ(changed, 300);
}

}  // namespace
}  // namespace kiln::oracle
