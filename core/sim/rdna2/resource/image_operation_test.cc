// Image instructions on images of the client, through the descriptors that the driver would write.
#include "core/sim/rdna2/resource/image_operation.h"

#include <string>
#include <vector>

#include "core/amd/isa/opcodes.h"
#include "core/base/float_bits.h"
#include "core/sim/rdna2/resource/client_descriptor.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

namespace isa = ::kiln::amd::isa;
using isa::Opcode;
using scene::ImageDim;
using Dwords = std::vector<uint32_t>;

uint32_t B(float f) { return AsBits(f); }

class ImageOperationTest : public ::testing::Test {
 protected:
  ImageOperationTest() {
    image_.format = scene::TexelFormat::kRgba32f;
    image_.width = 4;
    image_.height = 2;
    image_.levels = 2;
    Bind();
  }

  // Texel i has the components 10 i, 10 i + 1, ...
  void Bind(bool storage = false) {
    image_.texels.assign(image_.Bytes(), 0);
    const auto bytes = static_cast<size_t>(scene::TexelBytes(image_.format));
    for (size_t i = 0; i < image_.texels.size() / bytes; ++i) {
      scene::Texel t;
      for (size_t k = 0; k < 4; ++k) {
        const auto v = static_cast<uint32_t>(10 * i + k);
        t[k] = scene::IsIntegerFormat(image_.format) ? v : AsBits(static_cast<float>(v));
      }
      scene::EncodeTexel(image_.format, t, image_.texels.data() + bytes * i);
    }
    Describe(storage);
  }

  void Describe(bool storage = false) {
    const absl::StatusOr<ImageWords> w = DescribeImage(image_, 0x10000, storage);
    ASSERT_TRUE(w.ok()) << w.status();
    words_ = *w;
  }

  isa::Instruction Inst(Opcode op, AddressDim dim, uint8_t dmask = 0xf) {
    isa::Instruction i;
    i.op = op;
    i.dim = static_cast<uint8_t>(dim);
    i.dmask = dmask;
    i.unnormalised = ImageOpcodeOf(op)->integer();
    return i;
  }

  absl::StatusOr<ImageOperation> Make(const isa::Instruction& i) {
    return ImageOperation::Make(i, words_, DescribeSampler(sampler_),
                                {&image_, image_.texels.data()});
  }

  Dwords Read(const isa::Instruction& i, const Dwords& address,
              const std::vector<Dwords>& quad = {}) {
    const absl::StatusOr<ImageOperation> o = Make(i);
    EXPECT_TRUE(o.ok()) << o.status();
    if (!o.ok()) return {};
    std::array<absl::Span<const uint32_t>, 4> lanes;
    for (size_t k = 0; k < quad.size(); ++k) lanes[k] = quad[k];
    const absl::StatusOr<ImageResult> r = o->Read(address, lanes);
    EXPECT_TRUE(r.ok()) << r.status();
    if (!r.ok()) return {};
    EXPECT_EQ(r->count, o->DataDwords());
    return {r->dwords.begin(), r->dwords.begin() + r->count};
  }

  // The first component as a float.
  float First(const isa::Instruction& i, const Dwords& address,
              const std::vector<Dwords>& quad = {}) {
    const Dwords d = Read(i, address, quad);
    return d.empty() ? -1 : AsFloat(d[0]);
  }

  std::string Refusal(const isa::Instruction& i) {
    const absl::StatusOr<ImageOperation> o = Make(i);
    return o.ok() ? "" : std::string(o.status().message());
  }

  scene::ClientImage image_;
  scene::ClientSampler sampler_;
  ImageWords words_{};
};

TEST_F(ImageOperationTest, LoadsChosenComponents) {
  EXPECT_EQ(Read(Inst(Opcode::kImageLoad, AddressDim::k2d, 0xa), {2, 1}), (Dwords{B(61), B(63)}));
  EXPECT_EQ(Read(Inst(Opcode::kImageLoadMip, AddressDim::k2d, 1), {1, 0, 1}), (Dwords{B(90)}));
  EXPECT_EQ(Read(Inst(Opcode::kImageLoadMip, AddressDim::k2d, 9), {1, 0, 2}), (Dwords{0, 0}));
  EXPECT_EQ(Read(Inst(Opcode::kImageLoad, AddressDim::k2d, 1), {0xffffffff, 0}), (Dwords{0}));
  isa::Instruction tfe = Inst(Opcode::kImageLoad, AddressDim::k2d, 3);
  tfe.tfe = true;
  EXPECT_EQ(Read(tfe, {1, 0}), (Dwords{B(10), B(11)}));
  isa::Instruction d16 = Inst(Opcode::kImageLoad, AddressDim::k2d, 7);
  d16.d16 = true;
  EXPECT_EQ(Read(d16, {0, 0}), (Dwords{0x3c000000, 0x4000}));
}

