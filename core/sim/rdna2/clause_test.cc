// Tests clause.h with whole programs: what a clause may have, and that each wave has its own.
#include "core/sim/rdna2/clause.h"

#include <string>

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr uint32_t kClauseOfTwo = 0xbfa10001;       // s_clause 0x1
constexpr uint32_t kWaitForVectors = 0xbf8c3f70;    // s_waitcnt vmcnt(0)
constexpr uint32_t kWaitForScalars = 0xbf8cc07f;    // s_waitcnt lgkmcnt(0)
constexpr uint32_t kAdd = 0x4a020501;               // v_add_nc_u32_e32 v1, v1, v2
const Words kLoads[] = {{0xe0301000, 0x8003011f},   // buffer_load_dword v1, v31, s[12:15], 0 offen
                        {0xe0301004, 0x8003021f}};  // v2, the same, offset:4
const Words kScalarLoads[] = {{0xf4200406, 0xfa000000},   // s_buffer_load_dword s16, s[12:15], 0x0
                              {0xf4200446, 0xfa000004}};  // s17, the same, 0x4
const Words kStore = {0xe0701000, 0x8003001f};    // buffer_store_dword v0, v31, s[12:15], 0 offen
const Words kLdsLoad = {0xd8d80000, 0x0100001f};  // ds_read_b32 v1, v31

Words Joined(std::initializer_list<Words> parts) {
  Words all;
  for (const Words& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TestProgram ProgramOf(Words body, uint32_t invocations = 32) {
  TestProgram p{.lanes = 32, .invocations = invocations, .body = std::move(body), .lds_bytes = 512};
  for (uint32_t i = 0; i <= invocations; ++i) p.input.push_back(100 + i);
  return p;
}

TEST(ClauseTest, LoadsOfOneKindAreAClause) {
  const Words body = Joined({{kClauseOfTwo}, kLoads[0], kLoads[1], {kWaitForVectors, kAdd}});
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 64; ++i) want.push_back(201 + 2 * i);
  EXPECT_EQ(Lanes(ProgramOf(body, 64)), want) << "each wave has a clause of its own";
  // Behind the clause anything may come, another clause too.
  const Words two = Joined({{kClauseOfTwo}, kScalarLoads[0], kScalarLoads[1], body});
  EXPECT_EQ(Lanes(ProgramOf(two, 64)), want);
}

TEST(ClauseTest, NothingElseIsInAClause) {
  const struct {
    const char* what;
    Words second;
  } kCases[] = {
      {"another instruction than of memory", {kWaitForVectors}},
      {"another instruction than of memory", {kClauseOfTwo}},
      {"another instruction than of memory", {kAdd}},
      {"another instruction than of memory", {0xbf820000}},  // s_branch 0
      {"two kinds of memory instructions", kScalarLoads[0]},
      {"two kinds of memory instructions", kStore},
      {"two kinds of memory instructions", kLdsLoad},
  };
  for (const auto& c : kCases) {
    const absl::Status error = ErrorOf(ProgramOf(
        Joined({{kClauseOfTwo}, kLoads[0], c.second, {kWaitForVectors, kWaitForScalars}})));
    EXPECT_NE(error.message().find(c.what), std::string::npos) << error;
  }
}

TEST(ClauseTest, TheFirstInstructionDecidesTheKind) {
  const absl::Status error = ErrorOf(ProgramOf({kClauseOfTwo, kAdd}));
  EXPECT_NE(error.message().find("another instruction than of memory"), std::string::npos) << error;
}

TEST(ClauseTest, EndingInsideIsAnError) {
  const absl::Status error =
      ErrorOf(ProgramOf(Joined({{kClauseOfTwo}, kLoads[0], {0xbf810000}})));  // s_endpgm
  EXPECT_NE(error.message().find("another instruction than of memory"), std::string::npos) << error;
}

}  // namespace
}  // namespace kiln::sim::rdna2
