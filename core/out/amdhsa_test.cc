// Tests amdhsa.h: the kernel descriptor's fields. tests/exec/code_objects_test.cc reads the rest.
#include "core/out/amdhsa.h"

#include <algorithm>
#include <string_view>

#include "gtest/gtest.h"

namespace kiln::out {
namespace {

AmdHsaKernel Kernel() {
  AmdHsaKernel k;
  k.name = "main";
  k.code = {0, 0, 0x81, 0xbf};  // s_endpgm
  k.rsrc1 = 0x11111111;
  k.rsrc2 = 0x22222222;
  k.rsrc3 = 0x33333333;
  k.lds_bytes = 0x44444444;
  k.scratch_bytes_per_lane = 0x55555555;
  k.kernarg_bytes = 0x66666666;
  return k;
}

uint64_t NumberAt(const std::vector<uint8_t>& bytes, size_t at, size_t size) {
  uint64_t v = 0;
  for (size_t i = size; i-- > 0;) v = v << 8 | bytes.at(at + i);
  return v;
}

// Returns where the descriptor is: its first two fields are known.
size_t DescriptorAt(const std::vector<uint8_t>& file) {
  constexpr std::string_view kStart = "DDDDUUUUffff";
  return static_cast<size_t>(std::search(file.begin(), file.end(), kStart.begin(), kStart.end()) -
                             file.begin());
}

TEST(AmdHsa, TheDescriptorHasEachFieldAtItsPlace) {
  AmdHsaKernel k = Kernel();
  for (const uint32_t lanes : {32u, 64u}) {
    k.lanes = lanes;
    const std::vector<uint8_t> file = AmdHsaCodeObject(k);
    const size_t at = DescriptorAt(file);
    EXPECT_EQ(at % 64, 0u);
    EXPECT_EQ(NumberAt(file, at + 12, 4), 0u);
    EXPECT_EQ(at + NumberAt(file, at + 16, 8), AmdHsaCodeOffset(k));
    for (size_t i = 24; i < 44; i += 4) EXPECT_EQ(NumberAt(file, at + i, 4), 0u) << i;
    EXPECT_EQ(NumberAt(file, at + 44, 4), 0x33333333u);
    EXPECT_EQ(NumberAt(file, at + 48, 4), 0x11111111u);
    EXPECT_EQ(NumberAt(file, at + 52, 4), 0x22222222u);
    EXPECT_EQ(NumberAt(file, at + 56, 8), lanes == 32 ? 0x428u : 0x28u);
  }
}

TEST(AmdHsa, CodeIsAlignedAndFollowedByWhatIsFetchedAhead) {
  AmdHsaKernel k = Kernel();
  for (const size_t size : {4u, 60u, 64u, 68u, 4096u}) {
    k.code.assign(size, 7);
    const std::vector<uint8_t> file = AmdHsaCodeObject(k);
    const size_t at = AmdHsaCodeOffset(k);
    EXPECT_EQ(at % 256, 0u);
    EXPECT_EQ(file[at + size - 1], 7);
    for (size_t i = size; i < (size + 63) / 64 * 64 + 192; i += 4) {
      EXPECT_EQ(NumberAt(file, at + i, 4), 0xbf9f0000u) << i;
    }
  }
}

TEST(AmdHsa, SameKernelSameBytes) {
  EXPECT_EQ(AmdHsaCodeObject(Kernel()), AmdHsaCodeObject(Kernel()));
}

}  // namespace
}  // namespace kiln::out
