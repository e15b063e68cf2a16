// Pages of the manual: one for kiln and one for each command, with all flags.
#include "client/manual/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/manual/help_text.h"

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<Command> Examples() {
  return {{"try",
           "FILE|-",
           "try a shader",
           "Paragraph.\n",
           "  kiln try x.comp\n",
           {{"target", 't', "T[,T...]", true, "what for"}, {"json", 0, "", false, "print JSON"}},
           nullptr},
          {"list", "", "list all", "All.\n", "  kiln list\n", {}, nullptr}};
}

TEST(Pages, OneForEachCommand) {
  const std::vector<manual::Page> pages = Pages(Examples());
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(pages[0].name, "kiln");
  EXPECT_THAT(pages[0].see_also, ElementsAre("kilnd(8)", "kiln-try(1)", "kiln-list(1)"));
  EXPECT_EQ(pages[0].options[1].text, "kiln list");
  EXPECT_EQ(pages[1].name, "kiln try");
  EXPECT_THAT(pages[1].synopsis, ElementsAre("kiln try [FLAG...] FILE|-"));
  ASSERT_EQ(pages[1].options.size(), 2u);
  EXPECT_EQ(pages[1].options[0].text, "-t, --target=T[,T...]");
  EXPECT_EQ(pages[1].options[0].help, "what for (may be given several times)");
  EXPECT_EQ(pages[1].options[1].help, "print JSON");
  EXPECT_THAT(pages[2].synopsis, ElementsAre("kiln list [FLAG...]"));
}

TEST(Pages, ExitCodesAreAPartOfTheirOwn) {
  for (const manual::Page& page : Pages(Examples())) {
    EXPECT_EQ(page.parts[0].title, "Exit codes");
    EXPECT_THAT(page.parts[0].text, StartsWith("0 all ok"));
    EXPECT_THAT(std::string(kExitCodes), HasSubstr(page.parts[0].text));
  }
}

TEST(Reference, SaysExitCodesOnce) {
  const std::string text = Reference(Examples());
  EXPECT_THAT(text, StartsWith("# kiln: command reference\n"));
  EXPECT_THAT(text, HasSubstr("\n## kiln try\n"));
  EXPECT_THAT(text, HasSubstr("* `-t, --target=T[,T...]`: what for"));
  const size_t first = text.find("0 all ok");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("0 all ok", first + 1), std::string::npos);
  EXPECT_EQ(text.substr(text.size() - 2), "t\n");  // one line feed ends it
}

}  // namespace
}  // namespace kiln::client
