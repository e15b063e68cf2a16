// Specialisation constants of jobs: {"0": {"u32": 4}, "1": {"f32": 1.5}, "2": true}.
//
// Maps SpecIds to a value of a type that DATA has (job_data.h; a list of one value counts as the
// value, "0x..." are bits), a boolean, or a number without a type. They are converted to arguments
// of --spec, so that only client/request/spec_constant.h interprets values; halves, which --spec
// does not have, become bits.
#ifndef KILN_CLIENT_RUN_JOB_SPEC_H_
#define KILN_CLIENT_RUN_JOB_SPEC_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kiln::client::run {

// Returns ID=TYPE:VALUE of each. InvalidArgument names the id.
absl::StatusOr<std::vector<std::string>> ReadSpec(const nlohmann::json& spec);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_JOB_SPEC_H_
