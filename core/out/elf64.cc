#include "core/out/elf64.h"

#include <algorithm>

namespace kiln::out {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kHeaderBytes = 64, kProgramHeaderBytes = 56, kSectionHeaderBytes = 64;
constexpr uint32_t kSegmentLoad = 1, kSegmentHeaders = 6, kSegmentStack = 0x6474e551;
constexpr uint32_t kExecutes = 1, kWrites = 2, kReads = 4;

uint64_t AlignUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

uint32_t RightsOf(const ElfSection& s) {
  return kReads | ((s.flags & kElfWritable) != 0 ? kWrites : 0) |
         ((s.flags & kElfExecutable) != 0 ? kExecutes : 0);
}

bool IsAllocated(const ElfSection& s) { return (s.flags & kElfAllocated) != 0; }

struct Segment {
  uint32_t type = 0, rights = 0;
  uint64_t address = 0, bytes = 0, alignment = 0;
};

// Returns the segments. Their number does not depend on addresses.
std::vector<Segment> SegmentsOf(const ElfFile& file) {
  std::vector<Segment> loads = {{kSegmentLoad, kReads, 0, 0, kPage}}, others;
  for (const ElfSection& s : file.sections) {
    if (!IsAllocated(s)) continue;
    if (RightsOf(s) != loads.back().rights) {
      loads.push_back({kSegmentLoad, RightsOf(s), s.address, 0, kPage});
    }
    loads.back().bytes = s.address + s.bytes.size() - loads.back().address;
    if (s.also_segment == 0) continue;
    others.push_back({s.also_segment, RightsOf(s), s.address, s.bytes.size(), s.alignment});
  }
  std::vector<Segment> all = {{kSegmentHeaders, kReads, kHeaderBytes, 0, 8}};
  all.insert(all.end(), loads.begin(), loads.end());
  all.insert(all.end(), others.begin(), others.end());
  all.push_back({kSegmentStack, kReads | kWrites, 0, 0, 0});
  all[0].bytes = kProgramHeaderBytes * all.size();
  return all;
}

void PutProgramHeader(std::vector<uint8_t>& to, const Segment& s) {
  PutNumber(to, s.type, 4);
  PutNumber(to, s.rights, 4);
  for (const uint64_t v : {s.address, s.address, s.address, s.bytes, s.bytes, s.alignment}) {
    PutNumber(to, v, 8);
  }
}

void PutSectionHeader(std::vector<uint8_t>& to, uint32_t name, const ElfSection& s,
                      uint64_t offset) {
  PutNumber(to, name, 4);
  PutNumber(to, s.type, 4);
  for (const uint64_t v : {s.flags, s.address, offset, uint64_t{s.bytes.size()}}) {
    PutNumber(to, v, 8);
  }
  PutNumber(to, s.link, 4);
  PutNumber(to, s.info, 4);
  PutNumber(to, s.alignment, 8);
  PutNumber(to, s.entry_bytes, 8);
}

// `sections` counts the null section and the section names, which are last.
void PutHeader(std::vector<uint8_t>& to, const ElfFile& file, size_t segments, size_t sections,
               uint64_t section_headers) {
  constexpr uint8_t kClass64 = 2, kLittleEndian = 1, kVersion = 1;
  to = {0x7f, 'E', 'L', 'F', kClass64, kLittleEndian, kVersion, file.os_abi, file.abi_version};
  to.resize(16);
  PutNumber(to, file.type, 2);
  PutNumber(to, file.machine, 2);
  PutNumber(to, kVersion, 4);
  PutNumber(to, 0, 8);  // no entry point
  PutNumber(to, kHeaderBytes, 8);
  PutNumber(to, section_headers, 8);
  PutNumber(to, file.flags, 4);
  for (const uint64_t v : {kHeaderBytes, kProgramHeaderBytes, uint64_t{segments},
                           kSectionHeaderBytes, uint64_t{sections}, uint64_t{sections - 1}}) {
    PutNumber(to, v, 2);
  }
}

uint32_t HashOf(const std::string& name) {
  uint32_t h = 0;
  for (const char c : name) {
    h = (h << 4) + static_cast<uint8_t>(c);
    const uint32_t top = h & 0xf0000000;
    h = (h ^ top >> 24) & ~top;
  }
  return h;
}

}  // namespace

