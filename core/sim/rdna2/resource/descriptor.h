// Descriptors of gfx1030 with their fields: buffers (V#, 128 bits), images (T#, 256 bits), samplers
// (S#, 128 bits).
//
// Fields have the names and bits of Mesa's register database (amd/registers/gfx10-rsrc.json, types
// SQ_BUF_RSRC, SQ_IMG_RSRC and SQ_IMG_SAMP, "_gfx103" where there is one; AMD's "RDNA 2" ISA guide,
// 8.1.8, 8.2.5 and 8.2.6). Their values are those of the words: sizes of images are one less than
// the size, levels of detail are fixed-point numbers. Decode and encode are inverse but for bits
// that belong to no field.
#ifndef KILN_CORE_SIM_RDNA2_RESOURCE_DESCRIPTOR_H_
#define KILN_CORE_SIM_RDNA2_RESOURCE_DESCRIPTOR_H_

#include <array>
#include <cstdint>

namespace kiln::sim::rdna2 {

using BufferWords = std::array<uint32_t, 4>;
using ImageWords = std::array<uint32_t, 8>;
using SamplerWords = std::array<uint32_t, 4>;

// DST_SEL: for each component of the result what it holds. SQ_SEL of the database.
inline constexpr uint8_t kSelect0 = 0, kSelect1 = 1, kSelectX = 4;
using Select = std::array<uint8_t, 4>;
inline constexpr Select kSelectIdentity = {4, 5, 6, 7};

// OOB_SELECT: what is outside a buffer (buffer_address.h).
enum class OutOfBoundsCheck : uint8_t { kStructuredWithOffset, kStructured, kDisabled, kRaw };

struct BufferResource {
  uint64_t base = 0;    // 48 bits
  uint32_t stride = 0;  // bytes
  bool cache_swizzle = false;
  bool swizzle = false;
  uint32_t records = 0;
  Select select{};
  uint8_t format = 0;
  uint8_t index_stride = 0;  // 8, 16, 32 or 64 records
  bool add_thread_id = false;
  bool resource_level = false;
  uint8_t llc_noalloc = 0;
  OutOfBoundsCheck check = OutOfBoundsCheck::kStructuredWithOffset;
  uint8_t type = 0;  // 0

  friend bool operator==(const BufferResource&, const BufferResource&) = default;
};

// TYPE of an image; lower numbers are buffers, among them the null descriptor.
enum class ImageType : uint8_t {
  k1d = 8,
  k2d,
  k3d,
  kCube,
  k1dArray,
  k2dArray,
  k2dMsaa,
  k2dMsaaArray,
};

struct ImageResource {
  uint64_t base = 0;     // bytes; a multiple of 256 below 2^48
  uint16_t min_lod = 0;  // 4.8
  uint16_t format = 0;
  uint16_t width = 0, height = 0;
  bool resource_level = false;
  Select select{};
  uint8_t base_level = 0;
  uint8_t last_level = 0;  // of an image with samples: log2 of their number
  uint8_t swizzle_mode = 0;
  uint8_t border_swizzle = 0;
  uint8_t type = 0;    // ImageType
  uint16_t depth = 0;  // of 3D images; else the last layer (cubes: face)
  bool pitch_msb = false;
  uint16_t base_array = 0;
  uint8_t array_pitch = 0;  // 1: a view of slices of a 3D image
  uint8_t max_mip = 0;
  uint16_t min_lod_warn = 0;
  uint8_t perf_mod = 0;
  bool corner_samples = false;
  bool lod_hdw_cnt_en = false;
  bool prt_default = false;
  bool big_page = false;
  std::array<uint32_t, 2> metadata{};  // words 6 and 7: compression

  bool IsImage() const { return type >= static_cast<uint8_t>(ImageType::k1d); }
  friend bool operator==(const ImageResource&, const ImageResource&) = default;
};

struct SamplerState {
  std::array<uint8_t, 3> clamp{};  // of x, y, z; SQ_TEX_CLAMP
  uint8_t max_aniso_ratio = 0;
  uint8_t compare = 0;
  bool force_unnormalized = false;
  uint8_t aniso_threshold = 0;
  bool mc_coord_trunc = false;
  bool force_degamma = false;
  uint8_t aniso_bias = 0;
  bool trunc_coord = false;
  bool disable_cube_wrap = false;
  uint8_t filter_mode = 0;
  bool skip_degamma = false;
  uint16_t min_lod = 0, max_lod = 0;  // 4.8
  uint8_t perf_mip = 0, perf_z = 0;
  uint16_t lod_bias = 0;  // signed 6.8
  uint8_t lod_bias_sec = 0;
  uint8_t mag_filter = 0, min_filter = 0, z_filter = 0, mip_filter = 0;
  bool mip_point_preclamp = false;
  bool aniso_override = false;
  bool blend_zero_prt = false;
  uint16_t border_color_ptr = 0;
  uint8_t border_color_type = 0;

  friend bool operator==(const SamplerState&, const SamplerState&) = default;
};

BufferResource DecodeBuffer(const BufferWords& words);
BufferWords EncodeBuffer(const BufferResource& resource);
ImageResource DecodeImage(const ImageWords& words);
ImageWords EncodeImage(const ImageResource& resource);
SamplerState DecodeSampler(const SamplerWords& words);
SamplerWords EncodeSampler(const SamplerState& state);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_RESOURCE_DESCRIPTOR_H_
