#include "client/commands/open_many.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/service/service_flags.h"

namespace kiln::client {
namespace {

ParsedFlags Parsed(const std::vector<std::string>& arguments) {
  std::vector<Flag> flags = ServiceFlags();
  flags.push_back({"jobs", 'j', "N", false, ""});
  auto parsed = ParseFlags(flags, arguments);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? *parsed : ParsedFlags();
}

TEST(OpenMany, JobsAreAsGivenOrAsTheServiceNeedsThem) {
  EXPECT_EQ(*JobsOf(Parsed({"--jobs=7"})), 7u);
  EXPECT_EQ(*JobsOf(Parsed({})), 32u);
  EXPECT_GE(*JobsOf(Parsed({"--local"})), 1u);
  for (const char* wrong : {"--jobs=0", "--jobs=1025", "--jobs=x"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(JobsOf(Parsed({wrong})).status())) << wrong;
  }
}

TEST(OpenMany, TellsThatNoDaemonAnswers) {
  const auto opened = OpenMany(Parsed({"--server=unix:/no/such/socket", "--patience=0"}), 2);
  EXPECT_TRUE(absl::IsUnavailable(opened.status())) << opened.status();
}

}  // namespace
}  // namespace kiln::client
