// Tests of the table of commands: each flag means one thing, and help is for all targets.
#include "client/commands/command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "client/request/switch_flags.h"
#include "core/driver/analyze.h"
#include "core/driver/simulate.h"

namespace kiln::client {
namespace {

// Flags that every command has (command.cc): one of the same name in a command's own list replaces
// it without a word.
const std::set<std::string> kCommon = {"json", "color", "help"};

// Returns the names and letters that stand in the list more than once.
std::set<std::string> Repeated(const std::vector<Flag>& flags) {
  std::map<std::string, int> count;
  for (const Flag& flag : flags) {
    if (!flag.name.empty()) ++count["--" + std::string(flag.name)];
    if (flag.letter != 0) ++count[std::string("-") + flag.letter];
  }
  std::set<std::string> repeated;
  for (const auto& [name, times] : count) {
    if (times > 1) repeated.insert(name);
  }
  return repeated;
}

// Returns the names of modes that are names of common flags.
std::set<std::string> Replacing(absl::Span<const Switch> switches) {
  std::set<std::string> replacing;
  for (const Switch& each : switches) {
    if (kCommon.contains(std::string(each.name))) replacing.emplace(each.name);
  }
  return replacing;
}

TEST(Commands, EachFlagIsThereOnce) {
  for (const Command& command : Commands()) {
    SCOPED_TRACE(std::string(command.name));
    EXPECT_EQ(Repeated(command.flags), std::set<std::string>());
    for (const std::string& common : kCommon) {
      if (common == "json" && !command.has_json) continue;
      EXPECT_TRUE(std::any_of(command.flags.begin(), command.flags.end(), [&](const Flag& flag) {
        return flag.name == common;
      })) << common;
    }
  }
}

// Back ends name their modes without knowing the commands.
TEST(Commands, AModeOfATargetTakesTheNameOfNoOtherFlag) {
  EXPECT_EQ(Replacing(AnalysisSwitches()), std::set<std::string>());
  EXPECT_EQ(Replacing(SimulationSwitches()), std::set<std::string>());
  constexpr Switch kWrong[] = {{"launch", "starts"}, {"json", "writes"}};
  std::vector<Flag> flags = RunCommand().flags;
  const std::vector<Flag> more = FlagsOf(kWrong);
  flags.insert(flags.end(), more.begin(), more.end());
  EXPECT_EQ(Repeated(flags), std::set<std::string>{"--launch"});
  EXPECT_EQ(Replacing(kWrong), std::set<std::string>{"json"});
}

// Text for all targets is not about what one of them has; a mode is told of by its flag.
TEST(AnalyzeCommand, HelpIsForAllTargets) {
  const Command command = AnalyzeCommand();
  const std::string details(command.details);
  ASSERT_FALSE(AnalysisSwitches().empty());
  for (const Switch& each : AnalysisSwitches()) {
    const std::string name(each.name);
    EXPECT_EQ(details.find("--" + name), details.npos) << name;
    EXPECT_TRUE(std::any_of(command.flags.begin(), command.flags.end(), [&](const Flag& flag) {
      return flag.name == name && flag.help == std::string(each.help);
    })) << name;
  }
  EXPECT_NE(details.find("A mode that the target does\nnot have is an error"), details.npos);
}

}  // namespace
}  // namespace kiln::client
