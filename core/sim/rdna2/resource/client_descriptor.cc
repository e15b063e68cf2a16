// See client_descriptor.h.
#include "core/sim/rdna2/resource/client_descriptor.h"

#include <algorithm>
#include <bit>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "core/sim/rdna2/resource/format.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr uint64_t kAddressEnd = uint64_t{1} << 48;

absl::Status CheckAddress(uint64_t address, uint64_t alignment) {
  if (address % alignment == 0 && address < kAddressEnd) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrFormat(
      "address 0x%x of a descriptor, which needs a multiple of %d below 2^48", address, alignment));
}

// radv_tex_dim; an image of one layer is no array.
ImageType TypeOf(const scene::ClientImage& image, bool storage) {
  const bool array = image.layers > 1;
  switch (image.dim) {
    case scene::ImageDim::k1d: return array ? ImageType::k1dArray : ImageType::k1d;
    case scene::ImageDim::k3d: return ImageType::k3d;
    case scene::ImageDim::kCube: return storage ? ImageType::k2dArray : ImageType::kCube;
    default: break;
  }
  if (image.samples > 1) return array ? ImageType::k2dMsaaArray : ImageType::k2dMsaa;
  return array ? ImageType::k2dArray : ImageType::k2d;
}

absl::Status CheckShape(const scene::ClientImage& image) {
  const auto within = [](uint32_t n, uint32_t most) { return n >= 1 && n <= most; };
  constexpr uint32_t kMaxSize = 1 << 14, kMaxLayers = 1 << 13, kMaxLevels = 15, kMaxSamples = 8;
  if (!within(image.width, kMaxSize) || !within(image.height, kMaxSize) ||
      !within(image.depth, kMaxLayers) || !within(image.layers, kMaxLayers) ||
      !within(image.levels, kMaxLevels) || !within(image.samples, kMaxSamples) ||
      !std::has_single_bit(image.samples)) {
    return absl::OutOfRangeError("an image of a size that no descriptor can have");
  }
  return absl::OkStatus();
}

// The driver reads three dwords a texel from buffers only (gfx10_format_table.py, buffers_only).
bool BuffersOnly(scene::TexelFormat f) {
  return f == scene::TexelFormat::kRgb32ui || f == scene::TexelFormat::kRgb32i ||
         f == scene::TexelFormat::kRgb32f;
}

uint8_t ClampOf(scene::AddressMode mode) {
  switch (mode) {
    case scene::AddressMode::kRepeat: return 0;
    case scene::AddressMode::kMirror: return 1;
    case scene::AddressMode::kClamp: return 2;
    case scene::AddressMode::kMirrorClamp: return 3;
    case scene::AddressMode::kBorder: return 6;
  }
  return 0;
}

// util_unsigned_fixed and util_signed_fixed with 8 bits of fraction: truncated.
uint16_t Fixed(float value, float low, float high) {
  return static_cast<uint16_t>(static_cast<int32_t>(std::clamp(value, low, high) * 256));
}

}  // namespace

absl::StatusOr<BufferWords> DescribeBuffer(const scene::ClientBuffer& buffer, uint64_t address,
                                           uint64_t bytes) {
  if (buffer.null_surface || address == 0) return BufferWords{};
  if (absl::Status s = CheckAddress(address, 4); !s.ok()) return s;
  if (bytes > 0xfffffffc) return absl::OutOfRangeError("a buffer of 4 GiB or more");
  BufferResource r;
  r.base = address;
  r.records = static_cast<uint32_t>((bytes + 3) & ~uint64_t{3});
  r.select = kSelectIdentity;
  r.format = 22;  // 32_FLOAT
  r.resource_level = true;
  r.check = OutOfBoundsCheck::kRaw;
  return EncodeBuffer(r);
}

absl::StatusOr<BufferWords> DescribeVertexBuffer(uint64_t address, uint64_t bytes,
                                                 uint32_t stride) {
  if (address == 0) return BufferWords{};
  if (absl::Status s = CheckAddress(address, 1); !s.ok()) return s;
  if (bytes > 0xffffffff) return absl::OutOfRangeError("a vertex buffer of 4 GiB or more");
  if (stride >= 1 << 14) return absl::OutOfRangeError("a vertex stride of 16 KiB or more");
  BufferResource r;
  r.base = address;
  r.stride = stride;
  r.records = static_cast<uint32_t>(stride == 0 ? bytes : (bytes + stride - 1) / stride);
  r.select = kSelectIdentity;
  r.format = 20;  // 32_UINT
  r.resource_level = true;
  r.check = stride == 0 ? OutOfBoundsCheck::kRaw : OutOfBoundsCheck::kStructured;
  return EncodeBuffer(r);
}

