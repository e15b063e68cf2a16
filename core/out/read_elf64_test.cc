#include "core/out/read_elf64.h"

#include <string>

#include "core/out/elf64.h"
#include "gtest/gtest.h"

namespace kiln::out {
namespace {

using Bytes = std::vector<uint8_t>;

// A file with a segment of data and one of code, and a symbol in each.
Bytes File() {
  ElfStrings strings;
  ElfFile file{3, 224, 64, 3, 0x36, {}};
  const auto add = [&file](uint32_t type, uint64_t rights, Bytes bytes) -> ElfSection& {
    ElfSection& s = file.sections.emplace_back();
    s.type = type;
    s.flags = kElfAllocated | rights;
    s.alignment = 8;
    s.bytes = std::move(bytes);
    return s;
  };
  Bytes symbols(kElfSymbolBytes);
  PutSymbol(symbols, {strings.Add("data"), kElfObject, 1, 64, 4});
  PutSymbol(symbols, {strings.Add("code"), kElfFunction, 2, 4096, 8});
  ElfSection& table = add(kElfDynamicSymbols, 0, symbols);
  table.entry_bytes = kElfSymbolBytes;
  table.link = 2;
  add(kElfStrings, 0, strings.bytes());
  add(kElfProgbits, kElfExecutable, {1, 2, 3, 4, 5});
  PlaceSections(file);
  return WriteElf(file);
}

TEST(ReadElf64, ReadsWhatTheWriterWrites) {
  const Bytes file = File();
  const auto elf = ReadElf64(file);
  ASSERT_TRUE(elf.ok()) << elf.status();
  EXPECT_EQ(elf->type, 3u);
  EXPECT_EQ(elf->machine, 224u);
  EXPECT_EQ(elf->os_abi, 64u);
  EXPECT_EQ(elf->abi_version, 3u);
  EXPECT_EQ(elf->flags, 0x36u);
  ASSERT_EQ(elf->symbols.size(), 3u);
  EXPECT_EQ(elf->symbols[1].name, "data");
  EXPECT_EQ(elf->symbols[1].type, kElfObject);
  EXPECT_EQ(elf->symbols[2].name, "code");
  EXPECT_EQ(elf->symbols[2].section, 2u);
  EXPECT_EQ(elf->symbols[2].value, 4096u);
  EXPECT_EQ(elf->symbols[2].bytes, 8u);
  const auto code = elf->At(4096, 5);
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ((*code)[4], 5);
  EXPECT_TRUE(elf->At(4098, 3).has_value());
  EXPECT_FALSE(elf->At(4096, 6).has_value());
  EXPECT_FALSE(elf->At(~uint64_t{0}, 2).has_value());
}

TEST(ReadElf64, SaysWhatIsNoElfFile) {
  EXPECT_FALSE(IsElf({}));
  EXPECT_EQ(ReadElf64(Bytes(100)).status().message(), "no ELF file");
  Bytes file = File();
  EXPECT_TRUE(IsElf(file));
  file[4] = 1;
  EXPECT_EQ(ReadElf64(file).status().message(),
            "an ELF file that is not of 64 bits, little-endian");
}

// Each field of the headers with every bit set: an error, or a file that has nothing there.
TEST(ReadElf64, TablesOutsideTheFileAreErrors) {
  const struct {
    size_t at, bytes;
    const char* what;
  } kFields[] = {{32, 8, "program headers beyond"},   {54, 2, "size of program headers"},
                 {56, 2, "program headers, at most"}, {40, 8, "section headers beyond"},
                 {58, 2, "size of section headers"},  {60, 2, "section headers, at most"}};
  for (const auto& field : kFields) {
    Bytes file = File();
    for (size_t i = 0; i < field.bytes; ++i) file[field.at + i] = 0xff;
    const auto elf = ReadElf64(file);
    EXPECT_NE(std::string(elf.status().message()).find(field.what), std::string::npos)
        << elf.status();
  }
}

TEST(ReadElf64, CutFilesAreErrors) {
  const Bytes file = File();
  for (size_t n = 0; n < file.size(); ++n) {
    EXPECT_FALSE(ReadElf64(absl::MakeConstSpan(file).first(n)).ok()) << n;
  }
}

}  // namespace
}  // namespace kiln::out
