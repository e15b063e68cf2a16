// Tests what is told of machine code of any compiler.
#include "core/intel/pipeline/analyze.h"

#include <string>
#include <utility>
#include <vector>

#include "core/intel/device/testing.h"
#include "core/intel/isa/messages.h"
#include "core/intel/isa/program.h"
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

isa::Instruction Add(int dst, int a, uint8_t swsb) {
  isa::Instruction inst;
  inst.op = isa::Opcode::kAdd;
  inst.exec_size = 8;
  inst.swsb = swsb;
  inst.dst = Grf(dst, {0, 1, 1});
  inst.src[0] = inst.src[1] = Grf(a, {8, 8, 1});
  return inst;
}

isa::Instruction EndOfThread() {
  isa::MessageFields f;
  f.message = isa::Message::kEndOfThread;
  isa::SetLengths(isa::Generation::kGen12, f);
  isa::Instruction inst = *isa::MakeSend(isa::Generation::kGen12, f);
  inst.no_mask = true;
  inst.swsb = 1;
  inst.src[0] = Grf(112, {8, 8, 1});
  return inst;
}

Analysis Of(const std::vector<isa::Instruction>& insts, const Device& device = Tgl()) {
  isa::Program program(isa::Generation::kGen12);
  for (const isa::Instruction& inst : insts) program.Append(inst);
  const auto code = isa::Finalise(program);
  EXPECT_TRUE(code.ok()) << code.status();
  const auto analysis = AnalyzeCode(device, *code, {});
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  return *analysis;
}

// The other figures are reported nevertheless.
TEST(Analyze, AMessageThatTheCostModelDoesNotKnow) {
  isa::Instruction send = EndOfThread();
  send.send.eot = false;
  send.send.sfid = isa::Sfid::kDataCache1;
  send.send.desc = 0x02100000 | 0x1f << 14;
  send.dst = Grf(20, {0, 1, 1});
  const Analysis a = Of({send, EndOfThread()});
  EXPECT_EQ(a.cycles_not_judged.find("unknown_message: instruction 0"), 0u) << a.cycles_not_judged;
  EXPECT_EQ(a.statistics.Find("cycles"), std::nullopt);
  EXPECT_EQ(a.statistics.At("sends"), 2);
  EXPECT_TRUE(a.units.empty());
}

TEST(Analyze, CountsAndCosts) {
  const Analysis a = Of({Add(10, 1, 0), Add(11, 10, 1), EndOfThread()});
  EXPECT_EQ(a.statistics.At("instructions"), 3);
  EXPECT_EQ(a.statistics.At("sends"), 1);
  EXPECT_EQ(a.statistics.At("bytes"), 48);
  EXPECT_GT(a.statistics.At("cycles"), 14);
  EXPECT_EQ(a.opcodes[0], (std::pair<std::string, int64_t>("add", 2)));
  EXPECT_EQ(a.messages[0], (std::pair<std::string, int64_t>("end_of_thread", 1)));
  ASSERT_FALSE(a.units.empty());
  EXPECT_EQ(a.units[0].name, "fpu");
  EXPECT_EQ(a.units[0].waits, 10);
  ASSERT_EQ(a.waits.size(), 1u);
  EXPECT_EQ(a.waits[0].name, "missing_waits");
  EXPECT_EQ(a.waits[0].count, 0);
  EXPECT_TRUE(a.findings.empty());
}

TEST(Analyze, NamesHazardsAndBrokenRestrictions) {
  const Analysis a = Of({Add(10, 1, 0), Add(11, 10, 0), EndOfThread()});
  EXPECT_EQ(a.waits[0].texts,
            std::vector<std::string>{
                "instruction 1 (add) does not wait for 0 (add): results not written"});
  EXPECT_FALSE(Of({Add(10, 1, 0)}).findings.empty());  // no end of thread
}

