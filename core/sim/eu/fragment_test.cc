// Fragment threads as a whole: the payload as small programs read it, and the effect of their
// writes; every rule of render target writes, of HALT and of the payload's order broken once.
#include <bit>

#include "core/sim/eu/fragment_launch.h"
#include "core/sim/eu/fragment_testing.h"
#include "core/sim/eu/message.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::Opcode;
using isa::TargetForm;
using isa::Type;
using out::PayloadPart;

// The first register of the setup data.
int SetupOf(const out::LaunchRecord& record) {
  return static_cast<int>(out::IntelOf(record).fragment.setup_first_register);
}

TEST(Fragment, InterpolatesFromSetupDataAtEveryWidth) {
  for (uint32_t width : {8u, 16u}) {
    const out::LaunchRecord record = FragmentRecord(width);
    const int setup = SetupOf(record);
    isa::Program p(kGeneration);
    // i dw0 + (j dw1 + dw3) of component 1, for each 8 lanes.
    AppendColor(p, static_cast<int>(width));
    for (uint32_t h = 0; h < width / 8; ++h) {
      const int i = 2 + 2 * static_cast<int>(h), to = kColor + static_cast<int>(h);
      const auto scalar = [&](int dword) { return Scalar(setup, Type::kF, 16 + 4 * dword); };
      isa::Instruction a =
          Make(Opcode::kMul, 8, Dst(40, Type::kF), Grf(i + 1, Type::kF), scalar(1));
      isa::Instruction b = Make(Opcode::kAdd, 8, Dst(41, Type::kF), Grf(40, Type::kF), scalar(3));
      isa::Instruction c = Make(Opcode::kMul, 8, Dst(42, Type::kF), Grf(i, Type::kF), scalar(0));
      isa::Instruction d =
          Make(Opcode::kAdd, 8, Dst(to, Type::kF), Grf(41, Type::kF), Grf(42, Type::kF));
      for (isa::Instruction* each : {&a, &b, &c, &d}) {
        each->channel_offset = static_cast<uint8_t>(8 * h);
        each->swsb = 1;
        p.Append(*each);
      }
    }
    p.Append(Write(Fields(width)));
    scene::FragmentInputs draw = Draw({Whole()});
    const absl::Status s = RunFragments(p, record, draw);
    ASSERT_TRUE(s.ok()) << s;
    for (uint32_t y = 0; y < kSize; ++y) {
      for (uint32_t x = 0; x < kSize; ++x) {
        const float want = 10 + 16 * (static_cast<float>(x) + 0.5f) / (2 * kSize);
        EXPECT_NEAR(std::bit_cast<float>(ColorOf(draw, x, y, 0)), want, 1e-5);
        EXPECT_EQ(ColorOf(draw, x, y, 3), 4u);
        EXPECT_NEAR(draw.depth[draw.At(x, y, 0)], 0.25f + 0.5f * (y + 0.5f) / (2 * kSize), 1e-6);
      }
    }
  }
}

TEST(Fragment, PositionsAreThoseOfTheSubspans) {
  const out::LaunchRecord record = FragmentRecord(8);
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  // x of the two subspans in lanes 0 to 3 and 4 to 7, y likewise.
  for (int c = 0; c < 2; ++c) {
    isa::Operand words = Grf(1, Type::kUW, 8 + 2 * c);
    words.region = {2, 4, 0};
    isa::Instruction mov = Fill(kColor + c, 8, words);
    mov.dst.type = Type::kUD;
    p.Append(mov);
  }
  p.Append(Write(Fields(8)));
  scene::FragmentInputs draw = Draw({Whole()});
  const absl::Status s = RunFragments(p, record, draw);
  ASSERT_TRUE(s.ok()) << s;
  for (uint32_t y = 0; y < kSize; ++y) {
    for (uint32_t x = 0; x < kSize; ++x) {
      EXPECT_EQ(ColorOf(draw, x, y, 0), x & ~1u);
      EXPECT_EQ(ColorOf(draw, x, y, 1), y & ~1u);
    }
  }
}

TEST(Fragment, HelperLanesRunAndWriteNothing) {
  for (const bool vector_mask : {true, false}) {
    out::LaunchRecord record = FragmentRecord(8);
    out::IntelOf(record).fragment.vector_mask = vector_mask;
    isa::Program p(kGeneration);
    AppendColor(p, 8);
    // Red: lanes that are on in a vote.
    isa::Instruction clear =
        Make(Opcode::kMov, 1, Register(isa::Arf::kFlag, Type::kUD), Imm(Type::kUD, 0));
    clear.no_mask = true;
    p.Append(clear);
    isa::Instruction vote =
        Make(Opcode::kCmp, 8, Null(Type::kD), Grf(1, Type::kD), Grf(1, Type::kD));
    vote.cmod = isa::CondMod::kZ;
    p.Append(vote);
    isa::Operand flags = Register(isa::Arf::kFlag, Type::kUD);
    flags.region = {0, 1, 0};
    p.Append(Fill(kColor, 8, flags));
    p.Append(Write(Fields(8)));
    scene::FragmentInputs draw = Draw({LeftColumn()});
    const absl::Status s = RunFragments(p, record, draw);
    ASSERT_TRUE(s.ok()) << s;
    EXPECT_EQ(ColorOf(draw, 0, 0, 0), vector_mask ? 0xffu : 0x55u);
    EXPECT_EQ(ColorOf(draw, 0, 0, 1), 2u);
    EXPECT_EQ(ColorOf(draw, 1, 0, 1), 0u) << "a pixel that is not covered";
  }
}

