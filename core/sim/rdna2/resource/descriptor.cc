// See descriptor.h. One list of fields for each kind of descriptor, which reading and writing
// share.
#include "core/sim/rdna2/resource/descriptor.h"

#include <span>

namespace kiln::sim::rdna2 {
namespace {

// Reads fields of words into members.
struct Reader {
  std::span<const uint32_t> words;

  template <typename T>
  void Field(int word, int low, int width, T& member) const {
    const uint64_t mask = (uint64_t{1} << width) - 1;
    member = static_cast<T>(words[static_cast<size_t>(word)] >> low & mask);
  }
};

// Writes members into fields of words, which are 0. A member's upper bits are cut off.
struct Writer {
  std::span<uint32_t> words;

  template <typename T>
  void Field(int word, int low, int width, const T& member) const {
    const uint64_t mask = (uint64_t{1} << width) - 1;
    words[static_cast<size_t>(word)] |=
        static_cast<uint32_t>((static_cast<uint64_t>(member) & mask) << low);
  }
};

// T is const when members are written to words.
template <typename Access, typename T>
void SelectFields(const Access& access, int word, T& select) {
  for (int c = 0; c < 4; ++c) access.Field(word, 3 * c, 3, select[static_cast<size_t>(c)]);
}

template <typename Access, typename T>
void BufferFields(const Access& access, T& r) {
  access.Field(1, 16, 14, r.stride);
  access.Field(1, 30, 1, r.cache_swizzle);
  access.Field(1, 31, 1, r.swizzle);
  access.Field(2, 0, 32, r.records);
  SelectFields(access, 3, r.select);
  access.Field(3, 12, 7, r.format);
  access.Field(3, 21, 2, r.index_stride);
  access.Field(3, 23, 1, r.add_thread_id);
  access.Field(3, 24, 1, r.resource_level);
  access.Field(3, 26, 2, r.llc_noalloc);
  access.Field(3, 28, 2, r.check);
  access.Field(3, 30, 2, r.type);
}

// All fields but the base and the two-part width.
template <typename Access, typename T>
void ImageFields(const Access& access, T& r) {
  access.Field(1, 8, 12, r.min_lod);
  access.Field(1, 20, 9, r.format);
  access.Field(2, 14, 14, r.height);
  access.Field(2, 31, 1, r.resource_level);
  SelectFields(access, 3, r.select);
  access.Field(3, 12, 4, r.base_level);
  access.Field(3, 16, 4, r.last_level);
  access.Field(3, 20, 5, r.swizzle_mode);
  access.Field(3, 25, 3, r.border_swizzle);
  access.Field(3, 28, 4, r.type);
  access.Field(4, 0, 13, r.depth);
  access.Field(4, 13, 1, r.pitch_msb);
  access.Field(4, 16, 13, r.base_array);
  access.Field(5, 0, 4, r.array_pitch);
  access.Field(5, 4, 4, r.max_mip);
  access.Field(5, 8, 12, r.min_lod_warn);
  access.Field(5, 20, 3, r.perf_mod);
  access.Field(5, 23, 1, r.corner_samples);
  access.Field(5, 25, 1, r.lod_hdw_cnt_en);
  access.Field(5, 26, 1, r.prt_default);
  access.Field(5, 31, 1, r.big_page);
  access.Field(6, 0, 32, r.metadata[0]);
  access.Field(7, 0, 32, r.metadata[1]);
}

template <typename Access, typename T>
void SamplerFields(const Access& access, T& s) {
  for (int a = 0; a < 3; ++a) access.Field(0, 3 * a, 3, s.clamp[static_cast<size_t>(a)]);
  access.Field(0, 9, 3, s.max_aniso_ratio);
  access.Field(0, 12, 3, s.compare);
  access.Field(0, 15, 1, s.force_unnormalized);
  access.Field(0, 16, 3, s.aniso_threshold);
  access.Field(0, 19, 1, s.mc_coord_trunc);
  access.Field(0, 20, 1, s.force_degamma);
  access.Field(0, 21, 6, s.aniso_bias);
  access.Field(0, 27, 1, s.trunc_coord);
  access.Field(0, 28, 1, s.disable_cube_wrap);
  access.Field(0, 29, 2, s.filter_mode);
  access.Field(0, 31, 1, s.skip_degamma);
  access.Field(1, 0, 12, s.min_lod);
  access.Field(1, 12, 12, s.max_lod);
  access.Field(1, 24, 4, s.perf_mip);
  access.Field(1, 28, 4, s.perf_z);
  access.Field(2, 0, 14, s.lod_bias);
  access.Field(2, 14, 6, s.lod_bias_sec);
  access.Field(2, 20, 2, s.mag_filter);
  access.Field(2, 22, 2, s.min_filter);
  access.Field(2, 24, 2, s.z_filter);
  access.Field(2, 26, 2, s.mip_filter);
  access.Field(2, 28, 1, s.mip_point_preclamp);
  access.Field(2, 29, 1, s.aniso_override);
  access.Field(2, 30, 1, s.blend_zero_prt);
  access.Field(3, 0, 12, s.border_color_ptr);
  access.Field(3, 30, 2, s.border_color_type);
}

}  // namespace

BufferResource DecodeBuffer(const BufferWords& words) {
  BufferResource r;
  // 48 bits of a signed address: drivers put memory into its upper half and give such bases (Mesa
  // 25.0.7, radv_nir_apply_pipeline_layout.c, inline uniform blocks).
  const uint64_t base = words[0] | uint64_t{words[1] & 0xffff} << 32;
  r.base = static_cast<uint64_t>(static_cast<int64_t>(base << 16) >> 16);
  BufferFields(Reader{words}, r);
  return r;
}

BufferWords EncodeBuffer(const BufferResource& r) {
  BufferWords words{};
  words[0] = static_cast<uint32_t>(r.base);
  words[1] = static_cast<uint32_t>(r.base >> 32) & 0xffff;
  BufferFields(Writer{words}, r);
  return words;
}

ImageResource DecodeImage(const ImageWords& words) {
  ImageResource r;
  r.base = (words[0] | uint64_t{words[1] & 0xff} << 32) << 8;
  r.width = static_cast<uint16_t>(words[1] >> 30 | (words[2] & 0xfff) << 2);
  ImageFields(Reader{words}, r);
  return r;
}

ImageWords EncodeImage(const ImageResource& r) {
  ImageWords words{};
  words[0] = static_cast<uint32_t>(r.base >> 8);
  words[1] = static_cast<uint32_t>(r.base >> 40) & 0xff;
  words[1] |= uint32_t{r.width} << 30;
  words[2] = uint32_t{r.width} >> 2 & 0xfff;
  ImageFields(Writer{words}, r);
  return words;
}

SamplerState DecodeSampler(const SamplerWords& words) {
  SamplerState s;
  SamplerFields(Reader{words}, s);
  return s;
}

SamplerWords EncodeSampler(const SamplerState& s) {
  SamplerWords words{};
  SamplerFields(Writer{words}, s);
  return words;
}

}  // namespace kiln::sim::rdna2
