// Reads preprocessed HLSL before glslang parses it: finds what glslang would not read, or would
// read otherwise than DXC, and prepares the rest.
//
// glslang 12 drops some of what it does not know without an error, and has forms of its own for
// some attributes of Vulkan. So this is refused or rewritten here, on tokens, with macros expanded:
//
//   [[vk::push_constant]] T x;   becomes ConstantBuffer<T> x: glslang takes the attribute for
//   blocks only
//   [[vk::binding(N, S)]]        the declared names are listed: register shifts do not apply to
//   them SV_Name                      one that glslang does not know, it takes for an ordinary
//   input; a 0 at
//                                its end is removed, as SV_Position0 is SV_Position
//   register(tN, spaceM)         glslang keeps the low 16 bits of N and the low 6 of M
//
// Features of HLSL 2018 and later that glslang lacks are found by their names, to name them when
// glslang has rejected a text.
//
// In: any text. Cost: linear. Sources: the readers of glslang 12.0.0 (glslang/HLSL), and DXC's
// "SPIR-V CodeGen" document (docs/SPIR-V.rst) for what the constructs mean.
#ifndef KILN_CORE_FRONT_HLSL_HLSL_TEXT_H_
#define KILN_CORE_FRONT_HLSL_HLSL_TEXT_H_

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/base/cause.h"

namespace kiln::front {

// Consecutive lines of one file.
struct HlslSegment {
  std::string name;   // of the file
  uint32_t line = 1;  // of the segment's first line in the file
  std::string text;
};

// Splits the output of glslang's preprocessor at its #line directives, which it writes where
// another file begins or goes on. `name`: of the file with which it begins.
std::vector<HlslSegment> SegmentsOf(std::string_view preprocessed, const std::string& name);

// A construct that glslang does not read.
struct HlslFeature {
  std::string what;  // "templates"
  SourceLine line;
};

struct HlslReading {
  absl::Status refusal;                // of what glslang would read wrongly; else ok
  std::set<std::string> explicit_set;  // names declared with [[vk::binding]]
  std::vector<HlslFeature> newer;      // features that glslang lacks, in the order of the text
};

// Reads the segments and prepares their texts for glslang.
HlslReading ReadHlsl(std::vector<HlslSegment>* segments);

// Returns a refusal with the cause "hlsl_feature".
absl::Status RefusedHlsl(const std::string& what, const SourceLine& line);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_HLSL_HLSL_TEXT_H_
