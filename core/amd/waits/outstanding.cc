#include "core/amd/waits/outstanding.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "core/amd/isa/operands.h"

namespace kiln::amd {
namespace {

using isa::Encoding;
using isa::Instruction;
using isa::Opcode;
using isa::OpcodeInfo;
namespace flag = isa::opcode_flag;

constexpr CounterIndex kCounterOf[kQueues] = {kVm, kLgkm, kExp, kExp, kExp};

// Targets: 0 to 7 colours, 8 depth, 9 none; 12 to 16 positions; 20 primitives, 32 on parameters.
Queue ExportQueue(int target) {
  if (target < 12) return kColours;
  return target < 20 ? kPositions : kParameters;
}

Event LoadOf(uint8_t type) {
  Event e;
  e.counts[kVm] = true;
  e.queue = kLoads;
  e.type = type;
  return e;
}

Event StoreOf() {
  Event e;
  e.counts[kVs] = true;
  return e;
}

bool Returns(const Instruction& inst, const OpcodeInfo& info) {
  return info.Has(flag::kLoad) || (info.Has(flag::kAtomic) && inst.glc);
}

Event ImageEvent(const Instruction& inst, const OpcodeInfo& info) {
  if (absl::StrContains(info.mnemonic, "bvh")) return LoadOf(kRayType);
  if (inst.src[2].exists()) return LoadOf(kTextureType);
  if (info.Has(flag::kStore) || (info.Has(flag::kAtomic) && !inst.glc)) return StoreOf();
  return LoadOf(kVectorType);  // queries of sizes among them
}

Event FlatEvent(const Instruction& inst, const OpcodeInfo& info) {
  Event e = Returns(inst, info) ? LoadOf(kFlatType) : StoreOf();
  e.counts[kLgkm] = true;
  e.unordered = true;
  e.lds = true;
  return e;
}

Event LdsEvent() {
  Event e;
  e.counts[kLgkm] = true;
  e.queue = kLds;
  e.lds = true;
  return e;
}

Event ExportEvent(const Instruction& inst) {
  Event e;
  e.counts[kExp] = true;
  e.queue = ExportQueue(inst.target);
  e.reads = true;
  return e;
}

Event UnorderedEvent() {
  Event e;
  e.counts[kLgkm] = true;
  e.unordered = true;
  return e;
}

// A load into a half of a register keeps the other half, in order.
bool IsReadAtIssue(const isa::OperandUse& use, const OpcodeInfo& info) {
  if (!use.read) return false;
  return use.implicit || use.member != isa::Member::kDst || !info.Has(flag::kLoad);
}

}  // namespace

Event EventOf(const Instruction& inst) {
  const OpcodeInfo& info = isa::Info(inst.op);
  switch (info.encoding) {
    case Encoding::kSmem: return inst.dst.exists() ? UnorderedEvent() : Event();
    case Encoding::kDs: return LdsEvent();
    case Encoding::kExp: return ExportEvent(inst);
    case Encoding::kMimg: return ImageEvent(inst, info);
    case Encoding::kFlat: return FlatEvent(inst, info);
    case Encoding::kMubuf:
    case Encoding::kMtbuf:
    case Encoding::kGlobal:
    case Encoding::kScratch:
      if (Returns(inst, info)) return LoadOf(kVectorType);
      // Invalidations of caches are counted nowhere.
      return info.Has(flag::kStore | flag::kAtomic) ? StoreOf() : Event();
    default: return info.unit == isa::Unit::kMessage ? UnorderedEvent() : Event();
  }
}

bool Outstanding::Entry::Ended() const {
  return !unordered && std::all_of(age.begin(), age.end(), [](int8_t a) { return a == kEnded; });
}

Outstanding::Entry& Outstanding::Find(uint16_t code) {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), code,
                                   [](const Entry& e, uint16_t c) { return e.code < c; });
  if (at != entries_.end() && at->code == code) return *at;
  busy_.set(code);
  Entry entry;
  entry.code = code;
  return *entries_.insert(at, entry);
}

const Outstanding::Entry* Outstanding::FindExisting(uint16_t code) const {
  if (!busy_.test(code)) return nullptr;
  return &*std::lower_bound(entries_.begin(), entries_.end(), code,
                            [](const Entry& e, uint16_t c) { return e.code < c; });
}

void Outstanding::Require(const Entry& entry, bool written, const Event& by, Counts* counts) const {
  const auto wait = [&](Queue queue) {
    if (entry.age[queue] != kEnded) counts->Require(kCounterOf[queue], entry.age[queue]);
  };
  const bool same_load = written && by.type != 0 && by.type != kFlatType && entry.types == by.type;
  if (!same_load) wait(kLoads);
  if (!(written && by.queue == kLds)) wait(kLds);
  if (entry.unordered) counts->Require(kLgkm, 0);
  if (!written) return;
  for (Queue queue : {kColours, kPositions, kParameters}) wait(queue);
}

