// See memory_order.h.
#include "core/sim/rdna2/memory_order.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/sim/rdna2/access.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Encoding;
using isa::Opcode;

Path PathOf(const Op& op) {
  switch (op.info->encoding) {
    case Encoding::kSmem: return Path::kScalar;
    case Encoding::kDs: return Path::kLds;
    case Encoding::kScratch: return Path::kScratch;
    default: return Path::kVector;
  }
}

// Sorts ranges and joins those that meet.
void Join(std::vector<std::pair<uint64_t, uint64_t>>& ranges) {
  std::sort(ranges.begin(), ranges.end());
  size_t kept = 0;
  for (const auto& range : ranges) {
    if (kept > 0 && range.first <= ranges[kept - 1].second) {
      ranges[kept - 1].second = std::max(ranges[kept - 1].second, range.second);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
}

bool Overlap(absl::Span<const std::pair<uint64_t, uint64_t>> a,
             absl::Span<const std::pair<uint64_t, uint64_t>> b) {
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    if (a[i].second <= b[k].first) {
      ++i;
    } else if (b[k].second <= a[i].first) {
      ++k;
    } else {
      return true;
    }
  }
  return false;
}

bool AreWholeLines(absl::Span<const std::pair<uint64_t, uint64_t>> ranges) {
  return !ranges.empty() && std::all_of(ranges.begin(), ranges.end(), [](const auto& r) {
    return r.first % kLineBytes == 0 && r.second % kLineBytes == 0;
  });
}

// Names of the client's bytes: the number of the allocation above, the offset below. No address of
// this process is as large.
constexpr uint64_t kFirstName = uint64_t{1} << 63, kAllocation = uint64_t{1} << 40;
constexpr uint64_t kNoName = 0;

}  // namespace

MemoryOrder::MemoryOrder(uint64_t seed, const scene::Dispatch& dispatch, Execute execute)
    : random_(seed),
      history_(kLineBytes, kMaxChanges),
      caches_(random_, history_),
      execute_(std::move(execute)) {
  // Some runs deliver soon, others hardly ever unless a wave waits.
  pace_ = 2u << (2 * Draw(5));
  keeps_ = Draw(2) == 0;
  for (const scene::ClientBuffer& b : dispatch.buffers) {
    if (!b.window) allocations_.push_back({b.bytes.data(), b.bytes.size()});
  }
  for (const scene::ClientImage& i : dispatch.images) {
    if (!i.window) allocations_.push_back({i.texels.data(), i.texels.size()});
  }
}

uint64_t MemoryOrder::NameOf(const uint8_t* data) const {
  for (size_t i = 0; i < allocations_.size(); ++i) {
    const Allocation& a = allocations_[i];
    if (data >= a.data && data < a.data + a.size) {
      return kFirstName + i * kAllocation + static_cast<uint64_t>(data - a.data);
    }
  }
  return kNoName;
}

uint32_t MemoryOrder::StartGroup(absl::Span<WaveState> waves, absl::Span<const Context> contexts,
                                 bool two_cus) {
  const size_t first = waves_.size();
  const uint32_t cu = Draw(kCus);
  for (size_t i = 0; i < waves.size(); ++i) {
    Wave wave;
    wave.state = &waves[i];
    wave.context = contexts[i];
    wave.context.log = nullptr;
    wave.context.scalar = nullptr;
    wave.context.observer = this;
    wave.cu = two_cus ? 2 * WgpOf(cu) + Draw(2) : cu;
    waves_.push_back(std::move(wave));
  }
  return static_cast<uint32_t>(first);
}

// Called before each access of the instruction under way.
void MemoryOrder::Note(Space space, uint8_t* data, uint64_t, uint32_t bytes, Use use) {
  const uint64_t name = space == Space::kLds ? kNoName : NameOf(data);
  if (trying_) return Record(data, bytes, name != kNoName, use);
  PutBack();
  if (name == kNoName) return;
  if (use == Use::kRead) return LoadOld(data, name, bytes);
  Change(data, name, bytes);
}

// Notes which bytes it accesses, and what they are.
void MemoryOrder::Record(uint8_t* data, uint32_t bytes, bool named, Use use) {
  if (use != Use::kRead) patches_.push_back({data, {data, data + bytes}});
  const uint64_t first = named ? NameOf(data) : reinterpret_cast<uintptr_t>(data);
  current_->bytes.emplace_back(first, first + bytes);
}

