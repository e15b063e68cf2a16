// The client library against a service made for the test: retries, digests first, errors, Stop.
#include "client/service/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "core/base/testing/await.h"
#include "proto/error_details.pb.h"

namespace kiln::client {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::TargetResult;
using testing::HasSubstr;

grpc::Status WithDetail(grpc::StatusCode code, const google::protobuf::Message& detail) {
  google::rpc::Status status;
  status.set_code(code);
  status.add_details()->PackFrom(detail);
  return {code, "refused", status.SerializeAsString()};
}

grpc::Status Shed(int milliseconds) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_nanos(milliseconds * 1000000);
  return WithDetail(grpc::StatusCode::UNAVAILABLE, info);
}

class FakeDaemon : public kiln::v1::Compiler::Service {
 public:
  grpc::Status GetCapabilities(grpc::ServerContext*, const kiln::v1::GetCapabilitiesRequest*,
                               kiln::v1::Capabilities* response) override {
    response->set_version("fake");
    response->mutable_limits()->set_max_message_bytes(max_message_bytes);
    return grpc::Status::OK;
  }
  grpc::Status Compile(grpc::ServerContext* context, const CompileRequest* request,
                       CompileResponse* response) override {
    ++calls;
    if (hang) {
      hanging = true;
      while (!context->IsCancelled()) absl::SleepFor(absl::Milliseconds(1));
      return grpc::Status::CANCELLED;
    }
    if (shed-- > 0) return Shed(20);
    if (!refuse.ok()) return refuse;
    for (const std::string& target : request->targets()) {
      auto* result = response->add_results();
      result->set_target(target);
      bool known = request->source_case() != CompileRequest::kDigest || cached;
      result->set_status(known ? TargetResult::OK : TargetResult::NOT_CACHED);
    }
    return grpc::Status::OK;
  }

  std::atomic<int> calls{0};
  std::atomic<int> shed{0};
  std::atomic<bool> hang{false};
  std::atomic<bool> hanging{false};
  bool cached = false;
  uint64_t max_message_bytes = 0;
  grpc::Status refuse;
};

class ClientTest : public testing::Test {
 protected:
  void SetUp() override {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&daemon_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
    options_.server = "127.0.0.1:" + std::to_string(port);
  }
  std::unique_ptr<Client> Connect() {
    auto client = Client::Connect(options_);
    EXPECT_TRUE(client.ok()) << client.status();
    return client.ok() ? *std::move(client) : nullptr;
  }
  static CompileRequest Request(size_t bytes = 20) {
    CompileRequest request;
    request.set_spirv(std::string(bytes, 'x'));
    request.add_targets("tgl");
    return request;
  }

  FakeDaemon daemon_;
  std::unique_ptr<grpc::Server> server_;
  ClientOptions options_;
};

TEST_F(ClientTest, Compiles) {
  auto client = Connect();
  auto response = client->Compile(Request());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->results(0).status(), TargetResult::OK);
  EXPECT_EQ(client->GetCapabilities()->version(), "fake");
}

TEST_F(ClientTest, ComesBackWhenAskedTo) {
  auto client = Connect();
  daemon_.shed = 3;
  absl::Time start = absl::Now();
  auto response = client->Compile(Request());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(daemon_.calls, 4);
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(60));
}

TEST_F(ClientTest, GivesUpWhenPatienceIsOver) {
  options_.retry.patience = absl::Milliseconds(50);
  auto client = Connect();
  daemon_.shed = 1000;
  EXPECT_TRUE(absl::IsUnavailable(client->Compile(Request()).status()));
  EXPECT_LT(daemon_.calls, 10);
}

TEST_F(ClientTest, NamesTheFieldOfABadRequest) {
  auto client = Connect();
  google::rpc::BadRequest bad;
  auto* violation = bad.add_field_violations();
  violation->set_field("targets");
  violation->set_description("there is no such target");
  daemon_.refuse = WithDetail(grpc::StatusCode::INVALID_ARGUMENT, bad);
  absl::Status status = client->Compile(Request()).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(status.message(), "targets: there is no such target");
  EXPECT_EQ(daemon_.calls, 1);
}

