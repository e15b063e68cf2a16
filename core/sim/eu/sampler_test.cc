// Sampler and typed messages: positions of parameters in the payload and of results in the
// response.
#include "core/sim/eu/sampler.h"

#include <cstring>
#include <string>

#include "core/base/float_bits.h"
#include "core/intel/isa/messages.h"
#include "core/sim/eu/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using M = isa::Message;

class SamplerTest : public ::testing::Test {
 protected:
  SamplerTest() {
    image_.format = scene::TexelFormat::kRgba32f;
    image_.width = 4;
    image_.height = 2;
    image_.levels = 2;
    Bind();
    thread_.active = thread_.dispatch = 0xffff;
  }

  // Texel i has the components 10 i, 10 i + 1, ...
  void Bind() {
    image_.texels.resize(image_.Bytes());
    const int bytes = scene::TexelBytes(image_.format);
    for (size_t i = 0; i < image_.texels.size() / bytes; ++i) {
      scene::Texel t;
      for (int k = 0; k < 4; ++k) {
        const auto v = static_cast<uint32_t>(10 * i + k);
        t[k] = scene::IsIntegerFormat(image_.format) ? v : AsBits(static_cast<float>(v));
      }
      scene::EncodeTexel(image_.format, t, image_.texels.data() + bytes * i);
    }
    view_.images = {{}, scene::ImageView{&image_, image_.texels.data(), image_.format}};
    view_.samplers = {&sampler_};
  }

  uint32_t Reg(int nr, int dword) { return Dword(thread_, nr, dword); }
  void SetReg(int nr, int dword, uint32_t v) { SetDword(thread_, nr, dword, v); }
  void SetLane(int nr, uint32_t v) { SetReg(nr, 0, v); }

  isa::MessageFields Fields(M message, int lanes = 8) {
    isa::MessageFields f;
    f.message = message;
    f.lanes = static_cast<uint8_t>(lanes);
    f.bti = 1;
    return f;
  }

  // Payload from r10, second part from r20, response to r30.
  absl::Status Do(isa::MessageFields f, int params, int components, int in_second = 0,
                  uint32_t lanes = 1) {
    isa::SetLengths(isa::Generation::kGen12, f, params, components);
    f.mlen -= in_second;
    f.ex_mlen += in_second;
    const absl::StatusOr<uint32_t> desc = isa::BuildDescriptor(isa::Generation::kGen12, f);
    if (!desc.ok()) return desc.status();
    const absl::StatusOr<Message> m =
        DecodeMessage(isa::Info(f.message).sfid, false, *desc, isa::BuildExDescriptor(f));
    if (!m.ok()) return m.status();
    return ExecuteMessage(*m, {f.rlen == 0 ? -1 : 30, 10, 20}, lanes, view_, thread_);
  }

  scene::ClientImage image_;
  scene::ClientSampler sampler_;
  MemoryView view_;
  Thread thread_;
};

TEST_F(SamplerTest, SampleLodTakesTheLevelFirst) {
  SetLane(10, AsBits(1));      // lod: level 1 is 2x1, texels 8 and 9
  SetLane(11, AsBits(0.75f));  // u
  ASSERT_TRUE(Do(Fields(M::kSampleL), 2, 4).ok());
  for (int k = 0; k < 4; ++k) EXPECT_EQ(AsFloat(Reg(30 + k, 0)), 90 + k);
}

TEST_F(SamplerTest, SixteenLanesTakeTwoRegistersAParameter) {
  for (int i = 0; i < 16; ++i) {
    SetReg(10, i, AsBits((i % 4 + 0.5f) / 4));     // u: r10, r11
    SetReg(20, i, AsBits(i < 8 ? 0.25f : 0.75f));  // v: r20, r21, the second payload
    SetReg(30, i, 7);
  }
  ASSERT_TRUE(Do(Fields(M::kSampleLz, 16), 2, 1, 2, 0xfffe).ok());
  EXPECT_EQ(Reg(30, 0), 7u) << "lanes that are off keep their register";
  EXPECT_EQ(AsFloat(Reg(30, 1)), 10);
  EXPECT_EQ(AsFloat(Reg(31, 7)), 70);
}

