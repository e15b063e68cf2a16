// Writes a kernel as an amdhsa code object, which ROCm's loader takes: ELF with kernel descriptor
// and metadata, code object version 5, of gfx1030.
//
// Source: LLVM, AMDGPUUsage ("ELF Code Object", "Kernel Descriptor", "Code Object Metadata").
#ifndef KILN_CORE_OUT_AMDHSA_H_
#define KILN_CORE_OUT_AMDHSA_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kiln::out {

struct AmdHsaArgument {
  std::string name;
  uint32_t offset = 0;  // in the kernel argument segment
  uint32_t bytes = 0;
  bool buffer = false;     // an address of memory of the device, else bytes by value
  bool read_only = false;  // of a buffer: the kernel writes nothing through it
  // In files of other compilers: the value_kind of one that is neither; empty: it is one of both.
  std::string other_kind = {};
};

// A kernel whose user SGPRs are the address of its argument segment and flat scratch init, two
// each. Work-item ids, workgroup ids and the offset of scratch are as rsrc2 says.
struct AmdHsaKernel {
  std::string name;
  std::vector<uint8_t> code;
  uint32_t rsrc1 = 0;  // COMPUTE_PGM_RSRC1 to 3
  uint32_t rsrc2 = 0;  // with LDS_SIZE 0: the packet processor sets it
  uint32_t rsrc3 = 0;
  uint32_t lanes = 32;  // of a wave
  uint32_t vgprs = 0, sgprs = 0;
  uint32_t lds_bytes = 0;
  uint32_t scratch_bytes_per_lane = 0;
  uint32_t kernarg_bytes = 0;
  uint32_t kernarg_alignment = 16;
  std::array<uint32_t, 3> local_size = {1, 1, 1};
  std::vector<AmdHsaArgument> arguments;
};

// Fields of the format that its writer and its reader (read_amdhsa.h) share.
inline constexpr uint16_t kAmdHsaMachine = 224;  // EM_AMDGPU
inline constexpr uint8_t kAmdHsaOsAbi = 64;
inline constexpr uint8_t kAmdHsaVersion4 = 2, kAmdHsaVersion5 = 3;  // EI_ABIVERSION
inline constexpr uint32_t kAmdHsaGfx1030 = 0x36;                    // e_flags
inline constexpr uint32_t kAmdHsaMetadataNote = 32;                 // NT_AMDGPU_METADATA
inline constexpr char kAmdHsaNoteOwner[] = "AMDGPU";
inline constexpr uint32_t kAmdHsaDescriptorBytes = 64;
inline constexpr uint32_t kAmdHsaLdsSize = 0x1ffu << 15;  // of rsrc2
// Bits of a kernel descriptor's properties: the pairs of user SGPRs, and the size of waves.
inline constexpr uint32_t kAmdHsaKernargAddress = 1 << 3, kAmdHsaFlatScratchInit = 1 << 5,
                          kAmdHsaWave32 = 1 << 10;

// Returns the file.
std::vector<uint8_t> AmdHsaCodeObject(const AmdHsaKernel& kernel);

// Returns the offset of the kernel's first instruction in the file.
uint32_t AmdHsaCodeOffset(const AmdHsaKernel& kernel);

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_AMDHSA_H_
