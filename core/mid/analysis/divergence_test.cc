#include "core/mid/analysis/divergence.h"

#include <string>

#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/generate.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

// One letter a value from %0 on: w, s or d.
std::string Levels(const std::string& body, const std::string& header = "local_size 8, 1, 1",
                   UniformFor use = UniformFor::kLanes) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 " + header + " resource 0 ssbo 0.0.0 resource 1 ubo 0.1.0 private 0 64 body { " +
      body + " return }");
  EXPECT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  const Divergence divergence(*m, use);
  std::string levels;
  for (size_t i = 0; i < m->values.size(); ++i) {
    if (m->values[i].kind == mir::Value::Kind::kConstant) break;
    levels += "wsd"[static_cast<int>(divergence.Of(mir::ValueId(i)))];
  }
  return levels;
}

TEST(Divergence, Sources) {
  EXPECT_EQ(Levels("%0:i32 = local_index %1:i32 = workgroup_id[0] %2:i32 = subgroup_id "
                   "%3:i32 = subgroup_invocation %4:i32 = iadd %1, 1 %5:i32 = iadd %4, %2 "
                   "%6:i32 = iadd %5, %0"),
            "dwsdwsd");
  EXPECT_EQ(Levels("%0:i32 = local_index %1:i32 = subgroup_id", "local_size 1, 1, 1"), "ww");
  EXPECT_EQ(Levels("%0:i32 = launch_scalar[1] %1:i32 = launch_vector[1]"), "sd");
  EXPECT_EQ(Levels("%0:i32, %1:i32 = read_clock[device]", "local_size 8, 1, 1 needs clocks"), "ss");
}

// A letter for each ballot in program order: y if all lanes are active there, else n.
std::string AllLanesAtBallots(const std::string& body) {
  const absl::StatusOr<mir::Module> m =
      mir::Parse("mir 1 local_size 8, 1, 1 resource 0 ssbo 0.0.0 body { " + body + " return }");
  EXPECT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  const Divergence divergence(*m);
  std::string all;
  for (size_t i = 0; i < m->insts.size(); ++i) {
    const mir::InstId id(static_cast<uint32_t>(i));
    if (m->inst(id).op == mir::Op::kBallot) all += divergence.AllLanesAt(id) ? 'y' : 'n';
  }
  return all;
}

TEST(Divergence, WhereAllLanesAreActive) {
  const auto at = [](int n) {
    std::string text;
    for (int i = 0; i < 4; ++i) {
      text += (i == 0 ? "%" : ", %") + std::to_string(90 + 4 * n + i) + ":i32";
    }
    return text + " = ballot true ";
  };
  // Under a condition that lanes have in common, or not; after the if all are active again.
  EXPECT_EQ(AllLanesAtBallots("%0:i32 = local_index %1:i32 = workgroup_id[0] %2:bool = ult %1, 4 "
                              "%3:bool = ult %0, 4 if %2 { " +
                              at(0) + "yield } else { yield } if %3 { " + at(1) +
                              "yield } else { " + at(2) + "yield } " + at(3)),
            "ynny");
  // In a loop that lanes leave one after another, conditions within the iteration do not suffice.
  EXPECT_EQ(AllLanesAtBallots("%0:i32 = local_index loop (%1:i32 = 0) { " + at(0) +
                              "%2:bool = uge %1, %0 if %2 { break } else { yield } " + at(1) +
                              "%3:i32 = iadd %1, 1 continue %3 } " + at(2)),
            "nny");
  // All leave it together; some skip the end of an iteration.
  EXPECT_EQ(AllLanesAtBallots("%0:i32 = local_index %4:bool = ult %0, 4 loop (%1:i32 = 0) { " +
                              at(0) + "%2:bool = uge %1, 5 if %2 { break } else { yield } " +
                              at(1) + "%3:i32 = iadd %1, 1 if %4 { continue %3 } else { yield } " +
                              at(2) + "continue %3 } " + at(3)),
            "yyny");
}

TEST(Divergence, Memory) {
  EXPECT_EQ(Levels("%0:i32 = local_index %1:i32 = load_ubo[1, align 4] 0 "
                   "%2:i32 = load_ubo[1, align 4] %0 %3:i32 = load_ssbo[0, align 4] 0 "
                   "%4:i32 = load_ssbo.volatile[0, align 4] 0 %5:i32 = ssbo_atomic[0, add] 0, 1 "
                   "%6:i32 = ssbo_size[0]"),
            "dwdsddw");
}

