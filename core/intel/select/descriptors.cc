// Selects the location of memory accesses: surface or address, offset, and what is known of them;
// and the surface and sampler of messages.
//
// A message names them by an index into the binding or sampler table, or by a handle from
// descriptor memory (core/intel/ABI.md, "Bindless descriptors").
//
// The index into an array of descriptors is equal in all active lanes
// (core/mid/lower/lower_nonuniform). A constant index is part of the message. Another one is added
// to the message's descriptor, in fragments limited to the array's last, or the handle is read at
// it. If the index is in lanes all the same (the counter of a loop that lanes leave one by one),
// the first active lane's is used.
//
// Handles are read once for the thread, in blocks of the constant cache, as uniform buffers are:
// the four descriptors in 32 bytes at a known offset are kept for neighbouring accesses.
#include <algorithm>

#include "core/intel/isa/messages.h"
#include "core/intel/select/access.h"
#include "core/intel/select/descriptors.h"
#include "core/intel/select/texel_parts.h"
#include "core/mid/analysis/known_bits.h"

namespace kiln::intel {

namespace {

// Offsets in a descriptor in memory.
constexpr uint32_t kSurfaceHandleByte = 0, kSamplerHandleByte = 4;

// Returns the known alignment in bytes, up to 16, of the offset or address of a load, store or
// atomic.
uint32_t AlignmentOf(const mir::Module& m, mir::InstId id) {
  const mir::Inst& inst = m.inst(id);
  if (mir::Info(inst.op).Has('R') && mir::Info(inst.op).Has('W')) return 4;  // an atomic
  const mir::ValueId offset = m.source(id, mir::OffsetSource(inst));
  constexpr uint32_t kLargest = 16;  // larger ones have no use here
  const uint32_t zeros = ~mid::KnownZeros(m, offset) | kLargest;
  const uint32_t known = zeros & (0u - zeros);
  return m.IsConstant(offset) ? known : std::max(known, inst.imm1);
}

}  // namespace

Location Descriptors::LocationOf(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const int offset = mir::OffsetSource(inst);
  Location location;
  location.offset = e_.Src(m_.source(id, offset), Type::kUD);
  location.alignment = AlignmentOf(m_, id);
  location.constant_cache = false;
  switch (inst.op) {
    case mir::Op::kLoadGlobal:
    case mir::Op::kStoreGlobal:
    case mir::Op::kGlobalAtomic:
    case mir::Op::kGlobalAtomic64:
      location.high = e_.Src(m_.source(id, offset + 1), Type::kUD);
      break;
    case mir::Op::kLoadShared:
    case mir::Op::kStoreShared:
    case mir::Op::kSharedAtomic: location.surface.bti = kSharedMemorySurface; break;
    case mir::Op::kLoadPush:
      location.surface.bti = *abi_.push_surface;
      location.constant_cache = true;
      break;
    case mir::Op::kLoadConstant:
      location.surface.bti = *abi_.constant_surface;
      location.constant_cache = true;
      break;
    default:
      location.surface = BufferOf(id);
      location.constant_cache = inst.op == mir::Op::kLoadUbo;
      break;
  }
  return location;
}

// Lanes that are active later in the region, or inside it, were active here and had the same index,
// so it is read once.
Operand Descriptors::UniformIndex(mir::ValueId index) {
  if (e_.IsUniform(index)) return e_.Src(index, Type::kUD);
  const auto same = [&](const CachedIndex& c) { return c.index == index; };
  if (const CachedIndex* c = indices_.Find(same)) return c->first;
  return indices_
      .Add({index, lanes_.Broadcast(e_.ToLanes(e_.Src(index, Type::kUD)), lanes_.FirstLane())})
      .first;
}

// Adds the index to `base`, the number of the resource's first descriptor, or to the message's
// descriptor.
void Descriptors::ApplyIndex(mir::ValueId index, uint32_t resource, uint32_t shift, uint32_t& base,
                             SurfaceRef& ref) {
  Operand o = UniformIndex(index);
  if (IsImm(o)) {
    base += KnownElement(*abi_.device, m_.resources[resource], o.id);
    return;
  }
  // Helper lanes have values that the shader does not vouch for, and their messages are sent: an
  // index beyond the array would change the other fields of the message.
  if (abi_.fragment) {
    const uint32_t last = m_.resources[resource].count - 1;
    o = e_.MinMax(Where::kUniform, Type::kUD, false, o, Imm(last, Type::kUD));
  }
  if (shift != 0) o = e_.Alu(Opcode::kShl, Type::kUD, Where::kUniform, {o, Imm(shift, Type::kUD)});
  ref.index = ref.index ? e_.Alu(Opcode::kAdd, Type::kUD, Where::kUniform, {*ref.index, o}) : o;
  ref.chosen = true;
}

// Returns four bytes of the resource's descriptor, or of the one of its array that the index names,
// in this memory. Notes in `ref` if a value selects it.
Operand Descriptors::Handle(uint32_t memory, uint32_t resource, std::optional<mir::ValueId> index,
                            uint32_t byte, SurfaceRef& ref) {
  static_assert(kDescriptorBytes == 8);
  constexpr uint32_t kShift = 3, kChunk = 32;
  Location location;
  location.surface.bti = memory;
  const uint32_t element = m_.resources[resource].element;
  const Operand number = index ? UniformIndex(*index) : Imm(0, Type::kUD);
  if (IsImm(number)) {
    const uint32_t known =
        index ? KnownElement(*abi_.device, m_.resources[resource], number.id) : 0;
    const uint32_t at = (element + known) * kDescriptorBytes;
    return ElementAt(messages_.ConstantChunk(location, at / kChunk), at % kChunk + byte, 4, 1);
  }
  ref.chosen = true;
  const auto same = [&](const CachedHandles& c) {
    return c.memory == memory && c.element == element && c.number.id == number.id &&
           c.number.comp == number.comp;
  };
  if (const CachedHandles* c = handles_.Find(same)) return ElementAt(c->value, byte, 4, 1);
  const Operand scaled =
      e_.Alu(Opcode::kShl, Type::kUD, Where::kUniform, {number, Imm(kShift, Type::kUD)});
  const Operand at = e_.Offset(scaled, element * kDescriptorBytes, Where::kUniform);
  const lir::ValueId all =
      messages_.ReadBlock(location.surface, kSend, BlockAt(location, at, kDescriptorBytes));
  return ElementAt(handles_.Add({memory, element, number, all}).value, byte, 4, 1);
}

// Returns the surface of a resource; for an array, the one that the index selects.
SurfaceRef Descriptors::SurfaceOf(uint32_t resource, std::optional<mir::ValueId> index) {
  SurfaceRef ref;
  const uint32_t memory = abi_.surface_memory[resource];
  if (memory != Abi::kNoSurface) {
    ref.bti = isa::kBtiBindless;
    ref.handle = Handle(memory, resource, index, kSurfaceHandleByte, ref);
    return ref;
  }
  ref.bti = abi_.resource_surface[resource];
  if (index) ApplyIndex(*index, resource, 0, ref.bti, ref);
  return ref;
}

// Returns the source of this number, which is negative if there is none.
std::optional<mir::ValueId> Descriptors::SourceAt(mir::InstId id, int source) const {
  return source < 0 ? std::nullopt : std::optional(m_.source(id, source));
}

SurfaceRef Descriptors::BufferOf(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  return SurfaceOf(inst.imm0, SourceAt(id, (inst.flags & mir::kIndexed) != 0 ? 0 : -1));
}

SurfaceRef Descriptors::ImageOf(mir::InstId id, const mir::TexelSources& s) {
  return SurfaceOf(m_.inst(id).imm0, SourceAt(id, s.image_index));
}

// Sets the image and sampler of a sampler message.
void Descriptors::AddTo(mir::InstId id, const mir::TexelSources& s, SamplerCall& call) {
  call.surface = ImageOf(id, s);
  if (m_.inst(id).op == mir::Op::kFetch) return;
  const mir::TexelOp& t = m_.texel_ops[m_.inst(id).imm1];
  const bool combined = t.sampler == mir::TexelOp::kNoSampler;
  const uint32_t resource = combined ? m_.inst(id).imm0 : t.sampler;
  const std::optional<mir::ValueId> index =
      SourceAt(id, combined ? s.image_index : s.sampler_index);
  const uint32_t memory = abi_.sampler_memory[resource];
  if (memory != Abi::kNoSurface) {
    call.sampler_handle = Handle(memory, resource, index, kSamplerHandleByte, call.surface);
    call.header = 0;
    return;
  }
  call.sampler = abi_.resource_sampler[resource];
  if (!index) return;
  ApplyIndex(*index, resource, kSamplerShift, call.sampler, call.surface);
}

}  // namespace kiln::intel
