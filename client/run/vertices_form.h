// Whether the `vertices` of a job are written as vertices.h says.
#ifndef KILN_CLIENT_RUN_VERTICES_FORM_H_
#define KILN_CLIENT_RUN_VERTICES_FORM_H_

#include <nlohmann/json.hpp>

#include "absl/status/status.h"

namespace kiln::client::run {

// Keys and forms of their values, keys that exclude each other, and each location once. Whether the
// values of inputs are numbers of their type is not looked at. InvalidArgument names what is wrong.
absl::Status CheckVerticesForm(const nlohmann::json& vertices);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_VERTICES_FORM_H_
