// The launch record: everything a simulator (or a driver) must set up before it starts a program.
//
// Written by Kiln for its own binaries and by tests/peer for Mesa's; proto/launch_record.proto is
// the same schema for files and the wire (its JSON form is what the peer tool prints; keys and
// meanings are described in tests/peer/README.md, "Launch records"). Registers are 32 bytes; a
// position in the register file is {register, byte}.
#ifndef KILN_CORE_OUT_LAUNCH_RECORD_H_
#define KILN_CORE_OUT_LAUNCH_RECORD_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kiln::out {

enum class LoadableBy : uint8_t { kNone, kLevelZero, kRocm };

// A descriptor of the client: element of an arrayed binding.
struct DescriptorRef {
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t element = 0;
};

enum class PushSource : uint8_t {
  kClientPushConstants,
  kUbo,               // the buffer at `ubo`, read ahead
  kBaseWorkgroup,     // 3 dwords
  kNumWorkgroups,     // 3 dwords
  kSubgroupId,        // 1 dword, the number of the thread in its workgroup
  kDescriptorMemory,  // descriptor memory number `ubo.set` (Mesa's binaries only)
  kConstantData,      // bytes `offset`.. of the program's own constant data (Kiln's only)
  kBufferAddress,     // 2 dwords, the device address of the buffer at `ubo` (Kiln's only)
  kDriverInternal,    // Mesa's own, all zero
  kDriverAllOnes,     // Mesa's push_register_mask
  kNothing,
};

struct PushPart {
  uint32_t reg = 0;
  uint32_t byte = 0;
  uint32_t bytes = 0;
  PushSource source = PushSource::kNothing;
  uint32_t offset = 0;  // bytes within the source
  DescriptorRef ubo;
};

enum class SurfaceKind : uint8_t {
  kUbo,
  kSsbo,
  kSampledImage,
  kCombinedImageSampler,
  kStorageImage,
  kUniformTexelBuffer,
  kStorageTexelBuffer,
  kInputAttachment,
  kColorOutput,
  kDescriptorMemory,
  kNull,
  kConstantData,   // LaunchRecord::constant_data (Kiln's only)
  kPushConstants,  // the client's push constants as a buffer (Kiln's only)
  kSampler,        // in descriptor memory only
};

struct SurfaceEntry {
  uint32_t index = 0;  // binding table index
  SurfaceKind kind = SurfaceKind::kNull;
  DescriptorRef descriptor;  // for kDescriptorMemory: `set` is the number of the memory
  uint32_t location = 0;     // colour outputs
  // Texel format in which the program accesses a storage image; empty: the image's own. Given, with
  // a format of the same size, where the hardware cannot read the image's format ("r32ui"; Kiln's
  // binaries only).
  std::string format = {};
};

// Form of a descriptor in descriptor memory.
enum class DescriptorForm : uint8_t {
  kHandles,  // 32 bits surface handle, 32 bits sampler handle (core/intel/ABI.md)
  kAddress,  // of a buffer: 64 bits address, 32 bits size, 32 bits 0 (Mesa's binaries only)
};

// Descriptors that a program reads from memory: `count` elements of a binding, starting at `first`;
// the n-th is at byte offset + n * stride. The memory is a buffer in the binding table. Mesa's
// binaries have one memory for each set, Kiln's one for each binding that needs it.
struct DescriptorRange {
  uint32_t memory = 0;
  SurfaceKind kind = SurfaceKind::kNull;
  DescriptorRef first;
  uint32_t count = 0;  // 0: as many as the client binds
  uint32_t offset = 0;
  uint32_t stride = 0;
  DescriptorForm form = DescriptorForm::kHandles;
  std::string format = {};  // as in SurfaceEntry
};

struct SamplerEntry {
  uint32_t index = 0;
  DescriptorRef descriptor;
};

struct Relocation {
  std::string what;     // "constant_data_address_low", "constant_data_address_high", ...
  uint32_t offset = 0;  // byte in the code at which 32 bits are written
  uint32_t delta = 0;
};

