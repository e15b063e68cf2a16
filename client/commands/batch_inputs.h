// The items of `kiln batch`: from the paths, lists and manifests that its flags name.
#ifndef KILN_CLIENT_COMMANDS_BATCH_INPUTS_H_
#define KILN_CLIENT_COMMANDS_BATCH_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/batch/batch_items.h"
#include "client/cli/flags.h"
#include "client/request/request_options.h"

namespace kiln::client {

// Returns at least one item, permutations made. Reports ignored keys of a manifest on standard
// error. InvalidArgument, NotFound and the like name the flag, or the line of a list.
// `flag_names`: those of the command's flags, which are no keys of manifests.
absl::StatusOr<std::vector<BatchItem>> ReadBatchItems(const ParsedFlags& flags,
                                                      const std::vector<std::string>& flag_names,
                                                      const CompileSettings& settings);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMMANDS_BATCH_INPUTS_H_
