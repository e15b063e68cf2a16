// The command line of `kiln precompile`: how to compile, and what.
#ifndef KILN_CLIENT_COMMANDS_PRECOMPILE_INPUTS_H_
#define KILN_CLIENT_COMMANDS_PRECOMPILE_INPUTS_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/batch/batch_items.h"
#include "client/capture/capture.h"
#include "client/cli/flags.h"
#include "client/commands/command.h"
#include "client/precompile/pressure.h"
#include "client/precompile/shard.h"
#include "client/request/request_options.h"

namespace kiln::client {

// The source in the database of everything that is in no capture.
inline constexpr char kFilesSource[] = "files";

struct PrecompileInputs {
  CompileSettings settings;
  Shard shard;
  size_t jobs = 1;
  std::unique_ptr<PressureGate> gate;  // null: nothing pauses the work
  std::vector<std::pair<std::string, std::unique_ptr<Capture>>> captures;  // by their paths
  std::vector<BatchItem> files;

  // Returns the files that the command reads, which no output may replace.
  std::vector<std::string> FilesRead(const ParsedFlags& flags) const;
  // Returns the targets of all inputs.
  std::set<std::string> Targets() const;
  // Prints this shard's part of the inputs instead of compiling them: --list-items.
  absl::StatusOr<ExitCode> PrintItems(const ParsedFlags& flags,
                                      const Environment& environment) const;
};

// Reads flags and inputs into `inputs`, which is new. `flag_names`: those of the command's flags,
// which are no keys of manifests. `say` gets what is to be told of captures that are damaged.
absl::Status ReadPrecompileInputs(const ParsedFlags& flags,
                                  const std::vector<std::string>& flag_names,
                                  const std::function<void(const std::string&)>& say,
                                  PrecompileInputs* inputs);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMMANDS_PRECOMPILE_INPUTS_H_
