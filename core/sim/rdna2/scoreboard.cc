// See scoreboard.h.
#include "core/sim/rdna2/scoreboard.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/sim/rdna2/access.h"
#include "core/sim/rdna2/operand.h"
#include "core/sim/rdna2/relative.h"
#include "core/sim/rdna2/resource/image_address.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Opcode;

uint64_t Bit(int lane) { return uint64_t{1} << lane; }

// Returns the lanes in which an instruction reads a register: not only its own if lanes exchange
// data, or if their differences give the level of detail.
uint64_t LanesRead(const Op& op, const isa::OperandUse& use, const WaveState& w) {
  const uint64_t exec = w.Exec();
  if (op.inst.form == isa::Form::kDpp16 || op.inst.form == isa::Form::kDpp8) return w.AllLanes();
  switch (op.inst.op) {
    case Opcode::kVPermlane16B32:
    case Opcode::kVPermlanex16B32: return w.AllLanes();
    case Opcode::kVReadfirstlaneB32: return Bit(FirstLane(w));
    case Opcode::kVReadlaneB32:
    case Opcode::kVWritelaneB32: return Bit(SelectedLane(w, op));
    default: break;
  }
  if (op.info->encoding == isa::Encoding::kMimg && use.member == isa::Member::kSrc0) {
    const absl::StatusOr<ImageOpcode> image = ImageOpcodeOf(op.inst.op);
    constexpr uint64_t kQuads = 0x1111111111111111;
    const uint64_t firsts = (exec | exec >> 1 | exec >> 2 | exec >> 3) & kQuads;
    if (image.ok() && image->NeedsQuad()) return firsts * 15;
  }
  return exec;
}

uint64_t LanesWritten(const Op& op, const WaveState& w) {
  return op.inst.op == Opcode::kVWritelaneB32 ? Bit(SelectedLane(w, op)) : w.Exec();
}

// Returns the first register of a use: M0 displaces those of relative moves.
int FirstRegister(const Op& op, const isa::OperandUse& use, const WaveState& w) {
  if (!IsRelativeMove(op.inst.op) || use.implicit) return use.operand.code;
  const RelativeOperands at = RelativeOperandsOf(op, w);
  const uint64_t code = use.member == isa::Member::kDst    ? at.to
                        : use.member == isa::Member::kSrc0 ? at.from
                                                           : use.operand.code;
  return static_cast<int>(std::min<uint64_t>(code, isa::Operand::kNone));
}

// Returns whether an instruction leaves a part of its result as it was, which has not been read: a
// load half of a register, or the status of tfe and lwe, v_writelane_b32 other lanes.
bool LeavesRest(const Op& op, const isa::OperandUse& use) {
  const bool partial = op.Has(isa::opcode_flag::kLoad) || op.inst.op == Opcode::kVWritelaneB32;
  return partial && use.member == isa::Member::kDst && !use.implicit;
}

std::string RegisterName(int code) {
  if (code >= 256) return absl::StrCat("v", code - 256);
  return code < isa::kSgprCount ? absl::StrCat("s", code) : absl::StrCat("scalar register ", code);
}

bool IsFloatAtomic(const Op& op) {
  if (!op.Has(isa::opcode_flag::kAtomic) || op.info->unit != isa::Unit::kVectorMemory) return false;
  const std::optional<AtomicOp> atomic = AccessOf(op.inst.op).atomic;
  return atomic && *atomic >= AtomicOp::kFloatCompareSwap && *atomic <= AtomicOp::kFloatMax;
}

}  // namespace

// Lets events end that are certain to have ended when `count` of those are left that the counter
// counts: of each sequence all but the last `count`.
void Scoreboard::Drain(bool Event::*counter, int count) {
  std::array<int, kSequences> left{};
  const auto of = [&left](const Event& e) -> int& { return left[static_cast<size_t>(e.sequence)]; };
  for (const Event& e : events_) of(e) += e.*counter;
  for (Event& e : events_) {
    if (!(e.*counter)) continue;
    const bool early = of(e)-- > count;
    const bool ordered = counter == &Event::lgkm ? LgkmcntKeepsOrder(program_->ops[e.op])
                                                 : e.sequence != Sequence::kNone;
    if (count == 0 || (early && ordered)) e.*counter = false;
  }
}

void Scoreboard::Wait(const WaitCounts& waits, uint32_t phase) {
  if (waits.vm != kNoWait) Drain(&Event::vm, waits.vm);
  if (waits.vs != kNoWait) Drain(&Event::vs, waits.vs);
  if (waits.lgkm != kNoWait) Drain(&Event::lgkm, waits.lgkm);
  if (waits.exp != kNoWait) Drain(&Event::exp, waits.exp);
  Update(phase);
}

void Scoreboard::Update(uint32_t phase) {
  for (const Event& e : events_) {
    if (!e.Pending() && e.access != 0) log_->Done(e.access, phase);
  }
  events_.erase(
      std::remove_if(events_.begin(), events_.end(), [](const Event& e) { return !e.Pending(); }),
      events_.end());
  busy_.reset();
  for (const Event& e : events_) {
    for (const auto& [first, count] : e.registers) {
      for (int i = 0; i < count; ++i) busy_.set(static_cast<size_t>(first) + i);
    }
  }
}

bool Scoreboard::StoresInFlight() const {
  return std::any_of(events_.begin(), events_.end(), [this](const Event& e) {
    return e.vs && program_->ops[e.op].info->encoding != isa::Encoding::kScratch;
  });
}