struct ComputeLaunch {
  std::array<uint32_t, 3> local_size = {1, 1, 1};
  uint32_t threads_per_group = 1;
  uint32_t last_thread_mask = 0;  // lanes that the last thread starts with
  uint32_t cross_thread_registers = 0;
  uint32_t per_thread_registers = 0;
  bool uses_barrier = false;
  bool uses_num_workgroups = false;
  // The program reads the workgroup id and does not add the base of the dispatch, which must be 0.
  bool requires_zero_base = false;
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

// Scalars of one type in consecutive components of a location. Kiln's binaries list those that the
// program reads or writes; Mesa's those that the shader declares.
struct LocationPart {
  uint32_t component = 0;
  uint32_t components = 0;
  std::string type = {};  // "float", "int"; Mesa's also "uint"
  uint32_t bits = 0;
  bool flat = false;  // for a fragment's inputs
};

// The attribute in one slot of the setup data: a location, or a built-in if `builtin` is not empty
// ("primitive_id", "point_coord", "clip_distance_0", "clip_distance_1", "cull_distance_0", ...).
struct SetupAttribute {
  uint32_t slot = 0;
  uint32_t location = 0;
  uint32_t first_component = 0;
  std::string builtin = {};
  bool flat = false;
  std::vector<LocationPart> inputs = {};  // of a location, ascending by component
};

enum class DepthOutput : uint8_t { kOff, kAny, kGreater, kLess };

struct FragmentLaunch {
  std::vector<PayloadItem> payload;   // ascending by register
  uint32_t setup_first_register = 0;  // after payload and push constants; two a slot
  uint32_t setup_slots = 0;
  uint32_t flat_mask = 0;  // bit per slot: all components have the provoking vertex's values
  std::vector<SetupAttribute> attributes;  // ascending by slot
  DepthOutput depth = DepthOutput::kOff;
  bool writes_stencil = false;
  bool writes_sample_mask = false;
  bool dual_source = false;
  bool uses_discard = false;  // lanes may be missing from the last write
  bool early_tests = false;
  bool post_depth_coverage = false;
  bool has_side_effects = false;
  bool vector_mask = false;  // channels start with it, not with the dispatch mask
  bool interpolator_messages = false;
  // Barycentric coordinates without perspective are in the payload or are requested from the pixel
  // interpolator: 3DSTATE_CLIP, Non-Perspective Barycentric Enable.
  bool nonperspective = false;
  bool per_sample = false;  // a lane is a sample of a pixel
  // Hardware accepts the program only together with one of 8 or 16 lanes of the same shader (Kiln's
  // only).
  bool beside_narrower = false;
  // Samples per pixel that the program was compiled for; it is wrong for any other number.
  uint32_t samples = 0;
  bool sample_shading = false;  // requested by the module; state may request it, too
  // Compiled for state with alpha to coverage. If the program writes no sample mask, the hardware
  // must do it.
  bool alpha_to_coverage = false;
};

// System value in one component of an attribute slot of a vertex program (other slots hold the
// client's attributes).
enum class VertexValue : uint8_t {
  kFirstVertex,       // of the draw; for indexed draws the offset added to indices
  kBaseInstance,      // of the draw
  kVertexIdFromZero,  // the vertex's number in the draw; for indexed draws its index
  kInstanceIdFromZero,
  kDrawId,
  kIsIndexedDraw,  // all ones or 0 (Mesa's binaries only)
};

struct VertexSystemValue {
  uint32_t component = 0;
  VertexValue what = VertexValue::kFirstVertex;
};

// The four registers of a slot (x, y, z, w of eight vertices): the attribute at a location, or
// `system_values` if that is not empty.
struct VertexAttribute {
  uint32_t slot = 0;
  uint32_t location = 0;
  std::vector<VertexSystemValue> system_values = {};
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
  std::vector<LocationPart> outputs = {};  // of a location, ascending by component
};

// A vertex thread starts with r0, r1 (a handle of a URB entry for each of eight vertices), push
// constants and attributes. The program writes the outputs into the entries.
struct VertexLaunch {
  uint32_t setup_first_register = 0;  // after the push constants; four registers a slot
  uint32_t setup_slots = 0;
  std::vector<VertexAttribute> attributes;  // ascending by slot
  uint32_t vue_slots = 0;                   // of four dwords
  bool separate = false;                    // slots of locations do not depend on which are written
  uint32_t urb_entry_size = 0;              // in units of 64 bytes; holds attributes, too
  // The distances of the eight in slots 2 and 3 that clip
  uint32_t clip_distance_mask = 0;
  uint32_t cull_distance_mask = 0;  // and those that cull
  std::vector<VueSlot> vue;         // ascending by slot
  uint32_t view_mask = 0;           // for multiview; 0: none
  // Multiplies the draw's number of instances, and the number of instances after which per-instance
  // attributes advance: the program runs each instance once for each view.
  uint32_t instance_multiplier = 1;
};

struct LaunchRecord {
  std::string target;  // "tgl", ...
  std::string entry_point;
  std::string stage;  // "compute", "fragment", "vertex"
  LoadableBy loadable_by = LoadableBy::kNone;
  uint32_t entry = 0;  // byte offset of the first instruction
  uint32_t code_bytes = 0;
  uint32_t dispatch_width = 0;  // lanes per thread
  uint32_t grf_used = 0;
  uint32_t push_constant_bytes = 0;  // size of the client's push constant block
  uint32_t push_first_register = 0;
  uint32_t push_registers = 0;
  std::vector<PushPart> push;
  ComputeLaunch compute;    // of stage "compute"
  FragmentLaunch fragment;  // of stage "fragment"
  VertexLaunch vertex;      // of stage "vertex"
  std::vector<SurfaceEntry> binding_table;
  std::vector<SamplerEntry> sampler_table;
  uint32_t shared_bytes = 0;  // shared memory per workgroup, surface 254
  uint32_t scratch_bytes_per_thread = 0;
  std::vector<Relocation> relocations;
  std::vector<uint8_t> constant_data;
  std::vector<DescriptorRange> descriptor_memory;
  bool needs_descriptor_memory = false;  // the program needs more than the two tables
};

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_LAUNCH_RECORD_H_
