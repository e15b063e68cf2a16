// Subgroup operations: every class against results written out lane by lane, with all lanes and
// with some, in full and partial subgroups.
#include "core/oracle/interp_subgroup.h"

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::oracle {
namespace {

using mir::LaneMask;
using mir::Module;
using mir::Parse;

using testing::ElementsAre;
using Dwords = std::vector<uint32_t>;

// Runs a body with %0 = local_index, %1 = its byte offset, %2 = dword %1 of the buffer; it defines
// %9:i32, which is stored there. One group of data.size() lanes.
Dwords RunAll(const std::string& body, const Dwords& data, uint32_t subgroup_size,
              const std::string& store = "store_ssbo[0, align 4] %1, %9") {
  const absl::StatusOr<Module> m = Parse(
      absl::StrCat("mir 1 local_size ", data.size(), ", 1, 1 resource 0 ssbo 0.0.0 body {\n",
                   "%0:i32 = local_index %1:i32 = shl %0, 2 %2:i32 = load_ssbo[0, align 4] %1\n",
                   body, "\n", store, " return }"));
  EXPECT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(Verify(*m), absl::OkStatus());
  LaunchInputs inputs;
  inputs.subgroup_size = subgroup_size;
  BoundBuffer buffer;
  buffer.bytes.resize(data.size() * 4);
  std::memcpy(buffer.bytes.data(), data.data(), buffer.bytes.size());
  inputs.buffers = {buffer};
  const absl::StatusOr<InterpStatistics> run = Interpret(*m, inputs);
  EXPECT_TRUE(run.ok()) << run.status();
  Dwords out(data.size());
  std::memcpy(out.data(), inputs.buffers[0].bytes.data(), out.size() * 4);
  return out;
}

// The same in lanes whose value is odd; the other lanes keep their value.
Dwords RunOdd(const std::string& body, const Dwords& data, uint32_t subgroup_size) {
  return RunAll(absl::StrCat("%3:i32 = and %2, 1 %4:bool = ine %3, 0 if %4 {\n", body,
                             "\nstore_ssbo[0, align 4] %1, %9 yield } else { yield }"),
                data, subgroup_size, "");
}

// Runs a scan of the workgroup over 32 lanes in subgroups of 8, whose numbers and counts of two
// streams `source` defines as %10 to %12; returns what `result` is in the first lane of each
// subgroup, and the number of undefined results.
Dwords RunScan(const std::string& source, int waves, int result, int64_t* undefined) {
  const absl::StatusOr<Module> m = Parse(
      absl::StrCat("mir 1 local_size 32, 1, 1 resource 0 ssbo 0.0.0 body {\n%0:i32 = local_index\n",
                   "%1:i32 = shl %0, 2 %2:i32 = subgroup_id\n", source,
                   " %20:i32, %21:i32, %22:i32, %23:i32 = workgroup_scan[32] %10, ", waves,
                   ", %11, %12\n", "store_ssbo[0, align 4] %1, %2", result, " return }"));
  EXPECT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(Verify(*m), absl::OkStatus());
  LaunchInputs inputs;
  inputs.subgroup_size = 8;
  BoundBuffer buffer;
  buffer.bytes.resize(128);
  inputs.buffers = {buffer};
  const absl::StatusOr<InterpStatistics> run = Interpret(*m, inputs);
  EXPECT_TRUE(run.ok()) << run.status();
  *undefined = run.ok() ? run->undefined_results : -1;
  Dwords out(4);
  for (size_t i = 0; i < 4; ++i) {
    std::memcpy(&out[i], inputs.buffers[0].bytes.data() + 32 * i, 4);
  }
  return out;
}

TEST(Subgroup, ScansOfTheWorkgroup) {
  int64_t undefined = 0;
  // Subgroups in the opposite order; counts 1, 2, 3, 4 and 8, 7, 6, 5 by subgroup.
  const std::string all = "%10:i32 = isub 3, %2 %11:i32 = iadd %2, 1 %12:i32 = isub 8, %2";
  EXPECT_THAT(RunScan(all, 4, 0, &undefined), ElementsAre(9, 7, 4, 0));
  EXPECT_EQ(undefined, 0);
  EXPECT_THAT(RunScan(all, 4, 1, &undefined), ElementsAre(10, 10, 10, 10));
  EXPECT_THAT(RunScan(all, 4, 2, &undefined), ElementsAre(18, 11, 5, 0));
  EXPECT_THAT(RunScan(all, 4, 3, &undefined), ElementsAre(26, 26, 26, 26));
  // Two do not take part, whatever they give: both results of two streams in 16 lanes.
  const std::string two =
      "%10:i32 = isub 3, %2 %3:bool = ult %2, 2 %11:i32 = select %3, 99, 6"
      " %12:i32 = select %3, -1, %2";
  EXPECT_THAT(RunScan(two, 2, 0, &undefined), testing::Contains(6));
  EXPECT_EQ(undefined, 64);
  EXPECT_EQ(RunScan(two, 2, 1, &undefined)[3], 12u);
  EXPECT_EQ(RunScan(two, 2, 3, &undefined)[2], 5u);
}

TEST(Subgroup, UndefinedScansOfTheWorkgroup) {
  const std::string counts = " %11:i32 = iadd %2, 1 %12:i32 = isub 8, %2";
  const auto undefined = [](const std::string& source, int waves) {
    int64_t count = 0;
    RunScan(source, waves, 0, &count);
    return count;
  };
  EXPECT_EQ(undefined("%10:i32 = and %2, 1" + counts, 2), 128) << "two with one number";
  EXPECT_EQ(undefined("%10:i32 = iadd %2, 0" + counts, 5), 128) << "one is missing";
  EXPECT_EQ(undefined("%10:i32 = iadd %2, 0 %11:i32 = iadd %2, 6 %12:i32 = iadd %2, 0", 4), 128)
      << "a count above the size";
  EXPECT_EQ(undefined("%10:i32 = iadd %2, 0 %3:i32 = and %0, 7 %11:i32 = umin %3, 2"
                      " %12:i32 = iadd %2, 0",
                      4),
            128)
      << "lanes disagree";
}

const Dwords kEight = {1, 2, 3, 5, 8, 13, 21, 34};  // odd: lanes 0 2 3 5 6

TEST(Subgroup, Reductions) {
  EXPECT_THAT(RunAll("%9:i32 = reduce[iadd, 0] %2", kEight, 8), testing::Each(87));
  EXPECT_THAT(RunAll("%9:i32 = reduce[iadd, 0] %2", kEight, 4),
              ElementsAre(11, 11, 11, 11, 76, 76, 76, 76));
  EXPECT_THAT(RunAll("%9:i32 = reduce[iadd, 2] %2", kEight, 8),
              ElementsAre(3, 3, 8, 8, 21, 21, 55, 55));
  EXPECT_THAT(RunAll("%9:i32 = reduce[umax, 16] %2", kEight, 8), testing::Each(34));
  EXPECT_THAT(RunOdd("%9:i32 = reduce[imul, 4] %2", kEight, 8),
              ElementsAre(15, 2, 15, 15, 8, 273, 273, 34));
  EXPECT_THAT(RunOdd("%9:i32 = reduce[umin, 0] %2", kEight, 8),
              ElementsAre(1, 2, 1, 1, 8, 1, 1, 34));
}

TEST(Subgroup, Scans) {
  EXPECT_THAT(RunAll("%9:i32 = inclusive_scan[iadd] %2", kEight, 8),
              ElementsAre(1, 3, 6, 11, 19, 32, 53, 87));
  EXPECT_THAT(RunAll("%9:i32 = exclusive_scan[iadd] %2", kEight, 8),
              ElementsAre(0, 1, 3, 6, 11, 19, 32, 53));
  EXPECT_THAT(RunOdd("%9:i32 = inclusive_scan[iadd] %2", kEight, 8),
              ElementsAre(1, 2, 4, 9, 8, 22, 43, 34));
  EXPECT_THAT(RunOdd("%9:i32 = exclusive_scan[umin] %2", kEight, 4),
              ElementsAre(~0u, 2, 1, 1, 8, ~0u, 13, 34));
  // A partial subgroup.
  EXPECT_THAT(RunAll("%9:i32 = inclusive_scan[xor] %2", {1, 2, 4, 8, 16, 32}, 4),
              ElementsAre(1, 3, 7, 15, 16, 48));
}

TEST(Subgroup, FloatReductionsGoByTrees) {
  // 2^24 + 1 is lost unless the ones meet first: (2^24 + 0) + (1 + 1). Halves of the subgroup, but
  // neighbours in clusters.
  EXPECT_THAT(
      RunAll("%5:f32 = u2f %2 %6:f32 = reduce[fadd, 0] %5 %9:i32 = f2u %6", {1u << 24, 1, 0, 1}, 4),
      testing::Each((1u << 24) + 2));
  EXPECT_THAT(RunAll("%5:f32 = u2f %2 %6:f32 = reduce[fadd, 4] %5 %9:i32 = f2u %6",
                     {1u << 24, 0, 1, 1, 1u << 24, 0, 1, 1}, 8),
              testing::Each((1u << 24) + 2));
  EXPECT_THAT(
      RunAll("%5:f32 = u2f %2 %6:f32 = exclusive_scan[fmul] %5 %9:i32 = f2u %6", {2, 3, 4, 5}, 4),
      ElementsAre(1, 2, 6, 24));
}

TEST(Subgroup, Votes) {
  const std::string odd = "%5:i32 = and %2, 1 %6:bool = ine %5, 0 ";
  const auto as_int = [](const std::string& op) { return op + " %9:i32 = select %7, 1, 0"; };
  EXPECT_THAT(RunAll(as_int(odd + "%7:bool = subgroup_any %6"), {2, 1, 4, 6}, 2),
              ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(RunAll(as_int(odd + "%7:bool = subgroup_all %6"), {1, 1, 1, 0}, 2),
              ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(RunOdd(as_int("%7:bool = subgroup_elect"), {0, 3, 5, 0, 7, 9}, 4),
              ElementsAre(0, 1, 0, 0, 1, 0));
  EXPECT_THAT(
      RunOdd("%6:bool = uge %2, 5 %9:i32, %10:i32, %11:i32, %12:i32 = ballot %6", kEight, 8),
      ElementsAre(0x68, 2, 0x68, 0x68, 8, 0x68, 0x68, 34));
}

TEST(Subgroup, ReadingOtherLanes) {
  EXPECT_THAT(RunOdd("%9:i32 = read_first %2", {2, 3, 4, 5, 6, 7}, 4),
              ElementsAre(2, 3, 4, 3, 6, 7));
  EXPECT_THAT(RunAll("%9:i32 = read_lane %2, 2", kEight, 4),
              ElementsAre(3, 3, 3, 3, 21, 21, 21, 21));
  EXPECT_THAT(RunAll("%5:i32 = xor %0, 3 %9:i32 = shuffle %2, %5", kEight, 8),
              ElementsAre(5, 3, 2, 1, 34, 21, 13, 8));
  EXPECT_THAT(RunOdd("%5:i32 = xor %0, 1 %9:i32 = shuffle %2, %5", kEight, 8),
              ElementsAre(0, 2, 5, 3, 8, 0, 0, 34));
  EXPECT_THAT(RunAll("%9:i32 = quad_broadcast[1] %2", kEight, 8),
              ElementsAre(2, 2, 2, 2, 13, 13, 13, 13));
  EXPECT_THAT(RunAll("%9:i32 = quad_swap[2] %2", kEight, 8),
              ElementsAre(3, 5, 1, 2, 21, 34, 8, 13));
}

TEST(Subgroup, BuiltIns) {
  const Dwords six(6, 0);
  EXPECT_THAT(RunAll("%9:i32 = subgroup_size", six, 4), testing::Each(4));
  EXPECT_THAT(RunAll("%9:i32 = num_subgroups", six, 4), testing::Each(2));
  const auto mask = [&](const std::string& which) {
    return RunAll(absl::StrCat("%9:i32, %10:i32, %11:i32, %12:i32 = lane_mask[", which, "]"), six,
                  4);
  };
  EXPECT_THAT(mask("eq"), ElementsAre(1, 2, 4, 8, 1, 2));
  EXPECT_THAT(mask("ge"), ElementsAre(15, 14, 12, 8, 15, 14));
  EXPECT_THAT(mask("gt"), ElementsAre(14, 12, 8, 0, 14, 12));
  EXPECT_THAT(mask("le"), ElementsAre(1, 3, 7, 15, 1, 3));
  EXPECT_THAT(mask("lt"), ElementsAre(0, 1, 3, 7, 0, 1));
  EXPECT_THAT(mask("all"), testing::Each(15));
  EXPECT_THAT(LaneMaskBits(LaneMask::kGreaterEqual, 40, 64), ElementsAre(0, 0xffffff00, 0, 0));
}

// Lanes that leave a loop early meet the others after it.
TEST(Subgroup, LanesReconvergeAfterLoops) {
  EXPECT_THAT(RunAll(R"(
    %20:i32 = loop (%21:i32 = 0, %22:i32 = 0) {
      %23:i32 = reduce[iadd, 0] 1
      %24:i32 = iadd %22, %23
      %25:bool = uge %21, %0
      if %25 { break %24 } else { yield }
      %26:i32 = iadd %21, 1
      continue %26, %24
    }
    %27:i32 = reduce[iadd, 0] 100
    %9:i32 = iadd %20, %27)",
                     {0, 0, 0, 0}, 4),
              ElementsAre(404, 407, 409, 410));
}

}  // namespace
}  // namespace kiln::oracle
