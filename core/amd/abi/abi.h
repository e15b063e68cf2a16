// Where a program of gfx1030 finds its data when it starts: user SGPRs, system SGPRs,
// VGPRs, and descriptors in memory. ABI.md has the reasons.
//
//   s[0:1]   address of the scratch of all waves (SgprContent::kScratchBase)
//   s2       low half of the address of descriptor memory 0, which holds a descriptor for each
//            element of each binding that the program uses; then a register for each further one
//            (an array without known length is a memory of its own)
//   then     low half of the address of the client's push constants, if some of them are not in
//            registers
//   then     push data: number of workgroups, base workgroup, push constants
//   then     workgroup ids, as far as the program reads them, then the word with the number of the
//            wave (tg_size)
//   v0 to v2 local ids x, y, z, as far as the workgroup has dimensions
//
// A fragment program has the same user SGPRs, then the word that interpolation reads (prim_mask);
// its VGPRs are the inputs that it reads (fragment.h). A vertex program has its user SGPRs from s8
// on, but the scratch's address, and among them values of the draw (vertex.h).
//
// A kernel of ROCm (AbiKind::kKernarg) has all of the client's data in the kernel argument segment:
//
//   s[0:1]   address of the segment
//   s[2:3]   address of the scratch of all waves (flat scratch init)
//   then     workgroup ids and tg_size, as above
//   segment  push constants; number of workgroups, base workgroup, 12 bytes each, as far as the
//            program reads them; of each buffer 64 bits of address, 32 of size, 32 unused. Parts
//            begin at multiples of 16.
#ifndef KILN_CORE_AMD_ABI_ABI_H_
#define KILN_CORE_AMD_ABI_ABI_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/amd/abi/fragment.h"
#include "core/amd/abi/vertex.h"
#include "core/mir/mir.h"
#include "core/out/amdhsa.h"
#include "core/out/launch_record.h"
#include "core/target/pipeline_state.h"

namespace kiln::amd {

inline constexpr uint32_t kMaxUserSgprs = 16;  // of compute (COMPUTE_PGM_RSRC2.USER_SGPR)
// The same of graphics stages, without the field's sixth bit (SPI_SHADER_PGM_RSRC2).
inline constexpr uint32_t kMaxGraphicsUserSgprs = 31;
inline constexpr uint32_t kScratchSgpr = 0;
inline constexpr uint32_t kKernargSgpr = 0, kKernelScratchSgpr = 2;  // of kKernarg; pairs
// Bits 63:32 of addresses that are passed in one SGPR.
inline constexpr uint32_t kAddressHigh = 0xffff8000;

// The bytes of a descriptor of each form (out::DescriptorForm).
inline constexpr uint32_t kBufferDescriptorBytes = 16, kImageDescriptorBytes = 32,
                          kSamplerDescriptorBytes = 16;

// The descriptors of a resource: that of its element is at `offset`, the next one `stride` bytes
// behind it. The sampler of an image that has one is 32 bytes behind the image.
struct DescriptorLocation {
  uint32_t memory = 0;
  uint32_t offset = 0;
  uint32_t stride = 0;
};

enum class AbiKind : uint8_t {
  kDriver,   // for a driver or simulator that reads the launch record
  kKernarg,  // a kernel in an amdhsa code object (core/out/amdhsa.h)
};

struct Abi {
  AbiKind kind = AbiKind::kDriver;
  const mir::Module* module = nullptr;
  std::vector<DescriptorLocation> places;  // by MIR resource
  std::vector<uint32_t> descriptor_sgprs;  // by number of the memory
  std::optional<uint32_t> push_pointer;    // SGPR
  uint32_t pixel_state = 0;                // SGPR of programs that read barycentric coordinates
  std::optional<uint32_t> num_workgroups;  // first of three SGPRs
  std::optional<uint32_t> base_workgroup;  // likewise
  uint32_t push_sgpr = 0;                  // first SGPR with push constants
  uint32_t push_dwords = 0;  // of the client's block that are in SGPRs, from its start
  // For kKernarg, bytes: offsets of three dwords each, and the size of the segment. `places` are
  // offsets in the segment too.
  std::optional<uint32_t> num_workgroups_offset, base_workgroup_offset;
  uint32_t kernarg_bytes = 0;
  uint32_t first_user_sgpr = 0;  // of those that USER_SGPR counts
  uint32_t user_sgprs = 0;       // number of the SGPR behind the last of them
  std::array<std::optional<uint32_t>, 3> workgroup_id;  // SGPRs
  std::optional<uint32_t> wave_word;                    // SGPR: tg_size
  uint32_t start_sgprs = 0;                             // user and system SGPRs together
  uint32_t scratch_offset_sgpr = 0;                     // the wave's, if there is scratch
  uint32_t local_ids = 1;                               // VGPRs
  std::optional<FragmentAbi> fragment;                  // of fragment programs
  std::optional<VertexAbi> vertex;                      // of vertex programs
  bool uses_barrier = false;
  bool needs_base = false;
};

// Returns the ABI of a module. `ngg_group`: one of kGroupSizes, of vertex programs. Errors
// (refusals): more descriptor memories than registers; for a kernel, resources that are no buffers,
// and arrays of buffers without known length; those of AssignFragment and AssignVertex. Culling
// needs registers of its own: if these are missing, a program that would cull by default does not,
// and one for which state demands it is refused (primitive_culling).
absl::StatusOr<Abi> AssignAbi(const mir::Module& module, AbiKind kind = AbiKind::kDriver,
                              const PipelineState& state = {}, uint32_t ngg_group = kGroupSize);

// Facts that only the finished program has.
struct ProgramShape {
  uint32_t width = 32;
  uint32_t vgprs = 0;
  uint32_t sgprs = 0;  // of s0 to s105; only a kernel's metadata have it
  uint32_t instruction_bytes = 0;
  uint32_t code_bytes = 0;
  uint32_t scratch_bytes_per_lane = 0;
  uint32_t shared_bytes = 0;  // of a workgroup's LDS
};

// Returns the launch record of a program. For a kernel it has what does not depend on where data
// are: its code object says the rest.
out::LaunchRecord LaunchOf(const Abi& abi, const ProgramShape& shape);

// Returns the description of a kernel (kKernarg), without its code.
out::AmdHsaKernel KernelOf(const Abi& abi, const ProgramShape& shape);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_ABI_ABI_H_
