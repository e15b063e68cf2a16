#include "tests/amd/code_object.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace kiln::tests {
namespace {

using Bytes = absl::Span<const uint8_t>;

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("code object: ", what));
}

// Returns ones beyond the end: no offset or size that a file has.
uint64_t NumberAt(Bytes bytes, uint64_t at, int size) {
  if (at > bytes.size() || bytes.size() - at < static_cast<uint64_t>(size)) return ~uint64_t{0};
  uint64_t v = 0;
  for (int i = size - 1; i >= 0; --i) v = v << 8 | bytes[at + static_cast<uint64_t>(i)];
  return v;
}

bool Fits(Bytes bytes, uint64_t at, uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

constexpr uint64_t kDescriptorBytes = 64;

}  // namespace

absl::Status CodeObject::ReadHeaders(Bytes file) {
  if (file.size() < 64 || NumberAt(file, 0, 4) != 0x464c457f) return Wrong("no ELF");
  if (file[4] != 2 || file[5] != 1 || file[6] != 1) return Wrong("class, order or version");
  if (file[7] != 64) return Wrong("OSABI is not that of HSA");
  if (file[8] != 3) return Wrong("ABI version is not that of code object 5");
  if (NumberAt(file, 16, 2) != 3) return Wrong("no shared object");
  if (NumberAt(file, 18, 2) != 224) return Wrong("machine");
  if (NumberAt(file, 48, 4) != 0x36) return Wrong("flags are not gfx1030's");
  const uint64_t headers = NumberAt(file, 32, 8), count = NumberAt(file, 56, 2);
  if (NumberAt(file, 54, 2) != 56) return Wrong("size of program headers");
  bool has_notes = false, has_dynamic = false;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = headers + 56 * i;
    const uint64_t type = NumberAt(file, at, 4), rights = NumberAt(file, at + 4, 4);
    const uint64_t offset = NumberAt(file, at + 8, 8), address = NumberAt(file, at + 16, 8);
    const uint64_t bytes = NumberAt(file, at + 32, 8), in_memory = NumberAt(file, at + 40, 8);
    const uint64_t alignment = NumberAt(file, at + 48, 8);
    if (!Fits(file, offset, bytes)) return Wrong("segment beyond the file");
    const Bytes contents = file.subspan(offset, bytes);
    absl::Status s;
    if (type == 1) {
      if (in_memory < bytes || alignment == 0 || (address - offset) % alignment != 0) {
        return Wrong("segment's size or alignment");
      }
      if (!segments_.empty() &&
          address / 4096 <= (segments_.back().address + segments_.back().bytes.size() - 1) / 4096) {
        return Wrong("segments share a page");
      }
      Segment& segment = segments_.emplace_back();
      segment.address = address;
      segment.bytes.assign(contents.begin(), contents.end());
      segment.bytes.resize(in_memory);
      segment.executable = (rights & 1) != 0;
    } else if (type == 2) {
      has_dynamic = true;
      s = ReadDynamic(contents);
    } else if (type == 4) {
      has_notes = true;
      s = ReadNotes(contents);
    }
    if (!s.ok()) return s;
  }
  if (!has_notes || !has_dynamic) return Wrong("no notes or no dynamic table");
  return absl::OkStatus();
}

absl::Status CodeObject::ReadNotes(Bytes notes) {
  const uint64_t name_bytes = NumberAt(notes, 0, 4), bytes = NumberAt(notes, 4, 4);
  if (name_bytes != 7 || NumberAt(notes, 8, 4) != 32) return Wrong("kind of note");
  if (!Fits(notes, 20, bytes)) return Wrong("note's size");
  if (std::string(notes.begin() + 12, notes.begin() + 18) != "AMDGPU") return Wrong("note's owner");
  const Bytes contents = notes.subspan(20, bytes);
  metadata_ = nlohmann::json::from_msgpack(contents.begin(), contents.end(), true, false);
  if (!metadata_.is_object()) return Wrong("metadata are no MessagePack map");
  return absl::OkStatus();
}

absl::Status CodeObject::ReadDynamic(Bytes table) {
  uint64_t symbol_bytes = 0;
  for (uint64_t at = 0; at + 16 <= table.size(); at += 16) {
    const uint64_t value = NumberAt(table, at + 8, 8);
    switch (NumberAt(table, at, 8)) {
      case 4: hash_ = value; break;
      case 5: strings_ = value; break;
      case 6: symbols_ = value; break;
      case 11: symbol_bytes = value; break;
      default: break;
    }
  }
  if (hash_ == 0 || strings_ == 0 || symbols_ == 0 || symbol_bytes != 24) {
    return Wrong("dynamic table");
  }
  return absl::OkStatus();
}