// Puts the bytes back to what the caches answer, until the access has read them.
void MemoryOrder::LoadOld(uint8_t* data, uint64_t name, uint32_t bytes) {
  const isa::Instruction& inst = current_->op->inst;
  const Nearest nearest = NearestOf(inst.glc, inst.dlc);
  const uint32_t cu = waves_[current_->wave].cu;
  history_.ForEachLine(name, bytes, [&](uint64_t line, uint64_t offset, uint64_t size) {
    const uint64_t time = caches_.Load(cu, current_->path == Path::kScalar, line, nearest);
    if (time == history_.now()) return;
    uint8_t* const from = data + offset;
    patches_.push_back({from, {from, from + size}});
    history_.Restore(name + offset, time, absl::MakeSpan(from, size));
  });
}

void MemoryOrder::Change(uint8_t* data, uint64_t name, uint32_t bytes) {
  history_.Change(name, absl::MakeConstSpan(data, bytes));
  const uint32_t cu = waves_[current_->wave].cu;
  history_.ForEachLine(name, bytes,
                       [&](uint64_t line, uint64_t, uint64_t) { caches_.Change(cu, line); });
}

void MemoryOrder::PutBack() {
  for (; !patches_.empty(); patches_.pop_back()) {
    const Patch& patch = patches_.back();
    std::memcpy(patch.data, patch.present.data(), patch.present.size());
  }
}

MemoryOrder::Message MemoryOrder::MakeMessage(uint32_t wave, const Op& op) {
  auto m = std::make_shared<InFlight>();
  m->op = &op;
  m->wave = wave;
  m->path = PathOf(op);
  m->payload = *waves_[wave].state;
  const Counter counter = CounterOf(ProducerOf(op));
  m->vm = counter == Counter::kVm || counter == Counter::kVmAndLgkm;
  m->vs = counter == Counter::kVs || counter == Counter::kVsAndLgkm;
  m->lgkm =
      counter == Counter::kLgkm || counter == Counter::kVmAndLgkm || counter == Counter::kVsAndLgkm;
  m->left = m->path == Path::kScalar ? 1 : m->payload.Exec();
  const bool exchanges = m->path == Path::kLds && AccessOf(op.inst.op).kind == AccessKind::kOther;
  for (const isa::OperandUse& use : op.uses) {
    if (use.written && use.operand.is_vgpr()) {
      m->results.emplace_back(use.operand.code, use.operand.code + use.dwords);
    }
  }
  m->whole = m->path == Path::kScalar || exchanges;
  m->by_halves = m->path == Path::kLds && !exchanges;
  return m;
}

// Executes it to find out which bytes it accesses and whether it can; undoes the effect. Scratch is
// in order whatever its bytes.
absl::Status MemoryOrder::Try(InFlight& m, Context& context) {
  if (m.path == Path::kScratch) return absl::OkStatus();
  current_ = &m;
  trying_ = true;
  context.observer = this;
  WaveState trial = m.payload;
  absl::Status status = execute_(*m.op, context, trial);
  trying_ = false;
  PutBack();
  Join(m.bytes);
  return status;
}

// Empties caches if the instruction does that alone.
bool MemoryOrder::Empties(uint32_t wave, const Op& op) {
  const uint32_t cu = waves_[wave].cu;
  switch (op.inst.op) {
    case Opcode::kBufferGl0Inv: caches_.EmptyVector(cu); return true;
    case Opcode::kSGl1Inv:
    case Opcode::kBufferGl1Inv: caches_.EmptyArray(cu); return true;
    case Opcode::kSDcacheInv: caches_.EmptyScalar(cu); return true;
    default: return false;
  }
}

absl::Status MemoryOrder::Issue(uint32_t wave, const Op& op, Context& context) {
  if (Empties(wave, op)) return absl::OkStatus();
  Message m = MakeMessage(wave, op);
  if (absl::Status s = Try(*m, context); !s.ok()) return s;
  if (m->left == 0) return absl::OkStatus();
  m->counted_until_l2 = !m->vs || CountedUntilL2(op.inst.glc || op.Has(isa::opcode_flag::kAtomic),
                                                 AreWholeLines(m->bytes));
  std::vector<Message>& messages = waves_[wave].messages;
  if (m->path == Path::kVector) on_cu_[waves_[wave].cu].push_back(m);
  messages.push_back(std::move(m));
  if (messages.size() <= kMaxInFlight) return absl::OkStatus();
  absl::Status status = Complete(*messages.front());
  Clean(waves_[wave]);
  return status;
}

