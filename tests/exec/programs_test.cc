// The programs beside this file through the whole compiler.
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

class Programs : public testing::TestWithParam<const char*> {};

TEST_P(Programs, AgreeWithTheInterpreter) {
  std::ifstream in(std::string("tests/exec/programs/") + GetParam() + ".mir");
  const std::string module((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  ASSERT_FALSE(module.empty());
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    exec::Setup setup;
    setup.seed = seed;
    setup.floats = std::string(GetParam()) == "straight_line";
    if (std::string(GetParam()) == "global_memory") setup.buffer_bytes = 0x18000;
    EXPECT_EQ(exec::Compare(module, setup), "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Programs,
                         testing::Values("straight_line", "loop_and_if", "nested_loops",
                                         "uniform_control", "vectors", "memory", "short_elements",
                                         "global_memory", "subnormals"));

}  // namespace
}  // namespace kiln
