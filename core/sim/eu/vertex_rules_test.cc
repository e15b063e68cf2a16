// Rules for vertex programs: how they end and which messages they may send, each broken once.
#include "core/sim/eu/vertex_rules.h"

#include "core/sim/eu/vertex_testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::Opcode;
using isa::Type;

// Runs the program with a message before its end.
absl::Status RunWith(const isa::Instruction& message, uint32_t count = 3,
                     const Options& options = {}) {
  isa::Program p = Copy(message);
  p.Append(UrbWrite(4, 4, kLast, true));
  scene::VertexInputs draw = Vertices(count);
  draw.instances = 1;
  return RunVertices(p, VertexRecord(), draw, options);
}

isa::Instruction Message(const isa::MessageFields& f, int ex = -1) {
  const absl::StatusOr<uint32_t> desc = isa::BuildDescriptor(kGeneration, f);
  EXPECT_TRUE(desc.ok()) << desc.status();
  isa::Instruction i = SendTo(isa::Info(f.message).sfid, desc.value_or(0),
                              isa::BuildExDescriptor(f), 8, f.rlen > 0 ? 40 : -1, 60, ex);
  i.swsb = 0x91;
  return i;
}

TEST(VertexRules, ThreadsEndByAUrbWriteAndNothingFollows) {
  const out::LaunchRecord record = VertexRecord();
  scene::VertexInputs draw = Vertices(3);
  EXPECT_TRUE(RunVertices(Copy(), record, draw).ok());
  isa::Program p = Copy(UrbWrite(4, 4, kLast, false));
  ExpectRefusal(RunVertices(p, record, draw), "without an end of thread");
  isa::Instruction spawner = EndOfThread();
  spawner.swsb = 1;
  p.Append(spawner);
  ExpectRefusal(RunVertices(p, record, draw), "ends without a URB write");
  p = Copy();
  AppendMove(p, kData, Imm(Type::kUD, 0));
  ExpectRefusal(RunVertices(p, record, draw), "an instruction after the end of the thread");
  p = Copy();
  isa::Instruction nop;
  nop.op = isa::Opcode::kNop;
  p.Append(nop);
  EXPECT_TRUE(RunVertices(p, record, draw).ok());
  AppendMove(p, kData, Imm(Type::kUD, 0));
  ExpectRefusal(RunVertices(p, record, draw), "an instruction after the end of the thread");
  p = Copy();
  p.Append(UrbWrite(4, 4, kLast, true));
  ExpectRefusal(RunVertices(p, record, draw), "an instruction after the end of the thread");
}

TEST(VertexRules, ErrataOfAllGraphicsStagesHold) {
  const out::LaunchRecord record = VertexRecord();
  scene::VertexInputs draw = Vertices(3);
  isa::Instruction end = UrbWrite(4, 4, kLast, true);
  end.swsb = 2;
  ExpectRefusal(RunVertices(Copy(end), record, draw), "Wa_14013672992");
  isa::Instruction first = Make(Opcode::kMov, 4, Dst(40, Type::kUD), Imm(Type::kUD, 0));
  first.channel_offset = 4;
  isa::Program p(kGeneration);
  p.Append(first);
  p.Append(UrbWrite(4, 4, kLast, true));
  ExpectRefusal(RunVertices(p, record, draw), "Wa_14015360517");
  isa::Program accumulates = Copy(UrbWrite(4, 4, kLast, false));
  accumulates.Append(Make(Opcode::kMov, 8, Register(isa::Arf::kAccumulator, Type::kF), ImmF(1)));
  accumulates.Append(UrbWrite(4, 4, kLast, true));
  ExpectRefusal(RunVertices(accumulates, record, draw), "Wa_14010017096");
}

