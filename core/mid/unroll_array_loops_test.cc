#include "core/mid/unroll_array_loops.h"

#include <string>

#include "core/mid/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

std::string Counted(const std::string& counter, int rounds, const std::string& body) {
  return "  loop (" + counter + ":i32 = 0) {\n    " + counter + "9:bool = ult " + counter + ", " +
         std::to_string(rounds) + "\n    if " + counter + "9 { yield } else { break }\n    " + counter +
         "8:i32 = shl " + counter + ", 2\n" + body + "    " + counter + "7:i32 = iadd " + counter +
         ", 1\n    continue " + counter + "7\n  }\n";
}

// A tile of 64 sums: written by one loop of 64 rounds, used by another. `work` is each round's.
std::string Tile(int work, const std::string& elsewhere, int rounds = 64) {
  std::string stores;
  for (int i = 0; i < work; ++i) stores += "    store_ssbo[0, align 4] %1, 1\n";
  return "  %1:i32 = local_index\n" + elsewhere +
         Counted("%2", rounds, stores + "    store_private[1, align 4] %28, %1\n") +
         Counted("%3", rounds, stores +
                               "    %36:i32 = load_private[1, align 4] %38\n"
                               "    store_ssbo[1, align 4] %38, %36\n") +
         "  return\n";
}

bool Frees(const std::string& body) {
  const std::string after = RunOnBody(body, UnrollArrayLoops);
  EXPECT_NE(after.find("return"), std::string::npos) << after;
  return after.find("private") == std::string::npos;
}

// Neither loop frees the array alone.
TEST(UnrollArrayLoops, AllLoopsOfAnArrayTogether) {
  EXPECT_TRUE(Frees(Tile(10, "")));
  EXPECT_FALSE(Frees(Tile(10, "  store_private[1, align 4] %1, 0\n")));
}

// A loop whose rounds nobody knows is unrolled no more than before; those inside of it are.
TEST(UnrollArrayLoops, InsideOfALoopWithoutBound) {
  const std::string inside =
      "  %1:i32 = local_index\n" + Counted("%2", 64, "    store_private[1, align 4] %28, %1\n") +
      "  loop (%5:i32 = 0) {\n    %6:bool = ult %5, %1\n    if %6 { yield } else { break }\n" +
      Counted("%4", 64, "    %46:i32 = load_private[1, align 4] %48\n    %45:i32 = iadd %46, %5\n"
                        "    store_private[1, align 4] %48, %45\n") +
      "    %7:i32 = iadd %5, 1\n    continue %7\n  }\n" +
      Counted("%3", 64, "    %36:i32 = load_private[1, align 4] %38\n"
                        "    store_ssbo[1, align 4] %38, %36\n") +
      "  return\n";
  EXPECT_TRUE(Frees(inside));
}

// 128 accesses pay for 32 instructions each, and 4,096 are the most.
TEST(UnrollArrayLoops, WhatIsLeftIsWeighed) {
  EXPECT_TRUE(Frees(Tile(30, "")));
  EXPECT_FALSE(Frees(Tile(32, "")));
  EXPECT_TRUE(Frees(Tile(30, "", 8)));
  EXPECT_FALSE(Frees(Tile(34, "", 8)));
}

// The elements of the tile and as many other values as fit.
TEST(UnrollArrayLoops, WhatLivesMustFit) {
  const auto frees = [](int others) {
    std::string before = "  %1:i32 = local_index\n", after;
    for (int i = 0; i < others; ++i) {
      const std::string offset = std::to_string(1024 + 4 * i), name = "%" + std::to_string(1000 + i);
      before += "  " + name + ":i32 = load_ssbo[0, align 4] " + offset + "\n";
      after += "  store_ssbo[0, align 4] " + offset + ", " + name + "\n";
    }
    // The sums differ, so that each needs a place of its own.
    return Frees(before +
                 Counted("%2", 64, "    %26:i32 = load_ssbo[0, align 4] %28\n"
                                   "    store_private[1, align 4] %28, %26\n") +
                 Counted("%3", 64, "    %36:i32 = load_private[1, align 4] %38\n"
                                   "    store_ssbo[1, align 4] %38, %36\n") +
                 after + "  return\n");
  };
  EXPECT_TRUE(frees(30));
  EXPECT_FALSE(frees(40));
}

}  // namespace
}  // namespace kiln::mid
