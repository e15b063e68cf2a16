// The runner on a toy IR: a string that passes append letters to.
#include "core/base/pass.h"

#include <atomic>

#include "core/base/cause.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Toy {
  std::string text;
};

// Replaces each letter by its successor up to 'd', one rewrite each.
absl::StatusOr<bool> Climb(Toy& toy, PassContext& context) {
  bool changed = false;
  for (char& c : toy.text) {
    if (c >= 'd' || !context.Rewrite()) continue;
    ++c;
    changed = true;
  }
  return changed;
}
absl::StatusOr<bool> Drop(Toy& toy, PassContext& context) {
  const size_t at = toy.text.find('d');
  if (at == toy.text.npos || !context.Rewrite()) return false;
  toy.text.erase(at, 1);
  context.Remark("dropped", 7, "one d");
  context.set_max_live(3);
  return true;
}
absl::StatusOr<bool> Lower(Toy& toy, PassContext& context) {
  if (!context.Rewrite()) return absl::InternalError("required passes are never limited");
  toy.text += "L";
  return true;
}
absl::StatusOr<bool> Fails(Toy&, PassContext&) {
  return WithForeignCause(absl::UnimplementedError("no"), "images");
}
absl::StatusOr<bool> Spoil(Toy& toy, PassContext&) {
  toy.text = "!";
  return true;
}

constexpr Pass<Toy> kTable[] = {
    {.name = "climb", .run = Climb, .optional = true, .group = 1},
    {.name = "drop", .run = Drop, .optional = true, .group = 1},
    {.name = "lower", .run = Lower},
};
constexpr Level<Toy> kLevel = {
    .name = "toy",
    .print = [](const Toy& t) { return t.text; },
    .verify =
        [](const Toy& t) {
          return t.text == "!" ? absl::InternalError("spoilt") : absl::OkStatus();
        },
    .count = [](const Toy& t) { return static_cast<int64_t>(t.text.size()); },
};

struct Recorder : Sink {
  void OnPassBegin(std::string_view pass) override { begun.push_back(std::string(pass)); }
  void OnPass(const PassRecord& r) override { records.push_back(r); }
  void OnRemark(const Remark& r) override { remarks.push_back(r); }
  void OnSnapshot(std::string_view pass, const std::string& text) override {
    snapshots.push_back(std::string(pass) + "=" + text);
  }
  std::vector<std::string> begun;
  std::vector<PassRecord> records;
  std::vector<Remark> remarks;
  std::vector<std::string> snapshots;
};

struct Outcome {
  absl::Status status;
  std::string text;
  Recorder recorder;
  bool stopped = false;
  int64_t rewrites = 0;
};

Outcome RunToy(const PassOptions& options, absl::Span<const Pass<Toy>> table = kTable,
               const Budget& budget = Budget()) {
  Outcome out;
  Toy toy{"ab"};
  Runner runner(options, &out.recorder, budget);
  runner.set_width(16);
  out.status = runner.Run(kLevel, table, toy);
  out.text = toy.text;
  out.stopped = runner.stopped();
  out.rewrites = runner.rewrites();
  return out;
}

TEST(Pass, GroupRepeatsUntilNothingChanges) {
  const Outcome out = RunToy({});
  EXPECT_EQ(out.status, absl::OkStatus());
  // ab -> bc -> cd, drop -> c -> d, drop -> "": then both are idle once.
  EXPECT_THAT(out.recorder.begun, ElementsAre("climb", "drop", "climb", "drop", "climb", "drop",
                                              "climb", "drop", "lower"));
  EXPECT_EQ(out.text, "L");
}

TEST(Pass, AGroupThatWouldChangeNothingMoreIsSettled) {
  const auto settled = [](const PassOptions& options, const std::string& text) {
    Toy toy{text};
    const Budget budget;
    Runner runner(options, nullptr, budget);
    EXPECT_EQ(runner.Run(kLevel, absl::MakeConstSpan(kTable, 2), toy), absl::OkStatus());
    return runner.settled();
  };
  EXPECT_TRUE(settled({}, "ab"));
  // More changes than the iterations of a group.
  EXPECT_FALSE(settled({}, "aaaaaaaa"));
  PassOptions without_climb, limited;
  without_climb.disabled = {"climb"};
  limited.bisect_limit = 100;
  EXPECT_FALSE(settled(without_climb, "ab"));
  EXPECT_FALSE(settled(limited, "ab"));
}

