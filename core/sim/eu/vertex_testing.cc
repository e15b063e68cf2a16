// See vertex_testing.h.
#include "core/sim/eu/vertex_testing.h"

#include <bit>

#include "core/sim/eu/message.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {

using isa::Opcode;
using isa::Type;
using out::VertexValue;
using out::VueContent;
using out::VueValue;

out::LaunchRecord VertexRecord() {
  out::LaunchRecord r;
  r.stage = "vertex";
  r.dispatch_width = 8;
  r.push = {{0, 32, out::PushSource::kClientPushConstants}};
  r.vertex.attributes = {0};
  r.vertex.system_values = {VertexValue::kFirstVertex, VertexValue::kBaseInstance,
                            VertexValue::kVertexIdFromZero, VertexValue::kInstanceIdFromZero};
  r.vertex.outputs = {{3}};
  out::IntelLaunch& intel = r.arch.emplace<out::IntelLaunch>();
  intel.push_first_register = kPush;
  intel.push_registers = 1;
  intel.vertex.setup_first_register = kAttribute;
  intel.vertex.setup_slots = 2;
  intel.vertex.vue_slots = 5;
  intel.vertex.urb_entry_size = 2;
  out::VueSlot header;
  header.parts = {{0, VueValue::kShadingRate},
                  {1, VueValue::kLayer},
                  {2, VueValue::kViewport},
                  {3, VueValue::kPointSize}};
  header.written = true;
  intel.vertex.vue = {header,
                      {1, VueContent::kPosition, 0, "", {}, true},
                      {4, VueContent::kLocation, 3, "", {}, true}};
  return r;
}

scene::VertexInputs Vertices(uint32_t count) {
  scene::VertexInputs draw;
  draw.count = count;
  draw.instances = 3;
  draw.first_instance = 5;
  scene::VertexInput input;
  input.components = 2;
  input.missing_w = std::bit_cast<uint32_t>(1.0f);
  for (uint32_t v = 0; v < count; ++v) {
    input.bits.push_back(10 * v);
    input.bits.push_back(10 * v + 1);
  }
  draw.inputs = {input};
  return draw;
}

isa::MessageFields UrbFields(int slot, int data) {
  isa::MessageFields f;
  f.message = isa::Message::kUrbWrite;
  f.header = true;
  f.lanes = 8;
  f.urb_offset = static_cast<uint16_t>(slot);
  f.mlen = 1;
  f.ex_mlen = static_cast<uint8_t>(data);
  return f;
}

isa::Instruction UrbWrite(const isa::MessageFields& f, int data, bool ends) {
  const absl::StatusOr<uint32_t> desc = isa::BuildDescriptor(kGeneration, f);
  EXPECT_TRUE(desc.ok()) << desc.status();
  isa::Instruction i = SendTo(isa::Sfid::kUrb, desc.value_or(0), isa::BuildExDescriptor(f), 8, -1,
                              kHandles, f.ex_mlen > 0 ? data : -1);
  i.send.eot = ends;
  i.swsb = ends ? 1 : 0x90;
  return i;
}

isa::Instruction UrbWrite(int slot, int registers, int data, bool ends) {
  return UrbWrite(UrbFields(slot, registers), data, ends);
}

void AppendMove(isa::Program& p, int to, const isa::Operand& value, bool no_mask) {
  isa::Instruction i = Make(Opcode::kMov, 8, Dst(to, value.type), value);
  i.no_mask = no_mask;
  p.Append(i);
}

void AppendHandles(isa::Program& p, int to) { AppendMove(p, to, Grf(1, Type::kUD), true); }

isa::Program Copy(const isa::Instruction& end) {
  isa::Program p(kGeneration);
  AppendHandles(p);
  for (int c = 0; c < 4; ++c) {
    AppendMove(p, kData + c, Imm(Type::kUD, 0));
    AppendMove(p, kData + 4 + c, Grf(kAttribute + c, Type::kUD));
    AppendMove(p, kLast + c, Grf(kIds + c, Type::kUD));
  }
  p.Append(UrbWrite(0, 8, kData, false));
  p.Append(end);
  return p;
}

isa::Program Copy() { return Copy(UrbWrite(4, 4, kLast, true)); }

absl::Status RunVertices(const isa::Program& program, const out::LaunchRecord& record,
                         scene::VertexInputs& draw, const Options& options) {
  const absl::StatusOr<std::vector<uint8_t>> code = isa::Finalise(program);
  if (!code.ok()) return code.status();
  scene::Dispatch d;
  d.push_constants = {1, 0, 0, 0, 2, 0, 0, 0};
  d.vertices = draw;
  const absl::StatusOr<RunStats> stats = Run(*code, record, options, d);
  draw = *d.vertices;
  return stats.status();
}

void ExpectRefusal(const absl::Status& s, const std::string& what) {
  EXPECT_FALSE(s.ok()) << "expected: " << what;
  EXPECT_NE(std::string(s.message()).find(what), std::string::npos) << s << "\nexpected: " << what;
}

}  // namespace kiln::sim::eu::testing
