// Tests the instructions in front of a vertex program. tests/exec runs them.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/amd/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

std::string TextOf(uint8_t width, const VertexStart& start) {
  return absl::StrJoin(
      testing::Lines(testing::EmitText("block b0 depth 0\n%v1 = v_copy #0x0\nend\n", width, start)),
      "\n");
}

constexpr char kRequest[] =
    "s_and_b32 s104, s3, 0xf000000\n"
    "s_cbranch_scc1 0 -> 7\n"
    "s_bfe_u32 s104, s2, 0x90016\n"
    "s_lshl_b32 s104, s104, 12\n"
    "s_bfe_u32 s105, s2, 0x9000c\n"
    "s_or_b32 m0, s104, s105\n"
    "s_sendmsg 9\n"
    "s_lshl_b32 s104, s3, 8\n";

TEST(VertexStart, RoomThenPrimitivesThenVertices) {
  EXPECT_EQ(TextOf(32, {2, 3, 0}), absl::StrCat(kRequest,
                                                "s_bfe_u32 exec_lo, -1, s104\n"
                                                "s_cbranch_execz 0 -> 11\n"
                                                "exp prim v0, off, off, off done\n"
                                                "s_pack_ll_b32_b16 s104, 0, s3\n"
                                                "s_bfe_u32 exec_lo, -1, s104\n"
                                                "s_cbranch_execz 0 -> 15\n"
                                                "v_mov_b32_e32 v1, 0\n"
                                                "s_endpgm"));
}

TEST(VertexStart, RequestsOfProgramsThatCull) {
  EXPECT_EQ(absl::StrJoin(testing::Lines(testing::EmitText(
                              "block b0 depth 0\n%s1 = s_copy #0x5\nrequest_room %s1\nend\n")),
                          "\n"),
            "s_mov_b32 s1, 5\ns_mov_b32 m0, s1\ns_sendmsg 9\ns_endpgm");
}

TEST(VertexStart, NumbersOfPrimitivesGoWithThem) {
  VertexStart start = {2, 3, 0};
  start.primitive_id = {2, 5};
  const std::string text = TextOf(64, start);
  EXPECT_NE(text.find("s_bfe_u64 exec, -1, s104"), std::string::npos) << text;
  EXPECT_NE(text.find("exp prim v0, off, off, off done\nexp param5 v2, off, off, off\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace kiln::amd
