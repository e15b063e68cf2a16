// Each feature of a target switches off the lowering that it makes unnecessary.
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "core/driver/mid_pipeline.h"
#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

using mid::Features;

struct Case {
  std::string_view pass;
  std::string_view body;
  void (*change)(Features& f);  // sets the opposite of the feature in question
  bool lowered;  // the pass acts with kFewFeatures; after `change` it does the opposite
};

constexpr Case kCases[] = {
    {"lower_derivatives", "%0:f32 = bitcast 7 %1:f32 = ddx[any] %0 store_ssbo[0, align 4] 0, %1",
     [](Features& f) { f.derivatives = mid::Derivatives::kEverywhere; }, true},
    {"lower_int64",
     "%0:i32 = local_index %1:i64 = zext %0 %2:i64 = iadd %1, %1 "
     "store_ssbo[0, align 8] 0, %2",
     [](Features& f) { f.int64 = true; }, true},
    {"lower_int8",
     "%0:i8 = load_ssbo[0, align 4] 0 %1:i8 = iadd %0, %0 "
     "store_ssbo[0, align 4] 0, %1",
     [](Features& f) { f.int8 = true; }, true},
    {"lower_dot_products",
     "%0:i32 = local_index %1:i32 = sdot4x8 %0, %0, %0 store_ssbo[0, align 4] 0, %1",
     [](Features& f) { f.dot4 = true; }, true},
    {"lower_float_atomics", "%0:f32 = ssbo_atomic[0, fadd] 0, 1f store_ssbo[0, align 4] 4, %0",
     [](Features& f) { f.float_atomics.add = true; }, true},
    {"lower_float_atomics", "%0:f32 = shared_atomic[fmin] 0, 1f store_ssbo[0, align 4] 4, %0",
     [](Features& f) { f.float_atomics.min_max = false; }, false},
    {"lower_float_atomics", "%0:f16 = shared_atomic[fmin] 0, 1h store_ssbo[0, align 4] 4, %0",
     [](Features& f) { f.float_atomics.of_16_bits = true; }, true},
    {"lower_float_atomics",
     "%0:i32 = image_atomic[2, texel fmax] 1, 1065353216 store_ssbo[0, align 4] 4, %0",
     [](Features& f) { f.float_atomics.on_images = true; }, true},
    {"lower_gradients",
     "%0:f32, %1:f32, %2:f32, %3:f32 = sample[1, texel grad] 1f, 0f, 0f, 0f, 0f, 0f, 0f, 0f, 0f "
     "store_ssbo[0, align 4] 0, %0",
     [](Features& f) { f.gradients.of_cubes = true; }, true},
    {"normalize_directions",
     "%0:f32, %1:f32, %2:f32, %3:f32 = sample[1, texel lod] 1f, 0f, 0f, 0f "
     "store_ssbo[0, align 4] 0, %0",
     [](Features& f) { f.divides_directions = true; }, true},
    {"combine_memory",
     "%0:i32 = load_ssbo[0, align 16] 0 %1:i32 = load_ssbo[0, align 4] 4 %2:i32 = iadd %0, %1 "
     "store_ssbo[0, align 4] 64, %2",
     [](Features& f) {
       f.access = {.lane = 4, .block = 0, .shared_block_alignment = 0, .block_of_constants = false};
     },
     true},
    {"form_fma",
     "%0:f32 = load_ssbo[0, align 4] 0 %1:f32 = fmul %0, 0.1f %2:f32 = fadd %1, 0.5f "
     "store_ssbo[0, align 4] 0, %2",
     [](Features& f) { f.constant_addends = Features::Addends::kExactHalves; }, false},
    {"rematerialise_compares",
     "%0:i32 = local_index %1:bool = ult %0, 7 if %1 { store_ssbo[0, align 4] 0, 1 yield } else "
     "{ yield } if %1 { store_ssbo[0, align 4] 4, 2 yield } else { yield }",
     [](Features& f) { f.conditions_in_flags = false; }, true},
};

// Returns true if the row of this name changed the module.
bool Acts(const Case& c, const Features& features) {
  absl::StatusOr<mir::Module> m =
      mir::Parse(absl::StrCat("mir 1 local_size 8, 1, 1 shared 64 resource 0 ssbo 0.0.0 "
                              "resource 1 combined 0.1.0 image cube float unknown "
                              "resource 2 storage_image 0.2.0 image 1d float r32f body { ",
                              std::string(c.body), " return }"));
  EXPECT_TRUE(m.ok()) << c.pass << ": " << m.status();
  if (!m.ok()) return false;
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus()) << c.pass;
  const std::string before = mir::Print(*m);
  for (const Pass<Lowering>& row : LoweringPasses()) {
    if (row.name != c.pass) continue;
    PassContext context = PassContext::ForTest();
    Lowering lowering = {*m, features};
    const auto changed = row.run(lowering, context);
    EXPECT_TRUE(changed.ok()) << changed.status();
    EXPECT_EQ(mir::Verify(*m), absl::OkStatus()) << c.pass;
    EXPECT_EQ(*changed, mir::Print(*m) != before) << c.pass;
    return *changed;
  }
  ADD_FAILURE() << "no row " << c.pass;
  return false;
}

TEST(Lowerings, ActWhereTheTargetAsks) {
  for (const Case& c : kCases) {
    Features other = mid::kFewFeatures;
    c.change(other);
    EXPECT_EQ(Acts(c, mid::kFewFeatures), c.lowered) << c.pass << ": " << c.body;
    EXPECT_EQ(Acts(c, other), !c.lowered) << c.pass << ": " << c.body;
  }
}

// A module that the neutral passes have settled is not cleaned up again before something changes
// it.
TEST(Lowerings, CleanUpWhatHasChangedAlone) {
  for (const bool settled : {false, true}) {
    absl::StatusOr<mir::Module> m = mir::Parse(
        "mir 1 local_size 8, 1, 1 shared 64 resource 0 ssbo 0.0.0 "
        "body { %0:i32 = iadd 1, 2 store_ssbo[0, align 4] 0, %0 return }");
    ASSERT_TRUE(m.ok()) << m.status();
    PassContext context = PassContext::ForTest();
    Lowering lowering = {*m, mid::kFewFeatures, 0, settled};
    for (const Pass<Lowering>& row : LoweringPasses()) {
      if (row.name != "simplify_lowered") continue;
      const auto changed = row.run(lowering, context);
      ASSERT_TRUE(changed.ok()) << changed.status();
      EXPECT_EQ(*changed, !settled);  // (in truth, simplify would have folded the sum)
      EXPECT_EQ(lowering.settled, settled);
    }
  }
}

}  // namespace
}  // namespace kiln
