// Tests what health checks and watches are told. tests/service/python_client_test.py tests it with
// a client of another language.
#include "server/rpc/health_service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/blocking_counter.h"

namespace kiln::server {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

class HealthServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
    stub_ = Health::NewStub(grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                                grpc::InsecureChannelCredentials()));
  }
  static HealthCheckRequest Of(const std::string& name) {
    HealthCheckRequest request;
    request.set_service(name);
    return request;
  }
  // Returns the status as a number, or the negated code of the call.
  int Check(const HealthCheckRequest& request) {
    grpc::ClientContext context;
    HealthCheckResponse response;
    const grpc::Status status = stub_->Check(&context, request, &response);
    return status.ok() ? response.status() : -status.error_code();
  }
  // As Check.
  static int Next(grpc::ClientReader<HealthCheckResponse>* watch) {
    HealthCheckResponse response;
    return watch->Read(&response) ? response.status() : -watch->Finish().error_code();
  }

  HealthService service_{{"", "a.Service"}};
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Health::Stub> stub_;
};

TEST_F(HealthServiceTest, ACheckTellsWhatIsSoNow) {
  for (const char* name : {"", "a.Service"}) {
    EXPECT_EQ(Check(Of(name)), HealthCheckResponse::SERVING);
    service_.SetServing(false);
    EXPECT_EQ(Check(Of(name)), HealthCheckResponse::NOT_SERVING);
    service_.SetServing(true);
  }
  EXPECT_EQ(Check(Of("another.Service")), -grpc::NOT_FOUND);
}

TEST_F(HealthServiceTest, AWatchIsToldOfEachChangeOnce) {
  grpc::ClientContext known_context, unknown_context;
  const auto known = stub_->Watch(&known_context, Of("a.Service"));
  const auto unknown = stub_->Watch(&unknown_context, Of("another.Service"));
  EXPECT_EQ(Next(unknown.get()), HealthCheckResponse::SERVICE_UNKNOWN);
  EXPECT_EQ(Next(known.get()), HealthCheckResponse::SERVING);
  service_.SetServing(true);
  service_.SetServing(false);
  EXPECT_EQ(Next(known.get()), HealthCheckResponse::NOT_SERVING);
  service_.SetServing(false);
  service_.SetServing(true);
  EXPECT_EQ(Next(known.get()), HealthCheckResponse::SERVING);
  service_.End();
  EXPECT_EQ(Next(known.get()), -grpc::UNAVAILABLE);
  EXPECT_EQ(Next(unknown.get()), -grpc::UNAVAILABLE);
  grpc::ClientContext late_context;
  EXPECT_EQ(Next(stub_->Watch(&late_context, Of("")).get()), -grpc::UNAVAILABLE);
}

TEST_F(HealthServiceTest, WhatIsTooLargeOrNoRequestIsRefused) {
  HealthCheckRequest odd;
  odd.GetReflection()->MutableUnknownFields(&odd)->AddLengthDelimited(
      9, std::string(HealthService::kMaxRequestBytes, 'x'));
  EXPECT_EQ(Check(odd), -grpc::RESOURCE_EXHAUSTED);
  grpc::ClientContext large_context, garbage_context;
  EXPECT_EQ(Next(stub_->Watch(&large_context, odd).get()), -grpc::RESOURCE_EXHAUSTED);
  odd.Clear();
  odd.GetReflection()->MutableUnknownFields(&odd)->AddFixed32(1, 0);
  EXPECT_EQ(Check(odd), HealthCheckResponse::SERVING) << "a field of another type is unknown";
  odd.Clear();
  odd.GetReflection()->MutableUnknownFields(&odd)->AddLengthDelimited(1, "\xff");  // no UTF-8
  EXPECT_EQ(Check(odd), -grpc::INVALID_ARGUMENT);
  EXPECT_EQ(Next(stub_->Watch(&garbage_context, odd).get()), -grpc::INVALID_ARGUMENT);
}

// Clients may leave at any moment; sanitisers would report a use after free.
TEST_F(HealthServiceTest, WatchersComeAndGoWhileTheStateChanges) {
  constexpr int kThreads = 4, kWatches = 100;
  absl::BlockingCounter left(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kWatches; ++i) {
        grpc::ClientContext context;
        const auto watch = stub_->Watch(&context, Of("a.Service"));
        for (int read = 0; read < (i + t) % 4; ++read) EXPECT_GT(Next(watch.get()), 0);
        context.TryCancel();
        watch->Finish();
      }
      left.DecrementCount();
    });
  }
  std::atomic<bool> done = false;
  std::thread changes([&] {
    for (bool serving = false; !done; serving = !serving) service_.SetServing(serving);
  });
  left.Wait();
  done = true;
  changes.join();
  for (auto& thread : threads) thread.join();
  service_.SetServing(true);
  EXPECT_EQ(Check(Of("")), HealthCheckResponse::SERVING);
}

}  // namespace
}  // namespace kiln::server
