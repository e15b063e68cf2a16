// Tests which accesses to shared memory become one instruction of two places.
#include "core/amd/select/shared_pairs.h"

#include <string>

#include "absl/strings/match.h"
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// Each pair is reached, in the order in which it is given.
TEST(TwoOffsetsOf, BothPlacesAreReached) {
  constexpr uint32_t kOffsets[] = {0,    4,     8,     252,   256,        1016,
                                   1020, 1024,  1028,  2040,  4096,       4100,
                                   8192, 16384, 65280, 65284, 0xfffffffc, 0xfffffe00};
  int found = 0;
  for (const uint32_t unit : {4u, 8u}) {
    for (const uint32_t a : kOffsets) {
      for (const uint32_t b : kOffsets) {
        const auto two = TwoOffsetsOf(a, b, unit);
        if (!two) continue;
        ++found;
        const uint32_t step = unit * (two->stride64 ? 64 : 1);
        EXPECT_EQ(two->added + two->first * step, a) << a << " " << b;
        EXPECT_EQ(two->added + two->second * step, b) << a << " " << b;
      }
    }
  }
  EXPECT_GT(found, 200);
}

TEST(TwoOffsetsOf, Forms) {
  // Nothing to add: within 255 elements, or 255 times 64.
  EXPECT_EQ(TwoOffsetsOf(0, 1020, 4)->added, 0u);
  EXPECT_TRUE(TwoOffsetsOf(256, 65280, 4)->stride64);
  EXPECT_EQ(TwoOffsetsOf(256, 65280, 4)->added, 0u);
  EXPECT_EQ(TwoOffsetsOf(512, 2040, 8)->second, 255);
  // Several pairs have one sum.
  EXPECT_EQ(TwoOffsetsOf(2052, 2060, 4)->added, TwoOffsetsOf(2068, 2100, 4)->added);
  EXPECT_EQ(TwoOffsetsOf(0, 1024 + 4, 4), std::nullopt);
  EXPECT_EQ(TwoOffsetsOf(0, 6, 4), std::nullopt);
  EXPECT_EQ(TwoOffsetsOf(0, 256 * 256, 4), std::nullopt);
}

constexpr char kPlaces[] =
    "%10:i32 = shl %1, 4\n%11:i32 = iadd %10, 8\n%12:i32 = iadd %10, 32\n%13:i32 = iadd %10, 4096\n";

// Returns the selected text of two loads with something between, whose results are stored.
std::string Loads(const std::string& first, const std::string& between, const std::string& second) {
  return SelectedText(std::string(kPlaces) + "%20:i32 = load_shared[align 4] " + first + "\n" +
                      between + "%21:i32 = load_shared[align 4] " + second +
                      "\nstore_ssbo[0, align 4] 0, %20, %21\n");
}

bool AreTwo(const std::string& text) { return absl::StrContains(text, "ds_read2_b32"); }

TEST(SharedPairs, LoadsOfOneBase) {
  EXPECT_TRUE(AreTwo(Loads("%10", "", "%11")));
  EXPECT_TRUE(AreTwo(Loads("%11", "", "%10")));
  EXPECT_TRUE(AreTwo(Loads("16", "", "80")));
  EXPECT_TRUE(absl::StrContains(Loads("%10", "", "%13"), "ds_read2st64_b32"));
  EXPECT_FALSE(AreTwo(Loads("%11", "", "%13")));  // 4088 bytes apart
  EXPECT_FALSE(AreTwo(Loads("%10", "", "%1")));   // another base
}

