// LODs from the lanes of a quad: computed from all four lanes, enabled or not, and only in fragment
// threads.
#include <bit>

#include "core/intel/isa/messages.h"
#include "core/sim/eu/fragment_testing.h"
#include "core/sim/eu/message.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::Opcode;
using isa::Type;
using M = isa::Message;

constexpr int kPayload = 60;

isa::Instruction Sample(M message, int params, int components, int lanes = 8, bool header = false) {
  isa::MessageFields f;
  f.message = message;
  f.lanes = static_cast<uint8_t>(lanes);
  f.bti = 2;
  f.header = header;
  isa::SetLengths(kGeneration, f, params, components);
  const absl::StatusOr<uint32_t> desc = isa::BuildDescriptor(kGeneration, f);
  EXPECT_TRUE(desc.ok()) << desc.status();
  isa::Instruction i =
      SendTo(isa::Sfid::kSampler, desc.value_or(0), 0, lanes, kColor, kPayload, -1);
  i.swsb = 0x90;
  return i;
}

// 16 x 16 texels at level 0; every texel holds the number of its level.
scene::Dispatch Levels(scene::ImageDim dim, scene::FragmentInputs draw) {
  scene::Dispatch d;
  scene::ClientImage image;
  image.format = scene::TexelFormat::kRgba32f;
  image.dim = dim;
  image.width = image.height = 16;
  image.layers = dim == scene::ImageDim::kCube ? 6 : 1;
  image.levels = 5;
  image.texels.resize(image.Bytes());
  for (uint32_t level = 0; level < image.levels; ++level) {
    const auto size = image.Size(level);
    for (uint32_t layer = 0; layer < image.layers; ++layer) {
      for (uint32_t i = 0; i < size[0] * size[1]; ++i) {
        const scene::Texel t = {std::bit_cast<uint32_t>(static_cast<float>(level)), 0, 0, 0};
        scene::EncodeTexel(
            image.format, t,
            image.texels.data() + image.Offset(level, layer, i % size[0], i / size[0], 0));
      }
    }
  }
  d.images = {image};
  d.samplers = {scene::ClientSampler{}};
  d.draw = std::move(draw);
  return d;
}

out::LaunchRecord Record() {
  out::LaunchRecord r = FragmentRecord(8);
  AddSampledImage(r);
  return r;
}

// Coordinate k of the eight lanes: low + step * (lane's bits picked by `mask`).
void Coordinate(isa::Program& p, int reg, uint32_t pattern, float step, float base = 0) {
  isa::Instruction count = Make(Opcode::kMov, 8, Dst(reg, Type::kF), Imm(Type::kUV, pattern));
  isa::Instruction scale =
      Make(Opcode::kMul, 8, Dst(reg, Type::kF), Grf(reg, Type::kF), ImmF(step));
  isa::Instruction add = Make(Opcode::kAdd, 8, Dst(reg, Type::kF), Grf(reg, Type::kF), ImmF(base));
  for (isa::Instruction* i : {&count, &scale, &add}) {
    i->no_mask = true;
    i->swsb = 1;
    p.Append(*i);
  }
}

// Runs a program that leaves colours in kColor on; returns red of pixel (x, 0).
absl::StatusOr<float> Red(isa::Program p, scene::Dispatch d, uint32_t x,
                          const out::LaunchRecord& record) {
  isa::Instruction sync;
  sync.op = Opcode::kSync;
  sync.no_mask = true;
  sync.swsb = 0x20;
  sync.src[0] = Null(Type::kUB);
  p.Append(sync);
  p.Append(Write(Fields(8)));
  const absl::StatusOr<std::vector<uint8_t>> code = isa::Finalise(p);
  if (!code.ok()) return code.status();
  const absl::StatusOr<RunStats> stats = eu::Run(*code, record, Options{}, d);
  if (!stats.ok()) return stats.status();
  return std::bit_cast<float>(ColorOf(*d.draw, x, 0, 0));
}

constexpr uint32_t kRight = 0x32103210, kX = 0x10101010, kY = 0x11001100;

TEST(QuadSampling, LevelsComeFromTheLargerDerivative) {
  // u moves by 4 texels from pixel to pixel, v by 2: level 2.
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  Coordinate(p, kPayload, kX, 4.0f / 16, 0.25f);
  Coordinate(p, kPayload + 1, kY, 2.0f / 16, 0.25f);
  p.Append(Sample(M::kSample, 2, 1));
  const absl::StatusOr<float> red =
      Red(p, Levels(scene::ImageDim::k2d, Draw({Whole()})), 0, Record());
  ASSERT_TRUE(red.ok()) << red.status();
  EXPECT_EQ(*red, 2.0f);
}