TEST_F(ImageOperationTest, OutsideKeepsComponentsThatAreSetTo1) {
  image_.format = scene::TexelFormat::kR32f;
  Bind();
  EXPECT_EQ(Read(Inst(Opcode::kImageLoad, AddressDim::k2d), {4, 0}), (Dwords{0, 0, 0, B(1)}));
}

TEST_F(ImageOperationTest, DimensionsOfLoads) {
  image_.levels = 1;
  image_.arrayed = true;
  image_.layers = 3;
  Bind();
  EXPECT_EQ(First(Inst(Opcode::kImageLoad, AddressDim::k2dArray), {1, 1, 2}), 210);
  EXPECT_EQ(First(Inst(Opcode::kImageLoad, AddressDim::k2dArray), {1, 1, 3}), 0);
  EXPECT_EQ(First(Inst(Opcode::kImageLoad, AddressDim::k2d), {1, 1}), 50) << "layer 0";
  image_.dim = ImageDim::k1d;
  image_.height = 1;
  Bind();
  EXPECT_EQ(First(Inst(Opcode::kImageLoad, AddressDim::k1dArray), {1, 2}), 90);
  image_.dim = ImageDim::k3d;
  image_.arrayed = false;
  image_.layers = 1;
  image_.height = 2;
  image_.depth = 2;
  Bind();
  EXPECT_EQ(First(Inst(Opcode::kImageLoad, AddressDim::k3d), {1, 1, 1}), 130);
  image_.dim = ImageDim::kCube;
  image_.width = image_.height = 2;
  image_.depth = 1;
  image_.layers = 12;
  Bind(true);
  EXPECT_EQ(First(Inst(Opcode::kImageLoad, AddressDim::k2dArray), {1, 0, 7}), 290);
}

TEST_F(ImageOperationTest, SamplesOfATexel) {
  image_.levels = 1;
  image_.samples = 4;
  Bind();
  EXPECT_EQ(First(Inst(Opcode::kImageLoad, AddressDim::k2dMsaa), {1, 0, 3}), 70);
  EXPECT_EQ(First(Inst(Opcode::kImageLoad, AddressDim::k2dMsaa), {1, 0, 4}), 0);
  image_.arrayed = true;
  image_.layers = 2;
  Bind();
  EXPECT_EQ(First(Inst(Opcode::kImageLoad, AddressDim::k2dMsaaArray), {1, 0, 1, 3}), 390);
  EXPECT_NE(Refusal(Inst(Opcode::kImageSampleLz, AddressDim::k2dMsaa)), "");
}

TEST_F(ImageOperationTest, Stores) {
  image_.levels = 1;
  image_.format = scene::TexelFormat::kBgra8;
  Bind(true);
  const absl::StatusOr<ImageOperation> o = Make(Inst(Opcode::kImageStore, AddressDim::k2d, 0x5));
  ASSERT_TRUE(o.ok());
  const Dwords at = {3, 1}, outside = {4, 1}, data = {B(1), B(0.2f)};
  const std::vector<uint8_t> before = image_.texels;
  ASSERT_TRUE(o->Store(outside, data).ok());
  EXPECT_EQ(image_.texels, before);
  ASSERT_TRUE(o->Store(at, data).ok());
  const uint8_t* texel = image_.texels.data() + 4 * 7;
  EXPECT_EQ(texel[2], 255) << "red";
  EXPECT_EQ(texel[0], 51) << "blue";
  EXPECT_EQ(texel[1] | texel[3], 0) << "components outside dmask are 0";
  EXPECT_EQ(o->TexelOf(at).data(), texel);
  EXPECT_EQ(o->TexelOf(at).size(), 4u);
  EXPECT_TRUE(o->TexelOf(outside).empty());
  isa::Instruction d16 = Inst(Opcode::kImageStore, AddressDim::k2d);
  d16.d16 = true;
  ASSERT_TRUE(Make(d16)->Store(at, Dwords{0x3c003c00, 0x3c003c00}).ok());
  EXPECT_EQ(texel[1] & texel[3], 255);
}

TEST_F(ImageOperationTest, StoresToALevel) {
  image_.format = scene::TexelFormat::kR32ui;
  Bind(true);
  const absl::StatusOr<ImageOperation> o = Make(Inst(Opcode::kImageStoreMip, AddressDim::k2d, 1));
  ASSERT_TRUE(o->Store(Dwords{1, 0, 1}, Dwords{77}).ok());
  EXPECT_EQ(image_.texels[4 * 9], 77);
}

