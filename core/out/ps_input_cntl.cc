// See ps_input_cntl.h.
#include "core/out/ps_input_cntl.h"

#include <cstddef>

#include "absl/strings/str_format.h"

namespace kiln::out {
namespace {

bool IsConstant(const AmdParameter& p) { return (p.spi_ps_input_cntl & kOffsetBit5) != 0; }

}  // namespace

const AmdParameter* ParameterFor(const AmdVertex& vertex, const FragmentInput& input) {
  for (const AmdParameter& p : vertex.parameters) {
    if (p.builtin == input.builtin && (!p.builtin.empty() || p.location == input.location)) {
      return &p;
    }
  }
  return nullptr;
}

uint32_t LinkPsInputCntl(uint32_t fragment, const AmdParameter* parameter) {
  if ((fragment & kPtSpriteTex) != 0) return fragment;
  if (parameter == nullptr) return kOffsetBit5;
  if (IsConstant(*parameter)) return parameter->spi_ps_input_cntl;
  if (parameter->per_primitive) fragment &= ~kFlatShade;
  return fragment | parameter->spi_ps_input_cntl;
}

absl::Status CheckLinkedInputs(const LaunchRecord& vertex, const LaunchRecord& fragment) {
  bool primitives = false;  // from here on inputs must be of primitives
  for (size_t n = 0; n < fragment.fragment.inputs.size(); ++n) {
    const FragmentInput& input = fragment.fragment.inputs[n];
    const AmdParameter* const p = ParameterFor(AmdOf(vertex).vertex, input);
    const bool per_primitive = p != nullptr && p->per_primitive;
    if (primitives && !per_primitive) {
      return absl::InvalidArgumentError(
          absl::StrFormat("launch records: input %d is of vertices, behind one of primitives", n));
    }
    primitives |= per_primitive;
    if (input.per_vertex && p != nullptr && IsConstant(*p)) {
      return absl::UnimplementedError(absl::StrFormat(
          "unsupported: values of each vertex at location %d, which the vertex program does not "
          "export, since it is constant",
          input.location));
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::out
