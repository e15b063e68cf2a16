// Names of shader stages: in flags, in the endings of file names, and in the API.
#ifndef KILN_CLIENT_CLI_STAGE_NAME_H_
#define KILN_CLIENT_CLI_STAGE_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace kiln::client {

// Returns "compute" for "comp" and "compute"; empty if the name is no stage.
std::string StageFromName(absl::string_view name);

// Returns the stage of "blur.comp", "blur.comp.glsl", "blur.comp.spv", "blur.comp.hlsl" or
// "blur.cs.hlsl"; empty if the name has none.
std::string StageFromFileName(absl::string_view file);

// Returns the stage of a profile of HLSL: "fragment" for "ps_6_0"; empty if it is no profile of
// one.
std::string StageFromProfile(absl::string_view profile);

// Returns true if a file of this name is taken for GLSL (a stage's ending, or .glsl).
bool IsGlslFileName(absl::string_view file);

// Returns true if a file of this name is taken for HLSL (.hlsl, .hlsli).
bool IsHlslFileName(absl::string_view file);

// Returns "vert, frag, comp, ...", for messages.
std::string StageNames();

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLI_STAGE_NAME_H_
