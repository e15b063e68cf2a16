#include "core/oracle/memories.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <type_traits>

#include "core/mir/build.h"
#include "core/mir/semantics.h"

namespace kiln::oracle {
namespace {

namespace semantics = mir::semantics;
using mir::AtomicOp;
using mir::AtomicOperands;
using mir::Info;
using mir::Inst;
using mir::InstId;
using mir::Op;
using mir::OpInfo;
using mir::PrivateArray;
using mir::Resource;
using mir::ResourceKind;
using mir::Type;
using mir::ValueId;

Memory Of(std::vector<uint8_t>& bytes) { return {bytes.data(), bytes.size(), nullptr, false}; }

}  // namespace

template <class U>
U AtomicResult(AtomicOp op, U old, U value, U comparator) {
  using S = std::make_signed_t<U>;
  switch (op) {
    case AtomicOp::kAdd: return old + value;
    case AtomicOp::kSub: return old - value;
    case AtomicOp::kSmin: return static_cast<S>(old) < static_cast<S>(value) ? old : value;
    case AtomicOp::kUmin: return std::min(old, value);
    case AtomicOp::kSmax: return static_cast<S>(old) > static_cast<S>(value) ? old : value;
    case AtomicOp::kUmax: return std::max(old, value);
    case AtomicOp::kAnd: return old & value;
    case AtomicOp::kOr: return old | value;
    case AtomicOp::kXor: return old ^ value;
    case AtomicOp::kExchange: return value;
    case AtomicOp::kCompareExchange: return old == comparator ? value : old;
    case AtomicOp::kIncrement: return old + 1;
    case AtomicOp::kDecrement: return old - 1;
    case AtomicOp::kLoad: return old;
    case AtomicOp::kStore: return value;
    case AtomicOp::kFadd:
    case AtomicOp::kFmin:
    case AtomicOp::kFmax: break;  // FloatAtomicResult
  }
  assert(false);
  return 0;
}

uint64_t FloatAtomicResult(AtomicOp op, semantics::Flush flush, Type type, uint64_t old,
                           uint64_t value) {
  const Op combine = op == AtomicOp::kFadd   ? Op::kFadd
                     : op == AtomicOp::kFmin ? Op::kFmin
                                             : Op::kFmax;
  uint64_t result = 0;
  semantics::VisitExact(combine, type, type, flush, [&](auto f) {
    if constexpr (std::is_invocable_v<decltype(f), uint64_t, uint64_t>) result = f(old, value);
  });
  return result;
}

template uint32_t AtomicResult(AtomicOp, uint32_t, uint32_t, uint32_t);
template uint64_t AtomicResult(AtomicOp, uint64_t, uint64_t, uint64_t);

void Memories::Prepare() {
  if (LooksForRaces()) FindGranule();
  Bind();
  for (size_t i = 0; i < in_.buffers.size(); ++i) {
    addressed_.push_back({AddressOfBuffer(i), buffers_[i]});
    addressed_.back().second.by_address = true;
  }
  constant_data_ = m_.constant_data;
  // A constant table was a private array, so that accesses outside are those of local memory.
  constant_memory_ = {constant_data_.data(), constant_data_.size(), nullptr, true};
  shared_.resize(m_.shared_bytes);
  shared_memory_ = {shared_.data(), shared_.size(), nullptr, true};
  if (LooksForRaces()) {
    shared_accesses_.resize(m_.shared_bytes / granule_);
    shared_memory_.accesses = &shared_accesses_;
  }
  size_t at = 0;
  for (const PrivateArray& a : m_.private_arrays) {
    private_start_.push_back(at);
    at += size_t{a.bytes} * e_.lanes;
  }
  private_.resize(at);
}

void Memories::BeginGroup() {
  // Memory that was not written is undefined too.
  for (uint8_t& byte : shared_) byte = static_cast<uint8_t>(e_.chance.Undefined(Type::kI32));
  for (uint8_t& byte : private_) byte = static_cast<uint8_t>(e_.chance.Undefined(Type::kI32));
  std::fill(shared_accesses_.begin(), shared_accesses_.end(), Access());
}

bool Memories::Exec(InstId id, const BitSet& active) {
  switch (m_.inst(id).op) {
    case Op::kSsboSize: SsboSize(id, active); return true;
    case Op::kSsboAddress: SsboAddress(id, active); return true;
    case Op::kLoadUbo:
    case Op::kLoadSsbo:
    case Op::kStoreSsbo:
    case Op::kSsboAtomic: Buffer(id, active); return true;
    case Op::kLoadPush: Load(id, Of(in_.push_constants), active); return true;
    case Op::kLoadShared: Load(id, shared_memory_, active); return true;
    case Op::kLoadConstant: Load(id, constant_memory_, active); return true;
    case Op::kStoreShared: Store(id, shared_memory_, active); return true;
    case Op::kSharedAtomic:
    case Op::kSharedAtomic64: Atomic(id, shared_memory_, active); return true;
    case Op::kLoadGlobal:
    case Op::kStoreGlobal:
    case Op::kGlobalAtomic:
    case Op::kGlobalAtomic64: Global(id, active); return true;
    case Op::kLoadPrivate: LoadPrivate(id, active); return true;
    case Op::kStorePrivate: StorePrivate(id, active); return true;
    default: return false;
  }
}

void Memories::FindGranule() {
  ForEachInst(m_, m_.body, [&](InstId id) {
    const OpInfo& info = Info(m_.inst(id).op);
    if (IsTexelOp(m_.inst(id).op) || m_.inst(id).op == Op::kHelperInvocation) return;
    if (info.Has('R') || info.Has('W')) granule_ = std::min(granule_, ElementBytes(id));
  });
}

// Prepares the record of accesses to writable memory: by granule, of images by texel.
void Memories::Bind() {
  accesses_.resize(in_.buffers.size());
  texel_accesses_.resize(in_.images.size());
  for (BoundBuffer& b : in_.buffers) buffers_.push_back(Of(b.bytes));
  if (!LooksForRaces()) return;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const BoundBuffer& b = in_.buffers[i];
    if (b.address == 0 && !IsBoundTo(b, ResourceKind::kStorageBuffer)) continue;
    accesses_[i].resize(b.bytes.size() / granule_);
    buffers_[i].accesses = &accesses_[i];
  }
  for (size_t i = 0; i < in_.images.size(); ++i) {
    const BoundImage& b = in_.images[i];
    if (!IsBoundTo(b, ResourceKind::kStorageImage) &&
        !IsBoundTo(b, ResourceKind::kStorageTexelBuffer)) {
      continue;
    }
    texel_accesses_[i].resize(b.Texels());
  }
}