TEST(Fragment, PredicatesOfTheWriteLeavePixelsOut) {
  out::LaunchRecord record = FragmentRecord(8);
  record.fragment.uses_discard = true;
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  isa::Instruction flag =
      Make(Opcode::kMov, 1, Register(isa::Arf::kFlag, Type::kUD), Imm(Type::kUD, 0x11));
  flag.no_mask = true;
  p.Append(flag);
  isa::Instruction write = Write(Fields(8));
  write.pred = isa::PredCtrl::kNormal;
  p.Append(write);
  scene::FragmentInputs draw = Draw({Whole()});
  ASSERT_TRUE(RunFragments(p, record, draw).ok());
  EXPECT_EQ(ColorOf(draw, 0, 0, 0), 1u);
  EXPECT_EQ(ColorOf(draw, 1, 0, 0), 0u);
  EXPECT_EQ(draw.depth[draw.At(0, 0, 0)] >= 0, true);
  EXPECT_EQ(draw.depth[draw.At(1, 0, 0)], -1.0f);
  record.fragment.uses_discard = false;
  ExpectRefused(RunFragments(p, record, draw), "state says that none is killed");
}

TEST(Fragment, BothHalvesOf32LanesAreWritten) {
  const out::LaunchRecord record = FragmentRecord(32);
  isa::Program p(kGeneration);
  AppendColor(p, 16);
  isa::MessageFields low = Fields(16), high = low;
  high.high_slots = true;
  p.Append(Write(low, 0, /*ends=*/false));
  p.Append(Write(high, 16));
  scene::FragmentInputs draw = Draw({Whole()});
  const absl::Status s = RunFragments(p, record, draw);
  ASSERT_TRUE(s.ok()) << s;
  for (uint32_t y = 0; y < kSize; ++y) {
    for (uint32_t x = 0; x < kSize; ++x) EXPECT_EQ(ColorOf(draw, x, y, 1), 2u);
  }
}

TEST(Fragment, TargetsAreThoseOfTheTable) {
  const out::LaunchRecord record = FragmentRecord(8);
  isa::MessageFields first = Fields(8), second = first;
  first.last_target = false;
  second.bti = second.target = 1;
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  p.Append(Write(first, 0, /*ends=*/false));
  p.Append(Write(second));
  scene::FragmentInputs draw = Draw({Whole()});
  ASSERT_TRUE(RunFragments(p, record, draw).ok());
  EXPECT_EQ(ColorOf(draw, 3, 3, 2, 0), 3u);
  EXPECT_EQ(ColorOf(draw, 3, 3, 2, 1), 3u);
  second.target = 0;
  ExpectRefused(RunWrite(Write(second), record, draw),
                "blend state 0 for the target of location 1");
  second.bti = 2;
  ExpectRefused(RunWrite(Write(second), record, draw), "surface 2 is not a colour output");
}

TEST(Fragment, DepthStencilAndSampleMaskStandWhereStateSays) {
  out::LaunchRecord record = FragmentRecord(8, 4);
  record.fragment.depth = out::DepthOutput::kLess;
  record.fragment.writes_stencil = record.fragment.writes_sample_mask = true;
  isa::MessageFields f = Fields(8);
  f.mlen = 7;
  isa::Program p(kGeneration);
  const auto set = [&p](int reg, const isa::Operand& value) {
    isa::Instruction i = Fill(reg, 8, value);
    i.no_mask = true;
    p.Append(i);
  };
  // Sample mask: lanes 0 to 3 sample 0, the others samples 0 and 1.
  isa::Instruction mask = Make(Opcode::kMov, 8, Dst(kColor, Type::kUW), Imm(Type::kUV, 0x33331111));
  mask.no_mask = true;
  p.Append(mask);
  for (int c = 0; c < 4; ++c) set(kColor + 1 + c, Imm(Type::kUD, c + 1));
  set(kColor + 5, ImmF(0.125f));
  isa::Instruction stencil =
      Make(Opcode::kMov, 4, Dst(kColor + 6, Type::kUD), Imm(Type::kUD, 0x44332211));
  stencil.no_mask = true;
  p.Append(stencil);
  p.Append(Write(f));
  scene::FragmentInputs draw = Draw({Whole()}, 4);
  draw.output.stencil.emplace().back.pass = scene::StencilOp::kReplace;
  draw.sample_mask.assign(kSize * kSize, 0);
  const absl::Status s = RunFragments(p, record, draw);
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_EQ(draw.sample_mask[0], 1u);
  EXPECT_EQ(draw.sample_mask[2], 3u) << "the second subspan";
  EXPECT_EQ(ColorOf(draw, 2, 0, 0, 0, 1), 1u);
  EXPECT_EQ(ColorOf(draw, 2, 0, 0, 0, 2), 0u);
  EXPECT_EQ(draw.depth[draw.At(0, 0, 0)], 0.125f);
  EXPECT_EQ(draw.depth[draw.At(0, 0, 1)], -1.0f);
  EXPECT_EQ(draw.stencil[draw.At(1, 0, 0)], 0x22);
  EXPECT_EQ(draw.stencil[draw.At(1, 1, 0)], 0x44);
  f.mlen = 6;
  ExpectRefused(RunWrite(Write(f), record, draw), "6 + 0 registers");
}

