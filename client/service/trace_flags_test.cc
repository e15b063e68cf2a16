// Tests which trace a command's calls belong to.
#include "client/service/trace_flags.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace kiln::client {
namespace {

constexpr char kParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
constexpr char kOther[] = "00-11111111111111111111111111111111-2222222222222222-00";

absl::StatusOr<TraceHeaders> Read(const std::vector<std::string>& arguments,
                                  const std::map<std::string, std::string>& variables = {}) {
  const Flag known[] = {{"traceparent", 0, "HEADER", false, ""}};
  auto flags = ParseFlags(known, arguments);
  if (!flags.ok()) return flags.status();
  return TraceHeadersOf(*flags, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(TraceFlagsTest, SendsNoneUnlessAsked) {
  EXPECT_EQ(Read({})->traceparent, "");
  EXPECT_EQ(Read({}, {{"TRACESTATE", "a=1"}})->tracestate, "");
}

TEST(TraceFlagsTest, PassesOnTheEnvironmentsTrace) {
  const auto headers = Read({}, {{"TRACEPARENT", kParent}, {"TRACESTATE", "a=1, b=2"}});
  EXPECT_EQ(headers->traceparent, kParent);
  EXPECT_EQ(headers->tracestate, "a=1,b=2");
  EXPECT_EQ(Read({}, {{"TRACEPARENT", kOther}})->traceparent, kOther);  // its flag is not set
  EXPECT_EQ(Read({}, {{"TRACEPARENT", "nonsense"}, {"TRACESTATE", "a=1"}})->traceparent, "");
  EXPECT_EQ(Read({}, {{"TRACEPARENT", "nonsense"}, {"TRACESTATE", "a=1"}})->tracestate, "");
}

TEST(TraceFlagsTest, TheFlagComesFirst) {
  const auto headers = Read({std::string("--traceparent=") + kOther},
                            {{"TRACEPARENT", kParent}, {"TRACESTATE", "a=1"}});
  EXPECT_EQ(headers->traceparent, kOther);
  EXPECT_EQ(headers->tracestate, "");
}

TEST(TraceFlagsTest, ANewTraceIsSampledAndOneForTheProcess) {
  const auto one = Read({"--traceparent=new"}), two = Read({"--traceparent=new"});
  EXPECT_TRUE(one->is_new);
  EXPECT_EQ(one->traceparent.size(), 55u);
  EXPECT_EQ(one->traceparent.back(), '3');  // sampled, and random
  EXPECT_EQ(one->traceparent, two->traceparent);
}

TEST(TraceFlagsTest, ADamagedFlagIsAnError) {
  for (const char* bad : {"--traceparent=", "--traceparent=New", "--traceparent=00-1-2-3"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Read({bad}).status())) << bad;
  }
}

}  // namespace
}  // namespace kiln::client
