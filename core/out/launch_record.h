// The launch record: everything a simulator (or a driver) must set up before it starts a program.
//
// A record has a common part, whose fields mean the same for every architecture, and one part for
// the architecture of its program, which says where things are: registers, tables, slots of inputs
// (intel_launch.h, amd_launch.h). Written by Kiln for its own binaries and by tests/peer for
// Mesa's; proto/kiln/v1/launch_record.proto is the same schema for files and the wire. Keys and
// meanings are described in tests/peer/README.md, "Launch records".
//
// A thread is what runs `dispatch_width` lanes together: a thread of Intel's, a wave of AMD's.
#ifndef KILN_CORE_OUT_LAUNCH_RECORD_H_
#define KILN_CORE_OUT_LAUNCH_RECORD_H_

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/out/amd_launch.h"
#include "core/out/intel_launch.h"
#include "core/out/resources.h"

namespace kiln::out {

enum class LoadableBy : uint8_t { kNone, kLevelZero, kRocm };

enum class PushSource : uint8_t {
  kClientPushConstants,
  kUbo,               // the uniform buffer `resource`, read ahead
  kBaseWorkgroup,     // 3 dwords
  kNumWorkgroups,     // 3 dwords
  kSubgroupId,        // 1 dword, the number of the thread in its workgroup
  kDescriptorMemory,  // the descriptor memory number `memory`, read ahead (Mesa's binaries only)
  kConstantData,      // of the program's own constant data (Kiln's only)
  kBufferAddress,     // 2 dwords, the device address of the buffer `resource` (Kiln's only)
  kDriverInternal,    // Mesa's own, all zero
  kDriverAllOnes,     // Mesa's push_register_mask
  kNothing,
};

// Data that a thread finds in its registers when it starts: `bytes` of a source, from its byte
// `offset` on. The architecture's part says which registers the push data are.
struct PushPart {
  uint32_t at = 0;  // byte of the push data
  uint32_t bytes = 0;
  PushSource source = PushSource::kNothing;
  uint32_t offset = 0;    // bytes within the source
  uint32_t resource = 0;  // of kUbo and kBufferAddress: number in LaunchRecord::resources
  uint32_t element = 0;   // and the element of an array
  uint32_t memory = 0;    // of kDescriptorMemory
};

// Form of a descriptor in descriptor memory.
enum class DescriptorForm : uint8_t {
  kHandles,  // Intel: 32 bits surface handle, 32 bits sampler handle (core/intel/ABI.md)
  kAddress,  // of a buffer: 64 bits address, 32 bits size, 32 bits 0 (Mesa's binaries only)
  // AMD's hardware: of a buffer or texel buffer 4 dwords (V#), of an image 8 (T#), of a sampler 4
  // (S#). An image with a sampler has two ranges.
  kBufferResource,
  kImageResource,
  kSamplerResource,
};

// Descriptors that a program reads from memory: `count` elements of a resource, starting at
// `element`; the n-th is at byte offset + n * stride. Where the program finds the memory is the
// architecture's. Mesa's binaries have one memory for each set, Kiln's one for each binding that
// needs it.
struct DescriptorRange {
  uint32_t memory = 0;    // number of the memory
  uint32_t resource = 0;  // number in LaunchRecord::resources
  uint32_t element = 0;
  uint32_t count = 0;  // 0: as many as the client binds
  uint32_t offset = 0;
  uint32_t stride = 0;
  DescriptorForm form = DescriptorForm::kHandles;
};

struct Relocation {
  std::string what;     // "constant_data_address_low", "constant_data_address_high", ...
  uint32_t offset = 0;  // byte in the code at which 32 bits are written
  uint32_t delta = 0;
};

struct ComputeLaunch {
  std::array<uint32_t, 3> local_size = {1, 1, 1};
  bool uses_barrier = false;
  // The program reads the workgroup id and does not add the base of the dispatch, which must be 0.
  bool requires_zero_base = false;
};

// Scalars of one type in consecutive components of a location. Kiln's binaries list those that the
// program reads or writes; Mesa's those that the shader declares.
struct LocationPart {
  uint32_t component = 0;
  uint32_t components = 0;
  std::string type = {};  // "float", "int"; Mesa's also "uint"
  uint32_t bits = 0;
};

// An input of a fragment program, one value for each primitive, one for each of its vertices, or
// interpolated: a location, or a built-in if `builtin` is not empty ("primitive_id", "point_coord",
// "clip_distance_0", "clip_distance_1", "cull_distance_0", ...). A location whose components differ
// in this is several inputs.
struct FragmentInput {
  uint32_t location = 0;
  std::string builtin = {};
  bool flat = false;                     // has the provoking vertex's values
  std::vector<LocationPart> parts = {};  // of a location, ascending by component
  bool per_vertex = false;               // has the values of each vertex, none interpolated
};

enum class DepthOutput : uint8_t { kOff, kAny, kGreater, kLess };

struct FragmentLaunch {
  std::vector<FragmentInput> inputs;
  std::vector<uint32_t> colors;  // locations of the render targets that it writes, ascending
  DepthOutput depth = DepthOutput::kOff;
  bool writes_stencil = false;
  bool writes_sample_mask = false;
  bool dual_source = false;
  bool uses_discard = false;  // lanes may be missing from the last write
  bool early_tests = false;
  bool post_depth_coverage = false;
  bool has_side_effects = false;
  bool per_sample = false;  // a lane is a sample of a pixel
  // Samples per pixel that the program was compiled for; it is wrong for any other number.
  uint32_t samples = 0;
  // Compiled for state with alpha to coverage. If the program writes no sample mask, the hardware
  // must do it.
  bool alpha_to_coverage = false;
};

// A value of the draw that a vertex program reads, besides its attributes.
enum class VertexValue : uint8_t {
  kFirstVertex,       // of the draw; for indexed draws the offset added to indices
  kBaseInstance,      // of the draw
  kVertexIdFromZero,  // the vertex's number in the draw; for indexed draws its index
  kInstanceIdFromZero,
  kDrawId,
  kIsIndexedDraw,  // all ones or 0 (Mesa's binaries only)
};

struct VertexOutput {
  uint32_t location = 0;
  std::vector<LocationPart> parts = {};  // ascending by component
};

struct VertexLaunch {
  std::vector<uint32_t> attributes;        // locations that it reads, ascending
  std::vector<VertexValue> system_values;  // that it reads, ascending
  std::vector<VertexOutput> outputs;       // locations that it writes, ascending
  uint32_t view_mask = 0;                  // for multiview; 0: none
  // Multiplies the draw's number of instances, and the number of instances after which per-instance
  // attributes advance: the program runs each instance once for each view.
  uint32_t instance_multiplier = 1;
};

struct LaunchRecord {
  std::string target;  // "tgl", "gfx1030", ...
  std::string entry_point;
  std::string stage;  // "compute", "fragment", "vertex"
  LoadableBy loadable_by = LoadableBy::kNone;
  uint32_t entry = 0;  // byte offset of the first instruction
  uint32_t code_bytes = 0;
  uint32_t dispatch_width = 0;  // lanes per thread
  // Everything of the client that the program may access by a descriptor (resources.h).
  std::vector<Resource> resources;
  // Size of the client's push constant block; 0: the program reads none of it.
  uint32_t push_constant_bytes = 0;
  std::vector<PushPart> push;
  std::vector<DescriptorRange> descriptor_memory;
  uint32_t shared_bytes = 0;  // shared memory per workgroup
  uint32_t scratch_bytes_per_thread = 0;
  std::vector<Relocation> relocations;
  std::vector<uint8_t> constant_data;
  ComputeLaunch compute;    // of stage "compute"
  FragmentLaunch fragment;  // of stage "fragment"
  VertexLaunch vertex;      // of stage "vertex"
  // The architecture's part; every complete record has one.
  std::variant<std::monostate, IntelLaunch, AmdLaunch> arch;
};

// Returns Intel's part, which the record must have.
inline const IntelLaunch& IntelOf(const LaunchRecord& record) {
  return std::get<IntelLaunch>(record.arch);
}
inline IntelLaunch& IntelOf(LaunchRecord& record) { return std::get<IntelLaunch>(record.arch); }

// Returns AMD's part, which the record must have.
inline const AmdLaunch& AmdOf(const LaunchRecord& record) {
  return std::get<AmdLaunch>(record.arch);
}

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_LAUNCH_RECORD_H_
