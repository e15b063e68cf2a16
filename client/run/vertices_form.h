// Checks the form of a job's `vertices` (vertices.h).
#ifndef KILN_CLIENT_RUN_VERTICES_FORM_H_
#define KILN_CLIENT_RUN_VERTICES_FORM_H_

#include <nlohmann/json.hpp>

#include "absl/status/status.h"

namespace kiln::client::run {

// Checks keys and forms of their values, keys that exclude each other, and that each location comes
// once; not whether the values of inputs are numbers of their type. InvalidArgument names the
// error.
absl::Status CheckVerticesForm(const nlohmann::json& vertices);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_VERTICES_FORM_H_
