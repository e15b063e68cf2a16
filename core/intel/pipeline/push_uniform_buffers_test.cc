// Tests the choice for whole programs: limits of the hardware, and room for other live values.
#include "core/intel/pipeline/push_uniform_buffers.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/intel/pipeline/passes.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

constexpr char kFragment[] =
    "mir 1\nentry \"main\"\nstage fragment\npush 16\n"
    "input 0 location 0.0 i32 x1 flat\ninput 1 location 1.0 f32 x1 array 28\n"
    "output 0 location 0.0 i32 x1\n";
constexpr char kCompute[] = "mir 1\nentry \"main\"\nlocal_size 8, 1, 1\npush 16\n";
constexpr char kResources[] =
    "resource 0 ssbo 0.0.0\nresource 1 ubo 0.1.0\nresource 2 ubo 0.2.0\nresource 3 ubo 0.3.0\n"
    "resource 4 ubo 0.4.0\nresource 5 ubo 0.5.0\nbody {\n";

mir::Module Module(const std::string& head, const std::string& body) {
  absl::StatusOr<mir::Module> m = mir::Parse(absl::StrCat(head, kResources, body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return {};
  EXPECT_TRUE(mir::Verify(*m).ok()) << mir::Verify(*m);
  return *std::move(m);
}

Abi AbiOf(const mir::Module& m) {
  absl::StatusOr<Abi> abi = AssignAbi(m, Tgl());
  EXPECT_TRUE(abi.ok()) << abi.status();
  return abi.ok() ? *std::move(abi) : Abi();
}

Abi Pushed(const mir::Module& m, const std::vector<int>& widths = {},
           PassContext context = PassContext::ForTest()) {
  Abi abi = AbiOf(m);
  CompileOptions options;
  options.widths = widths;
  AllWidths all = {&m, &options, &abi};
  const absl::StatusOr<bool> changed = PushUniformBuffers(all, context);
  EXPECT_TRUE(changed.ok()) << changed.status();
  EXPECT_EQ(changed.value_or(false), !abi.uniform_ranges.empty());
  return abi;
}

uint32_t Registers(const Abi& abi) {
  uint32_t registers = 0;
  for (const UniformRange& r : abi.uniform_ranges) registers += r.registers;
  return registers;
}

// Reads one register of each of five buffers; their sum is %9.
std::string FiveBuffers() {
  std::string body;
  std::string sum = "0";
  for (int i = 0; i < 5; ++i) {
    absl::StrAppend(&body, "%", 2 * i, ":i32 = load_ubo[", i + 1, ", align 4] ", 32 * i, "\n%",
                    2 * i + 1, ":i32 = iadd ", sum, ", %", 2 * i, "\n");
    sum = absl::StrCat("%", 2 * i + 1);
  }
  return body;
}

TEST(PushUniformBuffers, FourRangesOfWhichPushConstantsAreOne) {
  const std::string store = "store_output[0, 0] %9\n";
  EXPECT_EQ(Pushed(Module(kFragment, FiveBuffers() + store)).uniform_ranges.size(), 4u);
  const Abi with =
      Pushed(Module(kFragment, FiveBuffers() + "%10:i32 = load_push[align 4] 0\n"
                                               "%11:i32 = iadd %9, %10\nstore_output[0, 0] %11\n"));
  EXPECT_EQ(with.uniform_ranges.size(), 3u);
  EXPECT_EQ(with.uniform_ranges[0].push_register, 1u);
  EXPECT_EQ(with.cross_thread_registers, 4u);
}

TEST(PushUniformBuffers, ComputeHasNone) {
  const std::string store = "store_ssbo[0, align 4] 0, %9\n";
  EXPECT_TRUE(Pushed(Module(kCompute, FiveBuffers() + store)).uniform_ranges.empty());
}

TEST(PushUniformBuffers, CountsEachRangeAsARewrite) {
  const mir::Module m = Module(kFragment, FiveBuffers() + "store_output[0, 0] %9\n");
  EXPECT_EQ(Pushed(m, {}, PassContext::ForTest(2)).uniform_ranges.size(), 2u);
}

TEST(PushUniformBuffers, IsLeftOutByItsName) {
  const mir::Module m = Module(kFragment, FiveBuffers() + "store_output[0, 0] %9\n");
  Abi abi = AbiOf(m);
  const CompileOptions compile;
  const Budget budget;
  AllWidths all = {&m, &compile, &abi};
  PassOptions options;
  options.disabled = {"push_uniform_buffers"};
  ASSERT_TRUE(Runner(options, nullptr, budget).Run(AllWidthsLevel(), AllWidthsPasses(), all).ok());
  EXPECT_TRUE(abi.uniform_ranges.empty());
  ASSERT_TRUE(
      Runner(PassOptions(), nullptr, budget).Run(AllWidthsLevel(), AllWidthsPasses(), all).ok());
  EXPECT_EQ(abi.uniform_ranges.size(), 4u);
}

// Reads n registers of one buffer; their sum is %(2n - 1).
std::string ReadRegisters(int n) {
  std::string body;
  std::string sum = "0";
  for (int i = 0; i < n; ++i) {
    absl::StrAppend(&body, "%", 2 * i, ":i32 = load_ubo[1, align 4] ", 32 * i, "\n%", 2 * i + 1,
                    ":i32 = iadd ", sum, ", %", 2 * i, "\n");
    sum = absl::StrCat("%", 2 * i + 1);
  }
  return body;
}

TEST(PushUniformBuffers, SixtyFourRegisters) {
  const std::string body = ReadRegisters(70) + "store_output[0, 0] %139\n";
  EXPECT_EQ(Registers(Pushed(Module(kFragment, body))), 64u);
  const Abi with = Pushed(Module(kFragment, ReadRegisters(70) + "%140:i32 = load_push[align 4] 0\n"
                                                                "%141:i32 = iadd %139, %140\n"
                                                                "store_output[0, 0] %141\n"));
  EXPECT_EQ(with.cross_thread_registers, 64u);
}

// 28 attributes take 56 of 128 registers, and 8 more for 16 lanes. The registers that a thread
// starts with fit.
TEST(PushUniformBuffers, LeavesRoomForSetupData) {
  std::string body = ReadRegisters(70);
  std::string sum = "%139";
  for (int i = 0; i < 28; ++i) {
    absl::StrAppend(&body, "%", 200 + 3 * i, ":f32 = load_input.indexed[1, 0] ", i, "\n%",
                    201 + 3 * i, ":i32 = bitcast %", 200 + 3 * i, "\n%", 202 + 3 * i,
                    ":i32 = iadd ", sum, ", %", 201 + 3 * i, "\n");
    sum = absl::StrCat("%", 202 + 3 * i);
  }
  const mir::Module m = Module(kFragment, absl::StrCat(body, "store_output[0, 0] ", sum, "\n"));
  const Abi abi = Pushed(m);
  const uint32_t others = PayloadAt(*abi.fragment, 16).registers + 56;
  EXPECT_GT(Registers(abi), 0u);
  EXPECT_LE(Registers(abi) + others, 128u);
}

// Makes this many per-lane values that are live from a first sum to a second one; between the sums
// 30 registers of a buffer are read.
std::string Crowded(int lanes) {
  std::string body = "%500:i32 = load_input[0, 0]\n%501:i32 = load_ssbo[0, align 4] %500\n";
  std::string sum = "%501";
  int next = 1000;
  const auto append = [&](const char* op, const std::string& value) {
    absl::StrAppend(&body, "%", next, ":i32 = ", op, " ", sum, ", ", value, "\n");
    sum = absl::StrCat("%", next++);
  };
  for (int i = 0; i < lanes; ++i) {
    absl::StrAppend(&body, "%", 600 + 2 * i, ":i32 = imul %501, ", 2 * i + 3, "\n%", 601 + 2 * i,
                    ":i32 = load_ssbo[0, align 4] %", 600 + 2 * i, "\n");
    append("iadd", absl::StrCat("%", 601 + 2 * i));
  }
  for (int i = 0; i < 30; ++i) {
    absl::StrAppend(&body, "%", i, ":i32 = load_ubo[1, align 4] ", 32 * i, "\n");
    append(i % 2 == 0 ? "imul" : "iadd", absl::StrCat("%", i));
  }
  for (int i = 0; i < lanes; ++i)
    append(i % 2 == 0 ? "imul" : "iadd", absl::StrCat("%", 601 + 2 * i));
  return absl::StrCat(body, "store_output[0, 0] ", sum, "\n");
}

int64_t Spills(const mir::Module& m, const Abi& abi, int width) {
  Work work(Tgl());
  work.module = &m;
  work.abi = &abi;
  const absl::StatusOr<WidthAbi> at_width = AtWidth(m, abi, width);
  EXPECT_TRUE(at_width.ok());
  work.at_width = *at_width;
  const std::vector<Pass<Work>> passes = IntelPasses(Tgl());
  EXPECT_TRUE(Runner(PassOptions(), nullptr, Budget())
                  .Run(IntelLevel(), absl::MakeConstSpan(passes), work)
                  .ok());
  return work.spills + work.fills;
}

// With few values everything is pushed, with more values less, and with so many that they spill
// anyway, as much as the narrower width has room for.
TEST(PushUniformBuffers, NeverMakesAProgramSpill) {
  bool less = false;
  for (int lanes : {8, 30, 40, 44, 48, 52, 54, 56, 58, 60}) {
    const mir::Module m = Module(kFragment, Crowded(lanes));
    const Abi abi = Pushed(m, {8, 16});
    for (int width : {8, 16}) {
      EXPECT_LE(Spills(m, abi, width), Spills(m, AbiOf(m), width)) << lanes << " " << width;
    }
    if (lanes == 8) {
      EXPECT_EQ(Registers(abi), 30u);
    }
    less |= Registers(abi) < 30;
  }
  EXPECT_TRUE(less);
}

// If no width is asked for, one that spills without ranges does not count.
TEST(PushUniformBuffers, AWidthThatSpillsAnyhowDoesNotCount) {
  const mir::Module m = Module(kFragment, Crowded(70));
  ASSERT_GT(Spills(m, AbiOf(m), 16), 0);
  const Abi abi = Pushed(m);
  EXPECT_EQ(Spills(m, abi, 8), 0);
  EXPECT_EQ(Registers(abi), 30u);
}

struct Records : Sink {
  void OnPass(const PassRecord& r) override { all.push_back(r); }
  std::vector<PassRecord> all;
};

// A program whose registers are short is compiled on trial: these passes are recorded, with their
// widths; the rewrites are the ranges alone.
TEST(PushUniformBuffers, RecordsTrials) {
  const Budget budget;
  const auto run = [&](int lanes, Records& records) {
    const mir::Module m = Module(kFragment, Crowded(lanes));
    Abi abi = AbiOf(m);
    CompileOptions options;
    options.widths = {8, 16};
    AllWidths all = {&m, &options, &abi};
    Runner runner(PassOptions(), &records, budget);
    EXPECT_TRUE(runner.Run(AllWidthsLevel(), AllWidthsPasses(), all).ok());
    EXPECT_EQ(runner.rewrites(), static_cast<int64_t>(abi.uniform_ranges.size()));
  };
  Records small, large;
  run(8, small);
  ASSERT_EQ(small.all.size(), 1u) << "fits surely";
  run(48, large);
  ASSERT_GT(large.all.size(), 10u);
  EXPECT_EQ(large.all.back().pass, "push_uniform_buffers");
  EXPECT_EQ(large.all.back().width, 0);
  large.all.pop_back();
  EXPECT_EQ(large.all.front().pass, "resolve_subgroup_size");
  EXPECT_EQ(large.all.back().pass, "allocate_registers");
  for (const PassRecord& r : large.all) {
    EXPECT_TRUE(r.width == 8 || r.width == 16) << r.pass;
    EXPECT_EQ(r.rewrites, 0) << r.pass;
  }
}

}  // namespace
}  // namespace kiln::intel
