// Emits the pseudo operations of scans of the workgroup: the store to LDS by the first lane of the
// wave alone, and the lane's number behind the barrier.
#include "core/amd/emit/operands.h"
#include "core/amd/emit/pseudo.h"
#include "core/amd/lir/lanes.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

constexpr uint32_t kMaxElement = 255;  // that ds_write2_b32 names from its address

void AddStore(Context& c, const StoreAux& aux, isa::Operand address, isa::Operand value, int k) {
  isa::Instruction store;
  store.op = aux.bytes == 1 ? Opcode::kDsWriteB8 : Opcode::kDsWriteB32;
  store.offset = aux.offset + 4 * aux.stride_dwords * k;
  store.src[0] = address;
  store.src[1] = value;
  c.Add(store);
}

bool FitsOneStore(const StoreAux& aux) {
  return aux.bytes == 4 && aux.offset % 4 == 0 &&
         aux.offset / 4u + aux.stride_dwords <= kMaxElement;
}

void EmitLaneStore(Context& c, lir::InstId i) {
  const lir::Inst& in = c.f().inst(i);
  const StoreAux aux = StoreAux::Unpack(in.aux);
  const auto use = [&](size_t k) { return RegisterOf(c.f(), c.f().uses(i)[k]); };
  const int values = in.num_uses - 1;
  if (!aux.whole_wave) c.Add(c.masks().mov, Temporary(), Exec());
  c.Add(c.masks().mov, Exec(), Constant(1));
  if (values == 2 && FitsOneStore(aux)) {
    isa::Instruction both;
    both.op = Opcode::kDsWrite2B32;
    both.offset = aux.offset / 4;
    both.offset1 = static_cast<uint8_t>(aux.offset / 4 + aux.stride_dwords);
    for (size_t k = 0; k < 3; ++k) both.src[k] = use(k);
    c.Add(both);
  } else {
    for (int k = 0; k < values; ++k) AddStore(c, aux, use(0), use(static_cast<size_t>(k) + 1), k);
  }
  c.Add(c.masks().mov, Exec(), aux.whole_wave ? Constant(-1) : Temporary());
}

}  // namespace

bool EmitWorkgroupScan(Context& c, lir::InstId i) {
  switch (c.f().inst(i).op) {
    case kLaneStore: EmitLaneStore(c, i); return true;
    case kLaneNumber:
      c.Add(Opcode::kVMbcntLoU32B32, RegisterOf(c.f(), c.f().defs(i)[0]), Constant(-1),
            Constant(0));
      return true;
    default: return false;
  }
}

}  // namespace kiln::amd
