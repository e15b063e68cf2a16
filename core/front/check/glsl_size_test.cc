#include "core/front/check/glsl_size.h"

#include <algorithm>
#include <map>

#include "gtest/gtest.h"

namespace kiln::front {
namespace {

constexpr GlslSize kMax = {1u << 20, 1u << 20, 1u << 20, 64, 1u << 20, 1u << 20};

GlslSize Size(const std::string& text, const std::map<std::string, std::string>& includes = {},
              const std::string& preamble = "") {
  const auto find = [&](std::string_view spelled, std::string_view, GlslText* found) {
    const auto it = includes.find(std::string(spelled));
    if (it == includes.end()) return false;
    *found = {it->first, it->second};
    return true;
  };
  return SizeOfGlsl(preamble, {"main", text}, find, kMax);
}

// Returns the tokens of the only statement, which is the expanded text.
uint64_t Expanded(const std::string& text) { return Size(text).statement; }

std::string Doubling(int levels) {
  std::string text = "#define A0 x +\n";
  for (int i = 1; i <= levels; ++i) {
    const std::string last = "A" + std::to_string(i - 1);
    text += "#define A" + std::to_string(i) + " " + last + " " + last + "\n";
  }
  return text;
}

TEST(GlslSize, MacrosExpand) {
  EXPECT_EQ(Expanded("a + b"), 3u);
  EXPECT_EQ(Expanded("#define A b c\nA A"), 4u);
  EXPECT_EQ(Expanded(Doubling(10) + "A10"), 2048u);
  EXPECT_EQ(Expanded("#define F(x) x x x\nF(a b)"), 6u);
  EXPECT_EQ(Expanded("#define F(x, y) x y x\nF((a, b), c)"), 11u);
  EXPECT_EQ(Expanded("#define F(x) x x\nF(F(F(a)))"), 8u);
  EXPECT_EQ(Expanded("#define F(x) x x\nF"), 1u);
  EXPECT_EQ(Expanded("#define F (x)\nF"), 3u);
  EXPECT_EQ(Expanded("#define F() a b\nF()"), 2u);
  // A call whose name comes from another macro, and one whose brackets follow it.
  EXPECT_EQ(Expanded("#define F(x) x x\n#define G F\nG(a)"), 2u);
  EXPECT_EQ(Expanded("#define F(x) x x\n#define G(y) F y\nG((a b))"), 4u);
  // Pasted names.
  EXPECT_EQ(Expanded("#define AB x y z\n#define P(a, b) a##b\nP(A, B)"), 3u);
  EXPECT_EQ(Expanded("#define X q\n#define P(a) a##1 a\nP(X)"), 2u);
  EXPECT_EQ(Expanded("#define A\\\n b \\\n c\nA"), 2u);
}

// Returns the text and line at which the bound on tokens is exceeded.
std::string End(const std::string& text, const std::map<std::string, std::string>& includes = {}) {
  const GlslSize size = Size(text, includes);
  EXPECT_GT(size.tokens, kMax.tokens);
  return std::string(size.file) + ":" + std::to_string(size.line);
}

TEST(GlslSize, CountingEndsAtALine) {
  EXPECT_EQ(End(Doubling(24) + "\n\nx A24\ny"), "main:28");
  EXPECT_EQ(End(Doubling(24) + "#define L \\\n A24\n\nx;\nL + y"), "main:30");
  EXPECT_EQ(End(Doubling(24) + "#if A24 + 1\n#endif\n"), "main:26");
  // A call's line is that of its name.
  EXPECT_EQ(End(Doubling(24) + "#define F(x) x\nF\n(\nA24)"), "main:27");
  EXPECT_EQ(End(Doubling(24) + "#include \"a\"\nA24", {{"a", "\nx;\n A24"}}), "a:3");
  EXPECT_EQ(End(Doubling(24) + "#include \"a\"\n\nA24", {{"a", "x;\n"}}), "main:28");
}

TEST(GlslSize, NothingExpandsWithinItself) {
  EXPECT_EQ(Expanded("#define A A A\nA"), 2u);
  EXPECT_EQ(Expanded("#define A B B\n#define B A A\nA"), 4u);
  EXPECT_EQ(Expanded("#define F(x) F(x) x\nF(a)"), 5u);
  EXPECT_EQ(Expanded("#define F(x) x F\nF(a)(b)"), 5u);
}

TEST(GlslSize, DefinitionsEnd) {
  EXPECT_EQ(Expanded("#define A b c\n#undef A\nA"), 1u);
  EXPECT_EQ(Expanded("#define A b c\n#define A b c d\nA"), 3u);
  EXPECT_EQ(Size("A", {}, "#define A b c\n").statement, 2u);
}

TEST(GlslSize, Conditions) {
  const std::string body = "a b c\n#else\nd\n#endif\n";
  EXPECT_EQ(Expanded("#if 1\n" + body), 3u);
  EXPECT_EQ(Expanded("#if 0\n" + body), 1u);
  EXPECT_EQ(Expanded("#ifdef A\n" + body), 1u);
  EXPECT_EQ(Expanded("#ifndef A\n" + body), 3u);
  EXPECT_EQ(Expanded("#define A 4\n#if A > 3 && defined(A)\n" + body), 3u);
  EXPECT_EQ(Expanded("#if 0\na\n#elif 1\nb b\n#elif 1\nc c c\n#else\nd\n#endif\n"), 2u);
  EXPECT_EQ(Expanded("#if 0\n#if 1\na\n#else\nb\n#endif\nc\n#endif\nd"), 1u);
  // Undecided: all branches.
  EXPECT_EQ(Expanded("#ifdef GL_ES\n" + body), 4u);
  EXPECT_EQ(Expanded("#if __VERSION__ > 300\na\n#elif 0\nb b\n#else\nc c c\n#endif\n"), 4u);
}

// An undecided condition hides nothing: the larger definition counts, and stays.
TEST(GlslSize, UndecidedDefinitions) {
  const std::string doubling = Doubling(5);
  EXPECT_EQ(Expanded(doubling + "#ifdef GL_ES\n#undef A5\n#define A4 x\n#endif\nA5"), 64u);
  EXPECT_EQ(Expanded("#ifdef GL_ES\n" + doubling + "#else\n#define A5 x\n#endif\nA5"), 64u);
}

TEST(GlslSize, Includes) {
  EXPECT_EQ(Size("#include \"a\"\nA", {{"a", "#define A x x x\n"}}).statement, 3u);
  EXPECT_EQ(Size("#include <a>\n#include <a>\n", {{"a", "x y"}}).statement, 4u);
  const std::string guarded = "#ifndef G\n#define G\n#include \"a\"\nx y\n#endif\n";
  EXPECT_EQ(Size("#include \"a\"\n#include \"a\"\n", {{"a", guarded}}).statement, 2u);
  EXPECT_EQ(Size("#include \"a\"\nx", {{"a", "#include \"a\"\ny "}}).statement, 65u);  // 64 levels
  EXPECT_EQ(Size("#include \"b\"\nx").statement, 1u);
}

TEST(GlslSize, CasesOfSwitches) {
  const auto cases = [](int n) {
    std::string text = "switch (x) {";
    for (int i = 0; i < n; ++i) text += " case " + std::to_string(i) + ": { y(); } break;";
    return text + "}";
  };
  EXPECT_EQ(Size(cases(1)).cases, 0u);
  EXPECT_EQ(Size(cases(100)).cases, 100u * 99 / 2);
  EXPECT_EQ(Size(cases(100) + cases(10)).cases, 100u * 99 / 2 + 10 * 9 / 2);
  EXPECT_EQ(Size("switch (x) { case 1: " + cases(5) + " case 2: }").cases, 5u * 4 / 2 + 1);
  EXPECT_EQ(Size("#define C(n) case n: case n + 1:\nswitch (x) { C(1) C(3) }").cases, 6u);
}

TEST(GlslSize, CallsOfFunctions) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "int f" + std::to_string(i) + "(int x) { return x; }";
  EXPECT_EQ(Size(text).calls, 0u);
  EXPECT_EQ(Size(text + "void main() { f0(f1(f1(1))); g(2); }").calls, 2u);
  EXPECT_EQ(Size(text + "void a() { f0(1); } void b() { f0(1); a(); }").calls, 3u);
  // Overloads: each call may name a different one.
  const std::string overloads = "void f(int x) {} void f(uint x) {} void f(float x) {}";
  EXPECT_EQ(Size(overloads + "void main() { f(1); f(2); }").calls, 2u);
  EXPECT_EQ(Size(overloads + "void main() { f(1); f(2); f(3); f(4); f(5); }").calls, 3u);
  EXPECT_EQ(Size(overloads + "void main() { f(1); f(2); f(3); f(4); f(5); }").lookups, 16u * 15);
  EXPECT_EQ(Size(text + "void main() { f0(1); f1(1); }").lookups, 0u);
}

TEST(GlslSize, MembersOfStructs) {
  EXPECT_EQ(Size("struct S { int a, b; float c; };").lookups, 0u + 1 + 2);
  EXPECT_EQ(Size("buffer B { int a; } b;").lookups, 0u);
  EXPECT_EQ(Size("buffer B { int a; int c; } b; void main() { b.a = b.c; }").lookups, 1u + 2 + 2);
  EXPECT_EQ(Size("int a[] = { 1, 2, 3 }; void main() { int x = 1, y; }").lookups, 0u);
}

// Counting ends at the bounds.
TEST(GlslSize, EndsAtTheBounds) {
  EXPECT_LT(Size(Doubling(40) + "A40").tokens, 2 * kMax.tokens);
  std::string calls = "#define F(x) x x\n";
  for (int i = 0; i < 40; ++i) calls += "F(";
  EXPECT_LT(Size(calls + "a" + std::string(40, ')')).tokens, 2 * kMax.tokens);
  std::string deep = "#define F(x) x\n";
  for (int i = 0; i < 1000; ++i) deep += "F(";
  EXPECT_EQ(Size(deep + "a" + std::string(1000, ')')).arguments, kMax.arguments + 1);
  std::string pasted = "#define P a";
  for (int i = 0; i < 100'000; ++i) pasted += "##a";
  EXPECT_GT(Size(pasted + "\nP").tokens, 0u);
  EXPECT_EQ(Size(std::string("#if 1\n") + "a").statement, 1u);
}

}  // namespace
}  // namespace kiln::front
