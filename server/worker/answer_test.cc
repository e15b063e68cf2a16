// Tests what a worker may answer, and what it may not: one thing wrong at a time.
#include "server/worker/answer.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/statistics.h"

namespace kiln::worker {
namespace {

using kiln::v1::TargetResult;

Job CompileJobOf(const std::vector<std::string>& targets) {
  Job job;
  job.mutable_compile()->set_spirv("spirv");
  for (auto& target : targets) job.mutable_compile()->add_targets(target);
  return job;
}

Hello TheHello() {
  Hello hello;
  hello.add_targets()->set_name("tgl");
  hello.mutable_targets(0)->add_statistics()->set_name("other");
  auto* skl = hello.add_targets();
  skl->set_name("skl");
  for (const char* name : {"registers", "spills", "bytes"}) {
    skl->add_statistics()->set_name(name);
  }
  return hello;
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
  *variant->mutable_statistics() = PackStatistics({{"registers", 20}, {"bytes", 4}});
  return frame;
}

TEST(AnswerTest, ACompile) {
  const Job job = CompileJobOf({"tgl", "skl"});
  EXPECT_TRUE(CanAnswer(TheHello(), job, Good(), false));
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
    EXPECT_FALSE(CanAnswer(TheHello(), job, frame, true))
        << i << ": " << frame.ShortDebugString().substr(0, 300);
  }
}

// A target may not know a figure of a variant.
TEST(AnswerTest, FiguresAreThoseThatTheTargetDeclares) {
  const Job job = CompileJobOf({"tgl", "skl"});
  const auto accepts = [&](const std::vector<NamedValue>& values, const std::string& target) {
    JobResult frame = Good();
    frame.set_target_index(target == "tgl" ? 0 : 1);
    frame.mutable_result()->set_target(target);
    auto* variant = frame.mutable_result()->mutable_variants(0);
    variant->clear_statistics();
    if (!values.empty()) *variant->mutable_statistics() = PackStatistics(values);
    return CanAnswer(TheHello(), job, frame, false);
  };
  EXPECT_TRUE(accepts({{"registers", 1}, {"spills", 2}, {"bytes", 3}}, "skl"));
  EXPECT_TRUE(accepts({{"spills", 2}}, "skl"));
  EXPECT_TRUE(accepts({}, "skl"));
  EXPECT_TRUE(accepts({{"other", 2}}, "tgl"));
  EXPECT_FALSE(accepts({{"spills", 2}, {"registers", 1}}, "skl"));
  EXPECT_FALSE(accepts({{"spills", 2}, {"spills", 2}}, "skl"));
  EXPECT_FALSE(accepts({{"spills", -2}}, "skl"));
  EXPECT_FALSE(accepts({{"other", 2}}, "skl"));
  EXPECT_FALSE(accepts({{"no word", 2}}, "skl"));
  EXPECT_FALSE(accepts({{"spills", 2}}, "tgl"));
  JobResult empty = Good();  // read as twelve figures of 0
  empty.mutable_result()->mutable_variants(0)->mutable_statistics()->Clear();
  EXPECT_FALSE(CanAnswer(TheHello(), job, empty, false));
}

TEST(AnswerTest, ACancelledOneOnlyIfItWasCancelled) {
  JobResult frame = Good();
  frame.mutable_result()->set_status(TargetResult::CANCELLED);
  frame.mutable_result()->set_cause("cancelled");
  frame.mutable_result()->clear_variants();
  EXPECT_TRUE(CanAnswer(TheHello(), CompileJobOf({"tgl", "skl"}), frame, true));
  EXPECT_FALSE(CanAnswer(TheHello(), CompileJobOf({"tgl", "skl"}), frame, false));
}

TEST(AnswerTest, AReasonHasShortTexts) {
  const Job job = CompileJobOf({"tgl", "skl"});
  JobResult good = Good();
  good.mutable_result()->set_status(TargetResult::REFUSED);
  good.mutable_result()->clear_variants();
  good.mutable_result()->mutable_reason()->set_sentence("It is too large.");
  EXPECT_TRUE(CanAnswer(TheHello(), job, good, false));
  for (const int field : {1, 2, 3, 6, 7, 8}) {
    JobResult frame = good;
    auto* reason = frame.mutable_result()->mutable_reason();
    reason->GetReflection()->SetString(reason, reason->GetDescriptor()->FindFieldByNumber(field),
                                       std::string(2000, 'x'));
    EXPECT_FALSE(CanAnswer(TheHello(), job, frame, false)) << field;
  }
  Job text;
  text.mutable_translate();
  JobResult translation;
  translation.mutable_translation()->set_status(TargetResult::REFUSED);
  translation.mutable_translation()->set_cause("shader_too_large");
  *translation.mutable_translation()->mutable_reason() = good.result().reason();
  EXPECT_TRUE(CanAnswer(TheHello(), text, translation, false));
  translation.mutable_translation()->mutable_reason()->set_what(std::string(2000, 'x'));
  EXPECT_FALSE(CanAnswer(TheHello(), text, translation, false));
}

TEST(AnswerTest, ATranslation) {
  Job job;
  job.mutable_translate();
  JobResult good;
  good.mutable_translation()->set_status(TargetResult::OK);
  good.mutable_translation()->set_cause("ok");
  good.mutable_translation()->set_spirv("fourfour");
  EXPECT_TRUE(CanAnswer(TheHello(), job, good, false));
  EXPECT_FALSE(CanAnswer(TheHello(), CompileJobOf({"tgl"}), good, false));
  EXPECT_FALSE(CanAnswer(TheHello(), job, JobResult(), false));
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
    EXPECT_FALSE(CanAnswer(TheHello(), job, frame, true)) << i;
  }
}

}  // namespace
}  // namespace kiln::worker