void PutNumber(std::vector<uint8_t>& to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

uint32_t ElfStrings::Add(std::string_view text) {
  const auto at = static_cast<uint32_t>(bytes_.size());
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  bytes_.push_back(0);
  return at;
}

void PutSymbol(std::vector<uint8_t>& to, const ElfSymbol& s) {
  constexpr uint8_t kGlobal = 1 << 4, kProtected = 3;
  PutNumber(to, s.name, 4);
  PutNumber(to, kGlobal | s.type, 1);
  PutNumber(to, kProtected, 1);
  PutNumber(to, s.section, 2);
  PutNumber(to, s.value, 8);
  PutNumber(to, s.bytes, 8);
}

// As many buckets as names; a bucket holds the first symbol of a chain, 0 ends it.
std::vector<uint8_t> ElfHashTable(const std::vector<std::string>& names) {
  const auto buckets = static_cast<uint32_t>(names.size());
  std::vector<uint32_t> first(buckets), next(names.size() + 1);
  for (size_t i = 0; i < names.size(); ++i) {
    uint32_t& bucket = first[HashOf(names[i]) % buckets];
    next[i + 1] = bucket;
    bucket = static_cast<uint32_t>(i + 1);
  }
  std::vector<uint8_t> bytes;
  PutNumber(bytes, buckets, 4);
  PutNumber(bytes, next.size(), 4);
  for (const uint32_t v : first) PutNumber(bytes, v, 4);
  for (const uint32_t v : next) PutNumber(bytes, v, 4);
  return bytes;
}

void PlaceSections(ElfFile& file) {
  uint64_t at = kHeaderBytes + kProgramHeaderBytes * SegmentsOf(file).size();
  uint32_t rights = kReads;
  for (ElfSection& s : file.sections) {
    if (!IsAllocated(s)) continue;
    if (RightsOf(s) != rights) at = AlignUp(at, kPage);
    rights = RightsOf(s);
    s.address = at = AlignUp(at, s.alignment);
    at += s.bytes.size();
  }
}

std::vector<uint8_t> WriteElf(const ElfFile& file) {
  std::vector<ElfSection> sections = {ElfSection{}};
  sections[0].alignment = 0;
  sections.insert(sections.end(), file.sections.begin(), file.sections.end());
  ElfSection& last = sections.emplace_back();
  last.name = ".shstrtab";
  last.type = kElfStrings;
  ElfStrings names;
  std::vector<uint32_t> name_of;
  for (const ElfSection& s : sections) name_of.push_back(s.name.empty() ? 0 : names.Add(s.name));
  last.bytes = names.bytes();

  std::vector<uint64_t> offsets;
  uint64_t end = 0;
  for (const ElfSection& s : sections) {
    offsets.push_back(IsAllocated(s) ? s.address
                                     : AlignUp(end, std::max<uint64_t>(s.alignment, 1)));
    end = std::max<uint64_t>(end, offsets.back() + s.bytes.size());
  }
  const uint64_t headers = AlignUp(end, 8);
  const std::vector<Segment> segments = SegmentsOf(file);
  std::vector<uint8_t> bytes;
  PutHeader(bytes, file, segments.size(), sections.size(), headers);
  for (const Segment& s : segments) PutProgramHeader(bytes, s);
  bytes.resize(headers);
  for (size_t i = 1; i < sections.size(); ++i) {
    std::copy(sections[i].bytes.begin(), sections[i].bytes.end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(offsets[i]));
  }
  offsets[0] = 0;
  for (size_t i = 0; i < sections.size(); ++i) {
    PutSectionHeader(bytes, name_of[i], sections[i], offsets[i]);
  }
  return bytes;
}

}  // namespace kiln::out
