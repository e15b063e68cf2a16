#include "core/front/check/glsl_tokens.h"

#include "gtest/gtest.h"

namespace kiln::front {
namespace {

// Returns the tokens separated by "|", with "^" before one that begins a line.
std::string Shown(std::string_view text) {
  std::deque<std::string> made;
  std::string shown;
  for (const GlslToken& t : TokensOfGlsl(JoinedLines(text, &made))) {
    shown += t.line_begins ? "^" : "|";
    shown += t.text;
  }
  return shown;
}

TEST(GlslTokens, NamesNumbersAndTheRest) {
  EXPECT_EQ(Shown("a1 = 1.5e3f+_b;"), "^a1|=|1.5e3f|+|_b|;");
  EXPECT_EQ(Shown("a.x.y"), "^a|.|x|.|y");
  EXPECT_EQ(Shown("a##b # c"), "^a|##|b|#|c");
  EXPECT_EQ(Shown("#include \"a b//c\"\nx"), "^#|include|\"a b//c\"^x");
  EXPECT_EQ(Shown("\"open\nx"), "^\"open^x");
  EXPECT_EQ(Shown(""), "");
}

TEST(GlslTokens, CommentsAndLines) {
  EXPECT_EQ(Shown("a/*b\nc*/d//e\nf"), "^a|d^f");
  EXPECT_EQ(Shown("a/*never ends"), "^a");
  EXPECT_EQ(Shown("a\r\nb\rc"), "^a^b^c");
  EXPECT_EQ(Shown("#define\\\n A \\\r\n B\nC"), "^#|define|A|B^C");
  EXPECT_EQ(Shown("a\\b\\"), "^a|\\|b|\\");
  EXPECT_EQ(Shown("lo\\\nng"), "^long");
}

// Returns the tokens, each with its line.
std::string Lines(std::string_view text) {
  std::deque<std::string> made;
  std::string shown;
  for (const GlslToken& t : TokensOfGlsl(JoinedLines(text, &made))) {
    shown += std::string(t.text) + std::to_string(t.line) + " ";
  }
  return shown;
}

TEST(GlslTokens, HaveTheirLine) {
  EXPECT_EQ(Lines("a\nb\r\nc\rd\n\ne"), "a1 b2 c3 d4 e6 ");
  EXPECT_EQ(Lines("a/*\n\r\n*/b//\nc"), "a1 b3 c4 ");
  EXPECT_EQ(Lines("a\\\nb \\\r\nc\nd\\\n\\\re\r\nf"), "ab1 c1 de4 f7 ");
  EXPECT_EQ(LineEndsOfGlsl(""), 0u);
  EXPECT_EQ(LineEndsOfGlsl("\n\r\n\r\r"), 4u);
}

TEST(GlslTokens, SpaceBefore) {
  const auto tokens = TokensOfGlsl("f (x)/**/y");
  ASSERT_EQ(tokens.size(), 5u);
  EXPECT_TRUE(tokens[1].space_before);
  EXPECT_FALSE(tokens[2].space_before);
  EXPECT_TRUE(tokens[4].space_before);
  EXPECT_TRUE(tokens[2].IsName());
  EXPECT_FALSE(tokens[1].IsName());
}

}  // namespace
}  // namespace kiln::front
