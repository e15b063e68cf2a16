#include "core/out/read_message_pack.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace kiln::out {
namespace {

constexpr int kMaxDepth = 16;

class Reader {
 public:
  explicit Reader(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  absl::Status Read(int depth, PackedValue& to);

 private:
  absl::Status Ends() const {
    return absl::InvalidArgumentError(absl::StrCat("MessagePack ends too early, at byte ", at_));
  }
  bool Has(uint64_t size) const { return size <= bytes_.size() - at_; }

  // Reads a number of so many bytes; false: they are not there.
  bool BigEndian(int size, uint64_t* value) {
    if (!Has(static_cast<uint64_t>(size))) return false;
    *value = 0;
    for (int i = 0; i < size; ++i) *value = *value << 8 | bytes_[at_++];
    return true;
  }

  absl::Status Number(int size, PackedValue& to) {
    to.kind = PackedValue::Kind::kNumber;
    return BigEndian(size, &to.number) ? absl::OkStatus() : Ends();
  }
  absl::Status Skip(uint64_t size) {
    if (!Has(size)) return Ends();
    at_ += size;
    return absl::OkStatus();
  }
  // Skips what follows a size of so many bytes, and `extra` bytes before it.
  absl::Status SkipSized(int size_bytes, uint64_t extra) {
    uint64_t size = 0;
    return BigEndian(size_bytes, &size) ? Skip(size + extra) : Ends();
  }
  absl::Status Text(uint64_t size, PackedValue& to);
  absl::Status Items(PackedValue::Kind kind, uint64_t count, int depth, PackedValue& to);
  absl::Status ReadCode(uint8_t code, int depth, PackedValue& to);

  absl::Span<const uint8_t> bytes_;
  size_t at_ = 0;
};

absl::Status Reader::Text(uint64_t size, PackedValue& to) {
  if (!Has(size)) return Ends();
  to.kind = PackedValue::Kind::kText;
  to.text.assign(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
  at_ += size;
  return absl::OkStatus();
}

absl::Status Reader::Items(PackedValue::Kind kind, uint64_t count, int depth, PackedValue& to) {
  if (depth == kMaxDepth) return absl::InvalidArgumentError("MessagePack is nested too deep");
  if (!Has(count)) return Ends();  // each takes a byte at least
  to.kind = kind;
  for (uint64_t i = 0; i < count; ++i) {
    if (absl::Status s = Read(depth + 1, to.items.emplace_back()); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// Values whose code has no size in itself.
absl::Status Reader::ReadCode(uint8_t code, int depth, PackedValue& to) {
  using Kind = PackedValue::Kind;
  uint64_t size = 0;
  switch (code) {
    case 0xc0: return absl::OkStatus();  // nil
    case 0xc2:
    case 0xc3:
      to.kind = Kind::kTruth;
      to.number = code & 1;
      return absl::OkStatus();
    case 0xc4:
    case 0xc5:
    case 0xc6: return SkipSized(1 << (code - 0xc4), 0);  // binary data
    case 0xc7:
    case 0xc8:
    case 0xc9: return SkipSized(1 << (code - 0xc7), 1);  // extensions, after a byte of type
    case 0xca: return Skip(4);                           // floats
    case 0xcb: return Skip(8);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf: return Number(1 << (code - 0xcc), to);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return Skip(uint64_t{1} << (code - 0xd0));  // signed
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8: return Skip(1 + (uint64_t{1} << (code - 0xd4)));  // extensions of fixed size
    case 0xd9:
    case 0xda:
    case 0xdb: return BigEndian(1 << (code - 0xd9), &size) ? Text(size, to) : Ends();
    case 0xdc:
    case 0xdd:
      return BigEndian(2 << (code - 0xdc), &size) ? Items(Kind::kArray, size, depth, to) : Ends();
    case 0xde:
    case 0xdf:
      return BigEndian(2 << (code - 0xde), &size) ? Items(Kind::kMap, 2 * size, depth, to) : Ends();
    default: return absl::InvalidArgumentError(absl::StrCat("MessagePack code ", code));
  }
}

absl::Status Reader::Read(int depth, PackedValue& to) {
  if (!Has(1)) return Ends();
  const uint8_t code = bytes_[at_++];
  if (code < 0x80) {
    to.kind = PackedValue::Kind::kNumber;
    to.number = code;
    return absl::OkStatus();
  }
  if (code < 0x90) return Items(PackedValue::Kind::kMap, 2 * (code & 15u), depth, to);
  if (code < 0xa0) return Items(PackedValue::Kind::kArray, code & 15u, depth, to);
  if (code < 0xc0) return Text(code & 31u, to);
  if (code >= 0xe0) return absl::OkStatus();  // a small negative number
  return ReadCode(code, depth, to);
}

}  // namespace

const PackedValue* PackedValue::Find(std::string_view key) const {
  if (kind != Kind::kMap) return nullptr;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].kind == Kind::kText && items[i].text == key) return &items[i + 1];
  }
  return nullptr;
}

absl::StatusOr<PackedValue> ReadMessagePack(absl::Span<const uint8_t> bytes) {
  PackedValue value;
  if (absl::Status s = Reader(bytes).Read(0, value); !s.ok()) return s;
  return value;
}

}  // namespace kiln::out
