// Tables and hooks of the Intel EU as a machine for the shared LIR code.
#include "core/intel/lir/machine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <iterator>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/btree_map.h"
#include "core/intel/isa/codes.h"
#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/subgroup.h"
#include "core/intel/lir/timing.h"
#include "core/lir/build.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using lir::Function;
using lir::InstId;
using lir::Operand;
using lir::Value;

constexpr uint32_t kDwordsPerGrf = 8;

constexpr std::string_view kTypeNames[] = {"ub", "b",  "uw", "w",  "ud", "d",  "uq",
                                           "q",  "hf", "f",  "df", "v",  "uv", "vf"};
constexpr std::string_view kFixedNames[] = {"null"};
constexpr lir::FileInfo kFiles[] = {
    {"G", kPoolGrf, true}, {"U", kPoolGrf, false}, {"F", kPoolFlag, true, kFileU}};

uint32_t EuFlags(Opcode op) {
  switch (op) {
    case Opcode::kIf:
    case Opcode::kElse:
    case Opcode::kEndif:
    case Opcode::kWhile:
    case Opcode::kBreak:
    case Opcode::kCont: return lir::kOpTerminator | lir::kOpSideEffect;
    case Opcode::kHalt: return lir::kOpExit | lir::kOpSideEffect;
    case Opcode::kSync: return lir::kOpSideEffect;
    case Opcode::kAdd:
    case Opcode::kMul:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor: return lir::kOpCommutative;
    default: return 0;
  }
}

const std::array<lir::OpInfo, kNumLirOps>& Ops() {
  static const std::array<lir::OpInfo, kNumLirOps> ops = [] {
    std::array<lir::OpInfo, kNumLirOps> table;
    for (int i = 0; i < isa::kOpcodeCount; ++i) {
      const auto op = static_cast<Opcode>(i);
      const auto name = isa::Info(op).mnemonic;
      table[i] = lir::OpInfo{{name.data(), name.size()}, EuFlags(op)};
    }
    std::copy(std::begin(op_rows::kInfos), std::end(op_rows::kInfos), &table[kFirstPseudo]);
    return table;
  }();
  return ops;
}

// Eight packed lanes of 16 bits take half a GRF, aligned to an oword. No instruction that is
// selected needs more (rule "float to half" of the verifier: packed half results of conversions are
// oword-aligned).
uint32_t UnitsPerComp(const Function& f, const Value& v) {
  if (v.file == kFileF) return f.dispatch_width > 16 ? 2 : 1;
  if (v.file != kFileG) return 1;
  const uint32_t bytes = uint32_t{f.dispatch_width} * v.elem_bytes;
  return bytes == 16 ? 4 : static_cast<uint32_t>(GrfsOf(static_cast<int>(bytes))) * kDwordsPerGrf;
}

// A uniform pair is aligned to 8 bytes, where a three-source instruction can write it. A uniform
// vector of four does not cross a register.
uint32_t Alignment(const Function& f, const Value& v) {
  if (v.file == kFileG) return std::min(8u, UnitsPerComp(f, v));
  if (v.file == kFileU && v.whole_registers) return 8;
  if (v.file == kFileF) return UnitsPerComp(f, v);
  return v.file == kFileU && (v.comps == 2 || v.comps == 4) ? v.comps : 1;
}

bool IsIntegerDivision(const lir::Inst& in) {
  if (in.op != Op(Opcode::kMath)) return false;
  return isa::IsIntegerDivision(static_cast<isa::MathFunction>(in.aux));
}

// Returns true if the result may lie where the source is. An instruction whose destination is
// larger than one GRF executes as two halves, so the first half must not overwrite a source that
// the second half reads. Sources of the same shape as the destination are safe, register by
// register.
bool MayReuseSource(const Function& f, InstId id, int def, int use) {
  const lir::Inst& in = f.inst(id);
  const Operand& d = f.defs(id)[def];
  const Operand& u = f.uses(id)[use];
  if (!IsValue(d) || !IsValue(u)) return false;
  if (IsMessage(in.op)) return !IsSplitMessage(f, in);
  if (HasOwnFlag(in.op, kOwnReadsLate) || (in.op == kPack && use != 0)) return false;
  const Value& dv = f.value(d.value());
  const Value& uv = f.value(u.value());
  if (dv.file == kFileF || uv.file == kFileF) return true;
  const uint32_t lanes = in.width;
  if (lanes * dv.elem_bytes <= kGrfBytes && !IsIntegerDivision(in)) {
    return lanes * uv.elem_bytes <= kGrfBytes;
  }
  // A half of a per-lane value (halve_values) and a scalar both are in file U: `comps` differs.
  return uv.file == dv.file && uv.elem_bytes == dv.elem_bytes && u.comps == d.comps;
}

// Returns an operand of physical registers without a value, for the allocator's own copies.
Operand Place(uint32_t reg, uint8_t type) {
  Operand o;
  o.kind = Operand::Kind::kValue;
  o.type = type;
  o.reg = reg;
  o.id = 0xffffffffu;
  return o;
}

