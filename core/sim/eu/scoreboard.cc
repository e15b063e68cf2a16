// See scoreboard.h.
#include "core/sim/eu/scoreboard.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "core/intel/isa/opcodes.h"
#include "core/sim/eu/swsb.h"

namespace kiln::sim::eu {
namespace {

using isa::Opcode;

Consumer ConsumerOf(const Op& op) {
  if (isa::IsSend(op.inst.op) && op.inst.send.eot) return Consumer::kEnd;
  return IsUnordered(op) ? Consumer::kUnordered : Consumer::kInOrder;
}

bool WritesArf(const Op& op, isa::Arf arf) {
  return op.inst.dst.file == isa::File::kArf && op.inst.dst.arf == arf;
}

}  // namespace

Scoreboard::Scoreboard(const Program* program, bool unsourced)
    : program_(program), unsourced_(unsourced) {}

bool Scoreboard::InFlight(uint64_t sequence) const {
  return sequence > completed_ && next_ - sequence <= kInOrderDepth;
}

void Scoreboard::WaitToken(int token, bool writes) {
  const uint16_t keep = static_cast<uint16_t>(~(1u << token));
  for (const Range& r : token_read_ranges_[token]) {
    for (int d = r.first; d < r.first + r.count; ++d) token_reads_[d] &= keep;
  }
  token_read_ranges_[token].clear();
  if (!writes) return;
  for (const Range& r : token_write_ranges_[token]) {
    for (int d = r.first; d < r.first + r.count; ++d) token_writes_[d] &= keep;
  }
  token_write_ranges_[token].clear();
}

absl::Status Scoreboard::ApplyWaits(const Op& op) {
  const Swsb s = SwsbOf(op);
  if (!s.valid) return OpError(absl::StatusCode::kInvalidArgument, op, "unknown SWSB code");
  if (s.set >= 0 && !IsUnordered(op)) {
    return OpError(absl::StatusCode::kFailedPrecondition, op,
                   "contract: token set by an in-order instruction");
  }
  if (s.distance > 0 && next_ > static_cast<uint64_t>(s.distance)) {
    completed_ = std::max(completed_, next_ - s.distance);
  }
  const TokenWaits waits = TokenWaitsOf(op);
  for (uint32_t rest = waits.dst; rest != 0; rest &= rest - 1) WaitToken(__builtin_ctz(rest), true);
  for (uint32_t rest = waits.src; rest != 0; rest &= rest - 1)
    WaitToken(__builtin_ctz(rest), false);
  return absl::OkStatus();
}

// Returns the dwords that channels [from, to) of an indirect operand touch, from lowest to highest.
Scoreboard::Range Scoreboard::IndirectRange(const Thread& thread, const OperandPlan& plan, int from,
                                            int to) {
  constexpr int kLimit = kGrfCount * kGrfBytes;
  int low = kLimit, high = 0;
  for (int c = from; c < to; ++c) {
    const int row = plan.access == Access::kIndirectRows ? c / plan.row_width : 0;
    const int at = thread.Read16(kAddressOffset + 2 * ((plan.address + row) & 15)) +
                   plan.address_imm + plan.lane[c];
    low = std::min(low, at);
    high = std::max(high, at + isa::ByteSize(plan.type));
  }
  low = std::clamp(low, 0, kLimit);
  high = std::clamp(high, low, kLimit);
  return {low / 4, (high + 3) / 4 - low / 4};
}

Scoreboard::Range Scoreboard::RangeOf(const Op& op, const Thread& thread, const OperandPlan& plan) {
  if (plan.access == Access::kRegister && plan.base < kGrfCount * kGrfBytes) {
    return {plan.first_dword, plan.dword_count};
  }
  if (plan.access == Access::kIndirect) return IndirectRange(thread, plan, 0, op.inst.exec_size);
  return {0, 0};
}

Scoreboard::Footprint Scoreboard::FootprintOf(const Op& op, const Thread& thread,
                                              const Message* message) const {
  Footprint f;
  if (isa::IsSend(op.inst.op)) {
    if (message == nullptr) return f;
    const isa::Instruction& i = op.inst;
    f.reads_address = i.send.desc_is_register || i.send.ex_desc_is_register;
    if (i.src[0].file == isa::File::kGrf)
      f.reads[f.read_count++] = {i.src[0].nr * 8, message->mlen * 8};
    if (i.src[1].file == isa::File::kGrf && message->ex_mlen > 0) {
      f.reads[f.read_count++] = {i.src[1].nr * 8, message->ex_mlen * 8};
    }
    if (i.dst.file == isa::File::kGrf) f.write = {i.dst.nr * 8, message->rlen * 8};
    return f;
  }
  for (const OperandPlan& s : op.src) {
    if (s.access == Access::kIndirectRows) {
      for (int c = 0; c < op.inst.exec_size; ++c) {
        const Range r = IndirectRange(thread, s, c, c + 1);
        if (f.read_count < kMaxChannels) f.reads[f.read_count++] = r;
      }
    } else {
      const Range r = RangeOf(op, thread, s);
      if (r.count > 0) f.reads[f.read_count++] = r;
    }
    f.reads_address |=
        s.access == Access::kIndirect || s.access == Access::kIndirectRows ||
        (s.access == Access::kRegister && s.base >= kAddressOffset && s.base < kAddressOffset + 32);
  }
  f.write = RangeOf(op, thread, op.dst);
  f.reads_address |= op.dst.access == Access::kIndirect;
  return f;
}

absl::Status Scoreboard::Violation(const Op& op, uint32_t producer, int dword, Hazard hazard,
                                   Wait wait) const {
  return absl::FailedPreconditionError(absl::StrFormat(
      "contract: %s of r%d.%d without %s, producer %s; consumer %s", Name(hazard), dword / 8,
      dword % 8, Name(wait), Describe(program_->ops[producer]), Describe(op)));
}

absl::Status Scoreboard::CheckRead(const Op& op, int dword, Consumer consumer) const {
  if (InFlight(write_sequence_[dword])) {
    const Wait w = RequiredWait(Producer::kInOrderWrite, consumer, Hazard::kReadAfterWrite);
    if (w != Wait::kNone) return Violation(op, writer_[dword], dword, Hazard::kReadAfterWrite, w);
  }
  if (token_writes_[dword] != 0) {
    const Wait w = RequiredWait(Producer::kUnorderedWrite, consumer, Hazard::kReadAfterWrite);
    const uint32_t owner = token_owner_[__builtin_ctz(token_writes_[dword])];
    if (w != Wait::kNone) return Violation(op, owner, dword, Hazard::kReadAfterWrite, w);
  }
  return absl::OkStatus();
}

absl::Status Scoreboard::CheckWrite(const Op& op, int dword, Consumer consumer) const {
  if (InFlight(write_sequence_[dword])) {
    const Wait w = RequiredWait(Producer::kInOrderWrite, consumer, Hazard::kWriteAfterWrite);
    if (w != Wait::kNone) return Violation(op, writer_[dword], dword, Hazard::kWriteAfterWrite, w);
  }
  if (InFlight(read_sequence_[dword])) {
    const Wait w = RequiredWait(Producer::kInOrderRead, consumer, Hazard::kWriteAfterRead);
    if (w != Wait::kNone) return Violation(op, reader_[dword], dword, Hazard::kWriteAfterRead, w);
  }
  if (token_writes_[dword] != 0) {
    const Wait w = RequiredWait(Producer::kUnorderedWrite, consumer, Hazard::kWriteAfterWrite);
    const uint32_t owner = token_owner_[__builtin_ctz(token_writes_[dword])];
    if (w != Wait::kNone) return Violation(op, owner, dword, Hazard::kWriteAfterWrite, w);
  }
  if (token_reads_[dword] != 0) {
    const Wait w = RequiredWait(Producer::kUnorderedRead, consumer, Hazard::kWriteAfterRead);
    const uint32_t owner = token_owner_[__builtin_ctz(token_reads_[dword])];
    if (w != Wait::kNone) return Violation(op, owner, dword, Hazard::kWriteAfterRead, w);
  }
  return absl::OkStatus();
}

// Checks a fence against messages whose destination is outstanding.
absl::Status Scoreboard::CheckFence(const Op& op) const {
  if (RequiredWait(Producer::kMessage, Consumer::kFence, Hazard::kMemoryOrder) == Wait::kNone) {
    return absl::OkStatus();
  }
  for (int t = 0; t < kTokens; ++t) {
    if (token_write_ranges_[t].empty()) continue;
    const Op& producer = program_->ops[token_owner_[t]];
    if (!isa::IsSend(producer.inst.op)) continue;
    return absl::FailedPreconditionError(absl::StrFormat(
        "contract: memory fence before the answer of an earlier message (no $.dst), "
        "producer %s; consumer %s",
        Describe(producer), Describe(op)));
  }
  return absl::OkStatus();
}

absl::Status Scoreboard::Check(const Op& op, const Footprint& f) const {
  const Consumer consumer = ConsumerOf(op);
  for (int r = 0; r < f.read_count; ++r) {
    for (int d = f.reads[r].first; d < f.reads[r].first + f.reads[r].count; ++d) {
      absl::Status status = CheckRead(op, d, consumer);
      if (!status.ok()) return status;
    }
  }
  for (int d = f.write.first; d < f.write.first + f.write.count; ++d) {
    absl::Status status = CheckWrite(op, d, consumer);
    if (!status.ok()) return status;
  }
  if (f.reads_address && InFlight(address_sequence_) &&
      RequiredWait(Producer::kAddressWrite, consumer, Hazard::kReadAfterWrite) != Wait::kNone) {
    return OpError(absl::StatusCode::kFailedPrecondition, op,
                   "contract: read of a0 without a register distance");
  }
  if (InFlight(control_sequence_) && op.inst.op != Opcode::kSync &&
      RequiredWait(Producer::kControlWrite, consumer, Hazard::kReadAfterWrite) != Wait::kNone) {
    return OpError(absl::StatusCode::kFailedPrecondition, op,
                   "contract: control register in flight");
  }
  return absl::OkStatus();
}

void Scoreboard::Record(const Op& op, uint32_t index, const Footprint& f) {
  if (IsUnordered(op)) {
    const Swsb s = SwsbOf(op);
    if (s.set < 0) return;
    const uint16_t bit = static_cast<uint16_t>(1u << s.set);
    token_owner_[s.set] = index;
    for (int r = 0; r < f.read_count; ++r) {
      token_read_ranges_[s.set].push_back(f.reads[r]);
      for (int d = 0; d < f.reads[r].count; ++d) token_reads_[f.reads[r].first + d] |= bit;
    }
    if (f.write.count > 0) token_write_ranges_[s.set].push_back(f.write);
    for (int d = 0; d < f.write.count; ++d) token_writes_[f.write.first + d] |= bit;
    return;
  }
  if (!op.in_order) return;
  for (int r = 0; r < f.read_count; ++r) {
    for (int d = f.reads[r].first; d < f.reads[r].first + f.reads[r].count; ++d) {
      read_sequence_[d] = next_;
      reader_[d] = index;
    }
  }
  for (int d = f.write.first; d < f.write.first + f.write.count; ++d) {
    write_sequence_[d] = next_;
    writer_[d] = index;
  }
  if (WritesArf(op, isa::Arf::kAddress)) {
    address_sequence_ = next_;
    address_writer_ = index;
  }
  if (WritesArf(op, isa::Arf::kControl) || WritesArf(op, isa::Arf::kState)) {
    control_sequence_ = next_;
    control_writer_ = index;
  }
  ++next_;
}

absl::Status Scoreboard::Issue(uint32_t index, const Thread& thread, const Message* message) {
  const Op& op = program_->ops[index];
  // A masked instruction of a thread whose channels are all off performs no wait
  // (wa-1407528679), reads and writes nothing; it still counts for distances.
  if (!op.inst.no_mask && thread.active == 0) {
    if (op.in_order) ++next_;
    return absl::OkStatus();
  }
  absl::Status status = ApplyWaits(op);
  if (!status.ok()) return status;
  if (isa::Info(op.inst.op).format == isa::Format::kSend && message == nullptr) return status;
  const Footprint f = FootprintOf(op, thread, message);
  const bool limits = f.write.first + f.write.count > kDwords ||
                      std::any_of(f.reads.begin(), f.reads.begin() + f.read_count,
                                  [](const Range& r) { return r.first + r.count > kDwords; });
  if (limits) return OpError(absl::StatusCode::kOutOfRange, op, "registers out of range");
  status = Check(op, f);
  if (status.ok() && unsourced_ && message != nullptr && message->kind == MessageKind::kFence) {
    status = CheckFence(op);
  }
  if (!status.ok()) return status;
  const bool needs_token = IsUnordered(op) && ConsumerOf(op) != Consumer::kEnd;
  if (needs_token && SwsbOf(op).set < 0) {
    return OpError(absl::StatusCode::kFailedPrecondition, op,
                   "contract: unordered instruction sets no token");
  }
  Record(op, index, f);
  return absl::OkStatus();
}

}  // namespace kiln::sim::eu
