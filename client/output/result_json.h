// The JSON line of one module and target: a contract with scripts (names may be added, none is
// renamed or removed).
//
// {"file", "target", "stage", "status", "cause", "compile_ms", "cache", "variants": [{"name",
// "width", the target's statistics, "binary", "assembly"}], "passes": [...], "entry": the entry
// point, empty if it is not known} and, if they have a value: "message", "spirv_id", "reason" (of
// results that are not ok, as far as it is known:
// {"sentence", "remedy", "what", "seen", "limit", "capability", "name", "file", "line"}, as
// kiln.v1.Reason has them), "last_pass", "entry_point", "container" (if it is not raw code),
// "loadable_by", "key", "spirv_sha256", "translate_ms", "service_ms", "remarks", and the fields
// that distinguish permutations of a file: "name" (of the manifest), "defines", "spec",
// "subgroup_size", "full_subgroups" and "dispatch_base" (true), "scan" and "ngg_group" (asked for),
// "state" (pipeline state) and "pair" (the file of the other stage that it was compiled with), as
// in force. "version" is that of the Kiln that made the result, "code_generation" the version of
// the target's code generation there (absent if no compiler made it); lines may be compared if both
// are equal. status: ok, refused, invalid, crashed (also by its memory limit, with that cause),
// timeout. compile_ms: processor time of the compile, from the request's bytes to the packed
// result, translation of GLSL included, however long ago it was done. "passes" divides it among
// passes, and also names the time that a worker took to start glslang for the request
// ("start_glslang").
#ifndef KILN_CLIENT_OUTPUT_RESULT_JSON_H_
#define KILN_CLIENT_OUTPUT_RESULT_JSON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/cli/exit_code.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Returns "ok", "refused", "invalid", "crashed", "timeout"; "cancelled" and "not_cached" never
// leave this program in a line.
std::string StatusWord(kiln::v1::TargetResult::Status status);

// Returns the status of a word of StatusWord; CRASHED for any other text.
kiln::v1::TargetResult::Status StatusOfWord(absl::string_view word);

// Returns "miss", "memory", "disk", "coalesced".
std::string CacheWord(kiln::v1::CacheTier tier);

// Returns kExitOk, kExitSomeFailed or kExitInternal.
ExitCode ExitCodeOf(kiln::v1::TargetResult::Status status);
// Returns the more severe of the two.
ExitCode Worse(ExitCode a, ExitCode b);

// Distinguishes a result from others of the same file, entry point and target.
struct ResultIdentity {
  std::string name;                   // given by a manifest; may be empty
  std::vector<std::string> defines;   // "NAME" or "NAME=VALUE"
  std::vector<std::string> spec;      // "ID=TYPE:VALUE"
  uint32_t subgroup_size = 0;         // required; 0: none
  std::vector<uint32_t> widths = {};  // requested; none: all of the target
  bool full_subgroups = false;
  bool dispatch_base = false;
  std::string scan = {};   // the form asked for; empty: none
  uint32_t ngg_group = 0;  // asked for; 0: none
  std::string state = {};  // PipelineStateJson
  std::string pair = {};   // the other file of a pair; empty: none
};

// `request` has the options in force.
ResultIdentity IdentityOf(const std::string& name, const std::vector<std::string>& defines,
                          const kiln::v1::CompileRequest& request);

// Requests outputs of a line that answers have on request only: passes and remarks.
void AskForLine(kiln::v1::OutputMask* mask);

struct ResultLineOptions {
  // Names of the files written for each variant; empty: none.
  std::vector<std::string> binaries;
  bool assembly = false;  // include the assembly text
  ResultIdentity identity = {};
};

// Returns one line without the line feed.
std::string ResultLine(absl::string_view file, const kiln::v1::TargetResult& result,
                       const ResultLineOptions& options);

}  // namespace kiln::client

#endif  // KILN_CLIENT_OUTPUT_RESULT_JSON_H_
