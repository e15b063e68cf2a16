// Tests what a worker may answer, and what it may not: one thing wrong at a time.
#include "server/worker/answer.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace kiln::worker {
namespace {

using kiln::v1alpha::TargetResult;

Job CompileJobOf(std::vector<std::string> targets) {
  Job job;
  job.mutable_compile()->set_spirv("spirv");
  for (auto& target : targets) job.mutable_compile()->add_targets(target);
  return job;
}

JobResult Good() {
  JobResult frame;
  frame.set_target_index(1);
  TargetResult* result = frame.mutable_result();
  result->set_target("skl");
  result->set_status(TargetResult::OK);
  result->set_cause("ok");
  auto* variant = result->add_variants();
  variant->set_name("SIMD16");
  variant->set_width(16);
  variant->set_code("code");
  return frame;
}

TEST(AnswerTest, ACompile) {
  const Job job = CompileJobOf({"tgl", "skl"});
  EXPECT_TRUE(CanAnswer(job, Good(), false));
  const std::vector<std::function<void(JobResult*)>> wrong = {
      [](auto* f) { f->set_target_index(0); },
      [](auto* f) { f->set_target_index(2); },
      [](auto* f) { f->set_target_index(0xffffffff); },
      [](auto* f) { f->clear_result(); },
      [](auto* f) { f->mutable_translation(); },
      [](auto* f) { f->mutable_result()->set_target("tgl"); },
      [](auto* f) { f->mutable_result()->set_status(TargetResult::UNSPECIFIED); },
      [](auto* f) { f->mutable_result()->set_status(TargetResult::TIMED_OUT); },
      [](auto* f) { f->mutable_result()->set_status(TargetResult::MEMORY_LIMIT); },
      [](auto* f) { f->mutable_result()->set_status(TargetResult::NOT_CACHED); },
      [](auto* f) { f->mutable_result()->set_status(static_cast<TargetResult::Status>(77)); },
      [](auto* f) { f->mutable_result()->set_status(TargetResult::REFUSED); },  // with code
      [](auto* f) { f->mutable_result()->clear_variants(); },                   // without
      [](auto* f) { f->mutable_result()->mutable_variants(0)->clear_code(); },
      [](auto* f) { f->mutable_result()->mutable_variants(0)->set_width(1 << 20); },
      [](auto* f) { f->mutable_result()->mutable_variants(0)->set_name(std::string(100, 'x')); },
      [](auto* f) {
        f->mutable_result()->mutable_variants(0)->mutable_statistics()->set_bytes(-1);
      },
      [](auto* f) {
        auto* statistics = f->mutable_result()->mutable_variants(0)->mutable_statistics();
        statistics->add_values()->set_name("no word");
      },
      [](auto* f) {
        auto* statistics = f->mutable_result()->mutable_variants(0)->mutable_statistics();
        for (int i = 0; i < 65; ++i) statistics->add_values()->set_name(absl::StrCat("n", i));
      },
      [](auto* f) { f->mutable_result()->mutable_timings()->set_compile_ns(-1); },
      [](auto* f) { f->mutable_result()->clear_cause(); },
      [](auto* f) { f->mutable_result()->set_cause("ok\nkilnd: stopped"); },
      [](auto* f) { f->mutable_result()->set_cause(std::string(100, 'x')); },
      [](auto* f) { f->mutable_result()->mutable_reason(); },  // with code
      [](auto* f) {
        for (int i = 0; i < 20; ++i) {
          *f->mutable_result()->add_variants() = f->result().variants(0);
        }
      },
      [](auto* f) {
        for (int i = 0; i < (1 << 13) + 1; ++i) f->mutable_result()->add_remarks();
      },
      [](auto* f) {
        for (int i = 0; i < (1 << 16) + 1; ++i) f->mutable_result()->add_passes();
      },
  };
  for (size_t i = 0; i < wrong.size(); ++i) {
    JobResult frame = Good();
    wrong[i](&frame);
    EXPECT_FALSE(CanAnswer(job, frame, true))
        << i << ": " << frame.ShortDebugString().substr(0, 300);
  }
}

TEST(AnswerTest, ACancelledOneOnlyIfItWasCancelled) {
  JobResult frame = Good();
  frame.mutable_result()->set_status(TargetResult::CANCELLED);
  frame.mutable_result()->set_cause("cancelled");
  frame.mutable_result()->clear_variants();
  EXPECT_TRUE(CanAnswer(CompileJobOf({"tgl", "skl"}), frame, true));
  EXPECT_FALSE(CanAnswer(CompileJobOf({"tgl", "skl"}), frame, false));
}

TEST(AnswerTest, AReasonHasShortTexts) {
  const Job job = CompileJobOf({"tgl", "skl"});
  JobResult good = Good();
  good.mutable_result()->set_status(TargetResult::REFUSED);
  good.mutable_result()->clear_variants();
  good.mutable_result()->mutable_reason()->set_sentence("It is too large.");
  EXPECT_TRUE(CanAnswer(job, good, false));
  for (const int field : {1, 2, 3, 6, 7, 8}) {
    JobResult frame = good;
    auto* reason = frame.mutable_result()->mutable_reason();
    reason->GetReflection()->SetString(reason, reason->GetDescriptor()->FindFieldByNumber(field),
                                       std::string(2000, 'x'));
    EXPECT_FALSE(CanAnswer(job, frame, false)) << field;
  }
  Job text;
  text.mutable_translate();
  JobResult translation;
  translation.mutable_translation()->set_status(TargetResult::REFUSED);
  translation.mutable_translation()->set_cause("shader_too_large");
  *translation.mutable_translation()->mutable_reason() = good.result().reason();
  EXPECT_TRUE(CanAnswer(text, translation, false));
  translation.mutable_translation()->mutable_reason()->set_what(std::string(2000, 'x'));
  EXPECT_FALSE(CanAnswer(text, translation, false));
}

TEST(AnswerTest, ATranslation) {
  Job job;
  job.mutable_translate();
  JobResult good;
  good.mutable_translation()->set_status(TargetResult::OK);
  good.mutable_translation()->set_cause("ok");
  good.mutable_translation()->set_spirv("fourfour");
  EXPECT_TRUE(CanAnswer(job, good, false));
  EXPECT_FALSE(CanAnswer(CompileJobOf({"tgl"}), good, false));
  EXPECT_FALSE(CanAnswer(job, JobResult(), false));
  const std::vector<std::function<void(JobResult*)>> wrong = {
      [](auto* f) { f->set_target_index(1); },
      [](auto* f) { f->mutable_result(); },
      [](auto* f) { f->mutable_translation()->set_status(TargetResult::UNSPECIFIED); },
      [](auto* f) { f->mutable_translation()->set_status(TargetResult::INVALID); },
      [](auto* f) { f->mutable_translation()->clear_spirv(); },
      [](auto* f) { f->mutable_translation()->set_spirv("three"); },
      [](auto* f) { f->mutable_translation()->set_nanoseconds(-1); },
      [](auto* f) { f->mutable_translation()->set_cause("Not a word"); },
      [](auto* f) { f->mutable_translation()->mutable_reason(); },
  };
  for (size_t i = 0; i < wrong.size(); ++i) {
    JobResult frame = good;
    wrong[i](&frame);
    EXPECT_FALSE(CanAnswer(job, frame, true)) << i;
  }
}

}  // namespace
}  // namespace kiln::worker
