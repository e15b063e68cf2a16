// Tests what selection makes of a T#'s words, and of texels that count as uniform.
#include <string>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

int Count(const std::string& ops, absl::string_view op) {
  int count = 0;
  for (const absl::string_view name : absl::StrSplit(ops, ' ')) count += name == op ? 1 : 0;
  return count;
}

// Each result is chosen by whether there is an image; the last one also by the kind of view.
TEST(SelectImages, SizesOfNullImagesAndViews) {
  const std::string volume = SelectedOps(
      "%10:i32, %11:i32, %12:i32 = image_size[1, texel]\n"
      "store_ssbo[0, align 4] 0, %10, %11, %12\n");
  EXPECT_EQ(Count(volume, "s_cselect_b32"), 4) << volume;
  EXPECT_EQ(Count(volume, "s_cmp_lg_u32"), 1) << volume;  // null
  EXPECT_EQ(Count(volume, "s_cmp_eq_u32"), 1) << volume;  // slices
  const std::string layers = SelectedOps(
      "%10:i32, %11:i32, %12:i32 = image_size[2, texel lod] 0\n"
      "store_ssbo[0, align 4] 0, %10, %11, %12\n");
  EXPECT_EQ(Count(layers, "s_cselect_b32"), 4) << layers;
  EXPECT_EQ(Count(layers, "s_cmp_eq_u32"), 1) << layers;  // one layer
  const std::string levels =
      SelectedOps("%10:i32 = image_levels[2, texel]\nstore_ssbo[0, align 4] 0, %10\n");
  EXPECT_EQ(Count(levels, "s_cselect_b32"), 1) << levels;
}

// The size of a level that differs between lanes is in a vector register.
TEST(SelectImages, SizesOfLevelsByLane) {
  const std::string sizes = SelectedOps(
      "%10:i32, %11:i32, %12:i32 = image_size[2, texel lod] %1\n"
      "store_ssbo[0, align 4] %1, %10, %11, %12\n");
  EXPECT_EQ(Count(sizes, "v_and_b32"), 3) << sizes;
}

// A texel at coordinates that all lanes share becomes one value where a reader takes it for that.
TEST(SelectImages, UniformTexelsAreOneValue) {
  const std::string head = "%10:f32, %11:f32, %12:f32, %13:f32 = image_load[1, texel] %2, 0, 0\n";
  const std::string compared = SelectedOps(head +
                                           "%14:bool = flt %10, 2f\nif %14 {\n"
                                           "store_ssbo[0, align 4] 0, %1\nyield\n} else {\n"
                                           "yield\n}\n");
  EXPECT_EQ(Count(compared, "v_readfirstlane_b32"), 1) << compared;
  const std::string stored = SelectedOps(head + "store_ssbo[0, align 4] 0, %10\n");
  EXPECT_EQ(Count(stored, "v_readfirstlane_b32"), 0) << stored;
}

// dmask says how many dwords an image's atomic moves, the opcode how many a buffer's does.
TEST(SelectImages, AtomicsOf64Bits) {
  const std::string used = "store_ssbo[0, align 4] %1, %10, %11\n";
  const auto has = [](const std::string& text, absl::string_view part) {
    return text.find(std::string(part)) != std::string::npos;
  };
  const std::string add =
      SelectedText("%10:i32, %11:i32 = image_atomic64[4, texel add] %1, 1, %2, %1, 7\n" + used);
  EXPECT_TRUE(has(add, "image_atomic_add") && has(add, "dmask 3")) << add;
  const std::string swap = SelectedText(
      "%10:i32, %11:i32 = image_atomic64[4, texel compare_exchange] %1, 1, %2, %1, 7, 8, 9\n" +
      used);
  EXPECT_TRUE(has(swap, "image_atomic_cmpswap") && has(swap, "dmask 15")) << swap;
  const std::string buffer =
      SelectedOps("%10:i32, %11:i32 = image_atomic64[5, texel smin] %1, %1, 7\n" + used);
  EXPECT_EQ(Count(buffer, "buffer_atomic_smin_x2"), 1) << buffer;
  const std::string load =
      SelectedOps("%10:i32, %11:i32 = image_atomic64[5, texel load] %1\n" + used);
  EXPECT_EQ(Count(load, "buffer_load_format_xy"), 1) << load;
}

}  // namespace
}  // namespace kiln::amd
