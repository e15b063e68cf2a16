// URB writes: the entries after them, and every rule for them broken once.
#include "core/sim/eu/urb_write.h"

#include "core/sim/eu/message.h"
#include "core/sim/eu/vertex_testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::Opcode;
using isa::Type;

absl::Status RunEnd(const isa::Instruction& end, uint32_t count = 3) {
  scene::VertexInputs draw = Vertices(count);
  return RunVertices(Copy(end), VertexRecord(), draw);
}

isa::Instruction Flag(uint32_t bits) {
  isa::Instruction i =
      Make(Opcode::kMov, 1, Register(isa::Arf::kFlag, Type::kUD), Imm(Type::kUD, bits));
  i.no_mask = true;
  return i;
}

TEST(UrbWrite, DataMayFollowTheHandlesInOnePayload) {
  isa::MessageFields f = UrbFields(1, 0);
  f.mlen = 9;  // slots 1 and 2 from r113 on
  isa::Program p(kGeneration);
  AppendHandles(p);
  for (int c = 0; c < 8; ++c) AppendMove(p, kData + c, Imm(Type::kUD, 100 + c));
  for (int c = 0; c < 4; ++c) AppendMove(p, kLast + c, Imm(Type::kUD, 0));
  p.Append(UrbWrite(0, 4, kLast, false));
  p.Append(UrbWrite(4, 1, kLast, false));
  p.Append(UrbWrite(f, 0, true));
  scene::VertexInputs draw = Vertices(1);
  const absl::Status s = RunVertices(p, VertexRecord(), draw);
  ASSERT_TRUE(s.ok()) << s;
  for (uint32_t c = 0; c < 8; ++c) EXPECT_EQ(draw.entries[draw.At(2, 1, c)], 100 + c);
  EXPECT_EQ(draw.written[draw.At(2, 4, 0)], 1);
  EXPECT_EQ(draw.written[draw.At(2, 4, 1)], 0) << "one register is one dword";
}

TEST(UrbWrite, LanesHaveOffsetsAndMasks) {
  isa::MessageFields f = UrbFields(2, 8);
  f.urb_lane_offsets = f.urb_masks = true;
  f.mlen = 3;
  isa::Program p(kGeneration);
  AppendHandles(p);
  for (int c = 0; c < 4; ++c) AppendMove(p, kData + c, Imm(Type::kUD, 0));
  for (int c = 0; c < 8; ++c) AppendMove(p, 40 + c, Imm(Type::kUD, 7));
  p.Append(UrbWrite(0, 4, kData, false));
  p.Append(UrbWrite(1, 4, 40, false));
  p.Append(UrbWrite(4, 1, 40, false));
  // Handles, the vertex's number as the offset, mask 0x81: the first and the last dword.
  AppendHandles(p, 60);
  AppendMove(p, 61, Grf(kIds + 2, Type::kUD));
  AppendMove(p, 62, Imm(Type::kUD, 0x0081ffff));
  isa::Instruction masked = UrbWrite(f, 40, false);
  masked.src[0].nr = 60;
  p.Append(masked);
  p.Append(UrbWrite(4, 1, kData, true));
  scene::VertexInputs draw = Vertices(4);
  draw.instances = 1;
  const absl::Status s = RunVertices(p, VertexRecord(), draw);
  ASSERT_TRUE(s.ok()) << s;
  for (uint32_t v = 0; v < 4; ++v) {
    EXPECT_EQ(draw.entries[draw.At(v, 2 + v, 0)], v == 2 ? 0u : 7u) << "slot 4 is written again";
    EXPECT_EQ(draw.written[draw.At(v, 2 + v, 1)], 0);
    EXPECT_EQ(draw.written[draw.At(v, 3 + v, 2)], 0);
    EXPECT_EQ(draw.entries[draw.At(v, 3 + v, 3)], 7u);
  }
  // Five vertices: slots 6 and 7 are the last.
  draw = Vertices(5);
  EXPECT_TRUE(RunVertices(p, VertexRecord(), draw).ok());
  draw = Vertices(6);
  ExpectRefusal(RunVertices(p, VertexRecord(), draw), "slot 8 of an entry of 8, lane 5");
}