TEST_F(SamplerTest, LdHasTheLevelAfterV) {
  SetLane(10, 1);
  SetLane(11, 0);
  SetLane(12, 1);  // level
  ASSERT_TRUE(Do(Fields(M::kLd), 3, 2).ok());
  EXPECT_EQ(AsFloat(Reg(30, 0)), 90);
  ASSERT_TRUE(Do(Fields(M::kLdLz), 2, 2).ok());
  EXPECT_EQ(AsFloat(Reg(31, 0)), 11);
}

TEST_F(SamplerTest, HeaderGivesOffsetsMaskAndGatherChannel) {
  isa::MessageFields f = Fields(M::kSampleLz);
  f.header = true;
  // offset u = 1, v = -1; components x and w not returned.
  SetReg(10, 2, 1u << 8 | 0xfu << 4 | 9u << 12);
  SetReg(10, 3, kSamplerTable);
  SetLane(11, AsBits(0.3f));
  SetLane(12, AsBits(0.6f));
  ASSERT_TRUE(Do(f, 2, 2).ok());
  EXPECT_EQ(AsFloat(Reg(30, 0)), 21);
  EXPECT_EQ(AsFloat(Reg(31, 0)), 22);
  EXPECT_FALSE(Do(f, 2, 3).ok()) << "a response of components that are switched off";
  SetReg(10, 2, 2u << 16);  // component z
  SetLane(11, AsBits(0.5f));
  SetLane(12, AsBits(0.5f));
  ASSERT_TRUE(Do(Fields(M::kGather4), 2, 4).ok());
  EXPECT_EQ(AsFloat(Reg(30, 0)), 52);
}

TEST_F(SamplerTest, HeaderPointsToTheSampler) {
  scene::ClientSampler others;
  others.address.fill(scene::AddressMode::kBorder);
  others.border = scene::BorderColor::kWhite;
  view_.samplers.assign(20, &others);
  view_.samplers[18] = &sampler_;
  view_.bindless_samplers = {&others, &others, &sampler_};
  isa::MessageFields f = Fields(M::kSampleLz);
  f.header = true;
  SetReg(10, 2, 0);
  SetLane(11, AsBits(-0.1f));  // outside: a border of ones, or texel 0
  SetLane(12, AsBits(0.25f));
  const auto first = [&](uint32_t pointer, int index) {
    SetReg(10, 3, pointer);
    f.sampler = static_cast<uint8_t>(index);
    const absl::Status s = Do(f, 2, 1);
    return s.ok() ? AsFloat(Reg(30, 0)) : -1.0f;
  };
  EXPECT_EQ(first(kSamplerTable, 0), 1);
  EXPECT_EQ(first(kSamplerTable + 0x100, 2), 0);
  EXPECT_EQ(first(kSamplerTable + 0x100, 4), -1) << "beyond the table";
  EXPECT_EQ(first(BindlessSampler(1), 0), 1);
  EXPECT_EQ(first(BindlessSampler(2), 0), 0);
  EXPECT_EQ(first(BindlessSampler(3), 0), -1);
  EXPECT_EQ(first(BindlessSampler(2) & ~1u, 0), -1) << "the other base";
  EXPECT_EQ(first(0, 0), -1);
  // The scratch size of r0.3 has to be masked off.
  EXPECT_EQ(first(kSamplerTable | 0x10, 0), -1);
  EXPECT_EQ(first(kSamplerTable | 2, 0), -1);
}

TEST_F(SamplerTest, ResinfoGivesSizesOfTheLevel) {
  image_.arrayed = true;
  image_.layers = 3;
  Bind();
  SetLane(10, 1);
  ASSERT_TRUE(Do(Fields(M::kResinfo), 1, 4).ok());
  EXPECT_EQ(Reg(30, 0), 2u);
  EXPECT_EQ(Reg(31, 0), 1u);
  EXPECT_EQ(Reg(32, 0), 3u);
  EXPECT_EQ(Reg(33, 0), 2u);
}

