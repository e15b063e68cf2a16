// Conditions of #if, as far as they can be told without glslang's predefined names.
#ifndef KILN_CORE_FRONT_CHECK_GLSL_CONDITION_H_
#define KILN_CORE_FRONT_CHECK_GLSL_CONDITION_H_

#include <optional>
#include <string_view>

#include "core/front/check/glsl_tokens.h"

namespace kiln::front {

// Stands for a value that is not known.
inline constexpr char kUndecidedName[] = "__undecided";

// Whether a name is defined, given whether the text defines it; nothing: glslang may predefine it.
std::optional<bool> IsDefined(std::string_view name, bool by_text);

// The value of a line whose macros are expanded; nothing: undecided, or no expression.
std::optional<bool> ValueOfCondition(GlslTokenSpan line);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_GLSL_CONDITION_H_
