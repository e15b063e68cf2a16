// Completion scripts: which words follow what. That shells take the scripts, tests/cli shows.
#include "client/manual/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Kind = Words::Kind;

std::vector<Command> Examples() {
  return {{"try",
           "FILE|-",
           "try: it's a shader",
           "",
           "",
           {{"target", 't', "T[,T...]", true, "what for [several]", "tgl skl"},
            {"cache", 0, "POLICY", false, "use or not", "use bypass"},
            {"output", 'o', "DIR|-", false, "where to"},
            {"report", 0, "[FILE]", false, "report, or write it"},
            {"jobs", 'j', "N", false, "how many"},
            {"asm", 0, "", false, "as text"}},
           nullptr},
          {"list", "show|clear [KEY...]", "list all", "", "", {}, nullptr},
          {"man", "[COMMAND]", "print the manual", "", "", {}, nullptr},
          {"targets", "", "list targets", "", "", {}, nullptr}};
}

TEST(Words, OfFlags) {
  const std::vector<Flag> flags = Examples()[0].flags;
  EXPECT_EQ(ValueOf(flags[0]).kind, Kind::kList);
  EXPECT_THAT(ValueOf(flags[0]).choices, ElementsAre("tgl", "skl"));
  EXPECT_EQ(ValueOf(flags[1]).kind, Kind::kChoices);
  EXPECT_EQ(ValueOf(flags[2]).kind, Kind::kFolder);
  EXPECT_EQ(ValueOf(flags[3]).kind, Kind::kFile);
  EXPECT_EQ(ValueOf(flags[4]).kind, Kind::kText);
  EXPECT_EQ(ValueOf(flags[5]).kind, Kind::kNothing);
}

TEST(Words, OfArguments) {
  const std::vector<Entry> entries = EntriesOf(Examples());
  ASSERT_EQ(entries.size(), 5u);
  EXPECT_EQ(entries[0].argument.kind, Kind::kFile);
  EXPECT_THAT(entries[1].argument.choices, ElementsAre("show", "clear"));
  EXPECT_THAT(entries[2].argument.choices, ElementsAre("try", "list", "man", "targets"));
  EXPECT_EQ(entries[3].argument.kind, Kind::kNothing);
  EXPECT_EQ(entries[4].name, "help");
  EXPECT_EQ(entries[4].argument.choices, entries[2].argument.choices);
}

TEST(CompletionScript, Bash) {
  const std::string script = *CompletionScript("bash", Examples());
  for (const char* part :
       {"_kiln_commands='try list man targets help --help --version'",
        "try) words='--target= -t --cache= --output= -o --report --jobs= -j --asm'",
        "--target | -t) kind=list words='tgl skl'", "--report=) kind=file",
        "--output | -o) kind=folder", "list) kind=words words='show clear'"}) {
    EXPECT_THAT(script, HasSubstr(part));
  }
  EXPECT_THAT(script, Not(HasSubstr("--asm)")));
}

TEST(CompletionScript, ZshEscapesWhatEndsAPart) {
  const std::string script = *CompletionScript("zsh", Examples());
  for (const char* part : {"'try:try\\: it'\\''s a shader'",
                           "'*-t+[what for \\[several\\]]:T\\[,T...\\]:_values -s , value tgl skl'",
                           "'(-o --output)--output=[where to]:DIR|-:_files -/'",
                           "'--report=-[report, or write it]::\\[FILE\\]:_files'",
                           "'--asm[as text]'", "'1:word:(show clear)'", "'*:file:_files'"}) {
    EXPECT_THAT(script, HasSubstr(part));
  }
}

TEST(CompletionScript, Fish) {
  const std::string script = *CompletionScript("fish", Examples());
  for (const char* part :
       {"-a try -d 'try: it\\'s a shader'",
        "'__kiln_command_is try' -s t -l target -x -a '(__fish_append , tgl skl)'",
        "-l cache -x -a 'use bypass'", "'__kiln_command_is try' -F\n",
        "'__kiln_first_argument_of list' -a 'show clear'\n"}) {
    EXPECT_THAT(script, HasSubstr(part));
  }
}

TEST(CompletionScript, OtherShells) {
  EXPECT_EQ(CompletionScript("csh", Examples()).status().message(),
            "there is no completion for the shell 'csh'; the shells are bash, zsh and fish");
}

}  // namespace
}  // namespace kiln::client
