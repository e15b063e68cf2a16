// Tests how the passes' table sees a shader on its way: its text, its verifier, its size.
#include "core/intel/pipeline/passes.h"

#include <string>
#include <utility>
#include <vector>

#include "core/intel/device/testing.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/program.h"
#include "core/intel/lir/machine.h"
#include "core/intel/pipeline/testing.h"
#include "core/lir/print.h"
#include "core/mir/print.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::Crowded;
using testing::Doubled;
using testing::RunUntil;
using testing::Shader;

std::string Text(const Work& work) { return IntelLevel().print(work); }

// The same with the subgroup's size added to the word.
std::string SizeAdded() {
  std::string text = Doubled();
  const std::string sum = "%3:i32 = iadd %2, %2";
  return text.replace(text.find(sum), sum.size(), "%4:i32 = subgroup_size %3:i32 = iadd %2, %4");
}

TEST(IntelPasses, EachStageHasItsText) {
  const Shader shader(Doubled());
  Work work = shader.At(16);
  EXPECT_EQ(work.stage, Work::Stage::kNothing);
  EXPECT_EQ(Text(work), "") << "the module is not this width's";
  EXPECT_EQ(IntelLevel().count(work), 0);
  ASSERT_EQ(RunUntil("select", work), absl::OkStatus());
  EXPECT_EQ(work.stage, Work::Stage::kSsa);
  EXPECT_EQ(Text(work), lir::Print(MachineOf(Tgl()), work.lir));
  EXPECT_EQ(Text(work).rfind("function tgl width 16\n", 0), 0u);
  EXPECT_EQ(Text(work).find('@'), std::string::npos) << "no registers yet";
  EXPECT_GT(IntelLevel().count(work), 4);

  Work emitted = shader.At(16);
  ASSERT_EQ(RunUntil("emit", emitted), absl::OkStatus());
  EXPECT_EQ(emitted.stage, Work::Stage::kProgram);
  EXPECT_NE(Text(emitted).find("EOT"), std::string::npos) << Text(emitted);
  EXPECT_EQ(IntelLevel().count(emitted), static_cast<int64_t>(emitted.program.insts.size()));
  EXPECT_TRUE(emitted.code.empty());

  Work whole = shader.At(16);
  ASSERT_EQ(RunUntil("", whole), absl::OkStatus());
  EXPECT_EQ(whole.stage, Work::Stage::kBytes);
  const auto placed = isa::DecodeProgram(Tgl().generation, whole.code);
  ASSERT_TRUE(placed.ok()) << placed.status();
  EXPECT_EQ(placed->size(), whole.program.insts.size());
}

TEST(IntelPasses, AModuleIsCopiedWhereItDependsOnTheWidth) {
  const Shader plain(Doubled()), sized(SizeAdded());
  Work same = plain.At(16), own = sized.At(16);
  ASSERT_EQ(RunUntil("resolve_subgroup_size", same), absl::OkStatus());
  EXPECT_EQ(same.module, &plain.module);
  const std::string before = mir::Print(sized.module);
  ASSERT_EQ(RunUntil("rematerialise_resolved", own), absl::OkStatus());
  EXPECT_EQ(own.module, &own.resolved);
  EXPECT_EQ(mir::Print(sized.module), before);
  EXPECT_EQ(Text(own), mir::Print(own.resolved));
  EXPECT_NE(Text(own).find("iadd %2, 16\n"), std::string::npos) << Text(own);
  EXPECT_EQ(Text(own).find("subgroup_size"), std::string::npos);
}

// Only what is needed for correct code cannot be left out, and that is enough.
TEST(IntelPasses, AllOptionalOnesMayBeLeftOut) {
  PassOptions options;
  int required = 0;
  for (const Pass<Work>& pass : IntelPasses(Tgl())) {
    if (pass.optional) options.disabled.emplace_back(pass.name);
    required += pass.optional ? 0 : 1;
  }
  EXPECT_GT(options.disabled.size(), 20u);
  EXPECT_GT(required, 8);
  for (const std::string& text : {Doubled(), SizeAdded(), Crowded(20)}) {
    const Shader shader(text);
    for (const int width : {8, 16, 32}) {
      Work plain = shader.At(width), optimised = shader.At(width);
      ASSERT_EQ(RunUntil("", plain, nullptr, options), absl::OkStatus()) << width;
      ASSERT_EQ(RunUntil("", optimised), absl::OkStatus()) << width;
      EXPECT_EQ(plain.stage, Work::Stage::kBytes);
      EXPECT_LT(optimised.code.size(), plain.code.size()) << width;
    }
  }
}

