// Intel's part of the launch record: where a thread finds what the common part lists.
//
// Registers are GRFs of 32 bytes. core/intel/ABI.md describes what Kiln's programs use of this,
// tests/peer/README.md also what Mesa's do.
#ifndef KILN_CORE_OUT_INTEL_LAUNCH_H_
#define KILN_CORE_OUT_INTEL_LAUNCH_H_

#include <cstdint>
#include <string>
#include <vector>

namespace kiln::out {

enum class SurfaceContent : uint8_t {
  kResource,
  kColorOutput,
  kDescriptorMemory,
  kConstantData,   // LaunchRecord::constant_data (Kiln's only)
  kPushConstants,  // the client's push constants as a buffer (Kiln's only)
  kNull,
};

// An entry of the binding table.
struct SurfaceEntry {
  uint32_t index = 0;
  SurfaceContent what = SurfaceContent::kNull;
  uint32_t resource = 0;  // number in LaunchRecord::resources
  uint32_t element = 0;   // of an arrayed binding
  uint32_t location = 0;  // of a colour output
  uint32_t memory = 0;    // number of a descriptor memory
};

struct SamplerEntry {
  uint32_t index = 0;
  uint32_t resource = 0;  // a sampler, or an image with one
  uint32_t element = 0;
};

struct IntelCompute {
  uint32_t threads_per_group = 1;
  uint32_t last_thread_mask = 0;  // lanes that the last thread starts with
  // The push data: registers that all threads of a workgroup have the same, then those that differ.
  uint32_t cross_thread_registers = 0;
  uint32_t per_thread_registers = 0;
};

// Contents of a part of a fragment thread's payload. Meanings: tests/peer/README.md, "fragment".
enum class PayloadPart : uint8_t {
  kHeader,
  kPixelPositions,
  kPerspectivePixel,
  kPerspectiveCentroid,
  kPerspectiveSample,  // barycentric coordinates
  kLinearPixel,
  kLinearCentroid,
  kLinearSample,
  kSourceDepth,
  kSourceW,
  kPositionOffsets,  // of the sample in its pixel
  kInputCoverage,
  kDepthWCoefficients,
  kPerspectiveCoefficients,
  kLinearCoefficients,
  kSampleOffsets,
};

struct PayloadItem {
  uint32_t reg = 0;
  uint32_t registers = 0;
  PayloadPart what = PayloadPart::kHeader;
  uint32_t first_lane = 0;  // 16: the part holds the upper half of a SIMD32 thread
};

struct IntelFragment {
  std::vector<PayloadItem> payload;   // ascending by register
  uint32_t setup_first_register = 0;  // after payload and push data; two a slot
  uint32_t setup_slots = 0;
  std::vector<uint32_t> input_slots;  // of each of FragmentLaunch::inputs
  bool vector_mask = false;           // channels start with it, not with the dispatch mask
  bool interpolator_messages = false;
  // Barycentric coordinates without perspective are in the payload or are requested from the pixel
  // interpolator: 3DSTATE_CLIP, Non-Perspective Barycentric Enable.
  bool nonperspective = false;
  // Hardware accepts the program only together with one of 8 or 16 lanes of the same shader (Kiln's
  // only).
  bool beside_narrower = false;
};

// Contents of a slot of the VUE (vertex URB entry), for the stages after the vertex shader.
enum class VueContent : uint8_t {
  kHeader,  // shading rate, layer, viewport, point size: see `parts`
  kPosition,
  kDistances,  // four of the clip and cull distances: see `parts`
  kLocation,
  kBuiltin,  // the one named `builtin` ("primitive_id", "view_index", ...)
};

enum class VueValue : uint8_t {
  kShadingRate,
  kLayer,
  kViewport,
  kPointSize,
  kClipDistance,
  kCullDistance,
};

struct VuePart {
  uint32_t component = 0;
  VueValue what = VueValue::kShadingRate;
  uint32_t element = 0;  // index in the array of distances
  // True if the module writes the part, or if it is the layer and holds the view. Otherwise the
  // part of a header is 0, and a distance has no contents and is in neither mask (in Kiln's
  // records; Mesa's give this for the header alone).
  bool from_shader = false;
};

// A slot of the VUE. Slots that are not listed hold nothing.
struct VueSlot {
  uint32_t slot = 0;
  VueContent what = VueContent::kHeader;
  uint32_t location = 0;
  std::string builtin = {};
  std::vector<VuePart> parts = {};
  bool written = false;  // the program writes the slot; else its contents are arbitrary
};

// A vertex thread starts with r0, r1 (a handle of a URB entry for each of eight vertices), push
// data and attribute slots of four registers (x, y, z, w of eight vertices): one for each of
// VertexLaunch::attributes, in that order, then one for kFirstVertex, kBaseInstance,
// kVertexIdFromZero, kInstanceIdFromZero in these components (3DSTATE_VF_SGVS) if one of them is
// read, then one for kDrawId, kIsIndexedDraw likewise. The program writes the outputs into the
// entries.
struct IntelVertex {
  uint32_t setup_first_register = 0;  // after the push data
  uint32_t setup_slots = 0;
  uint32_t vue_slots = 0;       // of four dwords
  uint32_t urb_entry_size = 0;  // in units of 64 bytes; holds attributes, too
  // The distances of the eight in slots 2 and 3 that clip
  uint32_t clip_distance_mask = 0;
  uint32_t cull_distance_mask = 0;  // and those that cull
  std::vector<VueSlot> vue;         // ascending by slot
};

struct IntelLaunch {
  // The push data is these registers (LaunchRecord::push).
  uint32_t push_first_register = 0;
  uint32_t push_registers = 0;
  std::vector<SurfaceEntry> binding_table;
  std::vector<SamplerEntry> sampler_table;
  IntelCompute compute;  // of the record's stage
  IntelFragment fragment;
  IntelVertex vertex;
};

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_INTEL_LAUNCH_H_
