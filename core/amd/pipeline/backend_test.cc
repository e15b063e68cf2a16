#include "core/amd/pipeline/backend.h"

#include <set>
#include <string_view>

#include "absl/strings/match.h"
#include "core/amd/pipeline/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

TEST(Gfx1030Backend, HasACompiler) {
  EXPECT_EQ(kGfx1030Backend.name, "gfx1030");
  EXPECT_NE(kGfx1030Backend.compile, nullptr);
  EXPECT_GT(kGfx1030Backend.code_generation_version, 0u);
  EXPECT_TRUE(kGfx1030Backend.features->float64);
  EXPECT_EQ(kGfx1030Backend.variant_name(64), "wave64");
}

TEST(Gfx1030Backend, ListsEachPassOnce) {
  std::set<std::string_view> names;
  for (const PassRow& row : kGfx1030Backend.passes()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
  }
  EXPECT_EQ(kGfx1030Backend.passes().front().name, "cull_primitives");
  EXPECT_EQ(kGfx1030Backend.passes().back().name, "encode");
}

TEST(Gfx1030Backend, TheToolsTakeMachineCodeOfAnyCompiler) {
  testing::StoreProgram p = testing::MakeStoreProgram(5);
  const auto text = kGfx1030Backend.disassemble(p.code);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_TRUE(absl::StrContains(*text, "buffer_store_dword v2, v1, s[8:11], 0 offen")) << *text;
  const auto analysis = kGfx1030Backend.analyze(p.code, {});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  EXPECT_EQ(analysis->statistics.At("vgprs"), 3);
  EXPECT_EQ(analysis->statistics.At("sgprs"), 12);
  EXPECT_EQ(analysis->statistics.At("wait_instructions"), 1);
  EXPECT_TRUE(analysis->findings.empty());
  ASSERT_TRUE(kGfx1030Backend.simulate(p.code, p.record, {}, p.dispatch).ok());
  EXPECT_EQ(p.dispatch.buffers[0].bytes[4 * 31], 5);
}

}  // namespace
}  // namespace kiln::amd
