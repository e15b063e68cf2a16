// Vertex threads: their vertices, their registers at the start, and every rule for their records.
#include "core/sim/eu/vertex_launch.h"

#include <bit>

#include "core/sim/eu/message.h"
#include "core/sim/eu/vertex_testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::Opcode;
using isa::Type;
using out::VertexValue;

constexpr uint32_t kOne = std::bit_cast<uint32_t>(1.0f);

TEST(VertexLaunch, EveryRunGetsItsAttributesAndIds) {
  Options opposite, fusion, memory;
  opposite.opposite = fusion.fusion = true;
  memory.memory_seed = 5;
  for (const Options& o : {Options{}, opposite, fusion, memory}) {
    scene::VertexInputs draw =
        Vertices(7);  // 21 runs: threads span instances, the last has five lanes
    const absl::Status s = RunVertices(Copy(), VertexRecord(), draw, o);
    ASSERT_TRUE(s.ok()) << s;
    ASSERT_EQ(draw.entries.size(), 21u * 8 * 4);
    ASSERT_EQ(draw.outputs.size(), 2u) << "position and location 3";
    EXPECT_EQ(draw.outputs[1].components[0].slot, 4u);
    for (uint32_t run = 0; run < 21; ++run) {
      const uint32_t v = run % 7;
      const uint32_t want[] = {10 * v, 10 * v + 1, 0, kOne}, ids[] = {0, 5, v, run / 7};
      for (uint32_t c = 0; c < 4; ++c) {
        EXPECT_EQ(draw.entries[draw.At(run, 0, c)], 0u);
        EXPECT_EQ(draw.entries[draw.At(run, 1, c)], want[c]) << run;
        EXPECT_EQ(draw.entries[draw.At(run, 4, c)], ids[c]) << run;
        EXPECT_EQ(draw.written[draw.At(run, 4, c)], 1);
        EXPECT_EQ(draw.written[draw.At(run, 2, c)], 0) << "a hole";
      }
    }
  }
}

TEST(VertexLaunch, IndicesOffsetsAndInstanceRates) {
  scene::VertexInputs draw = Vertices(9);
  draw.indices = {6, 0, 6};
  draw.count = 3;
  draw.first_vertex = 2;
  ASSERT_TRUE(RunVertices(Copy(), VertexRecord(), draw).ok());
  const uint32_t indices[] = {6, 0, 6};
  for (uint32_t run = 0; run < 9; ++run) {
    EXPECT_EQ(draw.entries[draw.At(run, 1, 0)], 10 * (indices[run % 3] + 2));
    EXPECT_EQ(draw.entries[draw.At(run, 4, 0)], 2u) << "the offset is the first vertex";
    EXPECT_EQ(draw.entries[draw.At(run, 4, 2)], indices[run % 3]);
  }
  draw = Vertices(9);
  draw.count = 2;
  draw.first_vertex = 3;
  ASSERT_TRUE(RunVertices(Copy(), VertexRecord(), draw).ok());
  EXPECT_EQ(draw.entries[draw.At(1, 1, 0)], 40u);
  EXPECT_EQ(draw.entries[draw.At(1, 4, 0)], 3u);
  EXPECT_EQ(draw.entries[draw.At(1, 4, 2)], 1u);
  draw.inputs[0].per_instance = true;
  draw.first_instance = 6;
  ASSERT_TRUE(RunVertices(Copy(), VertexRecord(), draw).ok());
  EXPECT_EQ(draw.entries[draw.At(5, 1, 0)], 80u) << "instance 2 from number 6 on";
  draw = Vertices(9);
  draw.count = 2;
  draw.inputs[0].per_instance = true;
  draw.inputs[0].step = 2;
  ASSERT_TRUE(RunVertices(Copy(), VertexRecord(), draw).ok());
  const uint32_t elements[] = {5, 5, 5, 5, 6, 6};  // of the six runs: two vertices an instance
  for (uint32_t run = 0; run < 6; ++run) {
    EXPECT_EQ(draw.entries[draw.At(run, 1, 0)], 10 * elements[run]);
    EXPECT_EQ(draw.entries[draw.At(run, 4, 3)], run / 2) << "each instance is counted";
  }
}

TEST(VertexLaunch, DrawIdsAreInASlotOfTheirOwn) {
  out::LaunchRecord record = VertexRecord();
  record.vertex.system_values = {VertexValue::kDrawId, VertexValue::kIsIndexedDraw};
  scene::VertexInputs draw = Vertices(1);
  draw.draw_id = 17;
  ASSERT_TRUE(RunVertices(Copy(), record, draw).ok());
  EXPECT_EQ(draw.entries[draw.At(0, 4, 0)], 17u);
  EXPECT_EQ(draw.entries[draw.At(0, 4, 1)], 0u);
  draw.indices = {0};
  ASSERT_TRUE(RunVertices(Copy(), record, draw).ok());
  EXPECT_EQ(draw.entries[draw.At(0, 4, 1)], ~0u);
}

