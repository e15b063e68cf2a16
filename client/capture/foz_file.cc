// Stream archives of Fossilize: see foz_file.h.
#include "client/capture/foz_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

constexpr char kMagic[] =
    "\x81"
    "FOSSILIZEDB\0\0";  // with the literal's end, 3 zeros
constexpr size_t kMagicBytes = 15;
constexpr size_t kStartBytes = 16;
constexpr int kOldestVersion = 5, kNewestVersion = 6;
constexpr size_t kTagDigits = 24, kHashDigits = 16;
constexpr size_t kHeaderBytes = kTagDigits + kHashDigits + 4 * 4;
// The tag is the last 8 digits of its field; the others are zeros.
constexpr size_t kLeadingZeros = 16;
constexpr uint32_t kPlain = 1, kDeflate = 2;

bool ParseHex(absl::string_view digits, uint64_t* value) {
  *value = 0;
  for (const char c : digits) {
    uint64_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<uint64_t>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<uint64_t>(c - 'A') + 10;
    } else {
      return false;
    }
    *value = *value << 4 | digit;
  }
  return true;
}

uint32_t LittleEndian(const char* bytes) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

bool IsTagKept(uint64_t tag) {
  switch (static_cast<FozTag>(tag)) {
    case FozTag::kModule:
    case FozTag::kRenderPass:
    case FozTag::kGraphicsPipeline:
    case FozTag::kComputePipeline:
    case FozTag::kRayTracingPipeline: return true;
  }
  return false;
}

enum class KeyKind { kCapture, kDigest, kNone };

// Reads the 40 digits of an entry. kDigest: digits that are no tag and hash.
KeyKind ReadKey(absl::string_view digits, uint64_t* tag, uint64_t* hash) {
  uint64_t high = 0;
  const absl::string_view field = digits.substr(0, kTagDigits);
  if (!ParseHex(field.substr(0, kLeadingZeros), &high) ||
      !ParseHex(field.substr(kLeadingZeros), tag) || !ParseHex(digits.substr(kTagDigits), hash)) {
    return KeyKind::kNone;
  }
  return high == 0 ? KeyKind::kCapture : KeyKind::kDigest;
}

absl::Status OpenError(const std::string& path, int error) {
  const std::string text = absl::StrCat(path, ": ", strerror(error));
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(text);
  return error == EACCES ? absl::PermissionDeniedError(text) : absl::FailedPreconditionError(text);
}

}  // namespace

absl::StatusOr<std::unique_ptr<FozFile>> FozFile::Open(const std::string& path) {
  // Not blocked by a FIFO of this name.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return OpenError(path, errno);
  std::unique_ptr<FozFile> opened(new FozFile(path, file));
  if (absl::Status s = opened->ReadIndex(); !s.ok()) return s;
  return opened;
}

FozFile::~FozFile() { close(file_); }

bool FozFile::ReadAt(uint64_t offset, char* bytes, size_t count) const {
  while (count != 0) {
    const ssize_t got = pread(file_, bytes, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    offset += static_cast<uint64_t>(got);
    count -= static_cast<size_t>(got);
  }
  return true;
}

absl::Status FozFile::ReadIndex() {
  const auto wrong = [this](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(path_, ": ", why));
  };
  struct stat facts = {};
  if (fstat(file_, &facts) != 0) return OpenError(path_, errno);
  if (!S_ISREG(facts.st_mode)) return wrong("is not a regular file");
  const uint64_t size = static_cast<uint64_t>(facts.st_size);
  char start[kStartBytes];
  if (size < kStartBytes || !ReadAt(0, start, kStartBytes) ||
      memcmp(start, kMagic, kMagicBytes) != 0) {
    return wrong("is not a Fossilize capture: it does not begin with the format's magic number");
  }
  const int version = static_cast<uint8_t>(start[kMagicBytes]);
  if (version < kOldestVersion || version > kNewestVersion) {
    return wrong(absl::StrCat("is of version ", version, " of Fossilize's format; versions ",
                              kOldestVersion, " and ", kNewestVersion, " are read"));
  }
  uint64_t offset = kStartBytes;
  while (offset < size) {
    char header[kHeaderBytes];
    if (size - offset < kHeaderBytes || !ReadAt(offset, header, kHeaderBytes)) {
      trouble_ = absl::StrCat("the last entry is cut short (byte ", offset, ")");
      break;
    }
    uint64_t tag = 0, hash = 0;
    const KeyKind key = ReadKey({header, kTagDigits + kHashDigits}, &tag, &hash);
    if (key == KeyKind::kDigest && offset == kStartBytes) {
      return wrong(
          "is a shader cache of Mesa in a single file, not a capture: it has binaries of a driver "
          "and no pipelines");
    }
    if (key != KeyKind::kCapture) {
      trouble_ = absl::StrCat("the entry at byte ", offset,
                              " is damaged; it and all after it are left out");
      break;
    }
    const char* numbers = header + kTagDigits + kHashDigits;
    const FozEntry entry = {hash,
                            offset + kHeaderBytes,
                            LittleEndian(numbers),
                            LittleEndian(numbers + 4),
                            LittleEndian(numbers + 8),
                            LittleEndian(numbers + 12)};
    if (entry.stored_bytes > size - entry.offset) {
      trouble_ = absl::StrCat("the last entry is cut short (byte ", offset, ")");
      break;
    }
    if (IsTagKept(tag)) entries_[static_cast<FozTag>(tag)].emplace(hash, entry);
    offset = entry.offset + entry.stored_bytes;
  }
  return absl::OkStatus();
}

