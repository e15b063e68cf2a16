// Tests what the spans of a job tell: which there are, where they lie in time and under each other,
// and that no text of a worker gets into them unchecked.
#include "server/engine/job_spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/trace/testing.h"

namespace kiln::server {
namespace {

using kiln::v1::TargetResult;
using testing::Pair;
using testing::UnorderedElementsAre;

worker::PassEvent Pass(const std::string& name, int target, absl::Duration took) {
  worker::PassEvent pass;
  pass.pass = name;
  pass.target = target;
  pass.nanoseconds = absl::ToInt64Nanoseconds(took);
  return pass;
}

class JobSpansTest : public testing::Test {
 protected:
  JobSpansTest() {
    job_.mutable_compile()->add_targets("tgl");
    job_.mutable_compile()->add_targets("gfx1030");
    outcome_.worker = 7;
    outcome_.queued = absl::Milliseconds(2);
    outcome_.ran = absl::Milliseconds(5);
    absl::SleepFor(absl::Milliseconds(8));  // the call began before its job was queued
  }
  // Returns the spans in the order in which they are added: the wait, the work, the passes.
  std::vector<trace::ExportedSpan> Spans() {
    link_ = AddJobSpans(outcome_, job_, trace_.get());
    return kept_.Spans();
  }
  static int64_t Took(const trace::ExportedSpan& span) { return span.end - span.start; }