// Components and registers that are not delivered change in the mode that exposes their use.
TEST(VertexLaunch, WhatIsNotDeliveredIsUndefined) {
  out::LaunchRecord record = VertexRecord();
  record.vertex.system_values = {VertexValue::kVertexIdFromZero};
  Options opposite;
  opposite.opposite = true;
  for (const int reg : {kAttribute, kIds, kIds + 2, kIds + 3, 11, 12, kPush}) {
    isa::Program p(kGeneration);
    AppendHandles(p);
    for (int c = 0; c < 4; ++c) {
      AppendMove(p, kData + c, Imm(Type::kUD, 0));
      AppendMove(p, kData + 4 + c, reg == kPush ? Scalar(reg, Type::kUD, 4) : Grf(reg, Type::kUD));
      AppendMove(p, kLast + c, Imm(Type::kUD, 0));
    }
    p.Append(UrbWrite(0, 8, kData, false));
    p.Append(UrbWrite(4, 4, kLast, true));
    scene::VertexInputs first = Vertices(3), second = Vertices(3);
    ASSERT_TRUE(RunVertices(p, record, first).ok());
    ASSERT_TRUE(RunVertices(p, record, second, opposite).ok());
    const bool delivered = reg == kAttribute || reg == kIds + 2 || reg == kPush;
    EXPECT_EQ(first.entries == second.entries, delivered) << "r" << reg;
  }
}

// Only as many lanes are on as there are vertices.
TEST(VertexLaunch, LanesWithoutVertexAreOff) {
  isa::Program p(kGeneration);
  AppendHandles(p);
  isa::Instruction clear =
      Make(Opcode::kMov, 1, Register(isa::Arf::kFlag, Type::kUD), Imm(Type::kUD, 0));
  clear.no_mask = true;
  p.Append(clear);
  isa::Instruction vote = Make(Opcode::kCmp, 8, Null(Type::kD), Grf(1, Type::kD), Grf(1, Type::kD));
  vote.cmod = isa::CondMod::kZ;
  p.Append(vote);
  isa::Operand flags = Register(isa::Arf::kFlag, Type::kUD);
  flags.region = {0, 1, 0};
  isa::Operand mask = Register(isa::Arf::kState, Type::kUD, 0, 8);
  mask.region = {0, 1, 0};
  for (int c = 0; c < 4; ++c) {
    AppendMove(p, kData + c, Imm(Type::kUD, 0));
    AppendMove(p, kData + 4 + c, flags);
    AppendMove(p, kLast + c, mask);
  }
  p.Append(UrbWrite(0, 8, kData, false));
  p.Append(UrbWrite(4, 4, kLast, true));
  scene::VertexInputs draw = Vertices(11);
  draw.instances = 1;
  const absl::Status s = RunVertices(p, VertexRecord(), draw);
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_EQ(draw.entries[draw.At(0, 1, 0)], 0xffu);
  EXPECT_EQ(draw.entries[draw.At(10, 1, 0)], 0x07u);
  EXPECT_EQ(draw.entries[draw.At(10, 4, 0)], 0x07u) << "sr0.2";
}

TEST(VertexLaunch, RefusesRecordsThatTheHardwareDoesNotDeliver) {
  const auto with = [](auto change) {
    out::LaunchRecord r = VertexRecord();
    change(r, out::IntelOf(r).vertex);
    return CheckVertexRecord(r);
  };
  using R = out::LaunchRecord;
  using V = out::IntelVertex;
  EXPECT_TRUE(with([](R&, V&) {}).ok());
  ExpectRefusal(with([](R& r, V&) { r.dispatch_width = 16; }), "8 lanes");
  ExpectRefusal(with([](R& r, V&) { r.shared_bytes = 4; }), "shared memory");
  ExpectRefusal(with([](R& r, V&) { out::IntelOf(r).push_first_register = 1; }), "begin at r2");
  ExpectRefusal(with([](R&, V& v) { ++v.setup_first_register; }), "begin at r2");
  ExpectRefusal(with([](R&, V& v) { v.setup_slots = 31; }), "at most 30 slots");
  ExpectRefusal(with([](R& r, V& v) {
                  out::IntelOf(r).push_registers = 62;
                  v.setup_first_register = 64;
                  v.setup_slots = 17;  // read in pairs: 18
                  v.urb_entry_size = 5;
                }),
                "up to r127");
  ExpectRefusal(with([](R& r, V&) {
                  r.push.resize(6, {0, 32, out::PushSource::kUbo});
                }),
                "6 ranges");
  ExpectRefusal(with([](R&, V& v) { v.setup_slots = 1; }), "those that the program reads are 2");
  ExpectRefusal(with([](R&, V& v) { v.setup_slots = 3; }), "those that the program reads are 2");
  ExpectRefusal(with([](R& r, V&) { r.vertex.system_values.clear(); }), "reads are 1");
  ExpectRefusal(with([](R& r, V&) { r.vertex.attributes = {1, 0}; }), "out of order");
  ExpectRefusal(with([](R& r, V&) { r.vertex.attributes = {1, 1}; }), "out of order");
  ExpectRefusal(
      with([](R& r, V&) { std::swap(r.vertex.system_values[0], r.vertex.system_values[1]); }),
      "out of order");
  const auto with_draw_id = [](R& r, V& v) {
    r.vertex.system_values.push_back(VertexValue::kDrawId);
    v.setup_slots = 3;
  };
  EXPECT_TRUE(with(with_draw_id).ok()) << "in a slot of its own";
  ExpectRefusal(with([](R&, V& v) { v.urb_entry_size = 1; }), "a URB entry of 4 slots");
  ExpectRefusal(with([](R&, V& v) { v.urb_entry_size = 0; }), "URB entries of 0");
  ExpectRefusal(with([](R&, V& v) { v.urb_entry_size = 513; }), "URB entries of 513");
  ExpectRefusal(with([](R&, V& v) { v.vue[0].written = false; }), "the header, and written");
  ExpectRefusal(with([](R&, V& v) { v.vue.clear(); }), "the header, and written");
  ExpectRefusal(with([](R&, V& v) { v.vue[2].slot = 5; }), "slot 5 of the VUE");
}

