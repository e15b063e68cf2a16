// Captures of any bytes: opened, and every pipeline and module of them read.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "client/capture/pipeline.h"

namespace {

// The reader takes files; one file is used again and again.
const std::string& InputPath() {
  static const auto& path = *new std::string([] {
    const char* folder = getenv("TEST_TMPDIR");
    return std::string(folder == nullptr ? "/tmp" : folder) + "/capture_fuzz." +
           std::to_string(getpid()) + ".foz";
  }());
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FILE* file = fopen(InputPath().c_str(), "wb");
  if (file == nullptr) abort();
  // The empty input has no address.
  if (size != 0 && fwrite(data, 1, size, file) != size) abort();
  if (fclose(file) != 0) abort();
  const auto capture = kiln::client::Capture::Open(InputPath());
  if (!capture.ok()) return 0;
  for (const kiln::client::PipelineId& id : (*capture)->pipelines()) {
    const auto payload = (*capture)->Payload(id.kind, id.hash);
    if (!payload.ok()) continue;
    const kiln::client::CapturedPipeline pipeline =
        kiln::client::ReadPipeline(id, *payload, [&](uint64_t pass) {
          return (*capture)->Payload(kiln::client::FozTag::kRenderPass, pass);
        });
    if (pipeline.stages.empty() && !pipeline.problem.has_value()) abort();
    for (const kiln::client::CapturedStage& stage : pipeline.stages) {
      const auto code = (*capture)->Module(stage.module);
      if (code.ok() && code->size() % 4 != 0) abort();
    }
  }
  return 0;
}
