#include "core/front/finish/find_needs.h"

#include <string>

#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

// Returns the needs that are found in a body, as "name id ".
std::string Found(const std::string& body, const std::string& head = "") {
  absl::StatusOr<mir::Module> m = mir::Parse("mir 1 local_size 8, 1, 1 " + head +
                                             " resource 0 ssbo 0.0.0 body { " + body + " return }");
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return "";
  FindNeeds(*m);
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  std::string found;
  for (const mir::Needed& n : m->needs) {
    found += n.need == mir::Need::kHalfFloats        ? "half_floats "
             : n.need == mir::Need::kAddresses       ? "addresses "
             : n.need == mir::Need::kFloat64         ? "float64 "
             : n.need == mir::Need::kRoundingByWidth ? "rounding_by_width "
                                                     : "? ";
    found += std::to_string(n.spirv_id) + " ";
  }
  return found;
}

TEST(FindNeeds, HalfFloats) {
  EXPECT_EQ(Found("%0:i16 = load_ssbo[0, align 4] 0 ;%5\n %1:i32 = zext %0 ;%6\n"
                  "store_ssbo[0, align 4] 4, %1 ;%7\n"),
            "");
  EXPECT_EQ(Found("%0:f16 = load_ssbo[0, align 4] 0 ;%5\n %1:f32 = f2f %0 ;%6\n"
                  "store_ssbo[0, align 4] 4, %1 ;%7\n"),
            "half_floats 5 ");
  EXPECT_EQ(Found("store_ssbo[0, align 4] 4, 1h ;%7\n"), "half_floats 7 ") << "a source";
  EXPECT_EQ(Found("%0:i32 = local_index %1:bool = ult %0, 3\nif %1 { %2:i32 = f2f16 1f ;%8\n"
                  "store_ssbo[0, align 4] 4, %2 yield } else { yield }"),
            "half_floats 8 ")
      << "their bits, in a nested region";
  EXPECT_EQ(Found("%2:f32 = f16f 7 ;%9\nstore_ssbo[0, align 4] 4, %2"), "half_floats 9 ");
}

TEST(FindNeeds, Addresses) {
  EXPECT_EQ(Found("%0:i32 = load_global[align 4] 64, 0 ;%5\n"
                  "store_global[align 4] 64, 0, %0 ;%6\n"),
            "addresses 5 ");
  EXPECT_EQ(Found("store_global[align 4] 64, 0, 7 ;%6\n"), "addresses 6 ");
  EXPECT_EQ(Found("%0:i32 = global_atomic[add] 64, 0, 7 ;%3\n"), "addresses 3 ");
}

TEST(FindNeeds, Doubles) {
  const std::string body =
      "%0:f64 = load_ssbo[0, align 8] 0 ;%5\nstore_ssbo[0, align 8] 8, %0 ;%6\n";
  EXPECT_EQ(Found(body), "float64 5 ");
  EXPECT_EQ(Found(body, "needs float64 4 at 9 ;%3"), "float64 3 ") << "the importer's stays";
  EXPECT_EQ(Found(body, "rounding_f64 to_zero"), "float64 5 ");
  EXPECT_EQ(Found(body, "rounding_f64 to_zero rounding_f32 to_zero"), "float64 5 ");
  EXPECT_EQ(Found(body, "rounding_f64 to_zero rounding_f32 to_even"),
            "float64 5 rounding_by_width 5 ");
  EXPECT_EQ(Found("", "rounding_f64 to_zero rounding_f32 to_even"), "");
}

TEST(FindNeeds, EachOnceInTheOrderOfTheCode) {
  EXPECT_EQ(Found("%0:i32 = load_global[align 4] 64, 0 ;%5\n%1:i32 = f2f16 1f ;%6\n"
                  "%2:i32 = load_global[align 4] 64, 0 ;%7\n%3:i32 = f2f16 1f ;%8\n"),
            "addresses 5 half_floats 6 ");
}

TEST(FindNeeds, Barycentrics) {
  const auto blamed = [](const std::string& input, const std::string& body) {
    absl::StatusOr<mir::Module> m =
        mir::Parse("mir 1 stage fragment " + input + " body { " + body + " return }");
    EXPECT_TRUE(m.ok()) << m.status();
    if (!m.ok()) return 0u;
    FindNeeds(*m);
    EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
    EXPECT_LE(m->needs.size(), 1u);
    return m->Needs(mir::Need::kBarycentrics) ? m->needs[0].spirv_id : 0;
  };
  EXPECT_EQ(blamed("input 0 location 0.0 f32 x1 ;%4\n", "%0:f32 = load_input[0, 0]"), 0u);
  EXPECT_EQ(
      blamed("input 0 location 0.0 f32 x1 per_vertex ;%4\n", "%0:f32 = interpolate[0, vertex1 0]"),
      4u);
  EXPECT_EQ(blamed("input 0 location 0.0 f32 x1 ;%4\n"
                   "input 1 builtin bary_coord_no_perspective f32 x3 noperspective ;%8\n",
                   "%0:f32 = load_input[1, 0]"),
            8u);
}

}  // namespace
}  // namespace kiln::front