absl::Status Scoreboard::CheckRegister(const Op& op, int code, uint64_t lanes,
                                       Hazard hazard) const {
  for (const Event& e : events_) {
    const bool scalar = code < 256;
    if (!scalar && (e.lanes & lanes) == 0) continue;
    const bool inside = std::any_of(e.registers.begin(), e.registers.end(), [code](const auto& r) {
      return code >= r.first && code < r.first + r.second;
    });
    if (!inside) continue;
    Hazard of = hazard;
    if (e.producer == Producer::kExport) {
      if (hazard == Hazard::kReadAfterWrite) continue;
      of = Hazard::kWriteAfterRead;
    }
    const Counter wait = RequiredWait(e.producer, ProducerOf(op) == e.producer, of);
    if (wait == Counter::kNone) continue;
    return OpError(absl::StatusCode::kFailedPrecondition, op, program_->wave,
                   absl::StrFormat("contract: %s %s without a wait for %s of \"%s\"", NameOf(of),
                                   RegisterName(code), NameOf(wait),
                                   Describe(program_->ops[e.op], program_->wave)));
  }
  return absl::OkStatus();
}

absl::Status Scoreboard::Check(const Op& op, int first, int dwords, uint64_t lanes,
                               Hazard hazard) const {
  for (int code = first; code < first + dwords; ++code) {
    if (code >= 512 || !busy_.test(static_cast<size_t>(code))) continue;
    absl::Status s = CheckRegister(op, code, lanes, hazard);
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Scoreboard::CheckUses(const Op& op, const WaveState& wave) const {
  for (const isa::OperandUse& use : op.uses) {
    if (!use.read || LeavesRest(op, use)) continue;
    absl::Status s = Check(op, FirstRegister(op, use, wave), use.dwords, LanesRead(op, use, wave),
                           Hazard::kReadAfterWrite);
    if (!s.ok()) return s;
  }
  for (const isa::OperandUse& use : op.uses) {
    if (!use.written) continue;
    absl::Status s = Check(op, FirstRegister(op, use, wave), use.dwords, LanesWritten(op, wave),
                           Hazard::kWriteAfterWrite);
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

void Scoreboard::Record(uint32_t index, const Op& op, const WaveState& wave, uint32_t access) {
  Event event;
  event.producer = ProducerOf(op);
  if (event.producer == Producer::kNone) return;
  const Counter counter = CounterOf(event.producer);
  event.op = index;
  event.sequence = SequenceOf(op, options_.memory_ordered);
  event.vm = counter == Counter::kVm || counter == Counter::kVmAndLgkm;
  event.lgkm = counter == Counter::kLgkm || counter == Counter::kVmAndLgkm;
  event.exp = counter == Counter::kExp;
  event.vs = counter == Counter::kVs || counter == Counter::kVsAndLgkm;
  event.lgkm |= counter == Counter::kVsAndLgkm;
  event.access = access;
  event.lanes = wave.Exec();
  for (const isa::OperandUse& use : op.uses) {
    const bool relevant = event.producer == Producer::kExport ? use.read : use.written;
    if (relevant && use.dwords != 0) event.registers.emplace_back(use.operand.code, use.dwords);
  }
  // Issue waits before a counter overflows: 63, of exports 7 (Mesa 25.0.7, aco_ir.cpp,
  // wait_imm::max).
  WaitCounts room;
  room.vm = room.vs = room.lgkm = 62;
  room.exp = 6;
  if (events_.size() >= 6) Wait(room, wave.phase);
  // Behind the wait, which finds busy registers anew in the events that are left.
  for (const auto& [first, count] : event.registers) {
    for (int i = 0; i < count; ++i) busy_.set(static_cast<size_t>(first) + i);
  }
  events_.push_back(std::move(event));
}

// Rules about neighbours (LLVM 19, GCNHazardRecognizer, FPAtomicToDenormMode; RDNA 2 ISA
// guide, 6.10 for v_permlane behind v_cmpx). Mesa's compiler keeps neither on this chip.
absl::Status Scoreboard::CheckHazards(const Op& op) {
  const bool vector = isa::IsVectorAlu(op.info->encoding);
  const bool permlane =
      op.inst.op == Opcode::kVPermlane16B32 || op.inst.op == Opcode::kVPermlanex16B32;
  if (options_.unsourced && op.inst.op == Opcode::kSDenormMode && since_float_atomic_ < 3) {
    return OpError(absl::StatusCode::kFailedPrecondition, op, program_->wave,
                   "contract: s_denorm_mode within three wait states of a float atomic");
  }
  if (options_.unsourced && permlane && after_cmpx_) {
    return OpError(absl::StatusCode::kFailedPrecondition, op, program_->wave,
                   "contract: v_permlane directly behind v_cmpx");
  }
  const bool waits = op.info->unit == isa::Unit::kWait;
  const int states = op.inst.op == Opcode::kSNop ? op.inst.simm + 1 : 1;
  since_float_atomic_ = IsFloatAtomic(op) ? 0
                        : vector || waits ? 100
                                          : std::min(100, since_float_atomic_ + states);
  if (vector) after_cmpx_ = isa::IsCmpx(*op.info);
  return absl::OkStatus();
}

absl::Status Scoreboard::Issue(uint32_t index, const WaveState& wave, uint32_t access) {
  const Op& op = program_->ops[index];
  if (absl::Status s = CheckHazards(op); !s.ok()) return s;
  if (op.info->unit == isa::Unit::kWait) {
    Wait(WaitsOf(op), wave.phase);
    return absl::OkStatus();
  }
  // The end waits for everything, and only then counts as an arrival (s_endpgm in AMD's guide, as
  // README-ISA.md of Mesa's compiler quotes it).
  if (op.Has(isa::opcode_flag::kEnd)) Wait({0, 0, 0, 0}, wave.phase);
  if (busy_.any()) {
    if (absl::Status s = CheckUses(op, wave); !s.ok()) return s;
  }
  Record(index, op, wave, access);
  return absl::OkStatus();
}

}  // namespace kiln::sim::rdna2
