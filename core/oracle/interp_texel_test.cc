// Texel ops in the interpreter: reads and writes of lanes, descriptors by value, races, errors.
#include <bit>
#include <set>
#include <string>

#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::oracle {
namespace {

using mir::ImageDim;
using mir::ImageFormat;
using mir::Module;
using mir::Parse;

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kResources[] = R"(mir 1
local_size 4, 1, 1
resource 0 ssbo 0.0.0
resource 1 storage_image 0.1.0 image 2d uint r32ui
resource 2 combined 0.2.0 array 2 image 1d float unknown
resource 3 storage_texel_buffer 0.3.0 image buffer sint r8i
resource 4 sampler 0.4.0
resource 5 sampled_image 0.5.0 image 2d arrayed float unknown
resource 6 storage_image 0.6.0 image 2d multisampled float r32f
body {
  %0:i32 = local_index
  %1:i32 = shl %0, 2
)";

BoundImage MakeImage(uint32_t binding, ImageFormat format, ImageDim dim, uint32_t width,
                     uint32_t height = 1) {
  BoundImage image;
  image.binding = binding;
  image.format = format;
  image.dim = dim;
  image.width = width;
  image.height = height;
  return image;
}

void Allocate(BoundImage& image) {
  image.bytes.resize(image.Texels() * static_cast<uint64_t>(FormatOf(image.format).Bytes()));
}

// Images whose texels are numbered from 1 if they are floats.
LaunchInputs Inputs() {
  LaunchInputs in;
  in.buffers.push_back({0, 0, 0, std::vector<uint8_t>(64)});
  in.images.push_back(MakeImage(1, ImageFormat::kR32ui, ImageDim::k2D, 4, 2));
  for (uint32_t element = 0; element < 2; ++element) {
    in.images.push_back(MakeImage(2, ImageFormat::kR32f, ImageDim::k1D, 4));
    in.images.back().element = element;
    in.samplers.push_back({.binding = 2, .element = element, .linear = element == 1});
  }
  in.images.push_back(MakeImage(3, ImageFormat::kR8i, ImageDim::kBuffer, 4));
  in.samplers.push_back({.binding = 4});
  in.images.push_back(MakeImage(5, ImageFormat::kR32f, ImageDim::k2D, 4, 2));
  in.images.back().arrayed = true;
  in.images.back().layers = 2;
  in.images.back().levels = 2;
  in.images.push_back(MakeImage(6, ImageFormat::kR32f, ImageDim::k2D, 2, 1));
  in.images.back().samples = 2;
  for (BoundImage& image : in.images) {
    Allocate(image);
    if (image.format != ImageFormat::kR32f) continue;
    for (uint64_t i = 0; i < image.Texels(); ++i) {
      image.Write(i, {std::bit_cast<uint32_t>(static_cast<float>(i + 1)), 0, 0, 0});
    }
  }
  return in;
}

absl::StatusOr<InterpStatistics> RunBody(const std::string& body, LaunchInputs& in) {
  const absl::StatusOr<Module> m = Parse(kResources + body + "  return\n}\n");
  if (!m.ok()) return m.status();
  if (absl::Status status = Verify(*m); !status.ok()) return status;
  return Interpret(*m, in);
}

std::vector<uint32_t> Words(const std::vector<uint8_t>& bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(words.data()));
  return words;
}

// The float that the body stores at %1, of each lane.
std::vector<float> Floats(const std::string& body) {
  LaunchInputs in = Inputs();
  const auto run = RunBody(body, in);
  EXPECT_TRUE(run.ok()) << run.status();
  std::vector<float> values;
  for (uint32_t word : Words(in.buffers[0].bytes)) values.push_back(std::bit_cast<float>(word));
  values.resize(4);
  return values;
}

TEST(InterpTexel, StoresLoadsAndTexelsOutside) {
  LaunchInputs in = Inputs();
  const auto run = RunBody(R"(
  %2:i32 = iadd %0, 1
  image_store[1, texel] %2, 1, %1, 7, 7, 7
  %3:i32, %4:i32, %5:i32, %6:i32 = image_load[1, texel] %2, 1
  store_ssbo[0, align 16] %1, %3
  %7:i32 = isub -1, %1
  image_store[3, texel] %0, %7, 0, 0, 0
)",
                           in);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->outside_accesses, 2);  // the last lane's store and load
  EXPECT_THAT(Words(in.images[0].bytes), ElementsAre(0, 0, 0, 0, 0, 0, 4, 8));
  EXPECT_THAT(std::vector<uint8_t>(in.images[3].bytes), ElementsAre(0xff, 0xfb, 0xf7, 0xf3));
}