// Samples that pass early tests are written only if the program does not remove them: its mask of
// samples, or a discard.
TEST(Fragment, WrittenSamplesAreThoseThatTheProgramWrites) {
  for (const bool early : {false, true}) {
    out::LaunchRecord record = FragmentRecord(8, 4);
    record.fragment.early_tests = early;
    record.fragment.writes_sample_mask = record.fragment.uses_discard = true;
    isa::MessageFields f = Fields(8);
    f.mlen = 5;
    isa::Program p(kGeneration);
    // Lanes 0 to 3 write sample 0, the others samples 0 and 1.
    isa::Instruction mask =
        Make(Opcode::kMov, 8, Dst(kColor, Type::kUW), Imm(Type::kUV, 0x33331111));
    mask.no_mask = true;
    p.Append(mask);
    AppendColor(p, 8, kColor + 1);
    p.Append(Write(f));
    scene::FragmentInputs draw = Draw({Whole(), Whole()}, 4);
    draw.sample_mask.assign(kSize * kSize, 0);
    draw.coverage.assign(kSize * kSize, 0);
    // The second triangle fails: its fragments leave what the first one's have written.
    draw.output.depth.compare = scene::CompareFunction::kGreater;
    const absl::Status s = RunFragments(p, record, draw);
    ASSERT_TRUE(s.ok()) << s;
    for (const uint32_t x : {0u, 2u}) {
      const uint32_t want = x == 0 ? 1 : 3;
      EXPECT_EQ(draw.coverage[x], want) << x << early;
      EXPECT_EQ(draw.sample_mask[x], want) << x << early;
      EXPECT_EQ(ColorOf(draw, x, 0, 0, 0, 1), x == 0 ? 0u : 1u);
    }
  }
}

TEST(Fragment, PerSampleThreadsSeeAndWriteTheirSample) {
  out::LaunchRecord record = FragmentRecord(16, 4);
  record.fragment.per_sample = true;
  isa::Program p(kGeneration);
  AppendColor(p, 16);
  // Red: the thread's sample numbers.
  p.Append(Fill(kColor, 16, Scalar(1, Type::kUD)));
  p.Append(Write(Fields(16)));
  scene::FragmentInputs draw = Draw({Whole()}, 4);
  const absl::Status s = RunFragments(p, record, draw);
  ASSERT_TRUE(s.ok()) << s;
  for (uint32_t sample = 0; sample < 4; ++sample) {
    EXPECT_EQ(ColorOf(draw, 5, 5, 0, 0, sample) & 0xffff, 0x3210u);
    EXPECT_EQ(ColorOf(draw, 5, 5, 1, 0, sample), 2u);
  }
}

TEST(Fragment, RefusesWritesThatTheHardwareDoesNotTake) {
  scene::FragmentInputs draw = Draw({Whole()});
  const out::LaunchRecord eight = FragmentRecord(8), sixteen = FragmentRecord(16),
                          thirty_two = FragmentRecord(32);
  isa::Instruction i = Write(Fields(8));
  i.op = Opcode::kSend;
  ExpectRefused(RunWrite(i, eight, draw), "sendc");

  isa::MessageFields f = Fields(8);
  f.mlen = 5;
  ExpectRefused(RunWrite(Write(f), eight, draw), "5 + 0 registers");

  f = Fields(8);
  f.last_target = false;
  ExpectRefused(RunWrite(Write(f), eight, draw), "ends the thread and is not the last one");
  ExpectRefused(RunWrite(Write(Fields(8), 0, /*ends=*/false), eight, draw),
                "the last one does not end the thread");

  ExpectRefused(RunWrite(Write(Fields(8)), sixteen, draw), "form of 8 lanes in a thread of more");
  ExpectRefused(RunWrite(Write(Fields(16)), thirty_two, draw),
                "before the last one of the other lanes");
  f = Fields(16);
  f.high_slots = true;
  ExpectRefused(RunWrite(Write(f), thirty_two, draw), "for lanes from 16 on");
  ExpectRefused(RunWrite(Write(f, 16), sixteen, draw), "for lanes from 16 on");

  f = Fields(16);
  f.form = TargetForm::kRepeated;
  ExpectRefused(RunWrite(Write(f), sixteen, draw), "one colour for all lanes");

  f = Fields(8);
  f.form = TargetForm::kDualLow;
  f.mlen = 8;
  ExpectRefused(RunWrite(Write(f), eight, draw), "two colours, state says one");
  out::LaunchRecord dual = eight;
  dual.fragment.dual_source = true;
  EXPECT_TRUE(RunWrite(Write(f), dual, draw).ok());
  ExpectRefused(RunWrite(Write(Fields(8)), dual, draw), "one colour, state says two");

  i = Write(Fields(8));
  i.src[0].nr = 111;
  ExpectRefused(RunWrite(i, eight, draw), "below r112");
  i = Write(Fields(8));
  i.swsb = 2;
  ExpectRefused(RunWrite(i, eight, draw), "Wa_14013672992");
}

