// See memory_order.h.
#include "core/sim/rdna2/memory_order.h"

#include <memory>
#include <set>
#include <utility>

namespace kiln::sim::rdna2 {
namespace {

// Returns all lanes of the quads that any of the lanes is of.
uint64_t WithQuads(uint64_t lanes) {
  uint64_t all = 0;
  for (int quad = 0; quad < 64; quad += 4) {
    const uint64_t of_quad = uint64_t{0xf} << quad;
    if ((lanes & of_quad) != 0) all |= of_quad;
  }
  return all;
}

}  // namespace

using isa::Opcode;

MemoryOrder::MemoryOrder(uint64_t seed, const scene::Dispatch& dispatch, Needs* needs,
                         Execute execute)
    : random_(seed),
      memory_(dispatch, random_, needs),
      needs_(needs),
      execute_(std::move(execute)) {
  // Some runs deliver soon, others hardly ever unless a wave waits.
  pace_ = 2u << (2 * Draw(5));
  keeps_ = Draw(2) == 0;
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
    wave.context.memory_order = this;
    wave.cu = two_cus ? 2 * WgpOf(cu) + Draw(2) : cu;
    waves_.push_back(std::move(wave));
  }
  return static_cast<uint32_t>(first);
}

// Called before each access of the instruction under way.
void MemoryOrder::Note(Space space, uint8_t* data, uint64_t, uint32_t bytes, Use use) {
  if (!trying_) {
    memory_.PutBack();
    if (space != Space::kLds)
      memory_.Access(*current_, waves_[current_->wave].cu, data, bytes, use);
    return;
  }
  if (use != Use::kRead) memory_.Remember(data, bytes);
  if (space == Space::kLds) return;
  const uint64_t name = memory_.NameOf(data);
  const uint64_t first = name != ClientMemory::kNoName ? name : reinterpret_cast<uintptr_t>(data);
  current_->bytes.emplace_back(first, first + bytes);
}

// Executes it to find out which bytes it accesses and whether it can; undoes the effect. Scratch is
// in order whatever its bytes.
absl::Status MemoryOrder::Try(InFlight& m, Context& context) {
  if (m.path == Path::kScratch) return absl::OkStatus();
  current_ = &m;
  trying_ = true;
  context.memory_order = this;
  WaveState trial = m.payload;
  absl::Status status = execute_(*m.op, context, trial);
  trying_ = false;
  memory_.PutBack();
  Join(&m.bytes);
  return status;
}

// Empties caches if the instruction does that alone.
bool MemoryOrder::Empties(uint32_t wave, const Op& op) {
  const uint32_t cu = waves_[wave].cu;
  switch (op.inst.op) {
    case Opcode::kBufferGl0Inv: memory_.caches().EmptyVector(cu); return true;
    case Opcode::kSGl1Inv:
    case Opcode::kBufferGl1Inv: memory_.caches().EmptyArray(cu); return true;
    case Opcode::kSDcacheInv: memory_.caches().EmptyScalar(cu); return true;
    default: return false;
  }
}

absl::Status MemoryOrder::Issue(uint32_t wave, const Op& op, Context& context) {
  if (Empties(wave, op)) return absl::OkStatus();
  Wave& from = waves_[wave];
  const Message m = MakeMessage(op, wave, *from.state);
  if (absl::Status s = Try(*m, context); !s.ok()) return s;
  if (m->left == 0) return absl::OkStatus();
  const bool stores = m->vs && !op.Has(isa::opcode_flag::kAtomic);
  m->whole_lines = stores && AreWholeLines(m->bytes);
  m->counted_until_l2 = !stores || CountedUntilL2(op.inst.glc, m->whole_lines);
  if (m->path == Path::kVector) on_cu_[from.cu].push_back(m);
  from.messages.push_back(m);
  if (from.messages.size() <= kMaxInFlight) return absl::OkStatus();
  absl::Status status = Complete(*from.messages.front());
  Clean(from);
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
std::vector<Message> MemoryOrder::Earlier(const InFlight& m) const {
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
  memory_.PutBack();
  CopyResults(m, lanes, *wave.state);
  m.left &= ~lanes;
  return status;
}

// Stores in flight matter only if another CU reads what they write: client_memory.h.
void MemoryOrder::NoteNeeds(const Op& op, const WaitCounts& counts, const Wave& wave) const {
  if (!Waited(wave.messages, {.vm = counts.vm}).empty()) needs_->emplace(op.offset, Need::kVmcnt);
  if (!Waited(wave.messages, {.lgkm = counts.lgkm}).empty()) {
    needs_->emplace(op.offset, Need::kLgkmcnt);
  }
  for (const Message& m : Waited(wave.messages, {.vs = counts.vs})) {
    if (!m->waits) m->waits = std::make_shared<std::set<uint32_t>>();
    m->waits->insert(op.offset);
  }
}

absl::StatusOr<bool> MemoryOrder::Wait(uint32_t wave, const Op& op) {
  Wave& waiting = waves_[wave];
  // The end waits for everything, and only then counts as an arrival at barriers (s_endpgm in
  // AMD's guide, as README-ISA.md of Mesa's compiler quotes it). No program could leave that out.
  const bool ends = op.Has(isa::opcode_flag::kEnd);
  const WaitCounts counts = ends ? WaitCounts{0, 0, 0, 0} : WaitsOf(op);
  if (needs_ != nullptr && !ends) NoteNeeds(op, counts, waiting);
  const std::vector<Message> waited = Waited(waiting.messages, counts);
  if (waited.empty()) return true;
  // At the end, where the wave does nothing with the result, accesses stay in flight for longer, so
  // that other waves run between two of them.
  constexpr uint32_t kPatience = 2, kPatienceAtEnd = 64;
  if (Draw(ends ? kPatienceAtEnd : kPatience) != 0) return false;
  InFlight& m = *waited[Draw(static_cast<uint32_t>(waited.size()))];
  if (!m.counted_until_l2 && Draw(2) == 0) {
    m.released = true;  // it stays on the CU
  } else if (absl::Status s = Complete(m); !s.ok()) {
    return s;
  }
  Clean(waiting);
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
    // Results may replace the addresses from which a quad's other lanes derive.
    if (m.by_quads) lanes = WithQuads(lanes) & m.left;
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

void MemoryOrder::Clean(Wave& wave) {
  rdna2::Clean(&wave.messages);
  std::erase_if(on_cu_[wave.cu], [](const Message& m) { return m->left == 0; });
}

}  // namespace kiln::sim::rdna2