TEST(UrbWrite, LanesMayWriteApart) {
  isa::Program p(kGeneration);
  AppendHandles(p);
  for (int c = 0; c < 4; ++c) {
    AppendMove(p, kData + c, Imm(Type::kUD, 0));
    AppendMove(p, kData + 4 + c, Imm(Type::kUD, 9));
  }
  p.Append(Flag(0x55));
  isa::Instruction even = UrbWrite(4, 4, kData + 4, false);
  even.pred = isa::PredCtrl::kNormal;
  isa::Instruction odd = UrbWrite(4, 4, kData, false);
  odd.pred = isa::PredCtrl::kNormal;
  odd.pred_inverse = true;
  p.Append(even);
  p.Append(odd);
  p.Append(UrbWrite(1, 4, kData, false));
  p.Append(UrbWrite(0, 4, kData, true));
  scene::VertexInputs draw = Vertices(8);
  const absl::Status s = RunVertices(p, VertexRecord(), draw);
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_EQ(draw.entries[draw.At(2, 4, 0)], 9u);
  EXPECT_EQ(draw.entries[draw.At(3, 4, 0)], 0u);
}

TEST(UrbWrite, RefusesMessagesThatTheHardwareDoesNotTake) {
  EXPECT_TRUE(RunEnd(UrbWrite(4, 4, kLast, true)).ok());
  ExpectRefusal(RunEnd(UrbWrite(4, 0, kLast, true)), "0 registers of data");
  ExpectRefusal(RunEnd(UrbWrite(4, 9, 110, true)), "9 registers of data");
  isa::MessageFields f = UrbFields(4, 2);
  f.urb_lane_offsets = f.urb_masks = true;  // they would be in the data
  f.ex_mlen = 1;
  ExpectRefusal(RunEnd(UrbWrite(f, kLast, true)), "-1 registers of data");
  f = UrbFields(4, 4);
  f.rlen = 1;
  ExpectRefusal(RunEnd(UrbWrite(f, kLast, true)), "a response");
  ExpectRefusal(RunEnd(UrbWrite(8, 4, kLast, true)), "slot 8 of an entry of 8");
  ExpectRefusal(RunEnd(UrbWrite(7, 5, kLast, true)), "slot 8 of an entry of 8");

  isa::Instruction i = UrbWrite(4, 4, 125, true);
  ExpectRefusal(RunEnd(i), "registers out of range");
  Options bare;
  bare.contract = false;
  scene::VertexInputs draw = Vertices(3);
  ExpectRefusal(RunVertices(Copy(i), VertexRecord(), draw, bare),
                "payload beyond the register file");
  i = UrbWrite(4, 4, kLast, true);
  i.exec_size = 16;
  ExpectRefusal(RunEnd(i), "8 lanes from the first on");
  i.exec_size = 8;
  i.channel_offset = 8;
  ExpectRefusal(RunEnd(i), "8 lanes from the first on");
  i = UrbWrite(4, 4, kLast, true);
  i.no_mask = true;
  ExpectRefusal(RunEnd(i), "lanes that have no vertex");
  EXPECT_FALSE(DecodeMessage(isa::Sfid::kUrb, false, 0x02080008, 0x100).ok()) << "a read";
  EXPECT_FALSE(DecodeMessage(isa::Sfid::kUrb, false, 0x02000007, 0x100).ok()) << "no handles";
}

