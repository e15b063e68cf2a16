#include "core/out/read_elf64.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/out/elf64.h"

namespace kiln::out {
namespace {

using Bytes = absl::Span<const uint8_t>;

constexpr uint64_t kHeaderBytes = 64, kSegmentBytes = 56, kSectionBytes = 64;
constexpr uint64_t kMaxSegments = 64, kMaxSections = 1024, kMaxSymbols = 65536;

absl::Status Damaged(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("damaged ELF file: ", std::string(what)));
}

std::optional<Bytes> Part(Bytes file, uint64_t at, uint64_t size) {
  if (at > file.size() || size > file.size() - at) return std::nullopt;
  return file.subspan(at, size);
}

// Returns a table of the header: where it is, and how many entries of which size it has.
absl::StatusOr<Bytes> Table(Bytes file, uint64_t at, uint64_t size, uint64_t count, uint64_t known,
                            uint64_t most, std::string_view what) {
  if (count == 0) return Bytes();
  if (size != known) return Damaged(absl::StrCat("size of ", std::string(what)));
  if (count > most) {
    return Damaged(absl::StrCat(count, " ", std::string(what), ", at most ", most, " are read"));
  }
  const auto part = Part(file, at, size * count);
  if (!part) return Damaged(absl::StrCat(std::string(what), " beyond the file"));
  return *part;
}

absl::Status ReadSegments(Bytes file, ElfView& elf) {
  const auto table =
      Table(file, LittleEndian(file, 32, 8), LittleEndian(file, 54, 2), LittleEndian(file, 56, 2),
            kSegmentBytes, kMaxSegments, "program headers");
  if (!table.ok()) return table.status();
  for (uint64_t at = 0; at < table->size(); at += kSegmentBytes) {
    const auto bytes =
        Part(file, LittleEndian(*table, at + 8, 8), LittleEndian(*table, at + 32, 8));
    if (!bytes) return Damaged("a segment beyond the file");
    elf.segments.push_back({static_cast<uint32_t>(LittleEndian(*table, at, 4)),
                            LittleEndian(*table, at + 16, 8), *bytes});
  }
  return absl::OkStatus();
}

struct Section {
  uint32_t type = 0, link = 0;
  uint64_t entry_bytes = 0;
  std::optional<Bytes> bytes;
};

Section SectionAt(Bytes file, Bytes table, uint64_t index) {
  const uint64_t at = index * kSectionBytes;
  return {static_cast<uint32_t>(LittleEndian(table, at + 4, 4)),
          static_cast<uint32_t>(LittleEndian(table, at + 40, 4)), LittleEndian(table, at + 56, 8),
          Part(file, LittleEndian(table, at + 24, 8), LittleEndian(table, at + 32, 8))};
}

absl::Status ReadSymbols(Bytes symbols, Bytes names, ElfView& elf) {
  if (names.empty() || names.back() != 0) return Damaged("names of symbols");
  if (symbols.size() / kElfSymbolBytes > kMaxSymbols) return Damaged("more than 65536 symbols");
  for (uint64_t at = 0; at + kElfSymbolBytes <= symbols.size(); at += kElfSymbolBytes) {
    const uint64_t name = LittleEndian(symbols, at, 4);
    if (name >= names.size()) return Damaged("a symbol's name");
    elf.symbols.push_back({reinterpret_cast<const char*>(names.data() + name),
                           static_cast<uint8_t>(symbols[at + 4] & 15),
                           static_cast<uint16_t>(LittleEndian(symbols, at + 6, 2)),
                           LittleEndian(symbols, at + 8, 8), LittleEndian(symbols, at + 16, 8)});
  }
  return absl::OkStatus();
}

absl::Status ReadDynamicSymbols(Bytes file, ElfView& elf) {
  const auto table =
      Table(file, LittleEndian(file, 40, 8), LittleEndian(file, 58, 2), LittleEndian(file, 60, 2),
            kSectionBytes, kMaxSections, "section headers");
  if (!table.ok()) return table.status();
  const uint64_t count = table->size() / kSectionBytes;
  for (uint64_t i = 0; i < count; ++i) {
    const Section s = SectionAt(file, *table, i);
    if (s.type != kElfDynamicSymbols) continue;
    if (!s.bytes || s.entry_bytes != kElfSymbolBytes || s.link >= count) {
      return Damaged("dynamic symbols");
    }
    const Section names = SectionAt(file, *table, s.link);
    if (!names.bytes) return Damaged("names of symbols");
    return ReadSymbols(*s.bytes, *names.bytes, elf);
  }
  return absl::OkStatus();
}

}  // namespace

uint64_t LittleEndian(Bytes bytes, uint64_t at, int size) {
  uint64_t v = 0;
  for (int i = size - 1; i >= 0; --i) v = v << 8 | bytes[at + static_cast<uint64_t>(i)];
  return v;
}

bool IsElf(Bytes bytes) { return bytes.size() >= 4 && LittleEndian(bytes, 0, 4) == 0x464c457f; }

std::optional<Bytes> ElfView::At(uint64_t address, uint64_t size) const {
  constexpr uint32_t kLoad = 1;
  for (const ElfSegmentView& s : segments) {
    if (s.type != kLoad || address < s.address) continue;
    if (const auto part = Part(s.bytes, address - s.address, size)) return part;
  }
  return std::nullopt;
}

absl::StatusOr<ElfView> ReadElf64(Bytes file) {
  if (!IsElf(file)) return absl::InvalidArgumentError("no ELF file");
  if (file.size() < kHeaderBytes) return Damaged("it ends within its header");
  if (file[4] != 2 || file[5] != 1) {
    return absl::InvalidArgumentError("an ELF file that is not of 64 bits, little-endian");
  }
  ElfView elf;
  elf.os_abi = file[7];
  elf.abi_version = file[8];
  elf.type = static_cast<uint16_t>(LittleEndian(file, 16, 2));
  elf.machine = static_cast<uint16_t>(LittleEndian(file, 18, 2));
  elf.flags = static_cast<uint32_t>(LittleEndian(file, 48, 4));
  if (absl::Status s = ReadSegments(file, elf); !s.ok()) return s;
  if (absl::Status s = ReadDynamicSymbols(file, elf); !s.ok()) return s;
  return elf;
}

}  // namespace kiln::out
