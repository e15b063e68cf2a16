#include "client/export/exported_result.h"

#include <gtest/gtest.h>

namespace kiln::client {
namespace {

TEST(ExportedResult, HasWhatToolsNeedAndNoCode) {
  kiln::v1::TargetResult result;
  result.set_status(kiln::v1::TargetResult::REFUSED);
  result.set_cause("images");
  result.add_passes()->set_pass("p");
  result.add_remarks()->set_text("t");
  auto* variant = result.add_variants();
  variant->set_name("W8");
  variant->set_code("code");
  variant->set_assembly("text");
  variant->mutable_launch()->set_entry(1);
  StripOutputs(&result);
  const ExportedResult exported =
      Exported("a.comp", result, {}, {}, {{"src/a.comp", "a.comp"}}, {});
  EXPECT_EQ(exported.result.passes_size() + exported.result.remarks_size(), 0);
  EXPECT_EQ(exported.result.variants(0).name(), "W8");
  EXPECT_EQ(exported.result.variants(0).code() + exported.result.variants(0).assembly(), "");
  EXPECT_FALSE(exported.result.variants(0).has_launch());
  ASSERT_EQ(exported.diagnostics.size(), 1u);
  EXPECT_EQ(exported.diagnostics[0].path, "src/a.comp");
}

TEST(SubjectText, NamesEntryPointAndPermutation) {
  ExportedResult result;
  EXPECT_EQ(SubjectText(result), "");
  result.result.set_entry_point("main");
  EXPECT_EQ(SubjectText(result), "main");
  result.identity = {"lit\x1b", {"A=1", "B"}, {"3=uint:2"}, 16};
  const std::string text = SubjectText(result);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find(", A=1 B, 3=uint:2, subgroup 16"), std::string::npos) << text;
  result.identity = {};
  result.identity.full_subgroups = result.identity.dispatch_base = true;
  result.identity.state = "{\"view_mask\":3}";
  result.identity.pair = "b.frag";
  EXPECT_EQ(SubjectText(result),
            "main, full subgroups, dispatch base, {\"view_mask\":3}, with b.frag");
}

}  // namespace
}  // namespace kiln::client
