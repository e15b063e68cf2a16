#include "core/amd/pipeline/choose_scans.h"

#include "core/amd/device/testing.h"
#include "core/amd/perf/estimate.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

int64_t CyclesOf(ScanForm form, const ScanShape& shape) {
  const auto program = CompileScan(form, shape);
  EXPECT_TRUE(program.ok()) << program.status();
  const isa::Wave wave = shape.width == 64 ? isa::Wave::k64 : isa::Wave::k32;
  return program.ok() ? EstimateProgram(program->code, wave).cycles : 0;
}

// By the model's figures of all forms, each time that it is asked.
TEST(ChooseScans, TheFastestThatTheDeviceHas) {
  for (const Device& device : {kGfx1030, kWithoutDotProducts}) {
    for (const ScanShape& shape : {ScanShape{32, 4, 1}, ScanShape{32, 8, 2}, ScanShape{64, 4, 1}}) {
      for (int time = 0; time < 2; ++time) {
        const auto fastest = FastestScan(device, shape);
        ASSERT_TRUE(fastest.ok()) << fastest.status();
        EXPECT_TRUE(Has(device, *fastest));
        for (const ScanForm form : kScanForms) {
          if (!Has(device, form)) continue;
          EXPECT_LE(CyclesOf(*fastest, shape), CyclesOf(form, shape));
        }
      }
    }
  }
}

TEST(ChooseScans, LdsOfEachForm) {
  const auto dwords = [](ScanForm form, const ScanShape& shape) {
    return CompileScan(form, shape)->lds_bytes / 4;
  };
  for (const ScanForm form : {ScanForm::kBytePerm, ScanForm::kByteDot, ScanForm::kByteMsad}) {
    EXPECT_EQ(dwords(form, {64, 2, 1}), 1u);
    EXPECT_EQ(dwords(form, {64, 4, 1}), 1u);
    EXPECT_EQ(dwords(form, {32, 4, 1}), 1u);
    EXPECT_EQ(dwords(form, {32, 8, 1}), 2u);
    EXPECT_EQ(dwords(form, {32, 8, 2}), 4u);
  }
  EXPECT_EQ(dwords(ScanForm::kDwordDpp, {32, 8, 2}), 16u);
}

TEST(ChooseScans, OfEachScanOfAModule) {
  const auto m = mir::Parse(
      "mir 1 local_size 64, 1, 1 body { %1:i32, %2:i32 = workgroup_scan[128] 0, 1, 2 "
      "%3:i32, %4:i32, %5:i32, %6:i32 = workgroup_scan[256] 0, 1, 2, 3 return }");
  ASSERT_TRUE(m.ok()) << m.status();
  ScanForms forms = AllScans(ScanForm::kBytePerm);
  ASSERT_TRUE(ChooseScans(kGfx1030, *m, Abi(), 32, &forms).ok());
  EXPECT_EQ(forms[3][0], *FastestScan(kGfx1030, {32, 4, 1}));
  EXPECT_EQ(forms[7][1], *FastestScan(kGfx1030, {32, 8, 2}));
  EXPECT_EQ(forms[7][0], ScanForm::kBytePerm) << "not asked";
}

}  // namespace
}  // namespace kiln::amd
