// Launch records that no thread can start with: parts that are missing, contradict each other, or
// ask for less than the program uses.
#include "core/sim/eu/launch.h"

#include <string>

#include "core/sim/eu/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

std::string Refusal(const out::LaunchRecord& record, const isa::Program& program) {
  return std::string(RunProgram(program, record, Options{}, {0}).status().message());
}

isa::Program Nothing() {
  isa::Program p(isa::Generation::kGen12);
  p.Append(EndOfThread());
  return p;
}

TEST(Launch, TheRecordIsOfThisArchitecture) {
  out::LaunchRecord record = Record(8);
  EXPECT_EQ(Refusal(record, Nothing()), "");
  record.arch = std::monostate();
  EXPECT_EQ(Refusal(record, Nothing()), "launch record: is not of a program of this architecture");
}

TEST(Launch, ResourcesAreThoseOfTheList) {
  const auto with = [](auto change) {
    out::LaunchRecord record = Record(8);
    change(record, out::IntelOf(record));
    return Refusal(record, Nothing());
  };
  using R = out::LaunchRecord;
  using I = out::IntelLaunch;
  constexpr char kNone[] = "launch record: a resource that it does not list";
  EXPECT_EQ(with([](R&, I& i) { i.binding_table[0].resource = 1; }), kNone);
  EXPECT_EQ(with([](R&, I& i) { i.sampler_table = {{0, 1}}; }), kNone);
  EXPECT_EQ(with([](R& r, I&) { r.descriptor_memory = {{.resource = 1, .stride = 8}}; }), kNone);
  EXPECT_EQ(
      with([](R& r, I&) { r.push = {{.source = out::PushSource::kBufferAddress, .resource = 1}}; }),
      kNone);
  EXPECT_EQ(with([](R& r, I& i) {
              r.resources.push_back({out::ResourceKind::kSampler});
              i.binding_table.push_back({7, out::SurfaceContent::kResource, 1});
            }),
            "surface 7 is a sampler");
}

TEST(Launch, TheSubgroupIdIsNotTheSameInAllThreads) {
  out::LaunchRecord record = Record(8);
  AddSecondThread(1, record);
  EXPECT_EQ(Refusal(record, Nothing()), "");
  out::IntelLaunch& intel = out::IntelOf(record);
  intel.push_registers = 2;
  EXPECT_EQ(Refusal(record, Nothing()),
            "launch record: 0 + 1 registers of push constants, in all 2");
  intel.compute.cross_thread_registers = 1;
  EXPECT_EQ(Refusal(record, Nothing()),
            "launch record: the subgroup id in a register that all threads have alike");
  record.push[0].at = 32;
  EXPECT_EQ(Refusal(record, Nothing()), "");
}

TEST(Launch, PushDataEndWithTheRegisterFile) {
  out::LaunchRecord record = Record(8);
  AddSecondThread(127, record);
  EXPECT_EQ(Refusal(record, Nothing()), "");
  record.push[0].at = 29;
  EXPECT_EQ(Refusal(record, Nothing()), "push constants beyond the register file");
}

// The hardware gives a barrier only to workgroups whose record asks for one.
TEST(Launch, BarriersAreAskedFor) {
  isa::Program p(isa::Generation::kGen12);
  isa::Instruction signal = SendTo(isa::Sfid::kGateway, 0x02000004, 0, 8, -1, 13, -1);
  signal.swsb = 0x41;
  p.Append(signal);
  p.Append(EndOfThread());
  out::LaunchRecord record = Record(8);
  record.compute.uses_barrier = true;
  EXPECT_EQ(Refusal(record, p), "");
  record.compute.uses_barrier = false;
  EXPECT_NE(Refusal(record, p).find("a barrier, for which the record does not ask"),
            std::string::npos);
}

}  // namespace
}  // namespace kiln::sim::eu::testing