// Two loads with an access, a barrier or an if between them.
TEST(SharedPairs, WhatIsBetweenLoads) {
  EXPECT_TRUE(AreTwo(Loads("%10", "store_shared[align 4] %12, 5\n", "%11")));
  EXPECT_TRUE(AreTwo(Loads("%10", "store_shared[align 4] %10, 5\n", "%11")));
  EXPECT_TRUE(AreTwo(Loads("%10", "store_ssbo[0, align 4] 4, 5\n", "%11")));
  EXPECT_FALSE(AreTwo(Loads("%10", "store_shared[align 4] %11, 5\n", "%11")));
  EXPECT_FALSE(AreTwo(Loads("%10", "store_shared[align 4] %1, 5\n", "%11")));
  EXPECT_FALSE(AreTwo(Loads("%10", "%22:i32 = shared_atomic[add] %11, 5\n", "%11")));
  EXPECT_FALSE(AreTwo(Loads("%10", "control_barrier[1, workgroup]\n", "%11")));
  EXPECT_FALSE(AreTwo(Loads("%10", "memory_barrier[1, workgroup]\n", "%11")));
  EXPECT_FALSE(
      AreTwo(Loads("%10", "%23:bool = ieq %1, 3\nif %23 {\nyield\n} else {\nyield\n}\n", "%11")));
}

std::string Stores(const std::string& between) {
  return SelectedText(std::string(kPlaces) + "store_shared[align 4] %10, %1\n" + between +
                      "store_shared[align 4] %12, %2\n");
}

TEST(SharedPairs, StoresAndWhatIsBetweenThem) {
  const auto one = [](const std::string& between) {
    return absl::StrContains(Stores(between), "ds_write2_b32");
  };
  EXPECT_TRUE(one(""));
  const std::string read = "store_ssbo[0, align 4] 0, %22\n";
  EXPECT_TRUE(one("%22:i32 = load_shared[align 4] %11\n" + read));
  EXPECT_TRUE(one("%22:i32 = load_shared[align 4] %12\n" + read));
  EXPECT_FALSE(one("%22:i32 = load_shared[align 4] %10\n" + read));
  EXPECT_FALSE(one("%22:i32 = load_shared[align 4] %1\n" + read));
  EXPECT_FALSE(one("control_barrier[1, workgroup]\n"));
}

// The base is in the sum of the address, which one instruction computes: offsets count from there.
TEST(SharedPairs, ABaseThatIsPartOfAnotherOperation) {
  const std::string text = SelectedText(
      "%10:i32 = load_ssbo[0, align 4] 0\n%11:i32 = shl %1, 3\n%12:i32 = iadd %11, %10\n"
      "%13:i32 = iadd %12, 40\n%14:i32 = iadd %12, 8\n"
      "%15:i32 = load_shared[align 4] %13\n%16:i32 = load_shared[align 4] %14\n"
      "store_ssbo[0, align 4] 0, %15, %16\n");
  EXPECT_TRUE(AreTwo(text)) << text;
}

TEST(SharedPairs, EightBytesEachNeedTheirAlignment) {
  const auto text = [](const char* shift) {
    return SelectedText("%10:i32 = shl %1, " + std::string(shift) +
                        "\n%11:i32 = iadd %10, 64\n%12:i32, %13:i32 = load_shared[align 4] %10\n"
                        "%14:f32, %15:f32 = load_shared[align 4] %11\n"
                        "store_ssbo[0, align 4] 0, %12, %13\nstore_ssbo[0, align 4] 8, %14, %15\n");
  };
  EXPECT_TRUE(absl::StrContains(text("3"), "ds_read2_b64")) << text("3");
  EXPECT_FALSE(absl::StrContains(text("2"), "ds_read2_b64"));
}

// Parts of dwords that make one.
TEST(SharedPairs, StoresOfParts) {
  const std::string text = SelectedText(
      "%10:i16 = trunc %1\n%11:i8 = trunc %1\n%12:i32 = shl %1, 4\n%13:i32 = iadd %12, 8\n"
      "store_shared[align 4] %12, %10, %10\nstore_shared[align 4] %13, %11, %11, %11, %11\n");
  EXPECT_TRUE(absl::StrContains(text, "ds_write2_b32")) << text;
}

}  // namespace
}  // namespace kiln::amd
