// Vertex programs, which are primitive shaders (NGG): the attributes that they fetch, their exports
// and the registers that a driver writes for them (core/amd/ABI.md, "Vertices").
//
// In: the MIR module and the pipeline's state. Out: functions of both, the same at both wave sizes.
// Only attributes that are read have descriptors. Numbers of parameters follow from the outputs
// that are written and read by the next stage, in an order that does not depend on its code. Cost:
// linear.
//
// A program culls if state says so, or by default if the shader suits it: the rule is RADV's.
//
// Sources: Mesa 25.0.7, radv_shader_info.c (order of parameters, sizes of groups), radv_shader.c
// (registers, radv_consider_culling), radv_cmd_buffer.c (radv_get_ngg_culling_settings),
// ac_nir_prerast_utils.c (order and contents of positions), ac_nir_opt_outputs.c (constants instead
// of parameters).
#ifndef KILN_CORE_AMD_ABI_VERTEX_H_
#define KILN_CORE_AMD_ABI_VERTEX_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/mir/mir.h"
#include "core/out/launch_record.h"
#include "core/target/pipeline_state.h"

namespace kiln::amd {

// The first user SGPR of a primitive shader; those before it are the hardware's.
inline constexpr uint32_t kFirstVertexUserSgpr = 8;
// Hardware's SGPRs: counts of the group; counts of the wave; offset of the wave's scratch.
inline constexpr uint32_t kGroupSgpr = 2, kWaveSgpr = 3, kVertexScratchSgpr = 5;
// VGPRs of a lane's primitive and of its vertex.
// kPrimitiveVgpr has the packed primitive, or, in a program that culls, the indices of the first
// two vertices in 16 bits each; kThirdVertexVgpr then has the third one's.
inline constexpr uint32_t kPrimitiveVgpr = 0, kThirdVertexVgpr = 1, kPrimitiveIdVgpr = 2;
inline constexpr uint32_t kVertexIdVgpr = 5, kInstanceIdVgpr = 8;
// The most vertices, and the most primitives, of a workgroup: the usual number, and all.
inline constexpr uint32_t kGroupSize = 128;
inline constexpr uint32_t kGroupSizes[] = {kGroupSize, 256};
// Bits of the SGPR `culling_settings`. If none of the first two and kCullSmall is set, nothing is
// to be left out, and primitives may be other than triangles.
enum CullingSetting : uint32_t {
  kCullFront = 1u << 0,
  kCullBack = 1u << 1,
  kFrontIsCounterClockwise = 1u << 2,  // in window space with the viewport's sign of y
  kCullSmall = 1u << 3,                // triangles that miss all samples
};
// [31:24]: the precision of kCullSmall, log2 of a distance in samples, signed.
inline constexpr int kCullingPrecisionShift = 24;

// A location that the program fetches through a V# of its own, whose number is the attribute's.
struct VertexAttribute {
  uint32_t location = 0;
  uint32_t components = 0;  // up to the last one that is read
  std::string type = {};    // as in out::AmdAttribute
  // Instances that share an element; absent: vertices have elements.
  std::optional<uint32_t> divisor = std::nullopt;
};

// A value that fragments read: a parameter export, or a constant that needs none.
struct VertexParameter {
  enum class Source : uint8_t { kViewport, kLocation, kDistances, kPrimitiveId };
  Source source = Source::kLocation;
  uint32_t number = 0;  // the location; which group of four distances
  // Number of the export; kConstant plus one of four constants (0000, 0001, 1110, 1111).
  uint32_t slot = 0;
  static constexpr uint32_t kConstant = 64;
  bool exported() const { return slot < kConstant; }
};

// The contents of position exports besides the position itself.
struct PositionParts {
  bool point_size = false, layer = false, viewport = false;
  uint8_t clip = 0, cull = 0;  // distances that are written, a bit for each of eight components

  bool miscellaneous() const { return point_size || layer || viewport; }
  // Returns true if one of the four distances of a group is written.
  bool group(uint32_t n) const { return ((clip | cull) >> (4 * n) & 0xf) != 0; }
  uint32_t exports() const;
};

struct VertexAbi {
  static constexpr uint32_t kNoAttribute = 0xffffffffu;

  std::vector<VertexAttribute> attributes;  // ascending by location
  // By MIR input and element: the attribute of its location; kNoAttribute: not read, or a built-in.
  std::vector<std::vector<uint32_t>> of;
  // Values of the draw that the program reads, in SGPRs from kFirstVertexUserSgpr on.
  std::optional<uint32_t> vertex_buffers, first_vertex, draw_id, base_instance, view_index;
  // Only of programs that cull: bits of CullingSetting and the precision; the first of four floats,
  // scale x, scale y, offset x, offset y of the viewport, times samples.
  std::optional<uint32_t> culling_settings, viewport;
  bool reads_first_vertex = false, reads_vertex_id = false, reads_base_instance = false;
  bool reads_instance_id = false, reads_draw_id = false, reads_view = false;
  PositionParts positions;
  std::vector<VertexParameter> parameters;  // ascending by slot among those that are exported
  std::vector<out::VertexOutput> outputs;   // locations that are written, ascending
  uint32_t view_mask = 0;
  bool side_effects = false;         // stores, atomics
  bool culls = false;                // leaves out primitives, as culling_settings says
  uint32_t group_size = kGroupSize;  // the most vertices, and the most primitives, of a workgroup

  // Places the values of the draw in SGPRs; returns the number of the next one.
  uint32_t PlaceSgprs(uint32_t next);
  // Returns the parameter of a source, or null.
  const VertexParameter* ParameterOf(VertexParameter::Source source, uint32_t number = 0) const;
  uint32_t vertex_exports() const;  // parameters of vertices
  bool exports_primitive_id() const;
  // Returns the VGPRs that the hardware fills up to.
  uint32_t input_vgprs() const;
  // Fields of SPI_SHADER_PGM_RSRC1_GS and RSRC2_GS.
  uint32_t GsVgprCompCnt() const { return exports_primitive_id() ? 2 : culls ? 1 : 0; }
  uint32_t EsVgprCompCnt() const { return reads_instance_id ? 3 : 0; }
};

// Errors: ResourceExhausted (vertex_inputs, vertex_outputs) for more attributes, distances or
// parameters than there are; Unimplemented (the same causes) for 64 bits; InvalidArgument
// (multiview_layer) if the layer is written under multiview; Unimplemented (primitive_culling) if
// state asks for culling that the shader does not allow.
absl::StatusOr<VertexAbi> AssignVertex(const mir::Module& module, const PipelineState& state,
                                       uint32_t group_size = kGroupSize);

// Returns the number among all distances of an output's element: cull distances follow clip
// distances.
uint32_t DistanceOf(const mir::Module& module, const mir::Interface& output, uint32_t element);

// Returns AMD's part and the common part of a vertex program's launch record.
void DescribeVertex(const VertexAbi& abi, out::LaunchRecord& record);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_ABI_VERTEX_H_
