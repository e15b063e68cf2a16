// What two stages that are compiled together say of each other: which outputs of the vertex shader
// the fragment shader reads, and where the two do not fit.
//
// Both come from launch records, so that they are about what the programs really do, behind all
// passes, and GLSL needs no translation here. Programs of different widths may read different
// inputs, where the size of subgroups decides; what any of them reads is read. A record that says a
// location and nothing of its components is an older compiler's: all four may be read, or written.
//
// Types are those of the programs, in which 16 bits are passed on as 32 and 64 bits as two dwords:
// a half that is read as a float, or a uint64_t as a uvec2, is read as it is meant to be and no
// fault.
//
// Sources: Vulkan specification, "Interface Matching": an input whose location and components no
// output has is undefined, or an error where the shader in front does not even declare it
// (VUID-RuntimeSpirv-OpEntryPoint-08743); an output may have more components than the input; the
// types of components must be the same (VUID-RuntimeSpirv-OpEntryPoint-07754); how an input is
// interpolated is the fragment shader's alone. What hardware can deliver is settled when the
// fragment shader is compiled: places of outputs do not depend on who reads them.
#ifndef KILN_CLIENT_SOURCE_LINK_STAGES_H_
#define KILN_CLIENT_SOURCE_LINK_STAGES_H_

#include <string>
#include <vector>

#include "proto/compile.pb.h"

namespace kiln::client {

// Of all variants, ascending by location. Built-ins are none of it, and neither are locations
// beyond those that a vertex shader can have.
kiln::v1alpha::NextStageReads ReadsOf(const kiln::v1alpha::TargetResult& fragment);

struct InterfaceFaults {
  // Each "location 3.zw: ...", ascending.
  std::vector<std::string>
      undefined;  // read and never written: the program is valid, its inputs are not
  std::vector<std::string> mismatched;  // written as another type than that which is read
};

InterfaceFaults CompareStages(const kiln::v1alpha::TargetResult& vertex,
                              const kiln::v1alpha::TargetResult& fragment);

}  // namespace kiln::client

#endif  // KILN_CLIENT_SOURCE_LINK_STAGES_H_
