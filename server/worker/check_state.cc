#include "server/worker/check_state.h"

#include <set>

#include "absl/strings/str_cat.h"

namespace kiln::worker {

namespace {

using kiln::v1::ColorAttachment;
using kiln::v1::PipelineState;
using Violations = std::vector<std::pair<std::string, std::string>>;

// Returns true for a precision of the attachment's type.
bool HasPrecision(const ColorAttachment& a) {
  if (a.precision() == ColorAttachment::BITS_32) return true;
  if (!ColorAttachment::Precision_IsValid(a.precision())) return false;
  return (a.precision() == ColorAttachment::INT_16) == (a.type() != ColorAttachment::FLOAT);
}

void CheckAttachments(const PipelineState& state, Violations* out) {
  std::set<uint32_t> locations;
  for (const ColorAttachment& a : state.fragment().color().attachments()) {
    if (a.location() < kMaxAttachments && a.write_mask() <= 0xf &&
        ColorAttachment::NumericType_IsValid(a.type()) && HasPrecision(a) &&
        locations.insert(a.location()).second) {
      continue;
    }
    out->emplace_back(
        "options.state.fragment.color.attachments",
        absl::StrCat(
            "location ", a.location(), ": locations must be from 0 to ", kMaxAttachments - 1,
            ", each given once, masks must have 4 bits, types must be FLOAT, SINT or UINT, and ",
            "precisions BITS_32, INT_16 of integers, or FLOAT_16, UNORM_16 or SNORM_16 of FLOAT"));
    return;
  }
}

void CheckSamples(const PipelineState& state, Violations* out) {
  const uint32_t n = state.fragment().samples();
  if (n <= 16 && (n & (n - 1)) == 0) return;
  out->emplace_back("options.state.fragment.samples",
                    absl::StrCat(n, " is not one of 1, 2, 4, 8 and 16"));
}

void CheckReads(const PipelineState& state, Violations* out) {
  std::set<uint32_t> locations;
  for (const auto& l : state.next_stage_reads().locations()) {
    if (l.location() < kMaxLocations && l.components() >= 1 && l.components() <= 0xf &&
        locations.insert(l.location()).second) {
      continue;
    }
    out->emplace_back(
        "options.state.next_stage_reads.locations",
        absl::StrCat("location ", l.location(), ": locations must be from 0 to ", kMaxLocations - 1,
                     ", each given once, and components from 1 to 15"));
    return;
  }
}

void CheckBuiltins(const PipelineState& state, Violations* out) {
  std::set<std::string> names;
  for (const std::string& name : state.next_stage_reads().builtins()) {
    const bool known = name == "viewport" || name == "clip_distance" || name == "primitive_id";
    if (known && names.insert(name).second) continue;
    out->emplace_back("options.state.next_stage_reads.builtins",
                      "each must be viewport, clip_distance or primitive_id, given once");
    return;
  }
}

void CheckRates(const PipelineState& state, Violations* out) {
  std::set<uint32_t> locations;
  for (const auto& r : state.instance_rates()) {
    if (r.location() < kMaxLocations && locations.insert(r.location()).second) continue;
    out->emplace_back("options.state.instance_rates",
                      absl::StrCat("location ", r.location(), ": locations must be from 0 to ",
                                   kMaxLocations - 1, ", each given once"));
    return;
  }
}

void CheckCulling(const PipelineState& state, Violations* out) {
  if (PipelineState::PrimitiveCulling_IsValid(state.primitive_culling())) return;
  out->emplace_back("options.state.primitive_culling",
                    "must be CULLING_DEFAULT, CULLING_ON or CULLING_OFF");
}

}  // namespace

Violations WrongState(const PipelineState& state) {
  Violations wrong;
  CheckAttachments(state, &wrong);
  CheckSamples(state, &wrong);
  CheckReads(state, &wrong);
  CheckBuiltins(state, &wrong);
  CheckRates(state, &wrong);
  CheckCulling(state, &wrong);
  return wrong;
}

bool IsDefault(const kiln::v1::FragmentState& state) {
  return !state.has_color() && state.samples() <= 1 && !state.sample_shading() &&
         !state.alpha_to_coverage() && !state.alpha_to_one();
}

}  // namespace kiln::worker
