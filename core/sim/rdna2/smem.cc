// See smem.h. Sources: AMD, "RDNA 2" ISA guide, 30 November 2020, chapter 7; bounds of
// s_buffer_load in resource/buffer_address.h.
#include "core/sim/rdna2/smem.h"

#include <cstring>

#include "absl/strings/str_format.h"
#include "core/sim/rdna2/operand.h"
#include "core/sim/rdna2/resource/buffer_address.h"
#include "core/sim/rdna2/resource/descriptor.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Opcode;

// A load that begins in an allocation may end behind it within a page (Mesa 25.0.7,
// aco_instruction_selection.cpp, smem_load_callback).
constexpr uint64_t kPage = 4096;

bool IsBufferLoad(const Op& op) { return op.info->src[0] == isa::Type::kB128; }

absl::StatusOr<uint32_t> LoadDword(const Op& op, const Context& context, uint64_t begin,
                                   uint64_t address, const WaveState& w) {
  uint32_t value = 0;
  context.NoteScalar(address, 4);
  if (context.memory->Read(address, 4, reinterpret_cast<uint8_t*>(&value))) return value;
  // `begin`: of the load.
  uint8_t byte;
  if (address / kPage == begin / kPage && context.memory->Read(begin, 1, &byte)) {
    return context.undefined;
  }
  return OpError(absl::StatusCode::kOutOfRange, op, w.size,
                 absl::StrFormat("address 0x%x lies in no allocation", address));
}

// The simulator has no time: a clock only shows which read was first.
void ReadClock(const Op& op, Context& context, WaveState& w) {
  constexpr uint64_t kStep = 40;
  uint64_t time = 0;
  if (context.clock != nullptr) time = *context.clock += kStep;
  if (op.inst.dst.code == isa::kNull) return;
  w.SetScalar(op.inst.dst.code, static_cast<uint32_t>(time));
  w.SetScalar(op.inst.dst.code + 1, static_cast<uint32_t>(time >> 32));
}

}  // namespace

absl::Status ExecuteSmem(const Op& op, Context& context, WaveState& w) {
  switch (op.inst.op) {
    case Opcode::kSMemtime:
    case Opcode::kSMemrealtime: ReadClock(op, context, w); return absl::OkStatus();
    case Opcode::kSGl1Inv:
    case Opcode::kSDcacheInv: return absl::OkStatus();
    default: break;
  }
  const int base = op.inst.src[0].code;
  const int64_t offset = int64_t{op.inst.offset} + Scalar32(w, op, op.inst.src[1]);
  const int dwords = isa::Dwords(op.info->dst);
  std::array<uint32_t, 16> loaded{};
  BufferResource buffer;
  if (IsBufferLoad(op)) {
    BufferWords words;
    std::memcpy(words.data(), &w.scalar[static_cast<size_t>(base)], sizeof(words));
    buffer = DecodeBuffer(words);
  }
  uint64_t begin = (w.Scalar64(base) + static_cast<uint64_t>(offset)) / 4 * 4;
  for (int i = 0; i < dwords; ++i) {
    uint64_t address = begin + static_cast<uint64_t>(4 * i);
    if (IsBufferLoad(op)) {
      const std::optional<uint64_t> inside = ScalarBufferAddress(
          buffer, static_cast<uint64_t>(offset) / 4 * 4 + static_cast<uint64_t>(4 * i));
      // Compilers round sizes up: only what begins outside is counted.
      if (!inside && i == 0) ++context.outside;
      if (!inside) continue;
      address = *inside;
      if (i == 0) begin = address;
    }
    absl::StatusOr<uint32_t> value = LoadDword(op, context, begin, address, w);
    if (!value.ok()) return value.status();
    loaded[static_cast<size_t>(i)] = *value;
  }
  if (op.inst.dst.code == isa::kNull) return absl::OkStatus();
  for (int i = 0; i < dwords; ++i) {
    w.SetScalar(op.inst.dst.code + i, loaded[static_cast<size_t>(i)]);
  }
  return absl::OkStatus();
}

}  // namespace kiln::sim::rdna2
