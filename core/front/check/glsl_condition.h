// Evaluates conditions of #if, if they do not depend on glslang's predefined names.
#ifndef KILN_CORE_FRONT_CHECK_GLSL_CONDITION_H_
#define KILN_CORE_FRONT_CHECK_GLSL_CONDITION_H_

#include <optional>
#include <string_view>

#include "core/front/check/glsl_tokens.h"

namespace kiln::front {

// Name for an unknown value.
inline constexpr char kUndecidedName[] = "__undecided";

// Returns true if a name is defined, given whether the text defines it; nothing: glslang may
// predefine it.
std::optional<bool> IsDefined(std::string_view name, bool by_text);

// Returns the value of a line with macros expanded; nothing: undecided, or no expression.
std::optional<bool> ValueOfCondition(GlslTokenSpan line);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_GLSL_CONDITION_H_
