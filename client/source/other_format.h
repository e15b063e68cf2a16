// Recognises shader files of other languages and containers, to name them and the tools that make
// SPIR-V from them. Without it they would be taken for GLSL of an unknown stage.
#ifndef KILN_CLIENT_SOURCE_OTHER_FORMAT_H_
#define KILN_CLIENT_SOURCE_OTHER_FORMAT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace kiln::client {

// Returns "is HLSL, which Kiln does not compile; ...", from the contents, else from the ending of
// the name. Empty: none of these formats.
std::string DescribeOtherFormat(absl::string_view name, absl::string_view contents);

}  // namespace kiln::client

#endif  // KILN_CLIENT_SOURCE_OTHER_FORMAT_H_
