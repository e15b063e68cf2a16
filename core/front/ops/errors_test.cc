#include "core/front/ops/errors.h"

#include <string>
#include <vector>

#include "core/base/cause.h"
#include "core/front/check/refusal.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

const std::vector<spv::Capability> kNone;

TEST(ErrorsTest, TheFirstIsKept) {
  Errors errors(kNone, 100);
  EXPECT_TRUE(errors.ok());
  EXPECT_FALSE(errors.Malformed("first", 5));
  EXPECT_FALSE(errors.Malformed("second", 6));
  EXPECT_FALSE(errors.Refuse("float64", "third", 7));
  EXPECT_FALSE(errors.Fail(absl::InternalError("fourth")));
  EXPECT_FALSE(errors.ok());
  EXPECT_EQ(errors.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(SpirvIdOf(errors.status()), 5u);
}

TEST(ErrorsTest, RefusalNamesTheCapabilityThatAsksForIt) {
  const std::vector<spv::Capability> declared{spv::Capability::Shader,
                                              spv::Capability::RayQueryKHR};
  Errors errors(declared, 100);
  errors.Refuse("ray_tracing", "value of this type", 3);
  EXPECT_EQ(RefusalCause(errors.status()), "ray_tracing");
  EXPECT_EQ(DetailOf(errors.status()).capability, "RayQueryKHR");
  EXPECT_EQ(errors.status().message(), "value of this type [capability RayQueryKHR]");
}

TEST(ErrorsTest, AttachesTheInstructionBeingEmitted) {
  Errors errors(kNone, 100);
  errors.set_instruction(77);
  errors.Refuse("float64", "value of this type", 3);
  errors.set_instruction(78);
  EXPECT_EQ(InstructionOf(errors.status()), 77u);
  EXPECT_EQ(errors.instruction(), 78u);
  Errors outside(kNone, 100);
  outside.Malformed("broken");
  EXPECT_EQ(InstructionOf(outside.status()), 0u);
}

TEST(ErrorsTest, ChargesUpToTheLimits) {
  Errors errors(kNone, 100);
  errors.set_function(9);
  EXPECT_TRUE(errors.Charge(100 * kWorkPerInstruction, 100));
  EXPECT_TRUE(errors.Charge(0, 100));
  EXPECT_FALSE(errors.Charge(1, 100));
  EXPECT_EQ(RefusalCause(errors.status()), "module_too_large");
  EXPECT_EQ(SpirvIdOf(errors.status()), 9u);
}

TEST(ErrorsTest, CountsInstructions) {
  Errors errors(kNone, 100);
  EXPECT_FALSE(errors.Charge(0, 101));
  EXPECT_EQ(RefusalCause(errors.status()), "module_too_large");
}

TEST(ErrorsTest, NothingIsChargedAfterAnError) {
  Errors errors(kNone, 100);
  EXPECT_TRUE(errors.Charge(1, 1));
  errors.Malformed("broken");
  EXPECT_FALSE(errors.Charge(1, 1));
  EXPECT_NE(errors.status().message().find("broken"), std::string_view::npos) << errors.status();
}

}  // namespace
}  // namespace kiln::front
