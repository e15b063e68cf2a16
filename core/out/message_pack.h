// Writes MessagePack, the binary form of structured data that metadata of AMD's code objects have
// (msgpack.org, "MessagePack specification"). Each value takes its shortest form.
#ifndef KILN_CORE_OUT_MESSAGE_PACK_H_
#define KILN_CORE_OUT_MESSAGE_PACK_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace kiln::out {

// A map is followed by so many pairs of values (keys are texts here), an array by so many values.
class MessagePack {
 public:
  void Map(uint32_t pairs) { Sized(pairs, 0x80, 16, 0xde, 2); }
  void Array(uint32_t values) { Sized(values, 0x90, 16, 0xdc, 2); }
  void Text(std::string_view text);
  void Number(uint64_t value);
  void Truth(bool value) { bytes_.push_back(value ? 0xc3 : 0xc2); }

  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  // Writes a size: in the byte `fixed` where it is below `limit`; else `code` and as many bytes as
  // it needs, at least `least`: the codes of larger sizes follow.
  void Sized(uint32_t size, uint8_t fixed, uint32_t limit, uint8_t code, int least);
  void BigEndian(uint64_t value, int bytes);

  std::vector<uint8_t> bytes_;
};

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_MESSAGE_PACK_H_
