// The programs that `kiln run` executes: machine code that is read, or shaders that are compiled.
#ifndef KILN_CLIENT_COMPILE_RUN_PROGRAM_H_
#define KILN_CLIENT_COMPILE_RUN_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/command.h"
#include "client/cli/exit_code.h"
#include "client/cli/flags.h"
#include "client/run/job.h"
#include "core/driver/compile.h"
#include "core/out/launch_record.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

struct Program {
  Target target{};
  std::string file;     // in messages
  std::string variant;  // "SIMD16"
  std::vector<uint8_t> code;
  out::LaunchRecord launch;
};

struct Programs {
  std::optional<Program> vertex;  // of a pair
  Program main;                   // a pair's fragment shader, else the only one
};

// Refuses flags of the compile for machine code, where they would be ignored.
absl::Status RefuseCompileFlags(const ParsedFlags& flags);

// Returns Unimplemented, with the cause missing_compiler, if the service has tools for machine code
// of one of the targets and no compiler for it. Targets that it does not know are left to
// CheckSettings.
absl::Status CheckHasCompiler(const kiln::v1::Capabilities& capabilities,
                              const std::vector<std::string>& targets);

// Makes that check before a job or a shader is read. It asks the service only about targets that
// this program has no compiler for: a daemon of a later version may have one.
absl::Status CheckServiceCompiles(const ParsedFlags& flags);

// Reads machine code from a file, with its launch record (--launch).
absl::StatusOr<Program> ReadProgram(const ParsedFlags& flags);

// Reads machine code that has its launch record in itself, as files of some containers do. nullopt:
// the file is another one, such as a shader; standard input is not looked at.
absl::StatusOr<std::optional<Program>> ReadContained(const ParsedFlags& flags);

// Compiles the file, or the two files of a pipeline, with the specialisation constants of the job,
// and takes the widest variants; a failure is shown and leaves `programs` empty.
absl::StatusOr<ExitCode> CompilePrograms(const ParsedFlags& flags, const Environment& environment,
                                         const run::Job& job, Programs* programs);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMPILE_RUN_PROGRAM_H_
