// See vertex.h.
#include "core/sim/scene/vertex.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kiln::sim::scene {
namespace {

constexpr uint64_t kMaxResultBytes = 1u << 28;

absl::Status Wrong(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("vertices: ", what));
}

// Returns the element of an input for a run.
uint64_t ElementOf(const VertexInputs& draw, const VertexInput& input, const VertexRun& run) {
  if (input.per_instance) return uint64_t{draw.first_instance} + run.instance / input.step;
  return static_cast<uint64_t>(int64_t{run.number} + draw.first_vertex);
}

absl::Status CheckElements(const VertexInputs& draw, const VertexInput& input) {
  if (input.components < 1 || input.components > 4) return Wrong("components of an input");
  if (input.step < 1) return Wrong("an input that never advances");
  const uint64_t elements = input.bits.size() / input.components;
  for (uint32_t run = 0; run < draw.Runs(); ++run) {
    if (ElementOf(draw, input, RunAt(draw, run)) < elements) continue;
    return Wrong(
        absl::StrFormat("the input at location %d has %d elements only", input.location, elements));
  }
  return absl::OkStatus();
}

}  // namespace

VertexRun RunAt(const VertexInputs& draw, uint32_t run) {
  const uint32_t place = run % draw.count;
  return {run / draw.count, draw.indices.empty() ? place : draw.indices[place]};
}

const VertexInput* InputAt(const VertexInputs& draw, uint32_t location) {
  for (const VertexInput& i : draw.inputs) {
    if (i.location == location) return &i;
  }
  return nullptr;
}

std::array<uint32_t, 4> FetchVertex(const VertexInputs& draw, const VertexInput& input,
                                    const VertexRun& run) {
  const uint64_t element = ElementOf(draw, input, run);
  std::array<uint32_t, 4> v = {0, 0, 0, input.missing_w};
  for (uint32_t c = 0; c < input.components; ++c) v[c] = input.bits[element * input.components + c];
  return v;
}

absl::Status CheckVertexInputs(absl::Span<const uint32_t> locations, uint64_t entry_bytes,
                               const VertexInputs& draw) {
  if (draw.Runs() < 1 || draw.Runs() > kMaxResultBytes / entry_bytes) {
    return Wrong(absl::StrFormat("%d x %d of them", draw.count, draw.instances));
  }
  if (!draw.indices.empty() && draw.indices.size() != draw.count) return Wrong("number of indices");
  for (uint32_t location : locations) {
    const VertexInput* input = InputAt(draw, location);
    if (input == nullptr) return Wrong(absl::StrFormat("no input at location %d", location));
    if (absl::Status s = CheckElements(draw, *input); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace kiln::sim::scene
