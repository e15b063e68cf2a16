// One line of a manifest: see manifest_line.h.
#include "client/batch/manifest_line.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/cli/flags.h"
#include "client/cli/paths.h"
#include "client/cli/stage_name.h"
#include "client/request/pipeline_state.h"
#include "client/request/register_shift.h"
#include "client/request/request_options.h"
#include "client/request/spec_constant.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

using Json = nlohmann::json;

constexpr std::array<const char*, 24> kKeys = {
    "file",          "name",           "targets",       "stage",          "entry",
    "entry_point",   "defines",        "include_dirs",  "spec",           "widths",
    "subgroup_size", "full_subgroups", "dispatch_base", "no_validate",    "disable_passes",
    "state",         "permutations",   "vertex",        "fragment",       "vertex_spec",
    "container",     "lang",           "row_major",     "register_shifts"};

// Keys with a meaning elsewhere, and the way to get their effect in a batch.
struct ForeignKey {
  const char* key;
  const char* remedy;
};
constexpr char kJob[] = "it is a key of a job of `kiln run`";
constexpr char kState[] = "it belongs into \"state\", in the form of --state=FILE.json";
constexpr ForeignKey kForeignKeys[] = {
    {"pipeline_state", "write \"state\""},
    {"fragment_state", kState},
    {"attachments", kState},
    {"next_stage_reads", kState},
    {"view_mask", kState},
    {"instance_rates", kState},
    {"primitive_culling", kState},
    {"vert", "write \"vertex\""},
    {"frag", "write \"fragment\""},
    {"base", kJob},
    {"dispatch", kJob},
    {"push", kJob},
    {"resources", kJob},
    {"draw", kJob},
    {"vertices", kJob},
    {"spec_constants", "write \"spec\": [\"ID=TYPE:VALUE\"]"},
};

std::vector<std::string> KnownKeys() { return {kKeys.begin(), kKeys.end()}; }

// Judges a key that is not one of the manifest's. OK: it may be the corpus' own.
absl::Status CheckUnknownKey(const std::string& key, const Json& line,
                             const std::vector<std::string>& flags) {
  const auto wrong = [&](absl::string_view remedy) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", key, "\" is not a key of a manifest; ", remedy));
  };
  for (const ForeignKey& foreign : kForeignKeys) {
    if (key == foreign.key) return wrong(foreign.remedy);
  }
  const std::string near = NearMiss(absl::AsciiStrToLower(key), KnownKeys());
  // If the line has the near key itself, this one is not its misspelling ("entry_points" beside
  // "entry_point").
  if (!near.empty() && !line.contains(near))
    return wrong(absl::StrCat("did you mean \"", near, "\"?"));
  const std::string flag = absl::StrReplaceAll(key, {{"_", "-"}});
  if (std::find(flags.begin(), flags.end(), flag) != flags.end()) {
    return wrong(absl::StrCat("give ", flag.size() == 1 ? "-" : "--", flag,
                              " on the command line, for all items"));
  }
  return absl::OkStatus();
}

// Parses a line. `repeated`: a key that its object has twice, for which the parser keeps the later
// value; empty if there is none.
Json Parse(absl::string_view text, std::string* repeated) {
  std::set<std::string> seen;
  const auto look = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth != 1 || event != Json::parse_event_t::key || !repeated->empty()) return true;
    const auto& key = parsed.get_ref<const std::string&>();
    if (!seen.insert(key).second) *repeated = key;
    return true;
  };
  return Json::parse(text.begin(), text.end(), look, false);
}

absl::Status CheckKeys(const Json& line, const std::vector<std::string>& flags,
                       std::set<std::string>* ignored) {
  for (const auto& [key, value] : line.items()) {
    if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end()) continue;
    if (ignored->count(key) != 0) continue;
    if (absl::Status s = CheckUnknownKey(key, line, flags); !s.ok()) return s;
    ignored->insert(key);
  }
  return absl::OkStatus();
}

absl::Status Wrong(const char* key, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("\"", key, "\" ", what));
}

absl::Status GetString(const Json& line, const char* key, std::string* to) {
  auto it = line.find(key);
  if (it == line.end() || it->is_null()) return absl::OkStatus();
  if (!it->is_string()) return Wrong(key, "must be a string");
  *to = it->get<std::string>();
  return absl::OkStatus();
}

