#include "core/out/message_pack.h"

namespace kiln::out {

void MessagePack::BigEndian(uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) bytes_.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

void MessagePack::Sized(uint32_t size, uint8_t fixed, uint32_t limit, uint8_t code, int least) {
  if (size < limit) {
    bytes_.push_back(static_cast<uint8_t>(fixed | size));
    return;
  }
  int bytes = least;
  while (bytes < 4 && size >> (8 * bytes) != 0) {
    bytes *= 2;
    ++code;
  }
  bytes_.push_back(code);
  BigEndian(size, bytes);
}

void MessagePack::Text(std::string_view text) {
  Sized(static_cast<uint32_t>(text.size()), 0xa0, 32, 0xd9, 1);
  bytes_.insert(bytes_.end(), text.begin(), text.end());
}

void MessagePack::Number(uint64_t value) {
  constexpr uint8_t kUnsigned8 = 0xcc;
  if (value < 128) {
    bytes_.push_back(static_cast<uint8_t>(value));
    return;
  }
  int bytes = 1;
  uint8_t code = kUnsigned8;
  while (bytes < 8 && value >> (8 * bytes) != 0) {
    bytes *= 2;
    ++code;
  }
  bytes_.push_back(code);
  BigEndian(value, bytes);
}

}  // namespace kiln::out
