// The compile options of a command line: see request_options.h.
#include "client/request/request_options.h"

#include <arpa/inet.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/cli/stage_name.h"
#include "client/cli/terminal.h"
#include "client/request/choices.h"
#include "client/request/pipeline_state.h"
#include "client/request/register_shift.h"
#include "client/request/spec_constant.h"
#include "core/base/utf8.h"
#include "core/out/container.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::CompileRequest;

absl::Status SetCachePolicy(const std::string& word, CompileRequest* request) {
  if (word == "use") {
    request->set_cache_policy(kiln::v1::CACHE_USE);
  } else if (word == "refresh") {
    request->set_cache_policy(kiln::v1::CACHE_REFRESH);
  } else if (word == "bypass") {
    request->set_cache_policy(kiln::v1::CACHE_BYPASS);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("--cache=", word, ": must be use, refresh or bypass"));
  }
  return absl::OkStatus();
}

absl::Status CheckTargets(const Capabilities& capabilities, const std::string& service,
                          const CompileRequest& request) {
  std::vector<std::string> known;
  for (const auto& target : capabilities.targets()) known.push_back(target.name());
  std::set<std::string> seen;
  for (const std::string& target : request.targets()) {
    if (std::find(known.begin(), known.end(), target) == known.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--target=", target, ": no such target; the targets of ", service, " are ",
                       absl::StrJoin(known, ", "), DidYouMean(target, known)));
    }
    if (!seen.insert(target).second) {
      return absl::InvalidArgumentError(absl::StrCat("--target=", target, " is given twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckPasses(const Capabilities& capabilities, const CompileRequest& request) {
  std::vector<std::string> optional;
  std::set<std::string> known;
  for (const auto& pass : capabilities.passes()) {
    known.insert(pass.name());
    if (pass.optional()) optional.push_back(pass.name());
  }
  for (const std::string& pass : request.options().disabled_passes()) {
    if (std::find(optional.begin(), optional.end(), pass) != optional.end()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--disable-pass=", pass, ": ",
        known.count(pass) > 0 ? "this pass is needed for correctness" : "there is no such pass",
        DidYouMean(pass, optional), "; `kiln targets --passes` lists those that may be disabled"));
  }
  return absl::OkStatus();
}

// A daemon of before containers would answer with raw code.
absl::Status CheckContainer(const Capabilities& capabilities, const std::string& service,
                            const CompileRequest& request) {
  const std::string& container = request.options().container();
  if (container.empty()) return absl::OkStatus();
  for (const auto& target : capabilities.targets()) {
    for (const auto& known : target.containers()) {
      if (known.name() == container) return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--container=", container, ": no target of ", service, " has it"));
}

// A daemon of before forms of scans would answer with its own choice.
absl::Status CheckScan(const Capabilities& capabilities, const std::string& service,
                       const CompileRequest& request) {
  const std::string& scan = request.options().scan();
  if (scan.empty()) return absl::OkStatus();
  std::vector<std::string> known;
  for (const auto& target : capabilities.targets()) {
    for (const std::string& form : target.scans()) {
      if (form == scan) return absl::OkStatus();
      if (std::find(known.begin(), known.end(), form) == known.end()) known.push_back(form);
    }
  }
  const std::string forms =
      known.empty() ? "" : absl::StrCat("; the forms are ", absl::StrJoin(known, ", "));
  return absl::InvalidArgumentError(absl::StrCat("--scan=", EscapeNonUtf8(scan), ": no target of ",
                                                 service, " has this form", forms,
                                                 DidYouMean(scan, known)));
}

// The same of sizes of workgroups.
absl::Status CheckNggGroup(const Capabilities& capabilities, const std::string& service,
                           const CompileRequest& request) {
  const uint32_t size = request.options().ngg_group();
  if (size == 0) return absl::OkStatus();
  std::set<uint32_t> known;
  for (const auto& target : capabilities.targets()) {
    known.insert(target.ngg_groups().begin(), target.ngg_groups().end());
  }
  if (known.count(size) != 0) return absl::OkStatus();
  const std::string sizes =
      known.empty() ? "" : absl::StrCat("; the sizes are ", absl::StrJoin(known, ", "));
  return absl::InvalidArgumentError(absl::StrCat("--ngg-group=", size, ": no target of ", service,
                                                 " has workgroups of so many vertices", sizes));
}

absl::Status CheckCount(const char* flag, int64_t count, int64_t limit) {
  if (count <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(flag, " is given ", count, " times; at most ", limit, " are accepted"));
}

// Requests carry text in UTF-8 only. (-I folders stay in the client, the rest is checked against
// lists.)
absl::Status CheckUtf8(const ParsedFlags& flags) {
  for (const char* key : {"entry", "D", "target", "disable-pass", "scan"}) {
    for (const std::string& text : flags.All(key)) {
      if (IsUtf8(text)) continue;
      return absl::InvalidArgumentError(absl::StrCat(key[1] == '\0' ? "-" : "--", key, ": '",
                                                     EscapeNonUtf8(text), "' is not UTF-8"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<Flag> CompileFlags() {
  return {
      {"target", 't', "T[,T...]", true, "targets to compile for; `kiln targets` lists them",
       TargetChoices()},
      {"stage", 0, "STAGE", false,
       "shader stage: comp, vert, frag, ... (default: from the file's name)", StageChoices()},
      {"entry", 'E', "NAME", false,
       "entry point (default: the only one, or the one with an empty name; of HLSL main)"},
      {"lang", 0, "LANGUAGE", false,
       "language of texts: glsl or hlsl (default: HLSL for names that end in .hlsl)", "glsl hlsl"},
      {"", 'T', "PROFILE", false, "profile of HLSL, ps_6_0 for example, for the stage alone"},
      {"", 'D', "NAME[=V]", true, "define a macro for GLSL or HLSL; without V it is empty"},
      {"", 'I', "DIR", true, "search DIR for includes of GLSL or HLSL"},
      {"register-shift", 0, "KIND:N[:SPACE]", true,
       "add N to numbers of HLSL's registers b, t, s or u (in one space) to make bindings "
       "(default: b:0, t:1000, u:2000, s:3000); a space is a set"},
      {"", 'Z', "pc|pr", false,
       "-Zpc, -Zpr: HLSL's matrices are packed by columns (default) or by rows", "pc pr"},
      {"allow-include-outside", 0, "", false,
       "also send files outside the source's folder and -I to a daemon on another machine"},
      {"spec", 0, "ID=TYPE:VALUE", true,
       "set a specialisation constant; TYPE: bool, int, uint, int64, uint64, float, double, bits"},
      {"widths", 0, "8,16,32,64", true,
       "dispatch widths to compile (default: all of the target). Fragment programs of 32 lanes "
       "alone are for study: not every target can draw with them",
       kWidthChoices},
      {"no-validate", 0, "", false, "skip the SPIR-V validator"},
      {"disable-pass", 0, "NAME[,NAME...]", true,
       "disable these optional passes; `kiln targets --passes` lists them", PassChoices()},
      {"bisect", 0, "N", false,
       "permit only the first N rewrites by optional passes: halving N finds the one that makes a "
       "program wrong"},
      {"cache", 0, "POLICY", false,
       "use of the cache: use (default), refresh (compile again and store), bypass (neither look "
       "up nor store)",
       "use refresh bypass"},
      {"state", 0, "FILE.json", false, "pipeline state of a graphics shader, as JSON"},
      {"subgroup-size", 0, "N", false,
       "required subgroup size, which is then the only dispatch width", kWidthChoices},
      {"full-subgroups", 0, "", false,
       "require full subgroups: only widths that divide the workgroup's size in x"},
      {"container", 0, "NAME", false,
       "form of the machine code: raw (default), or amdhsa, which ROCm loads; `kiln targets` says "
       "which target has it for which stages",
       ContainerChoices()},
      {"scan", 0, "FORM", false,
       "form of scans of a workgroup's waves (default: the fastest by the cost model); `kiln "
       "targets` says which target has it",
       ScanChoices()},
      {"ngg-group", 0, "N", false,
       "most vertices, and most primitives, of a workgroup of a vertex program (default: the "
       "target's own); `kiln targets` says which target has it",
       NggGroupChoices()},
      {"dispatch-base", 0, "", false, "for vkCmdDispatchBase: workgroup ids start from its base"},
  };
}

absl::StatusOr<std::string> ParseStage(const std::string& name) {
  std::string stage = StageFromName(name);
  if (!stage.empty()) return stage;
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' is not a stage; the stages are ", StageNames()));
}

absl::StatusOr<std::vector<uint32_t>> ParseWidths(const std::vector<std::string>& widths) {
  std::vector<uint32_t> parsed;
  for (const std::string& text : widths) {
    uint32_t width = 0;
    if (!absl::SimpleAtoi(text, &width) ||
        (width != 8 && width != 16 && width != 32 && width != 64)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", text, "' is not a dispatch width; the widths are 8, 16, 32 and 64"));
    }
    parsed.push_back(width);
  }
  return parsed;
}

absl::StatusOr<std::string> ParseContainer(const std::string& name) {
  const out::ContainerInfo* info = name.empty() ? nullptr : out::FindContainer(name);
  if (info == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", EscapeNonUtf8(name), "' is not a container; the containers are ",
                     absl::StrReplaceAll(ContainerChoices(), {{" ", ", "}})));
  }
  return info->container == out::Container::kRaw ? "" : name;
}

absl::StatusOr<Language> ParseLanguage(const std::string& name) {
  if (name == "glsl") return Language::kGlsl;
  if (name == "hlsl") return Language::kHlsl;
  return absl::InvalidArgumentError(
      absl::StrCat("'", EscapeNonUtf8(name), "' is not a language; the languages are glsl, hlsl"));
}

namespace {

absl::Status SetHlsl(const ParsedFlags& flags, CompileSettings* settings) {
  SourceOptions& source = settings->source;
  if (flags.Has("lang")) {
    const absl::StatusOr<Language> language = ParseLanguage(flags.Get("lang"));
    if (!language.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--lang: ", language.status().message()));
    }
    source.language = *language;
  }
  if (flags.Has("T")) {
    const std::string profile = flags.Get("T");
    const std::string stage = StageFromProfile(profile);
    if (stage.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "-T ", EscapeNonUtf8(profile), ": is no profile of a stage, such as cs_6_0 or ps_6_0"));
    }
    if (!source.stage.empty() && source.stage != stage) {
      return absl::InvalidArgumentError(
          absl::StrCat("-T ", profile, ": --stage names another stage, ", source.stage));
    }
    source.stage = stage;
    settings->request.set_stage(stage);
  }
  auto shifts = ParseRegisterShifts(flags.All("register-shift"));
  if (!shifts.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--register-shift=", shifts.status().message()));
  }
  for (auto& shift : *shifts) *source.hlsl.add_register_shifts() = std::move(shift);
  if (!flags.Has("Z")) return absl::OkStatus();
  const std::string packing = flags.Get("Z");
  if (packing != "pc" && packing != "pr") {
    return absl::InvalidArgumentError(
        absl::StrCat("-Z", EscapeNonUtf8(packing), ": must be -Zpc or -Zpr"));
  }
  source.hlsl.set_row_major(packing == "pr");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompileSettings> SettingsFromFlags(const ParsedFlags& flags) {
  CompileSettings settings;
  CompileRequest& request = settings.request;
  if (absl::Status status = CheckUtf8(flags); !status.ok()) return status;
  for (const std::string& target : flags.Commas("target")) request.add_targets(target);
  if (request.targets().empty()) {
    return absl::InvalidArgumentError(
        "--target is missing; for example --target=tgl (`kiln targets` lists the targets)");
  }
  if (flags.Has("stage")) {
    absl::StatusOr<std::string> stage = ParseStage(flags.Get("stage"));
    if (!stage.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--stage: ", stage.status().message()));
    }
    settings.source.stage = *stage;
    request.set_stage(*stage);
  }
  request.set_entry_point(flags.Get("entry"));
  if (absl::Status s = SetHlsl(flags, &settings); !s.ok()) return s;
  settings.source.defines = flags.All("D");
  for (const std::string& define : settings.source.defines) {
    if (absl::Status status = CheckDefine(define); !status.ok()) return status;
  }
  settings.source.folders = settings.source.named_folders = flags.All("I");
  settings.source.may_leave = flags.Has("allow-include-outside");
  auto constants = ParseSpecConstants(flags.All("spec"));
  if (!constants.ok()) return constants.status();
  for (auto& constant : *constants) *request.add_spec_constants() = std::move(constant);
  auto widths = ParseWidths(flags.Commas("widths"));
  if (!widths.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--widths: ", widths.status().message()));
  }
  for (uint32_t width : *widths) request.mutable_options()->add_widths(width);
  // One thread runs one subgroup, so a required size leaves one width.
  if (flags.Has("subgroup-size")) {
    if (!widths->empty()) {
      return absl::InvalidArgumentError(
          "--subgroup-size: the subgroup's size is the dispatch width; leave out --widths");
    }
    const auto size = ParseWidths(flags.Commas("subgroup-size"));
    if (!size.ok() || size->size() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("--subgroup-size: ",
                       size.ok() ? "must be one number" : std::string(size.status().message())));
    }
    request.mutable_options()->set_required_subgroup_size(size->front());
  }
  request.mutable_options()->set_require_full_subgroups(flags.Has("full-subgroups"));
  request.mutable_options()->set_dispatch_base(flags.Has("dispatch-base"));
  if (flags.Has("container")) {
    auto container = ParseContainer(flags.Get("container"));
    if (!container.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--container: ", container.status().message()));
    }
    request.mutable_options()->set_container(*container);
  }
  if (flags.Has("scan") && flags.Get("scan").empty()) {
    return absl::InvalidArgumentError("--scan: a form is missing");
  }
  request.mutable_options()->set_scan(flags.Get("scan"));
  if (flags.Has("ngg-group")) {
    const absl::StatusOr<int64_t> size =
        flags.Number("ngg-group", 0, 1, std::numeric_limits<uint32_t>::max());
    if (!size.ok()) return size.status();
    request.mutable_options()->set_ngg_group(static_cast<uint32_t>(*size));
  }
  if (flags.Has("state")) {
    auto state = ReadPipelineState(flags.Get("state"));
    if (!state.ok()) return state.status();
    *request.mutable_options()->mutable_state() = *std::move(state);
  }
  request.mutable_options()->set_no_validate(flags.Has("no-validate"));
  for (const std::string& pass : flags.Commas("disable-pass")) {
    request.mutable_options()->add_disabled_passes(pass);
  }
  if (flags.Has("bisect")) {
    const absl::StatusOr<int64_t> limit =
        flags.Number("bisect", 0, 0, std::numeric_limits<int64_t>::max());
    if (!limit.ok()) return limit.status();
    request.mutable_options()->set_bisect_limit(*limit);
  }
  if (absl::Status s = SetCachePolicy(flags.Get("cache", "use"), &request); !s.ok()) return s;
  return settings;
}

absl::StatusOr<std::array<std::string, 2>> EntriesOfPair(const std::string& names) {
  const std::vector<std::string> parts = absl::StrSplit(names, ',');
  if (parts.size() == 1) return std::array<std::string, 2>{parts[0], parts[0]};
  if (parts.size() == 2 && !parts[0].empty() && !parts[1].empty()) {
    return std::array<std::string, 2>{parts[0], parts[1]};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--entry=", names, ": for two files give NAME, or VERTEX,FRAGMENT if the names differ"));
}

void WarnOfMissingFolders(const CompileSettings& settings) {
  for (const std::string& folder : settings.source.named_folders) {
    std::error_code error;
    if (std::filesystem::is_directory(folder, error)) continue;
    const bool exists = std::filesystem::exists(folder, error);
    absl::FPrintF(stderr, "kiln: -I %s: %s; no include will be found in it\n", Printable(folder),
                  exists ? "it is not a folder" : "there is no such folder");
  }
}

bool IsOnAnotherMachine(absl::string_view service) {
  const size_t colon = service.rfind(':');
  if (colon == absl::string_view::npos || absl::StartsWith(service, "unix:")) return false;
  const absl::string_view host = service.substr(0, colon);
  in_addr address;
  const bool loopback = inet_pton(AF_INET, std::string(host).c_str(), &address) == 1 &&
                        absl::StartsWith(host, "127.");
  return host != "localhost" && host != "[::1]" && host != "::1" && !loopback;
}

absl::Status CheckSettings(const Capabilities& capabilities, const std::string& service,
                           CompileSettings* settings) {
  const CompileRequest& request = settings->request;
  const auto& limits = capabilities.limits();
  if (absl::Status s = CheckTargets(capabilities, service, request); !s.ok()) return s;
  if (absl::Status s = CheckPasses(capabilities, request); !s.ok()) return s;
  if (absl::Status s = CheckContainer(capabilities, service, request); !s.ok()) return s;
  if (absl::Status s = CheckScan(capabilities, service, request); !s.ok()) return s;
  if (absl::Status s = CheckNggGroup(capabilities, service, request); !s.ok()) return s;
  for (absl::Status s :
       {CheckCount("--spec", request.spec_constants_size(), limits.max_spec_constants()),
        CheckCount("-D", static_cast<int64_t>(settings->source.defines.size()),
                   limits.max_defines()),
        CheckCount("--target", request.targets_size(), limits.max_targets())}) {
    if (!s.ok()) return s;
  }
  settings->source.module_bytes = limits.max_module_bytes();
  settings->source.glsl_bytes = limits.max_glsl_bytes();
  settings->source.include_files = limits.max_includes();
  settings->source.confined = IsOnAnotherMachine(service);
  return absl::OkStatus();
}

bool TextIsTaken(const Capabilities& capabilities, const CompileRequest& request,
                 kiln::v1::TargetResult* refusal) {
  if (!request.glsl().has_hlsl() || !capabilities.hlsl_version().empty()) return true;
  refusal->set_status(kiln::v1::TargetResult::REFUSED);
  refusal->set_cause("unsupported_language");
  refusal->set_stage(request.glsl().stage());
  refusal->set_message(
      "the service takes no HLSL; a newer one does, or bring the SPIR-V that DXC makes of the text");
  return false;
}

bool StageIsCompiled(const Capabilities& capabilities, const std::string& stage,
                     kiln::v1::TargetResult* refusal) {
  for (const std::string& known : capabilities.stages()) {
    if (known == stage) return true;
  }
  refusal->set_status(kiln::v1::TargetResult::REFUSED);
  refusal->set_cause("unsupported_stage");
  refusal->set_stage(stage);
  refusal->set_message(absl::StrCat("stage ", stage, " is not supported; the stages are ",
                                    absl::StrJoin(capabilities.stages(), ", ")));
  return false;
}

}  // namespace kiln::client
