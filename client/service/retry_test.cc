// Retries of calls: delays, shared patience, final errors.
#include "client/service/retry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "proto/error_details.pb.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;

const grpc::Status kLost(grpc::StatusCode::UNAVAILABLE,
                         "failed to connect to all addresses; last error: UNKNOWN: "
                         "ipv4:127.0.0.1:1: Failed to connect to remote host: Connection refused");

grpc::Status Shed(int milliseconds) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(milliseconds / 1000);
  info.mutable_retry_delay()->set_nanos(milliseconds % 1000 * 1000000);
  google::rpc::Status status;
  status.add_details()->PackFrom(info);
  return {grpc::StatusCode::UNAVAILABLE, "the queue is full", status.SerializeAsString()};
}

// nginx answers a call without a certificate like this, and gRPC shows only the number.
TEST(Retry, AnswersThatAreNoGrpcAreExplained) {
  const grpc::Status status(grpc::StatusCode::INTERNAL, "Received http2 header with status: 400");
  EXPECT_FALSE(WasNotAnswered(status));
  EXPECT_THAT(std::string(ToAbslStatus(status).message()), HasSubstr("--tls-certificate=FILE"));
  EXPECT_THAT(ReasonOf(status), HasSubstr("--tls-key=FILE"));
  // nginx's answer to a client that does not use TLS.
  const grpc::Status plain(grpc::StatusCode::UNAVAILABLE, "Trying to connect an http1.x server");
  EXPECT_TRUE(WasNotAnswered(plain));
  EXPECT_THAT(ReasonOf(plain), HasSubstr("--server=tls:HOST:PORT"));
}

TEST(Retry, DelaysGrowToASecondAndAreNotAlike) {
  const RetryPolicy policy;
  std::set<absl::Duration> last;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Outage outage(policy.patience);
    Retry retry(policy, &outage, seed);
    absl::Time now = absl::UnixEpoch();
    absl::Duration longest;
    while (const auto delay = retry.Next(kLost, now)) {
      EXPECT_GT(*delay, absl::ZeroDuration());
      EXPECT_LE(*delay, absl::Seconds(1));
      longest = std::max(longest, *delay);
      now += *delay;
    }
    EXPECT_GE(longest, absl::Milliseconds(800));
    // The last try is at the end of patience, not a delay before it.
    EXPECT_EQ(now, absl::UnixEpoch() + absl::Seconds(60));
    last.insert(longest);
  }
  EXPECT_GT(last.size(), 40u);
}

TEST(Retry, ADaemonSaysWhenToComeBackButNoLaterThanThat) {
  const RetryPolicy policy;
  Outage outage(policy.patience);
  Retry retry(policy, &outage, 1);
  const absl::Duration asked = *retry.Next(Shed(250), absl::UnixEpoch());
  EXPECT_GE(asked, absl::Milliseconds(250));
  EXPECT_LE(asked, absl::Milliseconds(313));
  EXPECT_LE(*retry.Next(Shed(30000), absl::UnixEpoch()), absl::Seconds(1));
}

TEST(Retry, PatienceIsOneForAll) {
  const RetryPolicy policy;
  Outage outage(policy.patience);
  Retry early(policy, &outage, 1), late(policy, &outage, 2);
  const absl::Time start = absl::UnixEpoch();
  EXPECT_TRUE(early.Next(kLost, start).has_value());
  // This call began long after the absence, and is given up with it.
  EXPECT_TRUE(late.Next(kLost, start + absl::Seconds(58)).has_value());
  EXPECT_FALSE(late.Next(kLost, start + absl::Seconds(61)).has_value());
  // An answer to one call renews the other's patience.
  outage.Answered();
  EXPECT_TRUE(early.Next(kLost, start + absl::Seconds(62)).has_value());
  EXPECT_TRUE(early.Next(kLost, start + absl::Seconds(120)).has_value());
  EXPECT_FALSE(early.Next(kLost, start + absl::Seconds(123)).has_value());
}

TEST(Retry, AConnectionIsNoAnswer) {
  const RetryPolicy policy;
  Outage outage(policy.patience);
  Retry retry(policy, &outage, 1);
  const absl::Time start = absl::UnixEpoch();
  EXPECT_TRUE(retry.Next(kLost, start).has_value());
  EXPECT_EQ(outage.away(start + absl::Seconds(3))->since, absl::Seconds(3));
  outage.Reached();
  EXPECT_FALSE(outage.away(start + absl::Seconds(4)).has_value());
  EXPECT_FALSE(retry.Next(kLost, start + absl::Seconds(61)).has_value());
  EXPECT_EQ(outage.away(start + absl::Seconds(61))->since, absl::Seconds(61));
}

TEST(Retry, WhatIsTriedAgain) {
  using grpc::StatusCode;
  for (const grpc::Status& status :
       {kLost, Shed(1), grpc::Status(StatusCode::CANCELLED, "CANCELLED"),
        grpc::Status(StatusCode::INTERNAL, "Received RST_STREAM with error code 2"),
        grpc::Status(StatusCode::RESOURCE_EXHAUSTED, "Received RST_STREAM with error code 11"),
        grpc::Status(StatusCode::UNKNOWN, "Stream removed")}) {
    EXPECT_TRUE(WasNotAnswered(status)) << status.error_message();
  }
  for (const StatusCode code :
       {StatusCode::INVALID_ARGUMENT, StatusCode::RESOURCE_EXHAUSTED, StatusCode::INTERNAL,
        StatusCode::DEADLINE_EXCEEDED, StatusCode::UNIMPLEMENTED, StatusCode::PERMISSION_DENIED}) {
    EXPECT_FALSE(WasNotAnswered(grpc::Status(code, "no"))) << code;
  }
  EXPECT_FALSE(WasNotAnswered(
      grpc::Status(StatusCode::RESOURCE_EXHAUSTED, "Received message larger than max (9 vs. 4)")));
}

TEST(Retry, WhatIsSaidInTheEnd) {
  RetryPolicy policy;
  policy.patience = absl::Seconds(5);
  Outage outage(policy.patience);
  Retry retry(policy, &outage, 1);
  EXPECT_EQ(retry.Failure(kLost, "host:1"),
            absl::UnavailableError("host:1 has not answered for 5 s (Connection refused)"));
  EXPECT_EQ(retry.Failure(Shed(1), "host:1"),
            absl::UnavailableError("host:1 has refused work for 5 s (the queue is full)"));
  // A call that the other side cancelled does not cancel the command.
  EXPECT_TRUE(absl::IsUnavailable(retry.Failure({grpc::StatusCode::CANCELLED, ""}, "host:1")));
  EXPECT_TRUE(
      absl::IsInvalidArgument(retry.Failure({grpc::StatusCode::INVALID_ARGUMENT, ""}, "host:1")));
}

}  // namespace
}  // namespace kiln::client
