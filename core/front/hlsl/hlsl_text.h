// Reads preprocessed HLSL before glslang parses it: finds what glslang would not read, or would
// read otherwise than DXC, and prepares the rest.
//
// glslang 12 drops some of what it does not know without an error, and has forms of its own for
// some attributes of Vulkan. So this is refused or rewritten here, on tokens, with macros expanded:
//
//   [[vk::push_constant]] T x;  becomes ConstantBuffer<T> x: glslang takes it for blocks alone
//   [[vk::binding(N, S)]]       its names are listed: register shifts do not apply to them
//   float32_t3                  becomes float3; likewise double, int and uint
//   SV_Position0                becomes SV_Position. A system value that glslang does not know, it
//                               takes for an ordinary input: refused
//   register(tN, spaceM)        glslang keeps the low 16 bits of N and 6 of M: more are refused
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
  std::set<std::string> placed;        // blocks with packoffset; "$Global": a register(cN)
  bool asks_dimensions = false;        // a GetDimensions
  std::vector<HlslFeature> newer;      // features that glslang lacks, in the order of the text
};

// Reads the segments and prepares their texts for glslang.
HlslReading ReadHlsl(std::vector<HlslSegment>* segments);

// Returns a refusal with the cause "hlsl_feature".
absl::Status RefusedHlsl(const std::string& what, const SourceLine& line);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_HLSL_HLSL_TEXT_H_
