// Names and lines of errors: which instruction gives them, and where none does.
#include "core/front/spirv/origin.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/utf8.h"
#include "core/front/grammar/spirv_enums.h"
#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

using Words = std::vector<uint32_t>;

constexpr char kHead[] = R"(
    OpCapability Shader
    OpExtension "SPV_KHR_non_semantic_info"
    %90 = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %1 "main"
    OpExecutionMode %1 LocalSize 1 1 1
    %80 = OpString "shaders/a.comp"
    %81 = OpString "b.glsl"
    OpName %1 "main"
    OpName %20 ""
    OpName %11 "Particles"
    OpName %21 "weights"
    OpDecorate %11 Block
    OpMemberDecorate %11 0 Offset 0
    %2 = OpTypeVoid
    %3 = OpTypeFunction %2
    %4 = OpTypeInt 32 0
    %5 = OpConstant %4 7
    %6 = OpConstant %4 123
    %11 = OpTypeStruct %4
    %12 = OpTypePointer StorageBuffer %11
    %13 = OpTypeArray %11 %5
    %14 = OpTypePointer StorageBuffer %13
    %20 = OpVariable %12 StorageBuffer
    %21 = OpVariable %12 StorageBuffer
    %22 = OpVariable %14 StorageBuffer
    %91 = OpExtInst %2 %90 DebugSource %81
    %1 = OpFunction %2 None %3
)";

Words Module(const std::string& body) {
  return Assemble(std::string(kHead) + body + "OpReturn\nOpFunctionEnd\n");
}

std::string Place(const Words& words, uint32_t id, uint32_t instruction = 0) {
  const Origin origin = FindOrigin(words, id, instruction);
  if (origin.line == 0) return origin.file;
  return origin.file + ":" + std::to_string(origin.line);
}

TEST(Origin, NamesAreThoseOfIdsOrOfTheirBlocks) {
  const Words words = Module("%30 = OpLabel\n");
  EXPECT_EQ(FindOrigin(words, 21, 0).name, "weights");
  EXPECT_EQ(FindOrigin(words, 20, 0).name, "Particles");
  EXPECT_EQ(FindOrigin(words, 22, 0).name, "Particles");  // an array of blocks
  EXPECT_EQ(FindOrigin(words, 1, 0).name, "main");
  EXPECT_EQ(FindOrigin(words, 5, 0).name, "");
  EXPECT_EQ(FindOrigin(words, 0, 0).name, "");
  EXPECT_EQ(FindOrigin(words, 4711, 0).name, "");
}

TEST(Origin, LinesHoldUntilTheNextOneOrTheEndOfTheBlock) {
  const Words words = Module(R"(
    %30 = OpLabel
    %31 = OpIAdd %4 %5 %5
    OpLine %80 12 3
    %32 = OpIAdd %4 %5 %5
    %33 = OpIAdd %4 %5 %5
    OpLine %81 4 1
    %34 = OpIAdd %4 %5 %5
    OpNoLine
    %35 = OpIAdd %4 %5 %5
    OpLine %80 13 3
    OpBranch %36
    %36 = OpLabel
    %37 = OpIAdd %4 %5 %5
  )");
  EXPECT_EQ(Place(words, 31), "");
  EXPECT_EQ(Place(words, 32), "shaders/a.comp:12");
  EXPECT_EQ(FindOrigin(words, 32, 0).column, 3u);
  EXPECT_EQ(Place(words, 33), "shaders/a.comp:12");
  EXPECT_EQ(Place(words, 34), "b.glsl:4");
  EXPECT_EQ(Place(words, 35), "");
  EXPECT_EQ(FindOrigin(words, 35, 0).column, 0u);
  EXPECT_EQ(Place(words, 37), "");
  EXPECT_EQ(Place(words, 0), "");
}

