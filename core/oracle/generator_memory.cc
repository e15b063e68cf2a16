// Accesses of random modules to buffers, shared and private memory, tables and push constants, and
// exchanges between lanes through them. A lane writes only its own parts.
#include "core/oracle/generator.h"

#include <vector>

namespace kiln::oracle::random_modules {

void Generator::ClearPrivate() {
  for (uint32_t array = 0; array < m_.private_arrays.size(); ++array) {
    if (array == kTable) continue;
    for (uint32_t byte = 0; byte < m_.private_arrays[array].bytes; byte += 4) {
      b_.Store(Op::kStorePrivate, array, b_.Int(byte), {b_.Int(0)});
    }
  }
}

void Generator::MemoryAccess(int depth) {
  const Type dwords[] = {Type::kI32, options_.floats ? Type::kF32 : Type::kI32, Type::kI32};
  const absl::Span<const Type> types(dwords, 1 + random_.Below(3));
  if (random_.OneIn(4)) return OwnMemory();
  if (random_.OneIn(8)) return SharedReads();
  // Any offset: bytes outside read as 0.
  const ValueId offset = b_.And(Pick(Type::kI32), b_.Int(random_.OneIn(8) ? 0x3fc : 0xfc));
  switch (random_.Below(options_.memory ? 9 : 4)) {
    case 0: return StoreOutput(random_.Below(8), Pick(Type::kI32));
    case 1: return DefineResults(b_.Load(Op::kLoadSsbo, 0, base_, types));
    case 2: return DefineResults(b_.Load(Op::kLoadSsbo, 1, offset, types));
    case 3: return DefineResults(b_.Load(Op::kLoadUbo, 2, offset, types));
    case 4: return DefineResults(b_.Load(Op::kLoadPush, 0, offset, types));
    case 5: return DefineResults(b_.Load(Op::kLoadConstant, 0, b_.And(offset, b_.Int(28)), types));
    case 6: {
      const uint32_t array = random_.Below(2);
      b_.Store(Op::kStorePrivate, array, PrivateOffset(array, offset), PickStored());
      return;
    }
    case 7: {
      if (random_.OneIn(2)) {
        return DefineResults(
            b_.Load(Op::kLoadPrivate, kTable, b_.And(offset, b_.Int(28)), types.subspan(0, 1)));
      }
      const uint32_t array = random_.Below(2);
      return DefineResults(b_.Load(Op::kLoadPrivate, array, PrivateOffset(array, offset), types));
    }
    default:
      if (depth == 0 && !IsGraphics()) Exchange();
      return;
  }
}

// Accesses of several kinds and sizes close together, in the lane's own part of a buffer, by the
// buffer's address, or of shared memory: passes that combine, forward or remove accesses must see
// which of them overlap.
void Generator::OwnMemory() {
  constexpr Type kElements[] = {Type::kI32, Type::kI32, Type::kI32, Type::kI16,
                                Type::kI8,  Type::kI64, Type::kF64};
  const OwnPart part = PickOwnPart();
  for (uint32_t i = 2 + random_.Below(4); i > 0; --i) {
    const Type type = kElements[random_.Below(options_.doubles ? 7 : options_.types ? 6 : 5)];
    const uint32_t bytes = BytesOf(type);
    const uint32_t count = 1 + random_.Below(bytes == 8 ? 2 : 3);
    const uint32_t place = random_.Below(part.bytes / bytes - count + 1) * bytes;
    const Builder::Address at = Place(part, place);
    switch (random_.Below(type == Type::kI32 || type == Type::kI64 ? 3 : 2)) {
      case 0: {
        std::vector<ValueId> values;
        for (uint32_t c = 0; c < count; ++c) {
          const ValueId v = PickTyped(type);
          values.push_back(type == Type::kF64 ? NumberOrZero(v) : v);
        }
        if (part.memory == Op::kLoadGlobal) {
          b_.StoreGlobal(at, values, bytes);
        } else {
          b_.Store(part.memory == Op::kLoadShared ? Op::kStoreShared : Op::kStoreSsbo, 0, at[0],
                   values, bytes);
        }
        break;
      }
      case 1: {
        const std::vector<Type> types(count, type);
        const InstId load = part.memory == Op::kLoadGlobal
                                ? b_.LoadGlobal(at, types, bytes)
                                : b_.Load(part.memory, 0, at[0], types, bytes);
        for (uint32_t c = 0; c < count; ++c) DefineTyped(m_.result(load, static_cast<int>(c)));
        break;
      }
      default: OwnAtomic(part, at, type); break;
    }
  }
}

// Reads around an offset that all lanes share: a pass that merges them into blocks must see where
// the buffer ends.
void Generator::SharedReads() {
  constexpr Type kElements[] = {Type::kI32, Type::kI32, Type::kI16,
                                Type::kI8,  Type::kI64, Type::kF64};
  const Op op = random_.OneIn(2) ? Op::kLoadSsbo : Op::kLoadUbo;
  const InstId known =
      b_.Load(op, op == Op::kLoadSsbo ? 1 : 2, b_.Int(4 * random_.Below(16)), {Type::kI32});
  // Never before the start of the buffer: a block that starts outside may read as 0 as a whole.
  const ValueId place = b_.Imax(b_.And(m_.result(known, 0), b_.Int(0x78)), b_.Int(32));
  for (uint32_t i = 2 + random_.Below(4); i > 0; --i) {
    const Type type = kElements[random_.Below(options_.doubles ? 6 : options_.types ? 5 : 2)];
    const uint32_t bytes = BytesOf(type);
    const uint32_t at = (random_.Below(96 / bytes) * bytes) - 32;
    const std::vector<Type> types(1 + random_.Below(3), type);
    const InstId load =
        b_.Load(op, op == Op::kLoadSsbo ? 1 : 2, b_.Iadd(place, b_.Int(at)), types, bytes);
    for (int r = 0; r < m_.inst(load).num_results; ++r) DefineTyped(m_.result(load, r));
  }
}

Generator::OwnPart Generator::PickOwnPart() {
  constexpr uint32_t kOwnDwords = kOutputDwords / 2;
  const uint32_t kind = random_.Below(options_.types ? 3 : 2);
  if (kind == 0 && options_.memory && !IsGraphics()) {
    const ValueId base =
        b_.Iadd(b_.Imul(lane_, b_.Int(kOwnSharedBytes)), b_.Int(4 * options_.lanes));
    return {Op::kLoadShared, base, kOwnSharedBytes};
  }
  return {kind == 2 ? Op::kLoadGlobal : Op::kLoadSsbo, base_, 4 * kOwnDwords};
}

Builder::Address Generator::Place(const OwnPart& part, uint32_t byte) {
  const ValueId offset = b_.Iadd(part.base, b_.Int(byte));
  if (part.memory != Op::kLoadGlobal) return {offset, ValueId()};
  const InstId buffer = b_.EmitInst(Op::kSsboAddress, {}, {Type::kI32, Type::kI32}, 0);
  const ValueId low = m_.result(buffer, 0);
  return {b_.Iadd(low, offset), b_.Iadd(m_.result(buffer, 1), b_.UaddCarry(low, offset))};
}

void Generator::OwnAtomic(const OwnPart& part, const Builder::Address& at, Type type) {
  if (part.memory == Op::kLoadShared && type == Type::kI64)
    return;  // the hardware has no such access
  const ValueId v = PickTyped(type);
  if (part.memory == Op::kLoadGlobal) {
    return DefineTyped(OfTargets(b_.GlobalAtomic(AtomicOp::kXor, at, {v}, type)));
  }
  const Op op = part.memory == Op::kLoadShared ? Op::kSharedAtomic : Op::kSsboAtomic;
  DefineTyped(OfTargets(b_.Atomic(op, AtomicOp::kXor, 0, at[0], {v}, type)));
}

void Generator::Barrier() {
  b_.EmitInst(Op::kControlBarrier, {}, {}, kMemoryShared, static_cast<uint32_t>(Scope::kWorkgroup));
}

// The last private array holds constants only.
void Generator::StoreTable() {
  std::vector<ValueId> values;
  for (int i = 0; i < 8; ++i) values.push_back(b_.Int(InterestingInt()));
  b_.Store(Op::kStorePrivate, kTable, b_.Int(0), values);
}

// An offset inside the array for accesses of up to three dwords; often constant, always so in the
// second array.
ValueId Generator::PrivateOffset(uint32_t array, ValueId any) {
  if (array == 1) return b_.Int(0);
  if (random_.OneIn(2)) return b_.Int(4 * random_.Below(8));
  return random_.OneIn(2) ? b_.And(any, b_.Int(28))
                          : b_.Iadd(b_.Imul(b_.And(any, b_.Int(1)), b_.Int(12)), b_.Int(12));
}

std::vector<ValueId> Generator::PickStored() {
  std::vector<ValueId> values;
  for (uint32_t i = random_.Below(3) + 1; i > 0; --i) values.push_back(Pick(Type::kI32));
  return values;
}

// Every lane publishes a value and reads another lane's.
void Generator::Exchange() {
  const ValueId four = b_.Int(4);
  Barrier();
  b_.Store(Op::kStoreShared, 0, b_.Imul(lane_, four), {Pick(Type::kI32)});
  Barrier();
  const ValueId other = b_.Urem(Pick(Type::kI32), b_.Int(options_.lanes));
  const Type type = Type::kI32;
  DefineResults(b_.Load(Op::kLoadShared, 0, b_.Imul(other, four), {type}));
}

}  // namespace kiln::oracle::random_modules
