// Tests which words a shell can offer after each kind of flag and argument.
#include "client/manual/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace kiln::client {
namespace {

using testing::ElementsAre;

// "list tgl skl": the kind, then the choices.
std::string Text(const Words& words) {
  constexpr const char* kKinds[] = {"nothing", "text", "choices", "list", "file", "folder"};
  std::vector<std::string> parts = {kKinds[static_cast<size_t>(words.kind)]};
  parts.insert(parts.end(), words.choices.begin(), words.choices.end());
  return absl::StrJoin(parts, " ");
}

std::string OfFlag(absl::string_view value, absl::string_view choices = "") {
  return Text(ValueOf({"flag", 0, value, false, "", choices}));
}

std::string OfArguments(absl::string_view arguments) {
  const std::vector<Command> commands = {{"try", arguments, "", "", "", {}, nullptr},
                                         {"list", "", "", "", "", {}, nullptr}};
  return Text(EntriesOf(commands)[0].argument);
}

TEST(Words, ASwitchHasNoValue) { EXPECT_EQ(OfFlag(""), "nothing"); }

TEST(Words, ChoicesOfAFlagAreOneOrAList) {
  EXPECT_EQ(OfFlag("POLICY", "use bypass"), "choices use bypass");
  EXPECT_EQ(OfFlag("POLICY", " use  bypass "), "choices use bypass");
  EXPECT_EQ(OfFlag("T[,T...]", "tgl skl"), "list tgl skl");
  EXPECT_EQ(OfFlag("T[,T...]"), "text");
}

TEST(Words, AFlagNamesAFileOrAFolder) {
  EXPECT_EQ(OfFlag("FILE"), "file");
  EXPECT_EQ(OfFlag("FILE|-"), "file");
  EXPECT_EQ(OfFlag("JSON"), "file");
  EXPECT_EQ(OfFlag("DIR|-"), "folder");
  EXPECT_EQ(OfFlag("N"), "text");
  EXPECT_EQ(OfFlag("PROFILE"), "text");
}

TEST(Words, AnOptionalValueIsNamedInBrackets) {
  EXPECT_EQ(OfFlag("[FILE]"), "file");
  EXPECT_EQ(OfFlag("[DIR]"), "folder");
  EXPECT_EQ(OfFlag("[N]"), "text");
}

TEST(Words, ArgumentsAreCommandsOrWordsOrFiles) {
  EXPECT_EQ(OfArguments(""), "nothing");
  EXPECT_EQ(OfArguments("[COMMAND]"), "choices try list");
  EXPECT_EQ(OfArguments("COMMAND"), "choices try list");
  EXPECT_EQ(OfArguments("show"), "choices show");
  EXPECT_EQ(OfArguments("show|clear [KEY...]"), "choices show clear");
  EXPECT_EQ(OfArguments("FILE|-"), "file");
  EXPECT_EQ(OfArguments("show|FILE"), "file");
  EXPECT_EQ(OfArguments("show|"), "file");
}

// `help` is no row of the table, but a command for completion; it takes the commands of the table.
TEST(Words, HelpIsTheLastEntry) {
  const std::vector<Flag> flags = {{"asm", 0, "", false, "as text"}};
  const std::vector<Entry> entries = EntriesOf({{"try", "", "try it", "", "", flags, nullptr}});
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "try");
  EXPECT_EQ(entries[0].summary, "try it");
  ASSERT_EQ(entries[0].flags.size(), 1u);
  EXPECT_EQ(entries[0].flags[0].name, "asm");
  EXPECT_EQ(entries[1].name, "help");
  EXPECT_EQ(entries[1].summary, "explain a command");
  EXPECT_TRUE(entries[1].flags.empty());
  EXPECT_EQ(entries[1].argument.kind, Words::Kind::kChoices);
  EXPECT_THAT(entries[1].argument.choices, ElementsAre("try"));
}

}  // namespace
}  // namespace kiln::client