TEST(Divergence, PrivateArraysHoldWhatIsStored) {
  EXPECT_EQ(Levels("%0:i32 = load_private[0, align 4] 0 store_private[0, align 4] 4, 7"), "w");
  EXPECT_EQ(Levels("%0:i32 = local_index %1:i32 = load_private[0, align 4] 0 "
                   "store_private[0, align 4] 4, %0"),
            "dd");
  EXPECT_EQ(Levels("%0:i32 = local_index %1:bool = ult %0, 4 if %1 { "
                   "store_private[0, align 4] 4, 7 yield } else { yield } "
                   "%2:i32 = load_private[0, align 4] 0"),
            "ddd");
  // Stored by the lanes still in the loop.
  EXPECT_EQ(
      Levels("%0:i32 = local_index loop (%1:i32 = 0) { %2:bool = uge %1, %0 if %2 { break } "
             "else { yield } store_private[0, align 4] 4, 7 %3:i32 = iadd %1, 1 continue %3 } "
             "%4:i32 = load_private[0, align 4] 0"),
      "dwdwd");
}

TEST(Divergence, IfResults) {
  EXPECT_EQ(Levels("%0:i32 = local_index %1:bool = ult %0, 4 %2:i32 = workgroup_id[0] "
                   "%3:i32, %4:i32, %5:i32 = if %1 { yield 1, %2, %0 } else { yield 2, %2, %0 }"),
            "ddwdwd");
  EXPECT_EQ(Levels("%0:i32 = workgroup_id[0] %1:bool = ult %0, 4 "
                   "%2:i32 = if %1 { yield 1 } else { yield 2 }"),
            "www");
}

// All lanes leave together: everything stays uniform.
TEST(Divergence, UniformLoop) {
  EXPECT_EQ(Levels("%0:i32 = workgroup_id[0] %1:i32 = loop (%2:i32 = 0) { %3:bool = uge %2, %0 "
                   "if %3 { break %2 } else { yield } %4:i32 = iadd %2, 1 continue %4 }"),
            "wwwww");
}

// Lanes leave in different iterations: the counter is uniform inside, its last value is not.
TEST(Divergence, DivergentExit) {
  EXPECT_EQ(Levels("%0:i32 = local_index %1:i32, %2:i32 = loop (%3:i32 = 0) { "
                   "%4:bool = uge %3, %0 if %4 { break %3, 7 } else { yield } "
                   "%5:i32 = iadd %3, 1 continue %5 }"),
            "ddwwdw");
}

// The break is uniform by itself, but lanes that continued early are still inside.
TEST(Divergence, ContinueMakesLaterBreaksDivergent) {
  EXPECT_EQ(Levels("%0:i32 = local_index %1:i32 = loop (%2:i32 = 0) { %3:i32 = iadd %2, 1 "
                   "%4:bool = ult %2, %0 if %4 { continue %3 } else { yield } break %2 }"),
            "ddwwd");
  // Two continues with different values choose the parameter by a divergent condition.
  EXPECT_EQ(Levels("%0:i32 = local_index loop (%1:i32 = 0) { %2:i32 = iadd %1, 1 "
                   "%3:bool = ult %1, %0 if %3 { continue %2 } else { yield } "
                   "%4:bool = uge %1, 9 if %4 { break } else { yield } "
                   "%5:i32 = iadd %1, 2 continue %5 }"),
            "ddddd"
            "d");
}

TEST(Divergence, ValuesThatBecomeDivergentThroughTheBackEdge) {
  EXPECT_EQ(Levels("%0:i32 = local_index loop (%1:i32 = 0, %2:i32 = 0, %3:i32 = 0) { "
                   "%4:bool = uge %1, 4 if %4 { break } else { yield } %5:i32 = iadd %1, 1 "
                   "continue %5, %3, %0 }"),
            "dwddww");
}

std::string OneRegister(const std::string& body) {
  return Levels(body, "local_size 8, 1, 1", UniformFor::kOneRegister);
}

// A value that a thread with all lanes inactive could overwrite does not qualify for one register.
TEST(Divergence, OneRegister) {
  EXPECT_EQ(OneRegister("%0:i32 = workgroup_id[0] %1:bool = ult %0, 4 "
                        "%2:i32 = if %1 { yield 1 } else { yield 1 } %3:i32 = iadd %0, 1"),
            "wwdw");
  // One continue, the end of the body: the parameter is written by every lane still inside.
  EXPECT_EQ(OneRegister("%0:i32 = local_index %1:i32 = loop (%2:i32 = 0) { %3:bool = uge %2, %0 "
                        "if %3 { break %2 } else { yield } %4:i32 = iadd %2, 1 continue %4 }"),
            "ddwdw");
  EXPECT_EQ(OneRegister("%0:i32 = workgroup_id[0] loop (%1:i32 = 0) { %2:i32 = iadd %1, 1 "
                        "%3:bool = ult %1, %0 if %3 { continue %2 } else { yield } break }"),
            "wddd");
  EXPECT_EQ(OneRegister("%0:i32 = load_private[0, align 4] 0"), "d");
  EXPECT_EQ(Levels("%0:i32 = local_index", "local_size 1, 1, 1", UniformFor::kOneRegister), "d");
}

