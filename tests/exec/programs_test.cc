// The programs of tests/exec/programs through the whole compiler.
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

// Results of filters and small floats are compared by ulp, all else exactly.
bool HasFloats(const std::string& name) {
  return name == "straight_line" || name == "images_sample" || name == "images_gather" ||
         name == "images_gradients" || name == "images_offsets" || name == "images_storage" ||
         name == "images_small_floats" || name == "images_arrays" || name == "images_divergent" ||
         name == "images_guarded" || name == "descriptors_in_memory";
}

class Programs : public testing::TestWithParam<const char*> {};

std::string Text(const std::string& name) {
  std::ifstream in("tests/exec/programs/" + name + ".mir");
  return {(std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()};
}

exec::Setup SetupFor(const std::string& name, uint32_t seed) {
  exec::Setup setup;
  setup.seed = seed;
  if (name == "global_memory") setup.buffer_bytes = 0x18000;
  setup.opposite = name == "subnormals" || name == "half_subnormals";
  // Descriptors of gfx1030 round sizes up to dwords, as RADV does (core/sim/rdna2/resource).
  const uint32_t step = setup.target == Target::kGfx1030 ? 4 : 1;
  if (name == "buffer_sizes") setup.buffer_bytes = 4096 - seed % 4 * step;
  if (name == "int64_atomics" || name == "parts_of_qwords") setup.buffer_bytes = 32768;
  setup.floats = HasFloats(name);
  if (name.rfind("images", 0) == 0 || name == "descriptors_in_memory") {
    setup.buffer_bytes = 32768;
    setup.ulp = 256;  // sums of weighted texels that nearly cancel
  }
  return setup;
}

TEST_P(Programs, AgreeWithTheInterpreter) {
  const std::string module = Text(GetParam());
  ASSERT_FALSE(module.empty());
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    EXPECT_EQ(exec::Compare(module, SetupFor(GetParam(), seed)), "") << "seed " << seed;
  }
}

TEST_P(Programs, AgreeThroughHandles) {
  const std::string module = Text(GetParam());
  ASSERT_FALSE(module.empty());
  for (uint32_t seed = 1; seed <= 2; ++seed) {
    exec::Setup setup = SetupFor(GetParam(), seed);
    setup.bindless = true;
    EXPECT_EQ(exec::Compare(module, setup), "") << "seed " << seed;
  }
}

// The compiler relies on the limit: a dispatch beyond it is an error, not a disagreement.
TEST(Dispatch, MoreWorkgroupsThanTheLimitAreRefused) {
  exec::Setup setup;
  setup.groups = 65536;
  const std::string text = exec::Compare(
      "mir 1\nentry \"main\"\nlocal_size 1, 1, 1\nresource 0 ssbo 0.0.0\nbody {\n  return\n}\n",
      setup);
  EXPECT_NE(text.find("at most 65535 in each dimension"), std::string::npos) << text;
}

// The importer's code for WorkgroupId with dispatch_base.
constexpr char kReadsBase[] = R"(mir 1
entry "main"
local_size 8, 1, 1
resource 0 ssbo 0.0.0
body {
  %1:i32 = workgroup_id[0]
  %2:i32 = base_workgroup[0]
  %3:i32 = iadd %1, %2
  %4:i32 = base_workgroup[1]
  %5:i32 = base_workgroup[2]
  %6:i32 = local_index
  %7:i32 = shl %1, 3
  %8:i32 = iadd %7, %6
  %9:i32 = shl %8, 4
  %10:i32 = num_workgroups[0]
  store_ssbo[0, align 16] %9, %3, %4, %5, %10
  return
}
)";

TEST(Dispatch, TheBaseIsAddedWhereItIsAskedFor) {
  exec::Setup setup;
  setup.groups = 3;
  EXPECT_EQ(exec::Compare(kReadsBase, setup), "");
  setup.base = {40, 7, 65534};
  EXPECT_EQ(exec::Compare(kReadsBase, setup), "");
  setup.base = {65533, 0, 0};
  EXPECT_NE(exec::Compare(kReadsBase, setup).find("at most 65535 in each dimension"),
            std::string::npos);
}

// The program reads the id alone: right from base 0, and a named error, not a wrong result, from
// any other base.
TEST(Dispatch, ABaseThatTheProgramDoesNotAddIsRefused) {
  std::string text = kReadsBase;
  for (const char* component : {"[0]", "[1]", "[2]"}) {
    const std::string read = std::string("base_workgroup") + component;
    text.replace(text.find(read), read.size(), "iadd %1, 0");
  }
  exec::Setup setup;
  EXPECT_EQ(exec::Compare(text, setup), "");
  setup.base = {0, 1, 0};
  EXPECT_NE(exec::Compare(text, setup).find("was not compiled for a base"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    All, Programs,
    testing::Values("straight_line", "loop_and_if", "nested_loops", "uniform_control", "vectors",
                    "memory", "short_elements", "global_memory", "subnormals", "half_subnormals",
                    "parts_of_dwords", "int64_atomics", "half_atomics", "round_to_zero",
                    "images_fetch", "images_sample", "images_gradients", "images_samples",
                    "images_gather", "images_offsets", "images_storage", "images_arrays",
                    "images_divergent", "images_in_loops", "images_guarded", "images_sizes",
                    "images_small_floats", "buffer_arrays", "buffer_sizes", "descriptors_in_memory",
                    "uniform_blocks", "moved_addresses", "parts_of_qwords", "short_immediates",
                    "bit_widths", "exact_fractions", "shared_places", "images_atomic_moves",
                    "descriptor_kinds"));

}  // namespace
}  // namespace kiln
