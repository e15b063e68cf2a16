// Tests fish's script: the lines that depend on the table, and how characters are quoted in them.
// tests/cli runs the script in fish.
#include <gtest/gtest.h>

#include <string>

#include "client/manual/completion.h"
#include "client/manual/testing.h"

namespace kiln::client {
namespace {

// Returns the script after the lines that are the same for every table.
std::string Made(const std::string& script) {
  const std::string last = "-l version -d 'print the version'\n";
  const size_t at = script.find(last);
  return at == script.npos ? "" : script.substr(at + last.size());
}

// In quotes a backslash stands before ' and itself.
TEST(FishScript, HasALineForEachCommandFlagAndArgument) {
  EXPECT_EQ(
      Made(FishScript(EntriesOf(ExampleCommands()))),
      R"(complete -c kiln -n __kiln_no_command -a try -d 'try: it\'s a [small] shader \\ kernel'
complete -c kiln -n __kiln_no_command -a list -d 'list $HOME and `all`'
complete -c kiln -n __kiln_no_command -a man -d 'print the manual'
complete -c kiln -n __kiln_no_command -a stop -d 'stop'
complete -c kiln -n __kiln_no_command -a help -d 'explain a command'
complete -c kiln -n '__kiln_command_is try' -s t -l target -x -a '(__fish_append , tgl skl)' -d 'what for: [several]'
complete -c kiln -n '__kiln_command_is try' -l cache -x -a 'use bypass' -d 'use it, or don\'t'
complete -c kiln -n '__kiln_command_is try' -s o -l output -x -a '(__fish_complete_directories)' -d 'where to'
complete -c kiln -n '__kiln_command_is try' -l log -r -F -d 'a file \\ a pipe'
complete -c kiln -n '__kiln_command_is try' -l report -d 'report, or write it'
complete -c kiln -n '__kiln_command_is try' -s j -l jobs -x -d 'how many'
complete -c kiln -n '__kiln_command_is try' -s D -x -d 'define'
complete -c kiln -n '__kiln_command_is try' -l asm -d 'as text'
complete -c kiln -n '__kiln_command_is try' -F
complete -c kiln -n '__kiln_first_argument_of list' -a 'show clear'
complete -c kiln -n '__kiln_first_argument_of man' -a 'try list man stop'
complete -c kiln -n '__kiln_command_is stop' -s v -d 'tell more'
complete -c kiln -n '__kiln_first_argument_of help' -a 'try list man stop'
)");
}

TEST(FishScript, BeginsWithTheFunctionsThatItsConditionsCall) {
  const std::string script = FishScript({});
  EXPECT_EQ(Made(script), "");
  for (const char* function :
       {"__kiln_no_command", "__kiln_command_is", "__kiln_first_argument_of"}) {
    EXPECT_NE(script.find(std::string("\nfunction ") + function + "\n"), std::string::npos)
        << function;
  }
}

}  // namespace
}  // namespace kiln::client