// The instruction has the word; the id is a type's or a variable's, and has no line.
TEST(Origin, AnInstructionsLineGoesBeforeTheIds) {
  const Words words = Module(R"(
    %30 = OpLabel
    OpLine %80 12 3
    %31 = OpAccessChain %12 %21
    OpStore %31 %5
    OpLine %80 13 3
    %32 = OpIAdd %4 %5 %5
  )");
  uint32_t store = 5;
  while ((words[store] & 0xffff) != static_cast<uint32_t>(spv::Op::OpStore)) {
    store += words[store] >> 16;
  }
  EXPECT_EQ(Place(words, 21), "");
  EXPECT_EQ(Place(words, 21, store), "shaders/a.comp:12");
  EXPECT_EQ(Place(words, 32, store), "shaders/a.comp:12");
  EXPECT_EQ(Place(words, 32, 5), "shaders/a.comp:13");  // that one has none
  EXPECT_EQ(Place(words, 32, store + 1), "shaders/a.comp:13");
}

TEST(Origin, LinesOfDebugInformation) {
  const Words words = Module(R"(
    %30 = OpLabel
    %92 = OpExtInst %2 %90 DebugLine %91 %6 %6 %5 %5
    %31 = OpIAdd %4 %5 %5
    %93 = OpExtInst %2 %90 DebugNoLine
    %32 = OpIAdd %4 %5 %5
    %94 = OpExtInst %2 %90 DebugLine %5 %6 %6 %5 %5
    %33 = OpIAdd %4 %5 %5
    %95 = OpExtInst %2 %90 DebugLine %91 %80 %6 %5 %5
    %34 = OpIAdd %4 %5 %5
  )");
  EXPECT_EQ(Place(words, 31), "b.glsl:123");
  EXPECT_EQ(FindOrigin(words, 31, 0).column, 7u);
  EXPECT_EQ(Place(words, 32), "");
  EXPECT_EQ(Place(words, 33), "");  // of no source
  EXPECT_EQ(Place(words, 34), "");  // no number
}

TEST(Origin, TextsAreQuotedAsMessagesQuoteThem) {
  Words words = Module("%30 = OpLabel\n");
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffff) == static_cast<uint32_t>(spv::Op::OpName) && words[at + 1] == 21) {
      words[at + 2] = 0xffe96261;  // "ab", a byte of no character, another
    }
  }
  const std::string name = FindOrigin(words, 21, 0).name;
  EXPECT_TRUE(IsUtf8(name)) << name;
  EXPECT_EQ(name, "ab\\xe9\\xffhts");
  const std::string long_name(100'000, 'n');
  const Words with_long = Assemble(
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
      "OpName %1 \"" +
      long_name + "\"\n%1 = OpTypeVoid\n");
  EXPECT_EQ(FindOrigin(with_long, 1, 0).name, long_name.substr(0, kQuotedBytes) + "...");
}

// Names and files are the module's: neither ends the line that quotes it, nor moves the cursor.
TEST(Origin, TextsAreEscaped) {
  Words words = Module("%30 = OpLabel\nOpLine %81 4 1\n%31 = OpIAdd %4 %5 %5\n");
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const uint32_t op = words[at] & 0xffff;
    if (op == static_cast<uint32_t>(spv::Op::OpName) && words[at + 1] == 21) {
      words[at + 2] = 0x9bc20a61;  // "a", a line feed, U+009B
    }
    if (op == static_cast<uint32_t>(spv::Op::OpString) && words[at + 1] == 81) {
      words[at + 2] = 0x09a880e2;  // U+2028, a tab
    }
  }
  EXPECT_EQ(FindOrigin(words, 21, 0).name, "a\\x0a\\xc2\\x9bhts");
  EXPECT_EQ(Place(words, 31), "\\xe2\\x80\\xa8\\x09sl:4");
}

// Any prefix, and any word changed.
TEST(Origin, DamagedModulesAreRead) {
  const Words words = Module("%30 = OpLabel\nOpLine %80 12 3\n%31 = OpIAdd %4 %5 %5\n");
  for (size_t n = 0; n <= words.size(); ++n) {
    const Words cut(words.begin(), words.begin() + static_cast<ptrdiff_t>(n));
    FindOrigin(cut, 31, 0);
    FindOrigin(cut, 20, static_cast<uint32_t>(n));
  }
  for (size_t n = 0; n < words.size(); ++n) {
    for (const uint32_t word : {0u, ~0u, words[n] ^ 0x10000u, words[n] + 1}) {
      Words changed = words;
      changed[n] = word;
      const Origin origin = FindOrigin(changed, 31, 0);
      EXPECT_TRUE(IsUtf8(origin.file) && IsUtf8(origin.name));
    }
  }
}

}  // namespace
}  // namespace kiln::front
