// Pages of the manual: what roff and Markdown take for their own is escaped, verbatim lines stay.
#include "server/manual/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::manual {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Page Example() {
  return {"kiln try",
          1,
          "try <x> and *y*",
          {"kiln try [FLAG...] FILE|-"},
          "First line\nsecond with `--code`.\n\n.begins with a point, C:\\x, 'q'.\nLike this:\n"
          "  {\"a\",\n   \"b\"}\nand on.\n",
          "Flags",
          {{"-t, --target=T[,T...]", "what for; `kiln targets` lists them"}},
          "  kiln try --target=tgl x.comp\n  kiln try - < y\n",
          {{"Exit codes", "0 all ok, 1 some refused.\n"}},
          {"kiln(1)", "kilnd(8)"}};
}

TEST(ManPage, HasAllParts) {
  const std::string roff = ManPage(Example(), "1.2.3");
  EXPECT_THAT(roff, StartsWith(".TH KILN\\-TRY 1 \"\" \"Kiln 1.2.3\" \"Kiln\"\n"));
  for (const char* part :
       {".SH NAME\nkiln\\-try \\- try <x> and *y*\n",
        ".SH SYNOPSIS\n.nf\nkiln try [FLAG...] FILE|\\-\n.fi\n",
        ".PP\nFirst line second with \\fB\\-\\-code\\fP.\n",
        ".SH FLAGS\n.TP\n\\fB\\-t, \\-\\-target=T[,T...]\\fP\nwhat for; \\fBkiln targets\\fP lists",
        ".SH EXAMPLES\n.PP\n.RS 4\n.nf\nkiln try \\-\\-target=tgl x.comp\nkiln try \\- < y\n.fi\n",
        ".SH EXIT CODES\n.PP\n0 all ok", ".SH SEE ALSO\n.PP\nkiln(1), kilnd(8)\n"}) {
    EXPECT_THAT(roff, HasSubstr(part));
  }
}

TEST(ManPage, EscapesRequestsAndKeepsVerbatimLines) {
  const std::string roff = ManPage(Example(), "1.2.3");
  EXPECT_THAT(roff, HasSubstr(".PP\n\\&.begins with a point, C:\\ex, \\(aqq\\(aq. Like this:\n"
                              ".PP\n.RS 4\n.nf\n{\"a\",\n \"b\"}\n.fi\n.RE\n.PP\nand on.\n"));
}

TEST(ManPage, ABacktickWithoutPartnerStays) {
  Page page = Example();
  page.description = "one ` alone";
  EXPECT_THAT(ManPage(page, "1"), HasSubstr(".PP\none \\(ga alone\n"));
}

TEST(MarkdownPage, HasAllParts) {
  EXPECT_EQ(
      MarkdownPage(Example()),
      "## kiln try\n\ntry \\<x> and \\*y\\*\n\n    kiln try [FLAG...] FILE|-\n\n"
      "First line\nsecond with `--code`.\n\n"
      ".begins with a point, C:\\\\x, 'q'.\nLike this:\n\n    {\"a\",\n     \"b\"}\n\nand on.\n\n"
      "Flags:\n\n* `-t, --target=T[,T...]`: what for; `kiln targets` lists them\n\n"
      "Examples:\n\n    kiln try --target=tgl x.comp\n    kiln try - < y\n\n"
      "Exit codes:\n\n0 all ok, 1 some refused.\n\n");
}

}  // namespace
}  // namespace kiln::manual