TEST(Analyze, HardwareThatInterlocksRegistersNeedsNoWaits) {
  const Device& interlocked = TglBut(&Instructions::software_scoreboard);
  const Analysis a = Of({Add(10, 1, 0), Add(11, 10, 0), EndOfThread()}, interlocked);
  EXPECT_TRUE(a.waits.empty());
  EXPECT_FALSE(a.redundant_syncs.has_value());
  EXPECT_GT(a.statistics.At("cycles"), 14);
  const Analysis no_end = Of({Add(10, 1, 0)}, interlocked);
  ASSERT_FALSE(no_end.findings.empty());
  EXPECT_NE(no_end.findings.back().find("continues past the program's end"), std::string::npos);
}

TEST(Analyze, ListsTheFirstOfMany) {
  std::vector<isa::Instruction> chain(kMaxWaitsListed + 201, Add(10, 10, 0));
  chain.push_back(EndOfThread());
  const Analysis a = Of(chain);
  EXPECT_EQ(a.waits[0].texts.size(), kMaxWaitsListed);
  EXPECT_GE(a.waits[0].count, static_cast<int64_t>(kMaxWaitsListed) + 200);
}

// Lanes may be parked at the ends of 100 ifs while others run through 3,000 more: too many states
// for following lanes, but instructions and costs are counted nevertheless.
TEST(Analyze, SaysWhatItDoesNotJudge) {
  constexpr int kNested = 100, kInside = 3000;
  isa::Instruction begin;
  begin.op = isa::Opcode::kIf;
  begin.exec_size = 8;
  begin.pred = isa::PredCtrl::kNormal;
  isa::Instruction end = begin;
  end.op = isa::Opcode::kEndif;
  end.pred = isa::PredCtrl::kNone;
  isa::Program program(isa::Generation::kGen12);
  const int past = kNested + 2 * kInside;
  for (int i = 0; i < kNested; ++i) {
    program.Append(begin, {past + kNested - 1 - i, past + kNested - 1 - i});
  }
  for (int i = 0; i < kInside; ++i) {
    program.Append(begin, {kNested + 2 * i + 1, kNested + 2 * i + 1});
    program.Append(end, {kNested + 2 * i + 2, isa::kNoTarget});
  }
  for (int i = 0; i < kNested; ++i) program.Append(end, {past + i + 1, isa::kNoTarget});
  program.Append(EndOfThread());
  const auto code = isa::Finalise(program);
  ASSERT_TRUE(code.ok()) << code.status();
  const auto a = AnalyzeCode(Tgl(), *code, {.switches = {"fusion"}});
  ASSERT_TRUE(a.ok()) << a.status();
  EXPECT_EQ(a->statistics.At("instructions"), 2 * (kNested + kInside) + 1);
  ASSERT_EQ(a->waits.size(), 2u);
  for (const WaitFindings& waits : a->waits) {
    EXPECT_EQ(waits.not_judged, "too many paths through the program");
    EXPECT_EQ(waits.count, 0);
    EXPECT_TRUE(waits.texts.empty());
  }
}

TEST(Analyze, NoThreadContinuesPastTheEnd) {
  auto findings = [](const Analysis& a) {
    std::string all;
    for (const std::string& f : a.findings) all += f + "\n";
    return all;
  };
  EXPECT_NE(findings(Of({Add(10, 1, 0)})).find("byte 0: a thread continues past the program's end"),
            std::string::npos);
  EXPECT_TRUE(Of({Add(10, 1, 0), EndOfThread()}).findings.empty());
  // An end of thread that is unreachable does not count.
  isa::Instruction jump;
  jump.op = isa::Opcode::kJmpi;
  jump.exec_size = 1;
  jump.no_mask = true;
  isa::Program program(isa::Generation::kGen12);
  program.Append(jump, {2, isa::kNoTarget});
  program.Append(EndOfThread());
  program.Append(Add(10, 1, 0));
  const auto code = isa::Finalise(program);
  ASSERT_TRUE(code.ok()) << code.status();
  const auto around = AnalyzeCode(Tgl(), *code, {});
  ASSERT_TRUE(around.ok()) << around.status();
  EXPECT_NE(findings(*around).find("byte 32: a thread continues past"), std::string::npos);
  const auto zeros = AnalyzeCode(Tgl(), std::vector<uint8_t>(64, 0), {});
  ASSERT_TRUE(zeros.ok()) << zeros.status();
  EXPECT_NE(findings(*zeros).find("the opcode exists and is not illegal"), std::string::npos);
  EXPECT_NE(findings(*zeros).find("byte 48: a thread continues past"), std::string::npos);
}