TEST(Fragment, RefusesThreadsThatEndOtherwise) {
  scene::FragmentInputs draw = Draw({Whole()});
  const out::LaunchRecord record = FragmentRecord(8);
  isa::Instruction spawner = EndOfThread();
  spawner.swsb = 1;
  ExpectRefused(RunWrite(spawner, record, draw), "without a render target write");
  isa::Instruction compute = Write(Fields(8));
  isa::Program p(kGeneration);
  p.Append(compute);
  ExpectRefused(RunProgram(p, Record(8), Options{}, {0}).status(), "not in a fragment program");
}

TEST(Fragment, RefusesAccumulatorsThatAreNotCleared) {
  const out::LaunchRecord record = FragmentRecord(8);
  for (const bool clear : {false, true}) {
    isa::Program p(kGeneration);
    AppendColor(p, 8);
    p.Append(Make(Opcode::kMov, 8, Register(isa::Arf::kAccumulator, Type::kF), ImmF(1)));
    isa::Instruction zero =
        Make(Opcode::kMov, 16, Register(isa::Arf::kAccumulator, Type::kF), ImmF(0));
    zero.no_mask = true;
    if (clear) p.Append(zero);
    p.Append(Write(Fields(8)));
    scene::FragmentInputs draw = Draw({Whole()});
    const absl::Status s = RunFragments(p, record, draw);
    if (clear) {
      EXPECT_TRUE(s.ok()) << s;
    } else {
      ExpectRefused(s, "Wa_14010017096");
    }
  }
}

// With early tests the input mask has the samples before them, with post_depth_coverage those that
// pass. The depth of samples 0 and 3 is too near to pass; the second triangle's quads follow.
TEST(Fragment, TheInputMaskIsThatBeforeEarlyTests) {
  out::LaunchRecord record = FragmentRecord(8, 4);
  record.fragment.early_tests = true;
  out::IntelLaunch& intel = out::IntelOf(record);
  intel.fragment.payload.push_back({4, 1, PayloadPart::kInputCoverage, 0});
  intel.push_first_register = intel.fragment.setup_first_register = 5;
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  p.Append(Fill(kColor, 8, Grf(4, Type::kUD)));
  p.Append(Write(Fields(8)));
  for (const bool post : {false, true}) {
    record.fragment.post_depth_coverage = post;
    for (const int triangles : {1, 2}) {
      scene::FragmentInputs draw =
          Draw(std::vector<scene::Triangle>(static_cast<size_t>(triangles), Whole()), 4);
      draw.output.depth.compare = scene::CompareFunction::kGreaterEqual;
      for (uint32_t i = 0; i < kSize * kSize; ++i) draw.depth[4 * i] = draw.depth[4 * i + 3] = 2;
      const absl::Status s = RunFragments(p, record, draw);
      ASSERT_TRUE(s.ok()) << s;
      EXPECT_EQ(ColorOf(draw, 3, 5, 0, 0, 1), post ? 0b0110u : 0b1111u);
      EXPECT_EQ(ColorOf(draw, 3, 5, 0, 0, 0), 0u) << "tested away";
    }
  }
}

// Vulkan 1.3, "Sample Mask Test": a pixel without samples of the mask is not shaded, so that it has
// no side effects either. The program counts its pixels.
TEST(Fragment, MaskedPixelsHaveNoSideEffects) {
  constexpr uint8_t kCounter = 5;  // of the table
  out::LaunchRecord record = FragmentRecord(8, 4);
  record.fragment.has_side_effects = true;
  record.resources = {{out::ResourceKind::kSsbo}};
  out::IntelLaunch& intel = out::IntelOf(record);
  intel.fragment.vector_mask = false;
  intel.binding_table.push_back({kCounter, out::SurfaceContent::kResource});
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  p.Append(Fill(40, 8, Imm(Type::kUD, 0)));
  isa::Instruction add = SendTo(isa::Sfid::kDataCache1, 0x0210b500 | kCounter, 0, 8, 30, 40, -1);
  add.swsb = 0x90;
  p.Append(add);
  p.Append(Write(Fields(8)));
  const absl::StatusOr<std::vector<uint8_t>> code = isa::Finalise(p);
  ASSERT_TRUE(code.ok()) << code.status();
  // Half of the picture: sample 1 of the pixels on the diagonal is not covered.
  scene::Triangle half = Whole();
  half.position = {{{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}}};
  const auto count = [&](uint32_t mask) {
    scene::Dispatch d;
    d.draw = Draw({half}, 4);
    d.draw->output.sample_mask = mask;
    scene::ClientBuffer& buffer = d.buffers.emplace_back();
    buffer.bytes.resize(4);
    const absl::StatusOr<RunStats> stats = eu::Run(*code, record, Options{}, d);
    EXPECT_TRUE(stats.ok()) << stats.status();
    return static_cast<int>(d.buffers[0].bytes[0]);
  };
  const auto covered = [&half](uint32_t mask) {
    int pixels = 0;
    for (const scene::Quad& q : Draw({half}, 4).quads) {
      for (const uint32_t c : q.coverage) pixels += (c & mask) != 0;
    }
    return pixels;
  };
  EXPECT_EQ(count(~0u), covered(0b1111));
  EXPECT_EQ(count(0b0010), covered(0b0010));
  EXPECT_LT(covered(0b0010), covered(0b1111));
  EXPECT_EQ(count(0), 0);
}

