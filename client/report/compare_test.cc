#include "client/report/compare.h"

#include "client/report/testing.h"
#include "gtest/gtest.h"

namespace kiln::client::report {
namespace {

Numbers With(int64_t instructions, int64_t loops = 0, int64_t spills = 0, int64_t waves = -1) {
  Numbers n = NoNumbers();
  n[kInstructions] = instructions;
  n[kSpills] = spills;
  n[kLoops] = loops;
  n[kWaves] = waves;
  return n;
}

Report Compare(const ResultSet& before, const ResultSet& after) {
  return report::Compare(before, after, Kinds());
}

void Add(ResultSet* set, const std::string& file, const Numbers& simd8) {
  set->results[{file, "tgl"}] = {"ok", "", {{"SIMD8", simd8}}};
}

const StatisticReport& Find(const Report& report, const std::string& name) {
  for (const StatisticReport& s : report.statistics) {
    if (s.name == name) return s;
  }
  ADD_FAILURE() << name;
  static const StatisticReport none;
  return none;
}

TEST(Compare, CountsHelpedHurtAndTotals) {
  ResultSet before, after;
  Add(&before, "a", With(100)), Add(&after, "a", With(90));
  Add(&before, "b", With(50)), Add(&after, "b", With(55));
  Add(&before, "c", With(10)), Add(&after, "c", With(10));
  const Report report = Compare(before, after);
  const StatisticReport& s = Find(report, "instructions");
  EXPECT_EQ(s.total_before, 160);
  EXPECT_EQ(s.total_after, 155);
  EXPECT_EQ(s.affected_before, 150);
  EXPECT_EQ(s.helped.count, 1);
  EXPECT_EQ(s.hurt.count, 1);
  EXPECT_EQ(s.helped.absolute.mean, -10);
  EXPECT_EQ(s.hurt.relative.mean, 0.1);
  // Changes -10 and +5: the interval spans zero.
  EXPECT_EQ(s.verdict, Verdict::kInconclusive);
  EXPECT_EQ(s.worst[0].shader, "b tgl SIMD8");
  EXPECT_EQ(Find(report, "spills").verdict, Verdict::kUnchanged);
}

void AddWidths(ResultSet* set, const std::string& options, const std::string& widths,
               const std::string& variant, int64_t instructions) {
  const Permutation permutation = {"", options, widths};
  set->results[{"a", "tgl", "main", "compute", permutation}] = {
      "ok", "", {{variant, With(instructions)}}};
}

TEST(Compare, WidthsKeepResultsApart) {
  ResultSet before, after;
  for (ResultSet* set : {&before, &after}) {
    const int64_t more = set == &after ? 1 : 0;
    AddWidths(set, "A=1", "8", "SIMD8", 10 + more);
    AddWidths(set, "A=1", "16", "SIMD16", 20 + more);
    AddWidths(set, "A=2", "", "SIMD8", 30 + more);
  }
  const Report report = Compare(before, after);
  EXPECT_EQ(Find(report, "instructions").total_before, 60);
  EXPECT_EQ(Find(report, "instructions").total_after, 63);
  EXPECT_EQ(Find(report, "instructions").worst[0].shader, "a [A=1; widths 8] tgl SIMD8");
}

TEST(Compare, ResultsOfOtherWidthsAreJoinedIfNothingElseDiffers) {
  ResultSet before, after;
  AddWidths(&before, "A=1", "", "SIMD8", 10);
  AddWidths(&before, "A=2", "", "SIMD8", 20);
  AddWidths(&after, "A=1", "8", "SIMD8", 11);
  AddWidths(&after, "A=2", "8", "SIMD8", 22);
  const Report report = Compare(before, after);
  EXPECT_EQ(Find(report, "instructions").total_before, 30);
  EXPECT_EQ(Find(report, "instructions").total_after, 33);
}

TEST(Compare, VerdictsFollowTheIntervals) {
  ResultSet before, better, worse;
  for (int i = 0; i < 5; ++i) {
    const std::string file(1, static_cast<char>('a' + i));
    Add(&before, file, With(100, 0, 0, 8));
    Add(&better, file, With(90 - i, 0, 0, 10));
    Add(&worse, file, With(110 + i, 0, 0, 4));
  }
  EXPECT_EQ(Find(Compare(before, better), "instructions").verdict, Verdict::kHelped);
  EXPECT_EQ(Find(Compare(before, worse), "instructions").verdict, Verdict::kHurt);
  // More waves are better.
  EXPECT_EQ(Find(Compare(before, better), "waves").verdict, Verdict::kHelped);
  EXPECT_EQ(Find(Compare(before, worse), "waves").verdict, Verdict::kHurt);
}

TEST(Compare, AStatisticWithoutADirectionIsNotJudged) {
  ResultSet before, after;
  for (const int64_t form : {1, 2, 3}) {
    Numbers n = With(10);
    n[kForm] = form;
    Add(&before, std::to_string(form), n);
    n[kForm] = 3;
    Add(&after, std::to_string(form), n);
  }
  const Report report = Compare(before, after);
  const StatisticReport& s = Find(report, "form");
  EXPECT_EQ(s.verdict, Verdict::kChanged);
  EXPECT_EQ(s.affected(), 2);
  EXPECT_EQ(s.changed.count, 2);
  EXPECT_EQ(s.helped.count + s.hurt.count, 0);
  EXPECT_EQ(s.other[0].shader, "1 tgl SIMD8");
  for (const auto& [name, total] : report.folders.at(".")) {
    EXPECT_EQ(total.helped + total.hurt, 0) << name;
    if (name == "form") {
      EXPECT_EQ(total.after - total.before, 3);
    }
  }
}

// Absolute says better, relative says worse: a big shader gains as much as small ones lose.
TEST(Compare, DisagreeingIntervalsAreInconclusive) {
  ResultSet before, after;
  Add(&before, "x", With(1000)), Add(&after, "x", With(990));
  Add(&before, "y", With(1000)), Add(&after, "y", With(990));
  Add(&before, "z", With(1)), Add(&after, "z", With(2));
  EXPECT_EQ(Find(Compare(before, after), "instructions").verdict, Verdict::kInconclusive);
}

TEST(Compare, FromZeroCountsAsAHundredPercent) {
  EXPECT_EQ((Change{"", 0, 7}).Relative(), 1);
  EXPECT_EQ((Change{"", 0, 0}).Relative(), 0);
}

TEST(Compare, ChangedLoopsAreListedApart) {
  ResultSet before, after;
  Add(&before, "a", With(10, 1)), Add(&after, "a", With(400, 0));
  Add(&before, "b", With(10, 1)), Add(&after, "b", With(11, 1));
  const Report report = Compare(before, after);
  ASSERT_EQ(report.loops_changed.size(), 1u);
  EXPECT_EQ(report.loops_changed[0].shader, "a tgl SIMD8");
  EXPECT_EQ(Find(report, "instructions").total_after, 11);
}

TEST(Compare, ChangedLoopsHaveTotalsOfTheirOwn) {
  ResultSet before, after;
  Add(&before, "x/a", With(10, 1)), Add(&after, "x/a", With(400, 0));
  Add(&before, "x/b", With(20, 0)), Add(&after, "x/b", With(30, 2));
  Add(&before, "y/c", With(10, 1)), Add(&after, "y/c", With(11, 1));
  const Report report = Compare(before, after);
  ASSERT_FALSE(report.loops_changed_statistics.empty());
  const StatisticReport& s = report.loops_changed_statistics[0];
  EXPECT_EQ(s.name, "instructions");
  EXPECT_EQ(s.total_before, 30);
  EXPECT_EQ(s.total_after, 430);
  EXPECT_EQ(s.hurt.count, 2);
  EXPECT_EQ(Find(report, "loops").total_before, 2);
  EXPECT_EQ(Find(report, "loops").total_after, 3);
  EXPECT_EQ(Find(report, "loops").hurt.count, 1);
  // Folders count only the variants that are compared.
  EXPECT_EQ(report.folders.count("x"), 0u);
  const auto& [name, total] = report.folders.at("y")[0];
  EXPECT_EQ(name, "instructions");
  EXPECT_EQ(total.after, 11);
  EXPECT_EQ(total.hurt, 1);
}

TEST(Compare, AllAffectedAreKept) {
  ResultSet before, after;
  for (int i = 0; i < 40; ++i) {
    Add(&before, std::to_string(i), With(100));
    Add(&after, std::to_string(i), With(101 + i));
  }
  const Report report = Compare(before, after);
  EXPECT_EQ(Find(report, "instructions").worst.size(), 40u);
  EXPECT_EQ(Find(report, "instructions").worst[0].shader, "39 tgl SIMD8");
}

TEST(Compare, CompileTimeIsOfModulesThatBothCompiled) {
  ResultSet before, after;
  Add(&before, "a", With(1)), Add(&after, "a", With(1));
  before.results[{"a", "tgl"}].compile_us = 2000;
  after.results[{"a", "tgl"}].compile_us = 3000;
  before.results[{"b", "tgl"}] = {"refused", "images", {}, 700};
  after.results[{"b", "tgl"}] = {"ok", "", {}, 900};
  const Report report = Compare(before, after);
  const StatisticReport& s = Find(report, "compile_us");
  EXPECT_EQ(s.compared, 1);
  EXPECT_EQ(s.total_after, 3000);
  EXPECT_EQ(s.worst[0].shader, "a tgl");
}

TEST(Compare, LostAndGainedArePerVariant) {
  ResultSet before, after;
  before.results[{"a", "tgl"}] = {"ok", "", {{"SIMD8", With(1)}, {"SIMD16", With(1)}}};
  after.results[{"a", "tgl"}] = {"ok", "", {{"SIMD8", With(1)}, {"SIMD32", With(1)}}};
  before.results[{"b", "tgl"}] = {"ok", "", {{"SIMD8", With(1)}}};
  after.results[{"b", "tgl"}] = {"refused", "images", {}};
  before.results[{"only", "tgl"}] = {"ok", "", {{"SIMD8", With(1)}}};
  const Report report = Compare(before, after);
  EXPECT_EQ(report.Lost(), 2);
  EXPECT_EQ(report.lost.at("SIMD16"), std::vector<std::string>{"a tgl"});
  EXPECT_EQ(report.lost.at("SIMD8"), std::vector<std::string>{"b tgl"});
  EXPECT_EQ(report.gained.at("SIMD32"), std::vector<std::string>{"a tgl"});
  EXPECT_EQ(report.only_before, 1);
  EXPECT_EQ(report.status_changed, std::vector<std::string>{"b tgl: ok -> refused (images)"});
}

Result Ok(int64_t instructions) { return {"ok", "", {{"SIMD8", With(instructions)}}}; }

TEST(Compare, EntryPointsOfAFileAreComparedEach) {
  ResultSet before, after;
  before.results[{"lib.spv", "tgl", "blur", "compute"}] = Ok(10);
  before.results[{"lib.spv", "tgl", "scan", "compute"}] = Ok(20);
  before.results[{"lib.spv", "tgl", "main", "vertex"}] = {"refused", "unsupported_stage", {}};
  after.results[{"lib.spv", "tgl", "scan", "compute"}] = Ok(21);
  after.results[{"lib.spv", "tgl", "blur", "compute"}] = Ok(10);
  after.results[{"lib.spv", "tgl", "main", "fragment"}] = {"refused", "unsupported_stage", {}};
  const Report report = Compare(before, after);
  EXPECT_EQ(report.compared, 2);
  EXPECT_EQ(report.only_before, 1);
  EXPECT_EQ(report.only_after, 1);
  ASSERT_EQ(Find(report, "instructions").worst.size(), 1u);
  EXPECT_EQ(Find(report, "instructions").worst[0].shader, "lib.spv (scan) tgl SIMD8");
}

// Results older than "entry": refused ones do not name their entry point.
TEST(Compare, ResultsWithoutEntryPointsStillJoin) {
  ResultSet before, after;
  before.results[{"a.spv", "tgl"}] = {"refused", "images", {}};
  after.results[{"a.spv", "tgl", "main", "compute"}] = Ok(10);
  // If there are several, the one of its stage is chosen.
  before.results[{"b.spv", "tgl", "", "compute"}] = Ok(10);
  after.results[{"b.spv", "tgl", "main", "vertex"}] = {"refused", "unsupported_stage", {}};
  after.results[{"b.spv", "tgl", "main", "compute"}] = Ok(12);
  // Nothing says which.
  before.results[{"c.spv", "tgl"}] = {"invalid", "invalid_module", {}};
  after.results[{"c.spv", "tgl", "x", "compute"}] = Ok(1);
  after.results[{"c.spv", "tgl", "y", "compute"}] = Ok(1);
  const Report report = Compare(before, after);
  EXPECT_EQ(report.status_changed, std::vector<std::string>{"a.spv tgl: refused (images) -> ok"});
  EXPECT_EQ(Find(report, "instructions").worst[0].shader, "b.spv (main) tgl SIMD8");
  EXPECT_EQ(report.only_before, 1);
  EXPECT_EQ(report.only_after, 3);
}

ResultKey Key(const std::string& name, const std::string& options) {
  return {"uber.frag", "tgl", "main", "fragment", Permutation{name, options}};
}

TEST(Compare, PermutationsAreComparedEach) {
  ResultSet before, after;
  for (int i = 0; i < 200; ++i) {
    before.results[Key("", "N=" + std::to_string(i))] = Ok(100);
    after.results[Key("", "N=" + std::to_string(i))] = Ok(100 + i % 2);
  }
  before.results[Key("", "OLD")] = Ok(7);
  after.results[Key("", "NEW")] = Ok(9);
  const Report report = Compare(before, after);
  EXPECT_EQ(report.compared, 200);
  EXPECT_EQ(Find(report, "instructions").hurt.count, 100);
  EXPECT_EQ(Find(report, "instructions").worst[0].shader, "uber.frag [N=1] tgl SIMD8");
  EXPECT_EQ(report.only_before, 1);
  EXPECT_EQ(report.only_after, 1);
}

TEST(Compare, ANamedPermutationMayHaveOtherOptions) {
  ResultSet before, after;
  before.results[Key("lit", "A=1")] = Ok(10);
  before.results[Key("unlit", "A=0")] = Ok(10);
  after.results[Key("lit", "A=1 FAST")] = Ok(8);
  after.results[Key("unlit", "A=0")] = Ok(10);
  // The same name twice: the two cannot be told apart.
  before.results[Key("x", "B=1")] = Ok(1);
  before.results[Key("x", "B=2")] = Ok(1);
  after.results[Key("x", "B=3")] = Ok(1);
  const Report report = Compare(before, after);
  EXPECT_EQ(report.compared, 2);
  EXPECT_EQ(Find(report, "instructions").best[0].shader, "uber.frag [lit] tgl SIMD8");
  EXPECT_EQ(report.only_before, 2);
  EXPECT_EQ(report.only_after, 1);
}

TEST(Compare, OptionsOfTwoBatchesMayDiffer) {
  ResultSet before, after;
  before.results[Key("", "OLD")] = Ok(10);
  after.results[Key("", "NEW")] = Ok(9);
  EXPECT_EQ(Compare(before, after).compared, 1);
  // A set without permutations in its keys, and one that has two.
  ResultSet silent;
  silent.results[{"uber.frag", "tgl", "main", "fragment"}] = Ok(10);
  EXPECT_EQ(Compare(silent, after).compared, 1);
  after.results[Key("", "NEWER")] = Ok(9);
  EXPECT_EQ(Compare(silent, after).compared, 0);
}

}  // namespace
}  // namespace kiln::client::report
