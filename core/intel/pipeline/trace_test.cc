#include "core/intel/pipeline/trace.h"

#include <vector>

#include "core/intel/isa/messages.h"
#include "core/intel/isa/program.h"
#include "core/intel/pipeline/analyze.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

isa::Operand Grf(int nr, isa::Region region) {
  isa::Operand o;
  o.file = isa::File::kGrf;
  o.type = isa::Type::kF;
  o.nr = static_cast<uint8_t>(nr);
  o.region = region;
  return o;
}

isa::Instruction Add(int dst, int a) {
  isa::Instruction inst;
  inst.op = isa::Opcode::kAdd;
  inst.exec_size = 8;
  inst.dst = Grf(dst, {0, 1, 1});
  inst.src[0] = inst.src[1] = Grf(a, {8, 8, 1});
  return inst;
}

isa::Instruction Send(isa::Message message, uint8_t swsb) {
  isa::MessageFields f;
  f.message = message;
  if (message == isa::Message::kUntypedRead) f.channels = 1;
  isa::SetLengths(isa::Generation::kGen12, f);
  isa::Instruction inst = *isa::MakeSend(isa::Generation::kGen12, f);
  inst.swsb = swsb;
  inst.src[0] = Grf(message == isa::Message::kEndOfThread ? 112 : 1, {8, 8, 1});
  if (message == isa::Message::kUntypedRead) inst.dst = Grf(10, {0, 1, 1});
  inst.no_mask = message == isa::Message::kEndOfThread;
  return inst;
}

std::vector<uint8_t> Code() {
  isa::Instruction sync;
  sync.op = isa::Opcode::kSync;
  sync.no_mask = true;
  sync.swsb = 0x23;
  isa::Program program(isa::Generation::kGen12);
  for (const isa::Instruction& inst :
       {Send(isa::Message::kUntypedRead, 0x43), Add(1, 2), sync, Add(11, 10), Add(12, 11),
        Send(isa::Message::kEndOfThread, 1)}) {
    program.Append(inst);
  }
  const auto code = isa::Finalise(program);
  EXPECT_TRUE(code.ok()) << code.status();
  return *code;
}

TEST(Trace, NamesWhatIsWaitedFor) {
  const auto timeline = TraceCode(Tgl(), Code(), {});
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  ASSERT_EQ(timeline->instructions.size(), 6u);
  const auto wait = [&](size_t i) { return timeline->instructions[i].waits.at(0); };
  EXPECT_EQ(wait(1).name, "reads of r1");
  EXPECT_EQ(wait(1).producer, 0);
  EXPECT_EQ(wait(2).name, "$3.dst");
  EXPECT_EQ(wait(2).kind, "data_cache");
  EXPECT_EQ(wait(4).name, "r11");
  EXPECT_EQ(wait(4).producer, 3);
  EXPECT_EQ(timeline->instructions[2].unit, "");
  EXPECT_EQ(timeline->instructions[0].unit, "data_cache");
}

// The timeline is the analysis in detail.
TEST(Trace, TotalsAreThoseOfTheAnalysis) {
  const auto timeline = TraceCode(Tgl(), Code(), {});
  const auto analysis = AnalyzeCode(Tgl(), Code(), {});
  ASSERT_TRUE(timeline.ok() && analysis.ok());
  EXPECT_EQ(timeline->cycles, analysis->statistics.At("cycles"));
  double all = 0;
  for (const TimelineTotal& total : TotalsOf(*timeline)) {
    all += total.weighted;
    for (const UnitCost& unit : analysis->units) {
      if (unit.name != total.kind) continue;
      EXPECT_EQ(total.weighted, static_cast<double>(total.is_unit ? unit.queues : unit.waits))
          << unit.name;
    }
  }
  EXPECT_EQ(all, static_cast<double>(timeline->cycles));
}

TEST(Trace, RefusesWhatIsNoProgram) {
  EXPECT_EQ(TraceCode(Tgl(), std::vector<uint8_t>(16, 0xff), {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace kiln::intel
