// Tests zsh's script: its whole text for a small table, and how characters are quoted in it.
// tests/cli runs the script in zsh.
#include <gtest/gtest.h>

#include <string>

#include "client/manual/completion.h"
#include "client/manual/testing.h"

namespace kiln::client {
namespace {

// In quotes ' is '\''; within a specification a backslash stands before : [ ] and itself.
TEST(ZshScript, SpecifiesEachCommand) {
  EXPECT_EQ(ZshScript(EntriesOf(ExampleCommands())), R"(#compdef kiln
# Completion of kiln in zsh, made by `kiln completion zsh`: as a file _kiln of a folder in fpath, or
# sourced.
_kiln() {
  local -a commands
  commands=(
    'try:try\: it'\''s a \[small\] shader \\ kernel'
    'list:list $HOME and `all`'
    'man:print the manual'
    'stop:stop'
    'help:explain a command'
  )
  if ((CURRENT == 2)); then
    _describe command commands
    _arguments '--help[print the commands]' '--version[print the version]'
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
    try)
      _arguments \
        '*-t+[what for\: \[several\]]:T\[,T...\]:_values -s , value tgl skl' \
        '*--target=[what for\: \[several\]]:T\[,T...\]:_values -s , value tgl skl' \
        '--cache=[use it, or don'\''t]:POLICY:(use bypass)' \
        '(-o --output)-o+[where to]:DIR|-:_files -/' \
        '(-o --output)--output=[where to]:DIR|-:_files -/' \
        '--log=[a file \\ a pipe]:FILE:_files' \
        '--report=-[report, or write it]::\[FILE\]:_files' \
        '(-j --jobs)-j+[how many]:N: ' \
        '(-j --jobs)--jobs=[how many]:N: ' \
        '*-D+[define]:NAME=VALUE: ' \
        '--asm[as text]' \
        '*:file:_files' ;;
    list)
      _arguments \
        '1:word:(show clear)' ;;
    man)
      _arguments \
        '1:word:(try list man stop)' ;;
    stop)
      _arguments \
        '-v[tell more]' ;;
    help)
      _arguments \
        '1:word:(try list man stop)' ;;
  esac
}
if [[ $funcstack[1] == _kiln ]]; then
  _kiln "$@"
else
  compdef _kiln kiln
fi
)");
}

TEST(ZshScript, ACommandWithoutFlagsAndArgumentsHasNoSpecification) {
  const std::string script = ZshScript({{"stop", "stop", {}, {}}});
  EXPECT_NE(script.find("    stop)\n      _arguments \\\n         ;;\n"), std::string::npos)
      << script;
}

}  // namespace
}  // namespace kiln::client
