// Resolved modules compute the same as the ops themselves in the interpreter at that size.
#include "core/mid/lower/resolve_subgroup_size.h"

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

// A module with every op that depends on the size; each lane stores the sum of their results.
mir::Module Everything() {
  std::string text =
      "mir 1 local_size 20, 2, 1 resource 0 ssbo 0.0.0 body { %0:i32 = local_index "
      "%1:i32 = imul %0, 128 %2:i32 = subgroup_size %3:i32 = num_subgroups "
      "%4:bool = ult %0, 27 %5:i32, %6:i32, %7:i32, %8:i32 = ballot %4 "
      "%9:i32 = reduce[iadd, 4] %0 %10:i32 = reduce[iadd, 16] %0 "
      "store_ssbo[0, align 4] %1, %2, %3, %5, %6, %7, %8, %9, %10 ";
  int next = 11;
  int at = 32;
  for (const char* mask : {"eq", "ge", "gt", "le", "lt", "all"}) {
    absl::StrAppend(&text, "%", next, ":i32, %", next + 1, ":i32, %", next + 2, ":i32, %", next + 3,
                    ":i32 = lane_mask[", mask, "] %", next + 4, ":i32 = iadd %1, ", at,
                    " store_ssbo[0, align 4] %", next + 4, ", %", next, ", %", next + 1, ", %",
                    next + 2, ", %", next + 3, " ");
    next += 5;
    at += 16;
  }
  absl::StatusOr<mir::Module> m = mir::Parse(text + "return }");
  EXPECT_TRUE(m.ok()) << m.status();
  return *std::move(m);
}

std::vector<uint8_t> Interpreted(const mir::Module& m, uint32_t size) {
  oracle::LaunchInputs inputs;
  inputs.subgroup_size = size;
  inputs.buffers.resize(1);
  inputs.buffers[0].bytes.resize(40 * 128);
  EXPECT_TRUE(oracle::Interpret(m, inputs).ok());
  return inputs.buffers[0].bytes;
}

TEST(ResolveSubgroupSize, ComputesTheSame) {
  const mir::Module m = Everything();
  EXPECT_TRUE(DependsOnSubgroupSize(m));
  for (uint32_t size : {8u, 16u, 32u, 64u}) {
    mir::Module resolved = m;
    ResolveSubgroupSize(resolved, size);
    EXPECT_EQ(mir::Verify(resolved), absl::OkStatus());
    EXPECT_EQ(Interpreted(resolved, size), Interpreted(m, size)) << size;
    mir::ForEachInst(resolved, resolved.body, [&](mir::InstId id) {
      const mir::Inst& inst = resolved.inst(id);
      EXPECT_TRUE(inst.op != mir::Op::kSubgroupSize && inst.op != mir::Op::kNumSubgroups &&
                  inst.op != mir::Op::kLaneMask);
      const bool whole = inst.op == mir::Op::kReduce && inst.imm1 >= size;
      EXPECT_FALSE(whole);
    });
  }
}

TEST(ResolveSubgroupSize, FindsWhetherThereIsAnythingToDo) {
  const auto depends = [](const std::string& insts) {
    const auto m = mir::Parse("mir 1 local_size 8, 1, 1 body { " + insts + " return }");
    EXPECT_TRUE(m.ok()) << m.status();
    return m.ok() && DependsOnSubgroupSize(*m);
  };
  EXPECT_FALSE(depends("%0:i32 = reduce[iadd, 0] 1 %1:i32 = read_first %0"));
  for (const char* inst :
       {"%0:i32 = subgroup_size", "%0:i32 = num_subgroups", "%0:i32 = reduce[iadd, 16] 1",
        "%0:i32, %1:i32, %2:i32, %3:i32 = lane_mask[eq]"}) {
    EXPECT_TRUE(depends(inst)) << inst;
  }
}

}  // namespace
}  // namespace kiln::mid