TEST(IntelPasses, TheVerifierIsThatOfTheStage) {
  const Shader shader(Doubled()), sized(SizeAdded());
  Work work = shader.At(16);
  EXPECT_EQ(IntelLevel().verify(work), absl::OkStatus());
  ASSERT_EQ(RunUntil("select", work), absl::OkStatus());
  EXPECT_EQ(IntelLevel().verify(work), absl::OkStatus());
  std::vector<lir::InstId>& insts = work.lir.blocks[0].insts;
  const lir::InstId first = insts.front();
  insts.erase(insts.begin());  // what it defines is read
  EXPECT_NE(IntelLevel().verify(work), absl::OkStatus());
  insts.insert(insts.begin(), first);
  EXPECT_EQ(IntelLevel().verify(work), absl::OkStatus());

  Work allocated = shader.At(16);
  ASSERT_EQ(RunUntil("allocate_registers", allocated), absl::OkStatus());
  EXPECT_EQ(IntelLevel().verify(allocated), absl::OkStatus());
  for (lir::Operand& o : allocated.lir.operands) o.reg = lir::Operand::kNoReg;
  EXPECT_NE(IntelLevel().verify(allocated), absl::OkStatus()) << "without registers";

  Work resolved = sized.At(16);
  ASSERT_EQ(RunUntil("resolve_subgroup_size", resolved), absl::OkStatus());
  EXPECT_EQ(IntelLevel().verify(resolved), absl::OkStatus());
  resolved.resolved.region(resolved.resolved.body).insts.pop_back();  // its end
  EXPECT_NE(IntelLevel().verify(resolved), absl::OkStatus());
}

std::vector<PassRow> AtWidth(const Device& device) {
  const std::vector<Pass<Work>> passes = IntelPasses(device);
  return Rows(absl::MakeConstSpan(passes));
}

TEST(IntelPasses, OrdersNameRowsOfTheTable) {
  EXPECT_EQ(CheckTable(AtWidth(Tgl()), IntelPassOrder(Tgl())), absl::OkStatus());
  // Each order is one that the table could break: with its two passes exchanged the check fails.
  for (const PassOrder& order : IntelPassOrder(Tgl())) {
    std::vector<PassRow> rows = AtWidth(Tgl());
    PassRow *first = nullptr, *then = nullptr;
    for (PassRow& row : rows) {
      if (row.name == order.first) first = &row;
      if (row.name == order.then) then = &row;
    }
    ASSERT_TRUE(first != nullptr && then != nullptr) << order.first << " " << order.then;
    std::swap(first->name, then->name);
    EXPECT_NE(CheckTable(rows, IntelPassOrder(Tgl())), absl::OkStatus())
        << order.first << " before " << order.then;
  }
}

// Where the hardware interlocks registers no pass sets waits, and no constraint names one.
TEST(IntelPasses, AreThoseThatTheDeviceNeeds) {
  const Device& interlocked = TglBut(&Instructions::software_scoreboard);
  const auto names = [](const Device& device) {
    std::string text;
    for (const PassRow& row : AtWidth(device)) text += std::string(row.name) + "\n";
    return text;
  };
  const std::string all = names(Tgl()), some = names(interlocked);
  const std::string scoreboard = "assign_scoreboard\n";
  ASSERT_NE(all.find(scoreboard), std::string::npos);
  EXPECT_EQ(some, std::string(all).erase(all.find(scoreboard), scoreboard.size()));
  EXPECT_EQ(CheckTable(AtWidth(interlocked), IntelPassOrder(interlocked)), absl::OkStatus());
  const Shader shader(Doubled(), interlocked);
  Work work = shader.At(16);
  ASSERT_EQ(RunUntil("", work), absl::OkStatus());
  for (const isa::Instruction& inst : work.program.insts) EXPECT_EQ(inst.swsb, 0);
}

TEST(IntelPasses, RowsAreThoseOfBothTables) {
  const std::vector<PassRow> rows = PassRows(Tgl());
  EXPECT_EQ(rows.size(), AllWidthsPasses().size() + IntelPasses(Tgl()).size());
  EXPECT_EQ(rows.front().name, AllWidthsPasses().front().name);
  EXPECT_EQ(rows.back().name, "encode");
  EXPECT_EQ(PassRows(TglBut(&Instructions::software_scoreboard)).size() + 1, rows.size());
}

}  // namespace
}  // namespace kiln::intel
