// The interface of two stages that are compiled together: the vertex shader's outputs that the
// fragment shader reads, and mismatches between the two.
//
// Both come from launch records, so that they describe the final programs, after all passes, and
// GLSL needs no translation here. Programs of different widths may read different inputs, if the
// subgroup size decides; an input that any of them reads counts as read. A record that lists a
// location without its components is an older compiler's: all four may be read, or written.
//
// Types are those of the programs, in which 16 bits are passed as 32 and 64 bits as two dwords: a
// half that is read as a float, or a uint64_t as a uvec2, is read as intended and is no mismatch.
//
// Sources: Vulkan specification, "Interface Matching": an input whose location and components no
// output has is undefined, or an error if the preceding shader does not even declare it
// (VUID-RuntimeSpirv-OpEntryPoint-08743); an output may have more components than the input; the
// types of components must be the same (VUID-RuntimeSpirv-OpEntryPoint-07754); the interpolation of
// an input is the fragment shader's alone. Hardware limits are checked when the fragment shader is
// compiled: slots of outputs do not depend on their reader.
#ifndef KILN_CLIENT_SOURCE_LINK_STAGES_H_
#define KILN_CLIENT_SOURCE_LINK_STAGES_H_

#include <string>
#include <vector>

#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Returns the inputs of all variants, ascending by location, without locations beyond those that a
// vertex shader can have; and the built-ins that come from vertices.
kiln::v1::NextStageReads ReadsOf(const kiln::v1::TargetResult& fragment);

// Returns true if an input of any variant has the values of each vertex (PerVertexKHR). Then the
// vertex shader is compiled without NextStageReads, which cannot say that: programs that know their
// reader may leave constants to the hardware, which has them for the primitive as a whole only
// (core/amd/ABI.md, "Fragments").
bool ReadsEachVertex(const kiln::v1::TargetResult& fragment);

struct InterfaceFaults {
  // Each "location 3.zw: ...", ascending.
  std::vector<std::string>
      undefined;  // read and never written: the program is valid, its inputs are not
  std::vector<std::string> mismatched;  // written with another type than read
};

InterfaceFaults CompareStages(const kiln::v1::TargetResult& vertex,
                              const kiln::v1::TargetResult& fragment);

}  // namespace kiln::client

#endif  // KILN_CLIENT_SOURCE_LINK_STAGES_H_
