// Command-line flags: see flags.h.
#include "client/cli/flags.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace kiln::client {
namespace {

size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1] ? 1 : 0);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

const Flag* FindName(absl::Span<const Flag> flags, absl::string_view name) {
  for (const Flag& f : flags) {
    if (!f.name.empty() && f.name == name) return &f;
  }
  return nullptr;
}

const Flag* FindLetter(absl::Span<const Flag> flags, char letter) {
  for (const Flag& f : flags) {
    if (f.letter != 0 && f.letter == letter) return &f;
  }
  return nullptr;
}

absl::Status Unknown(absl::Span<const Flag> flags, absl::string_view flag, absl::string_view name) {
  std::vector<std::string> names;
  for (const Flag& f : flags) {
    if (!f.name.empty()) names.emplace_back(f.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown flag ", flag, DidYouMean(name, names, "--")));
}

// One parsed argument: the flag, how it was written, its value if attached.
struct Taken {
  const Flag* flag;
  std::string written;
  bool has_value;
  std::string value;
};

absl::StatusOr<Taken> Take(absl::Span<const Flag> flags, const std::string& argument) {
  if (argument[1] == '-') {
    size_t equals = argument.find('=');
    std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const Flag* flag = FindName(flags, name);
    if (flag == nullptr) return Unknown(flags, "--" + name, name);
    bool has = equals != std::string::npos;
    return Taken{flag, "--" + name, has, has ? argument.substr(equals + 1) : ""};
  }
  const Flag* flag = FindLetter(flags, argument[1]);
  if (flag == nullptr) {
    // "-target=tgl" is probably meant to be "--target=tgl".
    return Unknown(flags, argument, argument.substr(1, argument.find('=') - 1));
  }
  return Taken{flag, argument.substr(0, 2), argument.size() > 2, argument.substr(2)};
}

// "[=FILE]".
std::string OptionalText(absl::string_view value) { return absl::StrCat("[=", value.substr(1)); }

}  // namespace

std::string FlagText(const Flag& flag) {
  std::string text;
  if (flag.letter != 0) absl::StrAppend(&text, "-", std::string(1, flag.letter));
  if (flag.letter != 0 && !flag.name.empty()) absl::StrAppend(&text, ", ");
  if (!flag.name.empty()) {
    absl::StrAppend(&text, "--", flag.name, flag.value.empty() || flag.ValueIsOptional() ? "" : "=",
                    flag.ValueIsOptional() ? OptionalText(flag.value) : std::string(flag.value));
  } else if (!flag.value.empty()) {
    absl::StrAppend(&text, " ", flag.value);
  }
  return text;
}

std::string ParsedFlags::Get(absl::string_view key, absl::string_view fallback) const {
  auto it = values_.find(key);
  return it == values_.end() ? std::string(fallback) : it->second.back();
}

std::vector<std::string> ParsedFlags::All(absl::string_view key) const {
  auto it = values_.find(key);
  return it == values_.end() ? std::vector<std::string>() : it->second;
}

std::vector<std::string> ParsedFlags::Commas(absl::string_view key) const {
  std::vector<std::string> parts;
  for (const std::string& value : All(key)) {
    for (absl::string_view part : absl::StrSplit(value, ',', absl::SkipEmpty())) {
      parts.emplace_back(part);
    }
  }
  return parts;
}

absl::StatusOr<int64_t> ParsedFlags::Number(absl::string_view key, int64_t fallback, int64_t least,
                                            int64_t most) const {
  if (!Has(key)) return fallback;
  int64_t n = 0;
  if (absl::SimpleAtoi(Get(key), &n) && n >= least && n <= most) return n;
  return absl::InvalidArgumentError(absl::StrCat(
      "--", key, "=", Get(key), ": must be a whole number from ", least, " to ", most));
}

absl::StatusOr<double> ParsedFlags::Seconds(absl::string_view key, double fallback) const {
  if (!Has(key)) return fallback;
  double seconds = 0;
  if (absl::SimpleAtod(Get(key), &seconds) && seconds > 0 && seconds <= 1e6) return seconds;
  return absl::InvalidArgumentError(
      absl::StrCat("--", key, "=", Get(key), ": must be a time in seconds, for example 30"));
}

absl::StatusOr<ParsedFlags> ParseFlags(absl::Span<const Flag> flags,
                                       absl::Span<const std::string> arguments) {
  ParsedFlags parsed;
  bool only_arguments = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (only_arguments || argument.size() < 2 || argument[0] != '-') {
      parsed.arguments_.push_back(argument);
      continue;
    }
    if (argument == "--") {
      only_arguments = true;
      continue;
    }
    absl::StatusOr<Taken> taken = Take(flags, argument);
    if (!taken.ok()) return taken.status();
    const Flag& flag = *taken->flag;
    if (flag.value.empty() && taken->has_value) {
      return absl::InvalidArgumentError(absl::StrCat(taken->written, " takes no value"));
    }
    if (!flag.value.empty() && !flag.ValueIsOptional() && !taken->has_value) {
      if (i + 1 == arguments.size()) {
        return absl::InvalidArgumentError(absl::StrCat(taken->written,
                                                       " needs a value: ", taken->written,
                                                       flag.name.empty() ? " " : "=", flag.value));
      }
      taken->value = arguments[++i];
    }
    std::vector<std::string>& values = parsed.values_[flag.Key()];
    if (!values.empty() && !flag.repeats) {
      return absl::InvalidArgumentError(absl::StrCat(taken->written, " is given twice"));
    }
    // Typically from a script whose variable is not set: the output would be lost.
    if (flag.ValueIsPath() && taken->value.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(flag.name.empty() ? "-" : "--", flag.Key(), " is given without a name"));
    }
    values.push_back(std::move(taken->value));
  }
  return parsed;
}

std::string Nearest(absl::string_view word, absl::Span<const std::string> candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    size_t distance = EditDistance(word, candidate);
    // "--spec-constant" for "--spec": one begins with the other.
    size_t shorter = std::min(word.size(), candidate.size());
    if (shorter >= 3 && word.substr(0, shorter) == candidate.substr(0, shorter)) distance = 1;
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best_distance < word.size() ? best : "";
}

std::string NearMiss(absl::string_view word, absl::Span<const std::string> candidates) {
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (distance <= 2 && 2 * distance < std::min(word.size(), candidate.size())) return candidate;
  }
  return "";
}

std::string DidYouMean(absl::string_view word, absl::Span<const std::string> candidates,
                       absl::string_view prefix) {
  std::string nearest = Nearest(word, candidates);
  return nearest.empty() ? "" : absl::StrCat("; did you mean ", prefix, nearest, "?");
}

}  // namespace kiln::client