TEST(Fragment, RefusesStoresOfHelperLanes) {
  out::LaunchRecord record = FragmentRecord(8);
  record.fragment.has_side_effects = true;
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  isa::Instruction store = SendTo(isa::Sfid::kDataCache1, 0x02026e00 | 5, 1 << 6, 8, -1, 40, 41);
  store.swsb = 0x40;
  p.Append(store);
  p.Append(Write(Fields(8)));
  scene::FragmentInputs draw = Draw({LeftColumn()});
  ExpectRefused(RunFragments(p, record, draw), "helper lanes");
  record.fragment.has_side_effects = false;
  ExpectRefused(RunFragments(p, record, draw), "state says that nothing is");
}

TEST(Fragment, RefusesRecordsThatTheHardwareDoesNotDeliver) {
  scene::FragmentInputs draw = Draw({Whole()});
  const isa::Instruction write = Write(Fields(8));
  out::LaunchRecord r = FragmentRecord(8);
  out::IntelOf(r).fragment.payload[2].reg = 3;
  ExpectRefused(RunWrite(write, r, draw), "another payload");
  r = FragmentRecord(8);
  out::IntelOf(r).fragment.payload[2].what = PayloadPart::kPerspectiveSample;
  ExpectRefused(RunWrite(write, r, draw), "without per-sample dispatch");
  r = FragmentRecord(8);
  ++out::IntelOf(r).fragment.setup_first_register;
  ExpectRefused(RunWrite(write, r, draw), "setup data");
  r = FragmentRecord(8);
  std::vector<out::PayloadItem>& payload = out::IntelOf(r).fragment.payload;
  payload.insert(payload.begin() + 2, {2, 1, PayloadPart::kSourceDepth, 0});
  ExpectRefused(RunWrite(write, r, draw), "another payload");
}

// A range may begin anywhere in its buffer; bytes beyond the buffer are 0, also after its last
// dword.
TEST(Fragment, PushedRangesHoldTheirBufferAndZeros) {
  out::LaunchRecord record = FragmentRecord(8);
  const uint32_t at = out::IntelOf(record).push_first_register;
  record.resources = {{out::ResourceKind::kUbo, 1, 2, 4}};
  out::PushPart part;
  part.bytes = 64;
  part.source = out::PushSource::kUbo;
  part.offset = 32;
  part.element = 3;
  record.push = {part};
  out::IntelOf(record).push_registers = 2;
  out::IntelOf(record).fragment.setup_first_register += 2;
  isa::Program p(kGeneration);
  const int bytes[] = {0, 8, 12, 32};
  for (int c = 0; c < 4; ++c) {
    const int reg = static_cast<int>(at) + bytes[c] / 32;
    p.Append(Fill(kColor + c, 8, Scalar(reg, Type::kUD, bytes[c] % 32)));
  }
  p.Append(Write(Fields(8)));
  scene::Dispatch d;
  d.draw = Draw({Whole()});
  d.buffers.emplace_back();
  d.buffers[0].where = {1, 2, 3};
  for (uint8_t i = 0; i < 42; ++i) d.buffers[0].bytes.push_back(static_cast<uint8_t>(i + 1));
  const absl::StatusOr<std::vector<uint8_t>> code = isa::Finalise(p);
  ASSERT_TRUE(code.ok()) << code.status();
  const absl::StatusOr<RunStats> ran = eu::Run(*code, record, Options{}, d);
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(ColorOf(*d.draw, 0, 0, 0), 0x24232221u);
  EXPECT_EQ(ColorOf(*d.draw, 0, 0, 1), 0x00002a29u) << "the buffer ends within a dword";
  EXPECT_EQ(ColorOf(*d.draw, 0, 0, 2), 0u);
  EXPECT_EQ(ColorOf(*d.draw, 0, 0, 3), 0u);
  d.buffers.clear();
  ExpectRefused(eu::Run(*code, record, Options{}, d).status(), "no buffer at set 1 binding 2");
}

TEST(Fragment, RefusesMoreConstantsThanThereAreRanges) {
  const auto with = [](int pieces, uint32_t bytes, uint32_t offset, bool block) {
    out::LaunchRecord r = FragmentRecord(8);
    out::IntelLaunch& intel = out::IntelOf(r);
    uint32_t& registers = intel.push_registers;
    if (block) r.push.push_back({32 * registers++, 16, out::PushSource::kClientPushConstants});
    for (int i = 0; i < pieces; ++i) {
      r.push.push_back({32 * registers, bytes, out::PushSource::kUbo, offset});
      registers += static_cast<uint32_t>(GrfsOf(static_cast<int>(bytes)));
    }
    intel.fragment.setup_first_register = intel.push_first_register + registers;
    return CheckFragmentRecord(r);
  };
  EXPECT_TRUE(with(4, 512, 32, false).ok());
  EXPECT_TRUE(with(3, 32, 0, true).ok());
  ExpectRefused(with(4, 32, 0, true), "5 ranges");
  ExpectRefused(with(5, 32, 0, false), "5 ranges");
  ExpectRefused(with(4, 544, 0, false), "68 registers");
  ExpectRefused(with(1, 48, 0, false), "not whole registers");
  ExpectRefused(with(1, 32, 16, false), "not whole registers");
}

