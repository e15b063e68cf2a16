// Reads ELF files of 64 bits, little-endian, from any bytes, hostile ones too: headers, segments
// and symbols, as far as a reader of code objects needs them.
//
// Source: as elf64.h.
#ifndef KILN_CORE_OUT_READ_ELF64_H_
#define KILN_CORE_OUT_READ_ELF64_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace kiln::out {

struct ElfSegmentView {
  uint32_t type = 0;  // PT_
  uint64_t address = 0;
  absl::Span<const uint8_t> bytes;
};

struct ElfSymbolView {
  std::string_view name;
  uint8_t type = 0;      // STT_
  uint16_t section = 0;  // 0: not defined in this file
  uint64_t value = 0, bytes = 0;
};

// Parts of the file's bytes, which live longer.
struct ElfView {
  uint16_t type = 0, machine = 0;
  uint8_t os_abi = 0, abi_version = 0;
  uint32_t flags = 0;
  std::vector<ElfSegmentView> segments;
  std::vector<ElfSymbolView> symbols;  // dynamic ones (SHT_DYNSYM)

  // Returns the bytes that PT_LOAD segments have at an address; nullopt: not all are in one.
  std::optional<absl::Span<const uint8_t>> At(uint64_t address, uint64_t size) const;
};

// Returns true for bytes that begin as an ELF file.
bool IsElf(absl::Span<const uint8_t> bytes);

// InvalidArgument names the part that is damaged. At most 64 segments, 1024 sections and
// 65536 symbols are read.
absl::StatusOr<ElfView> ReadElf64(absl::Span<const uint8_t> file);

// Returns a little-endian number; the bytes must be there.
uint64_t LittleEndian(absl::Span<const uint8_t> bytes, uint64_t at, int size);

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_READ_ELF64_H_