TEST(UrbWrite, RefusesOtherHandles) {
  isa::Program p = Copy(UrbWrite(4, 4, kLast, false));
  AppendMove(p, 126, Imm(Type::kUD, 0));
  isa::Instruction end = UrbWrite(4, 1, kLast, true);
  end.src[0].nr = 126;
  p.Append(end);
  scene::VertexInputs draw = Vertices(3);
  ExpectRefusal(RunVertices(p, VertexRecord(), draw), "handle 0x0 of lane 0");
  // Handles of the neighbouring lane.
  p = Copy(UrbWrite(4, 4, kLast, false));
  isa::Instruction shift = Make(Opcode::kMov, 4, Dst(126, Type::kUD), Grf(1, Type::kUD, 4));
  shift.no_mask = true;
  p.Append(shift);
  p.Append(end);
  ExpectRefusal(RunVertices(p, VertexRecord(), draw), "of lane 0, delivered was");
}

TEST(UrbWrite, RefusesEndsFromLowRegisters) {
  isa::Program p = Copy(UrbWrite(4, 4, kLast, false));
  AppendHandles(p, 111);
  isa::Instruction low = UrbWrite(4, 1, kLast, true);
  low.src[0].nr = 111;
  p.Append(low);
  scene::VertexInputs draw = Vertices(3);
  ExpectRefusal(RunVertices(p, VertexRecord(), draw), "end of thread below r112");
  ExpectRefusal(RunEnd(UrbWrite(4, 4, 108, true)), "end of thread below r112");
  isa::Instruction inside = UrbWrite(4, 4, 108, false);
  isa::Program good = Copy(inside);
  good.Append(UrbWrite(4, 1, kLast, true));
  EXPECT_TRUE(RunVertices(good, VertexRecord(), draw).ok()) << "others may lie anywhere";
}

TEST(UrbWrite, RefusesEndsWithLanesOff) {
  isa::Program p = Copy(UrbWrite(4, 4, kLast, false));
  p.Append(Flag(0x3));
  isa::Instruction end = UrbWrite(4, 4, kLast, true);
  end.pred = isa::PredCtrl::kNormal;
  p.Append(end);
  scene::VertexInputs draw = Vertices(3);
  ExpectRefusal(RunVertices(p, VertexRecord(), draw), "ends the thread with lanes 0x03 of 0xff");
  draw = Vertices(2);
  draw.instances = 1;
  EXPECT_TRUE(RunVertices(p, VertexRecord(), draw).ok()) << "all that there are";
  // No lane at all.
  p = Copy(UrbWrite(4, 4, kLast, false));
  p.Append(Flag(0));
  p.Append(end);
  ExpectRefusal(RunVertices(p, VertexRecord(), draw), "ends the thread with lanes 0x00 of 0x03");
}

TEST(UrbWrite, RefusesEndsInsideOfBranches) {
  isa::Program p = Copy(UrbWrite(4, 4, kLast, false));
  p.Append(Flag(0x3));
  isa::Instruction branch = Make(Opcode::kIf, 8, {});
  branch.pred = isa::PredCtrl::kNormal;
  const int32_t after = p.Next() + 2;
  p.Append(branch, {after, after});
  p.Append(UrbWrite(4, 4, kLast, true));
  scene::VertexInputs draw = Vertices(3);
  ExpectRefusal(RunVertices(p, VertexRecord(), draw),
                "ends the thread while channels wait at a branch");
}

TEST(UrbWrite, RefusesHeadersThatAreNotWhole) {
  const out::LaunchRecord record = VertexRecord();
  scene::VertexInputs draw = Vertices(3);
  isa::Program p(kGeneration);
  AppendHandles(p);
  for (int c = 0; c < 8; ++c) AppendMove(p, kData + c, Imm(Type::kUD, 0));
  p.Append(UrbWrite(1, 4, kData, false));
  p.Append(UrbWrite(4, 4, kData, true));
  ExpectRefusal(RunVertices(p, record, draw), "dword 0 of the header of lane 0 was never written");
  isa::Program part(kGeneration);
  AppendHandles(part);
  for (int c = 0; c < 8; ++c) AppendMove(part, kData + c, Imm(Type::kUD, 0));
  part.Append(UrbWrite(1, 4, kData, false));
  part.Append(UrbWrite(4, 4, kData, false));
  part.Append(UrbWrite(0, 3, kData, true));
  ExpectRefusal(RunVertices(part, record, draw), "dword 3 of the header");
}

