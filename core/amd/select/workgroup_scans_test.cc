// The operations of each form of a scan of the workgroup; tests/exec/workgroup_scans_test runs
// them.
#include <string>

#include "absl/strings/str_cat.h"
#include "core/amd/select/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Ops(ScanForm form, int invocations, int streams = 1, uint32_t width = 32) {
  return SelectedOps(absl::StrCat("%10:i32, %11:i32", streams == 2 ? ", %12:i32, %13:i32" : "",
                                  " = workgroup_scan[", invocations, "] %2, %2, %2",
                                  streams == 2 ? ", %2\n" : "\n"),
                     width, form);
}

constexpr char kStore[] = "v_copy v_copy lane_store s_barrier ";
constexpr char kSums[] = " v_readlane_b32 s_add_u32 s_sub_u32 v_readlane_b32";

TEST(SelectWorkgroupScans, FourBytes) {
  const std::string load = absl::StrCat(kStore, "v_copy ds_read_b32 lane_number v_mad_i32_i24 ");
  for (const auto& [invocations, width] : {std::pair(128, 32u), std::pair(256, 64u)}) {
    EXPECT_EQ(Ops(ScanForm::kByteDot, invocations, 1, width),
              load + "v_lshrrev_b32 v_dot4_u32_u8" + kSums);
    EXPECT_EQ(Ops(ScanForm::kByteMsad, invocations, 1, width),
              load + "v_lshlrev_b32 v_msad_u8" + kSums);
    EXPECT_EQ(Ops(ScanForm::kBytePerm, invocations, 1, width),
              load + "v_lshrrev_b32 s_copy v_bfi_b32 v_perm_b32 v_sad_u8" + kSums);
  }
}

TEST(SelectWorkgroupScans, EightBytes) {
  const std::string load = absl::StrCat(kStore, "v_copy ds_read_b64 lane_number v_mad_i32_i24 ");
  EXPECT_THAT(Ops(ScanForm::kByteDot, 256), HasSubstr("v_lshrrev_b64 v_dot4_u32_u8 v_dot4_u32_u8"));
  EXPECT_EQ(Ops(ScanForm::kByteMsad, 256), load + "v_lshlrev_b64 v_msad_u8 v_msad_u8" + kSums);
  EXPECT_EQ(Ops(ScanForm::kBytePerm, 256),
            load +
                "v_lshrrev_b64 s_copy v_bfi_b32 v_bfi_b32 v_perm_b32 v_sad_u8 v_perm_b32 "
                "v_sad_u8" +
                kSums);
}

// One store and one load for both streams, and what lane i counts once.
TEST(SelectWorkgroupScans, TwoStreams) {
  EXPECT_EQ(Ops(ScanForm::kByteDot, 128, 2),
            absl::StrCat("v_copy v_copy v_copy lane_store s_barrier v_copy ds_read_b64 "
                         "lane_number v_mad_i32_i24 v_lshrrev_b32 v_dot4_u32_u8",
                         kSums, " v_dot4_u32_u8", kSums));
  EXPECT_THAT(Ops(ScanForm::kByteDot, 256, 2), HasSubstr("ds_read_b128"));
  EXPECT_THAT(Ops(ScanForm::kDwordDpp, 256, 2), HasSubstr("ds_read2_b32"));
}

TEST(SelectWorkgroupScans, Dwords) {
  const std::string load =
      "v_lshl_add_u32 v_copy lane_store s_barrier v_mbcnt_lo_u32_b32 "
      "v_lshl_add_u32 ds_read_b32 ";
  EXPECT_EQ(Ops(ScanForm::kDwordDpp, 128), load + "v_add_nc_u32 v_add_nc_u32" + kSums);
  EXPECT_EQ(Ops(ScanForm::kDwordDpp, 256), load + "v_add_nc_u32 v_add_nc_u32 v_add_nc_u32" + kSums);
  EXPECT_EQ(Ops(ScanForm::kDwordScalar, 96),
            load +
                "v_cmp_gt_u32 v_cndmask_b32 v_readlane_b32 "
                "s_cmp_eq_u32 s_cselect_b32 v_readlane_b32 s_add_u32 "
                "s_cmp_eq_u32 s_cselect_b32 v_readlane_b32 s_add_u32");
}

TEST(SelectWorkgroupScans, OneWaveNeedsNoCode) {
  for (const ScanForm form : kScanForms) {
    for (const int streams : {1, 2}) EXPECT_EQ(Ops(form, 64, streams, 64), "");
  }
}

// Nothing is stored while a wave may still have to read what was stored in the last round.
TEST(SelectWorkgroupScans, ABarrierBeforeTheStoreInALoop) {
  const std::string loop =
      "%10:i32 = loop (%11:i32 = 0) {\n%12:i32, %13:i32 = workgroup_scan[128] %2, %2, %11\n"
      "%14:bool = ult %13, 9\nif %14 { yield } else { break %13 }\ncontinue %13\n}\n";
  EXPECT_THAT(SelectedOps(loop), HasSubstr("s_barrier v_copy v_copy lane_store s_barrier"));
  EXPECT_THAT(Ops(ScanForm::kByteDot, 128), Not(HasSubstr("s_barrier v_copy v_copy lane_store")));
}

// The counts of each scan lie behind the module's 256 bytes, aligned for one load.
TEST(SelectWorkgroupScans, PlacesInLds) {
  const std::string text = SelectedText(
      "%10:i32, %11:i32 = workgroup_scan[128] %2, %2, %2\n"
      "%12:i32, %13:i32 = workgroup_scan[256] %2, %2, %10\n");
  EXPECT_THAT(text, HasSubstr("offset 256"));
  EXPECT_THAT(text, HasSubstr("offset 264"));
}

}  // namespace
}  // namespace kiln::amd