TEST(InterpTexel, OutsideAlphaIsOneIfTheFormatHasNone) {
  EXPECT_THAT(Floats(R"(
  %3:f32, %4:f32, %5:f32, %6:f32 = fetch[5, texel lod] %0, 9, 0, 0
  store_ssbo[0, align 4] %1, %6
)"),
              ElementsAre(1, 1, 1, 1));
}

TEST(InterpTexel, AtomicsGiveTheValueBefore) {
  LaunchInputs in = Inputs();
  const auto run = RunBody(R"(
  %2:i32 = image_atomic[1, texel add] 3, 0, 5
  %3:i32 = image_atomic[1, texel compare_exchange] %0, 1, 0, %1
  store_ssbo[0, align 4] %1, %2
)",
                           in);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_THAT(Words(in.images[0].bytes), ElementsAre(0, 0, 0, 20, 0, 4, 8, 12));
  EXPECT_EQ(Words(in.buffers[0].bytes)[2], 10u);
}

TEST(InterpTexel, EachLaneHasItsDescriptor) {
  // Even lanes take the nearest texel of the first image, odd ones blend those of the second.
  EXPECT_THAT(Floats(R"(
  %2:i32 = and %0, 1
  %3:f32, %4:f32, %5:f32, %6:f32 = sample.nonuniform.indexed[2, texel lod] %2, 0.5f, 0f
  store_ssbo[0, align 4] %1, %3
)"),
              ElementsAre(3, 2.5f, 3, 2.5f));
}

TEST(InterpTexel, FetchesLevelsLayersAndSamples) {
  // Level 0 has 16 texels, each layer of level 1 has two.
  EXPECT_THAT(Floats(R"(
  %2:i32 = and %0, 1
  %3:f32, %4:f32, %5:f32, %6:f32 = fetch[5, texel lod] 1, 0, %2, 1
  store_ssbo[0, align 4] %1, %3
)"),
              ElementsAre(18, 20, 18, 20));
  EXPECT_THAT(Floats(R"(
  %3:f32, %4:f32, %5:f32, %6:f32 = image_load[6, texel sample] 1, 0, %0
  store_ssbo[0, align 4] %1, %3
)"),
              ElementsAre(3, 4, 0, 0));
}

TEST(InterpTexel, LayersOfSamplesAndGathers) {
  EXPECT_THAT(Floats(R"(
  %2:f32 = u2f %0
  %3:f32, %4:f32, %5:f32, %6:f32 = sample[5, texel sampler 4 lod at 1 0 0] 0f, 0.75f, %2, 0f
  store_ssbo[0, align 4] %1, %3
)"),
              ElementsAre(6, 14, 14, 14));
  EXPECT_THAT(Floats(R"(
  %3:f32, %4:f32, %5:f32, %6:f32 = gather[5, texel sampler 4 offsets] 0.5f, 0.5f, 0f, %0, 0
  store_ssbo[0, align 4] %1, %6
)"),
              ElementsAre(2, 3, 4, 4));
}

TEST(InterpTexel, Queries) {
  LaunchInputs in = Inputs();
  const auto run = RunBody(R"(
  %2:i32, %3:i32, %4:i32 = image_size[5, texel lod] 1
  %5:i32 = image_levels[5, texel]
  %6:i32 = image_samples[6, texel]
  %7:i32 = image_size[3, texel]
  store_ssbo[0, align 4] 0, %2, %3, %4, %5, %6, %7
)",
                           in);
  ASSERT_TRUE(run.ok()) << run.status();
  const std::vector<uint32_t> words = Words(in.buffers[0].bytes);
  EXPECT_THAT(std::vector<uint32_t>(words.begin(), words.begin() + 6),
              ElementsAre(2, 1, 2, 2, 2, 4));
}

