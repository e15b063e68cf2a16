// halve_messages: see passes.h.
#include <string>

#include "absl/strings/str_cat.h"
#include "core/intel/lir/machine.h"
#include "core/intel/messages/passes.h"
#include "core/intel/messages/testing.h"
#include "core/lir/schedule/schedule.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::After;
using testing::AfterWith;
using testing::Sent;

TEST(HalveMessages, PayloadsOfOneComponentAreReadWhereTheyAre) {
  EXPECT_EQ(After("  %10x4:ud = msg.read %0:ud {w32 [untyped_read lanes 16 channels 15]}\n",
                  HalveMessages, 32),
            "  %16x64:ud = msg.read %0:ud {w16 [untyped_read lanes 16 channels 15]}\n"
            "  %17x64:ud = msg.read %0:ud {w16 g16 [untyped_read lanes 16 channels 15]}\n"
            "  %10x4:ud = join_groups %16x64:ud %17x64:ud {w32}\n");
}

TEST(HalveMessages, AddressesOf64BitsToo) {
  // %9 has 8 bytes per lane at width 32
  const std::string pack = "  %9:ud = pack %0:ud %1:ud {w32}\n";
  EXPECT_EQ(After(pack + "  msg.write %9:ud %2:ud {w32 [untyped_write lanes 16 channels 15]}\n",
                  HalveMessages, 32),
            pack +
                "  msg.write %9:ud %2:ud {w16 [untyped_write lanes 16 channels 15]}\n"
                "  msg.write %9:ud %2:ud {w16 g16 [untyped_write lanes 16 channels 15]}\n");
}

TEST(HalveMessages, OfSeveralComponentsEachHalfIsMoved) {
  const std::string collect = "  %11x4:ud = collect %0:ud %1:ud %2:ud %0:ud {w32}\n";
  const std::string out =
      After(collect + "  msg.write %1:ud %11x2:ud {w32 [untyped_write lanes 16 channels 15]}\n",
            HalveMessages, 32);
  EXPECT_NE(out.find("mov %11.1:ud {w16 g16 nomask}\n"), std::string::npos) << out;
  EXPECT_NE(out.find("{w16 g16 [untyped_write lanes 16 channels 15]}\n"), std::string::npos) << out;
}

// Under the mask: the exit block may have values of only the lanes that reached it.
TEST(HalveMessages, PartsOfTargetsAreMovedUnderTheMask) {
  const std::string out = After(
      "  %10x4:ud = collect %0:ud _ _ _ {w32}\n"
      "  msg.target_end %10x4:ud {w32 [target_write last_target 1]}\n",
      HalveMessages, 32);

  EXPECT_NE(out.find("mov %0:ud {w16}\n"), std::string::npos) << out;
  EXPECT_NE(out.find("mov %0:ud {w16 g16}\n"), std::string::npos) << out;
  EXPECT_NE(out.find("[target_write high_slots 1 last_target 1]}\n"), std::string::npos) << out;
}

// Collects in a block without messages are removed as well.
TEST(HalveMessages, CollectsInFrontOfTheExitBlockGo) {
  const std::string out = After(
      "  %10x4:ud = collect %0:ud _ _ _ {w32}\n"
      "  -> b1\n"
      "block b1 depth 0\n"
      "  msg.target_end %10x4:ud {w32 [target_write last_target 1]}\n",
      HalveMessages, 32);
  EXPECT_EQ(out.find("%10x4:ud = collect"), std::string::npos) << out;
  EXPECT_NE(out.find("mov %0:ud {w16 g16}\n"), std::string::npos) << out;
}

absl::StatusOr<bool> HalveAndSchedule(lir::Function& f, PassContext& context) {
  absl::StatusOr<bool> changed = HalveMessages(f, context);
  lir::schedule::ScheduleBeforeAllocation(MachineOf(Tgl()), &f, {});
  return changed;
}

// The write that says that the pixels of lanes 0 to 15 are done stays after the thread's stores,
// although it could be sent long before: the stores wait for a sample.
TEST(HalveMessages, PixelsAreDoneAfterAllStores) {
  const std::string out = AfterWith(
      "value %16 G 4x4\n",
      absl::StrCat("  %10x4:ud = msg %0:ud {w32 ", Sent(isa::Message::kLdLz, 16), "}\n",
                   "  msg.write %1:ud %10:ud {w32 [untyped_write lanes 16 channels 14]}\n",
                   "  %16x4:ud = collect %0:ud %1:ud %2:ud %0:ud {w32}\n",
                   "  msg.target_end %16x4:ud {w32 [target_write last_target 1]}\n"),
      HalveAndSchedule, 32);
  const size_t done = out.find("msg.target_last ");
  ASSERT_NE(done, std::string::npos) << out;
  EXPECT_LT(out.rfind("msg.write"), done) << out;
  EXPECT_LT(done, out.find("msg.target_end")) << out;
}

TEST(HalveMessages, SixteenLanesStay) {
  const std::string read =
      "  %10x4:ud = msg.read %0:ud {w16 [untyped_read lanes 16 channels 15]}\n";
  EXPECT_EQ(After(read, HalveMessages, 16), read);
}

}  // namespace
}  // namespace kiln::intel
