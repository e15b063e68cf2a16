// See fragment_testing.h.
#include "core/sim/eu/fragment_testing.h"

#include <bit>

#include "core/sim/eu/message.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {

using isa::Opcode;
using isa::TargetForm;
using isa::Type;
using out::PayloadPart;

// Payload: r0, positions, perspective barycentrics, followed by setup data.
out::LaunchRecord FragmentRecord(uint32_t width, uint32_t samples) {
  out::LaunchRecord r;
  r.fragment.samples = samples;
  r.stage = "fragment";
  r.dispatch_width = width;
  const uint32_t halves = width == 32 ? 2 : 1, each = width == 8 ? 2 : 4;
  out::IntelLaunch& intel = r.arch.emplace<out::IntelLaunch>();
  intel.fragment.payload = {{0, 1, PayloadPart::kHeader, 0}};
  uint32_t reg = 1;
  for (uint32_t h = 0; h < halves; ++h) {
    intel.fragment.payload.push_back({reg++, 1, PayloadPart::kPixelPositions, 16 * h});
  }
  for (uint32_t h = 0; h < halves; ++h, reg += each) {
    intel.fragment.payload.push_back({reg, each, PayloadPart::kPerspectivePixel, 16 * h});
  }
  intel.push_first_register = intel.fragment.setup_first_register = reg;
  intel.fragment.setup_slots = 1;
  r.fragment.inputs = {{.location = 3}};
  intel.fragment.input_slots = {0};
  intel.fragment.vector_mask = true;
  r.fragment.colors = {0, 1};
  intel.binding_table = {{.index = 0, .what = out::SurfaceContent::kColorOutput, .location = 0},
                         {.index = 1, .what = out::SurfaceContent::kColorOutput, .location = 1}};
  return r;
}

scene::FragmentInputs Draw(const std::vector<scene::Triangle>& triangles, uint32_t samples) {
  scene::FragmentInputs in;
  in.width = in.height = kSize;
  in.samples = samples;
  EXPECT_TRUE(scene::Rasterise(triangles, in).ok());
  for (uint32_t l = 0; l < 2; ++l) {
    in.targets.push_back({l, std::vector<uint32_t>(4 * kSize * kSize * samples)});
  }
  in.depth.assign(kSize * kSize * samples, -1.0f);
  in.stencil.assign(kSize * kSize * samples, 0);
  return in;
}

// Covers the render target; location 3 component 1 is 10 at vertex 0, 18 at the right edge's, ...
scene::Triangle Whole() {
  scene::Triangle t;
  t.position = {{{-1, -1, 0.25f, 1}, {3, -1, 0.25f, 1}, {-1, 3, 0.75f, 1}}};
  const auto left = std::bit_cast<uint32_t>(10.0f), right = std::bit_cast<uint32_t>(26.0f);
  t.values = {{3, 1, {left, right, left}}};
  return t;
}

// Covers the left half of the left column; helper lanes run for the pixels to the right.
scene::Triangle LeftColumn() {
  scene::Triangle t = Whole();
  t.position = {{{-1, -1, 0, 1}, {-0.75f, -1, 0, 1}, {-1, 15, 0, 1}}};
  return t;
}

isa::MessageFields Fields(uint32_t lanes) {
  isa::MessageFields f;
  f.message = isa::Message::kTargetWrite;
  f.form = lanes == 16 ? TargetForm::kSixteen : TargetForm::kEight;
  f.lanes = static_cast<uint8_t>(lanes);
  f.mlen = static_cast<uint8_t>(4 * lanes / 8);
  f.last_target = true;
  return f;
}

isa::Instruction Write(const isa::MessageFields& f, int first_channel, bool ends) {
  const absl::StatusOr<uint32_t> desc = isa::BuildDescriptor(kGeneration, f);
  EXPECT_TRUE(desc.ok()) << desc.status();
  isa::Instruction i = SendTo(isa::Sfid::kRenderCache, desc.value_or(0), isa::BuildExDescriptor(f),
                              f.lanes, -1, kColor, -1);
  i.op = Opcode::kSendc;
  i.channel_offset = static_cast<uint8_t>(first_channel);
  i.send.eot = ends;
  i.swsb = ends ? 1 : 0x90;
  return i;
}

// mov of all channels, to as many registers as the width has.
isa::Instruction Fill(int reg, int width, const isa::Operand& value) {
  isa::Instruction i = Make(Opcode::kMov, width, Dst(reg, value.type), value);
  return i;
}

// The four components of r112.. from immediates 1 to 4.
void AppendColor(isa::Program& p, int width, int first) {
  for (int c = 0; c < 4; ++c) {
    isa::Instruction i = Fill(first + c * width / 8, width, Imm(Type::kUD, c + 1));
    i.no_mask = true;
    p.Append(i);
  }
}

absl::Status RunFragments(const isa::Program& program, const out::LaunchRecord& record,
                          scene::FragmentInputs& draw, const Options& options) {
  const absl::StatusOr<std::vector<uint8_t>> code = isa::Finalise(program);
  if (!code.ok()) return code.status();
  scene::Dispatch d;
  d.draw = draw;
  const absl::StatusOr<RunStats> stats = Run(*code, record, options, d);
  draw = *d.draw;
  return stats.status();
}

// Runs a program that writes colour (1, 2, 3, 4) with this message.
absl::Status RunWrite(const isa::Instruction& write, const out::LaunchRecord& record,
                      scene::FragmentInputs& draw) {
  isa::Program p(kGeneration);
  AppendColor(p, record.dispatch_width == 8 ? 8 : 16);
  p.Append(write);
  return RunFragments(p, record, draw);
}

void ExpectRefused(const absl::Status& s, const std::string& what) {
  EXPECT_FALSE(s.ok()) << "expected: " << what;
  EXPECT_NE(std::string(s.message()).find(what), std::string::npos) << s;
}

uint32_t ColorOf(const scene::FragmentInputs& draw, uint32_t x, uint32_t y, int c, int target,
                 uint32_t sample) {
  return draw.targets[target].texels[4 * draw.At(x, y, sample) + c];
}

}  // namespace kiln::sim::eu::testing
