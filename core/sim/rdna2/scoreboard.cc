// See scoreboard.h.
#include "core/sim/rdna2/scoreboard.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/sim/rdna2/access.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Opcode;

// Registers whose lanes an instruction reads where it is not on: exchange between lanes.
bool ReadsOtherLanes(const Op& op) {
  switch (op.inst.op) {
    case Opcode::kVReadlaneB32:
    case Opcode::kVPermlane16B32:
    case Opcode::kVPermlanex16B32: return true;
    default: return op.inst.form == isa::Form::kDpp16 || op.inst.form == isa::Form::kDpp8;
  }
}

// A load into half a register does not read the other half, it leaves it.
bool KeepsHalf(const Op& op, const isa::OperandUse& use) {
  return op.Has(isa::opcode_flag::kLoad) && use.member == isa::Member::kDst && !use.implicit;
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

// Lets events end, oldest first, until `count` of those that the counter counts are left. If some
// end out of order, that many ended for certain only of the others.
void Scoreboard::Drain(bool Event::*counter, int count) {
  int in_order = 0;
  for (const Event& e : events_) in_order += e.*counter && OrderOf(e.producer) == Order::kInOrder;
  for (Event& e : events_) {
    if (!(e.*counter)) continue;
    const bool ordered = OrderOf(e.producer) == Order::kInOrder;
    if (count == 0 || (ordered && in_order > count)) e.*counter = false;
    if (ordered) --in_order;
  }
}

// Vector memory ends in order, flat accesses among it.
void Scoreboard::DrainInOrder(bool Event::*counter, int count) {
  int left = 0;
  for (const Event& e : events_) left += e.*counter;
  for (Event& e : events_) {
    if (e.*counter && left-- > count) e.*counter = false;
  }
}

// Exports end in order within a class alone: those for positions, for parameters and primitives,
// for colours and depth (Mesa 25.0.7, aco_insert_waitcnt.cpp, wait_event).
bool Scoreboard::MixesExports() const {
  enum { kColor, kPosition, kParameter };
  int seen = 0;
  for (const Event& e : events_) {
    if (!e.exp) continue;
    const int target = program_->ops[e.op].inst.target;
    seen |= 1 << (target < 12 ? kColor : target < 20 ? kPosition : kParameter);
  }
  return (seen & (seen - 1)) != 0;
}

void Scoreboard::Wait(const WaitCounts& waits, uint32_t phase) {
  if (waits.vm != kNoWait) DrainInOrder(&Event::vm, waits.vm);
  if (waits.vs != kNoWait) DrainInOrder(&Event::vs, waits.vs);
  if (waits.lgkm != kNoWait) Drain(&Event::lgkm, waits.lgkm);
  const bool counts = waits.exp == 0 || (waits.exp != kNoWait && !MixesExports());
  if (counts) Drain(&Event::exp, waits.exp);
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
      for (int i = 0; i < count; ++i) busy_.set(static_cast<size_t>(first + i));
    }
  }
}

bool Scoreboard::StoresInFlight() const {
  return std::any_of(events_.begin(), events_.end(), [](const Event& e) { return e.vs; });
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

absl::Status Scoreboard::Check(const Op& op, const isa::OperandUse& use, uint64_t lanes,
                               Hazard hazard) const {
  for (int i = 0; i < use.dwords; ++i) {
    const int code = use.operand.code + i;
    if (code >= 512 || !busy_.test(static_cast<size_t>(code))) continue;
    absl::Status s = CheckRegister(op, code, lanes, hazard);
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Scoreboard::CheckUses(const Op& op, const WaveState& wave) const {
  const uint64_t read = ReadsOtherLanes(op) ? wave.AllLanes() : wave.Exec();
  for (const isa::OperandUse& use : op.uses) {
    if (!use.read || KeepsHalf(op, use)) continue;
    if (absl::Status s = Check(op, use, read, Hazard::kReadAfterWrite); !s.ok()) return s;
  }
  for (const isa::OperandUse& use : op.uses) {
    if (!use.written) continue;
    absl::Status s = Check(op, use, wave.Exec(), Hazard::kWriteAfterWrite);
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
  for (const auto& [first, count] : event.registers) {
    for (int i = 0; i < count; ++i) busy_.set(static_cast<size_t>(first + i));
  }
  // Issue waits before a counter overflows: 63, of exports 7 (RDNA 2 ISA guide, 4.4).
  WaitCounts room;
  room.vm = room.vs = room.lgkm = 62;
  room.exp = 6;
  if (events_.size() >= 6) Wait(room, wave.phase);
  events_.push_back(std::move(event));
}

// Rules about neighbours (LLVM 19, GCNHazardRecognizer, FPAtomicToDenormMode; RDNA 2 ISA
// guide, 6.10 for v_permlane behind v_cmpx). Mesa's compiler keeps neither on this chip.
absl::Status Scoreboard::CheckHazards(const Op& op) {
  const bool vector = isa::IsVectorAlu(op.info->encoding);
  const bool permlane =
      op.inst.op == Opcode::kVPermlane16B32 || op.inst.op == Opcode::kVPermlanex16B32;
  if (unsourced_ && op.inst.op == Opcode::kSDenormMode && since_float_atomic_ < 3) {
    return OpError(absl::StatusCode::kFailedPrecondition, op, program_->wave,
                   "contract: s_denorm_mode within three wait states of a float atomic");
  }
  if (unsourced_ && permlane && after_cmpx_) {
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
  // The end waits for everything, and only then counts as an arrival (RDNA 2 ISA guide, 12.5).
  if (op.Has(isa::opcode_flag::kEnd)) Wait({0, 0, 0, 0}, wave.phase);
  if (busy_.any()) {
    if (absl::Status s = CheckUses(op, wave); !s.ok()) return s;
  }
  Record(index, op, wave, access);
  return absl::OkStatus();
}

}  // namespace kiln::sim::rdna2
