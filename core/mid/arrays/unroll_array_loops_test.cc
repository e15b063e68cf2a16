#include "core/mid/arrays/unroll_array_loops.h"

#include <cstdint>
#include <string>
#include <vector>

#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

std::string Counted(const std::string& counter, int iterations, const std::string& body) {
  return "  loop (" + counter + ":i32 = 0) {\n    " + counter + "9:bool = ult " + counter + ", " +
         std::to_string(iterations) + "\n    if " + counter + "9 { yield } else { break }\n    " +
         counter + "8:i32 = shl " + counter + ", 2\n" + body + "    " + counter + "7:i32 = iadd " +
         counter + ", 1\n    continue " + counter + "7\n  }\n";
}

// A tile of 64 sums: written by one loop of 64 iterations, used by another. `work`: instructions of
// each iteration.
std::string Tile(int work, const std::string& elsewhere, int iterations = 64) {
  std::string stores;
  for (int i = 0; i < work; ++i) stores += "    store_ssbo[0, align 4] %1, 1\n";
  return "  %1:i32 = local_index\n" + elsewhere +
         Counted("%2", iterations, stores + "    store_private[1, align 4] %28, %1\n") +
         Counted("%3", iterations,
                 stores +
                     "    %36:i32 = load_private[1, align 4] %38\n"
                     "    store_ssbo[1, align 4] %38, %36\n") +
         "  return\n";
}

// The contents of two buffers of 2 KB after a body ran.
std::vector<uint8_t> Outcome(const std::string& body, bool with_array) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1\nlocal_size 8, 1, 1\nresource 0 ssbo 0.0.0\nresource 1 ssbo 0.1.0\n" +
      std::string(with_array ? "private 0 16\nprivate 1 256\n" : "") + "body {\n" + body + "\n}\n");
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return {};
  oracle::LaunchInputs inputs;
  for (uint32_t binding = 0; binding < 2; ++binding) {
    oracle::BoundBuffer buffer;
    buffer.binding = binding;
    for (int i = 0; i < 2048; ++i) buffer.bytes.push_back(static_cast<uint8_t>(i * 7 + i / 256));
    inputs.buffers.push_back(buffer);
  }
  EXPECT_TRUE(oracle::Interpret(*m, inputs).ok());
  std::vector<uint8_t> both = inputs.buffers[0].bytes;
  both.insert(both.end(), inputs.buffers[1].bytes.begin(), inputs.buffers[1].bytes.end());
  return both;
}

// Returns true if no access to private memory is left. The outcome must be the same, and a body
// that is not freed must be unchanged.
bool Frees(const std::string& body) {
  const std::string after = RunOnBody(body, UnrollArrayLoops);
  const bool freed = after.find("private") == std::string::npos;
  if (freed) {
    EXPECT_EQ(Outcome(after, false), Outcome(body, true)) << after;
  } else {
    EXPECT_EQ(after, RunOnBody(body, UnrollArrayLoops, 0));
  }
  return freed;
}

// Neither loop frees the array alone.
TEST(UnrollArrayLoops, AllLoopsOfAnArrayTogether) {
  EXPECT_TRUE(Frees(Tile(4, "")));
  EXPECT_FALSE(Frees(Tile(4, "  store_private[1, align 4] %1, 0\n")));
}

// A loop with an unknown number of iterations is not unrolled; the loops inside of it are.
TEST(UnrollArrayLoops, InsideOfALoopWithoutBound) {
  const std::string inside =
      "  %1:i32 = local_index\n" + Counted("%2", 64, "    store_private[1, align 4] %28, %1\n") +
      "  loop (%5:i32 = 0) {\n    %6:bool = ult %5, %1\n    if %6 { yield } else { break }\n" +
      Counted("%4", 64,
              "    %46:i32 = load_private[1, align 4] %48\n    %45:i32 = iadd %46, %5\n"
              "    store_private[1, align 4] %48, %45\n") +
      "    %7:i32 = iadd %5, 1\n    continue %7\n  }\n" +
      Counted("%3", 64,
              "    %36:i32 = load_private[1, align 4] %38\n"
              "    store_ssbo[1, align 4] %38, %36\n") +
      "  return\n";
  EXPECT_TRUE(Frees(inside));
}

// Two elements an iteration, stored and loaded, pay for 8 instructions each.
TEST(UnrollArrayLoops, WhatIsLeftIsWeighed) {
  EXPECT_TRUE(Frees(Tile(6, "")));
  EXPECT_FALSE(Frees(Tile(8, "")));
  EXPECT_TRUE(Frees(Tile(6, "", 8)));
  EXPECT_FALSE(Frees(Tile(8, "", 8)));
}

// At most 4,096 instructions, whatever they gain: four elements at a time are read often.
TEST(UnrollArrayLoops, WhatIsLeftIsBounded) {
  const auto frees = [](int reads, int iterations) {
    std::string body;
    for (int i = 0; i < reads; ++i) {
      const std::string v = "%" + std::to_string(100 + 10 * i);
      body += "    %" + std::to_string(103 + 10 * i) + ":i32, %" + std::to_string(104 + 10 * i) +
              ":i32, %" + std::to_string(105 + 10 * i) + ":i32, %" + std::to_string(106 + 10 * i) +
              ":i32 = load_private[1, align 16] %90\n    store_ssbo[1, align 4] " +
              std::to_string(4 * i) + ", %" + std::to_string(103 + 10 * i) + "\n" +
              "    store_ssbo[1, align 4] 1024, %" + std::to_string(106 + 10 * i) +
              "\n    store_ssbo[0, align 4] 0, %1\n";
    }
    return Frees("  %1:i32 = local_index\n" +
                 Counted("%2", iterations,
                         "    %90:i32 = shl %2, 4\n"
                         "    store_private[1, align 16] %90, %1, %2, %1, %28\n" +
                             body) +
                 "  return\n");
  };
  EXPECT_TRUE(frees(80, 16));
  EXPECT_FALSE(frees(90, 16));
}

// The elements of the tile and as many other values as fit.
TEST(UnrollArrayLoops, WhatLivesMustFit) {
  const auto frees = [](int others) {
    std::string before = "  %1:i32 = local_index\n", after;
    for (int i = 0; i < others; ++i) {
      const std::string offset = std::to_string(1024 + 4 * i),
                        name = "%" + std::to_string(1000 + i);
      before += "  " + name + ":i32 = load_ssbo[0, align 4] " + offset + "\n";
      after += "  store_ssbo[0, align 4] " + offset + ", " + name + "\n";
    }
    // The sums differ, so that each needs a register of its own.
    return Frees(before +
                 Counted("%2", 64,
                         "    %26:i32 = load_ssbo[0, align 4] %28\n"
                         "    store_private[1, align 4] %28, %26\n") +
                 Counted("%3", 64,
                         "    %36:i32 = load_private[1, align 4] %38\n"
                         "    store_ssbo[1, align 4] %38, %36\n") +
                 after + "  return\n");
  };
  EXPECT_TRUE(frees(30));
  EXPECT_FALSE(frees(40));
}

}  // namespace
}  // namespace kiln::mid