TEST(VertexLaunch, RefusesDistancesThatFixedFunctionsDoNotFind) {
  const auto with = [](auto change) {
    out::LaunchRecord r = VertexRecord();
    const out::VuePart clip{1, out::VueValue::kClipDistance, 0, true};
    const out::VuePart cull{2, out::VueValue::kCullDistance, 0, true};
    out::IntelVertex& v = out::IntelOf(r).vertex;
    v.vue.insert(v.vue.begin() + 2, {3, out::VueContent::kDistances, 0, "", {clip, cull}, true});
    v.clip_distance_mask = 1u << 5;
    v.cull_distance_mask = 1u << 6;
    change(v);
    return CheckVertexRecord(r);
  };
  using V = out::IntelVertex;
  EXPECT_TRUE(with([](V&) {}).ok());
  EXPECT_TRUE(with([](V& v) { v.clip_distance_mask = 0; }).ok());
  ExpectRefusal(with([](V& v) { v.clip_distance_mask = 1u << 1; }), "distance 1 of a mask");
  ExpectRefusal(with([](V& v) { v.cull_distance_mask = 1u << 5; }), "distance 5 of a mask");
  ExpectRefusal(with([](V& v) { v.clip_distance_mask |= 1u << 8; }), "more than eight distances");
  ExpectRefusal(with([](V& v) { v.vue[2].parts.clear(); }), "distance 5 of a mask");
  ExpectRefusal(with([](V& v) { v.vue[3].what = out::VueContent::kDistances; }),
                "slot 4 of the VUE holds another's");
  ExpectRefusal(with([](V& v) { v.vue[2].what = out::VueContent::kPosition; }),
                "slot 3 of the VUE holds another's");
  ExpectRefusal(with([](V& v) { v.vue[1].what = out::VueContent::kLocation; }),
                "slot 1 of the VUE holds another's");
}

TEST(VertexLaunch, RefusesDrawsThatLackAttributes) {
  const auto with = [](auto change) {
    scene::VertexInputs draw = Vertices(4);
    change(draw);
    return CheckVertexInputs(VertexRecord(), draw);
  };
  EXPECT_TRUE(with([](scene::VertexInputs&) {}).ok());
  ExpectRefusal(with([](scene::VertexInputs& d) { d.inputs.clear(); }), "no input at location 0");
  ExpectRefusal(with([](scene::VertexInputs& d) { d.count = 5; }), "has 4 elements only");
  ExpectRefusal(with([](scene::VertexInputs& d) { d.first_vertex = -1; }), "has 4 elements only");
  ExpectRefusal(with([](scene::VertexInputs& d) { d.count = 0; }), "0 x 3");
  ExpectRefusal(with([](scene::VertexInputs& d) { d.instances = 1u << 30; }), "4 x 1073741824");
  ExpectRefusal(with([](scene::VertexInputs& d) { d.indices = {0}; }), "number of indices");
  ExpectRefusal(with([](scene::VertexInputs& d) { d.inputs[0].components = 5; }), "components");
  ExpectRefusal(with([](scene::VertexInputs& d) { d.inputs[0].step = 0; }), "never advances");
  scene::Dispatch none;
  ExpectRefusal(eu::Run({}, VertexRecord(), Options{}, none).status(), "vertices are for vertex");
  none.vertices = Vertices(1);
  ExpectRefusal(eu::Run({}, Record(8), Options{}, none).status(), "vertices are for vertex");
}

}  // namespace
}  // namespace kiln::sim::eu::testing
