// Names of shader stages: what people write, what file names end with, what the API calls them.
#ifndef KILN_CLIENT_CLI_STAGE_NAME_H_
#define KILN_CLIENT_CLI_STAGE_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace kiln::client {

// "comp" and "compute" give "compute"; empty where it is no stage.
std::string StageFromName(absl::string_view name);

// From "blur.comp", "blur.comp.glsl" or "blur.comp.spv"; empty where the name does not tell.
std::string StageFromFileName(absl::string_view file);

// Whether a file of this name is taken for GLSL (a stage's ending, or .glsl).
bool IsGlslFileName(absl::string_view file);

// "vert, frag, comp, ...", for messages.
std::string StageNames();

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLI_STAGE_NAME_H_
