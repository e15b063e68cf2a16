#include "core/front/glsl/glsl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/base/cause.h"
#include "core/front/check/validate.h"

namespace kiln::front {
namespace {

using testing::HasSubstr;

GlslSource Compute(const std::string& body) {
  GlslSource source;
  source.name = "shaders/test.comp";
  source.text =
      "#version 450\nlayout(local_size_x = 1) in;\n"
      "layout(binding = 0) buffer B { uint x[]; };\n" +
      body;
  return source;
}

TEST(Glsl, CompilesToValidSpirvOfTheVersionAskedFor) {
  constexpr uint32_t kVersions[] = {0x10000, 0x10300, 0x10500, 0x10600};
  for (uint32_t minor = 0; minor < 4; ++minor) {
    GlslSource source = Compute("void main() { x[0] = 7u; }");
    source.vulkan_minor = minor;
    const auto words = CompileGlsl(source);
    ASSERT_TRUE(words.ok()) << words.status();
    EXPECT_EQ((*words)[1], kVersions[minor]);
    EXPECT_TRUE(ValidateSpirv(*words, {.vulkan_minor = minor}).ok());
  }
}

TEST(Glsl, ErrorsNameFileAndLine) {
  const auto words = CompileGlsl(Compute("void main() {\n  y = 1;\n}"));
  EXPECT_EQ(words.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string text(words.status().message());
  EXPECT_NE(text.find("shaders/test.comp:5"), std::string::npos) << text;
  EXPECT_NE(text.find("'y'"), std::string::npos) << text;
}

// glslang's own message has the byte 0x80 for each of these.
TEST(Glsl, ErrorsShowBytesBeyondAscii) {
  for (const auto& [bytes, shown] :
       {std::pair("\xe9", "'\\xe9'"), std::pair("\xc3\xa9", "'\\xc3\\xa9'"),
        std::pair("\xe2\x80\x93", "'\\xe2\\x80\\x93'")}) {
    GlslSource source =
        Compute("// \xe9\nvoid main() {\n  uint caf" + std::string(bytes) + " = 1; }");
    const auto words = CompileGlsl(source);
    EXPECT_EQ(words.status().code(), absl::StatusCode::kInvalidArgument);
    const std::string text(words.status().message());
    EXPECT_NE(text.find("shaders/test.comp:6: " + std::string(shown)), std::string::npos) << text;
    source = Compute("#include \"a.glsl\"\nvoid main() {}");
    source.includes = {{"a.glsl", "", "lib/a.glsl", "\nuint f" + std::string(bytes) + "();\n"}};
    const std::string included(CompileGlsl(source).status().message());
    EXPECT_NE(included.find("lib/a.glsl:2: " + std::string(shown)), std::string::npos) << included;
  }
}

// Bytes are shown only if they are certainly the ones that glslang reports.
TEST(Glsl, ErrorsShowNoBytesThatTheTextDoesNotHave) {
  const auto error = [](const std::string& text, const std::string& include = "") {
    GlslSource source = Compute(text);
    source.includes = {{"a.glsl", "", "lib/a.glsl", include}};
    return std::string(CompileGlsl(source).status().message());
  };
  const std::string replaced = error("void main() {\n  uint caf\xef\xbf\xbd = 1; }");
  EXPECT_NE(replaced.find("test.comp:5: 'U+FFFD or a byte that is not UTF-8'"), std::string::npos)
      << replaced;
  const std::string kUnknown = "'a byte that is not ASCII'";
  for (const std::string& hidden :
       {error("#line 50\nvoid main() { uint caf\xc3\xa9 = 1; }"),
        error("#line 3\n\nvoid main() {\n  uint caf\xc3\xa9 = 1; }"),
        error("#include \"a.glsl\"\nvoid main() { uint X = 1; }", "#define X caf\xc3\xa9\n"),
        error("#include \"a.glsl\"\nvoid main() { uint X = 1; } // \xe2\x80\x93",
              "#define X caf\xc3\xa9\n"),
        error("void main() { /* \xe2\x80\x93 */ uint caf\xc3\xa9 = 1; }")}) {
    EXPECT_NE(hidden.find(kUnknown), std::string::npos) << hidden;
    EXPECT_EQ(hidden.find('\x80'), std::string::npos) << hidden;
    EXPECT_EQ(hidden.find("\\x"), std::string::npos) << hidden;
  }
}

TEST(Glsl, AByteOrderMarkIsNoPartOfTheText) {
  GlslSource source = Compute("#include \"a.glsl\"\nvoid main() { x[0] = f(); }");
  source.text = "\xef\xbb\xbf" + source.text;
  source.includes = {{"a.glsl", "", "a.glsl", "\xef\xbb\xbfuint f() { return 1u; }\n"}};
  const auto words = CompileGlsl(source);
  EXPECT_TRUE(words.ok()) << words.status();
  source.text = "\xef\xbb\xbf" + source.text;  // a second one is
  EXPECT_EQ(CompileGlsl(source).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Glsl, DefinesReachTheText) {
  GlslSource source = Compute("void main() { x[0] = VALUE; FLAG }");
  const auto error = [&] { return std::string(CompileGlsl(source).status().message()); };
  EXPECT_THAT(error(), HasSubstr("'VALUE'"));
  source.defines = {{"VALUE", "3u"}, {"FLAG", ""}};
  const auto defined = CompileGlsl(source);
  ASSERT_TRUE(defined.ok()) << defined.status();
  const auto written = CompileGlsl(Compute("void main() { x[0] = 3u; }"));
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(*defined, *written);
  source.defines = {{"VALUE 1\n#error", "3u"}};
  EXPECT_THAT(error(), HasSubstr("bad define \"VALUE"));
  source.defines = {{"VALUE", "3u\n#error no"}};
  EXPECT_EQ(error(), "bad define \"VALUE\"");
}

TEST(Glsl, IncludesAreThoseGiven) {
  GlslSource source = Compute("#include \"a.glsl\"\nvoid main() { x[0] = f(); }");
  EXPECT_THAT(std::string(CompileGlsl(source).status().message()),
              HasSubstr("shaders/test.comp:4"));
  // "b.glsl" names a different text in a.glsl than elsewhere.
  source.includes = {{"a.glsl", "", "lib/a.glsl", "#include \"b.glsl\"\n"},
                     {"b.glsl", "", "b.glsl", "#error wrong one\n"},
                     {"b.glsl", "lib/a.glsl", "lib/b.glsl", "uint f() { return 1u; }\n"}};
  const auto words = CompileGlsl(source);
  EXPECT_TRUE(words.ok()) << words.status();
  source.includes[2].text = "uint f() { return }\n";
  const auto wrong = CompileGlsl(source);
  EXPECT_NE(std::string(wrong.status().message()).find("lib/b.glsl:1"), std::string::npos)
      << wrong.status();
}

TEST(Glsl, EndlessIncludesEnd) {
  GlslSource source = Compute("#include \"a.glsl\"\nvoid main() {}");
  source.includes = {{"a.glsl", "", "a.glsl", "#include \"a.glsl\"\n"}};
  const absl::Status endless = CompileGlsl(source).status();
  EXPECT_EQ(endless.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(endless.message()), HasSubstr("a.glsl"));
}

TEST(Glsl, EntryPointIsRenamed) {
  GlslSource source = Compute("void main() { x[0] = 1u; }");
  source.entry = "kernel_a";
  const auto words = CompileGlsl(source);
  ASSERT_TRUE(words.ok()) << words.status();
  const std::string bytes(reinterpret_cast<const char*>(words->data()), words->size() * 4);
  EXPECT_NE(bytes.find("kernel_a"), std::string::npos);
}

TEST(Glsl, StageOfName) {
  EXPECT_EQ(*GlslStageOfName("a/b.comp"), ShaderStage::kCompute);
  EXPECT_EQ(*GlslStageOfName("b.frag.glsl"), ShaderStage::kFragment);
  EXPECT_EQ(*GlslStageOfName("b.glsl.vert"), ShaderStage::kVertex);
  EXPECT_FALSE(GlslStageOfName("b.glsl").ok());
  EXPECT_FALSE(GlslStageOfName("comp").ok());
}

TEST(Glsl, OtherStagesCompile) {
  GlslSource source;
  source.stage = ShaderStage::kFragment;
  source.text = "#version 450\nlayout(location = 0) out vec4 c; void main() { c = vec4(1); }";
  EXPECT_TRUE(CompileGlsl(source).ok());
  source.stage = ShaderStage::kCompute;
  EXPECT_EQ(CompileGlsl(source).status().code(), absl::StatusCode::kInvalidArgument);
}

// 30 texts, each of which includes the next twice: 2^30 copies of the last.
TEST(Glsl, IncludesThatDoubleAreRefused) {
  GlslSource source = Compute("#include \"0\"\nvoid main() { x[0] = 7u; }");
  for (int i = 0; i < 30; ++i) {
    const std::string next = "#include \"" + std::to_string(i + 1) + "\"\n";
    source.includes.push_back({std::to_string(i), "", std::to_string(i), next + next});
  }
  source.includes.push_back({"30", "", "30", "\n"});
  const absl::Status status = CompileGlsl(source).status();
  EXPECT_EQ(CauseOf(status), "shader_too_large") << status;
  EXPECT_NE(std::string(status.message()).find("bytes of included GLSL"), std::string::npos)
      << status;
  // The first include to be refused is one of the last text, or one on the way to it.
  EXPECT_FALSE(SourceOf(status).file.empty());
  EXPECT_GE(SourceOf(status).line, 1u);
  EXPECT_LE(SourceOf(status).line, 2u);
}

// Texts that glslang takes long for are counted before it sees them: these take milliseconds.
TEST(Glsl, WhatGrowsIsRefused) {
  const auto refusal = [](const std::string& globals, const std::string& body) {
    GlslSource source;
    source.text =
        "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer B { uint b; };\n" +
        globals + "void main() { " + body + " }\n";
    const absl::Status status = CompileGlsl(source).status();
    if (status.ok()) return std::string("ok");
    return std::string(CauseOf(status)) + ": " + std::string(status.message());
  };
  const auto repeat = [](int n, const std::function<std::string(std::string)>& one) {
    std::string text;
    for (int i = 0; i < n; ++i) text += one(std::to_string(i));
    return text;
  };
  using testing::HasSubstr;
  std::string doubling = "#define A0 b +\n";
  for (int i = 1; i <= 24; ++i) {
    const std::string last = " A" + std::to_string(i - 1);
    doubling += "#define A" + std::to_string(i) + last + last + "\n";
  }
  EXPECT_LT(doubling.size(), 541u);
  EXPECT_THAT(refusal(doubling, "b = A24 b;"), HasSubstr("shader_too_large"));
  EXPECT_THAT(refusal(doubling, "b = A24 b;"), HasSubstr("tokens of GLSL"));
  // Statements of few tokens each, and as many arguments.
  std::string sums = "#define A0 b++;\n";
  for (int i = 1; i <= 24; ++i) {
    const std::string last = " A" + std::to_string(i - 1);
    sums += "#define A" + std::to_string(i) + last + last + "\n";
  }
  EXPECT_THAT(refusal(sums, "A24"), HasSubstr("tokens of GLSL after macro expansion"));
  std::string calls = "b";
  for (int i = 0; i < 24; ++i) calls = "F(" + calls + ")";
  EXPECT_THAT(refusal("#define F(x) (x + x)\n", "b = " + calls + ";"),
              HasSubstr("shader_too_large"));
  EXPECT_THAT(
      refusal("#define F(x) x\n", "b = " + repeat(1000, [](auto) { return "F("; }) + "1" +
                                      std::string(1000, ')') + ";"),
      HasSubstr("nesting_too_deep: GLSL macro calls nested in arguments: 257, at most 256"));
  const auto cases = [&](int n) {
    return "uint x = 0; switch (b) { " +
           repeat(n, [](const std::string& i) { return "case " + i + ": x = 5; break; "; }) +
           "} b = x;";
  };
  EXPECT_THAT(refusal("", cases(12'000)), HasSubstr("shader_too_large"));
  EXPECT_THAT(refusal("", cases(12'000)), HasSubstr("pairs of cases"));
  EXPECT_EQ(refusal("", cases(1000)), "ok");
  const auto functions = [&](int n) {
    return "uint f(uint x) { return x; }" + repeat(n, [](const std::string& i) {
             return "uint g" + i + "(uint x) { return f(x); }";
           });
  };
  EXPECT_THAT(refusal(functions(5000), ""),
              HasSubstr("pairs of a calling and a called GLSL function"));
  EXPECT_EQ(refusal(functions(500), ""), "ok");
  EXPECT_THAT(
      refusal("struct S { " +
                  repeat(12'000, [](const std::string& i) { return "uint m" + i + ";"; }) + "};",
              ""),
      HasSubstr("name comparisons to find GLSL members"));
}

std::string LineOf(const absl::Status& status) {
  const SourceLine source = SourceOf(status);
  return CauseOf(status) + " " + source.file + ":" + std::to_string(source.line);
}

// Bounds that are counted before glslang runs, on a text and with macros, and one of its own.
TEST(Glsl, RefusalsHaveFileAndLine) {
  GlslSource source =
      Compute("void main() {\n  x[0] =\n    1u" + std::string(70'000, '+') + ";\n}");
  EXPECT_EQ(LineOf(CompileGlsl(source).status()), "shader_too_large shaders/test.comp:6");
  std::string doubling = "#define A0 1u +\n";
  for (int i = 1; i <= 24; ++i) {
    const std::string last = " A" + std::to_string(i - 1);
    doubling += "#define A" + std::to_string(i) + last + last + "\n";
  }
  source = Compute("#include \"a.glsl\"\nvoid main() {\n  x[0] = A24 1u;\n}");
  source.includes = {{"a.glsl", "", "lib/a.glsl", doubling}};
  EXPECT_EQ(LineOf(CompileGlsl(source).status()), "shader_too_large shaders/test.comp:6");
  source.includes[0].text = doubling + "uint f() {\n return A24 1u; }\n";
  EXPECT_EQ(LineOf(CompileGlsl(source).status()), "shader_too_large lib/a.glsl:27");
  const std::string open(12000, '(');
  source =
      Compute("void main() {\n  x[0] =\n    " + open + "1u" + std::string(12000, ')') + ";\n}");
  EXPECT_EQ(LineOf(CompileGlsl(source).status()), "nesting_too_deep shaders/test.comp:6");
}

TEST(Glsl, ATextThatIsTooLongIsRefused) {
  GlslSource source = Compute("void main() {}");
  source.text += std::string(16 << 20, ' ');
  const absl::Status status = CompileGlsl(source).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(LineOf(status), "shader_too_large shaders/test.comp:0");
}

TEST(Glsl, CausesTellTextsFromDefines) {
  GlslSource source = Compute("void main() { y = 1; }");
  EXPECT_EQ(CauseOf(CompileGlsl(source).status()), "invalid_glsl");
  source.defines = {{"1A", ""}};
  EXPECT_EQ(CauseOf(CompileGlsl(source).status()), "invalid_define");
  source.defines = {{"A", "1\n2"}};
  EXPECT_EQ(CauseOf(CompileGlsl(source).status()), "invalid_define");
  source.defines = {{"A", "1"}, {"A", "2"}};
  EXPECT_EQ(CauseOf(CompileGlsl(source).status()), "invalid_define");
}

TEST(Glsl, DefinesThatFailAreNamed) {
  const auto message = [](std::vector<std::pair<std::string, std::string>> defines, bool include) {
    GlslSource source;
    source.text = "#version 450\nvoid main() {}\n";
    source.defines = std::move(defines);
    if (include) source.includes.push_back({"a", "", "a", ""});
    return std::string(CompileGlsl(source).status().message());
  };
  for (bool include : {false, true}) {
    EXPECT_THAT(message({{"A", "1"}, {"VULKAN", "5"}}, include),
                HasSubstr("ERROR: -D VULKAN: the macro is predefined with another value\n"));
    EXPECT_THAT(message({{"A", "1"}, {"A", "2"}}, include),
                HasSubstr("ERROR: -D A: given before with another value\n"));
    EXPECT_EQ(message({{"VULKAN", "100"}, {"A", "1"}, {"A", "1"}}, include), "");
  }
}

TEST(Glsl, VersionIsKnown) { EXPECT_EQ(GlslangVersion().rfind("12.", 0), 0u); }

TEST(Validate, MessagesAreCarried) {
  const auto words = CompileGlsl(Compute("void main() { x[0] = 7u; }"));
  ASSERT_TRUE(words.ok());
  EXPECT_TRUE(ValidateSpirv(*words).ok());
  std::vector<uint32_t> broken = *words;
  broken.resize(broken.size() - 1);  // the OpFunctionEnd
  const absl::Status status = ValidateSpirv(broken);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("OpFunctionEnd"), std::string::npos) << status;
  EXPECT_FALSE(ValidateSpirv({}).ok());
}

// A source language newer than the validator (11 is Slang) is no error; undefined ones stay errors.
TEST(Validate, NewSourceLanguages) {
  const auto compiled = CompileGlsl(Compute("void main() { x[0] = 7u; }"));
  ASSERT_TRUE(compiled.ok());
  std::vector<uint32_t> words = *compiled;
  constexpr uint32_t kOpSource = 3;
  int changed = 0;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffff) != kOpSource) continue;
    words[at + 1] = 11;
    ++changed;
  }
  ASSERT_EQ(changed, 1);
  EXPECT_TRUE(ValidateSpirv(words).ok()) << ValidateSpirv(words);
  words.pop_back();
  EXPECT_FALSE(ValidateSpirv(words).ok());
}

TEST(Validate, TheInstructionIsNamed) {
  auto words = CompileGlsl(Compute("void main() { x[0] = 7u; }"));
  ASSERT_TRUE(words.ok());
  size_t at = 5;
  int number = 1;
  constexpr uint32_t kAccessChain = 65;
  for (; ((*words)[at] & 0xffff) != kAccessChain; at += (*words)[at] >> 16) ++number;
  const uint32_t result = (*words)[at + 2];
  (*words)[at + 3] = (*words)[at + 1];  // a type as the base
  const absl::Status status = ValidateSpirv(*words);
  EXPECT_EQ(SpirvIdOf(status), result) << status;
  EXPECT_EQ(std::string(status.message()).rfind("instruction " + std::to_string(number) + ": ", 0),
            0u)
      << status;
}

// Returns the offset of the first instruction with this opcode.
size_t Find(const std::vector<uint32_t>& words, uint32_t op) {
  size_t at = 5;
  while ((words[at] & 0xffff) != op) at += words[at] >> 16;
  return at;
}

// The validator numbers equal names in every message by counting from 0 for each: with 20,000 names
// one message took a minute. Such names are now removed, and the message still counts them.
TEST(Validate, ManyEqualNames) {
  const auto compiled = CompileGlsl(Compute("void main() { x[0] = 7u; }"));
  ASSERT_TRUE(compiled.ok());
  constexpr uint32_t kName = 5, kTypeInt = 21, kConstant = 43, kFunction = 54, kAccessChain = 65;
  constexpr uint32_t kNames = 20'000;
  std::vector<uint32_t> words = *compiled, names, constants;
  const uint32_t type = words[Find(words, kTypeInt) + 1];
  for (uint32_t i = 0; i < kNames; ++i) {
    const uint32_t id = words[3]++;
    names.insert(names.end(), {3u << 16 | kName, id, 'a'});
    constants.insert(constants.end(), {4u << 16 | kConstant, type, id, i + 100});
  }
  words.insert(words.begin() + Find(words, kFunction), constants.begin(), constants.end());
  words.insert(words.begin() + Find(words, kName), names.begin(), names.end());
  const size_t chain = Find(words, kAccessChain);
  words[chain + 3] = words[chain + 1];  // a type as the base
  int number = 1;
  for (size_t at = 5; at < chain; at += words[at] >> 16) ++number;
  const absl::Status status = ValidateSpirv(words);
  EXPECT_EQ(SpirvIdOf(status), words[chain + 2]) << status;
  EXPECT_EQ(std::string(status.message()).rfind("instruction " + std::to_string(number) + ": ", 0),
            0u)
      << status;
}

}  // namespace
}  // namespace kiln::front