TEST(InterpTexel, RacesOnTexelsAreSeen) {
  const auto races = [](const std::string& body) {
    LaunchInputs in = Inputs();
    in.detect_races = true;
    const auto run = RunBody(body, in);
    EXPECT_TRUE(run.ok()) << run.status();
    return run.ok() ? run->races : -1;
  };
  // The first lane stores the value already there: in another order that changes something.
  EXPECT_EQ(races("image_store[1, texel] 0, 0, %0, 0, 0, 0\n"), 3);
  EXPECT_EQ(races("image_store[1, texel] %0, 0, %0, 0, 0, 0\n"), 0);
  EXPECT_EQ(races("%2:i32 = image_atomic[1, texel add] 0, 0, 1\n"), 0);
}

TEST(InterpTexel, FilterWeightsMoveWithRandomRounding) {
  const std::string body = R"(
  %3:f32, %4:f32, %5:f32, %6:f32 = sample.indexed[2, texel lod] 1, 0.5f, 0f
  store_ssbo[0, align 4] %1, %3
)";
  LaunchInputs in = Inputs();
  in.perturb_seed = 1;
  ASSERT_TRUE(RunBody(body, in).ok());
  const float moved = std::bit_cast<float>(Words(in.buffers[0].bytes)[0]);
  EXPECT_NE(moved, 2.5f);
  EXPECT_NEAR(moved, 2.5f, 1.0f / 256);
}

// The results under random rounding of a texel whose bytes are all the same.
std::set<uint32_t> RoundedTexels(ImageFormat format, uint8_t byte, const std::string& load) {
  std::set<uint32_t> found;
  for (uint32_t seed = 1; seed <= 16; ++seed) {
    LaunchInputs in = Inputs();
    in.perturb_seed = seed;
    in.images[1].format = format;
    in.images[1].bytes.assign(4 * static_cast<size_t>(FormatOf(format).Bytes()), byte);
    EXPECT_TRUE(RunBody("  %3:f32, %4:f32, %5:f32, %6:f32 = " + load + "\n" +
                            "  store_ssbo[0, align 4] %1, %3\n",
                        in)
                    .ok());
    found.insert(Words(in.buffers[0].bytes)[0]);
  }
  return found;
}

// 231 / 255 is between two floats; 231 times the rounded 1 / 255, which some targets compute, is
// the next one.
TEST(InterpTexel, NormalizedTexelsMoveWithRandomRounding) {
  const std::string sample = "sample.indexed[2, texel lod] 0, 0.4f, 0f";
  const std::string fetch = "fetch.indexed[2, texel lod] 0, 1, 0";
  const uint32_t nearest = std::bit_cast<uint32_t>(231.0f / 255.0f);
  const std::set<uint32_t> around = {nearest - 1, nearest, nearest + 1};
  EXPECT_EQ(RoundedTexels(ImageFormat::kR8, 231, sample), around);
  EXPECT_EQ(RoundedTexels(ImageFormat::kR8, 231, fetch), around);
  EXPECT_EQ(RoundedTexels(ImageFormat::kR8, 0, sample), std::set<uint32_t>{0});
  EXPECT_EQ(RoundedTexels(ImageFormat::kR8, 255, sample), std::set<uint32_t>{0x3f800000});
  EXPECT_EQ(RoundedTexels(ImageFormat::kR32f, 0x3f, sample), std::set<uint32_t>{0x3f3f3f3f});
}

TEST(InterpTexel, WhatDoesNotFitIsAnError) {
  const auto error = [](void (*change)(LaunchInputs&)) {
    LaunchInputs in = Inputs();
    change(in);
    const auto run = RunBody("", in);
    EXPECT_EQ(run.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(run.status().message());
  };
  EXPECT_THAT(error([](LaunchInputs& in) { in.images.pop_back(); }), HasSubstr("nothing is bound"));
  EXPECT_THAT(error([](LaunchInputs& in) { in.samplers.clear(); }), HasSubstr("nothing is bound"));
  EXPECT_THAT(error([](LaunchInputs& in) { in.images[0].dim = ImageDim::k3D; }),
              HasSubstr("dimension"));
  EXPECT_THAT(error([](LaunchInputs& in) { in.images[0].format = ImageFormat::kR32i; }),
              HasSubstr("format"));
  EXPECT_THAT(error([](LaunchInputs& in) { in.images[4].format = ImageFormat::kR32ui; }),
              HasSubstr("component type"));
  EXPECT_THAT(error([](LaunchInputs& in) { in.images[0].bytes.pop_back(); }), HasSubstr("size"));
  EXPECT_THAT(error([](LaunchInputs& in) { in.images[0].samples = 4; }), HasSubstr("samples"));
}

}  // namespace
}  // namespace kiln::oracle
