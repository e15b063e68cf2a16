// Scans of the workgroup as compaction uses them, in every form, against the interpreter: in a
// loop, in workgroups whose last wave is not whole, beside shared memory. prove_scans has the sums.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"
#include "tests/exec/scan_runner.h"

namespace kiln::exec {
namespace {

// In each of three rounds, invocations with a bit of their dword write their number to the next
// free place of the round, which a scan gives them; `before` comes first, `streams` says of how
// many the scan is. The second stream are those without the bit, of whose sums each adds to the
// first ones.
std::string Compaction(int invocations, int most, int streams, const std::string& before) {
  const bool two = streams == 2;
  return absl::StrCat(
      "mir 1 local_size ", invocations,
      ", 1, 1 shared 512 resource 0 ssbo 0.0.0 "
      "resource 1 ssbo 0.1.0 body {\n"
      "%0:i32 = local_index %1:i32 = shl %0, 2 %2:i32 = load_ssbo[0, align 4] %1\n"
      "%3:i32 = subgroup_id %4:i32 = num_subgroups\n",
      before,
      "%5:i32 = loop (%6:i32 = 0) {\n"
      "%7:i32 = ushr %2, %6 %8:i32 = and %7, 1 %9:bool = ine %8, 0 %10:bool = ieq %8, 0\n"
      "%11:i32 = reduce[iadd, 0] %8 %12:i32 = exclusive_scan[iadd] %8\n"
      "%13:i32 = xor %8, 1 %14:i32 = reduce[iadd, 0] %13\n",
      "%15:i32, %16:i32", two ? ", %17:i32, %18:i32" : "", " = workgroup_scan[", most,
      "] %3, %4, %11", two ? ", %14" : "", "\n",
      "%19:i32 = iadd %15, %12 %20:i32 = imul %6, 256 %21:i32 = iadd %20, %19\n"
      "%22:i32 = shl %21, 2 %23:i32 = shl %16, 16 %24:i32 = or %0, %23\n",
      two ? "%25:i32 = shl %17, 8 %26:i32 = iadd %25, %18 %27:i32 = iadd %24, %26\n"
          : "%27:i32 = iadd %24, 0\n",
      "if %9 { store_ssbo[1, align 4] %22, %27 yield } else { yield }\n"
      "%28:i32 = iadd %6, 1 %29:bool = uge %28, 3 if %29 { break %28 } else { yield }\n"
      "continue %28 }\nreturn }");
}

void ExpectAllForms(const std::string& module) {
  for (const amd::ScanForm form : amd::kScanForms) {
    for (uint32_t seed = 1; seed <= 3; ++seed) {
      Setup setup;
      setup.target = Target::kGfx1030;
      setup.widths = {32, 64};
      setup.groups = 1;
      setup.seed = seed;
      setup.opposite = true;
      setup.backend = &ScanRow(form);
      ASSERT_EQ(Compare(module, setup), "")
          << std::string(amd::kScanFormNames[static_cast<size_t>(form)]) << "\n"
          << module;
    }
  }
}

TEST(WorkgroupScans, CompactionInALoop) {
  for (const int streams : {1, 2}) {
    for (const int most : {128, 256}) ExpectAllForms(Compaction(128, most, streams, ""));
  }
}

// The last wave of 64 lanes has 32 of 96 and of 224 invocations.
TEST(WorkgroupScans, AWaveThatIsNotWhole) {
  for (const int streams : {1, 2}) {
    ExpectAllForms(Compaction(96, 96, streams, ""));
    ExpectAllForms(Compaction(224, 256, streams, ""));
  }
}

// The scan's own LDS is behind the module's; its barrier orders the module's.
TEST(WorkgroupScans, BesideSharedMemory) {
  const std::string before =
      "%30:i32 = and %1, 511 store_shared[align 4] %30, %2\n"
      "%31:i32, %32:i32 = workgroup_scan[128] %3, %4, %3\n"
      "%33:i32 = xor %30, 508 %34:i32 = load_shared[align 4] %33 %35:i32 = iadd %34, %31\n"
      "%36:i32 = iadd %1, 3072 store_ssbo[1, align 4] %36, %35\n";
  ExpectAllForms(Compaction(128, 128, 1, before));
}

}  // namespace
}  // namespace kiln::exec