TEST(Fragment, RefusesBarycentricsThatTheClipperDoesNotMake) {
  out::LaunchRecord r = FragmentRecord(16);
  out::IntelOf(r).fragment.payload.back().what = PayloadPart::kLinearPixel;
  ExpectRefused(CheckFragmentRecord(r), "the clipper is not configured for");
  out::IntelOf(r).fragment.nonperspective = true;
  EXPECT_TRUE(CheckFragmentRecord(r).ok());
}

// Every sample has lanes in the thread: those of sample 1 of a quad are off between samples 0 and
// 2.
TEST(Fragment, SamplesThatAreNotCoveredAreOffInTheMiddle) {
  scene::Triangle thin = Whole();
  thin.position = {{{-1, -1, 0, 1}, {-0.875f, -1, 0, 1}, {-1, 15, 0, 1}}};
  out::LaunchRecord record = FragmentRecord(16, 4);
  record.fragment.per_sample = true;
  scene::FragmentInputs draw = Draw({thin}, 4);
  ASSERT_EQ(draw.quads[0].coverage, (std::array<uint32_t, 4>{5, 0, 5, 0}));
  std::vector<FragmentThread> threads =
      FragmentThreads(record, false, {0, draw.quads.size()}, draw);
  ASSERT_EQ(threads.size(), draw.quads.size());
  EXPECT_EQ(threads[0].subspans.size(), 4u);
  EXPECT_EQ(threads[0].covered, 0x0505u);
  EXPECT_EQ(threads[0].quads, 0x0f0fu);
  record.dispatch_width = 8;
  threads = FragmentThreads(record, false, {0, draw.quads.size()}, draw);
  EXPECT_EQ(threads.size(), 2 * draw.quads.size()) << "two samples each";
  EXPECT_EQ(threads[1].subspans[0].sample, 2u);
  EXPECT_EQ(threads[1].covered, 0x05u);
  EXPECT_EQ(threads[1].quads, 0x0fu);
}

TEST(Fragment, ThreadsWithoutACoveredSampleDoNotRun) {
  out::LaunchRecord record = FragmentRecord(8, 4);
  record.fragment.per_sample = true;
  scene::FragmentInputs draw = Draw({Whole()}, 4);
  draw.quads.resize(1);
  draw.quads[0].coverage = {0, 8, 0, 0};
  const std::vector<FragmentThread> threads =
      FragmentThreads(record, false, {0, draw.quads.size()}, draw);
  ASSERT_EQ(threads.size(), 1u);
  EXPECT_EQ(threads[0].subspans[0].sample, 2u);
  EXPECT_EQ(threads[0].covered, 0x20u);
  EXPECT_EQ(threads[0].quads, 0xf0u);
}

TEST(Fragment, SixteenSamples) {
  out::LaunchRecord record = FragmentRecord(16, 16);
  scene::FragmentInputs draw = Draw({Whole()}, 16);
  EXPECT_EQ(draw.quads[0].coverage[0], 0xffffu);
  const absl::Status s = RunWrite(Write(Fields(16)), record, draw);
  ASSERT_TRUE(s.ok()) << s;
  for (uint32_t sample = 0; sample < 16; ++sample) {
    EXPECT_EQ(ColorOf(draw, 7, 7, 1, 0, sample), 2u);
  }
}

TEST(Fragment, Refuses32LanesWhereTheyAreNotEnabled) {
  EXPECT_TRUE(CheckFragmentRecord(FragmentRecord(32, 8)).ok());
  ExpectRefused(CheckFragmentRecord(FragmentRecord(32, 16)), "32 lanes of pixels");
  out::LaunchRecord record = FragmentRecord(32, 2);
  record.fragment.per_sample = true;
  ExpectRefused(CheckFragmentRecord(record), "32 lanes of samples");
}

TEST(Fragment, RefusesAMaskOfSamplesToNoTarget) {
  out::LaunchRecord record = FragmentRecord(8);
  isa::MessageFields f = Fields(8);
  f.null_target = true;
  scene::FragmentInputs draw = Draw({Whole()});
  EXPECT_TRUE(RunWrite(Write(f), record, draw).ok());
  record.fragment.writes_sample_mask = true;
  f.mlen = 5;
  ExpectRefused(RunWrite(Write(f), record, draw), "a mask of samples to no target");
}

