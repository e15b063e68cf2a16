#include "core/front/glsl/glslang_input.h"

#include "gtest/gtest.h"

namespace kiln::front {
namespace {

TEST(GlslangInput, PragmaOnceIsADirective) {
  EXPECT_TRUE(HasPragmaOnce("// a\n # pragma once\nfloat f;"));
  EXPECT_TRUE(HasPragmaOnce("#pragma \\\n once"));
  EXPECT_FALSE(HasPragmaOnce("// #pragma once"));
  EXPECT_FALSE(HasPragmaOnce("x #pragma once"));
  EXPECT_FALSE(HasPragmaOnce("#pragma twice"));
}

TEST(GlslangInput, OnceGivesATextOnce) {
  const std::vector<GlslInclude> includes = {{"a", "", "lib/a", "#pragma once\n"},
                                             {"b", "", "lib/b", "float b;\n"}};
  const auto length = [](ResolvedIncluder* includer, const char* spelled) {
    return includer->includeLocal(spelled, "main", 1)->headerLength;
  };
  ResolvedIncluder always(includes), once(includes, PragmaOnce::kObeyed);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(length(&always, "a"), 13u);
    EXPECT_EQ(length(&once, "a"), i == 0 ? 13u : 0u);
    EXPECT_EQ(length(&once, "b"), 9u);
  }
  EXPECT_EQ(once.includeLocal("c", "main", 1), nullptr);
}

TEST(GlslangInput, DefinesAreLines) {
  GlslSource source;
  source.defines = {{"A", "1"}, {"B", ""}};
  EXPECT_EQ(*DefineLines(source), "#define A 1\n#define B \n");
  source.defines = {{"A B", "1"}};
  EXPECT_FALSE(DefineLines(source).ok());
}

}  // namespace
}  // namespace kiln::front
