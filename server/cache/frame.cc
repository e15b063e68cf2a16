// Makes and finds frames of records: see frame.h.
#include "server/cache/frame.h"

#include <algorithm>
#include <random>
#include <utility>

#include "server/cache/record.h"

namespace kiln::cache {
namespace {

constexpr std::string_view kMagic = "KLF";
constexpr size_t kClassAt = 3, kSaltAt = 4, kKeyBytesAt = 12, kRecordBytesAt = 16;
// Written twice for a key longer than kMaxKey, kNoKey is no length with its complement.
constexpr uint64_t kMaxKey = 0xffff, kNoKey = 0;
constexpr size_t kLogBlock = 32 << 10, kLogHeader = 7;

void Append(uint64_t number, size_t bytes, std::string* to) {
  for (size_t i = 0; i < bytes; ++i) to->push_back(static_cast<char>(number >> 8 * i));
}

uint64_t Number(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return number;
}

bool IsClass(char letter) {
  return letter == static_cast<char>(RecordClass::kRecord) ||
         letter == static_cast<char>(RecordClass::kInvalid) ||
         letter == static_cast<char>(RecordClass::kErased);
}

}  // namespace

Salt NewSalt() {
  std::random_device random;
  for (;;) {
    if (const Salt salt = Salt{random()} << 32 | random(); salt != 0) return salt;
  }
}

std::string MakeFrame(Salt salt, RecordClass record_class, std::string_view key,
                      std::string_view record) {
  std::string frame;
  frame.reserve(kFrameBytes + record.size());
  frame.append(kMagic).push_back(static_cast<char>(record_class));
  Append(salt, 8, &frame);
  const uint64_t key_bytes = key.size() <= kMaxKey ? key.size() : kNoKey;
  Append(key_bytes, 2, &frame);
  Append(key.size() <= kMaxKey ? ~key_bytes : kNoKey, 2, &frame);
  Append(record.size(), 4, &frame);
  return frame.append(record);
}

RecordClass TakeOffFrame(std::string_view* stored) {
  if (stored->size() < kFrameBytes || !stored->starts_with(kMagic)) return RecordClass::kRecord;
  const auto record_class = static_cast<RecordClass>((*stored)[kClassAt]);
  stored->remove_prefix(kFrameBytes);
  return record_class;
}

void FindFrames(std::string_view bytes, Salt salt, const std::function<void(FoundFrame)>& take) {
  std::string needle;
  Append(salt, 8, &needle);
  for (size_t at = bytes.find(needle, kSaltAt); at != bytes.npos; at = bytes.find(needle, at)) {
    const std::string_view rest = bytes.substr(at - kSaltAt);
    ++at;
    if (rest.size() < kFrameBytes || !rest.starts_with(kMagic) || !IsClass(rest[kClassAt])) {
      continue;
    }
    FoundFrame found;
    const uint64_t record_bytes = Number(rest.substr(kRecordBytesAt, 4));
    found.record_class = static_cast<RecordClass>(rest[kClassAt]);
    found.frame = rest.substr(0, kFrameBytes + record_bytes);
    const uint64_t key_bytes = Number(rest.substr(kKeyBytesAt, 2));
    if ((key_bytes ^ Number(rest.substr(kKeyBytesAt + 2, 2))) != kMaxKey ||
        found.frame.size() != kFrameBytes + record_bytes ||
        !KeyOfRecord(found.frame.substr(kFrameBytes), key_bytes, &found.key)) {
      continue;
    }
    at += found.frame.size() - kSaltAt - 1;
    take(std::move(found));
  }
}

void JoinLogBlocks(std::string* bytes) {
  size_t end = 0;
  for (size_t block = 0; block < bytes->size(); block += kLogBlock) {
    const size_t size = std::min(kLogBlock, bytes->size() - block);
    if (size <= kLogHeader) break;
    std::copy_n(bytes->begin() + static_cast<ptrdiff_t>(block + kLogHeader), size - kLogHeader,
                bytes->begin() + static_cast<ptrdiff_t>(end));
    end += size - kLogHeader;
  }
  bytes->resize(end);
}

}  // namespace kiln::cache