std::vector<RacedBytes> Memories::Raced() const {
  std::vector<RacedBytes> raced;
  for (size_t i = 0; i < accesses_.size(); ++i) {
    for (size_t k = 0; k < accesses_[i].size(); ++k) {
      if (!accesses_[i][k].raced) continue;
      const uint64_t begin = k * granule_;
      if (raced.empty() || raced.back().buffer != i || raced.back().end != begin) {
        raced.push_back({i, begin, begin});
      }
      raced.back().end = begin + granule_;
    }
  }
  return raced;
}

template <class T>
bool Memories::IsBoundTo(const T& bound, ResourceKind kind) const {
  return std::any_of(m_.resources.begin(), m_.resources.end(), [&](const Resource& r) {
    return r.kind == kind && r.set == bound.set && r.binding == bound.binding;
  });
}

uint32_t Memories::ElementBytes(InstId id) const {
  const Inst& inst = m_.inst(id);
  return BytesOf(
      m_.value(inst.num_results != 0 ? m_.result(id) : m_.source(id, FirstValueSource(inst))).type);
}

// The byte offset of element i of an access at `offset`, or false if the element is outside.
bool Memories::Inside(uint64_t offset, int i, uint32_t size, const Memory& memory, uint64_t* at) {
  if (i == 0 && offset % size != 0) ++e_.statistics.misaligned_accesses;
  *at = offset / size * size + uint64_t{size} * static_cast<uint64_t>(i);
  if (*at + size <= memory.size) return true;
  ++e_.statistics.outside_accesses;
  e_.statistics.outside_local_accesses += memory.local;
  e_.statistics.outside_addresses += memory.by_address;
  return false;
}

