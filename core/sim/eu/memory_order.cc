// See memory_order.h.
#include "core/sim/eu/memory_order.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/sim/eu/swsb.h"

namespace kiln::sim::eu {
namespace {

Event EventOf(const Message& m) {
  switch (m.kind) {
    case MessageKind::kFence: return Event::kFence;
    case MessageKind::kAtomic:
    case MessageKind::kFloatAtomic:
    case MessageKind::kTypedAtomic: return m.returns ? Event::kAtomic : Event::kWrite;
    case MessageKind::kScatter:
    case MessageKind::kBlockWrite:
    case MessageKind::kTypedWrite: return Event::kWrite;
    default: return Event::kRead;
  }
}

bool IsStateless(const Message& m) {
  return !m.a64 && (m.surface == kSurfaceStateless || m.surface == kSurfaceStatelessCoherent);
}

uint64_t NameOf(const ByteRange& r) { return reinterpret_cast<uintptr_t>(r.data); }

std::vector<uint8_t> Copy(const ByteRange& r) { return {r.data, r.data + r.size}; }

// Calls f with a key of each cache line and the part of the range that is in it. Lines are cut by
// offset, so that the host addresses of the bytes have no effect.
template <typename F>
void ForEachLine(const ByteRange& r, F f) {
  for (uint64_t done = 0; done < r.size;) {
    const uint64_t within = (r.offset + done) % kLineBytes;
    const uint64_t part = std::min<uint64_t>(r.size - done, kLineBytes - within);
    f(reinterpret_cast<uintptr_t>(r.data + done) - within, ByteRange{r.data + done, part});
    done += part;
  }
}

}  // namespace

MemoryOrder::MemoryOrder(uint64_t seed, NoteOutside note_outside)
    : random_(seed), note_outside_(std::move(note_outside)), history_(kLineBytes, kMaxChanges) {
  // Some runs deliver soon, others hardly ever unless a thread waits.
  pace_ = 2u << (2 * Draw(5));
  staleness_ = 1 + Draw(4);
}

uint32_t MemoryOrder::StartGroup(absl::Span<Thread> threads, const MemoryView* memory) {
  const size_t first = threads_.size();
  if (first == 0) history_.Forget();
  threads_.resize(first + threads.size());
  for (size_t i = 0; i < threads.size(); ++i) {
    threads_[first + i].thread = &threads[i];
    threads_[first + i].memory = memory;
  }
  return static_cast<uint32_t>(first);
}

bool MemoryOrder::Keeps(const Message& m) {
  switch (m.kind) {
    case MessageKind::kSample:
    case MessageKind::kScratchRead:
    case MessageKind::kScratchWrite:
    case MessageKind::kBarrier:
    case MessageKind::kEnd: return false;
    case MessageKind::kFence: return true;
    default: return !IsStateless(m);
  }
}

absl::Status MemoryOrder::Issue(uint32_t index, const Op& op, const Message& message,
                                const MessageRegisters& registers, uint32_t enabled) {
  ThreadState& state = threads_[index];
  auto m = std::make_unique<InFlight>();
  m->op = &op;
  m->message = message;
  m->registers = registers;
  m->event = EventOf(message);
  m->memory = message.surface == kSurfaceShared && !message.a64 ? Memory::kShared : Memory::kGlobal;
  m->token = SwsbOf(op).set;
  m->enabled = enabled;
  const uint32_t lanes = message.simd >= 32 ? ~0u : (1u << message.simd) - 1;
  m->left = GoesByLanes(message) ? enabled & lanes : 1;
  if (m->left == 0) return absl::OkStatus();
  m->payload = std::make_unique<const Thread>(*state.thread);
  for (uint32_t rest = m->left; rest != 0 && m->event != Event::kFence; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    absl::StatusOr<ByteRange> bytes =
        BytesOf(message, registers, lane, *state.memory, *state.thread);
    if (!bytes.ok()) return OpError(bytes.status().code(), op, bytes.status().message());
    m->bytes[lane] = *bytes;
  }
  state.messages.push_back(std::move(m));
  return absl::OkStatus();
}

// Returns true if `earlier`, or its remaining lanes, must take effect before this lane of `later`.
bool MemoryOrder::Ordered(const InFlight& earlier, const InFlight& later, int lane) {
  if (earlier.left == 0) return false;
  const Meeting far = earlier.memory == later.memory ? Meeting::kSameMemory : Meeting::kOtherMemory;
  if (OrderKept(earlier.event, later.event, far)) return true;
  if (earlier.event == Event::kFence || later.event == Event::kFence) return false;
  if (!OrderKept(earlier.event, later.event, Meeting::kSameBytes)) return false;
  for (uint32_t rest = earlier.left; rest != 0; rest &= rest - 1) {
    if (earlier.bytes[std::countr_zero(rest)].Overlaps(later.bytes[lane])) return true;
  }
  return false;
}

bool MemoryOrder::Blocked(const ThreadState& state, size_t message, int lane) {
  for (size_t i = 0; i < message; ++i) {
    if (Ordered(*state.messages[i], *state.messages[message], lane)) return true;
  }
  return false;
}

absl::Status MemoryOrder::CompleteLane(ThreadState& state, size_t message, int lane) {
  for (size_t i = 0; i < message; ++i) {
    if (!Ordered(*state.messages[i], *state.messages[message], lane)) continue;
    absl::Status status = Complete(state, i);
    if (!status.ok()) return status;
  }
  return Perform(state, *state.messages[message], lane);
}

absl::Status MemoryOrder::Complete(ThreadState& state, size_t message) {
  while (state.messages[message]->left != 0) {
    const int lane = std::countr_zero(state.messages[message]->left);
    absl::Status status = CompleteLane(state, message, lane);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> MemoryOrder::Wait(uint32_t index, uint16_t tokens) {
  ThreadState& state = threads_[index];
  std::vector<size_t> waited;
  for (size_t i = 0; i < state.messages.size() && tokens != 0; ++i) {
    const InFlight& m = *state.messages[i];
    const bool named = m.token >= 0 && (tokens >> m.token & 1) != 0;
    if (named && TokenTellsEffect(m.event)) waited.push_back(i);
  }
  if (waited.empty()) {
    for (auto& m : state.messages) {
      if (m->token >= 0 && (tokens >> m->token & 1) != 0) m->token = -1;
    }
    return true;
  }
  if (Draw(2) == 0) return false;
  absl::Status status = Complete(state, waited[Draw(static_cast<uint32_t>(waited.size()))]);
  if (!status.ok()) return status;
  Clean(state);
  return waited.size() == 1;
}

absl::Status MemoryOrder::Pass() {
  if (Draw(pace_) != 0) return absl::OkStatus();
  ThreadState& state = threads_[Draw(static_cast<uint32_t>(threads_.size()))];
  if (state.messages.empty()) return absl::OkStatus();
  const size_t i = Draw(static_cast<uint32_t>(state.messages.size()));
  InFlight& m = *state.messages[i];
  const uint32_t chosen = Draw(2) == 0 ? ~0u : Draw(~0u);
  for (uint32_t rest = m.left & chosen; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (Blocked(state, i, lane)) continue;
    absl::Status status = Perform(state, m, lane);
    if (!status.ok()) return status;
  }
  Clean(state);
  return absl::OkStatus();
}

absl::Status MemoryOrder::Finish() {
  for (ThreadState& state : threads_) {
    for (size_t i = 0; i < state.messages.size(); ++i) {
      absl::Status status = Complete(state, i);
      if (!status.ok()) return status;
    }
  }
  threads_.clear();
  return absl::OkStatus();
}

void MemoryOrder::Clean(ThreadState& state) {
  std::erase_if(state.messages, [](const auto& m) { return m->left == 0; });
}

absl::Status MemoryOrder::Execute(ThreadState& state, InFlight& m, int lane) {
  const uint32_t enabled = GoesByLanes(m.message) ? 1u << lane : m.enabled;
  const uint64_t* const count = state.memory->outside;
  const uint64_t before = count != nullptr ? *count : 0;
  absl::Status status =
      ExecuteMessage(m.message, m.registers, enabled, *state.memory, *m.payload, *state.thread);
  const uint64_t outside = count != nullptr ? *count - before : 0;
  if (outside != 0) note_outside_(*m.op, m.message, *state.memory, *m.payload, outside);
  if (!status.ok()) return OpError(status.code(), *m.op, status.message());
  return status;
}

absl::Status MemoryOrder::Perform(ThreadState& state, InFlight& m, int lane) {
  m.left &= ~(1u << lane);
  auto& lines = state.lines[static_cast<int>(m.memory)];
  if (m.event == Event::kFence) {
    lines.clear();
    return absl::OkStatus();
  }
  if (m.event == Event::kRead) return Read(state, m, lane);
  const ByteRange& range = m.bytes[lane];
  const std::vector<uint8_t> before = Copy(range);
  absl::Status status = Execute(state, m, lane);
  history_.Change(NameOf(range), before);
  ForEachLine(range, [&](uintptr_t line, const ByteRange&) { lines.erase(line); });
  return status;
}

absl::Status MemoryOrder::Read(ThreadState& state, InFlight& m, int lane) {
  auto& lines = state.lines[static_cast<int>(m.memory)];
  const ByteRange& range = m.bytes[lane];
  if (!kReadsMayBeStale || Draw(staleness_) != 0 || !IsCached(lines, range)) {
    ForEachLine(range, [&](uintptr_t line, const ByteRange&) { lines[line] = history_.now(); });
    return Execute(state, m, lane);
  }
  const std::vector<uint8_t> present = Copy(range);
  ForEachLine(range, [&](uintptr_t line, const ByteRange& part) {
    history_.Restore(NameOf(part), lines[line], absl::MakeSpan(part.data, part.size));
  });
  absl::Status status = Execute(state, m, lane);
  if (!present.empty()) std::memcpy(range.data, present.data(), present.size());
  return status;
}

bool MemoryOrder::IsCached(const std::unordered_map<uintptr_t, uint64_t>& lines,
                           const ByteRange& range) const {
  bool cached = true;
  ForEachLine(range, [&](uintptr_t line, const ByteRange&) {
    const auto at = lines.find(line);
    cached &= at != lines.end() && at->second >= history_.oldest();
  });
  return cached;
}

}  // namespace kiln::sim::eu