TEST_F(ImageOperationTest, Atomics) {
  image_.levels = 1;
  image_.format = scene::TexelFormat::kR32ui;
  Bind(true);
  const auto run = [&](Opcode op, uint8_t dmask, const Dwords& at, const Dwords& data) {
    const absl::StatusOr<ImageOperation> o = Make(Inst(op, AddressDim::k2d, dmask));
    EXPECT_TRUE(o.ok()) << o.status();
    const ImageResult r = o->Atomic(at, data);
    return Dwords(r.dwords.begin(), r.dwords.begin() + r.count);
  };
  EXPECT_EQ(run(Opcode::kImageAtomicAdd, 1, {1, 0}, {5}), (Dwords{10}));
  EXPECT_EQ(run(Opcode::kImageAtomicCmpswap, 3, {1, 0}, {99, 15}), (Dwords{15}))
      << "the new value comes first";
  EXPECT_EQ(run(Opcode::kImageAtomicUmin, 1, {1, 0}, {7}), (Dwords{99}));
  EXPECT_EQ(image_.texels[4], 7);
  EXPECT_EQ(run(Opcode::kImageAtomicAdd, 1, {4, 0}, {5}), (Dwords{0})) << "outside";
  image_.format = scene::TexelFormat::kRg32ui;
  Bind(true);
  EXPECT_EQ(run(Opcode::kImageAtomicAdd, 3, {1, 0}, {0xffffffff, 0}), (Dwords{10, 11}));
  EXPECT_EQ(run(Opcode::kImageAtomicSwap, 3, {1, 0}, {0, 0}), (Dwords{9, 12}));
  EXPECT_NE(Refusal(Inst(Opcode::kImageAtomicAdd, AddressDim::k2d, 1)), "");
  EXPECT_NE(Refusal(Inst(Opcode::kImageAtomicAdd, AddressDim::k2d, 7)), "");
  image_.format = scene::TexelFormat::kRgba8ui;
  Bind(true);
  EXPECT_NE(Refusal(Inst(Opcode::kImageAtomicAdd, AddressDim::k2d, 1)), "");
}

TEST_F(ImageOperationTest, SamplesAtLevels) {
  EXPECT_EQ(First(Inst(Opcode::kImageSampleL, AddressDim::k2d), {B(0.75f), B(0.5f), B(1)}), 90);
  EXPECT_EQ(First(Inst(Opcode::kImageSampleLz, AddressDim::k2d), {B(0.3f), B(0.6f)}), 50);
  const Dwords offset = {0x3f01, B(0.3f), B(0.6f)};  // 1, -1
  EXPECT_EQ(First(Inst(Opcode::kImageSampleLzO, AddressDim::k2d), offset), 20);
  // A derivative of two texels: level 1.
  EXPECT_EQ(
      First(Inst(Opcode::kImageSampleD, AddressDim::k2d), {B(0.5f), 0, 0, 0, B(0.75f), B(0.5f)}),
      90);
  EXPECT_EQ(
      First(Inst(Opcode::kImageSampleDCl, AddressDim::k2d), {0, 0, 0, 0, B(0.75f), B(0.5f), B(1)}),
      90);
  isa::Instruction rect = Inst(Opcode::kImageSampleLz, AddressDim::k2d);
  rect.unnormalised = true;
  EXPECT_EQ(First(rect, {B(2.5f), B(1.5f)}), 60);
}

TEST_F(ImageOperationTest, LevelsOfAQuad) {
  const auto lane = [](float x, float y) { return Dwords{B(x), B(y)}; };
  // Two texels from lane 0 to lane 1: level 1 for all lanes.
  const std::vector<Dwords> quad = {lane(0, 0), lane(0.5f, 0), lane(0, 0.25f), lane(0.5f, 0.25f)};
  EXPECT_EQ(First(Inst(Opcode::kImageSample, AddressDim::k2d), quad[1], quad), 90);
  const Dwords lod = Read(Inst(Opcode::kImageGetLod, AddressDim::k2d, 3), quad[0], quad);
  EXPECT_EQ(lod, (Dwords{B(1), B(1)}));
  std::vector<Dwords> biased;
  for (const Dwords& l : quad) biased.push_back({B(-1), l[0], l[1]});
  EXPECT_EQ(First(Inst(Opcode::kImageSampleB, AddressDim::k2d), biased[1], biased), 20);
  std::vector<Dwords> limited;
  for (size_t i = 0; i < 4; ++i) limited.push_back({B(0.75f), B(0.5f), B(1)});
  EXPECT_EQ(First(Inst(Opcode::kImageSampleCl, AddressDim::k2d), limited[0], limited), 90);
}