// Colours and kills need no surface if the message has no render target; depth and stencil need
// one.
TEST(Fragment, RefusesDepthAndStencilWithoutASurface) {
  out::LaunchRecord record = FragmentRecord(8);
  isa::MessageFields f = Fields(8);
  f.null_target = true;
  scene::FragmentInputs draw = Draw({Whole()});
  std::vector<out::SurfaceEntry>& table = out::IntelOf(record).binding_table;
  table.clear();
  EXPECT_TRUE(RunWrite(Write(f), record, draw).ok());
  f.mlen = 5;
  for (const bool stencil : {false, true}) {
    record.fragment.depth = stencil ? out::DepthOutput::kOff : out::DepthOutput::kAny;
    record.fragment.writes_stencil = stencil;
    table.clear();
    ExpectRefused(RunWrite(Write(f), record, draw), "surface 0 is not a colour output");
    record.resources = {{out::ResourceKind::kSsbo}};
    table = {{0, out::SurfaceContent::kResource}};
    ExpectRefused(RunWrite(Write(f), record, draw), "surface 0 is not a colour output");
    table = {{0, out::SurfaceContent::kNull}};
    EXPECT_TRUE(RunWrite(Write(f), record, draw).ok()) << stencil;
    EXPECT_EQ(ColorOf(draw, 7, 7, 0), 0u) << "nothing goes to the target";
  }
}

TEST(Fragment, RefusesADrawOfOtherSamples) {
  for (const uint32_t compiled : {1u, 4u}) {
    const uint32_t drawn = 5 - compiled;
    scene::FragmentInputs draw = Draw({Whole()}, drawn);
    ExpectRefused(RunWrite(Write(Fields(8)), FragmentRecord(8, compiled), draw),
                  "the program was compiled for " + std::to_string(compiled));
    EXPECT_TRUE(RunWrite(Write(Fields(8)), FragmentRecord(8, drawn), draw).ok());
  }
}

TEST(Fragment, RefusesCoverageThatTheHardwareTakesFromAlpha) {
  scene::FragmentInputs draw = Draw({Whole()}, 1);
  out::LaunchRecord record = FragmentRecord(8, 1);
  record.fragment.alpha_to_coverage = draw.output.alpha_to_coverage = true;
  ExpectRefused(CheckSamples(record, draw), "done by the hardware is not supported");
  record.fragment.writes_sample_mask = true;
  EXPECT_TRUE(CheckSamples(record, draw).ok());
}

// Attributes 0 to 15 come from any slot of the vertex, further ones from the slot of their own
// number.
TEST(Fragment, RefusesAttributesThatAreNotDelivered) {
  struct Attribute {
    uint32_t slot;
    out::FragmentInput input;
  };
  const auto with = [](const std::vector<Attribute>& attributes, uint32_t slots) {
    out::LaunchRecord r = FragmentRecord(8);
    out::IntelFragment& intel = out::IntelOf(r).fragment;
    r.fragment.inputs.clear();
    intel.input_slots.clear();
    for (const Attribute& a : attributes) {
      r.fragment.inputs.push_back(a.input);
      intel.input_slots.push_back(a.slot);
    }
    intel.setup_slots = slots;
    return CheckFragmentRecord(r);
  };
  const auto builtin = [](const char* name) { return out::FragmentInput{0, name}; };
  EXPECT_TRUE(with({{0, {20}}, {15, {0}}}, 16).ok());
  EXPECT_TRUE(with({{0, {0}}, {16, {16}}, {31, {31}}}, 32).ok());
  ExpectRefused(with({{0, {0}}, {16, {17}}}, 17), "slot 21 of the vertex, read from 4 on");
  ExpectRefused(with({{0, {1}}, {16, {17}}}, 17), "not delivered as attribute 16");
  EXPECT_TRUE(with({{0, {1}}, {17, {17}}}, 18).ok()) << "slots are read in pairs";
  EXPECT_TRUE(with({{0, builtin("clip_distance_1")}, {17, {15}}}, 18).ok());
  ExpectRefused(with({{0, builtin("clip_distance_1")}, {16, {16}}}, 17), "read from 2 on");
  EXPECT_TRUE(with({{0, {0}}, {1, {31}}}, 2).ok());
  ExpectRefused(with({{0, builtin("clip_distance_0")}, {1, {30}}}, 2), "slot 34 of the vertex");
  EXPECT_TRUE(
      with({{0, {0}}, {16, builtin("primitive_id")}, {20, builtin("point_coord")}}, 21).ok());
  // Mesa's numbering: the primitive's number has a slot before the locations.
  EXPECT_TRUE(with({{0, builtin("primitive_id")}, {2, {1}}, {18, {17}}}, 19).ok());
  ExpectRefused(with({{16, builtin("primitive_id")}, {2, {1}}, {18, {17}}}, 19), "as attribute 18");
  ExpectRefused(with({{0, {0}}}, 33), "33 attributes");
  ExpectRefused(with({{1, {0}}}, 1), "beyond the setup data");
  out::LaunchRecord without = FragmentRecord(8);
  out::IntelOf(without).fragment.input_slots.clear();
  ExpectRefused(CheckFragmentRecord(without), "beyond the setup data");
}

