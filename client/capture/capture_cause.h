// Why a pipeline of a capture, or a stage of one, is not compiled: causes that are the capture's,
// not the shader's. Their words are stable, and stand in results as those of the compiler do.
#ifndef KILN_CLIENT_CAPTURE_CAPTURE_CAUSE_H_
#define KILN_CLIENT_CAPTURE_CAPTURE_CAUSE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

enum class CaptureCause : uint8_t {
  kDamagedEntry,
  kMalformedPipeline,
  kNoStages,
  kMissingModule,
  kMissingRenderPass,
  kModuleIdentifier,
  kPipelineLibrary,
  kDynamicState,
  kRasterizerDiscard,
  kDescriptorMapping,
  kUnknownFormat,
  kInvalidSpecialization,
};

struct CaptureCauseRow {
  CaptureCause cause;
  absl::string_view word;
  // Refused: the capture is right, and asks for what is not compiled; else the capture is wrong.
  bool refused;
  absl::string_view sentence;
  absl::string_view remedy;
};

// By CaptureCause.
const std::vector<CaptureCauseRow>& CaptureCauses();

// A reason not to compile, of a stage or of a whole pipeline.
struct CaptureProblem {
  CaptureCause cause = CaptureCause::kMalformedPipeline;
  std::string what;  // which part of it, in a few words
};

// Returns the problem as the result of a stage ("" for none) on a target.
kiln::v1::TargetResult ResultOf(const CaptureProblem& problem, absl::string_view target,
                                absl::string_view stage, absl::string_view entry);

}  // namespace kiln::client

#endif  // KILN_CLIENT_CAPTURE_CAPTURE_CAUSE_H_