TEST(VertexRules, RefusesMessagesOfOtherStages) {
  isa::MessageFields f;
  f.message = isa::Message::kBarrier;
  f.lanes = 8;
  isa::SetLengths(kGeneration, f);
  ExpectRefusal(RunWith(Message(f)), "a barrier in a vertex thread");
  f = {};
  f.message = isa::Message::kTargetWrite;
  f.mlen = 4;
  f.last_target = true;
  ExpectRefusal(RunWith(Message(f)), "a render target write in a vertex thread");
  f = {};
  f.message = isa::Message::kInterpolateOffset;
  f.lanes = 8;
  isa::SetLengths(kGeneration, f);
  ExpectRefusal(RunWith(Message(f)), "the pixel interpolator in a vertex thread");
  f = {};
  f.message = isa::Message::kUntypedRead;
  f.channels = 1;
  f.bti = 254;
  isa::SetLengths(kGeneration, f);
  ExpectRefusal(RunWith(Message(f)), "shared memory in a vertex thread");
}

TEST(VertexRules, RefusesStoresForLanesWithoutVertex) {
  isa::Instruction store = SendTo(isa::Sfid::kDataCache1, 0x02026e00 | 5, 1 << 6, 8, -1, 60, 61);
  store.swsb = 0x91;
  store.no_mask = true;
  ExpectRefusal(RunWith(store), "lanes that have no vertex");
  // With eight vertices there is no such lane; the error is then that nothing is bound.
  const absl::Status all = RunWith(store, 8);
  EXPECT_FALSE(all.ok());
  EXPECT_EQ(std::string(all.message()).find("no vertex"), std::string::npos) << all;
}

TEST(VertexRules, RefusesLevelsFromQuads) {
  isa::MessageFields f;
  f.message = isa::Message::kSample;
  f.lanes = 8;
  f.bti = 2;
  isa::SetLengths(kGeneration, f, 2, 4);
  out::LaunchRecord record = VertexRecord();
  AddSampledImage(record);
  isa::Program p = Copy(Message(f));
  p.Append(UrbWrite(4, 4, kLast, true));
  const absl::StatusOr<std::vector<uint8_t>> code = isa::Finalise(p);
  ASSERT_TRUE(code.ok()) << code.status();
  scene::Dispatch d;
  d.vertices = Vertices(8);
  scene::ClientImage image;
  image.format = scene::TexelFormat::kRgba32f;
  image.width = image.height = 4;
  image.texels.resize(image.Bytes());
  d.images = {image};
  d.samplers = {scene::ClientSampler{}};
  Options options;
  options.contract = false;
  ExpectRefusal(eu::Run(*code, record, options, d).status(), "outside a fragment thread");
}

// A block that only the other thread of the pair needs: its lanes are off, so no message may have
// side effects.
TEST(VertexRules, RefusesUnmaskedWritesInSkippedBlocks) {
  isa::Program p(kGeneration);
  AppendHandles(p);
  for (int c = 0; c < 8; ++c) AppendMove(p, kData + c, Imm(Type::kUD, 0));
  isa::Instruction flag =
      Make(Opcode::kMov, 1, Register(isa::Arf::kFlag, Type::kUD), Imm(Type::kUD, 0));
  flag.no_mask = true;
  p.Append(flag);
  p.Append(UrbWrite(4, 4, kData, false));
  isa::Instruction branch = Make(Opcode::kIf, 8, {});
  branch.pred = isa::PredCtrl::kNormal;
  const int32_t after = p.Next() + 2;
  p.Append(branch, {after, after});
  isa::Instruction inside = UrbWrite(4, 4, kData, false);
  inside.no_mask = true;
  p.Append(inside);
  p.Append(Make(Opcode::kEndif, 8, {}), {after + 1, 0});
  p.Append(UrbWrite(0, 8, kData, true));
  scene::VertexInputs draw = Vertices(8);
  const absl::Status skipped = RunVertices(p, VertexRecord(), draw);
  EXPECT_TRUE(skipped.ok()) << skipped;
  Options fusion;
  fusion.fusion = true;
  ExpectRefusal(RunVertices(p, VertexRecord(), draw, fusion), "while all channels are off");
}

}  // namespace
}  // namespace kiln::sim::eu::testing