TEST(Pass, RowsIdleInThisStateAreSkipped) {
  const Pass<Toy> table[] = {
      {.name = "once",
       .run = [](Toy& t, PassContext&) -> absl::StatusOr<bool> {
         if (t.text.size() > 2) return false;
         t.text += "1";
         return true;
       },
       .group = 1},
      {.name = "idle",
       .run = [](Toy&, PassContext&) -> absl::StatusOr<bool> { return false; },
       .group = 1},
  };
  EXPECT_THAT(RunToy({}, table).recorder.begun, ElementsAre("once", "idle", "once"));
}

TEST(Pass, RoundsAreCapped) {
  const Pass<Toy> table[] = {{.name = "lower", .run = Lower, .group = 1}};
  EXPECT_EQ(RunToy({}, table).text, "abLLLL");
}

TEST(Pass, RecordsSayWhatHappened) {
  const Outcome out = RunToy({});
  const PassRecord& drop = out.recorder.records[3];
  EXPECT_EQ(drop.pass, "drop");
  EXPECT_EQ(drop.level, "toy");
  EXPECT_EQ(drop.width, 16);
  EXPECT_TRUE(drop.changed);
  EXPECT_EQ(drop.instructions_before, 2);
  EXPECT_EQ(drop.instructions_after, 1);
  EXPECT_EQ(drop.rewrites, 1);
  EXPECT_EQ(drop.max_live, 3);
  EXPECT_GE(drop.nanoseconds, 0);
  ASSERT_EQ(out.recorder.remarks.size(), 2u);
  EXPECT_EQ(out.recorder.remarks[0].pass, "drop");
  EXPECT_EQ(out.recorder.remarks[0].spirv_id, 7u);
  EXPECT_EQ(out.recorder.remarks[0].width, 16);
}

TEST(Pass, BisectCountsRewritesAndSparesRequiredPasses) {
  // The rewrites in order: a->b, b->c | b->c, c->d | drop | c->d | drop.
  const char* expected[] = {"abL", "bbL", "bcL", "ccL", "cdL", "cL", "dL", "L", "L"};
  for (int limit = 0; limit < 9; ++limit) {
    PassOptions options;
    options.bisect_limit = limit;
    const Outcome out = RunToy(options);
    EXPECT_EQ(out.status, absl::OkStatus());
    EXPECT_EQ(out.text, expected[limit]) << limit;
    EXPECT_EQ(out.rewrites, std::min(limit, 7));
  }
}

absl::StatusOr<bool> LowerAndClimb(Toy& toy, PassContext& context) {
  if (absl::StatusOr<bool> lowered = Lower(toy, context); !lowered.ok()) return lowered;
  toy.text = "a";
  return context.RunOptional("climb", Climb, toy);
}

TEST(Pass, BisectCountsOptionalPassesRunInsideRequiredOnes) {
  const Pass<Toy> table[] = {
      {.name = "climb", .run = Climb, .optional = true},        // two rewrites
      {.name = "lower_and_climb", .run = LowerAndClimb},        // one
      {.name = "climb_again", .run = Climb, .optional = true},  // one
  };
  const char* expected[] = {"a", "a", "a", "b", "c", "c"};
  for (int limit = 0; limit < 6; ++limit) {
    PassOptions options;
    options.bisect_limit = limit;
    const Outcome out = RunToy(options, table);
    EXPECT_EQ(out.status, absl::OkStatus());
    EXPECT_EQ(out.text, expected[limit]) << limit;
    EXPECT_EQ(out.rewrites, std::min(limit, 4));
    int64_t recorded = 0;
    for (const PassRecord& r : out.recorder.records) recorded += r.rewrites;
    EXPECT_EQ(recorded, out.rewrites);
  }
  PassOptions disable;
  disable.disabled = {"climb"};
  EXPECT_EQ(RunToy(disable, table).text, "b");  // climb_again's
}

TEST(Pass, CountingGoesOnFromAnEarlierRunner) {
  PassOptions options;
  options.bisect_limit = 3;
  Toy toy{"ab"};
  const Budget budget;
  Runner runner(options, nullptr, budget);
  runner.set_rewrites(2);
  ASSERT_TRUE(runner.Run(kLevel, absl::Span<const Pass<Toy>>(kTable), toy).ok());
  EXPECT_EQ(toy.text, "bbL");
  EXPECT_EQ(runner.rewrites(), 3);
}

