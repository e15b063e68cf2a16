// Tests kiln completion: each shell's script of the real commands, and wrong command lines.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "client/commands/command.h"
#include "client/commands/testing.h"
#include "client/manual/completion.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;

Ran Completion(const std::vector<std::string>& arguments) {
  return RunWith(CompletionCommand(), arguments);
}

TEST(CompletionCommand, PrintsTheScriptOfAllCommands) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const Ran ran = Completion({shell});
    EXPECT_EQ(ran.code, kExitOk) << shell;
    EXPECT_EQ(ran.err, "") << shell;
    EXPECT_EQ(ran.out, *CompletionScript(shell, Commands())) << shell;
    EXPECT_THAT(ran.out, HasSubstr("made by `kiln completion " + shell + "`"));
    for (const Command& command : Commands()) {
      EXPECT_THAT(ran.out, HasSubstr(std::string(command.name))) << shell;
    }
  }
}

TEST(CompletionCommand, TakesOneShell) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, std::vector<std::string>{"bash", "zsh"}}) {
    const Ran ran = Completion(arguments);
    EXPECT_EQ(ran.code, kExitUsage);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "kiln: the shell is missing: bash, zsh or fish\n");
  }
}

TEST(CompletionCommand, OtherShellsHaveNone) {
  const Ran ran = Completion({"c\x1bsh"});
  EXPECT_EQ(ran.code, kExitUsage);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, testing::StartsWith("kiln: there is no completion for the shell 'c"));
  EXPECT_THAT(ran.err, testing::EndsWith("sh'; the shells are bash, zsh and fish\n"));
  EXPECT_EQ(ran.err.find('\x1b'), std::string::npos) << "a terminal would obey it";
}

// /dev/full takes no byte.
TEST(CompletionCommand, AFullDiskIsAnError) {
  const absl::StatusOr<ParsedFlags> flags = ParseFlags({}, std::vector<std::string>{"bash"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  const int own = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(own, 0);
  ASSERT_GE(full, 0);
  testing::internal::CaptureStderr();
  dup2(full, STDOUT_FILENO);
  const int code = CompletionCommand().run(*flags, {});
  dup2(own, STDOUT_FILENO);
  close(own);
  close(full);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "kiln: standard output: cannot write: No space left on device\n");
  EXPECT_EQ(code, kExitUsage);
}

}  // namespace
}  // namespace kiln::client
