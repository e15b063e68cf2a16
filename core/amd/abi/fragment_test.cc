// Tests which registers, exports and state fragment programs get: see fragment.h.
#include "core/amd/abi/fragment.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

absl::StatusOr<FragmentAbi> Assign(const std::string& interfaces, const std::string& body,
                                   const FragmentState& state = {}) {
  const auto m = mir::Parse(absl::StrCat("mir 1\nentry \"main\"\nstage fragment\n", interfaces,
                                         "body {\n", body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return m.status();
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  return AssignFragment(*m, state);
}

constexpr char kColour[] = "output 0 location 0.0 f32 x4\n";
constexpr char kStore[] = "store_output[0, 0] %0, %0, %0, %0\n";

TEST(Fragment, BarycentricsAreThereWhateverIsRead) {
  const auto f = Assign("", "");
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->inputs, 2u);
  EXPECT_EQ(f->input_vgprs(), 2u);
  EXPECT_FALSE(f->NeedsExport());
}

TEST(Fragment, RegistersFollowEachOther) {
  const auto f = Assign(absl::StrCat("input 0 builtin frag_coord f32 x4\n", kColour),
                        absl::StrCat("%0:f32 = load_input[0, 3]\n", kStore));
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->VgprOf(FragmentVgpr::kPerspectiveCentre), 0u);
  EXPECT_EQ(f->VgprOf(FragmentVgpr::kPositionW), 2u);
  ASSERT_EQ(f->colours.size(), 1u);
  EXPECT_EQ(f->colours[0].format, ExportFormat::kAbgr32);
}

TEST(Fragment, MasksOfStateChooseTheFormat) {
  FragmentState state;
  state.attachments.emplace();
  state.attachments->push_back({.location = 0, .write_mask = 1});
  const auto f = Assign(absl::StrCat("input 0 location 0.0 f32 x1\n", kColour),
                        absl::StrCat("%0:f32 = load_input[0, 0]\n", kStore), state);
  ASSERT_TRUE(f.ok()) << f.status();
  ASSERT_EQ(f->colours.size(), 1u);
  EXPECT_EQ(f->colours[0].format, ExportFormat::kR32);
}

TEST(Fragment, HelpersAreNotedWhereTheyMatter) {
  const std::string input = "input 0 location 0.0 f32 x1\n";
  const std::string load = "%0:f32 = load_input[0, 0]\n", slope = "%1:f32 = ddx[any] %0\n";
  const auto helpers = [&](const std::string& body) { return Assign(input, body)->helpers; };
  EXPECT_EQ(helpers(load), Helpers::kNone);
  EXPECT_EQ(helpers(load + slope), Helpers::kUnnoted);
  EXPECT_EQ(helpers(load + slope + "%2:bool = flt %1, 0f\ndemote %2\n"), Helpers::kNoted);
  EXPECT_EQ(helpers(load + "%2:bool = flt %0, 0f\ndemote %2\n"), Helpers::kNone);
}

}  // namespace
}  // namespace kiln::amd
