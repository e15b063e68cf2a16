#include "core/mid/memory/remove_unread_outputs.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using Places = std::set<std::pair<uint32_t, uint32_t>>;  // location, component

// The body of a vertex shader with these outputs after the pass.
std::string Left(const std::string& body, const Places& read, int64_t rewrites = -1) {
  auto m = mir::Parse(absl::StrCat(
      "mir 1\nentry \"main\"\nstage vertex\ninput 0 location 0.0 f32 x4\ninput 1 location 1.0 i32 x1\n"
      "output 0 location 0.0 f32 x4\noutput 1 location 1.0 f32 x2\noutput 2 location 1.2 f32 x1\n"
      "output 3 location 2.0 f32 x2 array 3\noutput 4 location 9.1 f16 x1\n"
      "output 5 builtin position f32 x4\noutput 6 builtin clip_distance f32 x1 array 2\nbody {\n"
      "%0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]\n%4:i32 = load_input[1, 0]\n",
      body, "return\n}\n"));
  if (!m.ok()) return std::string(m.status().message());
  PassContext context = PassContext::ForTest(rewrites);
  const auto reads = [&](uint32_t location, uint32_t component) {
    return read.count({location, component}) != 0;
  };
  const auto changed = RemoveUnreadOutputs(*m, reads, context);
  if (!changed.ok()) return std::string(changed.status().message());
  if (const absl::Status s = mir::Verify(*m); !s.ok()) return std::string(s.message());
  const std::string text = mir::Print(*m);
  const size_t start = text.find("= load_input[1, 0]\n") + 19;
  return absl::StrCat(*changed ? "" : "unchanged\n",
                      text.substr(start, text.rfind("  return") - start));
}

TEST(RemoveUnreadOutputs, ComponentsThatAreNotReadHaveNoValue) {
  EXPECT_EQ(Left("store_output[0, 0] %0, %1, %2, %3\n", {{0, 1}, {0, 3}}),
            "  store_output[0, 0] undef.f32, %1, undef.f32, %3\n");
  EXPECT_EQ(Left("store_output[0, 2] %0, %1\n", {{0, 0}, {0, 2}}),
            "  store_output[0, 2] %0, undef.f32\n");
}

TEST(RemoveUnreadOutputs, AStoreOfNothingGoes) {
  EXPECT_EQ(
      Left("store_output[0, 0] %0, %1, %2, %3\nstore_output[1, 0] %0, %1\n", {{1, 0}, {1, 1}}),
      "  store_output[1, 0] %0, %1\n");
  EXPECT_EQ(Left("store_output[0, 1] %0\n", {{0, 0}}), "");
  EXPECT_EQ(Left("store_output[4, 0] undef.f16\n", {}), "");
}

TEST(RemoveUnreadOutputs, AllThatIsReadStays) {
  const std::string all = "  store_output[0, 0] %0, %1, %2, %3\n  store_output[1, 1] %0\n";
  EXPECT_EQ(Left(all, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 1}}), "unchanged\n" + all);
}

TEST(RemoveUnreadOutputs, VariablesThatShareALocationAreApart) {
  EXPECT_EQ(Left("store_output[1, 0] %0, %1\nstore_output[2, 0] %2\n", {{1, 2}}),
            "  store_output[2, 0] %2\n");
  EXPECT_EQ(Left("store_output[1, 0] %0, %1\nstore_output[2, 0] %2\n", {{1, 1}}),
            "  store_output[1, 0] undef.f32, %1\n");
}

TEST(RemoveUnreadOutputs, AnElementIsALocationOfItsOwn) {
  EXPECT_EQ(Left("store_output.indexed[3, 0] 0, %0, %1\nstore_output.indexed[3, 0] 2, %2, %3\n",
                 {{4, 1}}),
            "  store_output.indexed[3, 0] 2, undef.f32, %3\n");
  EXPECT_EQ(Left("store_output.indexed[3, 0] %4, %0, %1\n", {{3, 0}}),
            "  store_output.indexed[3, 0] %4, %0, undef.f32\n");
  EXPECT_EQ(Left("store_output.indexed[3, 0] 7, %0, %1\n", {{3, 0}}), "");  // there is none
}

TEST(RemoveUnreadOutputs, BuiltInsStay) {
  const std::string all =
      "  store_output[5, 0] %0, %1, %2, %3\n  store_output.indexed[6, 0] 1, %0\n";
  EXPECT_EQ(Left(all, {}), "unchanged\n" + all);
}

TEST(RemoveUnreadOutputs, StopsAtTheLimit) {
  EXPECT_EQ(Left("store_output[1, 0] %0, %1\nstore_output[2, 0] %2\n", {}, 1),
            "  store_output[2, 0] %2\n");
}

}  // namespace
}  // namespace kiln::mid