// Source: Mesa's surface states (isl_surface_state.c: Depth of SURFTYPE_CUBE, SurfaceArray) and its
// compiler's use of the results.
TEST_F(SamplerTest, ResinfoCountsWhatTheSurfaceHas) {
  image_.arrayed = true;
  SetLane(10, 0);
  const auto layers = [&](scene::ImageDim dim, uint32_t count, bool storage) {
    image_.dim = dim;
    image_.layers = count;
    image_.width = image_.height = 4;
    Bind();
    view_.images[1].storage = storage;
    EXPECT_TRUE(Do(Fields(M::kResinfo), 1, 3).ok());
    return Reg(dim == scene::ImageDim::k1d ? 31 : 32, 0);
  };
  EXPECT_EQ(layers(scene::ImageDim::kCube, 12, false), 2u) << "cubes";
  EXPECT_EQ(layers(scene::ImageDim::kCube, 6, false), 1u);
  EXPECT_EQ(layers(scene::ImageDim::kCube, 12, true), 12u) << "faces";
  EXPECT_EQ(layers(scene::ImageDim::k2d, 2, false), 2u);
  for (const bool storage : {false, true}) {
    EXPECT_EQ(layers(scene::ImageDim::k2d, 1, storage), 0u) << "not an array surface";
    EXPECT_EQ(layers(scene::ImageDim::k1d, 1, storage), 0u);
  }
}

// Source: Mesa (isl_surface_state.c, buffer_fill_state; get_ssbo_size undoes it).
TEST_F(SamplerTest, ResinfoOfABufferTellsItsPadding) {
  std::vector<uint8_t> bytes(64);
  for (uint32_t extra = 0; extra <= 4; ++extra) {
    view_.surfaces = {{}, Surface{bytes.data(), 40 + extra}};
    SetLane(10, 0);
    ASSERT_TRUE(Do(Fields(M::kResinfo), 1, 1).ok());
    EXPECT_EQ(Reg(30, 0), extra == 0 ? 40 : 44 + (4 - extra)) << extra;
    EXPECT_EQ((Reg(30, 0) & ~3u) - (Reg(30, 0) & 3), 40 + extra);
  }
}

// Source: Mesa divides every cube's direction for this hardware (nir_normalize_cubemap_coords).
TEST_F(SamplerTest, DirectionsHaveTheirLargestPartAtOne) {
  image_.dim = scene::ImageDim::kCube;
  image_.layers = 6;
  image_.width = 2;
  Bind();
  const auto look = [&](M message, float x, float y, float z, uint32_t lanes = 1) {
    const float parts[] = {x, y, z};
    const int first = message == M::kSampleLz ? 10 : 11;  // after a level, a reference, a header
    for (int dword = 0; dword < 8; ++dword) SetReg(10, dword, 0);
    if (message == M::kGather4) SetReg(10, 3, kSamplerTable);
    for (int k = 0; k < 3; ++k) SetLane(first + k, AsBits(parts[k]));
    const bool parameter = message == M::kSampleL || message == M::kSampleCLz;
    return Do(Fields(message), parameter ? 4 : 3, 4, 0, lanes).ok();
  };
  sampler_.compare = scene::CompareFunction::kLess;
  for (const M message : {M::kSampleLz, M::kSampleL, M::kSampleCLz, M::kGather4}) {
    EXPECT_TRUE(look(message, 0.25f, -1, 0.5f));
    EXPECT_TRUE(look(message, 0.25f, -1, 0x1.000008p0f)) << "what a reciprocal leaves";
    EXPECT_FALSE(look(message, 0.25f, -2, 0.5f));
    EXPECT_FALSE(look(message, 0.25f, -0.75f, 0.5f));
    EXPECT_TRUE(look(message, 0.25f, -2, 0.5f, 2)) << "of a lane that is off";
    EXPECT_TRUE(look(message, 0, 0, 0)) << "no direction";
  }
}

TEST_F(SamplerTest, HalfResultsTakeHalfTheRegisters) {
  isa::MessageFields f = Fields(M::kLdLz, 16);
  f.half_result = true;
  for (int i = 0; i < 16; ++i) {
    SetReg(10, i, i % 4);
    SetReg(12, i, 0);
  }
  ASSERT_TRUE(Do(f, 2, 2, 0, 0xffff).ok());
  EXPECT_EQ(thread_.Read16(kGrfBytes * 30 + 2 * 3), 0x4f80);  // 30
  EXPECT_EQ(thread_.Read16(kGrfBytes * 31 + 2 * 3), 0x4fc0);  // 31
}

