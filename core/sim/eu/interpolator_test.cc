// The pixel interpolator's responses at every kind of point, compared with the primitive's own
// barycentrics.
#include "core/sim/eu/interpolator.h"

#include <bit>

#include "core/sim/eu/fragment_testing.h"
#include "core/sim/eu/message.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::Opcode;
using isa::Type;
using M = isa::Message;

isa::MessageFields Ask(M message, uint32_t lanes) {
  isa::MessageFields f;
  f.message = message;
  f.lanes = static_cast<uint8_t>(lanes);
  isa::SetLengths(kGeneration, f);
  return f;
}

// Red and green are the response; offsets per lane are in r60 on.
isa::Program Program(const isa::MessageFields& f, int first_channel = 0) {
  isa::Program p(kGeneration);
  const int width = f.lanes, each = width / 8;
  AppendColor(p, width);
  for (int k = 0; k < 2; ++k) {
    isa::Instruction offset =
        Fill(60 + k * each, width, Imm(Type::kV, k == 0 ? 0x76f8fedc : 0x89abcdef));
    offset.dst.type = Type::kD;
    offset.no_mask = true;
    p.Append(offset);
  }
  const absl::StatusOr<uint32_t> desc = isa::BuildDescriptor(kGeneration, f);
  EXPECT_TRUE(desc.ok()) << desc.status();
  isa::Instruction ask =
      SendTo(isa::Sfid::kPixelInterpolator, desc.value_or(0), 0, width, 80, 60, -1);
  ask.channel_offset = static_cast<uint8_t>(first_channel);
  ask.swsb = 0x90;
  p.Append(ask);
  for (int h = 0; h < each; ++h) {
    for (int k = 0; k < 2; ++k) {
      isa::Instruction mov = Make(Opcode::kMov, 8, Dst(kColor + k * each + h, Type::kUD),
                                  Grf(80 + 2 * h + k, Type::kUD));
      mov.channel_offset = static_cast<uint8_t>(8 * h);
      mov.swsb = 0x20;
      p.Append(mov);
    }
  }
  p.Append(Write(Fields(f.lanes)));
  return p;
}

out::LaunchRecord Pulled(uint32_t width, uint32_t samples = 1) {
  out::LaunchRecord r = FragmentRecord(width, samples);
  out::IntelOf(r).fragment.interpolator_messages = true;
  out::IntelOf(r).fragment.nonperspective = true;
  return r;
}

// With different w, so that perspective matters.
scene::Triangle Slanted() {
  scene::Triangle t = Whole();
  for (float& v : t.position[1]) v *= 4;
  return t;
}

void ExpectAt(const scene::FragmentInputs& draw, uint32_t x, uint32_t y, double in_x, double in_y,
              bool linear) {
  const auto want = draw.primitives[0].Barycentrics({x + in_x, y + in_y}, !linear);
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(std::bit_cast<float>(ColorOf(draw, x, y, k)), want[k]) << x << "," << y << " " << k;
  }
}

TEST(Interpolator, OneOffsetForAll) {
  for (uint32_t width : {8u, 16u}) {
    for (bool linear : {false, true}) {
      isa::MessageFields f = Ask(M::kInterpolateOffset, width);
      f.offset_x = -8;
      f.offset_y = 7;
      f.linear = linear;
      scene::FragmentInputs draw = Draw({Slanted()});
      const absl::Status s = RunFragments(Program(f), Pulled(width), draw);
      ASSERT_TRUE(s.ok()) << s;
      ExpectAt(draw, 0, 0, 0, 0.5 + 7.0 / 16, linear);
      ExpectAt(draw, 7, 6, 0, 0.5 + 7.0 / 16, linear);
    }
  }
}

TEST(Interpolator, OffsetsOfTheLanes) {
  // x of lanes 0 to 7: -4 -3 -2 -1 -8 -1 6 7; y: -1 -2 ... -8.
  constexpr int kX[] = {-4, -3, -2, -1, -8, -1, 6, 7};
  const isa::MessageFields f = Ask(M::kInterpolateOffsets, 8);
  scene::FragmentInputs draw = Draw({Slanted()});
  const absl::Status s = RunFragments(Program(f), Pulled(8), draw);
  ASSERT_TRUE(s.ok()) << s;
  for (uint32_t lane = 0; lane < 8; ++lane) {
    const uint32_t x = lane % 2 + lane / 4 * 2, y = lane / 2 % 2;
    ExpectAt(draw, x, y, 0.5 + kX[lane] / 16.0, 0.5 - (lane + 1) / 16.0, false);
  }
}

TEST(Interpolator, SamplesAndCentroid) {
  isa::MessageFields f = Ask(M::kInterpolateSample, 16);
  f.sample = 2;
  scene::FragmentInputs draw = Draw({Slanted()}, 4);
  ASSERT_TRUE(RunFragments(Program(f), Pulled(16, 4), draw).ok());
  ExpectAt(draw, 0, 0, 2.0 / 16, 10.0 / 16, false);
  // Pixels of the left column are covered in part: samples 0 and 2 or one of them.
  f = Ask(M::kInterpolateCentroid, 8);
  scene::Triangle left = Slanted();
  left.position = {{{-1, -1, 0, 1}, {-0.875f, -1, 0, 1}, {-1, 15, 0, 1}}};
  draw = Draw({left}, 4);
  ASSERT_TRUE(RunFragments(Program(f), Pulled(8, 4), draw).ok());
  const uint32_t coverage = draw.quads[0].coverage[0];
  ASSERT_TRUE(coverage != 0 && coverage != 15);
  const scene::Point in = scene::SamplePositions(4)[std::countr_zero(coverage)];
  const auto want = draw.primitives[0].Barycentrics(in, true);
  const uint32_t sample = static_cast<uint32_t>(std::countr_zero(coverage));
  EXPECT_EQ(std::bit_cast<float>(ColorOf(draw, 0, 0, 0, 0, sample)), want[0]);
}

TEST(Interpolator, RefusesWhatTheHardwareDoesNotAnswer) {
  scene::FragmentInputs draw = Draw({Slanted()});
  const isa::MessageFields f = Ask(M::kInterpolateOffset, 8);
  ExpectRefused(RunFragments(Program(f), FragmentRecord(8), draw),
                "does not enable pulled interpolation");
  isa::MessageFields g = f;
  g.linear = true;
  out::LaunchRecord perspective = Pulled(8);
  out::IntelOf(perspective).fragment.nonperspective = false;
  ExpectRefused(RunFragments(Program(g), perspective, draw), "the clipper is not configured for");
  g = f;
  g.high_slots = true;
  ExpectRefused(RunFragments(Program(g), Pulled(8), draw), "other lanes than the instruction's");
  g = Ask(M::kInterpolateSample, 8);
  g.sample = 1;
  ExpectRefused(RunFragments(Program(g), Pulled(8), draw), "sample 1 of 1");
  g = f;
  g.mlen = 2;
  ExpectRefused(RunFragments(Program(g), Pulled(8), draw), "payload 2+0");
  // -9 sixteenths.
  isa::Program p = Program(Ask(M::kInterpolateOffsets, 8));
  p.insts[4].src[0] = Imm(Type::kD, static_cast<uint32_t>(-9));
  ExpectRefused(RunFragments(p, Pulled(8), draw), "offset -9");
}

}  // namespace
}  // namespace kiln::sim::eu::testing
