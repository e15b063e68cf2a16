// Tests elf64.h; tests/exec/code_objects_test.cc has whole files read by LLVM's tools.
#include "core/out/elf64.h"

#include "gtest/gtest.h"

namespace kiln::out {
namespace {

using Bytes = std::vector<uint8_t>;

uint64_t NumberAt(const Bytes& bytes, size_t at, size_t size) {
  uint64_t v = 0;
  for (size_t i = size; i-- > 0;) v = v << 8 | bytes.at(at + i);
  return v;
}

ElfSection Section(const char* name, uint64_t flags, uint64_t alignment, size_t size) {
  ElfSection s;
  s.name = name;
  s.type = kElfProgbits;
  s.flags = flags;
  s.alignment = alignment;
  s.bytes.assign(size, static_cast<uint8_t>(size));
  return s;
}

TEST(Elf64, SectionsOfOtherRightsBeginAtPages) {
  ElfFile file;
  file.sections = {Section("a", kElfAllocated, 4, 5), Section("b", kElfAllocated, 64, 6),
                   Section("c", kElfAllocated | kElfExecutable, 256, 7), Section("d", 0, 16, 8)};
  PlaceSections(file);
  // Header, and program headers of the headers, two loads and the stack.
  EXPECT_EQ(file.sections[0].address, 64u + 4 * 56);
  EXPECT_EQ(file.sections[1].address, 320u);
  EXPECT_EQ(file.sections[2].address, 4096u);
  const Bytes bytes = WriteElf(file);
  EXPECT_EQ(bytes[320], 6);
  EXPECT_EQ(bytes[4096], 7);
  EXPECT_EQ(bytes[4112], 8);  // behind the segments, aligned
  EXPECT_EQ(NumberAt(bytes, 56, 2), 4u);
  const size_t code = 64 + 2 * 56;
  EXPECT_EQ(NumberAt(bytes, code, 4), 1u);
  EXPECT_EQ(NumberAt(bytes, code + 4, 4), 5u);
  EXPECT_EQ(NumberAt(bytes, code + 8, 8), 4096u);
  EXPECT_EQ(NumberAt(bytes, code + 32, 8), 7u);
}

TEST(Elf64, TheHashTableFindsEachName) {
  const std::vector<std::string> names = {"main", "main.kd", "x"};
  const Bytes table = ElfHashTable(names);
  const uint64_t buckets = NumberAt(table, 0, 4), chains = NumberAt(table, 4, 4);
  ASSERT_EQ(chains, 4u);
  // The hash of the gABI's example code, computed by hand for one letter.
  uint64_t at = NumberAt(table, 8 + 4 * ('x' % buckets), 4);
  bool found = false;
  for (; at != 0; at = NumberAt(table, 8 + 4 * (buckets + at), 4)) found |= at == 3;
  EXPECT_TRUE(found);
  // Each symbol is in one chain.
  std::vector<int> seen(4);
  for (uint64_t b = 0; b < buckets; ++b) {
    for (at = NumberAt(table, 8 + 4 * b, 4); at != 0;
         at = NumberAt(table, 8 + 4 * (buckets + at), 4)) {
      ++seen.at(at);
    }
  }
  EXPECT_EQ(seen, std::vector<int>({0, 1, 1, 1}));
}

TEST(Elf64, StringsBeginWithTheEmptyOne) {
  ElfStrings s;
  EXPECT_EQ(s.Add("ab"), 1u);
  EXPECT_EQ(s.Add("c"), 4u);
  EXPECT_EQ(s.bytes(), Bytes({0, 'a', 'b', 0, 'c', 0}));
}

}  // namespace
}  // namespace kiln::out