absl::StatusOr<BufferWords> DescribeVertexAttribute(uint64_t address,
                                                    const scene::VertexInput& input) {
  // 32_UINT, 32_32_UINT, ..., each two in front of the same as FLOAT.
  constexpr uint8_t kIntegers[] = {20, 62, 72, 75};
  constexpr uint8_t kToFloat = 2;
  if (absl::Status s = CheckAddress(address, 1); !s.ok()) return s;
  BufferResource r;
  r.base = address;
  r.stride = 4 * input.components;
  r.records = static_cast<uint32_t>(input.bits.size() / input.components);
  r.format = kIntegers[input.components - 1];
  if (input.missing_w != 1) r.format = static_cast<uint8_t>(r.format + kToFloat);
  r.select = kSelectIdentity;
  for (size_t c = input.components; c < 4; ++c) r.select[c] = c == 3 ? kSelect1 : kSelect0;
  r.resource_level = true;
  r.check = OutOfBoundsCheck::kStructured;
  return EncodeBuffer(r);
}

absl::StatusOr<BufferWords> DescribeTexelBuffer(const scene::ClientImage& image, uint64_t address) {
  if (image.null_surface) return BufferWords{};
  if (absl::Status s = CheckAddress(address, 1); !s.ok()) return s;
  const absl::StatusOr<DescribedFormat> format = DescribeFormat(image.format);
  if (!format.ok()) return format.status();
  BufferResource r;
  r.base = address;
  r.stride = static_cast<uint32_t>(scene::TexelBytes(image.format));
  r.records = image.width;
  r.select = format->select;
  if (format->number > 127) return absl::UnimplementedError("a texel buffer of this format");
  r.format = static_cast<uint8_t>(format->number);
  r.resource_level = true;
  r.check = OutOfBoundsCheck::kStructuredWithOffset;
  return EncodeBuffer(r);
}

absl::StatusOr<ImageWords> DescribeImage(const scene::ClientImage& image, uint64_t address,
                                         bool storage) {
  if (image.null_surface) return ImageWords{};
  if (absl::Status s = CheckAddress(address, 256); !s.ok()) return s;
  if (absl::Status s = CheckShape(image); !s.ok()) return s;
  const absl::StatusOr<DescribedFormat> format = DescribeFormat(image.format);
  if (!format.ok()) return format.status();
  if (BuffersOnly(image.format)) {
    return absl::UnimplementedError("the driver has no images of three 32-bit components");
  }
  ImageResource r;
  r.base = address;
  r.format = static_cast<uint16_t>(format->number);
  r.width = static_cast<uint16_t>(image.width - 1);
  r.height = static_cast<uint16_t>(image.height - 1);
  r.resource_level = true;
  r.select = format->select;
  const uint32_t last =
      image.samples > 1 ? static_cast<uint32_t>(std::countr_zero(image.samples)) : image.levels - 1;
  r.last_level = static_cast<uint8_t>(last);
  r.max_mip = static_cast<uint8_t>(last);
  r.border_swizzle = format->border_swizzle;
  r.type = static_cast<uint8_t>(TypeOf(image, storage));
  const bool volume = image.dim == scene::ImageDim::k3d;
  r.depth = static_cast<uint16_t>((volume ? image.depth : image.layers) - 1);
  r.perf_mod = 4;
  return EncodeImage(r);
}

SamplerWords DescribeSampler(const scene::ClientSampler& sampler) {
  SamplerState s;
  bool border = false;
  for (size_t a = 0; a < 3; ++a) {
    s.clamp[a] = ClampOf(sampler.address[a]);
    border = border || sampler.address[a] == scene::AddressMode::kBorder;
  }
  if (sampler.compare) s.compare = static_cast<uint8_t>(*sampler.compare);
  s.force_unnormalized = sampler.unnormalized;
  s.trunc_coord = !sampler.mag_linear && !sampler.min_linear;
  s.min_lod = Fixed(sampler.min_lod, 0, 15);
  s.max_lod = Fixed(sampler.max_lod, 0, 15);
  s.lod_bias = Fixed(sampler.lod_bias, -32, 31);
  s.mag_filter = sampler.mag_linear ? 1 : 0;
  s.min_filter = sampler.min_linear ? 1 : 0;
  s.mip_filter = sampler.linear_mips ? 2 : 1;
  if (border) s.border_color_type = static_cast<uint8_t>(sampler.border);
  return EncodeSampler(s);
}

}  // namespace kiln::sim::rdna2
