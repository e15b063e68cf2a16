// The names of kinds in launch records. Internal to the conversion.
//
// Several names of the peer tool have the same meaning here; the first name of a value is written.
#ifndef KILN_PROTO_LAUNCH_TABLES_H_
#define KILN_PROTO_LAUNCH_TABLES_H_

#include "core/out/launch_record.h"
#include "proto/launch_names.h"

namespace kiln::proto {

inline constexpr NameOf<out::LoadableBy> kLoaders[] = {
    {"none", out::LoadableBy::kNone},
    {"", out::LoadableBy::kNone},
    {"level_zero", out::LoadableBy::kLevelZero},
    {"rocm", out::LoadableBy::kRocm},
};

inline constexpr NameOf<out::ResourceKind> kResourceKinds[] = {
    {"ubo", out::ResourceKind::kUbo},
    {"ssbo", out::ResourceKind::kSsbo},
    {"sampled_image", out::ResourceKind::kSampledImage},
    {"combined_image_sampler", out::ResourceKind::kCombinedImageSampler},
    {"storage_image", out::ResourceKind::kStorageImage},
    {"uniform_texel_buffer", out::ResourceKind::kUniformTexelBuffer},
    {"storage_texel_buffer", out::ResourceKind::kStorageTexelBuffer},
    {"input_attachment", out::ResourceKind::kInputAttachment},
    {"sampler", out::ResourceKind::kSampler},
};

inline constexpr NameOf<out::PushSource> kPushSources[] = {
    {"client_push_constants", out::PushSource::kClientPushConstants},
    {"ubo", out::PushSource::kUbo},
    {"base_workgroup", out::PushSource::kBaseWorkgroup},
    {"num_workgroups", out::PushSource::kNumWorkgroups},
    {"subgroup_id", out::PushSource::kSubgroupId},
    {"descriptor_memory", out::PushSource::kDescriptorMemory},
    {"constant_data", out::PushSource::kConstantData},
    {"buffer_address", out::PushSource::kBufferAddress},
    {"driver_internal", out::PushSource::kDriverInternal},
    {"descriptor_set_offset", out::PushSource::kDriverInternal},
    {"sampler_set_offset", out::PushSource::kDriverInternal},
    {"dynamic_buffer_offset", out::PushSource::kDriverInternal},
    {"surfaces_base_offset", out::PushSource::kDriverInternal},
    {"ray_query_globals", out::PushSource::kDriverInternal},
    {"msaa_flags", out::PushSource::kDriverInternal},
    {"push_register_mask", out::PushSource::kDriverAllOnes},
    {"nothing", out::PushSource::kNothing},
};

inline constexpr NameOf<out::DescriptorForm> kDescriptorForms[] = {
    {"handles", out::DescriptorForm::kHandles},
    {"address", out::DescriptorForm::kAddress},
    {"buffer_resource", out::DescriptorForm::kBufferResource},
    {"image_resource", out::DescriptorForm::kImageResource},
    {"sampler_resource", out::DescriptorForm::kSamplerResource},
};

inline constexpr NameOf<out::DepthOutput> kDepthOutputs[] = {
    {"off", out::DepthOutput::kOff},   {"", out::DepthOutput::kOff},
    {"any", out::DepthOutput::kAny},   {"greater", out::DepthOutput::kGreater},
    {"less", out::DepthOutput::kLess},
};

inline constexpr NameOf<out::VertexValue> kVertexValues[] = {
    {"first_vertex", out::VertexValue::kFirstVertex},
    {"base_instance", out::VertexValue::kBaseInstance},
    {"vertex_id_from_zero", out::VertexValue::kVertexIdFromZero},
    {"instance_id_from_zero", out::VertexValue::kInstanceIdFromZero},
    {"draw_id", out::VertexValue::kDrawId},
    {"is_indexed_draw", out::VertexValue::kIsIndexedDraw},
};

// Names in Intel's part.

inline constexpr NameOf<out::SurfaceContent> kSurfaceContents[] = {
    {"resource", out::SurfaceContent::kResource},
    {"color_output", out::SurfaceContent::kColorOutput},
    {"descriptor_memory", out::SurfaceContent::kDescriptorMemory},
    {"constant_data", out::SurfaceContent::kConstantData},
    {"push_constants", out::SurfaceContent::kPushConstants},
    {"null", out::SurfaceContent::kNull},
};

inline constexpr NameOf<out::PayloadPart> kPayloadParts[] = {
    {"header", out::PayloadPart::kHeader},
    {"pixel_positions", out::PayloadPart::kPixelPositions},
    {"barycentric_perspective_pixel", out::PayloadPart::kPerspectivePixel},
    {"barycentric_perspective_centroid", out::PayloadPart::kPerspectiveCentroid},
    {"barycentric_perspective_sample", out::PayloadPart::kPerspectiveSample},
    {"barycentric_linear_pixel", out::PayloadPart::kLinearPixel},
    {"barycentric_linear_centroid", out::PayloadPart::kLinearCentroid},
    {"barycentric_linear_sample", out::PayloadPart::kLinearSample},
    {"source_depth", out::PayloadPart::kSourceDepth},
    {"source_w", out::PayloadPart::kSourceW},
    {"sample_position_offsets", out::PayloadPart::kPositionOffsets},
    {"input_coverage_mask", out::PayloadPart::kInputCoverage},
    {"depth_w_coefficients", out::PayloadPart::kDepthWCoefficients},
    {"perspective_barycentric_coefficients", out::PayloadPart::kPerspectiveCoefficients},
    {"linear_barycentric_coefficients", out::PayloadPart::kLinearCoefficients},
    {"sample_offsets", out::PayloadPart::kSampleOffsets},
};

// Any other name is that of a built-in.
inline constexpr NameOf<out::VueContent> kVueContents[] = {
    {"header", out::VueContent::kHeader},
    {"position", out::VueContent::kPosition},
    {"distances", out::VueContent::kDistances},
    {"location", out::VueContent::kLocation},
};

inline constexpr NameOf<out::VueValue> kVueValues[] = {
    {"shading_rate", out::VueValue::kShadingRate},
    {"layer", out::VueValue::kLayer},
    {"viewport", out::VueValue::kViewport},
    {"point_size", out::VueValue::kPointSize},
    {"clip_distance", out::VueValue::kClipDistance},
    {"cull_distance", out::VueValue::kCullDistance},
};

// Names in AMD's part.

inline constexpr NameOf<out::SgprContent> kSgprContents[] = {
    {"scratch_base", out::SgprContent::kScratchBase},
    {"driver_table", out::SgprContent::kDriverTable},
    {"descriptor_memory", out::SgprContent::kDescriptorMemory},
    {"descriptor_memories", out::SgprContent::kDescriptorMemories},
    {"push_constants", out::SgprContent::kPushConstants},
    {"vertex_buffers", out::SgprContent::kVertexBuffers},
    {"first_vertex", out::SgprContent::kFirstVertex},
    {"draw_id", out::SgprContent::kDrawId},
    {"base_instance", out::SgprContent::kBaseInstance},
    {"view_index", out::SgprContent::kViewIndex},
    {"ngg_culling", out::SgprContent::kNggCulling},
    {"ngg_viewport", out::SgprContent::kNggViewport},
    {"pixel_state", out::SgprContent::kPixelState},
};

}  // namespace kiln::proto

#endif  // KILN_PROTO_LAUNCH_TABLES_H_
