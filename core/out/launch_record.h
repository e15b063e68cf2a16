// The launch record: everything a simulator (or a driver) must set up before it starts a program.
//
// Written by Kiln for its own binaries and by tests/peer for Mesa's; proto/launch_record.proto is
// the same schema for files and the wire (its JSON form is what the peer tool prints; keys and
// meanings are described in tests/peer/README.md, "Launch records").
// Registers are 32 bytes; a place in the register file is {register, byte}.
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
  DescriptorRef descriptor;  // of kDescriptorMemory: `set` is the number of the memory
  uint32_t location = 0;     // colour outputs
  // Texel format that the program accesses a storage image in, if not the image's own: of the same
  // size, where the hardware cannot read the image's format ("r32ui"; Kiln's binaries only).
  std::string format = {};
};

// What a descriptor is in descriptor memory.
enum class DescriptorForm : uint8_t {
  kHandles,  // 32 bits surface handle, 32 bits sampler handle (core/intel/ABI.md)
  kAddress,  // of a buffer: 64 bits address, 32 bits size, 32 bits 0 (Mesa's binaries only)
};

// Descriptors that a program reads from memory: `count` elements of a binding from `first` on, the
// n-th at byte offset + n * stride. The memory is a buffer in the binding table. Mesa's binaries
// have a memory for each set, Kiln's one for each binding that needs it.
struct DescriptorRange {
  uint32_t memory = 0;
  SurfaceKind kind = SurfaceKind::kNull;
  DescriptorRef first;
  uint32_t count = 0;  // 0: as many as the client binds
  uint32_t offset = 0;
  uint32_t stride = 0;
  DescriptorForm form = DescriptorForm::kHandles;
  std::string format = {};  // as of a SurfaceEntry
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
  // The program reads the workgroup id and does not add the base of the dispatch: it is to be 0.
  bool requires_zero_base = false;
};

// What lies in a part of a fragment thread's payload. Meanings: tests/peer/README.md, "fragment".
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
  uint32_t first_lane = 0;  // 16: of the upper half of a SIMD32 thread
};

// Scalars of one type in consecutive components of a location. Of Kiln's binaries: those that the
// program reads, or writes; of Mesa's: those that the shader declares.
struct LocationPart {
  uint32_t component = 0;
  uint32_t components = 0;
  std::string type = {};  // "float", "int"; Mesa's also "uint"
  uint32_t bits = 0;
  bool flat = false;  // of a fragment's inputs
};

// The attribute in one slot of the setup data: a location, or a built-in where `builtin` is not
// empty
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
  uint32_t setup_first_register = 0;  // behind payload and push constants; two a slot
  uint32_t setup_slots = 0;
  uint32_t flat_mask = 0;  // bit per slot: all components are the provoking vertex's
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
  // Barycentric coordinates without perspective are delivered or asked of the pixel interpolator:
  // 3DSTATE_CLIP, Non-Perspective Barycentric Enable.
  bool nonperspective = false;
  bool per_sample = false;  // a lane is a sample of a pixel
  // Hardware takes the program only beside one of 8 or 16 lanes of the same shader (Kiln's only).
  bool beside_narrower = false;
  // Samples of a pixel that the program was compiled for: it is right for no other number.
  uint32_t samples = 0;
  bool sample_shading = false;  // the module asks for it; state may, too
  // Compiled for state with alpha to coverage: without a mask of samples it is hardware's to do.
  bool alpha_to_coverage = false;
};

// What arrives in one component of an attribute slot of vertex programs beside attributes of the
// client.
enum class VertexValue : uint8_t {
  kFirstVertex,       // of the draw; of an indexed one the offset that is added to indices
  kBaseInstance,      // of the draw
  kVertexIdFromZero,  // the vertex's number in the draw; of an indexed one its index
  kInstanceIdFromZero,
  kDrawId,
  kIsIndexedDraw,  // all ones or 0 (Mesa's binaries only)
};

struct VertexSystemValue {
  uint32_t component = 0;
  VertexValue what = VertexValue::kFirstVertex;
};

// The four registers of a slot (x, y, z, w of eight vertices): the attribute at a location, or,
// where `system_values` is not empty, these.
struct VertexAttribute {
  uint32_t slot = 0;
  uint32_t location = 0;
  std::vector<VertexSystemValue> system_values = {};
};

// What a slot of the VUE (vertex URB entry) holds for the stages behind.
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
  uint32_t element = 0;  // of the array of distances
  // The module writes it, or it is the layer and holds the view. Else it is 0 in the header, and a
  // distance without contents, which neither mask has (Kiln's records; Mesa's say it of the header
  // alone).
  bool from_shader = false;
};

// Slots that the map leaves out hold nothing.
struct VueSlot {
  uint32_t slot = 0;
  VueContent what = VueContent::kHeader;
  uint32_t location = 0;
  std::string builtin = {};
  std::vector<VuePart> parts = {};
  bool written = false;  // the program writes the slot; else its contents are arbitrary
  std::vector<LocationPart> outputs = {};  // of a location, ascending by component
};

// A vertex thread: r0, r1 with a handle of a URB entry for each of eight vertices, push constants,
// attributes. The program writes the outputs into the entries.
struct VertexLaunch {
  uint32_t setup_first_register = 0;  // behind the push constants; four registers a slot
  uint32_t setup_slots = 0;
  std::vector<VertexAttribute> attributes;  // ascending by slot
  uint32_t vue_slots = 0;                   // of four dwords
  bool separate = false;        // places of locations do not depend on which ones are written
  uint32_t urb_entry_size = 0;  // in units of 64 bytes; holds attributes, too
  // Of the eight distances in slots 2 and 3: those that clip
  uint32_t clip_distance_mask = 0;
  uint32_t cull_distance_mask = 0;  // and those that cull
  std::vector<VueSlot> vue;         // ascending by slot
  uint32_t view_mask = 0;           // of multiview; 0: none
  // What the draw's number of instances is multiplied by, and likewise after how many instances
  // attributes by instance advance: the program has runs for each view.
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
  bool needs_descriptor_memory = false;  // more than the tables is needed
};

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_LAUNCH_RECORD_H_
