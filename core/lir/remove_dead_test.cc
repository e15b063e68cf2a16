#include "core/lir/remove_dead.h"

#include <string>

#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/testing_scalar.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::lir {
namespace {

using testing::ScalarTestMachine;

constexpr const char* kHead =
    "function scalar width 32\n"
    "value %0 S 4x1\nvalue %1 S 4x1\nvalue %2 S 4x1\nvalue %3 S 4x1\nvalue %4 V 4x1\n";

// Returns the blocks after the removal of at most `allowed` instructions.
std::string After(const std::string& blocks, int allowed = 100) {
  absl::StatusOr<Function> f = Parse(ScalarTestMachine(), kHead + blocks);
  EXPECT_TRUE(f.ok()) << f.status();
  if (!f.ok()) return "";
  DefUse info = FindDefUse(*f);
  const bool changed = RemoveDead(ScalarTestMachine().ops, *f, info, [&] { return allowed-- > 0; });
  const absl::Status ok = Verify(ScalarTestMachine(), *f);
  EXPECT_TRUE(ok.ok()) << ok;
  EXPECT_EQ(info.uses, FindDefUse(*f).uses);
  const std::string text = Print(ScalarTestMachine(), *f);
  const std::string after = text.substr(text.find("block b0"));
  EXPECT_EQ(changed, after != blocks);
  return after;
}

const std::string kChain =
    "block b0 depth 0\n"
    "  %0:b32 = s_const #0x1:b32\n"
    "  %1:b32 = s_mul %0:b32 %0:b32\n"
    "  %2:b32 = s_mul %1:b32 %0:b32\n"
    "  s_end\n";

TEST(RemoveDead, ChainsGoFromTheirEnd) { EXPECT_EQ(After(kChain), "block b0 depth 0\n  s_end\n"); }

TEST(RemoveDead, NoIsRespected) {
  EXPECT_EQ(After(kChain, 0), kChain);
  EXPECT_EQ(After(kChain, 1),
            "block b0 depth 0\n"
            "  %0:b32 = s_const #0x1:b32\n"
            "  %1:b32 = s_mul %0:b32 %0:b32\n"
            "  s_end\n");
}

TEST(RemoveDead, EffectsAndTheirSourcesStay) {
  const std::string stores =
      "block b0 depth 0\n"
      "  %0:b32 = s_const #0x1:b32\n"
      "  %4:b32 = v_broadcast %0:b32\n"
      "  v_store %4:b32 %4:b32\n"
      "  s_end\n";
  EXPECT_EQ(After(stores), stores);
}

TEST(RemoveDead, ArgumentsOfEdgesAreUses) {
  const std::string blocks =
      "block b0 depth 0\n"
      "  %0:b32 = s_const #0x1:b32\n"
      "  s_jump\n"
      "  -> b1(%0:b32)\n"
      "block b1 depth 0 params %1\n"
      "  s_end\n";
  EXPECT_EQ(After(blocks), blocks);
}

}  // namespace
}  // namespace kiln::lir
