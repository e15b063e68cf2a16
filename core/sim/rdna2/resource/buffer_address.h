// Where a buffer instruction accesses memory, and whether that is outside the buffer.
//
// address = base + soffset + buffer offset (AMD, "RDNA 2" ISA guide, 8.1.5). The buffer offset is
// inst_offset + voffset + stride * index, or in swizzled buffers
//
//   ((index / S * stride + offset / 4 * 4) * S) + index % S * 4 + offset % 4
//
// with S = 8 << INDEX_STRIDE records and elements of 4 bytes, the only size on gfx10. The index is
// vindex, plus the lane's number under ADD_TID_ENABLE.
//
// Outside is (Mesa, ac_descriptors.c, ac_set_buf_desc_word3; OOB_SELECT):
//
//   structured with offset   index >= records, or offset >= stride
//   structured               index >= records
//   disabled                 records = 0
//   raw                      soffset + offset >= records; swizzled: buffer offset >= records
//
// where offset = inst_offset + voffset, of the first byte. Sums do not wrap around at 32 bits
// (LLVM, AMDGPUUsage, "Relaxed Buffer OOB Mode": saturating, unsigned). Each dword of a load or
// store of several dwords is judged by itself; a formatted access and an atomic as a whole (ISA
// guide 8.1.5, notes on range checking). That soffset counts in raw buffers has two indirect
// sources: the ISA guides of earlier generations compare with records - soffset, and ACO puts the
// offset of a robust access there (aco_instruction_selection.cpp, mubuf_load_callback).
#ifndef KILN_CORE_SIM_RDNA2_RESOURCE_BUFFER_ADDRESS_H_
#define KILN_CORE_SIM_RDNA2_RESOURCE_BUFFER_ADDRESS_H_

#include <cstdint>
#include <optional>

#include "core/sim/rdna2/resource/descriptor.h"

namespace kiln::sim::rdna2 {

// The parts of one lane's address. Registers that the instruction does not use are 0.
struct BufferOffsets {
  uint32_t index = 0;    // VGPR, with idxen
  uint32_t voffset = 0;  // VGPR, with offen
  uint32_t soffset = 0;  // SGPR or constant
  uint32_t inst = 0;     // 12 bits of the instruction
  uint32_t thread = 0;   // number of the lane in the wave
};

// Returns the address of byte `at` of an access (4 * n: of its dword n), or nothing outside.
std::optional<uint64_t> BufferAddress(const BufferResource& resource, const BufferOffsets& offsets,
                                      uint32_t at = 0);

// Returns the address of a dword of s_buffer_load: `offset` is the sum of the instruction's
// offsets, whose two lowest bits are ignored, plus 4 * n. Nothing if it is not below records *
// stride, or records without stride. No source but GCN's ISA guides says how gfx10 judges; base is
// a multiple of 4.
std::optional<uint64_t> ScalarBufferAddress(const BufferResource& resource, uint64_t offset);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_RESOURCE_BUFFER_ADDRESS_H_