const FozEntry* FozFile::Find(FozTag tag, uint64_t hash) const {
  const auto of_tag = entries_.find(tag);
  if (of_tag == entries_.end()) return nullptr;
  const auto entry = of_tag->second.find(hash);
  return entry == of_tag->second.end() ? nullptr : &entry->second;
}

std::vector<uint64_t> FozFile::Hashes(FozTag tag) const {
  std::vector<uint64_t> hashes;
  const auto of_tag = entries_.find(tag);
  if (of_tag == entries_.end()) return hashes;
  hashes.reserve(of_tag->second.size());
  for (const auto& [hash, entry] : of_tag->second) hashes.push_back(hash);
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

absl::StatusOr<std::string> FozFile::Read(const FozEntry& entry) const {
  if (entry.stored_bytes > kMaxFozPayload) {
    return absl::DataLossError(
        absl::StrCat("has ", entry.stored_bytes, " bytes; at most ", kMaxFozPayload, " are read"));
  }
  std::string stored(entry.stored_bytes, '\0');
  if (!ReadAt(entry.offset, stored.data(), stored.size())) {
    return absl::DataLossError(absl::StrCat("cannot be read from ", path_));
  }
  return InflateFozPayload(entry, std::move(stored));
}

absl::StatusOr<std::string> InflateFozPayload(const FozEntry& entry, std::string stored) {
  const auto* bytes = reinterpret_cast<const Bytef*>(stored.data());
  const auto count = static_cast<uLong>(stored.size());
  if (entry.crc != 0 && crc32(crc32(0, nullptr, 0), bytes, static_cast<uInt>(count)) != entry.crc) {
    return absl::DataLossError("its checksum does not fit its bytes");
  }
  if (entry.format == kPlain) {
    if (entry.inflated_bytes == stored.size()) return stored;
    return absl::DataLossError("its two lengths differ, though it is not compressed");
  }
  if (entry.format != kDeflate) {
    return absl::DataLossError(absl::StrCat("its compression, ", entry.format, ", is unknown"));
  }
  if (entry.inflated_bytes > kMaxFozPayload) {
    return absl::DataLossError(absl::StrCat("it would have ", entry.inflated_bytes,
                                            " bytes when inflated; at most ", kMaxFozPayload,
                                            " are read"));
  }
  // Deflate makes at most 1032 bytes of one (zlib's technical notes), so that a few bytes which
  // claim to be many do not cost that memory.
  if (entry.inflated_bytes / 1032 > stored.size()) {
    return absl::DataLossError("it is too short for the length that it claims to have");
  }
  std::string inflated(entry.inflated_bytes, '\0');
  uLongf made = inflated.size();
  const int done = uncompress(reinterpret_cast<Bytef*>(inflated.data()), &made, bytes, count);
  if (done != Z_OK || made != inflated.size()) {
    return absl::DataLossError("it does not inflate to the length that it claims to have");
  }
  return inflated;
}

}  // namespace kiln::client
