#include "core/front/glsl/glslang_log.h"

#include "core/base/cause.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

GlslSource Source() {
  GlslSource source;
  source.name = "a.comp";
  source.text = "one\ncaf\xe9\n";
  source.defines = {{"A", "1"}, {"B", "2"}};
  source.includes = {{"b", "", "lib/b", ""}};
  return source;
}

TEST(GlslangLog, NamesDefinesAndBytes) {
  bool named = false;
  EXPECT_EQ(ReadableLog("ERROR: a.comp:2: '\x80' : unexpected token", Source(), 0, &named),
            "ERROR: a.comp:2: '\\xe9' : unexpected token");
  EXPECT_FALSE(named);
  // Two lines before the defines.
  EXPECT_EQ(ReadableLog("ERROR: -1:4: 'x' : wrong", Source(), 2, &named),
            "ERROR: -D B: 'x' : wrong");
  EXPECT_TRUE(named);
}

TEST(GlslangLog, LinesAreOfKnownTexts) {
  const std::string log = "ERROR: c:1: far\nERROR: lib/b:7: near\n";
  EXPECT_EQ(LineOfLog(Source(), log, "near").file, "lib/b");
  EXPECT_EQ(LineOfLog(Source(), log, "near").line, 7u);
  EXPECT_EQ(LineOfLog(Source(), log, "far").line, 0u);
  EXPECT_EQ(LineOfLog(Source(), log, "none").line, 0u);
}

TEST(GlslangLog, InvalidTextsHaveTheirCause) {
  EXPECT_EQ(TextOf(InvalidText("log", "invalid_hlsl")), "invalid_hlsl: log");
  EXPECT_EQ(InvalidText("", "invalid_glsl").message(), "glslang gave no message");
}

}  // namespace
}  // namespace kiln::front
