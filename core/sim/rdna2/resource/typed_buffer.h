// Formatted buffer instructions: buffer_load_format, buffer_store_format, their d16 forms, and
// tbuffer instructions.
//
// Format and DST_SEL are the descriptor's; a tbuffer instruction has a format of its own and no
// DST_SEL (AMD, "RDNA 2" ISA guide, 8.1.4). Components that a store does not give are 0 (ACO drops
// trailing zeros from stores: aco_instruction_selection.cpp, visit_image_store).
#ifndef KILN_CORE_SIM_RDNA2_RESOURCE_TYPED_BUFFER_H_
#define KILN_CORE_SIM_RDNA2_RESOURCE_TYPED_BUFFER_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/amd/isa/instruction.h"
#include "core/sim/rdna2/resource/descriptor.h"
#include "core/sim/rdna2/resource/format.h"

namespace kiln::sim::rdna2 {

struct TypedBuffer {
  HardwareFormat format;
  Select select{};
  int components = 0;      // that the instruction moves
  bool d16 = false;        // two components in a register
  bool high_half = false;  // d16_hi: the one component is in the upper half

  // Registers of data, without that of tfe.
  int Dwords() const { return d16 ? (components + 1) / 2 : components; }
  int Bytes() const { return format.bytes(); }
  // Returns what the address of a texel must be a multiple of: its size, or 4 if its components are
  // dwords (Mesa 25.0.7, radv_cmd_buffer.c, format_align_req; misaligned fetches can hang:
  // ac_shader_util.c, is_fetch_size_safe).
  int Alignment() const { return Bytes() == 4 * format.channels ? 4 : Bytes(); }
};

// Returns true if the instruction is one of these.
bool IsTypedBuffer(const amd::isa::Instruction& inst);

// Returns what a formatted instruction does through this descriptor. The null descriptor loads
// zeros. Unimplemented for a format that scene lacks.
absl::StatusOr<TypedBuffer> TypedBufferOf(const amd::isa::Instruction& inst,
                                          const BufferResource& resource);

// Loads a lane's texel at `bytes` (null: outside) into `data`, Dwords() of them, which hold the old
// values of the registers: d16 with one component keeps the other half.
void LoadTyped(const TypedBuffer& access, const uint8_t* bytes, absl::Span<uint32_t> data);

// Stores a lane's `data` to `bytes`. InvalidArgument for scaled formats.
absl::Status StoreTyped(const TypedBuffer& access, absl::Span<const uint32_t> data, uint8_t* bytes);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_RESOURCE_TYPED_BUFFER_H_
