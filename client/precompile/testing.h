// A service for tests: answers requests without a compiler, and counts them.
#ifndef KILN_CLIENT_PRECOMPILE_TESTING_H_
#define KILN_CLIENT_PRECOMPILE_TESTING_H_

#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "client/service/service.h"
#include "proto/launch_record_convert.h"

namespace kiln::client {

// Compiles everything; a fragment shader reads x and y of location 2. Remembers the requests.
class FakeService : public Service {
 public:
  absl::StatusOr<kiln::v1::CompileResponse> Compile(
      const kiln::v1::CompileRequest& request) override {
    absl::MutexLock lock(&mutex_);
    requests.push_back(request);
    if (!error.ok()) return error;
    kiln::v1::CompileResponse response;
    for (const std::string& target : request.targets()) {
      auto* result = response.add_results();
      result->set_target(target);
      const std::string& stage = request.has_glsl() ? request.glsl().stage() : request.stage();
      result->set_stage(stage);
      result->set_entry_point(request.entry_point());
      result->set_version("1");
      result->set_code_generation_version(7);
      result->set_status(status);
      if (status != kiln::v1::TargetResult::OK) continue;
      AddVariant(stage == "fragment", result);
    }
    return response;
  }
  absl::StatusOr<kiln::v1::Capabilities> GetCapabilities() override { return Stages(); }
  absl::StatusOr<std::vector<ServiceHealth>> Health() override {
    return std::vector<ServiceHealth>();
  }
  void Stop() override {}
  std::string Name() const override { return "fake"; }

  static kiln::v1::Capabilities Stages() {
    kiln::v1::Capabilities capabilities;
    for (const char* stage : {"compute", "vertex", "fragment"}) capabilities.add_stages(stage);
    return capabilities;
  }

  std::vector<kiln::v1::CompileRequest> requests;
  kiln::v1::TargetResult::Status status = kiln::v1::TargetResult::OK;
  absl::Status error;

 private:
  static void AddVariant(bool reads, kiln::v1::TargetResult* result) {
    auto* launch = result->add_variants()->mutable_launch();
    launch->set_record_version(kiln::proto::kRecordVersion);
    if (!reads) return;
    auto* input = launch->mutable_fragment()->add_inputs();
    input->set_location(2);
    auto* part = input->add_parts();
    part->set_components(2);
    part->set_type("float");
    part->set_bits(32);
  }

  absl::Mutex mutex_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_PRECOMPILE_TESTING_H_
