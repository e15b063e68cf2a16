// JSON lines: the keys that scripts rely on, words, sums over passes, odd names.
#include "client/output/result_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "proto/pass_sums.h"
#include "proto/statistics.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;
using testing::HasSubstr;
using testing::Not;

TargetResult Sample() {
  TargetResult result;
  result.set_target("tgl");
  result.set_status(TargetResult::OK);
  result.set_cause("ok");
  result.set_stage("compute");
  result.mutable_timings()->set_prepare_ns(1'000'000);
  result.mutable_timings()->set_compile_ns(234'567);
  result.set_cache(kiln::v1::CACHE_DISK);
  auto* variant = result.add_variants();
  variant->set_name("SIMD16");
  variant->set_width(16);
  variant->set_assembly("mov");
  auto* s = variant->mutable_statistics();
  s->set_instructions(10);
  s->set_sync_instructions(2);
  s->set_sends(3);
  s->set_cycles(400);
  s->set_spills(5);
  s->set_fills(6);
  s->set_loops(7);
  s->set_registers(8);
  s->set_bytes(160);
  s->set_spill_bytes(640);
  s->set_fill_bytes(768);
  s->set_exit_cycles(90);
  for (auto [pass, before, after] :
       {std::tuple{"fold", 100, 90}, {"select", 90, 120}, {"fold", 120, 115}, {"fold", 115, 115}}) {
    auto* record = result.add_passes();
    record->set_pass(pass);
    record->set_changed(before != after);
    record->set_nanoseconds(1500);
    record->set_instructions_before(before);
    record->set_instructions_after(after);
  }
  return result;
}

TEST(ResultLine, TranslationOfGlslIsPartOfTheCompile) {
  TargetResult result = Sample();
  result.mutable_timings()->set_translate_ns(2'000'000);
  const std::string line = ResultLine("a.comp", result, {});
  EXPECT_THAT(line, HasSubstr(R"("compile_ms":3.235)"));
  EXPECT_THAT(line, HasSubstr(R"("passes":[{"name":"translate_glsl","runs":1,"changed":0,)"
                              R"("us":2000.0,"instructions_delta":0},{"name":"fold")"));
}

// Which text a worker gets first is chance.
TEST(ResultLine, TheStartOfGlslangIsNoPartOfTheCompile) {
  TargetResult result = Sample();
  result.mutable_timings()->set_translate_ns(2'000'000);
  result.mutable_timings()->set_start_ns(90'000'000);
  const std::string line = ResultLine("a.comp", result, {});
  EXPECT_THAT(line, HasSubstr(R"("compile_ms":3.235)"));
  EXPECT_THAT(line, HasSubstr(R"("passes":[{"name":"start_glslang","runs":1,"changed":0,)"
                              R"("us":90000.0,"instructions_delta":0},{"name":"translate_glsl")"));
}

TEST(ResultLine, IsTheContract) {
  EXPECT_EQ(
      ResultLine("a/b.spv", Sample(), {{"b.spv.tgl.16.bin"}, false}),
      R"({"file":"a/b.spv","target":"tgl","stage":"compute","status":"ok","cause":"ok",)"
      R"("compile_ms":1.235,"cache":"disk","variants":[{"name":"SIMD16","width":16,)"
      R"("instructions":10,"sync_instructions":2,"sends":3,"cycles":400,"spills":5,"fills":6,)"
      R"("loops":7,"registers":8,"bytes":160,"spill_bytes":640,"fill_bytes":768,"exit_cycles":90,"binary":"b.spv.tgl.16.bin"}],"passes":[)"
      R"({"name":"fold","runs":3,"changed":2,"us":4.5,"instructions_delta":-15},)"
      R"({"name":"select","runs":1,"changed":1,"us":1.5,"instructions_delta":30}],"entry":"","version":"0.1.0"})");
}

// The sample is of a daemon that knows fields only; the line is the same with values.
TEST(ResultLine, HasTheFiguresOfTheTargetInItsOrder) {
  TargetResult result = Sample();
  const std::string of_fields = ResultLine("a", result, {});
  auto* variant = result.mutable_variants(0);
  *variant->mutable_statistics() = PackStatistics(ReadStatistics(*variant));
  EXPECT_EQ(ResultLine("a", result, {}), of_fields);
  *variant->mutable_statistics() = PackStatistics({{"vgprs", 40}, {"waves", 16}, {"bytes", 0}});
  EXPECT_THAT(ResultLine("a", result, {}),
              HasSubstr(R"("width":16,"vgprs":40,"waves":16,"bytes":0}],"passes")"));
}

// A daemon sums the records on request; the line is the same.
TEST(ResultLine, IsTheSameOfRecordsAndOfSums) {
  TargetResult result = Sample();
  result.mutable_timings()->set_translate_ns(2'000'000);
  TargetResult summed = result;
  SumPasses(&summed);
  summed.clear_passes();
  ASSERT_TRUE(summed.has_pass_sums());
  EXPECT_EQ(ResultLine("a", summed, {}), ResultLine("a", result, {}));
}

TEST(ResultLine, NamesTheEntryPoint) {
  TargetResult result = Sample();
  result.set_entry_point("blur");
  const auto line = nlohmann::json::parse(ResultLine("a.spv", result, {}));
  EXPECT_EQ(line["entry"], "blur");
  EXPECT_EQ(line["entry_point"], "blur");
}

TEST(ResultLine, SaysWhatItIsTheResultOf) {
  TargetResult result = Sample();
  result.set_version("0.0.9");
  result.set_code_generation_version(14);
  kiln::v1::CompileRequest request;
  request.mutable_options()->set_required_subgroup_size(16);
  request.mutable_options()->add_widths(8);
  request.mutable_options()->add_widths(16);
  request.mutable_options()->set_require_full_subgroups(true);
  request.mutable_options()->set_dispatch_base(true);
  request.mutable_options()->mutable_state()->set_view_mask(3);
  auto* constant = request.add_spec_constants();
  constant->set_id(3);
  constant->set_uint_value(64);
  ResultIdentity identity = IdentityOf("uber/17", {"A=1", "B"}, request);
  identity.pair = "b.frag";
  EXPECT_THAT(
      ResultLine("a", result, {{}, false, identity}),
      HasSubstr(
          R"("name":"uber/17","defines":["A=1","B"],"spec":["3=uint:64"],)"
          R"("subgroup_size":16,"widths":[8,16],"full_subgroups":true,"dispatch_base":true,)"
          R"("state":{"view_mask":3},"pair":"b.frag","version":"0.0.9","code_generation":14})"));
}

TEST(StatusOfWord, IsThatOfStatusWord) {
  for (int i = 0; i <= TargetResult::Status_MAX; ++i) {
    if (!TargetResult::Status_IsValid(i) || i == TargetResult::UNSPECIFIED) continue;
    const auto status = static_cast<TargetResult::Status>(i);
    EXPECT_EQ(StatusWord(StatusOfWord(StatusWord(status))), StatusWord(status)) << i;
  }
  EXPECT_EQ(StatusOfWord("refused"), TargetResult::REFUSED);
  EXPECT_EQ(StatusOfWord("other"), TargetResult::CRASHED);
}

TEST(ResultLine, Refused) {
  TargetResult result;
  result.set_target("tgl");
  result.set_status(TargetResult::REFUSED);
  result.set_cause("subgroup_operations");
  result.set_message("line one\nline \"two\"");
  result.set_spirv_id(17);
  std::string line = ResultLine("x", result, {});
  EXPECT_THAT(line, HasSubstr(R"("status":"refused","cause":"subgroup_operations")"));
  EXPECT_THAT(line, HasSubstr(R"("message":"line one\nline \"two\"","spirv_id":17,"reason":{)"));
  EXPECT_THAT(line, HasSubstr(R"("variants":[],"passes":[])"));
  EXPECT_THAT(line, Not(HasSubstr("\n")));
}

TEST(ResultLine, SaysWhyInParts) {
  TargetResult result;
  result.set_status(TargetResult::REFUSED);
  result.set_cause("of_next_year");
  EXPECT_FALSE(nlohmann::json::parse(ResultLine("x", result, {})).contains("reason"));
  auto* reason = result.mutable_reason();
  reason->set_sentence("It is too new.");
  reason->set_remedy("Wait.");
  reason->set_what("instruction");
  reason->set_seen(0);
  reason->set_limit(uint64_t{1} << 40);
  reason->set_capability("NextYear");
  reason->set_name("tile");
  reason->set_source_file("a.comp");
  reason->set_source_line(7);
  EXPECT_THAT(
      ResultLine("x", result, {}),
      HasSubstr(R"("reason":{"sentence":"It is too new.","remedy":"Wait.","what":"instruction",)"
                R"("seen":0,"limit":1099511627776,"capability":"NextYear","name":"tile",)"
                R"("file":"a.comp","line":7})"));
  reason->set_source_column(3);
  EXPECT_THAT(ResultLine("x", result, {}), HasSubstr(R"("line":7,"column":3})"));
}

TEST(ResultLine, CrashedSaysWhere) {
  TargetResult result;
  result.set_status(TargetResult::MEMORY_LIMIT);
  result.set_cause("memory_limit");
  result.set_last_pass("allocate");
  std::string line = ResultLine("x", result, {});
  EXPECT_THAT(line, HasSubstr(R"("status":"crashed","cause":"memory_limit")"));
  EXPECT_THAT(line, HasSubstr(R"("last_pass":"allocate")"));
}

TEST(ResultLine, AnyFileName) {
  auto parsed = nlohmann::json::parse(ResultLine("b\xff\"\n.spv", Sample(), {}), nullptr, false);
  ASSERT_FALSE(parsed.is_discarded());
  EXPECT_EQ(parsed["file"], "b\xef\xbf\xbd\"\n.spv");
  EXPECT_FALSE(parsed["variants"][0].contains("binary"));
  EXPECT_FALSE(parsed["variants"][0].contains("assembly"));
  auto with = nlohmann::json::parse(ResultLine("b", Sample(), {{}, true}));
  EXPECT_EQ(with["variants"][0]["assembly"], "mov");
}

TEST(Words, EveryStatusHasOneAndAnExitCode) {
  EXPECT_EQ(StatusWord(TargetResult::OK), "ok");
  EXPECT_EQ(StatusWord(TargetResult::INVALID), "invalid");
  EXPECT_EQ(StatusWord(TargetResult::CRASHED), "crashed");
  EXPECT_EQ(StatusWord(TargetResult::TIMED_OUT), "timeout");
  EXPECT_EQ(StatusWord(TargetResult::UNSPECIFIED), "crashed");
  EXPECT_EQ(ExitCodeOf(TargetResult::OK), kExitOk);
  EXPECT_EQ(ExitCodeOf(TargetResult::REFUSED), kExitSomeFailed);
  EXPECT_EQ(ExitCodeOf(TargetResult::INVALID), kExitSomeFailed);
  EXPECT_EQ(ExitCodeOf(TargetResult::CRASHED), kExitInternal);
  EXPECT_EQ(ExitCodeOf(TargetResult::TIMED_OUT), kExitInternal);
  EXPECT_EQ(ExitCodeOf(TargetResult::UNSPECIFIED), kExitInternal);
  EXPECT_EQ(Worse(kExitSomeFailed, kExitOk), kExitSomeFailed);
  EXPECT_EQ(Worse(kExitSomeFailed, kExitInternal), kExitInternal);
  EXPECT_EQ(CacheWord(kiln::v1::CACHE_MISS), "miss");
  EXPECT_EQ(CacheWord(kiln::v1::CACHE_COALESCED), "coalesced");
}

}  // namespace
}  // namespace kiln::client