bool MemoryOrder::Before(const InFlight& earlier, const InFlight& later) const {
  if (earlier.left == 0 || earlier.path != later.path) return false;
  const bool same_wave = earlier.wave == later.wave;
  const Pair other = same_wave ? Pair::kOtherBytesOfWave : Pair::kElse;
  if (OrderKept(later.path, other)) return true;
  // Loads of one type write registers in order (contract_rules.h).
  const Producer producer = ProducerOf(*earlier.op);
  if (same_wave && producer == ProducerOf(*later.op) &&
      RequiredWait(producer, true, Hazard::kWriteAfterWrite) == Counter::kNone &&
      Overlap(earlier.results, later.results)) {
    return true;
  }
  const bool same_cu = waves_[earlier.wave].cu == waves_[later.wave].cu;
  const Pair pair = same_wave ? Pair::kSameBytesOfWave
                    : same_cu ? Pair::kSameBytesOfCu
                              : Pair::kElse;
  return OrderKept(later.path, pair) && Overlap(earlier.bytes, later.bytes);
}

// Returns those in flight that take effect before it, oldest first.
std::vector<MemoryOrder::Message> MemoryOrder::Earlier(const InFlight& m) const {
  const Wave& wave = waves_[m.wave];
  std::vector<Message> earlier;
  for (const Message& e : m.path == Path::kVector ? on_cu_[wave.cu] : wave.messages) {
    if (e.get() == &m) break;
    if (Before(*e, m)) earlier.push_back(e);
  }
  return earlier;
}

absl::Status MemoryOrder::Complete(InFlight& m) {
  for (const Message& e : Earlier(m)) {
    if (absl::Status s = Complete(*e); !s.ok()) return s;
  }
  return m.left == 0 ? absl::OkStatus() : Perform(m, m.left);
}

absl::Status MemoryOrder::Perform(InFlight& m, uint64_t lanes) {
  Wave& wave = waves_[m.wave];
  current_ = &m;
  if (m.path != Path::kScalar) m.payload.SetLaneMask(isa::kExecLo, lanes);
  absl::Status status = execute_(*m.op, wave.context, m.payload);
  PutBack();
  CopyResults(m, lanes);
  m.left &= ~lanes;
  return status;
}

// A load into half of a register leaves the other half as the wave has it now.
void MemoryOrder::CopyResults(const InFlight& m, uint64_t lanes) {
  WaveState& to = *waves_[m.wave].state;
  const Access& access = AccessOf(m.op->inst.op);
  const bool half = access.d16 && access.kind == AccessKind::kLoad;
  const uint32_t taken = !half ? ~0u : access.high ? 0xffff0000u : 0xffffu;
  for (const isa::OperandUse& use : m.op->uses) {
    if (!use.written) continue;
    for (int i = 0; i < use.dwords; ++i) {
      const int code = use.operand.code + i;
      if (code < 256) {
        to.SetScalar(code, m.payload.scalar[static_cast<size_t>(code)]);
        continue;
      }
      LaneDwords& result = to.vector[static_cast<size_t>(code - 256)];
      const LaneDwords& found = m.payload.vector[static_cast<size_t>(code - 256)];
      for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        result[lane] = (result[lane] & ~taken) | (found[lane] & taken);
      }
    }
  }
}

// Adds those that must have taken effect so that at most `count` are counted. Vector memory and LDS
// are counted down in order, scalar loads and flat accesses in any.
void MemoryOrder::Waited(const Wave& wave, bool InFlight::*counter, int count,
                         std::vector<Message>* waited) const {
  std::vector<Message> in_order, others;
  for (const Message& m : wave.messages) {
    if (!((*m).*counter) || (!m->counted && in_order.empty())) continue;
    const bool ordered =
        counter != &InFlight::lgkm || OrderOf(ProducerOf(*m->op)) == Order::kInOrder;
    if (ordered) in_order.push_back(m);
    if (!ordered && m->counted) others.push_back(m);
  }
  const auto most = static_cast<size_t>(count);
  const size_t sure = in_order.size() > most ? in_order.size() - most : 0;
  for (size_t i = 0; i < sure; ++i) {
    if (in_order[i]->counted) waited->push_back(in_order[i]);
  }
  // Of those that come in any order, the newest: all if none may be left.
  const size_t kept = std::min(in_order.size(), most);
  for (size_t i = others.size(); i > 0 && kept + i > most; --i) waited->push_back(others[i - 1]);
}

