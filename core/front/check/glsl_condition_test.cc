#include "core/front/check/glsl_condition.h"

#include "gtest/gtest.h"

namespace kiln::front {
namespace {

// Returns "true", "false", or "undecided".
std::string Value(std::string_view text) {
  const std::vector<GlslToken> tokens = TokensOfGlsl(text);
  const std::optional<bool> value = ValueOfCondition(tokens);
  return !value.has_value() ? "undecided" : *value ? "true" : "false";
}

TEST(GlslCondition, Expressions) {
  for (const char* text : {"1", "0x10 == 16", "010 == 8", "1 + 2 * 3 == 7", "(1 + 2) * 3 == 9",
                           "!0", "-1 < 0", "~0 == -1", "7 / 2 == 3", "7 % 4 == 3", "1 << 4 == 16",
                           "1 || 0 && 0", "2 >= 2", "2 != 3", "6 & 3 ^ 3 | 4", "!unknown"}) {
    EXPECT_EQ(Value(text), "true") << text;
  }
  for (const char* text : {"0", "name", "1 == 2", "1 && 0", "0 || 0", "3 < 3", "10 - 4 - 6"}) {
    EXPECT_EQ(Value(text), "false") << text;
  }
}

TEST(GlslCondition, WhatIsNotKnown) {
  for (const char* text : {"__VERSION__ >= 450", "GL_ES", "!GL_ES", "VULKAN", "GL_ES && 1",
                           "GL_ES || 0", "1 / 0", "", "(", "1 +", "1 1", ")", "= 1"}) {
    EXPECT_EQ(Value(text), "undecided") << text;
  }
  EXPECT_EQ(Value("GL_ES && 0"), "false");
  EXPECT_EQ(Value("GL_ES || 1"), "true");
  EXPECT_EQ(Value(std::string(100'000, '(')), "undecided");
  EXPECT_EQ(Value(std::string(100'000, '!') + "1"), "undecided");
  EXPECT_FALSE(IsDefined("GL_EXT_foo", false).has_value());
  EXPECT_TRUE(*IsDefined("GL_EXT_foo", true));
  EXPECT_FALSE(*IsDefined("FOO", false));
}

}  // namespace
}  // namespace kiln::front