// Checks this access for races with earlier ones, and records it. True if it races with a write.
bool Memories::Note(InstId id, const Memory& memory, uint64_t at, uint32_t size, size_t lane,
                    AccessKind kind, bool same) {
  if (memory.accesses == nullptr) return false;
  bool after_write = false;
  for (uint64_t granule = at / granule_; granule < (at + size) / granule_; ++granule) {
    Access& access = (*memory.accesses)[granule];
    after_write |= races_.Note(id, access, lane, kind, same);
    if (kind != AccessKind::kRead && !same) {
      std::memcpy(&access.before, memory.bytes + granule * granule_, granule_);
    }
  }
  return after_write;
}

void Memories::Load(InstId id, const Memory& memory, const BitSet& active) {
  const uint64_t* offset = e_.Lanes(m_.source(id, OffsetSource(m_.inst(id))));
  e_.ForActive(active, [&](size_t lane) { LoadAt(id, memory, offset[lane], lane); });
}

void Memories::LoadAt(InstId id, const Memory& memory, uint64_t offset, size_t lane) {
  const uint32_t size = ElementBytes(id);
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    uint64_t x = 0;
    uint64_t at;
    if (Inside(offset, i, size, memory, &at)) {
      std::memcpy(&x, memory.bytes + at, size);
      if (races_.ComesBefore(Note(id, memory, at, size, lane, AccessKind::kRead, false))) {
        x = Before(memory, at, size, lane);
      }
    } else if (memory.local) {
      x = e_.chance.Undefined(e_.TypeOf(m_.result(id, i)));
    }
    e_.Lanes(m_.result(id, i))[lane] = x;
  }
}

void Memories::Store(InstId id, const Memory& memory, const BitSet& active) {
  const uint64_t* offset = e_.Lanes(m_.source(id, OffsetSource(m_.inst(id))));
  e_.ForActive(active, [&](size_t lane) { StoreAt(id, memory, offset[lane], lane); });
}

void Memories::StoreAt(InstId id, const Memory& memory, uint64_t offset, size_t lane) {
  const uint32_t size = ElementBytes(id);
  const int first = FirstValueSource(m_.inst(id));
  for (int i = first; i < m_.inst(id).num_sources; ++i) {
    uint64_t at;
    if (!Inside(offset, i - first, size, memory, &at) && !Strays(memory, size, &at)) continue;
    const uint64_t* value = &e_.Lanes(m_.source(id, i))[lane];
    if (races_.ComesBefore(Note(id, memory, at, size, lane, AccessKind::kWrite,
                                std::memcmp(memory.bytes + at, value, size) == 0))) {
      continue;
    }
    std::memcpy(memory.bytes + at, value, size);
  }
}

// Returns the value that the lane reads if its load comes before the writes it is unordered with.
uint64_t Memories::Before(const Memory& memory, uint64_t at, uint32_t size, size_t lane) const {
  uint64_t x = 0;
  for (uint32_t k = 0; k < size; k += granule_) {
    const Access& a = (*memory.accesses)[(at + k) / granule_];
    std::memcpy(
        reinterpret_cast<uint8_t*>(&x) + k,
        races_.IsStale(a, lane) ? static_cast<const void*>(&a.before) : memory.bytes + at + k,
        granule_);
  }
  return x;
}

