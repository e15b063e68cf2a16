// See typed_buffer.h.
#include "core/sim/rdna2/resource/typed_buffer.h"

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace kiln::sim::rdna2 {
namespace isa = ::kiln::amd::isa;

bool IsTypedBuffer(const isa::Instruction& inst) {
  const isa::OpcodeInfo& info = isa::Info(inst.op);
  return info.encoding == isa::Encoding::kMtbuf ||
         (info.encoding == isa::Encoding::kMubuf && absl::StrContains(info.mnemonic, "_format_"));
}

absl::StatusOr<TypedBuffer> TypedBufferOf(const isa::Instruction& inst,
                                          const BufferResource& resource) {
  const isa::OpcodeInfo& info = isa::Info(inst.op);
  const bool own_format = info.encoding == isa::Encoding::kMtbuf;
  uint32_t number = own_format ? inst.format : resource.format;
  constexpr uint32_t kAny = 20;  // the null descriptor has no format
  if (number == 0 && resource.records == 0) number = kAny;
  const absl::StatusOr<HardwareFormat> format = FormatOf(number);
  if (!format.ok()) return format.status();
  TypedBuffer access;
  access.format = *format;
  access.select = own_format ? kSelectIdentity : resource.select;
  const absl::string_view name = info.mnemonic;
  access.components = static_cast<int>(name.size() - name.rfind('_') - 1);  // x, xy, xyz, xyzw
  access.d16 = absl::StrContains(name, "_d16");
  access.high_half = absl::StrContains(name, "_d16_hi");
  return access;
}

void LoadTyped(const TypedBuffer& access, const uint8_t* bytes, absl::Span<uint32_t> data) {
  const scene::Texel texel = LoadTexel(access.format, access.select, bytes);
  const absl::Span<const uint32_t> components(texel.data(), static_cast<size_t>(access.components));
  if (!access.d16 || access.components > 1) {
    PackComponents(components, access.d16, access.format.integer(), data);
    return;
  }
  uint32_t half = 0;
  PackComponents(components, true, access.format.integer(), absl::MakeSpan(&half, 1));
  data[0] = access.high_half ? (data[0] & 0xffff) | half << 16 : (data[0] & 0xffff0000) | half;
}

absl::Status StoreTyped(const TypedBuffer& access, absl::Span<const uint32_t> data,
                        uint8_t* bytes) {
  scene::Texel texel{};
  const absl::Span<uint32_t> components(texel.data(), static_cast<size_t>(access.components));
  const uint32_t high = data[0] >> 16;
  UnpackComponents(access.high_half ? absl::MakeConstSpan(&high, 1) : data, access.d16,
                   access.format, components);
  return StoreTexel(access.format, access.select, texel, bytes);
}

}  // namespace kiln::sim::rdna2
