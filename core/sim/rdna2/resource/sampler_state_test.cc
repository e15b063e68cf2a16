// S# as scene's samplers: round trip of the client's, and what is refused.
#include "core/sim/rdna2/resource/sampler_state.h"

#include "core/sim/rdna2/resource/client_descriptor.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

TEST(SamplerStateTest, ClientSamplersComeBack) {
  using scene::AddressMode;
  int n = 0;
  for (const AddressMode mode : {AddressMode::kClamp, AddressMode::kRepeat, AddressMode::kMirror,
                                 AddressMode::kBorder, AddressMode::kMirrorClamp}) {
    for (int bits = 0; bits < 16; ++bits, ++n) {
      scene::ClientSampler s;
      s.address = {mode, AddressMode::kBorder, AddressMode::kMirror};
      s.mag_linear = bits & 1;
      s.min_linear = bits & 2;
      s.linear_mips = bits & 4;
      s.unnormalized = bits & 8;
      s.border = static_cast<scene::BorderColor>(n % 3);
      s.compare = static_cast<scene::CompareFunction>(n % 8);
      s.min_lod = 0.25f * static_cast<float>(bits);
      s.max_lod = 9;
      s.lod_bias = 0.5f * static_cast<float>(bits) - 4;
      const absl::StatusOr<scene::ClientSampler> back =
          SamplerOf(DecodeSampler(DescribeSampler(s)));
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_EQ(back->address, s.address);
      EXPECT_EQ(back->mag_linear, s.mag_linear);
      EXPECT_EQ(back->min_linear, s.min_linear);
      EXPECT_EQ(back->linear_mips, s.linear_mips);
      EXPECT_EQ(back->unnormalized, s.unnormalized);
      EXPECT_EQ(back->border, s.border);
      EXPECT_EQ(back->compare, s.compare);
      EXPECT_EQ(back->min_lod, s.min_lod);
      EXPECT_EQ(back->max_lod, s.max_lod);
      EXPECT_EQ(back->lod_bias, s.lod_bias);
    }
  }
}

TEST(SamplerStateTest, RefusesWhatTheFilterLacks) {
  SamplerState good = DecodeSampler(DescribeSampler({}));
  EXPECT_TRUE(SamplerOf(good).ok());
  const auto refused = [&](auto change) {
    SamplerState s = good;
    change(s);
    return !SamplerOf(s).ok();
  };
  EXPECT_TRUE(refused([](SamplerState& s) { s.max_aniso_ratio = 1; }));
  EXPECT_TRUE(refused([](SamplerState& s) { s.mag_filter = 3; }));
  EXPECT_TRUE(refused([](SamplerState& s) { s.filter_mode = 1; }));
  EXPECT_TRUE(refused([](SamplerState& s) { s.disable_cube_wrap = true; }));
  EXPECT_TRUE(refused([](SamplerState& s) { s.border_color_type = 3; }));
  EXPECT_TRUE(refused([](SamplerState& s) { s.mip_filter = 0; }));
  EXPECT_TRUE(refused([](SamplerState& s) { s.clamp[1] = 4; }));
  EXPECT_TRUE(refused([](SamplerState& s) { s.force_degamma = true; }));
}

}  // namespace
}  // namespace kiln::sim::rdna2