std::vector<MemoryOrder::Message> MemoryOrder::Waited(uint32_t wave,
                                                      const WaitCounts& counts) const {
  std::vector<Message> waited;
  const Wave& w = waves_[wave];
  if (counts.vm != kNoWait) Waited(w, &InFlight::vm, counts.vm, &waited);
  if (counts.vs != kNoWait) Waited(w, &InFlight::vs, counts.vs, &waited);
  if (counts.lgkm != kNoWait) Waited(w, &InFlight::lgkm, counts.lgkm, &waited);
  return waited;
}

WaitCounts MemoryOrder::InFlightFor(uint32_t wave, const WaitCounts& counts) const {
  const auto part = [&](int WaitCounts::*count) {
    WaitCounts alone;
    alone.*count = counts.*count;
    return Waited(wave, alone).empty() ? kNoWait : counts.*count;
  };
  WaitCounts some;
  some.vm = part(&WaitCounts::vm);
  some.lgkm = part(&WaitCounts::lgkm);
  some.vs = part(&WaitCounts::vs);
  return some;
}

absl::StatusOr<bool> MemoryOrder::Wait(uint32_t wave, const WaitCounts& counts) {
  const std::vector<Message> waited = Waited(wave, counts);
  if (waited.empty()) return true;
  if (Draw(2) == 0) return false;
  InFlight& m = *waited[Draw(static_cast<uint32_t>(waited.size()))];
  if (!m.counted_until_l2 && Draw(2) == 0) {
    m.counted = false;  // it stays on the CU
  } else if (absl::Status s = Complete(m); !s.ok()) {
    return s;
  }
  Clean(waves_[wave]);
  return false;
}

// Some lanes take effect, if nothing is before them.
absl::Status MemoryOrder::PassOne(InFlight& m) {
  if (m.left == 0 || (keeps_ && !m.counted_until_l2) || !Earlier(m).empty()) {
    return absl::OkStatus();
  }
  uint64_t lanes = m.left;
  const uint64_t low = m.left & ((uint64_t{1} << kLdsLanes) - 1);
  if (m.by_halves) {
    if (low != 0) lanes = low;
  } else if (!m.whole && Draw(2) == 0) {
    lanes &= uint64_t{random_.Next()} << 32 | random_.Next();
  }
  return lanes == 0 ? absl::OkStatus() : Perform(m, lanes);
}

absl::Status MemoryOrder::Pass() {
  if (Draw(pace_) != 0) return absl::OkStatus();
  Wave& wave = waves_[Draw(static_cast<uint32_t>(waves_.size()))];
  const std::vector<Message>& messages = Draw(8) == 0 ? on_cu_[wave.cu] : wave.messages;
  if (messages.empty()) return absl::OkStatus();
  const Message m = messages[Draw(static_cast<uint32_t>(messages.size()))];
  absl::Status status = PassOne(*m);
  Clean(waves_[m->wave]);
  return status;
}

absl::Status MemoryOrder::Finish() {
  for (Wave& wave : waves_) {
    for (const Message& m : wave.messages) {
      if (absl::Status s = Complete(*m); !s.ok()) return s;
    }
  }
  for (std::vector<Message>& messages : on_cu_) {
    for (const Message& m : messages) {
      if (absl::Status s = Complete(*m); !s.ok()) return s;
    }
    messages.clear();
  }
  waves_.clear();
  return absl::OkStatus();
}

// Forgets what has taken effect, but for what counters need to know: that others, issued before,
// are still counted.
void MemoryOrder::Clean(Wave& wave) {
  bool vm = false, vs = false, lgkm = false;
  for (const Message& m : wave.messages) {
    if (m->left == 0) m->counted = false;
  }
  std::erase_if(wave.messages, [&](const Message& m) {
    const bool ordered_lgkm = m->lgkm && m->path == Path::kLds;
    const bool needed = (m->vm && vm) || (m->vs && vs) || (ordered_lgkm && lgkm);
    if (m->counted) {
      vm |= m->vm;
      vs |= m->vs;
      lgkm |= ordered_lgkm;
    }
    return !m->counted && !needed;
  });
  std::erase_if(on_cu_[wave.cu], [](const Message& m) { return m->left == 0; });
}

}  // namespace kiln::sim::rdna2
