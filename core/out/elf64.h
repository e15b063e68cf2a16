// Writes ELF files of 64 bits, little-endian, whose sections are also segments of memory.
//
// Source: "Tool Interface Standard, Executable and Linking Format", and the gABI's 64-bit tables.
// Offsets in the file equal addresses: each group of sections with the same rights begins at a page
// and is a PT_LOAD. Same input, same bytes.
#ifndef KILN_CORE_OUT_ELF64_H_
#define KILN_CORE_OUT_ELF64_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::out {

struct ElfSection {
  std::string name;
  uint32_t type = 0;   // SHT_
  uint64_t flags = 0;  // SHF_; without SHF_ALLOC it is behind all segments, at no address
  uint64_t alignment = 1;
  uint64_t entry_bytes = 0;
  uint32_t link = 0, info = 0;
  std::vector<uint8_t> bytes;
  uint32_t also_segment = 0;  // PT_ of a program header of its own besides the load; 0: none
  uint64_t address = 0;       // of what PlaceSections placed; the offset in the file too
};

struct ElfFile {
  uint16_t type = 0, machine = 0;
  uint8_t os_abi = 0, abi_version = 0;
  uint32_t flags = 0;
  // Sections 1 and on, in the order of addresses: allocated ones first, those with the same rights
  // in a row. WriteElf adds the null section before and the section names behind.
  std::vector<ElfSection> sections;
};

// Constants of the format that callers need.
inline constexpr uint32_t kElfProgbits = 1, kElfSymbols = 2, kElfStrings = 3, kElfHash = 5,
                          kElfDynamic = 6, kElfNote = 7, kElfDynamicSymbols = 11;
inline constexpr uint64_t kElfWritable = 1, kElfAllocated = 2, kElfExecutable = 4;
inline constexpr uint32_t kElfSegmentDynamic = 2, kElfSegmentNote = 4;

// Appends a little-endian number.
void PutNumber(std::vector<uint8_t>& to, uint64_t value, int bytes);

// A table of NUL-terminated texts; the first one is empty.
class ElfStrings {
 public:
  uint32_t Add(std::string_view text);  // returns the offset
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_ = {0};
};

// Appends a symbol (Elf64_Sym) that other modules see (STB_GLOBAL), with protected visibility.
struct ElfSymbol {
  uint32_t name = 0;
  uint8_t type = 0;  // STT_
  uint16_t section = 0;
  uint64_t value = 0, bytes = 0;
};
inline constexpr uint8_t kElfObject = 1, kElfFunction = 2;
inline constexpr uint64_t kElfSymbolBytes = 24;
void PutSymbol(std::vector<uint8_t>& to, const ElfSymbol& symbol);

// Returns the table by which a loader finds symbols by name (SHT_HASH); `names` are those of
// symbols 1 and on.
std::vector<uint8_t> ElfHashTable(const std::vector<std::string>& names);

// Sets the addresses of allocated sections from the sizes of their bytes.
void PlaceSections(ElfFile& file);

// Returns the file, of placed sections.
std::vector<uint8_t> WriteElf(const ElfFile& file);

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_ELF64_H_
