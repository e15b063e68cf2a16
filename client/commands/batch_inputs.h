// The items of `kiln batch` and `kiln precompile`: from the files, pairs, lists and manifests that
// their flags name.
#ifndef KILN_CLIENT_COMMANDS_BATCH_INPUTS_H_
#define KILN_CLIENT_COMMANDS_BATCH_INPUTS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/batch/batch_items.h"
#include "client/cli/flags.h"
#include "client/commands/command.h"
#include "client/request/request_options.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Returns --root, --list, --manifest, --strict, --pair, --permutations and --list-items.
std::vector<Flag> InputFlags();

// Returns --allow, whose causes AllowedCauses returns.
Flag AllowFlag();
std::set<std::string> AllowedCauses(const ParsedFlags& flags);

// Returns true if a flag names items.
bool NamesItems(const ParsedFlags& flags);

// Returns the items of `paths` and of the flags, permutations made; none if nothing names any.
// Reports ignored keys of a manifest on standard error. InvalidArgument, NotFound and the like name
// the flag, or the line of a list. `flag_names`: those of the command's flags, which are no keys of
// manifests.
absl::StatusOr<std::vector<BatchItem>> ReadItems(const ParsedFlags& flags,
                                                 const std::vector<std::string>& paths,
                                                 const std::vector<std::string>& flag_names,
                                                 const CompileSettings& settings);

// Returns the items of a batch, at least one. Without paths and flags they are all files below
// --root.
absl::StatusOr<std::vector<BatchItem>> ReadBatchItems(const ParsedFlags& flags,
                                                      const std::vector<std::string>& flag_names,
                                                      const CompileSettings& settings);

// Checks each item's own targets and passes before anything is compiled: a manifest may be wrong in
// its last line. InvalidArgument names the item.
absl::Status CheckItems(const std::vector<BatchItem>& items,
                        const kiln::v1::Capabilities& capabilities, const std::string& service,
                        const CompileSettings& common);

// Returns the paths of the items' files.
std::vector<std::string> FilesOfItems(const std::vector<BatchItem>& items);

// Prints the items for --list-items.
absl::StatusOr<ExitCode> PrintItems(const std::vector<BatchItem>& items, const ParsedFlags& flags,
                                    const CompileSettings& settings,
                                    const Environment& environment);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMMANDS_BATCH_INPUTS_H_
