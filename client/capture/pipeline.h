// A pipeline of a capture, as far as compiling its stages needs it.
//
// Nothing that a pipeline refers to is followed but its render pass and, by the caller, its
// modules: pipelines that it derives from or is linked from may refer to each other in a circle.
#ifndef KILN_CLIENT_CAPTURE_PIPELINE_H_
#define KILN_CLIENT_CAPTURE_PIPELINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/capture/capture.h"
#include "client/capture/capture_cause.h"
#include "client/capture/graphics_state.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

struct CapturedStage {
  std::string stage;  // the API's name; empty: unknown
  std::string entry;
  uint64_t module = 0;                       // its hash
  std::vector<kiln::v1::SpecConstant> spec;  // by id
  kiln::v1::CompileOptions options;          // with the stage's state
  std::optional<CaptureProblem> problem;
};

struct CapturedPipeline {
  std::vector<CapturedStage> stages;
  std::optional<CaptureProblem> problem;  // of the whole pipeline, which may then have no stages

  // Returns the index of the fragment stage that reads the vertex stage's outputs. nullopt: another
  // stage reads them, or none does.
  std::optional<size_t> ReaderOfVertexOutputs() const;
};

// Reads the payload of pipeline `id`.
CapturedPipeline ReadPipeline(const PipelineId& id, absl::string_view payload,
                              const RenderPassOf& render_pass);

}  // namespace kiln::client

#endif  // KILN_CLIENT_CAPTURE_PIPELINE_H_
