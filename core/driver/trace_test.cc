// The timeline of a target is found by its row; the rows' tests are beside their pipelines.
#include "core/driver/trace.h"

#include "gtest/gtest.h"

namespace kiln {
namespace {

TEST(Trace, IsThatOfTheTarget) {
  const std::vector<uint8_t> end = {0x00, 0x00, 0x81, 0xbf};  // s_endpgm
  const absl::StatusOr<Timeline> timeline = Trace(Target::kGfx1030, end);
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  ASSERT_EQ(timeline->instructions.size(), 1u);
  EXPECT_EQ(timeline->instructions[0].text, "s_endpgm");
  EXPECT_EQ(timeline->cycles, 1);
  EXPECT_EQ(Trace(Target::kTgl, end).status(),
            absl::InvalidArgumentError("offset 0: truncated instruction"));
}

TEST(Trace, ModesAreThoseOfTheTarget) {
  ASSERT_EQ(TraceSwitches().size(), 1u);
  const std::string name(TraceSwitches()[0].name);
  EXPECT_TRUE(CheckTrace(Target::kGfx1030, {.switches = {name}}).ok());
  EXPECT_EQ(CheckTrace(Target::kTgl, {.switches = {name}}).message(),
            "--wave64: the timeline of tgl has no such mode");
  const out::LaunchRecord record;
  EXPECT_EQ(CheckTrace(Target::kTgl, {.record = &record}).message(),
            "--launch: the timeline of tgl takes no launch record");
  EXPECT_TRUE(TakesRecords(Target::kGfx1030));
  EXPECT_FALSE(TakesRecords(Target::kTgl));
}

}  // namespace
}  // namespace kiln
