// Control flow under exec: short forms by text, and random programs in the simulator, lane by lane.

#include <cstring>

#include "core/amd/emit/emit.h"
#include "core/amd/emit/random_flow.h"
#include "core/amd/emit/testing.h"
#include "core/amd/lir/machine.h"
#include "core/lir/print.h"
#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using Strings = std::vector<std::string>;

Strings Lines(std::string_view text, uint8_t width = 32) {
  return testing::Lines(testing::EmitText(text, width));
}

TEST(JumpsTest, IfElse) {
  EXPECT_EQ(
      Lines("block b0 depth 0\nmask_if %mvcc\n-> b1, b2\n"
            "block b1 depth 0\n%v1 = v_copy #0x1\nmask_else\n-> b3\n~> b2\n"
            "block b2 depth 0\n%v1 = v_copy #0x2\nmask_endif\n-> b3\n"
            "block b3 depth 0\nend\n"),
      (Strings{"s_and_saveexec_b32 s103, vcc_lo", "s_cbranch_execz 0 -> 3", "v_mov_b32_e32 v1, 1",
               "s_andn2_b32 exec_lo, s103, exec_lo", "s_cbranch_execz 0 -> 6",
               "v_mov_b32_e32 v1, 2", "s_mov_b32 exec_lo, s103", "s_endpgm"}));
}

TEST(JumpsTest, AnEmptyElseIsNone) {
  EXPECT_EQ(Lines("block b0 depth 0\nmask_if %mvcc {inv}\n-> b1, b2\n"
                  "block b1 depth 0\n%v1 = v_copy #0x1\nmask_else\n-> b3\n~> b2\n"
                  "block b2 depth 0\nmask_endif\n-> b3\n"
                  "block b3 depth 0\nend\n",
                  64),
            (Strings{"s_andn1_saveexec_b64 s[102:103], vcc", "s_cbranch_execz 0 -> 3",
                     "v_mov_b32_e32 v1, 1", "s_mov_b64 exec, s[102:103]", "s_endpgm"}));
}

TEST(JumpsTest, ALoopThatLanesLeave) {
  EXPECT_EQ(Lines("block b0 depth 0\nmask_loop\n-> b1\n"
                  "block b1 depth 1\n%mvcc = v_cmp_lt_u32 %v1 %v2 {[]}\nmask_if %mvcc {aux 2}\n"
                  "-> b2, b4\n"
                  "block b2 depth 1\nmask_break\n-> b5\n~> b3\n"
                  "block b3 depth 1\nmask_endif {aux 2}\n-> b4\n"
                  "block b4 depth 1\n%v1 = v_copy #0x1\nmask_while\n-> b1\n"
                  "block b5 depth 0\nend\n"),
            (Strings{"s_mov_b32 s102, exec_lo", "s_mov_b32 s103, exec_lo",
                     "v_cmp_lt_u32_e32 vcc_lo, v1, v2", "s_andn2_b32 s103, s103, vcc_lo",
                     "s_cbranch_scc0 0 -> 8", "s_mov_b32 exec_lo, s103", "v_mov_b32_e32 v1, 1",
                     "s_branch 0 -> 2", "s_mov_b32 exec_lo, s102", "s_endpgm"}));
}