// With random undefined results a store outside of shared memory or of a private array may hit any
// element in it.
bool Memories::Strays(const Memory& memory, uint32_t size, uint64_t* at) {
  if (in_.undefined_seed == 0 || !memory.local || memory.size < size ||
      e_.chance.RandomUnit() < 0) {
    return false;
  }
  *at = *at % (memory.size / size * size);
  return true;
}

void Memories::Atomic(InstId id, const Memory& memory, const BitSet& active) {
  const uint64_t* offset = e_.Lanes(m_.source(id, OffsetSource(m_.inst(id))));
  const bool wide = m_.inst(id).op == Op::kSharedAtomic64;
  e_.ForActive(active, [&](size_t lane) {
    return wide ? WideAtomicAt(id, memory, offset[lane], lane)
                : AtomicAt(id, memory, offset[lane], lane);
  });
}

void Memories::AtomicAt(InstId id, const Memory& memory, uint64_t offset, size_t lane) {
  const AtomicOp op = static_cast<AtomicOp>(m_.inst(id).imm1);
  const uint32_t size = ElementBytes(id);
  const int first = FirstValueSource(m_.inst(id));
  const int operands = AtomicOperands(op);
  const uint64_t value = operands == 0 ? 0 : e_.Lanes(m_.source(id, first + operands - 1))[lane];
  const uint64_t comparator = operands < 2 ? 0 : e_.Lanes(m_.source(id, first))[lane];
  uint64_t old = 0;
  uint64_t at;
  if (Inside(offset, 0, size, memory, &at)) {
    std::memcpy(&old, memory.bytes + at, size);
    Note(id, memory, at, size, lane, AccessKind::kAtomic, false);
    const uint64_t next =
        IsFloatAtomic(op)
            ? FloatAtomicResult(op, e_.flush, m_.value(m_.result(id)).type, old, value)
        : size == 8 ? AtomicResult(op, old, value, comparator)
                    : AtomicResult(op, static_cast<uint32_t>(old), static_cast<uint32_t>(value),
                                   static_cast<uint32_t>(comparator));
    std::memcpy(memory.bytes + at, &next, size);
  } else if (memory.local) {
    old = e_.chance.Undefined(m_.value(m_.result(id)).type);
  }
  e_.Lanes(m_.result(id))[lane] = old;
}

// Executes an atomic on pairs of dwords.
void Memories::WideAtomicAt(InstId id, const Memory& memory, uint64_t offset, size_t lane) {
  const auto op = static_cast<AtomicOp>(m_.inst(id).imm1);
  const int operands = AtomicOperands(op);
  const int first = FirstValueSource(m_.inst(id));
  const auto operand = [&](int n) {
    const int low = first + 2 * n;
    return e_.Lanes(m_.source(id, low))[lane] | e_.Lanes(m_.source(id, low + 1))[lane] << 32;
  };
  uint64_t old = 0;
  uint64_t at;
  if (Inside(offset, 0, 8, memory, &at)) {
    std::memcpy(&old, memory.bytes + at, 8);
    Note(id, memory, at, 8, lane, AccessKind::kAtomic, false);
    const uint64_t next = AtomicResult(op, old, operands == 0 ? 0 : operand(operands - 1),
                                       operands < 2 ? 0 : operand(0));
    std::memcpy(memory.bytes + at, &next, 8);
  } else if (memory.local) {
    old = e_.chance.Undefined(Type::kI64);
  }
  e_.Lanes(m_.result(id, 0))[lane] = old & 0xffffffff;
  e_.Lanes(m_.result(id, 1))[lane] = old >> 32;
}

