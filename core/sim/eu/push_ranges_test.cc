// Push constants of graphics stages: tests each limit from both sides.
#include "core/sim/eu/push_ranges.h"

#include "core/sim/eu/vertex_testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using out::LaunchRecord;
using out::PushPart;
using out::PushSource;

PushPart Part(PushSource source) { return {0, 32, source}; }

LaunchRecord With(const std::vector<PushPart>& push, uint32_t registers) {
  LaunchRecord record;
  record.push = push;
  out::IntelLaunch& intel = record.arch.emplace<out::IntelLaunch>();
  intel.push_first_register = 2;
  intel.push_registers = registers;
  return record;
}

TEST(PushRanges, NoConstantsAtAll) { EXPECT_TRUE(CheckPushedRanges(With({}, 0)).ok()); }

TEST(PushRanges, FourPiecesOfBuffersOrThreeAndTheBlock) {
  for (const PushSource source : {PushSource::kUbo, PushSource::kDescriptorMemory}) {
    std::vector<PushPart> push(4, Part(source));
    EXPECT_TRUE(CheckPushedRanges(With(push, 4)).ok());
    push.push_back(Part(source));
    ExpectRefusal(CheckPushedRanges(With(push, 5)), "5 ranges");
    push.resize(3);
    push.push_back(Part(PushSource::kClientPushConstants));
    EXPECT_TRUE(CheckPushedRanges(With(push, 4)).ok());
    push.push_back(Part(source));
    ExpectRefusal(CheckPushedRanges(With(push, 5)), "5 ranges");
  }
}

// Constants next to the client's are delivered with them, in one range.
TEST(PushRanges, AllThatIsNoBufferIsOneRange) {
  std::vector<PushPart> push;
  for (const PushSource source :
       {PushSource::kClientPushConstants, PushSource::kConstantData, PushSource::kBufferAddress,
        PushSource::kDriverInternal, PushSource::kNothing}) {
    push.push_back(Part(source));
  }
  push.resize(push.size() + 3, Part(PushSource::kUbo));
  EXPECT_TRUE(CheckPushedRanges(With(push, 8)).ok());
  push.push_back(Part(PushSource::kDescriptorMemory));
  ExpectRefusal(CheckPushedRanges(With(push, 9)), "5 ranges");
}

TEST(PushRanges, SixtyFourRegisters) {
  const std::vector<PushPart> push = {Part(PushSource::kClientPushConstants)};
  EXPECT_TRUE(CheckPushedRanges(With(push, 64)).ok());
  ExpectRefusal(CheckPushedRanges(With(push, 65)), "1 ranges and 65 registers");
}

TEST(PushRanges, PiecesOfBuffersAreWholeRegisters) {
  for (const PushSource source : {PushSource::kUbo, PushSource::kDescriptorMemory}) {
    for (uint32_t PushPart::*const field : {&PushPart::at, &PushPart::bytes, &PushPart::offset}) {
      PushPart part = Part(source);
      part.*field += 32;
      EXPECT_TRUE(CheckPushedRanges(With({part}, 3)).ok());
      part.*field -= 16;
      ExpectRefusal(CheckPushedRanges(With({part}, 3)), "r2 has a piece of a buffer");
    }
  }
}

// The driver copies the client's block in dwords.
TEST(PushRanges, TheBlockHasPartsOfAnySize) {
  EXPECT_TRUE(CheckPushedRanges(With({{4, 12, PushSource::kClientPushConstants, 20}}, 1)).ok());
}

}  // namespace
}  // namespace kiln::sim::eu::testing
