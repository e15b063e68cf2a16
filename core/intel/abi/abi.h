// Intel ABI: where a program finds its resources and parameters (core/intel/ABI.md).
//
// In: the MIR module, and for a graphics stage the pipeline's state. Out: binding table and sampler
// indices and the push layout, functions of these alone, so that every width of a shader has the
// same tables. Cost: linear in the module.
#ifndef KILN_CORE_INTEL_ABI_ABI_H_
#define KILN_CORE_INTEL_ABI_ABI_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/intel/abi/fragment.h"
#include "core/intel/abi/uniform_ranges.h"
#include "core/intel/abi/vertex.h"
#include "core/intel/abi/views.h"
#include "core/intel/device/device.h"
#include "core/mir/mir.h"
#include "core/out/launch_record.h"
#include "core/target/pipeline_state.h"

namespace kiln::intel {

inline constexpr uint32_t kSharedMemorySurface = 254;
inline constexpr uint32_t kDescriptorBytes = 8;  // in descriptor memory: surface and sampler handle

// An entry of the binding table; its index is its place.
struct TableSurface {
  out::SurfaceContent what = out::SurfaceContent::kNull;
  uint32_t resource = 0;  // MIR resource
  uint32_t element = 0;   // of its binding
  uint32_t location = 0;  // of a colour output
  uint32_t memory = 0;    // of a descriptor memory: number in Abi::descriptor_memory
};

struct TableSampler {
  uint32_t resource = 0;  // MIR resource
  uint32_t element = 0;   // of its binding
};

// A memory with the handles of all descriptors of a binding, from element 0 on.
struct DescriptorMemory {
  uint32_t resource = 0;  // a MIR resource of the binding
  uint32_t count = 0;     // of descriptors; 0: as many as the client binds
};

struct Abi {
  const Device* device = nullptr;
  std::vector<TableSurface> binding_table;
  std::vector<TableSampler> sampler_table;
  std::vector<uint32_t> resource_surface;  // by MIR resource, the first of an array; or kNoSurface
                                           // if never used
  std::vector<uint32_t> resource_sampler;  // likewise, sampler indices
  // By MIR resource whose surfaces or samplers are not in the tables: the binding table index of
  // the memory with their handles. Else kNoSurface.
  std::vector<uint32_t> surface_memory;
  std::vector<uint32_t> sampler_memory;
  std::vector<DescriptorMemory> descriptor_memory;
  std::vector<bool> raw_image;  // by MIR resource: storage images that are bound as
                                // 32-bit integers: IsUnreadableFormat, and floats with atomics
  static constexpr uint32_t kNoSurface = 0xffffffffu;
  std::optional<uint32_t> constant_surface;  // Module::constant_data
  std::optional<uint32_t> push_surface;      // push constants, for offsets known only at run time

  std::optional<FragmentAbi> fragment;  // of fragment programs
  std::optional<VertexAbi> vertex;      // of vertex programs
  Views views;                          // of graphics programs

  // Push data: offsets in bytes from the start of the first push register
  // (WidthAbi::first_push_register).
  uint32_t client_bytes = 0;               // at byte 0
  std::optional<uint32_t> num_workgroups;  // byte of the 3 dwords
  std::optional<uint32_t> base_workgroup;
  struct BufferAddress {
    uint32_t resource = 0;  // MIR resource
    uint32_t element = 0;   // of an array
    uint32_t byte = 0;      // of the 2 dwords
  };
  std::vector<BufferAddress> buffer_addresses;  // buffers that are accessed by address
  uint32_t cross_thread_registers = 0;          // with uniform_ranges
  std::vector<UniformRange> uniform_ranges;     // after the rest; see PushRanges
  uint32_t per_thread_registers = 0;            // 1 if the subgroup id is read
  std::optional<uint32_t> subgroup_id;          // byte

  // Bits of cr0.0 that the program must change because the module requires another rounding or
  // handling of subnormals than the dispatch sets.
  uint32_t control_set = 0;
  uint32_t control_clear = 0;

  bool requires_zero_base = false;  // the workgroup id is read, the base is not
  bool uses_barrier = false;
  bool writes_shared = false;           // writes shared memory, by stores or atomics
  bool writes_buffers = false;          // writes storage buffers or images
  uint32_t scratch_bytes_per_lane = 0;  // private arrays
  std::vector<uint32_t> array_offset;   // by private array: its first byte in a lane's scratch
};

// Returns the descriptor of the array that a constant index names. An index beyond the array, which
// is undefined if it is executed, names the last one (ABI.md, "Limits").
uint32_t KnownElement(const Device& device, const mir::Resource& resource, uint64_t index);

// Returns true for formats that the data port writes but cannot read: an image that the shader
// reads is bound as 32-bit unsigned integers, and the program converts.
bool IsUnreadableFormat(mir::ImageFormat format);

// Assigns the ABI of a module. Returns ResourceExhausted if it exceeds a limit of the device: of
// bindings and the descriptors of one, of a workgroup's size and shared memory, of push constants,
// and of the scratch memory that private arrays take in the narrowest thread.
// `device` must outlive the result. Errors of fragment and vertex programs in addition: see
// AssignFragment, AssignVertex, CheckViews.
absl::StatusOr<Abi> AssignAbi(const mir::Module& module, const Device& device,
                              const PipelineState& state = {});

// Adds ranges after the data that is pushed already, in this order. Called at most once for each
// Abi, for graphics stages.
void PushRanges(std::vector<UniformRange> ranges, Abi& abi);

// Returns the push register with 32 bytes of a uniform buffer, counted from the first; nothing if
// they are not pushed.
std::optional<uint32_t> PushedRegister(const Abi& abi, uint32_t resource, uint32_t element,
                                       uint32_t index);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_ABI_H_
