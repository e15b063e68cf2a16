// The form of a job's `draw`: its keys and what their values are.
#ifndef KILN_CLIENT_RUN_DRAW_FORM_H_
#define KILN_CLIENT_RUN_DRAW_FORM_H_

#include <nlohmann/json.hpp>

#include "absl/status/status.h"

namespace kiln::client::run {

// InvalidArgument names the key: one that is unknown or not supported here, or a value of another
// form. "interpolated" and "out", which ask lavapipe for more results (tests/peer/README.md), are
// accepted.
absl::Status CheckDrawForm(const nlohmann::json& draw);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_DRAW_FORM_H_
