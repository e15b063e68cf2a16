// Tests the list of the shaders that were compiled last: figures, refusals, the bound.
#include "server/pages/shader_list.h"

#include <gtest/gtest.h>

#include <string>

namespace kiln::pages {
namespace {

using kiln::v1::TargetResult;

const absl::Time kNow = absl::FromUnixSeconds(1'000'000);

cache::Digest Key(size_t number) {
  cache::Digest key{};
  key[0] = static_cast<uint8_t>(number);
  key[1] = static_cast<uint8_t>(number >> 8);
  return key;
}

worker::Hello Hello() {
  worker::Hello hello;
  for (const char* name : {"instructions", "spills"}) {
    hello.add_targets()->add_statistics()->set_name(name);
    hello.add_targets()->add_statistics()->set_name("instructions");
  }
  return hello;
}

TargetResult Ok(int64_t instructions, int64_t spills) {
  TargetResult result;
  result.set_status(TargetResult::OK);
  result.set_cause("ok");
  result.set_target("one");
  result.set_stage("compute");
  result.mutable_timings()->set_compile_ns(5'000'000);
  for (int64_t part : {1, 2}) {
    auto* variant = result.add_variants();
    variant->set_code(std::string(100, 'x'));
    const std::pair<const char*, int64_t> values[] = {
        {"instructions", instructions * part}, {"spills", spills / part}, {"loops", 9}};
    for (const auto& [name, number] : values) {
      auto* value = variant->mutable_statistics()->add_values();
      value->set_name(name);
      value->set_value(number);
    }
  }
  return result;
}

TargetResult Refused() {
  TargetResult result;
  result.set_status(TargetResult::REFUSED);
  result.set_cause("float64");
  return result;
}

TEST(ShaderListTest, FiguresAreOfTheVariantWithMost) {
  ShaderList list(Hello());
  list.Made(Key(1), Ok(10, 4), absl::Seconds(1), kNow);
  const std::vector<Shader> all = list.All();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(list.statistics().size(), 2u) << "each name once";
  EXPECT_EQ(all[0].values, std::vector<int64_t>({20, 4}));
  EXPECT_EQ(all[0].code_bytes, 200);
  EXPECT_EQ(all[0].variants, 2);
  EXPECT_EQ(all[0].took, absl::Milliseconds(5));
  EXPECT_EQ(all[0].refused, 0u);
  EXPECT_EQ(all[0].stage, "compute");
}

TEST(ShaderListTest, AStatisticThatAResultLacksHasNoValue) {
  ShaderList list(Hello());
  TargetResult result = Ok(10, 4);
  for (auto& variant : *result.mutable_variants()) {
    variant.mutable_statistics()->mutable_values(0)->set_name("other");
  }
  list.Made(Key(1), result, absl::Seconds(1), kNow);
  EXPECT_EQ(list.All()[0].values, std::vector<int64_t>({Shader::kNoValue, 4}));
}

TEST(ShaderListTest, RefusalsOfStoredResultsCount) {
  ShaderList list(Hello());
  list.Made(Key(1), Refused(), absl::Seconds(2), kNow);
  list.Made(Key(2), Ok(1, 0), absl::Seconds(1), kNow);
  list.RefusedAgain(Key(1), kNow + absl::Seconds(1));
  list.RefusedAgain(Key(3), kNow);
  const std::vector<Shader> all = list.All();
  ASSERT_EQ(all.size(), 2u) << "a key without a result is not in the list";
  EXPECT_EQ(all[0].key, Key(1)) << "the latest news first";
  EXPECT_EQ(all[0].refused, 2u);
  EXPECT_EQ(all[0].made, 1u);
  EXPECT_EQ(all[0].took, absl::Seconds(2)) << "no compile time: for how long it ran";
  EXPECT_EQ(all[0].last, kNow + absl::Seconds(1));
}

TEST(ShaderListTest, ACompileAgainReplacesTheFigures) {
  ShaderList list(Hello());
  list.Made(Key(1), Refused(), absl::Seconds(1), kNow);
  list.Made(Key(1), Ok(3, 0), absl::Seconds(1), kNow);
  ASSERT_EQ(list.All().size(), 1u);
  EXPECT_EQ(list.All()[0].made, 2u);
  EXPECT_EQ(list.All()[0].refused, 1u);
  EXPECT_EQ(list.All()[0].cause, "ok");
}

TEST(ShaderListTest, TheListIsBounded) {
  ShaderList list(Hello());
  for (size_t i = 0; i < ShaderList::kMaxShaders + 10; ++i) {
    list.Made(Key(i), Ok(1, 0), absl::Seconds(1), kNow);
    list.RefusedAgain(Key(0), kNow);
  }
  const std::vector<Shader> all = list.All();
  EXPECT_EQ(all.size(), ShaderList::kMaxShaders);
  EXPECT_EQ(all[0].key, Key(0)) << "what has news stays";
  EXPECT_EQ(all.back().key, Key(11));
}

TEST(ShaderListTest, TextOfAWorkerThatIsNoWordIsOther) {
  ShaderList list(Hello());
  TargetResult result = Refused();
  result.set_cause("<script>");
  result.set_stage(std::string(49, 'a'));
  list.Made(Key(1), result, absl::Seconds(1), kNow);
  EXPECT_EQ(list.All()[0].cause, "other");
  EXPECT_EQ(list.All()[0].stage, "other");
}

}  // namespace
}  // namespace kiln::pages
