// Programs of operations that gfx1030 has and tgl lacks, through the whole compiler: clocks, texels
// of 64 bits.
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

std::string Text(const std::string& name) {
  std::ifstream in("tests/exec/programs/" + name + ".mir");
  return {(std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()};
}

exec::Setup On(Target target, uint32_t seed) {
  exec::Setup setup;
  setup.seed = seed;
  setup.target = target;
  setup.widths = exec::WidthsOf(target);
  return setup;
}

TEST(OwnFeatures, Clocks) {
  const std::string module = Text("clocks");
  ASSERT_FALSE(module.empty());
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    EXPECT_EQ(exec::Compare(module, On(Target::kGfx1030, seed)), "") << "seed " << seed;
  }
}

TEST(OwnFeatures, TexelsOf64Bits) {
  const std::string module = Text("images_wide");
  ASSERT_FALSE(module.empty());
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    exec::Setup setup = On(Target::kGfx1030, seed);
    setup.groups = 1;
    setup.buffer_bytes = 32768;
    EXPECT_EQ(exec::Compare(module, setup), "") << "seed " << seed;
    setup.bindless = true;
    EXPECT_EQ(exec::Compare(module, setup), "") << "seed " << seed;
  }
}

TEST(OwnFeatures, AreRefusedWhereATargetLacksThem) {
  EXPECT_EQ(exec::Compare(Text("clocks"), On(Target::kTgl, 1)), "clock");
  EXPECT_EQ(exec::Compare(Text("images_wide"), On(Target::kTgl, 1)),
            "image of 64-bit integers [capability Int64ImageEXT]");
}

}  // namespace
}  // namespace kiln
