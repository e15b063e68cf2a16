// Items of a batch from its flags: see batch_inputs.h.
#include "client/commands/batch_inputs.h"

#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/batch/permutations.h"
#include "client/cli/paths.h"
#include "client/cli/terminal.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

constexpr uint64_t kMaxListBytes = uint64_t{1} << 30;

// Returns the first few of `keys`, each shortened, and the number of the others.
std::string SomeOf(const std::set<std::string>& keys) {
  constexpr size_t kMaxShownKeys = 20;
  std::vector<std::string> shown;
  for (const std::string& key : keys) {
    if (shown.size() == kMaxShownKeys) break;
    shown.push_back(Quoted(key));
  }
  std::string text = absl::StrJoin(shown, ", ");
  const size_t more = keys.size() - shown.size();
  if (more != 0) absl::StrAppend(&text, " and ", more, " more");
  return text;
}

// Returns the error of a batch without a single input.
absl::Status NothingToCompile(const ParsedFlags& flags) {
  for (const char* flag : {"manifest", "list"}) {
    if (!flags.Has(flag) || !flags.arguments().empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat("there is nothing to compile: --", flag, "=",
                                                   flags.Get(flag), " lists no file"));
  }
  return absl::InvalidArgumentError(
      "there is nothing to compile: no *.spv and no GLSL file (*.comp, *.frag, *.glsl, ...) was "
      "found, and no HLSL file with a stage in its name (*.ps.hlsl, *.comp.hlsl, ...)");
}

// Reports ignored keys of a manifest once; with --strict they are an error.
absl::Status JudgeIgnoredKeys(const ParsedFlags& flags, const std::set<std::string>& keys) {
  if (keys.empty()) return absl::OkStatus();
  const std::string which =
      absl::StrCat("--manifest=", flags.Get("manifest"), ": ",
                   keys.size() == 1 ? "this key is" : "these keys are", " unknown here");
  const std::string names = Printable(SomeOf(keys));
  if (flags.Has("strict")) return absl::InvalidArgumentError(absl::StrCat(which, ": ", names));
  if (!flags.Has("quiet")) {
    absl::FPrintF(stderr, "kiln: %s and ignored: %s\n", Printable(which), names);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<BatchItem>> ReadBatchItems(const ParsedFlags& flags,
                                                      const std::vector<std::string>& flag_names,
                                                      const CompileSettings& settings) {
  absl::StatusOr<BatchItems> items = BatchItems::Make(flags.Get("root"), flag_names);
  if (!items.ok()) return items.status();
  for (const std::string& path : flags.arguments()) {
    if (path == "-") {
      return absl::InvalidArgumentError(
          "- is not an input of a batch; --list=- and --manifest=- read names from standard input");
    }
    if (absl::Status s = items->AddPath(path); !s.ok()) return s;
  }
  for (const char* flag : {"list", "manifest"}) {
    if (!flags.Has(flag)) continue;
    absl::StatusOr<std::string> text = ReadWholeFile(flags.Get(flag), kMaxListBytes);
    if (!text.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--", flag, ": ", text.status().message()));
    }
    absl::Status s = flag == std::string("list") ? items->AddList(flags.Get(flag), *text)
                                                 : items->AddManifest(flags.Get(flag), *text);
    if (!s.ok()) return s;
  }
  if (absl::Status s = JudgeIgnoredKeys(flags, items->ignored_keys()); !s.ok()) return s;
  bool given = !flags.arguments().empty() || flags.Has("list") || flags.Has("manifest");
  if (!given && !flags.Has("root")) {
    return absl::InvalidArgumentError(
        "there is nothing to compile: give files or folders, --root=DIR, --list=FILE or "
        "--manifest=FILE.jsonl");
  }
  if (!given) {
    if (absl::Status s = items->AddRoot(); !s.ok()) return s;
  }
  std::optional<Permutations> permutations;
  if (flags.Has("permutations")) {
    auto parsed = Permutations::Parse(flags.Get("permutations"));
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--permutations: ", parsed.status().message()));
    }
    permutations = *std::move(parsed);
  }
  if (absl::Status s = items->Permute(permutations); !s.ok()) return s;
  std::vector<BatchItem> taken =
      items->Take(settings.request.entry_point(), settings.request.stage());
  if (!taken.empty()) return taken;
  return NothingToCompile(flags);
}

}  // namespace kiln::client
