// Printer and parser: each reads exactly the text or function that the other gives.
#include <string>

#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/random_program.h"
#include "core/lir/random_scalar_program.h"
#include "core/lir/testing.h"
#include "core/lir/testing_scalar.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::lir {
namespace {

using testing::TestMachine;

TEST(TextTest, EveryFieldSurvives) {
  const std::string text =
      "function test width 16\n"
      "value %0 U 4x8 whole\n"
      "value %1 G 4x4 whole id 12\n"
      "value %2 F 0x1\n"
      "value %3 G 2x1 tail\n"
      "pool grf units 512\n"
      "pool flag units 3\n"
      "reserved grf at 24 units 2\n"
      "livein %0 at 8 held\n"
      "block b0 depth 0\n"
      "  %1x4:ud = load %0.3:ud@11 {w16 g16 aux 3 id 77}\n"
      "  %2:ud = cmp -|%1.2|+2:f #0x3f800000:f {w16 cmod 2}\n"
      "  $null:ud = add -%1:uw $9:f {w8 nomask sat ra}\n"
      "  $nullx2:f = add $null.3+2:uw |$null|:f\n"
      "  barrier\n"
      "  if %2:ud {w16 pred 1 inv}\n"
      "  -> b1, b2\n"
      "block b1 depth 3 params %3\n"
      "  -> b2(%3:uw, _x2)\n"
      "  ~> b3, b4\n"
      "block b2 depth 0\n";
  const auto f = Parse(TestMachine(), text);
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(Print(TestMachine(), *f), text);
}

TEST(TextTest, RandomProgramsRoundTripAndVerify) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    testing::RandomOptions options;
    options.width = seed % 3 == 0 ? 8 : seed % 3 == 1 ? 16 : 32;
    options.exits = seed < 100 ? 0 : 8;
    const Function f = testing::RandomProgram(seed, options);
    const absl::Status ok = Verify(TestMachine(), f);
    const std::string text = Print(TestMachine(), f);
    ASSERT_TRUE(ok.ok()) << "seed " << seed << ": " << ok << "\n" << text;
    const auto again = Parse(TestMachine(), text);
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(Print(TestMachine(), *again), text);
  }
}

TEST(TextTest, ScalarProgramsRoundTripAndVerify) {
  const Machine& t = testing::ScalarTestMachine();
  for (uint64_t seed = 0; seed < 150; ++seed) {
    testing::RandomOptions options;
    options.width = seed % 2 == 0 ? 32 : 64;
    options.exits = seed < 100 ? 0 : 8;
    Function f =
        testing::RandomScalarProgram(seed, options, testing::kVectorUnits, testing::kScalarUnits);
    f.reserved.push_back({testing::kPoolV, 200, 3, testing::kPoolS});
    const absl::Status ok = Verify(t, f);
    const std::string text = Print(t, f);
    ASSERT_TRUE(ok.ok()) << "seed " << seed << ": " << ok << "\n" << text;
    const auto again = Parse(t, text);
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(Print(t, *again), text);
  }
}

TEST(TextTest, ErrorsNameTheLine) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"", "'function' line is missing"},
      {"block b0 depth 0\n", "line 1"},
      {"function other width 8\n", "line 1"},
      {"function test width 8\nvalue %1 G 4x1\n", "line 2"},
      {"function test width 8\npool flag units 4\n", "expected 'pool NAME units N' in order"},
      {"function test width 8\nreserved grf 8\n", "expected 'reserved"},
      {"function test width 8\nreserved grf at 8 units 1 spilled q\n", "unknown pool"},
      {"function test width 8\nvalue %0 Q 4x1\n", "unknown file"},
      {"function test width 8\nblock b0 depth 0\n  %9:ud = add\n", "bad operand"},
      {"function test width 8\nblock b0 depth 0\n  frobnicate\n", "no operation"},
      {"function test width 8\nblock b0 depth 0\n  barrier {q}\n", "unknown field"},
      {"function test width 8\nblock b0 depth 0\n  -> b1(\n", "missing ')'"},
      {"function test width 300\n", "line 1"},
  };
  for (const auto& c : cases) {
    const auto f = Parse(TestMachine(), c.text);
    ASSERT_FALSE(f.ok()) << c.text;
    EXPECT_NE(std::string(f.status().message()).find(c.error), std::string::npos)
        << c.text << ": " << f.status();
  }
}

}  // namespace
}  // namespace kiln::lir
