// Tests that each shell gets its own script, for the table's commands and `help`.
#include "client/manual/completion.h"

#include <gtest/gtest.h>

#include <string>

#include "client/manual/testing.h"

namespace kiln::client {
namespace {

TEST(CompletionScript, IsTheShellsOwn) {
  const std::vector<Entry> entries = EntriesOf(ExampleCommands());
  EXPECT_EQ(*CompletionScript("bash", ExampleCommands()), BashScript(entries));
  EXPECT_EQ(*CompletionScript("zsh", ExampleCommands()), ZshScript(entries));
  EXPECT_EQ(*CompletionScript("fish", ExampleCommands()), FishScript(entries));
}

TEST(CompletionScript, OtherShellsHaveNone) {
  for (const std::string shell : {"csh", "", "Bash", "bash "}) {
    const absl::Status status = CompletionScript(shell, ExampleCommands()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << shell;
    EXPECT_EQ(status.message(), "there is no completion for the shell '" + shell +
                                    "'; the shells are bash, zsh and fish");
  }
}

}  // namespace
}  // namespace kiln::client
