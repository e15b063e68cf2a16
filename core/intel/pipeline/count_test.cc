// Tests the result of one width: that it describes its bytes.
#include "core/intel/pipeline/count.h"

#include <string>
#include <utility>
#include <vector>

#include "core/intel/isa/program.h"
#include "core/intel/perf/statistics.h"
#include "core/intel/pipeline/statistics.h"
#include "core/intel/pipeline/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::Crowded;
using testing::Doubled;
using testing::RunUntil;
using testing::Shader;

Work Compiled(const Shader& shader, int width) {
  Work work = shader.At(width);
  EXPECT_EQ(RunUntil("", work), absl::OkStatus());
  work.check = true;
  return work;
}

TEST(MakeVariant, DescribesTheBytes) {
  const Shader shader(Crowded(80));
  for (const int width : {8, 16, 32}) {
    SCOPED_TRACE(width);
    Work work = Compiled(shader, width);
    const std::vector<uint8_t> code = work.code;
    const int64_t spills = work.spills, fills = work.fills, stored = work.spill_bytes,
                  loaded = work.fill_bytes;
    const uint32_t scratch = work.scratch_bytes;
    const auto made = MakeVariant(shader.module, shader.abi, std::move(work), nullptr);
    ASSERT_TRUE(made.ok()) << made.status();
    const Variant* v = &made->variant;
    EXPECT_EQ(v->name, "SIMD" + std::to_string(width));
    EXPECT_EQ(v->width, width);
    EXPECT_EQ(v->code, code);
    const auto counted = CountProgram(Tgl(), code);
    ASSERT_TRUE(counted.ok()) << counted.status();
    EXPECT_EQ(v->statistics.At("instructions"), counted->instructions);
    EXPECT_EQ(v->statistics.At("sends"), counted->sends);
    EXPECT_EQ(v->statistics.At("registers"), counted->registers);
    EXPECT_EQ(v->statistics.At("cycles"), *counted->cycles);
    EXPECT_GT(v->statistics.At("cycles"), 0);
    EXPECT_GE(v->statistics.At("sends"), 82) << "80 loads, a store, the end";
    EXPECT_EQ(v->statistics.At("bytes"), static_cast<int64_t>(code.size()));
    EXPECT_EQ(v->statistics.At("spills"), spills);
    EXPECT_EQ(v->statistics.At("fills"), fills);
    EXPECT_EQ(v->statistics.At("spill_bytes"), stored);
    EXPECT_EQ(v->statistics.At("fill_bytes"), loaded);
    EXPECT_EQ(v->statistics.At("spills") != 0, width != 8);
    EXPECT_EQ(v->statistics.Known().size(), StatisticRows().size());
    EXPECT_EQ(made->costs.width, width);
    EXPECT_EQ(made->costs.cycles, *counted->cycles);
    EXPECT_EQ(made->costs.busiest_cycles, counted->busiest_cycles);
    EXPECT_EQ(made->costs.registers, counted->registers);
    EXPECT_EQ(made->costs.spills, width != 8);
    EXPECT_EQ(v->launch.code_bytes, code.size());
    EXPECT_EQ(v->launch.dispatch_width, static_cast<uint32_t>(width));
    EXPECT_EQ(v->launch.scratch_bytes_per_thread, scratch);
  }
}

TEST(MakeVariant, TheStepIsReported) {
  struct Steps : Sink {
    void OnPass(const PassRecord& r) override { names += std::string(r.pass) + " "; }
    std::string names;
  } steps;
  const Shader shader(Doubled());
  ASSERT_TRUE(MakeVariant(shader.module, shader.abi, Compiled(shader, 16), &steps).ok());
  EXPECT_EQ(steps.names, "count_program ");
}

// Statistics are counted from the program; where passes are verified they are those of the bytes.
TEST(MakeVariant, RefusesBytesOfAnotherProgram) {
  const Shader shader(Doubled()), other(Crowded(4));
  Work work = Compiled(shader, 16);
  work.code = Compiled(other, 16).code;
  const absl::Status wrong =
      MakeVariant(shader.module, shader.abi, std::move(work), nullptr).status();
  EXPECT_EQ(wrong, absl::InternalError(
                       "the statistics of the decoded bytes differ from those of the program"));
  work = Compiled(shader, 16);
  work.code.pop_back();
  EXPECT_NE(MakeVariant(shader.module, shader.abi, std::move(work), nullptr).status(),
            absl::OkStatus());
}

TEST(MakeVariant, RefusesMessagesWithoutACost) {
  const Shader shader(Doubled());
  Work work = Compiled(shader, 16);
  for (isa::Instruction& inst : work.program.insts) {
    if (isa::IsSend(inst.op) && inst.send.sfid == isa::Sfid::kDataCache1) {
      inst.send.desc |= 0x1f << 14;  // no message is of this type
    }
  }
  work.check = false;
  EXPECT_EQ(MakeVariant(shader.module, shader.abi, std::move(work), nullptr).status(),
            absl::InternalError("a message is unknown to the cost model"));
}

}  // namespace
}  // namespace kiln::intel
