#include "core/sim/rdna2/export.h"

#include "core/sim/rdna2/draw_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using testing::HasSubstr;

TEST(Export, RefusesLanesThatAreAllOff) {
  const auto error = [](const Words& body) {
    return std::string(RunDraw(ProgramOf(body)).status().message());
  };
  EXPECT_THAT(error(Joined({kNoLanes, kExportV2, kEndProgram})), HasSubstr("while no lane is on"));
  // exp null done vm: none is left, which this program's state does not allow.
  EXPECT_THAT(error(Joined({kNoLanes, {0xf8001890, 0x00000000}, kEndProgram})),
              HasSubstr("state says that none is killed"));
}

TEST(Export, RefusesComputePrograms) {
  TestProgram p;
  p.body = kExportV2;
  EXPECT_THAT(std::string(ErrorOf(p).message()), HasSubstr("in a compute program"));
}

TEST(Export, ReadsEnabledChannels) {
  WaveState wave;
  wave.vector.resize(4);
  for (uint32_t r = 0; r < 4; ++r) wave.vector[r][1] = 10 + r;
  const auto dwords = [&](uint32_t first, uint32_t second) {
    const uint32_t words[] = {first, second};
    auto program = Load({reinterpret_cast<const uint8_t*>(words), 8}, isa::Wave::k32);
    EXPECT_TRUE(program.ok());
    return ExportedDwords(program->ops[0], wave, 1);
  };
  EXPECT_THAT(dwords(0xf800000f, 0x03020100), testing::ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(dwords(0xf8000005, 0x03020100), testing::ElementsAre(10, 0, 12, 0));
  EXPECT_THAT(dwords(0xf800040f, 0x00000302), testing::ElementsAre(12, 13, 0, 0));
  EXPECT_THAT(dwords(0xf800040c, 0x00000302), testing::ElementsAre(0, 13, 0, 0));
}

// The wait is a rule of the scoreboard.
TEST(Export, SourcesAndExecStayUntilItHasReadThem) {
  // exp mrt0 v2 (not the last); v_mov_b32 v2; wait; the last export of mrt1
  const Words first = {0xf800000f, 0x02020202}, last = {0xf800181f, 0x03030303};
  const Words wait = {0xbf8cff0f}, all = {0xbefe03c1};
  const auto error = [&](std::initializer_list<Words> between) {
    FragmentProgram p = ProgramOf(Joined({kOne, kTwo, first, Joined(between), last, kEndProgram}));
    out::AmdFragment& f = std::get<out::AmdLaunch>(p.record.arch).fragment;
    f.spi_shader_col_format = 0x99;
    f.cb_shader_mask = 0xff;
    const auto draw = RunDraw(p);
    return std::string(draw.status().message());
  };
  EXPECT_EQ(error({}), "");
  EXPECT_THAT(error({kOne}), HasSubstr("overwrites a source, unread yet, v2"));
  EXPECT_EQ(error({wait, kOne}), "");
  EXPECT_THAT(error({all}), HasSubstr("overwrites a source, unread yet, scalar register 126"));
}

}  // namespace
}  // namespace kiln::sim::rdna2