// Executes an access to a buffer, which each lane may choose by index.
void Memories::Buffer(InstId id, const BitSet& active) {
  const Op op = m_.inst(id).op;
  const uint64_t* offset = e_.Lanes(m_.source(id, OffsetSource(m_.inst(id))));
  e_.ForActive(active, [&](size_t lane) {
    const Memory& memory = buffers_[descriptors_.DescriptorOf(id, lane)];
    if (op == Op::kStoreSsbo) return StoreAt(id, memory, offset[lane], lane);
    if (op == Op::kSsboAtomic) return AtomicAt(id, memory, offset[lane], lane);
    LoadAt(id, memory, offset[lane], lane);
    if (!descriptors_.ReadsBeyond(id, lane)) return;
    for (int i = 0; i < m_.inst(id).num_results; ++i) {
      e_.Lanes(m_.result(id, i))[lane] = e_.chance.Undefined(e_.TypeOf(m_.result(id, i)));
    }
  });
}

void Memories::SsboSize(InstId id, const BitSet& active) {
  uint64_t* r = e_.Lanes(m_.result(id));
  active.for_each([&](size_t lane) {
    r[lane] = static_cast<uint32_t>(buffers_[descriptors_.DescriptorOf(id, lane)].size);
  });
}

void Memories::SsboAddress(InstId id, const BitSet& active) {
  active.for_each([&](size_t lane) {
    const uint64_t address = AddressOfBuffer(descriptors_.DescriptorOf(id, lane));
    e_.Lanes(m_.result(id, 0))[lane] = address & 0xffffffff;
    e_.Lanes(m_.result(id, 1))[lane] = address >> 32;
  });
}

std::vector<Access>* Memories::AccessesOfImage(size_t place) {
  return texel_accesses_[place].empty() ? nullptr : &texel_accesses_[place];
}

// Access by address.
void Memories::Global(InstId id, const BitSet& active) {
  const uint64_t* low = e_.Lanes(m_.source(id, 0));
  const uint64_t* high = e_.Lanes(m_.source(id, 1));
  const Op op = m_.inst(id).op;
  e_.ForActive(active, [&](size_t lane) {
    const uint64_t address = high[lane] << 32 | low[lane];
    uint64_t offset = 0;
    const Memory memory = At(address, &offset);
    if (op == Op::kLoadGlobal) return LoadAt(id, memory, offset, lane);
    if (op == Op::kStoreGlobal) return StoreAt(id, memory, offset, lane);
    if (op == Op::kGlobalAtomic64) return WideAtomicAt(id, memory, offset, lane);
    AtomicAt(id, memory, offset, lane);
  });
}

// Buffers without an address get one in a range that clients do not use.
uint64_t Memories::AddressOfBuffer(size_t place) const {
  constexpr uint64_t kFirst = uint64_t{1} << 47;
  const uint64_t given = in_.buffers[place].address;
  return given != 0 ? given : kFirst + (uint64_t{place} << 32);
}

// Returns the memory at an address, empty if no buffer has the address.
Memory Memories::At(uint64_t address, uint64_t* offset) const {
  for (const auto& [start, memory] : addressed_) {
    if (address < start || address - start >= memory.size) continue;
    *offset = address - start;
    return memory;
  }
  Memory nowhere;
  nowhere.by_address = true;
  return nowhere;
}

// Private arrays are stored lane by lane.
Memory Memories::PrivateMemory(InstId id, size_t lane) {
  const uint32_t array = m_.inst(id).imm0;
  const uint32_t bytes = m_.private_arrays[array].bytes;
  return {private_.data() + private_start_[array] + lane * bytes, bytes, nullptr, true};
}

void Memories::LoadPrivate(InstId id, const BitSet& active) {
  const uint64_t* offset = e_.Lanes(m_.source(id, OffsetSource(m_.inst(id))));
  active.for_each([&](size_t lane) { LoadAt(id, PrivateMemory(id, lane), offset[lane], lane); });
}

void Memories::StorePrivate(InstId id, const BitSet& active) {
  const uint64_t* offset = e_.Lanes(m_.source(id, OffsetSource(m_.inst(id))));
  active.for_each([&](size_t lane) { StoreAt(id, PrivateMemory(id, lane), offset[lane], lane); });
}

}  // namespace kiln::oracle
