// Items of a batch from its flags: see batch_inputs.h.
#include "client/commands/batch_inputs.h"

#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/batch/list_items.h"
#include "client/batch/permutations.h"
#include "client/cli/paths.h"
#include "client/cli/terminal.h"
#include "client/compile/compile_file.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;

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

absl::Status AddFlaggedItems(const ParsedFlags& flags, BatchItems* items) {
  for (const std::string& pair : flags.All("pair")) {
    if (absl::Status s = items->AddPair(pair); !s.ok()) {
      return absl::Status(s.code(), absl::StrCat("--pair=", s.message()));
    }
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
  return JudgeIgnoredKeys(flags, items->ignored_keys());
}

absl::Status Permute(const ParsedFlags& flags, BatchItems* items) {
  std::optional<Permutations> permutations;
  if (flags.Has("permutations")) {
    auto parsed = Permutations::Parse(flags.Get("permutations"));
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--permutations: ", parsed.status().message()));
    }
    permutations = *std::move(parsed);
  }
  return items->Permute(permutations);
}

}  // namespace

std::vector<Flag> InputFlags() {
  return {
      {"root", 0, "DIR", false, "folder that relative paths, and names in results, start from"},
      {"list", 0, "FILE|-", false, "read input paths from FILE, one per line; # begins a comment"},
      {"manifest", 0, "FILE|-", false,
       "read inputs and options from FILE, a JSON object per line; see `kiln batch --help`"},
      {"strict", 0, "", false, "treat unknown keys of a manifest as errors"},
      {"pair", 0, "VERTEX,FRAGMENT", true, "compile these two files as a pair of a pipeline"},
      {"permutations", 0, "A=0,1;B=0..3", false,
       "compile each input with all combinations of these defines and constants; see `kiln batch "
       "--help`"},
      {"list-items", 0, "", false,
       "print what would be compiled, and compile nothing; with --json as a manifest"},
  };
}

Flag AllowFlag() {
  return {"allow", 0, "CAUSE[,CAUSE...]", true,
          "known failures: refused and invalid results of these causes leave the exit code 0"};
}

std::set<std::string> AllowedCauses(const ParsedFlags& flags) {
  const std::vector<std::string> causes = flags.Commas("allow");
  return {causes.begin(), causes.end()};
}

bool NamesItems(const ParsedFlags& flags) {
  return flags.Has("list") || flags.Has("manifest") || flags.Has("pair");
}

absl::StatusOr<std::vector<BatchItem>> ReadItems(const ParsedFlags& flags,
                                                 const std::vector<std::string>& paths,
                                                 const std::vector<std::string>& flag_names,
                                                 const CompileSettings& settings) {
  absl::StatusOr<BatchItems> items = BatchItems::Make(flags.Get("root"), flag_names);
  if (!items.ok()) return items.status();
  for (const std::string& path : paths) {
    if (absl::Status s = items->AddPath(path); !s.ok()) return s;
  }
  if (absl::Status s = AddFlaggedItems(flags, &*items); !s.ok()) return s;
  if (flags.arguments().empty() && !NamesItems(flags) && flags.Has("root")) {
    if (absl::Status s = items->AddRoot(); !s.ok()) return s;
  }
  if (absl::Status s = Permute(flags, &*items); !s.ok()) return s;
  std::vector<BatchItem> taken =
      items->Take(settings.request.entry_point(), settings.request.stage());
  for (const BatchItem& item : taken) {
    if (!item.fragment.has_value() || settings.source.stage.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat("--stage: not with a pair (", ItemText(item),
                                                   "); its files are named by their stages"));
  }
  return taken;
}

absl::StatusOr<std::vector<BatchItem>> ReadBatchItems(const ParsedFlags& flags,
                                                      const std::vector<std::string>& flag_names,
                                                      const CompileSettings& settings) {
  for (const std::string& path : flags.arguments()) {
    if (path != "-") continue;
    return absl::InvalidArgumentError(
        "- is not an input of a batch; --list=- and --manifest=- read names from standard input");
  }
  if (flags.arguments().empty() && !NamesItems(flags) && !flags.Has("root")) {
    return absl::InvalidArgumentError(
        "there is nothing to compile: give files or folders, --root=DIR, --list=FILE or "
        "--manifest=FILE.jsonl");
  }
  auto items = ReadItems(flags, flags.arguments(), flag_names, settings);
  if (items.ok() && items->empty()) return NothingToCompile(flags);
  return items;
}

absl::Status CheckItems(const std::vector<BatchItem>& items, const Capabilities& capabilities,
                        const std::string& service, const CompileSettings& common) {
  for (const BatchItem& item : items) {
    if (item.options == nullptr) continue;
    if (item.options->targets.empty() && !item.options->disabled_passes.has_value()) continue;
    CompileSettings settings = SettingsOf(common, item.options.get());
    absl::Status status = CheckSettings(capabilities, service, &settings);
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(item.label, ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> FilesOfItems(const std::vector<BatchItem>& items) {
  std::vector<std::string> files;
  for (const BatchItem& item : items) {
    files.push_back(item.path);
    if (item.fragment.has_value()) files.push_back(item.fragment->path);
  }
  return files;
}

absl::StatusOr<ExitCode> PrintItems(const std::vector<BatchItem>& items, const ParsedFlags& flags,
                                    const CompileSettings& settings,
                                    const Environment& environment) {
  for (const BatchItem& item : items) {
    const absl::Status printed =
        Print(environment.json ? ItemJson(item, flags.Get("root"), settings)
                               : absl::StrCat(ItemText(item), "\n"));
    if (!printed.ok()) return printed;
  }
  return kExitOk;
}

}  // namespace kiln::client
