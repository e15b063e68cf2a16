// What selection makes of a vertex shader's inputs and outputs: see vertex.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(SelectVertex, AttributesAreRegistersAndSlotsGoInPairs) {
  EXPECT_EQ(SelectedVertex(R"(
    %0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]
    %4:i32 = load_input[1, 1]
    store_output[2, 0] %0, %1, %2, %3
    store_output[1, 1] %4
)"), "");
}

}  // namespace
}  // namespace kiln::intel