TEST_F(ClientTest, LargeSourcesGoByDigestFirst) {
  auto client = Connect();
  ASSERT_TRUE(client->Compile(Request(1 << 20)).ok());
  EXPECT_EQ(daemon_.calls, 2);
  daemon_.cached = true;
  ASSERT_TRUE(client->Compile(Request(1 << 20)).ok());
  EXPECT_EQ(daemon_.calls, 3);
  CompileRequest refresh = Request(1 << 20);
  refresh.set_cache_policy(kiln::v1::CACHE_REFRESH);
  ASSERT_TRUE(client->Compile(refresh).ok());
  EXPECT_EQ(daemon_.calls, 4);
}

TEST_F(ClientTest, DeadlineAndStop) {
  options_.call_timeout = absl::Milliseconds(100);
  auto client = Connect();
  daemon_.hang = true;
  EXPECT_TRUE(absl::IsDeadlineExceeded(client->Compile(Request()).status()));

  options_.call_timeout = absl::Seconds(60);
  client = Connect();
  daemon_.hanging = false;
  absl::Status status;
  std::thread caller([&] { status = client->Compile(Request()).status(); });
  EXPECT_TRUE(Await([&] { return daemon_.hanging.load(); }));
  client->Stop();
  caller.join();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_TRUE(absl::IsCancelled(client->Compile(Request()).status()));
}

TEST_F(ClientTest, SurvivesARestart) {
  auto client = Connect();
  ASSERT_TRUE(client->Compile(Request()).ok());
  server_->Shutdown();
  server_.reset();
  std::thread later([this] {
    absl::SleepFor(absl::Milliseconds(300));
    grpc::ServerBuilder builder;
    builder.AddListeningPort(options_.server, grpc::InsecureServerCredentials());
    builder.RegisterService(&daemon_);
    server_ = builder.BuildAndStart();
  });
  auto response = client->Compile(Request());
  later.join();
  ASSERT_NE(server_, nullptr);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->results(0).status(), TargetResult::OK);
  EXPECT_EQ(daemon_.calls, 2);
}

TEST_F(ClientTest, PatientAtTheStartIfAskedTo) {
  server_->Shutdown();
  server_.reset();
  std::thread later([this] {
    absl::SleepFor(absl::Milliseconds(300));
    grpc::ServerBuilder builder;
    builder.AddListeningPort(options_.server, grpc::InsecureServerCredentials());
    builder.RegisterService(&daemon_);
    server_ = builder.BuildAndStart();
  });
  options_.patient_at_start = true;
  std::atomic<int> waits{0};
  options_.on_wait = [&](const Away& away) {
    ++waits;
    EXPECT_EQ(away.patience, absl::Seconds(60));
  };
  auto client = Client::Connect(options_);
  later.join();
  EXPECT_TRUE(client.ok()) << client.status();
  EXPECT_GT(waits, 0);
}

TEST_F(ClientTest, WhatCannotBeSentIsNot) {
  daemon_.max_message_bytes = 2000;
  auto client = Connect();
  const absl::Status large = client->Compile(Request(3000)).status();
  EXPECT_TRUE(absl::IsResourceExhausted(large));
  EXPECT_THAT(std::string(large.message()), HasSubstr("the daemon accepts 2000"));
  CompileRequest request = Request();
  request.mutable_options()->add_disabled_passes("cse\xff");
  const absl::Status text = client->Compile(request).status();
  EXPECT_TRUE(absl::IsInvalidArgument(text));
  EXPECT_EQ(text.message(), "options.disabled_passes[0]: not UTF-8: byte 0xff at offset 3");
  EXPECT_EQ(daemon_.calls, 0);
}

TEST_F(ClientTest, NoDaemonAnswers) {
  server_->Shutdown();
  server_.reset();
  absl::Time start = absl::Now();
  auto client = Client::Connect(options_);
  EXPECT_TRUE(absl::IsUnavailable(client.status()));
  EXPECT_THAT(std::string(client.status().message()), HasSubstr("no kilnd answers on 127.0.0.1:"));
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
}

TEST(ServerAddress, Forms) {
  for (const char* good : {"127.0.0.1:7411", "localhost:1", "[::1]:65535", "::1:7411",
                           "unix:/run/kiln", "unix:kiln.sock", "tls:host:7443", "tls:[::1]:1"}) {
    EXPECT_TRUE(CheckServerAddress(good).ok()) << good;
  }
  for (const char* bad : {"", "localhost", ":7411", "host:0", "host:65536", "host:x", "a:b:7411",
                          "http://host:7411", "unix:", "tls:", "tls:host", "tls:unix:x"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(CheckServerAddress(bad))) << bad;
  }
}

}  // namespace
}  // namespace kiln::client