Counts Outstanding::NeededBy(const Instruction& inst, isa::Wave wave) const {
  Counts counts;
  if (inst.op == Opcode::kSBarrier) {
    if (inst.simm != 0 && lds_) counts.Require(kLgkm, 0);
    return counts;
  }
  if (busy_.none()) return counts;
  const OpcodeInfo& info = isa::Info(inst.op);
  const Event event = EventOf(inst);
  for (const isa::OperandUse& use : isa::OperandsOf(inst, wave)) {
    for (int i = 0; i < use.dwords; ++i) {
      const int code = use.operand.code + i;
      if (code >= 512) break;
      const Entry* entry = FindExisting(static_cast<uint16_t>(code));
      if (entry == nullptr) continue;
      if (IsReadAtIssue(use, info)) Require(*entry, false, event, &counts);
      if (use.written) Require(*entry, true, event, &counts);
    }
  }
  return counts;
}

void Outstanding::Drop() {
  const auto ended = [this](const Entry& e) {
    if (!e.Ended()) return false;
    busy_.reset(e.code);
    return true;
  };
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), ended), entries_.end());
}

void Outstanding::Wait(const Counts& counts) {
  if (!counts.Any()) return;
  if (counts.of[kLgkm] == 0) lds_ = false;
  for (Entry& e : entries_) {
    for (size_t q = 0; q < kQueues; ++q) {
      if (e.age[q] >= counts.of[kCounterOf[q]]) e.age[q] = kEnded;
    }
    if (e.age[kLoads] == kEnded) e.types = 0;
    if (counts.of[kLgkm] == 0) e.unordered = false;
  }
  Drop();
}

void Outstanding::Issue(const Instruction& inst, isa::Wave wave) {
  const Event event = EventOf(inst);
  if (!event.exists()) return;
  lds_ |= event.lds;
  if (event.queue >= 0) {
    const auto queue = static_cast<size_t>(event.queue);
    for (Entry& e : entries_) {
      int8_t& age = e.age[queue];
      // More cannot be outstanding: the machine would not have issued this one.
      if (age != kEnded && ++age >= kMaxOf[kCounterOf[queue]]) age = kEnded;
      if (e.age[kLoads] == kEnded) e.types = 0;
    }
    Drop();
  }
  for (const isa::OperandUse& use : isa::OperandsOf(inst, wave)) {
    if (!(event.reads ? use.read : use.written)) continue;
    for (int i = 0; i < use.dwords; ++i) {
      const int code = use.operand.code + i;
      if (code >= 512 || code == isa::kNull) break;
      Entry& e = Find(static_cast<uint16_t>(code));
      if (event.queue >= 0) e.age[static_cast<size_t>(event.queue)] = 0;
      e.unordered |= event.unordered;
      e.types |= event.type;
    }
  }
}

bool Outstanding::Join(const Outstanding& other) {
  bool changed = other.lds_ && !lds_;
  lds_ |= other.lds_;
  for (const Entry& theirs : other.entries_) {
    Entry& mine = Find(theirs.code);
    const Entry before = mine;
    for (size_t q = 0; q < kQueues; ++q) {
      if (theirs.age[q] == kEnded) continue;
      mine.age[q] = mine.age[q] == kEnded ? theirs.age[q] : std::min(mine.age[q], theirs.age[q]);
    }
    mine.unordered |= theirs.unordered;
    mine.types |= theirs.types;
    changed |= !(mine == before);
  }
  return changed;
}

void Pending::Wait(const Counts& counts) {
  for (size_t i = 0; i < kCounters; ++i) most_[i] = std::min(most_[i], counts.of[i]);
}

void Pending::Issue(const Event& event) {
  for (size_t i = 0; i < kCounters; ++i) {
    if (!event.counts[i]) continue;
    ++added_[i];
    most_[i] = std::min(most_[i] + 1, kMaxOf[i]);
  }
}

void Pending::Apply(std::array<int, kCounters>* numbers) const {
  for (size_t i = 0; i < kCounters; ++i) {
    (*numbers)[i] = std::min((*numbers)[i] + added_[i], most_[i]);
  }
}

Counts Pending::Unmet(const std::array<int, kCounters>& start, Counts counts) const {
  std::array<int, kCounters> numbers = start;
  Apply(&numbers);
  for (size_t i = 0; i < kCounters; ++i) {
    if (counts.of[i] >= numbers[i]) counts.of[i] = kNoWait;
  }
  return counts;
}

}  // namespace kiln::amd
