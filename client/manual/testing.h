// A small table of commands for tests of the texts that are made from it. Summaries, helps and
// values have characters that shells treat specially.
#ifndef KILN_CLIENT_MANUAL_TESTING_H_
#define KILN_CLIENT_MANUAL_TESTING_H_

#include <vector>

#include "client/cli/command.h"

namespace kiln::client {

inline std::vector<Command> ExampleCommands() {
  return {{"try",
           "FILE|-",
           "try: it's a [small] shader \\ kernel",
           "",
           "",
           {{"target", 't', "T[,T...]", true, "what for: [several]", "tgl skl"},
            {"cache", 0, "POLICY", false, "use it, or don't", "use bypass"},
            {"output", 'o', "DIR|-", false, "where to"},
            {"log", 0, "FILE", false, "a file \\ a pipe"},
            {"report", 0, "[FILE]", false, "report, or write it"},
            {"jobs", 'j', "N", false, "how many"},
            {"", 'D', "NAME=VALUE", true, "define"},
            {"asm", 0, "", false, "as text"}},
           nullptr},
          {"list", "show|clear [KEY...]", "list $HOME and `all`", "", "", {}, nullptr},
          {"man", "[COMMAND]", "print the manual", "", "", {}, nullptr},
          {"stop", "", "stop", "", "", {{"", 'v', "", false, "tell more"}}, nullptr}};
}

}  // namespace kiln::client

#endif  // KILN_CLIENT_MANUAL_TESTING_H_
