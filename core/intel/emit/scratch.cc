#include "core/intel/emit/scratch.h"

#include <algorithm>
#include <cassert>

#include "core/intel/abi/width_abi.h"
#include "core/intel/emit/headers.h"
#include "core/intel/emit/operands.h"
#include "core/intel/emit/sends.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

constexpr uint32_t kDwordsPerGrf = 8, kDwordsPerOword = 4;

// Returns a scratch block message of n registers at this offset, or an oword block message, which
// takes the offset from the header's dword 2.
isa::MessageFields ScratchMessage(bool write, bool direct, uint32_t n, uint32_t place) {
  using isa::Message;
  isa::MessageFields m;
  m.header = true;
  m.mlen = 1;
  (write ? m.ex_mlen : m.rlen) = static_cast<uint8_t>(n);
  if (direct) {
    m.message = write ? Message::kScratchWrite : Message::kScratchRead;
    m.scratch_offset = static_cast<uint16_t>(place / kDwordsPerGrf);
    m.scratch_registers = static_cast<uint8_t>(n);
    m.dword_mode = write;
  } else {
    m.message = write ? Message::kBlockWrite : Message::kBlockRead;
    m.bti = isa::kBtiStatelessNonCoherent;
    m.owords = static_cast<uint8_t>(2 * n);
  }
  return m;
}

}  // namespace

absl::Status EmitMergeSpill(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const Operand& merged = em.f.defs(id)[0];
  const Operand& header = em.f.uses(id)[0];
  const uint32_t place = em.f.uses(id)[2].id;
  const uint32_t n = PayloadRegisters(em.f, merged);
  const auto send = [&](bool write) {
    auto e = MakeSend(em, in, n > 1 ? 16 : 8, ScratchMessage(write, /*direct=*/true, n, place));
    if (!e.ok()) return e.status();
    e->no_mask = true;
    e->src[0] = Payload(header);
    (write ? e->src[1] : e->dst) = Payload(merged);
    em.p.Append(*e);
    return absl::OkStatus();
  };
  if (absl::Status s = send(false); !s.ok()) return s;
  Operand from = em.f.uses(id)[1];
  const int bytes = em.f.value(from.value()).elem_bytes;
  from.type = static_cast<uint8_t>(bytes == 2 ? Type::kUW : Type::kUD);
  const int most = bytes == 8 ? 8 : 16;
  for (; from.sub < bytes; from.sub += 4) {
    Operand to = from;  // the same lanes of another register
    to.reg = merged.reg;
    const int lanes = std::min<int>(in.width, most);
    for (int first = 0; first < in.width; first += lanes) {
      isa::Instruction mov = em.Head(in, Opcode::kMov, lanes, first);
      mov.dst = Destination(em.f, to, first);
      mov.src[0] = Source(em.f, from, lanes, first);
      em.p.Append(mov);
    }
  }
  return send(true);
}

absl::Status EmitScratch(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const bool write = in.op == kSpill;
  const Operand& data = write ? em.f.uses(id)[1] : em.f.defs(id)[0];
  const Operand& header = em.f.uses(id)[0];
  uint32_t place = em.f.uses(id).back().id;
  uint32_t left = PayloadRegisters(em.f, data);
  const bool direct =
      place + left * kDwordsPerGrf <= em.device.machine.scratch_block * kDwordsPerGrf;
  // Far stores are NoMask: masked stores get near offsets (lir/ra/spill_places.cc). In an oword
  // block, lane i would guard dword i if the block has one or two registers; no available source
  // describes longer ones (isa/ERRATA.md).
  assert(direct || (in.flags & lir::kNoMask) != 0);
  for (Operand at = data; left != 0;) {
    const uint32_t n = direct ? ScratchBlock(left) : std::min(4u, ScratchBlock(left));
    auto e = MakeSend(em, in, in.width, ScratchMessage(write, direct, n, place));
    if (!e.ok()) return e.status();
    e->src[0] = Payload(header);
    (write ? e->src[1] : e->dst) = Payload(at);
    em.p.Append(*e);
    left -= n;
    place += n * kDwordsPerGrf;
    at.reg += n * kDwordsPerGrf;
    if (!direct && left != 0) AddToHeader(em, in, header, 2, n * kDwordsPerGrf / kDwordsPerOword);
  }
  return absl::OkStatus();
}

}  // namespace kiln::intel
