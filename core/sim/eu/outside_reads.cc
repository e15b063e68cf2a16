// See outside_reads.h. Operands that are addressed indirectly are not followed.
#include "core/sim/eu/outside_reads.h"

#include <algorithm>
#include <utility>

namespace kiln::sim::eu {
namespace {

constexpr uint32_t kRegisterDwords = kGrfBytes / 4;

// Returns true if a channel's element covers the dword.
bool Touches(const OperandPlan& operand, uint32_t channels, int exec_size, uint32_t dword) {
  if (operand.access != Access::kRegister) return false;
  const uint32_t bytes = static_cast<uint32_t>(isa::ByteSize(operand.type));
  for (int i = 0; i < exec_size; ++i) {
    if ((channels >> i & 1) == 0) continue;
    const uint32_t first = operand.base + operand.lane[static_cast<size_t>(i)];
    if (first / 4 <= dword && dword <= (first + bytes - 1) / 4) return true;
  }
  return false;
}

bool InRegisters(const isa::Operand& operand, int count, uint32_t dword) {
  if (operand.file != isa::File::kGrf || count <= 0) return false;
  const uint32_t reg = dword / kRegisterDwords;
  return reg >= operand.nr && reg < uint32_t{operand.nr} + static_cast<uint32_t>(count);
}

bool Reads(const Op& op, const Message* message, uint32_t channels, uint32_t dword) {
  if (message != nullptr) {
    return InRegisters(op.inst.src[0], message->mlen, dword) ||
           InRegisters(op.inst.src[1], message->ex_mlen, dword);
  }
  return std::any_of(op.src.begin(), op.src.end(), [&](const OperandPlan& source) {
    return Touches(source, channels, op.inst.exec_size, dword);
  });
}

bool Overwrites(const Op& op, const Message* message, uint32_t channels, uint32_t dword) {
  if (message != nullptr) return InRegisters(op.inst.dst, message->rlen, dword);
  return Touches(op.dst, channels, op.inst.exec_size, dword);
}

}  // namespace

void ForgetOutside(uint32_t first, uint32_t count, Thread& thread) {
  std::erase_if(thread.outside,
                [&](const OutsideDword& o) { return o.dword >= first && o.dword < first + count; });
}

std::vector<OutsideDword> TakeOutsideReads(const Op& op, const Message* message, uint32_t enabled,
                                           Thread& thread) {
  std::vector<OutsideDword> read;
  const uint32_t channels = enabled >> op.inst.channel_offset;
  std::erase_if(thread.outside, [&](const OutsideDword& o) {
    const bool reads = Reads(op, message, channels, o.dword);
    if (reads) read.push_back(o);
    return reads || Overwrites(op, message, channels, o.dword);
  });
  return read;
}

}  // namespace kiln::sim::eu
