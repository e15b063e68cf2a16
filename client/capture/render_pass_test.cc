// Attachments of render passes and of dynamic rendering.
#include "client/capture/render_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using testing::HasSubstr;

constexpr char kPass[] =
    R"({"version":6,"renderPasses":{"7":{"attachments":[{"format":37},{"format":44}],)"
    R"("subpasses":[{"colorAttachments":[{"attachment":1},{"attachment":4294967295},)"
    R"({"attachment":0}]},{"colorAttachments":[{"attachment":2}]},{}],)"
    R"("pNext":[{"sType":1000053000,"viewMasks":[1,2,6]}]}}})";

TEST(AttachmentsOfSubpass, FollowsReferences) {
  const auto attachments = AttachmentsOfSubpass(kPass, 7, 0);
  ASSERT_TRUE(attachments.ok()) << attachments.status();
  ASSERT_EQ(attachments->colors.size(), 3u);
  EXPECT_EQ(attachments->colors[0]->location, 0u);
  EXPECT_EQ(attachments->colors[0]->format, 44u);
  EXPECT_FALSE(attachments->colors[1].has_value());
  EXPECT_EQ(attachments->colors[2]->location, 2u);
  EXPECT_EQ(attachments->colors[2]->format, 37u);
  EXPECT_EQ(attachments->view_mask, 1u);
}

TEST(AttachmentsOfSubpass, ASubpassMayHaveNone) {
  const auto attachments = AttachmentsOfSubpass(kPass, 7, 2);
  ASSERT_TRUE(attachments.ok()) << attachments.status();
  EXPECT_EQ(attachments->colors.size(), 0u);
  EXPECT_EQ(attachments->view_mask, 6u);
}

TEST(AttachmentsOfSubpass, NamesWhatIsWrong) {
  EXPECT_THAT(AttachmentsOfSubpass(kPass, 7, 1).status().message(), HasSubstr("attachment 2 of 2"));
  EXPECT_THAT(AttachmentsOfSubpass(kPass, 7, 3).status().message(), HasSubstr("subpass 3 of 3"));
  EXPECT_THAT(AttachmentsOfSubpass(kPass, 8, 0).status().message(), HasSubstr("does not describe"));
  EXPECT_THAT(AttachmentsOfSubpass(R"({"version":6,"renderPasses":{"7":{"attachments":[],)"
                                   R"("subpasses":[{"viewMask":"x"}]}}})",
                                   7, 0)
                  .status()
                  .message(),
              HasSubstr("viewMask"));
}

TEST(AttachmentsOfRendering, APipelineThatDoesNotSayHasNone) {
  const auto document =
      EntryDocument::Parse(R"({"version":6,"graphicsPipelines":{"1":{}}})", "graphicsPipelines", 1);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(AttachmentsOfRendering(document->object()).colors.size(), 0u);
}

}  // namespace
}  // namespace kiln::client
