// Tests kiln man: which page it prints or writes, and wrong command lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/version.h"
#include "client/commands/command.h"
#include "client/commands/testing.h"
#include "client/manual/pages.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Ran Man(const std::vector<std::string>& arguments) { return RunWith(ManCommand(), arguments); }

// Returns an empty folder that is this test's own.
std::string Folder() {
  std::string folder =
      testing::TempDir() + "/man_" + testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    names.push_back(file.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void ExpectUsage(const std::vector<std::string>& arguments, const std::string& error) {
  const Ran ran = Man(arguments);
  EXPECT_EQ(ran.code, kExitUsage) << error;
  EXPECT_EQ(ran.out, "") << error;
  EXPECT_EQ(ran.err, "kiln: " + error + "\n");
}

TEST(ManCommand, PrintsTheOverview) {
  const Ran ran = Man({});
  EXPECT_EQ(ran.code, kExitOk);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out, manual::ManPage(Pages(Commands())[0], kVersion));
  EXPECT_THAT(ran.out, StartsWith(absl::StrCat(".TH KILN 1 \"\" \"Kiln ", kVersion, "\"")));
}

TEST(ManCommand, PrintsThePageOfACommand) {
  const std::vector<Command> commands = Commands();
  const std::vector<manual::Page> pages = Pages(commands);
  ASSERT_EQ(pages.size(), commands.size() + 1);
  for (size_t i = 0; i < commands.size(); ++i) {
    const Ran ran = Man({std::string(commands[i].name)});
    EXPECT_EQ(ran.code, kExitOk) << commands[i].name;
    EXPECT_EQ(ran.err, "") << commands[i].name;
    EXPECT_EQ(ran.out, manual::ManPage(pages[i + 1], kVersion)) << commands[i].name;
    EXPECT_THAT(ran.out, HasSubstr(absl::StrCat("kiln\\-", commands[i].name, " \\- ")));
  }
}

TEST(ManCommand, PrintsTheReference) {
  const Ran ran = Man({"--markdown"});
  EXPECT_EQ(ran.code, kExitOk);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out, Reference(Commands()));
  EXPECT_THAT(ran.out, StartsWith("# kiln: command reference\n"));
}

TEST(ManCommand, RefusesOtherCommandLines) {
  ExpectUsage({"compil"}, "there is no command 'compil'; did you mean compile? (see kiln --help)");
  ExpectUsage({"xyzzy"}, "there is no command 'xyzzy' (see kiln --help)");
  ExpectUsage({""}, "there is no command '' (see kiln --help)");
  ExpectUsage({"man", "run"}, "`kiln man` takes one command");
  const std::string whole = "--markdown prints the whole reference; leave out COMMAND and --output";
  ExpectUsage({"--markdown", "run"}, whole);
  ExpectUsage({"--markdown", "--output=" + Folder()}, whole);
}

TEST(ManCommand, WritesAllPages) {
  const std::string folder = Folder() + "/share/man1";  // the command makes it
  const Ran ran = Man({"-o", folder});
  EXPECT_EQ(ran.code, kExitOk);
  EXPECT_EQ(ran.out + ran.err, "");
  std::vector<std::string> names = {"kiln.1"};
  for (const Command& command : Commands()) {
    names.push_back(absl::StrCat("kiln-", command.name, ".1"));
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(NamesIn(folder), names);
  EXPECT_EQ(Contents(folder + "/kiln.1"), Man({}).out);
  EXPECT_EQ(Contents(folder + "/kiln-man.1"), Man({"man"}).out);
}

TEST(ManCommand, WritesThePageOfACommandAlone) {
  const std::string folder = Folder();
  EXPECT_EQ(Man({"run", "-o", folder}).code, kExitOk);
  EXPECT_EQ(NamesIn(folder), std::vector<std::string>{"kiln-run.1"});
  EXPECT_EQ(Contents(folder + "/kiln-run.1"), Man({"run"}).out);
  EXPECT_EQ(Man({"no-such-command", "-o", folder + "/new"}).code, kExitUsage);
  EXPECT_FALSE(std::filesystem::exists(folder + "/new"));
}

TEST(ManCommand, AFolderThatCannotBeWrittenIsAnError) {
  const std::string file = Folder() + "/file";
  std::ofstream(file) << "kept";
  const Ran ran = Man({"-o", file});
  EXPECT_EQ(ran.code, kExitUsage);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("kiln: " + file + ": cannot create this folder: "));
  EXPECT_EQ(Contents(file), "kept");
}

}  // namespace
}  // namespace kiln::client
