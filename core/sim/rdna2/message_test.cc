#include "core/sim/rdna2/message.h"

#include <utility>

#include "core/sim/rdna2/draw_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using testing::HasSubstr;

const Words kSend = {0xbf900009};  // s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)

// Returns the error of the standard program with other words before its first export.
std::string ErrorWith(const Words& begin) {
  const Words rest = Joined({kPackPrimitives, kExportPrimitives, kWaitExports, kShadeVertices,
                             kExportPosition, kExportParameter, kEndProgram});
  auto run = RunVertices(VertexProgramOf(Joined({begin, rest})));
  return std::string(run.status().message());
}

TEST(Message, RequestsRoomOnce) {
  EXPECT_EQ(ErrorWith(kRequest), "");
  EXPECT_THAT(ErrorWith(Joined({kRequest, kRequest})), HasSubstr("a second request of room"));
}

TEST(Message, IsOfTheFirstWave) {
  Words of_all = kRequest;
  of_all[2] = 0xbf800000;  // s_nop instead of the branch
  EXPECT_THAT(ErrorWith(of_all), HasSubstr("not of the first wave"));
}

TEST(Message, AsksForNoMoreThanThereIs) {
  Words more = kRequest;
  // s_movk_i32 m0, 0x7ff instead of s_or_b32: 2047 vertices
  more[8] = 0xb07c07ff;
  EXPECT_THAT(ErrorWith(more), HasSubstr("more room than the workgroup has"));
}

TEST(Message, RefusesOthers) {
  TestProgram compute;
  compute.body = kSend;
  EXPECT_THAT(std::string(ErrorOf(compute).message()), HasSubstr("not in a vertex program"));
  compute.body = {0xbf900001};  // MSG_INTERRUPT
  EXPECT_EQ(ErrorOf(compute).code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace kiln::sim::rdna2