// Setup data of built-ins are found by their names; if a primitive has none, they are undefined.
TEST(Fragment, AttributesThatAreBuiltInsHaveTheirValues) {
  out::LaunchRecord record = FragmentRecord(8);
  record.fragment.inputs = {{0, "clip_distance_1"}};
  scene::Triangle t = Whole();
  t.built_ins = {{"clip_distance_0", 2, {1, 1, 1}},
                 {"clip_distance_1", 2, {0x40000000, 0, 0x3f800000}}};
  const auto read = [&](int dword) {
    isa::Program p(kGeneration);
    AppendColor(p, 8);
    p.Append(Fill(kColor, 8, Scalar(SetupOf(record) + 1, Type::kUD, 4 * dword)));
    p.Append(Write(Fields(8)));
    scene::FragmentInputs draw = Draw({t});
    const absl::Status s = RunFragments(p, record, draw);
    EXPECT_TRUE(s.ok()) << s;
    return ColorOf(draw, 4, 4, 0);
  };
  EXPECT_EQ(read(0), 0xc0000000u) << "0 - 2";
  EXPECT_EQ(read(1), 0xbf800000u) << "1 - 2";
  EXPECT_EQ(read(3), 0x40000000u);
}

// The first instruction needs a lane that is on. Lane 0 is on, except where lanes are samples or
// where lanes that are not covered are off.
TEST(Fragment, TheFirstInstructionHasALane) {
  const auto beginning_with = [](int first_channel, int lanes, const out::LaunchRecord& record) {
    isa::Instruction first = Fill(60, lanes, Imm(Type::kUD, 0));
    first.no_mask = false;
    first.channel_offset = static_cast<uint8_t>(first_channel);
    isa::Program p(kGeneration);
    p.Append(first);
    AppendColor(p, 16);
    p.Append(Write(Fields(16)));
    scene::FragmentInputs draw = Draw({Whole()}, record.fragment.samples);
    return RunFragments(p, record, draw);
  };
  out::LaunchRecord record = FragmentRecord(16);
  out::IntelOf(record).fragment.vector_mask = true;
  EXPECT_TRUE(beginning_with(0, 16, record).ok());
  EXPECT_TRUE(beginning_with(0, 8, record).ok());
  ExpectRefused(beginning_with(8, 8, record), "Wa_14015360517");
  out::IntelOf(record).fragment.vector_mask = false;
  EXPECT_TRUE(beginning_with(0, 16, record).ok());
  ExpectRefused(beginning_with(0, 8, record), "Wa_14015360517");
  out::LaunchRecord samples = FragmentRecord(16, 4);
  out::IntelOf(samples).fragment.vector_mask = samples.fragment.per_sample = true;
  ExpectRefused(beginning_with(0, 8, samples), "Wa_14015360517");
}

// halt, more work, the HALT of all, the end.
isa::Program WithHalts(bool last_halt, bool same_target) {
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  isa::Instruction flag =
      Make(Opcode::kMov, 1, Register(isa::Arf::kFlag, Type::kUD), Imm(Type::kUD, 0x0f));
  flag.no_mask = true;
  p.Append(flag);
  isa::Instruction halt = Make(Opcode::kHalt, 8, {});
  halt.pred = isa::PredCtrl::kNormal;
  const int32_t last = p.Next() + 2, write = last + 1;
  p.Append(halt, {last, same_target ? write : last});
  isa::Instruction seven = Fill(kColor, 8, Imm(Type::kUD, 7));
  p.Append(seven);
  isa::Instruction end = Make(Opcode::kHalt, 8, {});
  if (last_halt) {
    p.Append(end, {write, write});
  } else {
    p.Append(Fill(kColor + 1, 8, Imm(Type::kUD, 2)));
  }
  p.Append(Write(Fields(8)));
  return p;
}

absl::Status RunRaw(const isa::Program& p, scene::FragmentInputs& draw) {
  return RunFragments(p, FragmentRecord(8), draw);
}

TEST(Fragment, HaltedLanesComeBackForTheWrite) {
  scene::FragmentInputs draw = Draw({Whole()});
  const absl::Status s = RunRaw(WithHalts(true, true), draw);
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_EQ(ColorOf(draw, 0, 0, 0), 1u) << "halted before red was 7";
  EXPECT_EQ(ColorOf(draw, 2, 0, 0), 7u);
}

TEST(Fragment, RefusesHaltsThatHang) {
  scene::FragmentInputs draw = Draw({Whole()});
  ExpectRefused(RunRaw(WithHalts(false, true), draw), "no HALT of all channels");
  ExpectRefused(RunRaw(WithHalts(true, false), draw), "with another target");
}

TEST(Fragment, LaterPrimitivesLieOnTopInAnyOrderOfThreads) {
  out::LaunchRecord record = FragmentRecord(8);
  record.fragment.inputs[0].flat = true;
  isa::Program p(kGeneration);
  AppendColor(p, 8);
  p.Append(Fill(kColor, 8, Scalar(SetupOf(record), Type::kUD, 28)));
  p.Append(Write(Fields(8)));
  scene::Triangle first = Whole(), second = Whole();
  first.values[0].bits = {0x7fc00001, 2, 3};
  second.values[0].bits = {0xffc00002, 2, 3};
  Options opposite, memory;
  opposite.opposite = true;
  memory.memory_seed = 3;
  for (const Options& o : {Options{}, opposite, memory}) {
    scene::FragmentInputs draw = Draw({first, second});
    ASSERT_TRUE(RunFragments(p, record, draw, o).ok());
    EXPECT_EQ(ColorOf(draw, 4, 4, 0), 0xffc00002u) << "bits of the provoking vertex";
  }
}

}  // namespace
}  // namespace kiln::sim::eu::testing
