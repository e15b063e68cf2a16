#include "core/amd/pipeline/reload_descriptors.h"

#include <string>

#include "core/amd/lir/machine.h"
#include "core/amd/lir/ops.h"
#include "core/lir/liveness.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

constexpr const char* kValues =
    "function gfx1030 width 32\nvalue %0 S 4x2\nvalue %1 S 4x4\nvalue %2 S 4x1\nvalue %3 S 4x1\n"
    "value %4 S 4x1\nvalue %5 SCC 0x1\nvalue %6 V 4x1\nvalue %7 S 4x1\nlivein %0 at 0\n"
    "livein %6 at 0\n";

lir::Function Parsed(const std::string& blocks) {
  absl::StatusOr<lir::Function> f = lir::Parse(Gfx1030Machine(), kValues + blocks);
  EXPECT_TRUE(f.ok()) << f.status();
  return f.ok() ? *std::move(f) : lir::Function();
}

uint32_t MostScalars(const lir::Function& f) {
  const lir::Liveness live(Gfx1030Machine(), f);
  return lir::MaxPressure(Gfx1030Machine(), f, live)[kPoolSgpr].logical;
}

TEST(ReloadDescriptors, EachBlockLoadsWhatItReads) {
  lir::Function f = Parsed(
      "block b0 depth 0\n"
      "  %1x4:b32 = s_load_dwordx4 %0x2:b32 _ {nomask [offset 16]}\n"
      "  %2:b32 = s_buffer_load_dword %1x4:b32 _ {nomask []}\n"
      "  %3:b32 = s_buffer_load_dword %1x4:b32 _ {nomask [offset 4]}\n"
      "  %5:b32 = s_cmp_lt_u32 %2:b32 %3:b32 {nomask []}\n"
      "  scc_if %5:b32\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n"
      "  %4:b32 = s_buffer_load_dword %1x4:b32 _ {nomask [offset 8]}\n"
      "  %7:b32 = s_buffer_load_dword %1x4:b32 _ {nomask [offset 12]}\n"
      "  buffer_store_dword %6:b32 _ %1x4:b32 %4:b32 {[]}\n"
      "  jump\n"
      "  -> b2\n"
      "block b2 depth 0\n"
      "  end\n");
  EXPECT_TRUE(ReloadDescriptors(f));
  EXPECT_EQ(lir::Verify(Gfx1030Machine(), f), absl::OkStatus());
  const std::string text = lir::Print(Gfx1030Machine(), f);
  const size_t second = text.find("s_load_dwordx4", text.find("block b1"));
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_NE(text.substr(second, text.find('\n', second) - second).find("[offset 16]"),
            std::string::npos);
  EXPECT_EQ(text.find("s_load_dwordx4", second + 1), std::string::npos) << "one for its block";
  EXPECT_FALSE(ReloadDescriptors(f)) << "nothing is read across blocks";
}

// The block of the first load reads nothing: its load goes, and with it the registers.
TEST(ReloadDescriptors, LoadsWithoutReadersGo) {
  lir::Function f = Parsed(
      "block b0 depth 0\n"
      "  %1x4:b32 = s_load_dwordx4 %0x2:b32 _ {nomask []}\n"
      "  %2:b32 = s_mul_i32 %0.0:b32 %0.1:b32 {nomask []}\n"
      "  %3:b32 = s_mul_i32 %2:b32 %0.1:b32 {nomask []}\n"
      "  %5:b32 = s_cmp_lt_u32 %2:b32 %3:b32 {nomask []}\n"
      "  scc_if %5:b32\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n"
      "  %4:b32 = s_buffer_load_dword %1x4:b32 _ {nomask []}\n"
      "  jump\n"
      "  -> b2\n"
      "block b2 depth 0\n"
      "  end\n");
  const uint32_t before = MostScalars(f);
  EXPECT_TRUE(ReloadDescriptors(f));
  EXPECT_LT(MostScalars(f), before);
  const std::string text = lir::Print(Gfx1030Machine(), f);
  EXPECT_GT(text.find("s_load_dwordx4"), text.find("block b1")) << text;
}

// The offset would be live in the descriptor's stead.
TEST(ReloadDescriptors, LoadsByAnOffsetInARegisterStay) {
  lir::Function f = Parsed(
      "block b0 depth 0\n"
      "  %2:b32 = s_mul_i32 %0.0:b32 %0.1:b32 {nomask []}\n"
      "  %1x4:b32 = s_load_dwordx4 %0x2:b32 %2:b32 {nomask []}\n"
      "  %5:b32 = s_cmp_lt_u32 %2:b32 %0.1:b32 {nomask []}\n"
      "  scc_if %5:b32\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n"
      "  %4:b32 = s_buffer_load_dword %1x4:b32 _ {nomask []}\n"
      "  jump\n"
      "  -> b2\n"
      "block b2 depth 0\n"
      "  end\n");
  EXPECT_FALSE(ReloadDescriptors(f));
}

}  // namespace
}  // namespace kiln::amd