// Reads strings; whole numbers are taken as they are written.
absl::Status GetList(const Json& line, const char* key,
                     std::optional<std::vector<std::string>>* to) {
  auto it = line.find(key);
  if (it == line.end() || it->is_null()) return absl::OkStatus();
  if (!it->is_array()) return Wrong(key, "must be a list");
  to->emplace();
  for (const Json& element : *it) {
    if (element.is_string()) {
      (*to)->push_back(element.get<std::string>());
    } else if (element.is_number_integer()) {
      (*to)->push_back(element.dump());
    } else {
      return Wrong(key, "must be a list of strings");
    }
  }
  return absl::OkStatus();
}

absl::Status GetBool(const Json& line, const char* key, std::optional<bool>* to) {
  auto it = line.find(key);
  if (it == line.end() || it->is_null()) return absl::OkStatus();
  if (!it->is_boolean()) return Wrong(key, "must be true or false");
  *to = it->get<bool>();
  return absl::OkStatus();
}

// Reads a dispatch width, or 0 for none.
absl::Status GetSize(const Json& line, const char* key, std::optional<uint32_t>* to) {
  auto it = line.find(key);
  if (it == line.end() || it->is_null()) return absl::OkStatus();
  if (!it->is_number_integer()) return Wrong(key, "must be a number");
  const std::string text = it->dump();
  if (text != "0") {
    if (auto parsed = ParseWidths({text}); !parsed.ok())
      return Wrong(key, parsed.status().message());
  }
  *to = it->get<uint32_t>();
  return absl::OkStatus();
}

absl::Status GetState(const Json& line, std::optional<kiln::v1::PipelineState>* to) {
  auto it = line.find("state");
  if (it == line.end() || it->is_null()) return absl::OkStatus();
  if (!it->is_object()) return Wrong("state", "must be an object in the form of --state");
  auto state = ParsePipelineState(it->dump());
  if (!state.ok()) return Wrong("state", absl::StrCat("is ", state.status().message()));
  *to = *std::move(state);
  return absl::OkStatus();
}

absl::Status GetPermutations(const Json& line, std::optional<Permutations>* to) {
  std::string text;
  if (absl::Status s = GetString(line, "permutations", &text); !s.ok() || text.empty()) return s;
  auto permutations = Permutations::Parse(text);
  if (!permutations.ok()) return Wrong("permutations", permutations.status().message());
  *to = *std::move(permutations);
  return absl::OkStatus();
}

using SpecConstants = std::optional<std::vector<kiln::v1::SpecConstant>>;

absl::Status GetSpec(const Json& line, const char* key, SpecConstants* to) {
  std::optional<std::vector<std::string>> texts;
  if (absl::Status s = GetList(line, key, &texts); !s.ok() || !texts.has_value()) return s;
  auto constants = ParseSpecConstants(*texts);
  if (!constants.ok()) return constants.status();
  *to = *std::move(constants);
  return absl::OkStatus();
}

using Lists = std::optional<std::vector<std::string>>;

absl::Status ReadLists(const Json& line, const std::string& folder, ItemOptions* options) {
  Lists targets, include_dirs, widths;
  for (absl::Status s :
       {GetList(line, "targets", &targets), GetList(line, "defines", &options->defines),
        GetList(line, "include_dirs", &include_dirs),
        GetSpec(line, "spec", &options->spec_constants),
        GetSpec(line, "vertex_spec", &options->vertex_spec), GetList(line, "widths", &widths),
        GetList(line, "disable_passes", &options->disabled_passes)}) {
    if (!s.ok()) return s;
  }
  if (targets.has_value()) options->targets = *std::move(targets);
  if (include_dirs.has_value()) {
    for (const std::string& dir : *include_dirs) options->folders.push_back(JoinPath(folder, dir));
  }
  if (widths.has_value()) {
    auto parsed = ParseWidths(*widths);
    if (!parsed.ok()) return parsed.status();
    options->widths = *std::move(parsed);
  }
  return absl::OkStatus();
}

absl::Status GetEntryPoint(const Json& line, ItemOptions* options) {
  std::string entry, entry_point;
  for (absl::Status s :
       {GetString(line, "entry", &entry), GetString(line, "entry_point", &entry_point)}) {
    if (!s.ok()) return s;
  }
  if (!entry.empty() && !entry_point.empty() && entry != entry_point) {
    return absl::InvalidArgumentError("\"entry\" and \"entry_point\" name different entry points");
  }
  const std::string& name = entry.empty() ? entry_point : entry;
  if (!name.empty()) options->entry_point = name;
  return absl::OkStatus();
}

