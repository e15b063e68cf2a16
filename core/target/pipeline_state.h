// The pipeline state that the code of a graphics stage depends on besides its module, and the
// locations that the next stage reads.
//
// Back ends see it, Prepare does not, because it is for one target's code. Defaults are the values
// that the drawing tool of tests/peer uses (proto/README.md).
#ifndef KILN_CORE_TARGET_PIPELINE_STATE_H_
#define KILN_CORE_TARGET_PIPELINE_STATE_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace kiln {

enum class AttachmentType : uint8_t { kFloat, kSint, kUint };

// The form in which an attachment may take outputs: the narrowest that keeps all it can hold.
enum class AttachmentPrecision : uint8_t { k32, kFloat16, kUnorm16, kSnorm16, kInt16 };

struct ColorAttachment {
  uint32_t location = 0;
  AttachmentType type = AttachmentType::kFloat;
  uint8_t write_mask = 0xf;  // bit 0 is red
  bool second_blend_source = false;
  AttachmentPrecision precision = AttachmentPrecision::k32;
  bool blend_reads_alpha = false;  // factors of colours read the output's alpha, whatever the mask
  friend bool operator==(const ColorAttachment&, const ColorAttachment&) = default;
};

struct FragmentState {
  // Ascending by location; absent: all outputs are written.
  std::optional<std::vector<ColorAttachment>> attachments;
  uint32_t samples = 1;
  bool sample_shading = false;
  bool alpha_to_coverage = false;
  bool alpha_to_one = false;
  friend bool operator==(const FragmentState&, const FragmentState&) = default;
};

struct ReadLocation {
  uint32_t location = 0;
  uint8_t components = 0;  // bit 0 is x
  friend bool operator==(const ReadLocation&, const ReadLocation&) = default;
};

// Built-ins that the next stage reads of vertices.
struct NextStageBuiltIns {
  bool viewport = false;
  bool distances = false;  // to clip and cull by
  bool primitive_id = false;
  friend bool operator==(const NextStageBuiltIns&, const NextStageBuiltIns&) = default;
};

// An attribute whose elements are of instances, not of vertices.
struct InstanceRate {
  uint32_t location = 0;
  uint32_t divisor = 1;  // instances that share an element; 0: all of a draw
  friend bool operator==(const InstanceRate&, const InstanceRate&) = default;
};

// Says which vertex programs leave out primitives that have no fragments. Targets whose programs
// know no primitives ignore it.
enum class PrimitiveCulling : uint8_t {
  kDefault,  // as the target finds best
  kOn,       // a shader whose primitives cannot be left out is refused
  kOff,
};

struct PipelineState {
  FragmentState fragment;
  // Ascending by location; absent: the next stage reads all.
  std::optional<std::vector<ReadLocation>> next_stage_reads;
  // Absent: none with `next_stage_reads`; all without.
  std::optional<NextStageBuiltIns> next_stage_built_ins;
  // Ascending by location. Attributes that are not here are of vertices. Targets whose fixed
  // functions fetch attributes ignore it.
  std::vector<InstanceRate> instance_rates;
  // A bit for each view that is drawn (VkPipelineRenderingCreateInfo::viewMask); 0: no multiview.
  uint32_t view_mask = 0;
  PrimitiveCulling primitive_culling = PrimitiveCulling::kDefault;
  bool IsDefault() const { return *this == PipelineState(); }
  friend bool operator==(const PipelineState&, const PipelineState&) = default;
};

}  // namespace kiln

#endif  // KILN_CORE_TARGET_PIPELINE_STATE_H_
