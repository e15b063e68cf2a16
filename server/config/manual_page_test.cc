// The manual of kilnd: every setting with its default, and what --help says besides.
#include "server/config/manual_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/config/config.h"

namespace kiln::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Manual, MarkdownHasEverySetting) {
  const std::string text = Manual("markdown", "1.2.3");
  EXPECT_THAT(text, StartsWith("# kilnd: settings reference\n"));
  ASSERT_GT(SettingRows().size(), 30u);
  for (const SettingRow& row : SettingRows()) {
    EXPECT_THAT(text, HasSubstr(absl::StrCat("* `", row.flag, "`: ")));
  }
  EXPECT_THAT(text, HasSubstr("* `--listen=HOST:PORT`: address for clients"));
  EXPECT_THAT(text, HasSubstr("(127.0.0.1:7411)"));
  EXPECT_THAT(text, HasSubstr("* `--memory-plan`: "));
}

TEST(Manual, ManIsAPageOfSectionEight) {
  const std::string roff = Manual("man", "1.2.3");
  EXPECT_THAT(roff, StartsWith(".TH KILND 8 \"\" \"Kiln 1.2.3\" \"Kiln\"\n"));
  for (const SettingRow& row : SettingRows()) {
    const std::string flag = absl::StrReplaceAll(row.flag, {{"-", "\\-"}});
    EXPECT_THAT(roff, HasSubstr(absl::StrCat(".TP\n\\fB", flag, "\\fP\n")));
  }
}

TEST(Manual, FlagsThatPrintIt) {
  EXPECT_EQ(ParseConfig({"--man"})->manual, "man");
  EXPECT_EQ(ParseConfig({"--markdown"})->manual, "markdown");
  EXPECT_EQ(ParseConfig({"--metrics-markdown"})->manual, "metrics-markdown");
  EXPECT_EQ(ParseConfig({})->manual, "");
  for (const char* flag : {"--man ", "--markdown"}) EXPECT_THAT(HelpText(), HasSubstr(flag));
}

}  // namespace
}  // namespace kiln::server
