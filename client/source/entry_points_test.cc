#include "client/source/entry_points.h"

#include <cstdint>

#include "client/cli/paths.h"
#include "gtest/gtest.h"

namespace kiln::client {
namespace {

using Words = std::vector<uint32_t>;

void Append(Words* to, uint32_t opcode, const Words& operands) {
  to->push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
  to->insert(to->end(), operands.begin(), operands.end());
}

// OpEntryPoint of an execution model.
void AppendEntry(Words* to, uint32_t model, const std::string& name) {
  Words operands(2 + name.size() / 4 + 1);
  operands[0] = model;
  operands[1] = 7;
  for (size_t i = 0; i < name.size(); ++i) {
    operands[2 + i / 4] |= uint32_t{static_cast<uint8_t>(name[i])} << (8 * (i % 4));
  }
  operands.push_back(9);  // a variable of its interface
  Append(to, 15, operands);
}

Words Head() {
  Words words = {0x07230203, 0x00010000, 0, 10, 0};
  Append(&words, 17, {1});     // OpCapability Shader
  Append(&words, 14, {0, 1});  // OpMemoryModel Logical GLSL450
  return words;
}

std::string Bytes(const Words& words, bool swapped = false) {
  std::string bytes;
  for (uint32_t word : words) {
    for (int b = 0; b < 4; ++b) {
      bytes.push_back(static_cast<char>(word >> (8 * (swapped ? 3 - b : b))));
    }
  }
  return bytes;
}

std::vector<std::string> Named(absl::string_view module) {
  std::vector<std::string> names;
  for (const EntryPoint& e : EntryPointsOf(module)) names.push_back(e.name + ":" + e.stage);
  return names;
}

Words Several() {
  Words words = Head();
  AppendEntry(&words, 5, "blur");
  AppendEntry(&words, 0, "main");
  AppendEntry(&words, 4, "main");
  AppendEntry(&words, 6, "");
  AppendEntry(&words, 5315, "hit it");
  Append(&words, 16, {7, 17, 8, 1, 1});  // OpExecutionMode
  AppendEntry(&words, 5, "misplaced");
  return words;
}

TEST(EntryPoints, NamesAndStagesInOrder) {
  const std::vector<std::string> expected = {"blur:compute", "main:vertex", "main:fragment", ":",
                                             "hit it:any_hit"};
  EXPECT_EQ(Named(Bytes(Several())), expected);
  EXPECT_EQ(Named(Bytes(Several(), /*swapped=*/true)), expected);
  EXPECT_TRUE(Named(Bytes(Head())).empty());
}

TEST(EntryPoints, OfAFile) {
  const std::string path = testing::TempDir() + "/entry_points.spv";
  ASSERT_TRUE(WriteWholeFile(path, Bytes(Several())).ok());
  EXPECT_EQ(EntryPointsOfFile(path).size(), 5u);
  ASSERT_TRUE(WriteWholeFile(path, "#version 450\nvoid main() {}\n").ok());
  EXPECT_TRUE(EntryPointsOfFile(path).empty());
  EXPECT_TRUE(EntryPointsOfFile(path + ".none").empty());
  EXPECT_TRUE(EntryPointsOfFile(testing::TempDir()).empty());
  EXPECT_TRUE(EntryPointsOfFile("/dev/zero").empty());
}

TEST(EntryPoints, BytesThatMakeNoSenseHaveNone) {
  const std::string good = Bytes(Several());
  for (size_t n = 0; n < good.size(); ++n) {
    EXPECT_LE(EntryPointsOf(absl::string_view(good).substr(0, n)).size(), 5u);
  }
  Words words = Head();
  words.push_back(15);  // an instruction of no words
  EXPECT_TRUE(Named(Bytes(words)).empty());
  words = Head();
  words.push_back(0xffff000fu);  // longer than the module
  EXPECT_TRUE(Named(Bytes(words)).empty());
  words = Head();
  Append(&words, 15, {5, 7});  // without a name
  EXPECT_TRUE(Named(Bytes(words)).empty());
  words = Head();
  Append(&words, 15, {5, 7, 0x61616161});  // a name without an end
  EXPECT_TRUE(Named(Bytes(words)).empty());
  words = Head();
  AppendEntry(&words, 5, "caf\xe9");  // no UTF-8
  EXPECT_TRUE(Named(Bytes(words)).empty());
  words = Head();
  for (size_t i = 0; i <= kMaxEntryPoints; ++i) AppendEntry(&words, 5, std::to_string(i));
  EXPECT_TRUE(Named(Bytes(words)).empty());
}

}  // namespace
}  // namespace kiln::client