// Lanes that end, or help from now on; a wave of which none is left goes to the exit block.
TEST(JumpsTest, LanesEndOrHelp) {
  const auto with = [](const std::string& instruction) {
    return Lines("exit_block b1\nblock b0 depth 0\n" + instruction +
                 "\nend\nblock b1 depth 0\nend\n");
  };
  const Strings exit = {"s_endpgm", "s_mov_b32 exec_lo, 0", "s_endpgm"};
  const auto before_exit = [&](Strings lines) {
    lines.insert(lines.end(), exit.begin(), exit.end());
    return lines;
  };
  // No lane is on where this goes.
  EXPECT_EQ(with("end_lanes %m4"), (Strings{"s_andn2_b32 exec_lo, exec_lo, s4",
                                            "s_cbranch_scc0 0 -> 3", "s_endpgm", "s_endpgm"}));
  EXPECT_EQ(
      with("end_lanes %m4 {inv}"),
      (Strings{"s_and_b32 exec_lo, exec_lo, s4", "s_cbranch_scc0 0 -> 3", "s_endpgm", "s_endpgm"}));
  EXPECT_EQ(with("end_lanes %m4 {aux 1}"),
            before_exit({"s_andn2_b32 exec_lo, exec_lo, s4", "s_andn2_b32 s0, s0, s4",
                         "s_cbranch_scc0 0 -> 4"}));
  EXPECT_EQ(with("kill %m4"), before_exit({"s_and_b32 s104, s4, exec_lo",
                                           "s_andn2_b32 s0, s0, s104", "s_cbranch_scc0 0 -> 4"}));
  EXPECT_EQ(with("kill"), before_exit({"s_andn2_b32 s0, s0, exec_lo", "s_cbranch_scc0 0 -> 3"}));
  EXPECT_EQ(testing::EmitLine("end_helpers"), "s_mov_b32 exec_lo, s0");
}

// They leave the slots of all open constructs, behind which there may be none.
TEST(JumpsTest, LanesEndInAnIf) {
  const auto with = [](const char* noted) {
    return Lines(std::string("exit_block b4\nblock b0 depth 0\nmask_if %mvcc\n-> b1, b3\n") +
                 "block b1 depth 0\nmask_end" + noted + "\n~> b3, b4\n" +
                 "block b2 depth 0\nmask_endif\n-> b3\nblock b3 depth 0\nend\n" +
                 "block b4 depth 0\nend\n");
  };
  EXPECT_EQ(with(""),
            (Strings{"s_and_saveexec_b32 s103, vcc_lo", "s_cbranch_execz 0 -> 4",
                     "s_andn2_b32 s103, s103, exec_lo", "s_cbranch_scc0 0 -> 6",
                     "s_mov_b32 exec_lo, s103", "s_endpgm", "s_mov_b32 exec_lo, 0", "s_endpgm"}));
  EXPECT_EQ(with(" {aux 1}"),
            (Strings{"s_and_saveexec_b32 s103, vcc_lo", "s_cbranch_execz 0 -> 5",
                     "s_andn2_b32 s103, s103, exec_lo", "s_andn2_b32 s0, s0, exec_lo",
                     "s_cbranch_scc0 0 -> 7", "s_mov_b32 exec_lo, s103", "s_endpgm",
                     "s_mov_b32 exec_lo, 0", "s_endpgm"}));
}

TEST(JumpsTest, UniformJumps) {
  EXPECT_EQ(Lines("block b0 depth 0\nscc_if %c\n-> b1, b2\n"
                  "block b1 depth 0\n%v1 = v_copy #0x1\njump\n-> b3\n"
                  "block b2 depth 0\n%v1 = v_copy #0x2\n-> b3\n"
                  "block b3 depth 0\nend\n"),
            (Strings{"s_cbranch_scc0 0 -> 3", "v_mov_b32_e32 v1, 1", "s_branch 0 -> 4",
                     "v_mov_b32_e32 v1, 2", "s_endpgm"}));
}

TEST(JumpsTest, AnInverseUniformJump) {
  EXPECT_EQ(Lines("block b0 depth 0\nscc_if %c {inv}\n-> b1, b2\n"
                  "block b1 depth 0\n%v1 = v_copy #0x1\njump\n-> b2\n"
                  "block b2 depth 0\nend\n"),
            (Strings{"s_cbranch_scc1 0 -> 2", "v_mov_b32_e32 v1, 1", "s_endpgm"}));
}

