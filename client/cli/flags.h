// Command-line flags, from a table per command.
//
// Accepted: --name=VALUE, --name VALUE, -oVALUE, -o VALUE, switches --name, "--" before arguments
// that are no flags, "-" as an ordinary argument. An unknown flag is an error that proposes the
// nearest known one; a flag given twice is an error unless its row says that it repeats.
// absl::flags is not used: flags of one command must not exist for another, and a global registry
// knows no commands.
#ifndef KILN_CLIENT_CLI_FLAGS_H_
#define KILN_CLIENT_CLI_FLAGS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace kiln::client {

struct Flag {
  absl::string_view name;   // without dashes; empty: only the letter
  char letter;              // 0: none
  absl::string_view value;  // placeholder of the value in --help; empty: a switch; in brackets,
                            // "[FILE]": optional, taken only after "="
  bool repeats;
  absl::string_view help;
  absl::string_view choices = {};  // the values there are, where they are a fixed set: "a b c"

  bool ValueIsOptional() const { return !value.empty() && value[0] == '['; }
  // Returns true if the value names a file or folder: FILE, DIR, or FILE|-.
  bool ValueIsPath() const { return value.substr(0, 4) == "FILE" || value.substr(0, 3) == "DIR"; }
  // Returns true if the value is a list whose elements are separated by commas.
  bool ValueIsList() const { return value.find(',') != absl::string_view::npos; }
  // Returns the name under which ParsedFlags knows it.
  std::string Key() const { return name.empty() ? std::string(1, letter) : std::string(name); }
};

// The flag as --help shows it: "-o, --output=DIR|-".
std::string FlagText(const Flag& flag);

class ParsedFlags {
 public:
  bool Has(absl::string_view key) const { return values_.find(key) != values_.end(); }
  // Returns the value, or `fallback` if the flag is not given.
  std::string Get(absl::string_view key, absl::string_view fallback = "") const;
  // Returns all values of a repeated flag, in order.
  std::vector<std::string> All(absl::string_view key) const;
  // Returns all values of a repeated flag, each split at commas; empty parts are dropped.
  std::vector<std::string> Commas(absl::string_view key) const;
  // Returns a whole number between the bounds; InvalidArgument names the flag.
  absl::StatusOr<int64_t> Number(absl::string_view key, int64_t fallback, int64_t least,
                                 int64_t most) const;
  // Returns a positive time in seconds, fractions allowed; InvalidArgument names the flag.
  absl::StatusOr<double> Seconds(absl::string_view key, double fallback) const;

  const std::vector<std::string>& arguments() const { return arguments_; }

 private:
  friend absl::StatusOr<ParsedFlags> ParseFlags(absl::Span<const Flag>,
                                                absl::Span<const std::string>);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> arguments_;
};

// InvalidArgument names the wrong flag and the right form.
absl::StatusOr<ParsedFlags> ParseFlags(absl::Span<const Flag> flags,
                                       absl::Span<const std::string> arguments);

// Returns the candidate nearest to `word` by edit distance; empty if none is near enough to be
// meant.
std::string Nearest(absl::string_view word, absl::Span<const std::string> candidates);

// Returns the candidate of which `word` is a misspelling: at most two letters differ, and fewer
// than half of either word. Empty: there is none.
std::string NearMiss(absl::string_view word, absl::Span<const std::string> candidates);

// Returns ", did you mean X?" or "".
std::string DidYouMean(absl::string_view word, absl::Span<const std::string> candidates,
                       absl::string_view prefix = "");

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLI_FLAGS_H_