// The control data of a texel from ld_mcs is needed to read its samples; that of another is wrong.
TEST_F(SamplerTest, SamplesAreWhereTheControlDataSays) {
  for (const uint32_t samples : {4u, 16u}) {
    image_.levels = 1;
    image_.samples = samples;
    Bind();
    const auto control = [&](uint32_t x, uint32_t y) {
      SetLane(10, x);
      SetLane(11, y);
      EXPECT_FALSE(Do(Fields(M::kLdMcs), 2, 2).ok());  // it would write four
      EXPECT_TRUE(Do(Fields(M::kLdMcs), 2, 4).ok());
      return uint64_t{Reg(31, 0)} << 32 | Reg(30, 0);
    };
    const auto fetch = [&](uint32_t x, uint32_t y, uint32_t sample, uint64_t mcs) {
      const uint32_t params[] = {sample, static_cast<uint32_t>(mcs),
                                 static_cast<uint32_t>(mcs >> 32), x, y};
      for (int i = 0; i < 5; ++i) SetLane(10 + i, params[i]);
      EXPECT_TRUE(Do(Fields(M::kLd2dmsW), 5, 1).ok());
      return AsFloat(Reg(30, 0));
    };
    int without = 0;  // samples found with control data of zeros
    for (uint32_t s = 0; s < samples; ++s) {
      const auto texel = static_cast<float>(10 * ((1 * 4 + 2) * samples + s));
      EXPECT_EQ(fetch(2, 1, s, control(2, 1)), texel) << s;
      EXPECT_NE(fetch(2, 1, s, control(1, 1)), texel) << s;
      without += fetch(2, 1, s, 0) == texel;
    }
    EXPECT_EQ(without, 1);
    EXPECT_EQ(fetch(2, 1, samples, control(2, 1)), 0) << "there is no such sample";
    isa::MessageFields count = Fields(M::kSampleinfo);
    count.header = true;
    SetReg(10, 2, 0xe << 12);
    ASSERT_TRUE(Do(count, 0, 1).ok());
    EXPECT_EQ(Reg(30, 0), samples);
    SetLane(10, 0);
    EXPECT_FALSE(Do(Fields(M::kLdLz), 2, 1).ok()) << "a fetch that names no sample";
  }
}

TEST_F(SamplerTest, GradientsChooseTheLevel) {
  // u, du/dx, du/dy, v, dv/dx, dv/dy: a step of two texels is level 1.
  SetLane(10, AsBits(0.75f));
  SetLane(11, AsBits(0.5f));
  for (int r = 12; r < 16; ++r) SetLane(r, 0);
  ASSERT_TRUE(Do(Fields(M::kSampleD), 6, 1).ok());
  EXPECT_EQ(AsFloat(Reg(30, 0)), 90);
  image_.dim = scene::ImageDim::kCube;
  image_.layers = 6;
  image_.width = 2;
  Bind();
  EXPECT_FALSE(Do(Fields(M::kSampleD), 6, 1).ok()) << "derivatives of a direction";
}

TEST_F(SamplerTest, TypedReadsWritesAndAtomics) {
  image_.format = scene::TexelFormat::kR32ui;
  Bind();
  isa::MessageFields read = Fields(M::kTypedRead), write = Fields(M::kTypedWrite),
                     atomic = Fields(M::kTypedAtomic);
  read.channels = write.channels = 1;
  atomic.op = static_cast<uint8_t>(isa::AtomicOp::kAdd);
  atomic.returns = true;
  SetLane(10, 2);
  SetLane(11, 1);
  SetReg(10, 1, 4);  // lane 1: outside
  SetReg(11, 1, 1);
  SetReg(30, 1, 5);
  ASSERT_TRUE(Do(read, 2, 4, 0, 3).ok());
  EXPECT_EQ(Reg(30, 0), 60u);
  EXPECT_EQ(Reg(30, 1), 0u);
  SetLane(20, 7);
  ASSERT_TRUE(Do(write, 2, 0, 0, 3).ok());
  ASSERT_TRUE(Do(atomic, 2, 1, 0, 1).ok());
  EXPECT_EQ(Reg(30, 0), 7u);
  ASSERT_TRUE(Do(read, 2, 4).ok());
  EXPECT_EQ(Reg(30, 0), 14u);
}