// Returns the type with which a copy moves the value. Packed 16-bit values are moved as words, so
// that each bit of the mask meets its own lane.
uint8_t PlaceType(const Value& v) {
  return static_cast<uint8_t>(v.file == kFileG && v.elem_bytes == 2 ? isa::Type::kUW
                                                                    : isa::Type::kUD);
}

lir::InstFields PlaceFields(const Value& v, uint32_t units, bool no_mask) {
  lir::InstFields fields;
  const bool uniform = v.file == kFileU;
  const uint32_t lanes = v.file == kFileG ? units * 4 / v.elem_bytes : units;
  fields.width = static_cast<uint8_t>(lanes);
  fields.flags = lir::kInsertedCopy;
  if (uniform || no_mask) fields.flags |= lir::kNoMask;
  fields.aux = units;
  return fields;
}

InstId MakeCopy(Function& f, const Value& v, uint32_t to, uint32_t from, uint32_t units,
                bool no_mask) {
  assert(v.file != kFileF);
  const Operand def = Place(to, PlaceType(v));
  const Operand use = Place(from, PlaceType(v));
  return lir::MakeInst(f, v.file == kFileU ? kMovU : kMovG, PlaceFields(v, units, no_mask),
                       {&def, 1}, {&use, 1});
}

int MakeSwap(Function& f, const Value& v, uint32_t a, uint32_t b, uint32_t units, bool no_mask,
             absl::Span<InstId> out) {
  assert(v.file != kFileF && out.size() >= 3);
  const uint32_t to[] = {a, b, a};
  for (int i = 0; i < 3; ++i) {
    const Operand def = Place(to[i], PlaceType(v));
    const Operand uses[] = {Place(a, PlaceType(v)), Place(b, PlaceType(v))};
    out[i] = lir::MakeInst(f, v.file == kFileU ? kXorU : kXorG, PlaceFields(v, units, no_mask),
                           {&def, 1}, uses);
  }
  return 3;
}

// Flags are saved in the low word of a uniform dword, flags of 32 lanes in the whole dword.
InstId MoveFlag(Function& f, lir::ValueId to, lir::ValueId from) {
  const auto type = static_cast<uint8_t>(f.dispatch_width > 16 ? isa::Type::kUD : isa::Type::kUW);
  lir::InstFields fields;
  fields.width = 1;
  fields.flags = lir::kNoMask;
  const Operand def = lir::ValueOperand(to, type);
  const Operand use = lir::ValueOperand(from, type);
  return lir::MakeInst(f, Op(Opcode::kMov), fields, {&def, 1}, {&use, 1});
}

lir::InstFields ScratchFields(uint32_t registers, bool no_mask) {
  lir::InstFields fields;
  fields.width = registers > 1 ? 16 : 8;
  fields.flags = no_mask ? lir::kNoMask : 0;
  return fields;
}

uint32_t RegistersOf(const Function& f, const Operand& o) {
  return (o.comps * UnitsPerComp(f, f.value(o.value())) + 7) / 8;
}

Value RegisterValue() {
  Value v;
  v.file = kFileU;
  v.comps = 8;
  v.whole_registers = true;
  return v;
}

// The channel mask of a scratch block write has one bit for each dword, for lanes 0 to 15. Values
// of more lanes or narrower elements are merged (kMergeSpill).
InstId MakeSpill(Function& f, const Operand& header, const Operand& payload, uint32_t place,
                 bool no_mask) {
  const Operand uses[] = {header, payload,
                          lir::ImmOperand(place, static_cast<uint8_t>(isa::Type::kUD))};
  const Value& v = f.value(payload.value());
  if (no_mask || (f.dispatch_width <= 16 && v.elem_bytes == 4)) {
    return lir::MakeInst(f, kSpill, ScratchFields(RegistersOf(f, payload), no_mask), {}, uses);
  }
  Value scratch = RegisterValue();  // whole registers: it is filled for all lanes
  scratch.comps = static_cast<uint16_t>(UnitsPerComp(f, v));
  f.values.push_back(scratch);
  const Operand def = lir::ValueOperand(lir::ValueId(f.values.size() - 1),
                                        static_cast<uint8_t>(isa::Type::kUD), 0, scratch.comps);
  lir::InstFields fields;
  fields.width = f.dispatch_width;
  return lir::MakeInst(f, kMergeSpill, fields, {&def, 1}, uses);
}

InstId MakeFill(Function& f, lir::ValueId to, const Operand& header, uint32_t place) {
  constexpr auto kRaw = static_cast<uint8_t>(isa::Type::kUD);
  const Operand def = lir::ValueOperand(to, kRaw, 0, f.value(to).comps);
  const Operand uses[] = {header, lir::ImmOperand(place, kRaw)};
  return lir::MakeInst(f, kFill, ScratchFields(RegistersOf(f, def), true), {&def, 1}, uses);
}

