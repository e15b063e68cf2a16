#include "core/mid/lower/lower_dot_products.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kOps[] = {"sdot4x8",     "udot4x8",     "sudot4x8",
                                "sdot4x8_sat", "udot4x8_sat", "sudot4x8_sat"};
constexpr int kLanes = 256;

std::string Dots(const std::string& op) {
  return "mir 1 local_size 256, 1, 1 resource 0 ssbo 0.0.0 resource 1 ssbo 0.1.0 body { "
         "%0:i32 = local_index %1:i32 = shl %0, 4 "
         "%2:i32, %3:i32, %4:i32 = load_ssbo[0, align 4] %1 %5:i32 = " +
         op + " %2, %3, %4 %6:i32 = shl %0, 2 store_ssbo[1, align 4] %6, %5 return }";
}

// Returns random dwords, of which many have bytes and sums at the ends of their ranges.
std::vector<uint8_t> Inputs() {
  constexpr uint32_t kEnds[] = {0,          1,          0x7f7f7f7f, 0x80808080, ~0u,
                                0x7fffffff, 0x80000000, 0x7fff0000, 0x80010000, 0xfffe0000};
  std::mt19937 random(7);
  std::vector<uint8_t> bytes(16 * kLanes);
  for (size_t at = 0; at < bytes.size(); at += 4) {
    const uint32_t x =
        random() % 2 == 0 ? kEnds[random() % std::size(kEnds)] : static_cast<uint32_t>(random());
    std::memcpy(&bytes[at], &x, 4);
  }
  return bytes;
}

std::vector<uint8_t> Results(const mir::Module& m) {
  oracle::LaunchInputs inputs;
  inputs.buffers.resize(2);
  inputs.buffers[0].bytes = Inputs();
  inputs.buffers[1].binding = 1;
  inputs.buffers[1].bytes.resize(4 * kLanes);
  EXPECT_TRUE(oracle::Interpret(m, inputs).ok());
  return inputs.buffers[1].bytes;
}

TEST(LowerDotProducts, ComputesTheSame) {
  for (const char* op : kOps) {
    const auto m = mir::Parse(Dots(op));
    ASSERT_TRUE(m.ok()) << m.status();
    mir::Module lowered = *m;
    PassContext context = PassContext::ForTest();
    EXPECT_TRUE(*LowerDotProducts(lowered, context)) << op;
    EXPECT_EQ(mir::Verify(lowered), absl::OkStatus()) << op;
    EXPECT_THAT(mir::Print(lowered), Not(HasSubstr("dot4x8"))) << op;
    EXPECT_EQ(Results(lowered), Results(*m)) << op;
  }
}

TEST(LowerDotProducts, LeavesOthersAlone) {
  EXPECT_THAT(RunOnBody("%0:i32 = load_ssbo[0, align 4] 0 %1:i32 = imul %0, %0 "
                        "store_ssbo[1, align 4] 0, %1 return",
                        LowerDotProducts),
              HasSubstr("imul %0, %0"));
  mir::Module m = *mir::Parse("mir 1 local_size 8, 1, 1 body { return }");
  PassContext context = PassContext::ForTest();
  EXPECT_FALSE(*LowerDotProducts(m, context));
}

}  // namespace
}  // namespace kiln::mid
