// Help texts: every flag and command is there, long flags have their text on a line of its own.
#include "client/manual/help_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Command Example() {
  return {"try",
          "FILE|-",
          "try a shader",
          "Paragraph.\n",
          "  kiln try x.comp\n",
          {{"output", 'o', "DIR|-", false, "where to"},
           {"a-flag-with-a-long-name", 0, "VALUE", false, "explained below"}},
          nullptr};
}

TEST(HelpText, HasFlagsExamplesAndExitCodes) {
  EXPECT_EQ(HelpText(Example()),
            "kiln try - try a shader\n\nUsage: kiln try [FLAG...] FILE|-\n\nParagraph.\n\nFlags:\n"
            "  -o, --output=DIR|-         where to\n"
            "  --a-flag-with-a-long-name=VALUE \n"
            "                             explained below\n"
            "\nExamples:\n  kiln try x.comp\n\n" +
                std::string(kExitCodes));
}

TEST(OverviewText, ListsCommands) {
  const std::string text = OverviewText({Example()});
  EXPECT_THAT(text, StartsWith("kiln - compiles GPU shaders"));
  EXPECT_THAT(text, HasSubstr("\nCommands:\n  try        try a shader\n"));
  EXPECT_THAT(text, HasSubstr("Examples:\n" + std::string(kOverviewExamples)));
}

}  // namespace
}  // namespace kiln::client