bool CanMask(const Function& f, const Value& v) {
  return v.file == kFileG && UnitsPerComp(f, v) % 8 == 0;
}

// Returns true for one instruction without latency, and for the constant block read, which costs no
// more than a fill.
bool CanRepeat(const Function& f, InstId id) {
  const lir::Inst& in = f.inst(id);
  if (in.predicate_mode != 0 || in.cmod != 0 || in.num_defs != 1) return false;
  if (!IsValue(f.defs(id)[0])) return false;
  if (in.op == kSend) {
    const bool block =
        isa::Info(MessageOf(f, in).fields.message).layout == isa::MessageLayout::kBlock;
    return block && in.num_uses == 1;
  }
  switch (in.op) {
    case Op(Opcode::kMov):
    case Op(Opcode::kNot):
    case Op(Opcode::kAnd):
    case Op(Opcode::kOr):
    case Op(Opcode::kXor):
    case Op(Opcode::kAdd):
    case Op(Opcode::kShl):
    case Op(Opcode::kShr):
    case Op(Opcode::kAsr): return true;
    default: return HasOwnFlag(in.op, kOwnRepeatable);
  }
}

lir::SpillHooks SpillTable(const Machine& machine) {
  lir::SpillHooks h;
  h.pool = kPoolGrf;
  h.raw_type = static_cast<uint8_t>(isa::Type::kUD);
  h.direct_units = machine.scratch_block * kDwordsPerGrf;
  h.make_spill = MakeSpill;
  h.make_fill = MakeFill;
  h.far_header_op = kScratchHeader;
  h.register_value = RegisterValue;
  h.can_mask = CanMask;
  h.can_repeat = CanRepeat;
  h.messages = ScratchMessages;
  return h;
}
}  // namespace

uint32_t ScratchBlock(uint32_t registers) {
  return registers >= 8 ? 8 : registers >= 4 ? 4 : registers >= 2 ? 2 : 1;
}

uint32_t ScratchMessages(uint32_t registers) {
  uint32_t n = 0;
  for (; registers != 0; registers -= ScratchBlock(registers)) ++n;
  return n;
}

uint32_t PayloadRegisters(const Function& f, const Operand& o) {
  if (!IsValue(o)) return 0;
  return (o.comps * UnitsPerComp(f, f.value(o.value())) + 7) / 8;
}

namespace {

// The machine of a device, with the tables that it refers to; hooks that receive the machine find
// the device by it. Not copied or moved, since its spans point into it.
struct DeviceMachine : lir::Machine {
  explicit DeviceMachine(const Device& d)
      : device(d),
        own_pools{{{"grf", d.machine.registers * kDwordsPerGrf,
                    d.machine.tail_first * kDwordsPerGrf, kDwordsPerGrf, 8, true},
                   {"flag", d.machine.flag_granules}}},
        own_spills{SpillTable(d.machine)} {
    name = d.name;
    ops = Ops();
    clobbered = lir::ClobberedBy(ops);
    files = kFiles;
    pools = own_pools;
    types = kTypeNames;
    fixed = kFixedNames;
    print_side = PrintMessage;
    parse_side = ParseMessage;
    units_per_comp = UnitsPerComp;
    alignment = Alignment;
    may_reuse_source = MayReuseSource;
    make_copy = MakeCopy;
    make_swap = MakeSwap;
    timing = [](const lir::Machine& t, const Function& f, InstId id) {
      return LirTiming(*static_cast<const DeviceMachine&>(t).device.timings, f, id);
    };
    make_save = make_restore = MoveFlag;
    collect_op = kCollect;
    spills = own_spills;
  }
  DeviceMachine(const DeviceMachine&) = delete;

  const Device& device;
  const std::array<lir::PoolInfo, 2> own_pools;  // by LirPool
  const std::array<lir::SpillHooks, 1> own_spills;
};

}  // namespace

absl::Span<const lir::OpInfo> IntelOps() { return Ops(); }

namespace {

// Returns the machine of a device that is not in Devices(): one that a test made. It is kept under
// the device's address, so tests make devices that live as long as the process.
const lir::Machine& MachineOutsideTheTable(const Device& device) {
  static std::mutex& lock = *new std::mutex;
  static auto& made = *new absl::btree_map<const Device*, std::unique_ptr<const DeviceMachine>>;
  const std::lock_guard<std::mutex> held(lock);
  std::unique_ptr<const DeviceMachine>& machine = made[&device];
  if (machine == nullptr) machine = std::make_unique<DeviceMachine>(device);
  return *machine;
}

}  // namespace

const lir::Machine& MachineOf(const Device& device) {
  static const auto& targets = *[] {
    auto* all = new std::vector<std::unique_ptr<const DeviceMachine>>;
    for (const Device* d : Devices()) all->push_back(std::make_unique<DeviceMachine>(*d));
    return all;
  }();
  for (size_t i = 0; i < targets.size(); ++i) {
    if (Devices()[i] == &device) return *targets[i];
  }
  return MachineOutsideTheTable(device);
}

}  // namespace kiln::intel
