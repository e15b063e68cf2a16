// The compile options of a command line, and their conversion to a request.
#ifndef KILN_CLIENT_REQUEST_REQUEST_OPTIONS_H_
#define KILN_CLIENT_REQUEST_REQUEST_OPTIONS_H_

#include <array>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/cli/flags.h"
#include "client/source/source.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

struct CompileSettings {
  // Everything but the source.
  kiln::v1::CompileRequest request;
  SourceOptions source;
};

// Returns --target, --stage, --entry, -D, -I, those of HLSL, --spec, --widths, --no-validate,
// --disable-pass,
// --bisect, --cache, --container, --scan, --ngg-group, and the flags of graphics stages.
std::vector<Flag> CompileFlags();

// InvalidArgument names the flag and the remedy.
absl::StatusOr<CompileSettings> SettingsFromFlags(const ParsedFlags& flags);

// Warns on standard error of each missing -I folder.
void WarnOfMissingFolders(const CompileSettings& settings);

// Decides by the address; services that are no daemons have names without a colon. "127.evil.org"
// is no address of this machine.
bool IsOnAnotherMachine(absl::string_view service);

// Checks settings against the service's capabilities: targets, passes, counts. Takes over its
// limits.
absl::Status CheckSettings(const kiln::v1::Capabilities& capabilities, const std::string& service,
                           CompileSettings* settings);

// Returns "compute" for "comp"; InvalidArgument lists the stages.
absl::StatusOr<std::string> ParseStage(const std::string& name);
// Returns the container as requests have it, empty for raw code; InvalidArgument lists them.
absl::StatusOr<std::string> ParseContainer(const std::string& name);
// InvalidArgument: not 8, 16, 32 or 64.
absl::StatusOr<std::vector<uint32_t>> ParseWidths(const std::vector<std::string>& widths);

// Returns the entry points of the vertex and the fragment shader of a pair from "NAME", or
// "VERTEX,FRAGMENT"; empty: none is named.
absl::StatusOr<std::array<std::string, 2>> EntriesOfPair(const std::string& names);

// InvalidArgument lists the languages.
absl::StatusOr<Language> ParseLanguage(const std::string& name);

// Returns true if the service takes the language of the request's text; otherwise sets `refusal`.
bool TextIsTaken(const kiln::v1::Capabilities& capabilities,
                 const kiln::v1::CompileRequest& request, kiln::v1::TargetResult* refusal);

// Returns true if the service compiles this stage at all; otherwise sets `refusal`.
bool StageIsCompiled(const kiln::v1::Capabilities& capabilities, const std::string& stage,
                     kiln::v1::TargetResult* refusal);

}  // namespace kiln::client

#endif  // KILN_CLIENT_REQUEST_REQUEST_OPTIONS_H_