TEST_F(SamplerTest, FetchesOutsideAreCounted) {
  uint64_t outside = 0;
  view_.outside = &outside;
  SetLane(10, 3);
  SetReg(10, 1, 4);  // lane 1: outside
  SetLane(11, 1);
  SetReg(11, 1, 1);
  ASSERT_TRUE(Do(Fields(M::kLdLz), 2, 4, 0, 3).ok());
  EXPECT_EQ(outside, 1u);
  SetReg(10, 2, 1);
  SetReg(11, 2, 2);  // lane 2: a level that does not exist
  ASSERT_TRUE(Do(Fields(M::kLd), 3, 4, 0, 4).ok());
  EXPECT_EQ(outside, 2u);
  image_.dim = scene::ImageDim::kBuffer;
  image_.width = 3;
  image_.height = image_.levels = 1;
  Bind();
  ASSERT_TRUE(Do(Fields(M::kLd), 1, 4, 0, 3).ok());
  EXPECT_EQ(outside, 4u);
  // Sampled texels are always inside.
  SetLane(10, AsBits(7.5f));
  image_.dim = scene::ImageDim::k1d;
  ASSERT_TRUE(Do(Fields(M::kSampleLz), 1, 4).ok());
  EXPECT_EQ(outside, 4u);
}

TEST_F(SamplerTest, SurfacesHaveTheNamesOfTheClient) {
  view_.surface_names = {"", "set 0 binding 7", "set 1 binding 3[1]"};
  const auto text = [&](int surface) {
    Message m;
    m.surface = static_cast<uint8_t>(surface);
    return view_.SurfaceText(m);
  };
  EXPECT_EQ(text(1), "set 0 binding 7 (surface 1)");
  EXPECT_EQ(text(14), "surface 14 (behind set 1 binding 3[1], surface 2)");
  EXPECT_EQ(text(0), "surface 0");
  EXPECT_EQ(text(kSurfaceShared), "shared memory");
  EXPECT_EQ(text(kSurfaceStateless), "scratch memory");
}

TEST_F(SamplerTest, FormatsWithoutTypedReadsAreErrors) {
  image_.format = scene::TexelFormat::kR11g11b10f;
  Bind();
  isa::MessageFields read = Fields(M::kTypedRead);
  read.channels = 15;
  EXPECT_EQ(Do(read, 2, 4).code(), absl::StatusCode::kInvalidArgument);
  view_.images[1].format = scene::TexelFormat::kR32ui;
  EXPECT_TRUE(Do(read, 2, 4).ok());
}

TEST_F(SamplerTest, MissingImagesAndSamplersAreErrors) {
  isa::MessageFields f = Fields(M::kSampleLz);
  f.bti = 5;
  EXPECT_EQ(Do(f, 2, 4).code(), absl::StatusCode::kNotFound);
  f.bti = 1;
  f.sampler = 3;
  EXPECT_EQ(Do(f, 2, 4).code(), absl::StatusCode::kNotFound);
}

TEST_F(SamplerTest, WrongLengthsAreErrors) {
  const auto says = [](const absl::Status& status, const std::string& text) {
    return status.message().find("malformed message: payload " + text) == 0;
  };
  const absl::Status decoded = DecodeMessage(isa::Sfid::kSampler, false, 0x0642a001, 0).status();
  EXPECT_TRUE(says(decoded, "3+0 and response 4 registers, expected ")) << decoded;
  isa::MessageFields f = Fields(M::kLdLz);
  EXPECT_TRUE(Do(f, 3, 4).ok());
  const absl::Status longer = Do(f, 4, 4);
  EXPECT_TRUE(says(longer, "4+0 and response 4 registers, expected 3 and 4")) << longer;
}

}  // namespace
}  // namespace kiln::sim::eu::testing