TEST(Pass, DisableStopPrint) {
  PassOptions disable;
  disable.disabled = {"drop"};
  EXPECT_EQ(RunToy(disable).text, "ddL");

  PassOptions stop;
  stop.stop_after = "climb";
  EXPECT_EQ(RunToy(stop).text, "bc");
  EXPECT_TRUE(RunToy(stop).stopped);
  // Stops where the pass would have run, even if it is disabled.
  stop.disabled = {"climb"};
  EXPECT_EQ(RunToy(stop).text, "ab");
  EXPECT_TRUE(RunToy(stop).stopped);
  PassOptions limited;
  limited.stop_after = "drop";
  limited.bisect_limit = 1;
  EXPECT_EQ(RunToy(limited).text, "bb");
  EXPECT_TRUE(RunToy(limited).stopped);

  PassOptions print;
  print.print_after = "changed";
  EXPECT_THAT(RunToy(print).recorder.snapshots,
              ElementsAre("climb=bc", "climb=cd", "drop=c", "climb=d", "drop=", "lower=L"));
  print.print_after = "lower";
  EXPECT_THAT(RunToy(print).recorder.snapshots, ElementsAre("lower=L"));
}

TEST(Pass, FailuresNameThePassAndKeepTheCause) {
  const Pass<Toy> table[] = {{.name = "lower", .run = Lower}, {.name = "fails", .run = Fails}};
  const Outcome out = RunToy({}, table);
  EXPECT_EQ(out.status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(out.status.message(), "fails: no");
  EXPECT_EQ(CauseOf(out.status), "images");
  EXPECT_EQ(out.recorder.records.size(), 2u);
}

// The compiler itself made the module that a pass works on, so the fault is its own.
TEST(Pass, WhatAPassCallsInvalidIsAFaultOfTheCompiler) {
  constexpr Pass<Toy> kInvalid[] = {
      {.name = "invalid", .run = [](Toy&, PassContext&) -> absl::StatusOr<bool> {
         return WithSpirvId(absl::InvalidArgumentError("no such form"), 7);
       }}};
  Toy toy{"a"};
  const absl::Status s = Runner({}, nullptr, {}).Run<Toy>(kLevel, kInvalid, toy);
  EXPECT_EQ(s.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(CauseOf(s), "internal");
  EXPECT_EQ(SpirvIdOf(s), 7u);
  EXPECT_EQ(s.message(), "invalid: no such form");
}

TEST(Pass, VerificationStopsAtTheCulprit) {
  const Pass<Toy> table[] = {{.name = "spoil", .run = Spoil}, {.name = "lower", .run = Lower}};
  PassOptions options;
  EXPECT_EQ(RunToy(options, table).status, absl::OkStatus());
  options.verify_each = true;
  EXPECT_EQ(RunToy(options, table).status.message(), "spoil: spoilt");
}

TEST(Pass, LimitsStopBetweenPasses) {
  PassOptions options;
  options.max_instructions = 1;
  EXPECT_EQ(RunToy(options).status.code(), absl::StatusCode::kResourceExhausted);

  const std::atomic<bool> cancelled = true;
  Budget budget;
  budget.cancelled = &cancelled;
  const Outcome out = RunToy({}, kTable, budget);
  EXPECT_EQ(out.status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(out.recorder.begun.size(), 1u);
}

TEST(Pass, TablesAreChecked) {
  const std::vector<PassRow> rows = Rows<Toy>(kTable);
  const PassOrder good[] = {{"climb", "lower", "r"}};
  EXPECT_EQ(CheckTable(rows, good), absl::OkStatus());
  const PassOrder wrong[] = {{"lower", "drop", "letters must be low"}};
  EXPECT_EQ(CheckTable(rows, wrong).message(),
            "pass lower must come before drop: letters must be low");
  const PassOrder unknown[] = {{"climb", "fly", ""}};
  EXPECT_THAT(std::string(CheckTable(rows, unknown).message()), HasSubstr("fly"));

  std::vector<PassRow> twice = {rows[0], rows[0]};
  EXPECT_THAT(std::string(CheckTable(twice, {}).message()), HasSubstr("twice"));
  std::vector<PassRow> torn = {rows[0], {.name = "x"}, rows[1]};
  EXPECT_THAT(std::string(CheckTable(torn, {}).message()), HasSubstr("in two parts"));
}

TEST(Pass, OptionsAreChecked) {
  const std::vector<PassRow> rows = Rows<Toy>(kTable);
  auto check = [&](auto set) {
    PassOptions o;
    set(o);
    return std::string(CheckOptions(rows, o).message());
  };
  EXPECT_EQ(check([](PassOptions& o) { o.disabled = {"drop"}; }), "");
  EXPECT_EQ(check([](PassOptions& o) { o.disabled = {"lower"}; }),
            "disable-pass: lower is needed for correctness");
  EXPECT_EQ(check([](PassOptions& o) { o.disabled = {"x"}; }),
            "disable-pass: there is no pass named 'x'");
  EXPECT_EQ(check([](PassOptions& o) { o.stop_after = "x"; }),
            "stop-after: there is no pass named 'x'");
  EXPECT_EQ(check([](PassOptions& o) { o.print_after = "all"; }), "");
  EXPECT_EQ(check([](PassOptions& o) { o.print_after = "x"; }),
            "print-after: there is no pass named 'x'");
}

// Tries the table on a copy and says how long that was; then makes one rewrite.
absl::StatusOr<bool> Weigh(Toy& toy, PassContext& context) {
  Toy copy = toy;
  const absl::Status tried =
      context.Try(kLevel, absl::MakeConstSpan(kTable), "drop", /*width=*/8, copy);
  if (!tried.ok()) return tried;
  if (!context.Rewrite()) return false;
  toy.text += std::to_string(copy.text.size());
  return true;
}
constexpr Pass<Toy> kWeighing[] = {{.name = "weigh", .run = Weigh, .optional = true}};

// The trial's passes are reported, and nothing that the trial's result would say.
TEST(Pass, TrialsAreReported) {
  PassOptions options;
  options.print_after = "all";
  options.verify_each = true;
  const Outcome out = RunToy(options, kWeighing);
  ASSERT_EQ(out.status, absl::OkStatus());
  const Recorder& r = out.recorder;
  ASSERT_EQ(r.records.size(), 3u) << "climb, drop, weigh";
  EXPECT_EQ(r.begun.front(), "weigh");
  EXPECT_EQ(r.begun.back(), "weigh") << "it goes on after the trial";
  EXPECT_EQ(r.begun.size(), r.records.size() + 1);
  for (size_t i = 0; i < r.records.size(); ++i) {
    const bool outer = i + 1 == r.records.size();
    EXPECT_EQ(r.records[i].pass == "weigh", outer) << i;
    EXPECT_EQ(r.records[i].width, outer ? 16 : 8) << i;
    EXPECT_EQ(r.records[i].rewrites, outer ? 1 : 0) << i;
    EXPECT_EQ(r.records[i].changed, outer) << i;
    if (!outer) {
      EXPECT_EQ(r.records[i].instructions_after, r.records[i].instructions_before) << i;
    }
    EXPECT_NE(r.records[i].pass, "lower") << "it is after the last";
    EXPECT_GE(r.records[i].nanoseconds, 0) << i;
  }
  EXPECT_TRUE(r.remarks.empty()) << "the d that was dropped is that of a copy";
  ASSERT_EQ(r.snapshots.size(), 1u);
  EXPECT_EQ(r.snapshots[0].rfind("weigh=", 0), 0u);
}

// A trial finds the same whatever the limit: else the first rewrites would depend on later ones.
TEST(Pass, TrialsAreOutsideOfBisection) {
  PassOptions one, none;
  one.bisect_limit = 1;
  none.bisect_limit = 0;
  EXPECT_EQ(RunToy(one, kWeighing).text, RunToy({}, kWeighing).text);
  EXPECT_EQ(RunToy(none, kWeighing).recorder.records.size(), 0u);
}

// Spends time on a copy alone.
absl::StatusOr<bool> Spend(Toy&, PassContext&) {
  const int64_t start = ThreadNanoseconds();
  while (ThreadNanoseconds() - start < 3'000'000) {
  }
  return false;
}
absl::StatusOr<bool> TrySpending(Toy& toy, PassContext& context) {
  constexpr static Pass<Toy> kSpending[] = {{.name = "spend", .run = Spend}};
  const absl::Status tried =
      context.Try(kLevel, absl::MakeConstSpan(kSpending), "spend", /*width=*/8, toy);
  if (!tried.ok()) return tried;
  return false;
}

// Times add up to the compile's: a trial's are not also the outer pass's.
TEST(Pass, TimesOfTrialsCountOnce) {
  const Pass<Toy> table[] = {{.name = "outer", .run = TrySpending}};
  const Outcome out = RunToy({}, table);
  ASSERT_EQ(out.recorder.records.size(), 2u);
  EXPECT_GE(out.recorder.records[0].nanoseconds, 3'000'000);
  EXPECT_LT(out.recorder.records[1].nanoseconds, out.recorder.records[0].nanoseconds / 2);
}

TEST(Pass, TrialsEndWithTheCompile) {
  const std::atomic<bool> cancelled = true;
  Budget budget;
  budget.cancelled = &cancelled;
  const Outcome out = RunToy({}, kWeighing, budget);
  EXPECT_EQ(out.status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(out.recorder.begun.size(), 3u) << "weigh, climb, weigh";
}

}  // namespace
}  // namespace kiln
