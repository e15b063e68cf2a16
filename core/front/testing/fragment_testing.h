// For tests of fragment and vertex shaders: a frame around the tested declarations and code.
#ifndef KILN_CORE_FRONT_TESTING_FRAGMENT_TESTING_H_
#define KILN_CORE_FRONT_TESTING_FRAGMENT_TESTING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/mir/mir.h"

namespace kiln::front {

struct FragmentParts {
  // Declarations after the frame's types; lines with OpDecorate and OpMemberDecorate are moved to
  // their section. Names to use: %void %bool %int %uint %float %vN<type> %u_0 ... %u_4, %i_0 ...
  // %i_4, %f_0 %f_1 %f_half %true %false, %fn (no parameters, no result), %in_<type> and
  // %out_<type> (pointers to uint, int, float, v2float, v3float, v4float, v4uint), %color (the
  // output v4float at location 0).
  std::string declarations = {};
  std::string main = {};  // after the label of the entry function %1
  std::string functions = {};
  std::string modes = "OriginUpperLeft";  // execution modes of one word or more, separated by ;
  std::string preamble = {};              // after OpCapability Shader
  std::string interface = {};             // of the entry point, besides %color: "%a %b"
};

absl::StatusOr<mir::Module> ImportFragment(const FragmentParts& parts);

// Returns the MIR from its second line on, without the SPIR-V ids, the entry point and the stage,
// its values numbered in order; or the message of the error.
std::string FragmentText(const FragmentParts& parts);

// The same for a vertex shader, which has only the modes given.
absl::StatusOr<mir::Module> ImportVertex(FragmentParts parts);
std::string VertexText(const FragmentParts& parts);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_TESTING_FRAGMENT_TESTING_H_