absl::Status GetHlsl(const Json& line, ItemOptions* options) {
  std::string language;
  std::optional<std::vector<std::string>> shifts;
  for (absl::Status s :
       {GetString(line, "lang", &language), GetBool(line, "row_major", &options->row_major),
        GetList(line, "register_shifts", &shifts)}) {
    if (!s.ok()) return s;
  }
  if (!language.empty()) {
    const auto parsed = ParseLanguage(language);
    if (!parsed.ok()) return Wrong("lang", absl::StrCat("is wrong: ", parsed.status().message()));
    options->language = *parsed;
  }
  if (!shifts.has_value()) return absl::OkStatus();
  auto parsed = ParseRegisterShifts(*shifts);
  if (!parsed.ok()) {
    return Wrong("register_shifts", absl::StrCat("has ", parsed.status().message()));
  }
  options->register_shifts = *std::move(parsed);
  return absl::OkStatus();
}

absl::Status ReadOptions(const Json& line, const std::string& folder, ItemOptions* options) {
  std::string stage, container;
  for (absl::Status s :
       {GetString(line, "stage", &stage), GetString(line, "container", &container),
        GetEntryPoint(line, options), GetSize(line, "subgroup_size", &options->subgroup_size),
        GetBool(line, "full_subgroups", &options->full_subgroups),
        GetBool(line, "dispatch_base", &options->dispatch_base),
        GetBool(line, "no_validate", &options->no_validate), GetState(line, &options->state),
        GetPermutations(line, &options->permutations), GetHlsl(line, options)}) {
    if (!s.ok()) return s;
  }
  if (!stage.empty()) {
    auto parsed = ParseStage(stage);
    if (!parsed.ok()) return parsed.status();
    options->stage = *parsed;
  }
  if (!container.empty()) {
    auto parsed = ParseContainer(container);
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("\"container\": ", parsed.status().message()));
    }
    options->container = *parsed;
  }
  return ReadLists(line, folder, options);
}

// Checks which files a line names: one, or the two of a pair.
absl::Status CheckFiles(const ManifestLine& line, const std::string& vertex) {
  const bool pair = !vertex.empty() || !line.fragment.empty();
  if (!pair) {
    if (line.file.empty()) return absl::InvalidArgumentError("\"file\" is missing");
    if (!line.options.vertex_spec.has_value()) return absl::OkStatus();
    return Wrong("vertex_spec", "is for a pair, with \"vertex\" and \"fragment\"");
  }
  if (vertex.empty() || line.fragment.empty()) {
    return Wrong(vertex.empty() ? "vertex" : "fragment",
                 "is missing: a pair has both; with \"file\" a shader is compiled alone");
  }
  if (!line.file.empty()) return Wrong("file", "excludes \"vertex\" and \"fragment\"");
  if (!line.options.stage.empty()) return Wrong("stage", "is not for a pair, which has two stages");
  const auto& state = line.options.state;
  if (state.has_value() && state->has_next_stage_reads()) {
    return Wrong("state",
                 "has next_stage_reads, which a pair derives from its fragment shader; "
                 "leave it out");
  }
  return EntriesOfPair(line.options.entry_point.value_or("")).status();
}

}  // namespace

absl::StatusOr<ManifestLine> ReadManifestLine(absl::string_view text, const std::string& folder,
                                              const std::vector<std::string>& flags,
                                              std::set<std::string>* ignored) {
  if (!IsUtf8({text.data(), text.size()})) {
    return absl::InvalidArgumentError(
        "the line is not UTF-8, which JSON requires; give files with such names with --list");
  }
  std::string repeated;
  const Json json = Parse(text, &repeated);
  if (!json.is_object()) {
    return absl::InvalidArgumentError("the line is not a JSON object");
  }
  if (!repeated.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", Quoted(repeated), "\" is given twice; give each key once"));
  }
  ManifestLine line;
  std::string vertex;
  for (absl::Status s :
       {CheckKeys(json, flags, ignored), GetString(json, "file", &line.file),
        GetString(json, "vertex", &vertex), GetString(json, "fragment", &line.fragment),
        GetString(json, "name", &line.options.name), ReadOptions(json, folder, &line.options)}) {
    if (!s.ok()) return s;
  }
  if (absl::Status s = CheckFiles(line, vertex); !s.ok()) return s;
  if (line.file.empty()) line.file = vertex;
  return line;
}

}  // namespace kiln::client
