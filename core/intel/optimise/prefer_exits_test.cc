// prefer_exits: see passes.h.
#include <algorithm>
#include <string>

#include "core/intel/lir/machine.h"
#include "core/intel/optimise/passes.h"
#include "core/intel/optimise/testing.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

constexpr char kTwoExits[] =
    "exit_block b1\n"
    "block b0 depth 0\n"
    "  %15:ud = cmp %21.3:f %21.4:f {w8 cmod 5}\n"
    "  discard_jump %15:ud {w8 pred 1}\n"
    "  %16:ud = cmp %21.3:f %21.5:f {w8 cmod 5}\n"
    "  discard_jump %16:ud {w8 pred 1 inv}\n"
    "  -> b1\n"
    "block b1 depth 0\n"
    "  eot %21:ud\n";

lir::Function Read() {
  auto f = lir::Parse(MachineOf(Tgl()), testing::Header() + kTwoExits);
  EXPECT_TRUE(f.ok()) << f.status();
  return *std::move(f);
}

int Preferred(const lir::Function& f) {
  const std::string text = lir::Print(MachineOf(Tgl()), f);
  int n = 0;
  for (size_t at = text.find(" preferred"); at != text.npos; at = text.find(" preferred", at + 1)) {
    ++n;
  }
  return n;
}

// Each jump is one rewrite, and the pass makes no other.
TEST(PreferExits, MarksEachJumpOnce) {
  for (const int limit : {0, 1, 2, 7}) {
    lir::Function f = Read();
    const std::string before = lir::Print(MachineOf(Tgl()), f);
    PassContext context = PassContext::ForTest(limit);
    const auto changed = PreferExits(f, context);
    ASSERT_TRUE(changed.ok()) << changed.status();
    EXPECT_EQ(*changed, limit != 0);
    EXPECT_EQ(Preferred(f), std::min(limit, 2));
    for (lir::Inst& inst : f.insts) inst.flags &= static_cast<uint8_t>(~lir::kPreferredExit);
    EXPECT_EQ(lir::Print(MachineOf(Tgl()), f), before);
  }
  lir::Function f = Read();
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*PreferExits(f, context));
  EXPECT_FALSE(*PreferExits(f, context));
  EXPECT_EQ(context.rewrites(), 2);
}

TEST(PreferExits, DoesNothingWithoutExits) {
  const std::string same =
      "block b0 depth 0\n"
      "  %0:f = mul %21.3:f %21.4:f {w8}\n"
      "  msg.write %0:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(testing::After(same, PreferExits), same);
}

TEST(PreferExits, OnlyAnExitIsOne) {
  auto f = lir::Parse(MachineOf(Tgl()), testing::Header() +
                                            "block b0 depth 0\n"
                                            "  %0:f = mul %21.3:f %21.4:f {w8 preferred}\n");
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_NE(lir::Verify(MachineOf(Tgl()), *f).message().find("L22"), std::string::npos);
}

}  // namespace
}  // namespace kiln::intel
