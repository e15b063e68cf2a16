#include "core/mid/analysis/stored_output.h"

#include <string>

#include "core/base/cause.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

// Returns what is read of the last instruction before the return.
absl::StatusOr<StoredOutput> Read(const std::string& outputs, const std::string& body,
                                  mir::Module* m) {
  absl::StatusOr<mir::Module> parsed = mir::Parse("mir 1\nentry \"main\"\nstage fragment\n" +
                                                  outputs + "body {\n" + body + "return\n}\n");
  if (!parsed.ok()) return parsed.status();
  *m = *std::move(parsed);
  const auto& insts = m->region(m->body).insts;
  m->inst(insts[insts.size() - 2]).spirv_id = 9;
  return StoredOutputOf(*m, insts[insts.size() - 2]);
}

TEST(StoredOutput, OfAColour) {
  mir::Module m;
  const auto stored = Read("output 0 location 3.1 f32 x2\n", "store_output[0, 1] 1f\n", &m);
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->output, &m.outputs[0]);
  EXPECT_EQ(stored->location(), 3u);
  EXPECT_EQ(stored->first, 0);
  mir::Inst store;
  store.imm1 = 1;
  EXPECT_EQ(stored->ComponentOf(store, 0), 2u) << "the output's first, the store's first";
  EXPECT_EQ(stored->ComponentOf(store, 1), 3u);
}

TEST(StoredOutput, ElementsHaveLocationsOfTheirOwn) {
  mir::Module m;
  const std::string array = "output 0 location 3.0 f32 x4 array 4\n";
  const auto stored = Read(array, "store_output.indexed[0, 0] 2, 1f, 2f\n", &m);
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->location(), 5u);
  EXPECT_EQ(stored->element, 2u);
  EXPECT_EQ(stored->first, 1);
  EXPECT_EQ(stored->ComponentOf(mir::Inst(), 2), 1u);
}

TEST(StoredOutput, LocationsWithoutRenderTargetAreRefused) {
  mir::Module m;
  EXPECT_TRUE(Read("output 0 location 7.0 f32 x1\n", "store_output[0, 0] 1f\n", &m).ok());
  const auto refused = Read("output 0 location 8.0 f32 x1\n", "store_output[0, 0] 1f\n", &m);
  EXPECT_EQ(CauseOf(refused.status()), "fragment_outputs") << refused.status();
  EXPECT_EQ(SpirvIdOf(refused.status()), 9u);
}

TEST(StoredOutput, WhatEarlierPassesShouldNotLeaveIsInternal) {
  mir::Module m;
  const auto by_value = Read("output 0 location 0.0 f32 x1 array 2\n",
                             "%0:i32 = local_index\nstore_output.indexed[0, 0] %0, 1f\n", &m);
  EXPECT_EQ(by_value.status().code(), absl::StatusCode::kInternal) << by_value.status();
  const auto halves = Read("output 0 location 0.0 f16 x1\n", "store_output[0, 0] undef.f16\n", &m);
  EXPECT_EQ(halves.status().code(), absl::StatusCode::kInternal) << halves.status();
}

}  // namespace
}  // namespace kiln::mid