// Coordinates of cubes are 1 to 2 on a face; the third one is 8 * cube + face.
TEST_F(ImageOperationTest, Cubes) {
  image_.dim = ImageDim::kCube;
  image_.width = image_.height = 2;
  image_.layers = 12;
  image_.levels = 1;
  Bind();
  const isa::Instruction i = Inst(Opcode::kImageSampleLz, AddressDim::kCube);
  EXPECT_EQ(First(i, {B(1.25f), B(1.25f), B(0)}), 0);
  EXPECT_EQ(First(i, {B(1.75f), B(1.25f), B(3)}), 10 * (4 * 3 + 1));
  EXPECT_EQ(First(i, {B(1.25f), B(1.75f), B(8 + 5)}), 10 * (4 * 11 + 2));
  EXPECT_EQ(First(i, {B(1.25f), B(1.25f), B(80 + 5)}), 10 * 4 * 11) << "cubes are clamped";
  EXPECT_EQ(First(i, {B(1.25f), B(1.25f), B(-8 + 2)}), 10 * 4 * 2);
  const absl::StatusOr<ImageOperation> o = Make(i);
  EXPECT_FALSE(o->Read(Dwords{B(1.25f), B(1.25f), B(6)}).ok()) << "there is no face 6";
  sampler_.mag_linear = sampler_.min_linear = true;
  EXPECT_EQ(First(i, {B(1.5f), B(1.5f), B(0)}), 15) << "the middle of a face";
}

// Lanes of the quad that are off have any number there.
TEST_F(ImageOperationTest, FacesOfAQuad) {
  image_.dim = ImageDim::kCube;
  image_.width = image_.height = 2;
  image_.layers = 6;
  Bind();
  const isa::Instruction i = Inst(Opcode::kImageSample, AddressDim::kCube, 1);
  const Dwords on = {B(1.25f), B(1.25f), B(1)}, off = {B(1.25f), B(1.25f), B(-1)};
  EXPECT_EQ(First(i, on, {on, off, on, on}), 40);
  const absl::StatusOr<ImageOperation> o = Make(i);
  ASSERT_TRUE(o.ok()) << o.status();
  EXPECT_FALSE(o->Read(off, {on, off, on, on}).ok());
}

// Derivatives of cubes are those of the point on the face, which is 1 wide.
TEST_F(ImageOperationTest, DerivativesOnACubesFace) {
  image_.dim = ImageDim::kCube;
  image_.width = image_.height = 2;
  image_.layers = 6;
  Bind();
  const isa::Instruction i = Inst(Opcode::kImageSampleD, AddressDim::kCube, 1);
  EXPECT_EQ(First(i, {B(0.5f), 0, 0, 0, B(1.25f), B(1.25f), B(1)}), 40) << "one texel: level 0";
  EXPECT_EQ(First(i, {0, 0, 0, B(1), B(1.25f), B(1.25f), B(1)}), 10 * (24 + 1)) << "two: level 1";
}

TEST_F(ImageOperationTest, GathersAComponent) {
  sampler_.mag_linear = sampler_.min_linear = true;
  EXPECT_EQ(Read(Inst(Opcode::kImageGather4Lz, AddressDim::k2d, 4), {B(0.5f), B(0.5f)}),
            (Dwords{B(52), B(62), B(22), B(12)}));
  image_.format = scene::TexelFormat::kR32f;
  Bind();
  EXPECT_EQ(Read(Inst(Opcode::kImageGather4Lz, AddressDim::k2d, 8), {B(0.5f), B(0.5f)}),
            (Dwords{B(1), B(1), B(1), B(1)}));
  EXPECT_EQ(Read(Inst(Opcode::kImageGather4Lz, AddressDim::k2d, 2), {B(0.5f), B(0.5f)}),
            (Dwords{0, 0, 0, 0}));
  sampler_.compare = scene::CompareFunction::kLess;
  EXPECT_EQ(Read(Inst(Opcode::kImageGather4CLz, AddressDim::k2d, 1), {B(15), B(0.5f), B(0.5f)}),
            (Dwords{B(1), B(1), B(1), 0}));
  EXPECT_NE(Refusal(Inst(Opcode::kImageGather4Lz, AddressDim::k2d, 3)), "");
  EXPECT_NE(Refusal(Inst(Opcode::kImageGather4, AddressDim::k2d, 1)), "");
  sampler_.mag_linear = sampler_.min_linear = false;
  EXPECT_NE(Refusal(Inst(Opcode::kImageGather4Lz, AddressDim::k2d, 4)), "") << "TRUNC_COORD";
}