TEST(QuadSampling, BiasAddsToTheLevelAndLeastLevelHolds) {
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  isa::Instruction bias = Fill(kPayload, 8, ImmF(-1));
  bias.no_mask = true;
  p.Append(bias);
  Coordinate(p, kPayload + 1, kX, 4.0f / 16, 0.25f);
  Coordinate(p, kPayload + 2, kY, 2.0f / 16, 0.25f);
  p.Append(Sample(M::kSampleB, 3, 1));
  const absl::StatusOr<float> red =
      Red(p, Levels(scene::ImageDim::k2d, Draw({Whole()})), 0, Record());
  ASSERT_TRUE(red.ok()) << red.status();
  EXPECT_EQ(*red, 1.0f);

  isa::Program q(kGeneration);
  AppendColor(q, 8);
  Coordinate(q, kPayload, kX, 4.0f / 16, 0.25f);
  Coordinate(q, kPayload + 1, kY, 2.0f / 16, 0.25f);
  isa::Instruction least = Fill(kPayload + 4, 8, ImmF(3));
  least.no_mask = true;
  q.Append(least);
  q.Append(Sample(M::kSample, 5, 1));
  const absl::StatusOr<float> clamped =
      Red(q, Levels(scene::ImageDim::k2d, Draw({Whole()})), 0, Record());
  ASSERT_TRUE(clamped.ok()) << clamped.status();
  EXPECT_EQ(*clamped, 3.0f);
}

TEST(QuadSampling, TheLodMessageTellsBoth) {
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  Coordinate(p, kPayload, kX, 64.0f / 16);
  Coordinate(p, kPayload + 1, kY, 0);
  p.Append(Sample(M::kLod, 2, 2));
  scene::Dispatch d = Levels(scene::ImageDim::k2d, Draw({Whole()}));
  absl::StatusOr<float> red = Red(p, d, 0, Record());
  ASSERT_TRUE(red.ok()) << red.status();
  EXPECT_EQ(*red, 4.0f) << "within the image's levels";
  isa::Instruction swap = Make(Opcode::kMov, 8, Dst(kColor, Type::kUD), Grf(kColor + 1, Type::kUD));
  swap.swsb = 0x20;
  p.Append(swap);
  swap.swsb = 1;
  p.Append(swap);
  red = Red(p, d, 0, Record());
  ASSERT_TRUE(red.ok()) << red.status();
  EXPECT_EQ(*red, 6.0f) << "before the clamp";
}

// Lanes of disabled channels count: their coordinates are in the payload.
TEST(QuadSampling, DisabledLanesOfAQuadCount) {
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  Coordinate(p, kPayload, kX, 4.0f / 16, 0.25f);
  Coordinate(p, kPayload + 1, kY, 8.0f / 16, 0.25f);
  isa::Instruction flag =
      Make(Opcode::kMov, 1, Register(isa::Arf::kFlag, Type::kUD), Imm(Type::kUD, 0x01));
  flag.no_mask = true;
  p.Append(flag);
  isa::Instruction sample = Sample(M::kSample, 2, 1);
  sample.pred = isa::PredCtrl::kNormal;
  p.Append(sample);
  const absl::StatusOr<float> red =
      Red(p, Levels(scene::ImageDim::k2d, Draw({Whole()})), 0, Record());
  ASSERT_TRUE(red.ok()) << red.status();
  EXPECT_EQ(*red, 3.0f);
}

// Towards the face x = 1; the direction turns by 4 texels of the 16 that the face has from y = -1
// to 1.
TEST(QuadSampling, CubesHaveLevelsOfTheirFaces) {
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  Coordinate(p, kPayload, 0, 0, 1);
  Coordinate(p, kPayload + 1, kX, 0.5f);
  Coordinate(p, kPayload + 2, kY, 0.25f);
  p.Append(Sample(M::kSample, 3, 1));
  scene::Dispatch d = Levels(scene::ImageDim::kCube, Draw({Whole()}));
  const absl::StatusOr<float> red = Red(p, d, 0, Record());
  ASSERT_TRUE(red.ok()) << red.status();
  EXPECT_EQ(*red, 2.0f);
}

TEST(QuadSampling, NoneOutsideOfFragmentThreads) {
  isa::Program p(kGeneration);
  Coordinate(p, kPayload, kRight, 4.0f / 16);
  Coordinate(p, kPayload + 1, kY, 0);
  p.Append(Sample(M::kSample, 2, 1));
  isa::Instruction end = EndOfThread();
  p.Append(end);
  const absl::StatusOr<std::vector<uint8_t>> code = isa::Finalise(p);
  ASSERT_TRUE(code.ok());
  out::LaunchRecord compute = testing::Record(8);
  AddSampledImage(compute);
  scene::Dispatch d = Levels(scene::ImageDim::k2d, {});
  d.draw.reset();
  d.buffers.resize(1);
  ExpectRefused(eu::Run(*code, compute, Options{}, d).status(), "outside a fragment thread");
}

}  // namespace
}  // namespace kiln::sim::eu::testing
