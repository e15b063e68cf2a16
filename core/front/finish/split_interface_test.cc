// Tests that 64-bit inputs and outputs become dwords: see split_interface.h.
#include "core/front/finish/split_interface.h"

#include <string>

#include "core/base/cause.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

// Returns the module after its third line, with values numbered in order; or the error.
std::string Split(const std::string& interfaces, const std::string& body) {
  auto m = mir::Parse("mir 1\nentry \"main\"\nstage vertex\n" + interfaces + "body {\n" + body +
                      "return\n}\n");
  if (!m.ok()) return TextOf(m.status());
  if (const absl::Status s = mir::Verify(*m); !s.ok()) return std::string(s.message());
  if (const absl::Status s = SplitInterface(*m); !s.ok()) return CauseOf(s);
  if (const absl::Status s = mir::Verify(*m); !s.ok()) return std::string(s.message());
  const std::string text = mir::Print(*m, {.renumber = true, .spirv_ids = false});
  const std::string stage = "stage vertex\n";
  return text.substr(text.find(stage) + stage.size());
}

constexpr char kNarrow[] = "input 0 location 0.0 f32 x4\noutput 0 location 0.0 f32 x4\n";

TEST(SplitInterface, LeavesTheRest) {
  const std::string body = "  %0:f32, %1:f32 = load_input[0, 1]\n  store_output[0, 2] %1, %0\n";
  EXPECT_EQ(Split(kNarrow, body), std::string(kNarrow) + "body {\n" + body + "  return\n}\n");
}

TEST(SplitInterface, TheLowHalfComesFirst) {
  EXPECT_EQ(Split("input 0 location 3.2 i64 x1\noutput 0 location 1.0 i64 x2\n",
                  "%0:i64 = load_input[0, 0]\nstore_output[0, 1] %0\n"),
            R"(input 0 location 3.2 i32 x2
output 0 location 1.0 i32 x4
body {
  %0:i32, %1:i32 = load_input[0, 0]
  %2:i64 = zext %0
  %3:i64 = zext %1
  %4:i64 = shl %3, 32
  %5:i64 = or %2, %4
  %6:i32 = trunc %5
  %7:i64 = ushr %5, 32
  %8:i32 = trunc %7
  store_output[0, 2] %6, %8
  return
}
)");
}

// The third scalar is in the next location, and the variables after it are renumbered.
TEST(SplitInterface, AVectorOfThreeRunsOn) {
  EXPECT_EQ(Split("input 0 location 0.0 i64 x3\ninput 1 location 5.0 i32 x1\n"
                  "output 0 location 0.0 i32 x1\noutput 1 location 1.0 i64 x3\n"
                  "output 2 location 4.0 i32 x1\n",
                  "%0:i64, %1:i64 = load_input[0, 1]\n%2:i32 = load_input[1, 0]\n"
                  "store_output[1, 1] %0, %1\nstore_output[2, 0] %2\nstore_output[0, 0] %2\n"),
            R"(input 0 location 0.0 i32 x4
input 1 location 1.0 i32 x2
input 2 location 5.0 i32 x1
output 0 location 0.0 i32 x1
output 1 location 1.0 i32 x4
output 2 location 2.0 i32 x2
output 3 location 4.0 i32 x1
body {
  %0:i32, %1:i32 = load_input[0, 2]
  %2:i32, %3:i32 = load_input[1, 0]
  %4:i64 = zext %0
  %5:i64 = zext %1
  %6:i64 = shl %5, 32
  %7:i64 = or %4, %6
  %8:i64 = zext %2
  %9:i64 = zext %3
  %10:i64 = shl %9, 32
  %11:i64 = or %8, %10
  %12:i32 = load_input[2, 0]
  %13:i32 = trunc %7
  %14:i64 = ushr %7, 32
  %15:i32 = trunc %14
  %16:i32 = trunc %11
  %17:i64 = ushr %11, 32
  %18:i32 = trunc %17
  store_output[1, 2] %13, %15
  store_output[2, 0] %16, %18
  store_output[3, 0] %12
  store_output[0, 0] %12
  return
}
)");
}

TEST(SplitInterface, ElementsOfOneLocationAreChosenByValue) {
  EXPECT_EQ(Split("input 0 location 0.0 i64 x1 array 2\ninput 1 location 2.0 i32 x1\n"
                  "output 0 location 0.0 i64 x2 array 3\n",
                  "%0:i32 = load_input[1, 0]\n%1:i64 = load_input.indexed[0, 0] %0\n"
                  "store_output.indexed[0, 0] %0, %1\n"),
            R"(input 0 location 0.0 i32 x2 array 2
input 1 location 2.0 i32 x1
output 0 location 0.0 i32 x4 array 3
body {
  %0:i32 = load_input[1, 0]
  %1:i32, %2:i32 = load_input.indexed[0, 0] %0
  %3:i64 = zext %1
  %4:i64 = zext %2
  %5:i64 = shl %4, 32
  %6:i64 = or %3, %5
  %7:i32 = trunc %6
  %8:i64 = ushr %6, 32
  %9:i32 = trunc %8
  store_output.indexed[0, 0] %0, %7, %9
  return
}
)");
}

TEST(SplitInterface, RefusesElementsOfTwoLocations) {
  EXPECT_EQ(Split("input 0 location 0.0 i64 x3 array 2\n", "%0:i64 = load_input.indexed[0, 0] 1\n"),
            "int64_interface");
}

TEST(LocationsOf, AnElement) {
  mir::Interface v;
  v.type = mir::Type::kF32;
  v.components = 4;
  EXPECT_EQ(LocationsOf(v), 1u);
  v.type = mir::Type::kF16;
  EXPECT_EQ(LocationsOf(v), 1u);
  v.type = mir::Type::kI64;
  EXPECT_EQ(LocationsOf(v), 2u);
  v.components = 2;
  EXPECT_EQ(LocationsOf(v), 1u);
  v.components = 1;
  v.component = 2;
  EXPECT_EQ(LocationsOf(v), 1u);
}

}  // namespace
}  // namespace kiln::front
