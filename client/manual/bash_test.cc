// Tests the functions of bash's script that depend on the table; tests/cli runs the script in bash.
#include <gtest/gtest.h>

#include <string>

#include "client/manual/completion.h"
#include "client/manual/testing.h"

namespace kiln::client {
namespace {

// Returns the script up to the functions that are the same for every table.
std::string Made(const std::string& script) {
  return script.substr(0, script.find("\n# Offers what `kind`"));
}

TEST(BashScript, HasTheFlagsTheirValuesAndTheArgumentOfEachCommand) {
  EXPECT_EQ(Made(BashScript(EntriesOf(ExampleCommands()))),
            R"(# Completion of kiln in bash, made by `kiln completion bash`.
_kiln_commands='try list man stop help --help --version'

# The flags of the command $1.
_kiln_flags() {
  case $1 in
    try) words='--target= -t --cache= --output= -o --log= --report --jobs= -j -D --asm' ;;
    stop) words='-v' ;;
  esac
}

# The value of the flag $2 of the command $1.
_kiln_value() {
  case $1 in
    try) case $2 in
        --target | -t) kind=list words='tgl skl' ;;
        --cache) kind=words words='use bypass' ;;
        --output | -o) kind=folder ;;
        --log) kind=file ;;
        --report=) kind=file ;;
        --jobs | -j) kind=text ;;
        -D) kind=text ;;
      esac ;;
  esac
}

# The argument of the command $1.
_kiln_argument() {
  case $1 in
    try) kind=file ;;
    list) kind=words words='show clear' ;;
    man) kind=words words='try list man stop' ;;
    stop) kind= ;;
    help) kind=words words='try list man stop' ;;
  esac
}
)");
}

TEST(BashScript, EndsByRegisteringItsFunction) {
  const std::string script = BashScript({});
  const std::string last = "\ncomplete -F _kiln kiln\n";
  ASSERT_GT(script.size(), last.size());
  EXPECT_EQ(script.substr(script.size() - last.size()), last);
  EXPECT_NE(script.find("\n_kiln() {\n"), std::string::npos);
}

TEST(BashScript, WithoutCommandsItsFunctionsAreWholeAllTheSame) {
  EXPECT_EQ(Made(BashScript({})), R"(# Completion of kiln in bash, made by `kiln completion bash`.
_kiln_commands=' --help --version'

# The flags of the command $1.
_kiln_flags() {
  case $1 in
  esac
}

# The value of the flag $2 of the command $1.
_kiln_value() {
  case $1 in
  esac
}

# The argument of the command $1.
_kiln_argument() {
  case $1 in
  esac
}
)");
}

}  // namespace
}  // namespace kiln::client
