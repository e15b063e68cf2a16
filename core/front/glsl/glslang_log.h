// glslang's log in words for users: defines by name, bytes as in the text, and the line of an
// error.
#ifndef KILN_CORE_FRONT_GLSL_GLSLANG_LOG_H_
#define KILN_CORE_FRONT_GLSL_GLSLANG_LOG_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "core/base/cause.h"
#include "core/front/glsl/glsl_source.h"
#include "core/front/glsl/glslang_input.h"

namespace kiln::front {

constexpr size_t kMaxGlslangLog = 64 << 10;  // bytes of a log that messages have

// Returns the log with defines named, where glslang says "-1" and the line of the preamble, and
// bytes beyond ASCII as the text has them, if they can be identified with certainty; for each,
// glslang writes the byte 0x80. `before`: lines of the preamble before its defines. Sets
// `names_define` if a define is to blame.
std::string ReadableLog(std::string log, const GlslSource& source, size_t before,
                        bool* names_define);

// Returns the text and line of the first line of the log that contains both `words`; empty: there
// is none, or it names another text ("ERROR: NAME:LINE: ...").
SourceLine LineOfLog(const GlslSource& source, std::string_view log, std::string_view words,
                     std::string_view more_words = {});

// Returns the error of an invalid text with a readable log.
absl::Status InvalidText(const std::string& log, KnownCause cause);

// Returns the refusal of an include, with the line that has it.
absl::Status RefusedInclude(const GlslSource& source, const ResolvedIncluder& includer,
                            std::string_view log);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_GLSL_GLSLANG_LOG_H_