// Returns a read of eight lanes at r10 to r20.
isa::Instruction Read(uint8_t swsb) {
  isa::MessageFields fields;
  fields.message = isa::Message::kUntypedRead;
  fields.lanes = 8;
  fields.channels = 1;
  isa::SetLengths(isa::Generation::kGen12, fields);
  isa::Instruction read = *isa::MakeSend(isa::Generation::kGen12, fields);
  read.exec_size = 8;
  read.dst = Grf(20, {0, 1, 1});
  read.src[0] = Grf(10, {8, 8, 1});
  read.swsb = swsb;
  return read;
}

// A name is that of the message, of its shared function, or says that it is not known before.
TEST(Analyze, NamesMessages) {
  const isa::Instruction read = Read(0x40);
  isa::Instruction computed = read, unknown = read;
  computed.send.desc = 0;
  computed.send.desc_is_register = true;
  unknown.send.sfid = isa::Sfid::kVme;
  const Analysis a = Of({read, read, computed, unknown, EndOfThread()});
  using Row = std::pair<std::string, int64_t>;
  EXPECT_EQ(
      a.messages,
      (std::vector<Row>{
          {"untyped_read", 2}, {"computed_descriptor", 1}, {"end_of_thread", 1}, {"sfid_8", 1}}));
  EXPECT_EQ(a.opcodes, (std::vector<Row>{{"send", 5}}));
}

TEST(Analyze, FindsSyncsThatCouldGo) {
  isa::Instruction sync;
  sync.op = isa::Opcode::kSync;
  sync.no_mask = true;
  sync.src[0].file = isa::File::kArf;
  sync.src[0].type = isa::Type::kUB;
  sync.swsb = 1;
  const Analysis needless = Of({Add(10, 1, 0), sync, Add(11, 2, 1), EndOfThread()});
  EXPECT_EQ(needless.redundant_syncs, std::vector<int64_t>{1});
  const Analysis needed = Of({Add(10, 1, 0), sync, Add(11, 10, 0), EndOfThread()});
  EXPECT_TRUE(needed.redundant_syncs->empty());
  EXPECT_EQ(needed.waits[0].count, 0);
}

// With fusion a thread enters the block of an if without channels too. Then a masked wait is not
// performed, and what reads for all channels misses it.
TEST(Analyze, FusionAddsWhatASkippedBlockMisses) {
  isa::Instruction begin;
  begin.op = isa::Opcode::kIf;
  begin.exec_size = 8;
  begin.pred = isa::PredCtrl::kNormal;
  isa::Instruction end = begin;
  end.op = isa::Opcode::kEndif;
  end.pred = isa::PredCtrl::kNone;
  isa::Instruction load = Read(0x40);  // sets $0
  load.no_mask = true;
  const isa::Instruction waits = Add(30, 1, 0x20);  // for $0.dst
  isa::Instruction reads = Add(31, 20, 0);
  reads.no_mask = true;
  isa::Program program(isa::Generation::kGen12);
  program.Append(load);
  program.Append(begin, {4, 4});
  program.Append(waits);
  program.Append(reads);
  program.Append(end, {5, isa::kNoTarget});
  program.Append(EndOfThread());
  const auto code = isa::Finalise(program);
  ASSERT_TRUE(code.ok()) << code.status();
  const auto off = AnalyzeCode(Tgl(), *code, {}),
             on = AnalyzeCode(Tgl(), *code, {.switches = {"fusion"}});
  ASSERT_TRUE(off.ok() && on.ok());
  ASSERT_EQ(off->waits.size(), 1u) << "not asked for";
  EXPECT_EQ(off->waits[0].count, 0);
  ASSERT_EQ(on->waits.size(), 2u);
  EXPECT_EQ(on->waits[0].count, 0);
  EXPECT_EQ(on->waits[1].name, "missing_if_skipped");
  EXPECT_EQ(on->waits[1].count, 1);
}

}  // namespace
}  // namespace kiln::intel
