#include "core/mid/values/simplify_subgroups.h"

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/mid/testing/testing.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using mir::Module;
using mir::Op;

constexpr uint32_t kLanes = 48;

std::vector<uint8_t> Execute(const Module& m, uint32_t subgroup_size) {
  oracle::LaunchInputs inputs;
  inputs.subgroup_size = subgroup_size;
  inputs.groups = {3, 1, 1};
  inputs.buffers = {{0, 0, 0, std::vector<uint8_t>(3 * 4 * kLanes)}};
  const auto run = oracle::Interpret(m, inputs);
  EXPECT_TRUE(run.ok()) << run.status() << mir::Print(m);
  return inputs.buffers[0].bytes;
}

int Count(const Module& m, Op op) {
  int n = 0;
  mir::ForEachInst(m, m.body, [&](mir::InstId id) { n += m.inst(id).op == op ? 1 : 0; });
  return n;
}

// %9 = `op` of %2:i32 and %3:bool, equal in all lanes, or %4:f32, in some lanes only.
std::string OnUniform(const std::string& op) {
  return absl::StrCat(
      "mir 1 local_size ", kLanes,
      ", 1, 1 resource 0 ssbo 0.0.0 body { %0:i32 = local_index "
      "%1:i32 = workgroup_id[0] %2:i32 = iadd %1, 0xfffffffe %3:bool = ieq %1, 1 %4:f32 = u2f %1 "
      "%5:i32 = and %0, 5 %6:bool = ine %5, 4 if %6 { ",
      op,
      " %90:i32 = imul %1, 192 %91:i32 = shl %0, 2 %92:i32 = iadd %90, %91 "
      "store_ssbo[0, align 4] %92, %9 yield } else { yield } return }");
}

// Expects the same result without the exchange.
void ExpectSimplified(const std::string& op, Op gone) {
  const auto m = mir::Parse(OnUniform(op));
  ASSERT_TRUE(m.ok()) << m.status() << op;
  Module simplified = *m;
  PassContext context = PassContext::ForTest(-1);
  const auto changed = SimplifySubgroups(simplified, context);
  ASSERT_TRUE(changed.ok() && *changed) << op;
  EXPECT_EQ(mir::Verify(simplified), absl::OkStatus()) << mir::Print(simplified);
  EXPECT_EQ(Count(simplified, gone), 0) << mir::Print(simplified);
  for (uint32_t size : {8u, 32u, 64u}) {
    EXPECT_EQ(Execute(simplified, size), Execute(*m, size)) << op << mir::Print(simplified);
  }
}

TEST(SimplifySubgroups, OfValuesThatLanesHaveInCommon) {
  const std::string to_int = " %9:i32 = select %7, 7, 3", bits = " %9:i32 = bitcast %7";
  ExpectSimplified("%9:i32 = read_first %2", Op::kReadFirst);
  ExpectSimplified("%9:i32 = read_lane %2, 0", Op::kReadLane);
  ExpectSimplified("%7:bool = subgroup_any %3" + to_int, Op::kSubgroupAny);
  ExpectSimplified("%7:bool = subgroup_all %3" + to_int, Op::kSubgroupAll);
  for (const char* op : {"imin", "imax", "umin", "umax", "and", "or", "iadd", "xor"}) {
    ExpectSimplified(absl::StrCat("%9:i32 = reduce[", op, ", 0] %2"), Op::kReduce);
    ExpectSimplified(absl::StrCat("%9:i32 = inclusive_scan[", op, "] %2"), Op::kInclusiveScan);
    ExpectSimplified(absl::StrCat("%9:i32 = exclusive_scan[", op, "] %2"), Op::kExclusiveScan);
    ExpectSimplified(absl::StrCat("%20:i64 = sext %2 %21:i64 = exclusive_scan[", op,
                                  "] %20 %22:i64 = ushr %21, 16 %9:i32 = trunc %22"),
                     Op::kExclusiveScan);
  }
  for (const char* op : {"and", "or"}) {
    ExpectSimplified(absl::StrCat("%7:bool = exclusive_scan[", op, "] %3", to_int),
                     Op::kExclusiveScan);
  }
  for (const char* op : {"fmin", "fmax"}) {
    ExpectSimplified(absl::StrCat("%7:f32 = reduce[", op, ", 4] %4", bits), Op::kReduce);
    ExpectSimplified(absl::StrCat("%7:f32 = exclusive_scan[", op, "] %4", bits),
                     Op::kExclusiveScan);
  }
  ExpectSimplified("%9:i32, %10:i32, %11:i32, %12:i32 = ballot false", Op::kBallot);
}

// Other subgroups may write coherent memory alone meanwhile.
TEST(SimplifySubgroups, OfPlainLoadsThatLanesHaveInCommon) {
  auto m = mir::Parse(OnUniform("%7:i32 = load_ssbo[0, align 4] 0 %9:i32 = read_first %7"));
  ASSERT_TRUE(m.ok()) << m.status();
  PassContext context = PassContext::ForTest(-1);
  const auto changed = SimplifySubgroups(*m, context);
  ASSERT_TRUE(changed.ok() && *changed);
  EXPECT_EQ(Count(*m, Op::kReadFirst), 0);
}

TEST(SimplifySubgroups, WhatIsReadFromALaneThatIsOffIsTheValueToo) {
  for (const char* op : {"shuffle %2, %0", "quad_broadcast[1] %2", "quad_swap[3] %2"}) {
    auto m = mir::Parse(OnUniform(absl::StrCat("%9:i32 = ", op)));
    ASSERT_TRUE(m.ok()) << m.status();
    PassContext context = PassContext::ForTest(-1);
    const auto changed = SimplifySubgroups(*m, context);
    ASSERT_TRUE(changed.ok() && *changed) << op;
    EXPECT_EQ(Count(*m, Op::kShuffle) + Count(*m, Op::kQuadSwap) + Count(*m, Op::kQuadBroadcast),
              0);
  }
}

TEST(SimplifySubgroups, OthersStay) {
  for (const char* op :
       {// Another subgroup may write what is loaded.
        "%7:i32 = load_ssbo.coherent[0, align 4] 0 %9:i32 = read_first %7",
        "%7:i32 = load_ssbo.coherent[0, align 4] 0 %8:i32 = iadd %7, %2 "
        "%9:i32 = reduce[umax, 0] %8",
        "%9:i32 = reduce[umax, 0] %0", "%9:i32 = read_first %0", "%9:i32 = reduce[imul, 0] %2",
        "%9:i32 = reduce[iadd, 4] %2", "%7:f32 = reduce[fadd, 0] %4 %9:i32 = bitcast %7",
        "%7:bool = ult %0, 5 %8:bool = subgroup_any %7 %9:i32 = select %8, 1, 2",
        "%9:i32, %10:i32, %11:i32, %12:i32 = ballot true"}) {
    auto m = mir::Parse(OnUniform(op));
    ASSERT_TRUE(m.ok()) << m.status();
    const std::string before = mir::Print(*m);
    PassContext context = PassContext::ForTest(-1);
    const auto changed = SimplifySubgroups(*m, context);
    ASSERT_TRUE(changed.ok());
    EXPECT_FALSE(*changed) << op;
    EXPECT_EQ(mir::Print(*m), before);
  }
}

}  // namespace
}  // namespace kiln::mid