// A chain through more parameters than there are iterations: declared divergent, not wrong.
// A result is uniform in one register only if all lanes come together: lanes that wait would see it
// written again, even with the same value.
TEST(Divergence, ScalarRegister) {
  const auto levels = [](const std::string& body) {
    return Levels(body, "local_size 8, 1, 1", UniformFor::kScalarRegister);
  };
  const std::string choose = " %2:i32 = if %1 { yield 1 } else { yield 1 }";
  EXPECT_EQ(levels("%0:i32 = workgroup_id[0] %1:bool = ult %0, 4" + choose), "www");
  EXPECT_EQ(levels("%0:i32 = local_index %1:bool = ult %0, 4" + choose), "ddd");
  const std::string leave =
      " %1:i32 = loop (%2:i32 = 0) { %3:bool = uge %2, %0 if %3 { break 7 } else { yield } "
      "%4:i32 = iadd %2, 1 continue %4 }";
  EXPECT_EQ(levels("%0:i32 = workgroup_id[0]" + leave), "wwwww");
  EXPECT_EQ(levels("%0:i32 = local_index" + leave), "ddwdw");
}

TEST(Divergence, LongChainsAreGivenUp) {
  std::string params, next = "%0", body;
  const int n = 40;
  for (int i = 1; i <= n; ++i) params += ", %" + std::to_string(i) + ":i32 = 0";
  for (int i = n; i > 1; --i) next += ", %" + std::to_string(i);
  // Parameter 1 takes the lane, each other the one after it: the last rises after n iterations.
  std::string text = "%0:i32 = local_index loop (" + params.substr(2) + ") { ";
  std::string values = "%2";
  for (int i = 3; i <= n; ++i) values += ", %" + std::to_string(i);
  text += "continue " + values + ", %0 } unreachable";
  for (const bool lane : {true, false}) {
    if (!lane) text.replace(text.find("local_index"), 11, "imul 1, 2");
    const absl::StatusOr<mir::Module> m =
        mir::Parse("mir 1 local_size 8, 1, 1 body { " + text + " }");
    ASSERT_TRUE(m.ok()) << m.status();
    const Divergence divergence(*m);
    for (int i = 0; i <= n; ++i) EXPECT_EQ(divergence.Uniform(mir::ValueId(i)), !lane) << i;
  }
}

// On random modules, every value that the analysis calls uniform is equal in all active lanes.
class Watch : public oracle::InterpObserver {
 public:
  Watch(const mir::Module& module, uint32_t subgroup)
      : m_(module), divergence_(module), subgroup_(subgroup) {}

  void OnValue(mir::ValueId v, const BitSet& active, absl::Span<const uint64_t> lanes) override {
    const Uniformity level = divergence_.Of(v);
    ++seen;
    if (level == Uniformity::kDivergent) return;
    ++uniform;
    uint32_t first = mir::ValueId::kNone;
    active.for_each([&](size_t lane) {
      const bool compare = first != mir::ValueId::kNone && (level == Uniformity::kWorkgroup ||
                                                            first / subgroup_ == lane / subgroup_);
      if (compare && lanes[first] != lanes[lane]) ++wrong;
      first = static_cast<uint32_t>(lane);
    });
    if (wrong != 0 && culprit.empty()) culprit = mir::PrintValue(m_, v);
  }

  int64_t seen = 0, uniform = 0, wrong = 0;
  std::string culprit;

 private:
  const mir::Module& m_;
  const Divergence divergence_;
  const uint32_t subgroup_;
};

TEST(Divergence, RandomModulesKeepWhatIsPromised) {
  int64_t seen = 0, uniform = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const mir::Module m = oracle::GenerateModule(seed, {.instructions = 80});
    oracle::LaunchInputs inputs = oracle::GenerateInputs(seed, m);
    inputs.subgroup_size = 8;
    Watch watch(m, 8);
    inputs.observer = &watch;
    ASSERT_TRUE(oracle::Interpret(m, inputs).ok());
    ASSERT_EQ(watch.wrong, 0) << "seed " << seed << " " << watch.culprit << "\n" << mir::Print(m);
    seen += watch.seen;
    uniform += watch.uniform;
  }
  // The test would be empty if the analysis declared everything divergent.
  EXPECT_GT(uniform, seen / 10);
}

}  // namespace
}  // namespace kiln::mid