TEST_F(ImageOperationTest, Compares) {
  image_.format = scene::TexelFormat::kD32f;
  Bind();
  sampler_.compare = scene::CompareFunction::kGreater;
  const isa::Instruction i = Inst(Opcode::kImageSampleCLz, AddressDim::k2d);
  EXPECT_EQ(Read(i, {B(11), B(0.3f), B(0.2f)}), (Dwords{B(1), 0, 0, B(1)}));
  EXPECT_EQ(Read(i, {B(9), B(0.3f), B(0.2f)}), (Dwords{0, 0, 0, B(1)}));
}

TEST_F(ImageOperationTest, BordersOfReorderedFormats) {
  image_.format = scene::TexelFormat::kR4g4b4a4;
  image_.levels = 1;
  Bind();
  sampler_.address.fill(scene::AddressMode::kBorder);
  sampler_.border = scene::BorderColor::kBlack;
  EXPECT_EQ(Read(Inst(Opcode::kImageSampleLz, AddressDim::k2d), {B(2), B(0.5f)}),
            (Dwords{0, 0, 0, B(1)}));
}

TEST_F(ImageOperationTest, SizesOfALevel) {
  EXPECT_EQ(Read(Inst(Opcode::kImageGetResinfo, AddressDim::k2d), {1}), (Dwords{2, 1, 1, 2}));
  EXPECT_EQ(Read(Inst(Opcode::kImageGetResinfo, AddressDim::k2d), {2}), (Dwords{0, 0, 0, 2}));
}

TEST_F(ImageOperationTest, TheNullDescriptorReadsZeros) {
  words_ = {};
  EXPECT_EQ(Read(Inst(Opcode::kImageLoad, AddressDim::k2d), {0, 0}), (Dwords{0, 0, 0, 0}));
  EXPECT_EQ(Read(Inst(Opcode::kImageSampleLz, AddressDim::kCube), {0, 0, 0}), (Dwords{0, 0, 0, 0}));
  const absl::StatusOr<ImageOperation> o = Make(Inst(Opcode::kImageStore, AddressDim::k2d));
  EXPECT_TRUE(o->null());
  EXPECT_TRUE(o->Store(Dwords{0, 0}, Dwords{1, 2, 3, 4}).ok());
  EXPECT_EQ(Make(Inst(Opcode::kImageAtomicAdd, AddressDim::k2d, 1))
                ->Atomic(Dwords{0, 0}, Dwords{1})
                .dwords[0],
            0u);
}

TEST_F(ImageOperationTest, Refusals) {
  const isa::Instruction load = Inst(Opcode::kImageLoad, AddressDim::k2d);
  isa::Instruction i = load;
  i.unnormalised = false;
  EXPECT_NE(Refusal(i), "");
  i = load;
  i.dmask = 0;
  EXPECT_NE(Refusal(i), "");
  i = load;
  i.r128 = true;
  EXPECT_NE(Refusal(i), "");
  i = load;
  i.dim = static_cast<uint8_t>(AddressDim::k3d);
  EXPECT_NE(Refusal(i), "");
  const ImageWords good = words_;
  const auto changed = [&](auto change) {
    ImageResource r = DecodeImage(good);
    change(r);
    words_ = EncodeImage(r);
    std::string why = Refusal(load);
    words_ = good;
    return why;
  };
  EXPECT_EQ(changed([](ImageResource&) {}), "");
  EXPECT_NE(changed([](ImageResource& r) { r.base_level = 1; }), "");
  EXPECT_NE(changed([](ImageResource& r) { r.width = 4; }), "");
  EXPECT_NE(changed([](ImageResource& r) { r.format = 56; }), "") << "4 bytes, not 16";
  EXPECT_NE(changed([](ImageResource& r) { r.format = 170; }), "");
  EXPECT_NE(changed([](ImageResource& r) { r.last_level = 2; }), "");
  EXPECT_NE(changed([](ImageResource& r) { r.type = 0; }), "");
  EXPECT_NE(changed([](ImageResource& r) { r.type = 11; }), "");
  EXPECT_NE(changed([](ImageResource& r) { r.select[0] = 3; }), "");
  EXPECT_NE(changed([](ImageResource& r) { r.metadata[0] = 1 << 21; }), "");
  EXPECT_EQ(changed([](ImageResource& r) { r.format = 75; }), "") << "a view of the same size";
  EXPECT_EQ(ImageOperation::Make(load, words_, {}, {}).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace kiln::sim::rdna2