absl::StatusOr<CodeObject> CodeObject::Load(Bytes file) {
  CodeObject object;
  if (absl::Status s = object.ReadHeaders(file); !s.ok()) return s;
  const nlohmann::json& m = object.metadata_;
  if (m.value("amdhsa.version", nlohmann::json()) != nlohmann::json({1, 2})) {
    return Wrong("version of the metadata");
  }
  if (m.value("amdhsa.target", "") != "amdgcn-amd-amdhsa--gfx1030") return Wrong("target");
  if (!m.contains("amdhsa.kernels")) return Wrong("no kernels");
  return object;
}

const nlohmann::json* CodeObject::KernelOf(const std::string& symbol) const {
  for (const nlohmann::json& kernel : metadata_["amdhsa.kernels"]) {
    if (kernel.value(".symbol", "") == symbol) return &kernel;
  }
  return nullptr;
}

uint64_t CodeObject::At(uint64_t address, int bytes) const {
  for (const Segment& s : segments_) {
    if (address >= s.address && address - s.address < s.bytes.size()) {
      return NumberAt(s.bytes, address - s.address, bytes);
    }
  }
  ++faults_;
  return 0;
}

std::string CodeObject::TextAt(uint64_t address) const {
  std::string text;
  for (uint64_t c = At(address, 1); c != 0 && c < 256; c = At(++address, 1)) {
    text += static_cast<char>(c);
  }
  return text;
}

absl::StatusOr<CodeObject::Symbol> CodeObject::Find(const std::string& name) const {
  uint32_t h = 0;
  for (const char c : name) {
    h = (h << 4) + static_cast<uint8_t>(c);
    const uint32_t top = h & 0xf0000000;
    if (top != 0) h ^= top >> 24;
    h &= ~top;
  }
  const uint64_t buckets = At(hash_, 4), chains = At(hash_ + 4, 4);
  if (buckets == 0) return Wrong("empty hash table");
  uint64_t at = At(hash_ + 8 + 4 * (h % buckets), 4);
  for (uint64_t steps = 0; at != 0 && at < chains && steps < chains; ++steps) {
    const uint64_t symbol = symbols_ + 24 * at;
    if (TextAt(strings_ + At(symbol, 4)) == name) {
      return Symbol{At(symbol + 8, 8), At(symbol + 16, 8),
                    static_cast<uint8_t>(At(symbol + 4, 1) & 15)};
    }
    at = At(hash_ + 8 + 4 * (buckets + at), 4);
  }
  return absl::NotFoundError(absl::StrCat("no symbol ", name));
}

absl::StatusOr<KernelDescriptor> CodeObject::DescriptorAt(uint64_t address) const {
  if (address % kDescriptorBytes != 0) return Wrong("descriptor's alignment");
  const int before = faults_;
  KernelDescriptor d;
  const auto dword = [&](uint64_t at) { return static_cast<uint32_t>(At(address + at, 4)); };
  d.group_segment_bytes = dword(0);
  d.private_segment_bytes = dword(4);
  d.kernarg_bytes = dword(8);
  d.entry_offset = static_cast<int64_t>(At(address + 16, 8));
  d.rsrc3 = dword(44);
  d.rsrc1 = dword(48);
  d.rsrc2 = dword(52);
  d.properties = static_cast<uint16_t>(At(address + 56, 2));
  d.preload = static_cast<uint16_t>(At(address + 58, 2));
  for (const uint64_t reserved : {12, 24, 28, 32, 36, 40, 60}) {
    if (dword(reserved) != 0) return Wrong("reserved bytes of the descriptor");
  }
  if (faults_ != before) return Wrong("descriptor outside the image");
  return d;
}

absl::StatusOr<Bytes> CodeObject::CodeAt(uint64_t address) const {
  if (address % 256 != 0) return Wrong("alignment of code");
  for (const Segment& s : segments_) {
    if (!s.executable || address < s.address || address - s.address >= s.bytes.size()) continue;
    return Bytes(s.bytes).subspan(address - s.address);
  }
  return Wrong("entry outside executable memory");
}

}  // namespace kiln::tests
