// Words that a shell can offer after a flag or a command.
#ifndef KILN_CLIENT_MANUAL_WORDS_H_
#define KILN_CLIENT_MANUAL_WORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/cli/command.h"

namespace kiln::client {

struct Words {
  // kText: something that only the user knows; kList: some of the choices, with commas between.
  enum class Kind : uint8_t { kNothing, kText, kChoices, kList, kFile, kFolder };

  Kind kind = Kind::kNothing;
  std::vector<std::string> choices;
};

// The value of a flag; kNothing for a switch.
Words ValueOf(const Flag& flag);

// A command as completion knows it. `help`, which is no row of the table, is one.
struct Entry {
  std::string name, summary;
  std::vector<Flag> flags;
  Words argument;  // choices are the first argument only
};

// In the order of `commands`, `help` last.
std::vector<Entry> EntriesOf(absl::Span<const Command> commands);

}  // namespace kiln::client

#endif  // KILN_CLIENT_MANUAL_WORDS_H_