  trace::KeptSpans kept_;
  std::shared_ptr<trace::Trace> trace_ = kept_.Begin();
  worker::JobOutcome outcome_;
  worker::Job job_;
  std::optional<trace::Link> link_;
};

TEST_F(JobSpansTest, AWaitAndThenTheWork) {
  outcome_.express = true;
  outcome_.results.resize(2);
  outcome_.results[1].emplace().set_stage("fragment");
  const auto spans = Spans();
  ASSERT_EQ(spans.size(), 2u);
  const auto &wait = spans[0], &work = spans[1];
  EXPECT_EQ(wait.name, "queue");
  EXPECT_EQ(Took(wait), 2'000'000);
  EXPECT_THAT(wait.attributes, UnorderedElementsAre(Pair("kiln.queue", "worker"),
                                                    Pair("kiln.queue.express", "true")));
  EXPECT_EQ(work.name, "compile");
  EXPECT_EQ(work.start, wait.end);
  EXPECT_EQ(Took(work), 5'000'000);
  EXPECT_FALSE(work.failed);
  EXPECT_THAT(work.attributes,
              UnorderedElementsAre(Pair("kiln.stage", "fragment"), Pair("kiln.job.status", "ok"),
                                   Pair("kiln.target", "tgl,gfx1030")));
  for (const auto& span : spans) EXPECT_EQ(span.parent, trace::Hex(trace_->context().span));
  ASSERT_TRUE(link_.has_value());
  EXPECT_EQ(trace::Hex(link_->span), work.id);
  EXPECT_EQ(trace::Hex(link_->trace), work.trace);
}

TEST_F(JobSpansTest, WithoutAWorkerThereIsTheWaitAlone) {
  outcome_.worker = 0;
  outcome_.status = TargetResult::CANCELLED;
  EXPECT_EQ(Spans().size(), 1u);
  EXPECT_FALSE(link_.has_value());
}

TEST_F(JobSpansTest, LongPassesLieEndToEndBelowTheWork) {
  outcome_.passes = {Pass("prepare", -1, absl::Milliseconds(3)),
                     Pass("short", 0, absl::Milliseconds(1)),
                     Pass("select", 1, absl::Milliseconds(2))};
  outcome_.passes[2].changed = true;
  outcome_.passes[2].instructions_before = 10;
  outcome_.passes[2].instructions_after = 8;
  const auto spans = Spans();
  ASSERT_EQ(spans.size(), 4u);
  const auto &work = spans[1], &prepare = spans[2], &select = spans[3];
  EXPECT_EQ(prepare.name, "prepare");
  EXPECT_EQ(prepare.start, work.start);
  EXPECT_EQ(Took(prepare), 3'000'000);
  EXPECT_EQ(prepare.attributes.count("kiln.target"), 0u);
  EXPECT_EQ(select.name, "select");
  EXPECT_EQ(select.start, prepare.end + 1'000'000) << "after the pass without a span";
  EXPECT_THAT(select.attributes,
              UnorderedElementsAre(Pair("kiln.pass", "select"), Pair("kiln.pass.changed", "true"),
                                   Pair("kiln.pass.instructions.before", "10"),
                                   Pair("kiln.pass.instructions.after", "8"),
                                   Pair("kiln.target", "gfx1030")));
  for (const auto* pass : {&prepare, &select}) EXPECT_EQ(pass->parent, work.id);
}

TEST_F(JobSpansTest, AFailureHasItsCauseAndItsLastPass) {
  outcome_.status = TargetResult::TIMED_OUT;
  outcome_.cause = "cpu_time";
  outcome_.last_pass = "select";
  const auto spans = Spans();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_TRUE(spans[1].failed);
  EXPECT_THAT(
      spans[1].attributes,
      UnorderedElementsAre(Pair("kiln.stage", "other"), Pair("kiln.job.status", "timed_out"),
                           Pair("kiln.target", "tgl,gfx1030"), Pair("kiln.cause", "cpu_time"),
                           Pair("kiln.last_pass", "select")));
}

TEST_F(JobSpansTest, TextsOfAWorkerThatAreNoNamesAreOther) {
  outcome_.status = TargetResult::CRASHED;
  outcome_.cause = "a cause\n";
  outcome_.last_pass = std::string(65, 'x');
  outcome_.results.resize(1);
  outcome_.results[0].emplace().set_stage("<script>");
  // And a target that the job has not.
  outcome_.passes = {Pass("", 2, absl::Milliseconds(2)),
                     Pass(std::string(64, 'x'), 0, absl::Milliseconds(2))};
  const auto spans = Spans();
  ASSERT_EQ(spans.size(), 4u);
  for (const char* key : {"kiln.cause", "kiln.last_pass", "kiln.stage"}) {
    EXPECT_EQ(spans[1].attributes.at(key), "other") << key;
  }
  EXPECT_EQ(spans[2].name, "other");
  EXPECT_EQ(spans[2].attributes.count("kiln.target"), 0u);
  EXPECT_EQ(spans[3].name, std::string(64, 'x'));
}

TEST_F(JobSpansTest, ATranslationIsOfNoTarget) {
  job_.mutable_translate()->mutable_glsl()->set_stage("vertex");
  const auto spans = Spans();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[1].name, "translate");
  EXPECT_THAT(spans[1].attributes,
              UnorderedElementsAre(Pair("kiln.stage", "vertex"), Pair("kiln.job.status", "ok")));
}

TEST_F(JobSpansTest, AWaitForAnothersJobIsLinkedToIt) {
  trace::Link job;
  job.trace[0] = 0xab;
  job.span[0] = 0xcd;
  AddCoalescedSpan(trace_.get(), trace_->begun(), job);
  AddCoalescedSpan(trace_.get(), trace_->begun(), std::nullopt);
  AddCoalescedSpan(nullptr, trace_->begun(), job);
  const auto spans = kept_.Spans();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].name, "wait for the same job");
  EXPECT_EQ(spans[0].start, absl::ToUnixNanos(trace_->begun()));
  EXPECT_GE(Took(spans[0]), 0);
  EXPECT_EQ(spans[0].linked_trace, "ab" + std::string(30, '0'));
  EXPECT_EQ(spans[0].linked_span, "cd" + std::string(14, '0'));
  EXPECT_EQ(spans[1].linked_span, "");
}

}  // namespace
}  // namespace kiln::server