// Behind an if that lanes have left for the next round there may be none.
TEST(JumpsTest, WithoutLanesOnToTheNextRestoringPlace) {
  EXPECT_EQ(
      Lines("block b0 depth 0\nmask_loop\n-> b1\n"
            "block b1 depth 1\nmask_break %m4\n-> b2, b6\n"
            "block b2 depth 1\nmask_if %m6 {aux 2}\n-> b3, b5\n"
            "block b3 depth 1\n%v1 = v_copy #0x1\nmask_continue\n-> b1\n~> b4\n"
            "block b4 depth 1\nmask_endif {aux 2}\n-> b5\n"
            "block b5 depth 1\n%v1 = v_copy #0x2\nmask_while\n-> b1\n"
            "block b6 depth 0\nend\n"),
      (Strings{"s_mov_b32 s102, exec_lo", "s_mov_b32 s103, exec_lo", "s_andn2_b32 s103, s103, s4",
               "s_cbranch_scc0 0 -> 14", "s_mov_b32 exec_lo, s103", "s_and_saveexec_b32 s101, s6",
               "s_cbranch_execz 0 -> 9", "v_mov_b32_e32 v1, 1", "s_andn2_b32 s101, s101, exec_lo",
               "s_mov_b32 exec_lo, s101", "s_cbranch_execz 0 -> 12", "v_mov_b32_e32 v1, 2",
               "s_mov_b32 exec_lo, s103", "s_branch 0 -> 2", "s_mov_b32 exec_lo, s102",
               "s_endpgm"}));
}

TEST(JumpsTest, ErrorsAreNamed) {
  EXPECT_EQ(Lines("block b0 depth 0\nmask_endif\n-> b1\nblock b1 depth 0\nend\n")[0],
            "emission of mask_endif (id 0): it does not belong to the innermost open construct");
  EXPECT_EQ(Lines("block b0 depth 0\nmask_if %mvcc\n-> b1, b1\nblock b1 depth 0\nend\n")[0],
            "emission of mask_if (id 0): it is never closed");
  EXPECT_EQ(Lines("block b0 depth 0\nmask_if %mvcc\n-> b1, b2\n"
                  "block b1 depth 0\njump\n-> b3\n"
                  "block b2 depth 0\nmask_endif\n-> b3\nblock b3 depth 0\nend\n")[0],
            "emission of jump (id 0): a uniform jump into or out of a divergent construct");
}

std::vector<uint32_t> Words(const Binary& binary) {
  // The end of the program is the simulator test's own.
  std::vector<uint32_t> words(binary.instruction_bytes / 4 - 1);
  std::memcpy(words.data(), binary.bytes.data(), 4 * words.size());
  return words;
}

struct Run {
  uint8_t width;
  bool remove;
  int farthest;
};

void Check(uint64_t seed, const Run& run) {
  const testing::RandomFlow flow = testing::MakeRandomFlow(seed, run.width);
  const auto program = Emit(flow.function, {.remove_execz_branches = run.remove});
  ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << program.status();
  const Binary binary = testing::Compile(*program, {.farthest = run.farthest});
  const uint32_t uniform = seed % 4, lanes = seed % 5 == 0 ? run.width : run.width - seed % 7;
  sim::rdna2::TestProgram test{.lanes = run.width, .invocations = lanes, .body = Words(binary)};
  test.push = {uniform, 0x9e3779b1};
  test.options.max_instructions = 2000000;
  const std::vector<uint32_t> got = sim::rdna2::Lanes(test);
  for (uint32_t lane = 0; lane < got.size(); ++lane) {
    ASSERT_EQ(got[lane], flow.Expected(lane, uniform))
        << "seed " << seed << ", lane " << lane << " of " << int{run.width} << "\n"
        << lir::Print(Gfx1030Machine(), flow.function) << ProgramText(*program);
  }
  ASSERT_EQ(got.size(), lanes) << "seed " << seed << "\n" << ProgramText(*program);
}

TEST(JumpsTest, RandomProgramsAgreeLaneByLane) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const uint8_t width = seed % 2 == 0 ? 32 : 64;
    Check(seed, {width, seed % 3 != 0, 32767});
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

// Every branch that goes farther than a few dozen dwords goes over islands.
TEST(JumpsTest, RandomProgramsAgreeWithIslands) {
  for (uint64_t seed = 1000; seed < 1060; ++seed) {
    const uint8_t width = seed % 2 == 0 ? 32 : 64;
    Check(seed, {width, false, 40});
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

}  // namespace
}  // namespace kiln::amd