TEST(UrbWrite, HeadersHoldZeroWhereTheShaderSaysNothing) {
  for (int c = 0; c < 4; ++c) {
    isa::Program p(kGeneration);
    AppendHandles(p);
    for (int k = 0; k < 8; ++k) AppendMove(p, kData + k, Imm(Type::kUD, k == c ? 1 : 0));
    p.Append(UrbWrite(4, 4, kData + 4, false));
    p.Append(UrbWrite(0, 8, kData, true));
    out::LaunchRecord record = VertexRecord();
    scene::VertexInputs draw = Vertices(3);
    const absl::Status s = RunVertices(p, record, draw);
    if (c == 3) {
      EXPECT_TRUE(s.ok()) << "the width of points that is not asked for: " << s;
    } else {
      ExpectRefusal(s, "which must be 0");
    }
    for (out::VuePart& part : out::IntelOf(record).vertex.vue[0].parts) part.from_shader = true;
    draw = Vertices(3);
    EXPECT_EQ(RunVertices(p, record, draw).ok(), c != 0);
  }
}

TEST(UrbWrite, RefusesRecordsThatPromiseMore) {
  out::LaunchRecord record = VertexRecord();
  out::VueSlot& slot = out::IntelOf(record).vertex.vue[1];
  slot = {2, out::VueContent::kLocation, 0, "", {}, true};
  scene::VertexInputs draw = Vertices(3);
  ExpectRefusal(RunVertices(Copy(), record, draw), "slot 2 of lane 0 was never written");
  slot.written = false;
  EXPECT_TRUE(RunVertices(Copy(), record, draw).ok());
}

// The clipper would read attributes, which were delivered in the same entry.
TEST(UrbWrite, RefusesDistancesThatAreNotWritten) {
  out::LaunchRecord record = VertexRecord();
  const out::VuePart second{1, out::VueValue::kClipDistance, 0, true};
  out::IntelVertex& launch = out::IntelOf(record).vertex;
  launch.vue.insert(launch.vue.begin() + 2,
                    {2, out::VueContent::kDistances, 0, "", {second}, true});
  launch.clip_distance_mask = 2;
  for (const int registers : {1, 2}) {
    isa::Program p(kGeneration);
    AppendHandles(p);
    for (int c = 0; c < 8; ++c) AppendMove(p, kData + c, Imm(Type::kUD, 0));
    p.Append(UrbWrite(0, 8, kData, false));
    p.Append(UrbWrite(2, registers, kData, false));
    p.Append(UrbWrite(4, 4, kData + 4, true));
    scene::VertexInputs draw = Vertices(3);
    const absl::Status s = RunVertices(p, record, draw);
    if (registers == 2) {
      EXPECT_TRUE(s.ok()) << s;
    } else {
      ExpectRefusal(s, "distance 1 of lane 0 was never written");
    }
  }
}

TEST(UrbWrite, IsForVertexThreads) {
  isa::Program p(kGeneration);
  p.Append(UrbWrite(4, 4, kLast, true));
  ExpectRefusal(RunProgram(p, Record(8), Options{}, {0}).status(), "not in a vertex program");
}

TEST(UrbWrite, WaitsAreJudged) {
  isa::Program p = Copy(UrbWrite(4, 4, kLast, false));
  AppendMove(p, kLast, Imm(Type::kUD, 0));  // the message may still read it
  p.Append(UrbWrite(4, 4, kLast, true));
  scene::VertexInputs draw = Vertices(3);
  ExpectRefusal(RunVertices(p, VertexRecord(), draw), "contract: write after read of r121");
}

}  // namespace
}  // namespace kiln::sim::eu::testing
