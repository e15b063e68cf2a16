// The mutations: see mutations.h. Ordered by what they change: operands, regions, types, modifiers,
// math, sends, scoreboard, control flow.
#include "tests/isa/mutations.h"

#include <algorithm>

#include "core/intel/isa/messages.h"

namespace kiln::tests {
namespace {

using namespace intel::isa;  // NOLINT: the vocabulary of this file

using Insts = std::vector<PlacedInstruction>;
using Rng = std::mt19937;

constexpr char kRegions[] = "PRM Gen12 volume 7, register region restrictions";
constexpr char kFormats[] = "BSpec instruction formats";
constexpr char kSendSource[] = "PRM volume 2a, send; volume 7, messages";
constexpr char kSwsbSource[] = "PRM Gen12 volume 7, software scoreboard";

bool IsAlu(const Instruction& i) {
  const Format f = Info(i.op).format;
  return f == Format::kBasic || f == Format::kTernary || f == Format::kMath;
}
bool IsTwoSource(const Instruction& i) { return IsAlu(i) && Info(i.op).format != Format::kTernary; }
int Sources(const Instruction& i) {
  if (!IsAlu(i)) return 0;
  if (i.op != Opcode::kMath) return Info(i.op).nsrc;
  return i.src[1].file == File::kNone || (i.src[1].file == File::kArf && i.src[1].arf == Arf::kNull)
             ? 1
             : 2;
}
bool Direct(const Operand& o) {
  return o.file == File::kGrf && !o.indirect && o.region.vstride != Region::kVxH;
}
int Pick(Rng& rng, int n) { return static_cast<int>(rng() % static_cast<uint32_t>(n)); }

int DstBytes(const Instruction& i) {
  return (i.exec_size - 1) * i.dst.region.hstride * ByteSize(i.dst.type) + ByteSize(i.dst.type);
}
int SourceBytes(const Instruction& i, const Operand& s) {
  const int width = std::min<int>(s.region.width, i.exec_size);
  const int rows = i.exec_size / width;
  return ((rows - 1) * s.region.vstride + (width - 1) * s.region.hstride + 1) * ByteSize(s.type);
}
// Returns a random source for which `f` holds, or null.
template <class F>
Operand* Source(Instruction& i, Rng& rng, F f) {
  std::vector<Operand*> found;
  for (int n = 0; n < Sources(i); ++n) {
    if (f(i.src[n])) found.push_back(&i.src[n]);
  }
  return found.empty() ? nullptr
                       : found[static_cast<size_t>(Pick(rng, static_cast<int>(found.size())))];
}
Operand* RegionSource(Instruction& i, Rng& rng) {
  if (!IsTwoSource(i)) return nullptr;
  return Source(i, rng, Direct);
}

#define MUTATION [](Insts & program, size_t at, Rng & rng) -> bool
#define THE_INSTRUCTION               \
  [[maybe_unused]] Rng& random = rng; \
  Instruction& i = program[at].inst

// ---- Operands ----

const std::vector<Mutation> kOperands = {{"destination past r127", "operands end within r127",
                                          "PRM volume 7, register file", MUTATION{THE_INSTRUCTION;
if (!IsAlu(i) || !Direct(i.dst) || i.dst.subnr + DstBytes(i) <= 32) return false;
i.dst.nr = 127;
return true;
}  // namespace
}  // namespace kiln::tests
, {"source past r127", "operands end within r127", "PRM volume 7, register file",
   MUTATION{THE_INSTRUCTION;
Operand* s = RegionSource(i, rng);
if (s == nullptr || s->subnr + SourceBytes(i, *s) <= 32) return false;
s->nr = 127;
return true;
}
}
, {"misaligned destination", "sub-registers are multiples of the type's size",
   "PRM volume 7, direct register addressing", MUTATION{THE_INSTRUCTION;
if (!IsAlu(i) || !Direct(i.dst) || ByteSize(i.dst.type) < 2) return false;
i.dst.subnr = static_cast<uint8_t>((i.dst.subnr + 1 + Pick(rng, ByteSize(i.dst.type) - 1)) & 31);
return i.dst.subnr % ByteSize(i.dst.type) != 0;
}
}
, {"misaligned source", "sub-registers are multiples of the type's size",
   "PRM volume 7, direct register addressing", MUTATION{THE_INSTRUCTION;
Operand* s = Source(i, rng, [](const Operand& o) { return Direct(o) && ByteSize(o.type) >= 2; });
if (s == nullptr) return false;
s->subnr = static_cast<uint8_t>((s->subnr + 1 + Pick(rng, ByteSize(s->type) - 1)) & 31);
return s->subnr % ByteSize(s->type) != 0;
}
}
, {"null source", "sources are not null", "PRM volume 7, null register", MUTATION{THE_INSTRUCTION;
Operand* s = RegionSource(i, rng);
if (s == nullptr || i.op == Opcode::kMath) return false;
s->file = File::kArf;
s->arf = Arf::kNull;
s->nr = 0;
s->subnr = 0;
return true;
}
}
, {"half immediate as a factor", "a half immediate of mad is the addend",
   "Mesa 25.0.7, brw_opt_combine_constants.cpp, supports_src_as_imm", MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kMad || !IsFloat(i.dst.type)) return false;
i.src[0] = i.src[1];
i.src[2] = Operand{};
i.src[2].file = File::kImm;
i.src[2].type = Type::kHF;
i.src[2].imm = 0x3800;
return true;
}
}
,
}
;

// ---- Regions ----

// Returns true if integer dwords go into packed ones, from the start of a register.
bool WritesDwords(const Instruction& i) {
  if (i.op != Opcode::kMov && i.op != Opcode::kAdd && i.op != Opcode::kAnd && i.op != Opcode::kOr)
    return false;
  if (!Direct(i.dst) || i.exec_size < 2 || i.dst.subnr != 0 || i.dst.region.hstride != 1)
    return false;
  const auto dword = [](const Operand& o) { return o.type == Type::kD || o.type == Type::kUD; };
  return dword(i.dst) && std::all_of(i.src.begin(), i.src.begin() + Sources(i), dword);
}

const std::vector<Mutation> kRegionMutations = {
    {"row across registers", "a row of a region does not cross a register boundary", kRegions,
     MUTATION{THE_INSTRUCTION;
Operand* s = RegionSource(i, rng);
if (s == nullptr || std::min<int>(s->region.width, i.exec_size) < 2 || s->region.hstride == 0) {
  return false;
}
s->subnr = static_cast<uint8_t>(32 - ByteSize(s->type));
return true;
}
}
, {"source over three registers", "a source spans at most two registers", kRegions,
   MUTATION{THE_INSTRUCTION;
Operand* s = RegionSource(i, rng);
if (s == nullptr || i.exec_size < 8) return false;
s->subnr = 0;
s->region = {32, 1, 0};
return SourceBytes(i, *s) > 64;
}
}
, {"destination over three registers", "a destination spans at most two registers", kRegions,
   MUTATION{THE_INSTRUCTION;
if (!IsTwoSource(i) || !Direct(i.dst)) return false;
i.dst.region.hstride = 4;
return i.dst.subnr + DstBytes(i) > 64;
}
}
, {"execution size doubled", "a destination spans at most two registers", kRegions,
   MUTATION{THE_INSTRUCTION;
if (!IsAlu(i) || !Direct(i.dst) || i.exec_size > 16) return false;
i.exec_size *= 2;
return i.dst.subnr + DstBytes(i) > 64;
}
}
, {"destination stride 0", "the destination's stride is not 0", kRegions, MUTATION{THE_INSTRUCTION;
if (!IsTwoSource(i) || !Direct(i.dst)) return false;
i.dst.region.hstride = 0;
return true;
}
}
, {"width beyond execution size", "execution size >= width", kRegions, MUTATION{THE_INSTRUCTION;
Operand* s = RegionSource(i, rng);
if (s == nullptr || i.exec_size > 8) return false;
s->region = {static_cast<uint8_t>(2 * i.exec_size), static_cast<uint8_t>(2 * i.exec_size), 1};
return true;
}
}
, {"one row of another stride", "width = execution size: vertical = width x horizontal stride",
   kRegions, MUTATION{THE_INSTRUCTION;
Operand* s = RegionSource(i, rng);
if (s == nullptr || s->region.width != i.exec_size || s->region.hstride == 0) return false;
s->region.vstride = s->region.vstride == 1 ? 2 : 1;
return s->region.vstride != s->region.width * s->region.hstride;
}
}
, {"width 1 with a stride", "width 1: horizontal stride 0", kRegions, MUTATION{THE_INSTRUCTION;
Operand* s = RegionSource(i, rng);
if (s == nullptr || s->region.width != 1) return false;
s->region.hstride = 1;
return true;
}
}
, {"scalar with a stride", "execution size 1, width 1: both strides 0", kRegions,
   MUTATION{THE_INSTRUCTION;
Operand* s = RegionSource(i, rng);
if (s == nullptr || i.exec_size != 1) return false;
s->region = {static_cast<uint8_t>(1 << Pick(rng, 4)), 1, 0};
return true;
}
}
, {"broadcast of a row", "both strides 0: width 1", kRegions, MUTATION{THE_INSTRUCTION;
Operand* s = RegionSource(i, rng);
if (s == nullptr || i.exec_size < 4) return false;
s->region = {0, static_cast<uint8_t>(2 << Pick(rng, 2)), 0};
return true;
}
}
, {"narrow destination packed", "a destination narrower than the execution type has its stride",
   kRegions, MUTATION{THE_INSTRUCTION;
if (!WritesDwords(i)) return false;
i.dst.type = Type::kW;
return true;
}
}
, {"narrow destination shifted", "a destination narrower than the execution type is aligned to it",
   kRegions, MUTATION{THE_INSTRUCTION;
if (!WritesDwords(i)) return false;
i.dst.type = Type::kW;
i.dst.region.hstride = 2;
i.dst.subnr = 2;
return true;
}
}
, {"channels beyond 32", "execution size and offset lie within 32 channels",
   "PRM volume 7, execution masks", MUTATION{THE_INSTRUCTION;
if (!IsAlu(i) || i.exec_size < 8) return false;
i.channel_offset = 28;
return true;
}
}
, {"channels misaligned", "the offset is a multiple of the execution size",
   "PRM volume 7, execution masks", MUTATION{THE_INSTRUCTION;
if (!IsAlu(i) || i.exec_size < 8 || i.exec_size > 16) return false;
i.channel_offset = 4;
return true;
}
}
,
}
;

// ---- Types and modifiers ----

bool IsLogic(Opcode op) {
  return op == Opcode::kAnd || op == Opcode::kOr || op == Opcode::kXor || op == Opcode::kNot ||
         op == Opcode::kShl || op == Opcode::kShr || op == Opcode::kAsr;
}
bool IsRounding(Opcode op) {
  return op == Opcode::kFrc || op == Opcode::kRndd || op == Opcode::kRndu || op == Opcode::kRnde ||
         op == Opcode::kRndz;
}
bool IsBitCount(Opcode op) {
  return op == Opcode::kBfrev || op == Opcode::kFbh || op == Opcode::kFbl || op == Opcode::kCbit ||
         op == Opcode::kLzd || op == Opcode::kBfi1;
}

const std::vector<Mutation> kTypeMutations = {{"logic on floats",
                                               "and, or, xor, not and shifts take integers",
                                               "PRM volume 2a", MUTATION{THE_INSTRUCTION;
if (!IsLogic(i.op)) return false;
Operand* s =
    Source(i, rng, [](const Operand& o) { return o.file == File::kGrf && ByteSize(o.type) == 4; });
if (s == nullptr) return false;
s->type = Type::kF;
return true;
}
}
, {"integer operation into float", "bit counts and logic write integers", "PRM volume 2a",
   MUTATION{THE_INSTRUCTION;
if ((!IsBitCount(i.op) && !IsLogic(i.op)) || ByteSize(i.dst.type) != 4) return false;
i.dst.type = Type::kF;
return true;
}
}
, {"rounding of integers", "frc and rnd* take floats", "PRM volume 2a", MUTATION{THE_INSTRUCTION;
if (!IsRounding(i.op)) return false;
(Pick(rng, 2) == 0 ? i.dst : i.src[0]).type = Type::kD;
return true;
}
}
, {"arithmetic of floats into integer", "add, mul and mad of floats write floats", "PRM volume 2a",
   MUTATION{THE_INSTRUCTION;
const bool arithmetic = i.op == Opcode::kAdd || i.op == Opcode::kMul || i.op == Opcode::kMad;
if (!arithmetic || i.dst.type != Type::kF || i.src[0].type != Type::kF) return false;
i.dst.type = Type::kD;
return true;
}
}
, {"64-bit type", "Gen12LP has no 64-bit integers and floats", "BSpec, Gen12LP data types",
   MUTATION{THE_INSTRUCTION;
if (!IsTwoSource(i) || !Direct(i.dst)) return false;
constexpr Type kTypes[] = {Type::kQ, Type::kUQ, Type::kDF};
i.dst.type = kTypes[Pick(rng, 3)];
i.dst.subnr &= 0x18;
return true;
}
}
, {"byte as second source", "src1 is not of byte type", "PRM Gen11 regions",
   MUTATION{THE_INSTRUCTION;
if (!IsTwoSource(i) || Sources(i) != 2 || !Direct(i.src[1]) || IsFloat(i.src[1].type)) return false;
i.src[1].type = Type::kB;
return true;
}
}
, {"absolute value in logic", "logic has the modifier not, but no absolute value",
   "PRM volume 7, source modifiers", MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kAnd && i.op != Opcode::kOr && i.op != Opcode::kXor && i.op != Opcode::kNot) {
  return false;
}
Operand* s = Source(i, rng, Direct);
if (s == nullptr) return false;
s->absolute = true;
return true;
}
}
, {"select without choice", "sel has a predicate or a condition", "PRM volume 2a, sel",
   MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kSel) return false;
i.pred = PredCtrl::kNone;
i.pred_inverse = false;
i.cmod = CondMod::kNone;
return true;
}
}
, {"select with both choices", "sel has a predicate or a condition, not both", "PRM volume 2a, sel",
   MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kSel) return false;
i.pred = PredCtrl::kNormal;
i.cmod = CondMod::kGe;
return true;
}
}
, {"compare without condition", "cmp and csel have a condition", "PRM volume 2a, cmp",
   MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kCmp && i.op != Opcode::kCsel) return false;
i.cmod = CondMod::kNone;
return true;
}
}
, {"reserved condition", "conditions 7 and from 10 on are reserved",
   "PRM volume 2a, conditional modifier", MUTATION{THE_INSTRUCTION;
if (!Info(i.op).cmod || !IsTwoSource(i)) return false;
constexpr int kReserved[] = {7, 10, 11, 12, 13, 14, 15};
i.cmod = static_cast<CondMod>(kReserved[Pick(rng, 7)]);
return true;
}
}
, {"reserved predicate", "predicate control 14 and 15 are reserved",
   "PRM volume 2a, predicate control", MUTATION{THE_INSTRUCTION;
if (!Info(i.op).pred) return false;
i.pred = static_cast<PredCtrl>(14 + Pick(rng, 2));
return true;
}
}
, {"narrow predicate", "anyNh and allNh group at least N channels",
   "PRM volume 7, predication: the execution size is a multiple of the group",
   MUTATION{THE_INSTRUCTION;
if (!IsTwoSource(i) || i.exec_size > 16) return false;
i.pred = i.exec_size == 16 ? PredCtrl::kAll32h : PredCtrl::kAny16h;
if (i.op == Opcode::kSel) i.cmod = CondMod::kNone;
return i.exec_size > 1;
}
}
, {"accumulator strided", "an accumulator destination at offset 0 has stride 1", "Wa_14014617373",
   MUTATION{THE_INSTRUCTION;
if (!IsTwoSource(i) || i.dst.file != File::kArf || i.dst.arf != Arf::kAccumulator) return false;
i.dst.region.hstride = 2;
return i.dst.subnr == 0;
}
}
,
}
;

// ---- Math ----

bool IsDivision(const Instruction& i) {
  return i.math == MathFunction::kIntDivQuotient || i.math == MathFunction::kIntDivRemainder ||
         i.math == MathFunction::kIntDivBoth;
}

const std::vector<Mutation> kMathMutations = {
    {"math into null", "math writes a GRF", "PRM volume 2a, math", MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kMath) return false;
i.dst.file = File::kArf;
i.dst.arf = Arf::kNull;
i.dst.nr = i.dst.subnr = 0;
return true;
}
}
, {"math of an accumulator", "math reads no accumulator", "PRM volume 2a, math",
   MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kMath) return false;
i.src[0].file = File::kArf;
i.src[0].arf = Arf::kAccumulator;
i.src[0].nr = i.src[0].subnr = 0;
return true;
}
}
, {"wide division", "integer division has at most 8 channels", "PRM volume 2a, math",
   MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kMath || !IsDivision(i)) return false;
i.exec_size = 16;
return true;
}
}
, {"modifier on division", "integer division has no source modifiers", "PRM volume 2a, math",
   MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kMath || !IsDivision(i)) return false;
Operand* s = Source(i, rng, Direct);
if (s == nullptr) return false;
(Pick(rng, 2) == 0 ? s->negate : s->absolute) = true;
return true;
}
}
, {"division of floats", "integer division takes integers", "PRM volume 2a, math",
   MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kMath || !IsDivision(i)) return false;
i.dst.type = i.src[0].type = i.src[1].type = Type::kF;
return true;
}
}
, {"function of integers", "all math but integer division takes floats", "PRM volume 2a, math",
   MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kMath || IsDivision(i)) return false;
i.dst.type = i.src[0].type = Type::kD;
return true;
}
}
,
}
;

// ---- Sends ----

int Length(const Instruction& i, int at) {
  return static_cast<int>(i.send.desc >> at & (at == 25 ? 15 : 31));
}
int SecondLength(const Instruction& i) { return static_cast<int>(i.send.ex_desc >> 6 & 15); }
bool PlainSend(const Instruction& i) {
  return IsSend(i.op) && !i.send.desc_is_register && !i.send.ex_desc_is_register;
}
void SetLength(Instruction& i, int at, int n) {
  const uint32_t mask = at == 25 ? 15 : 31;
  i.send.desc = (i.send.desc & ~(mask << at)) | static_cast<uint32_t>(n) << at;
}
// Returns true if the lengths follow from the descriptor. They do not for the sampler's payload,
// which may end early, and for typed messages (5, 6, 13 of data cache 1), where the surface decides
// the number of coordinates.
bool FixedPayload(const Instruction& i) {
  if (!PlainSend(i) || i.send.sfid == Sfid::kSampler) return false;
  const uint32_t type = i.send.desc >> 14 & 31;
  return i.send.sfid != Sfid::kDataCache1 || (type != 5 && type != 6 && type != 13);
}

const std::vector<Mutation> kSendMutations = {{"no first payload",
                                               "a message has at least one register", kSendSource,
                                               MUTATION{THE_INSTRUCTION;
if (!PlainSend(i)) return false;
SetLength(i, 25, 0);
return true;
}
}
, {"first payload of another length", "the length is what the message takes", kSendSource,
   MUTATION{THE_INSTRUCTION;
if (!FixedPayload(i) || i.src[0].nr > 120) return false;
const int n = Length(i, 25);
SetLength(i, 25, n == 1 || Pick(rng, 2) == 0 ? n + 1 : n - 1);
return n < 15;
}
}
, {"second payload of another length", "the length is what the message takes", kSendSource,
   MUTATION{THE_INSTRUCTION;
const int n = SecondLength(i);
if (!FixedPayload(i) || n == 0 || n == 15 || i.src[1].nr > 110) return false;
const int to = n == 1 || Pick(rng, 2) == 0 ? n + 1 : n - 1;
i.send.ex_desc = (i.send.ex_desc & ~(15u << 6)) | static_cast<uint32_t>(to) << 6;
return true;
}
}
, {"response of another length", "the length is what the message gives", kSendSource,
   MUTATION{THE_INSTRUCTION;
const int n = PlainSend(i) ? Length(i, 20) : 0;
if (!FixedPayload(i) || n == 0 || n > 16 || i.dst.nr > 100) return false;
SetLength(i, 20, n == 1 || Pick(rng, 2) == 0 ? n + 1 : n - 1);
return true;
}
}
, {"payload past r127", "payloads end within r127", "PRM volume 7, register file",
   MUTATION{THE_INSTRUCTION;
if (!PlainSend(i) || Length(i, 25) < 2) return false;
i.src[0].nr = static_cast<uint8_t>(129 - Length(i, 25));
return true;
}
}
, {"response past r127", "the response ends within r127", "PRM volume 7, register file",
   MUTATION{THE_INSTRUCTION;
if (!PlainSend(i) || Length(i, 20) < 2) return false;
i.dst.nr = static_cast<uint8_t>(129 - Length(i, 20));
return true;
}
}
, {"payloads overlap", "the two payloads do not overlap", "PRM volume 2a, sends",
   MUTATION{THE_INSTRUCTION;
if (!PlainSend(i) || SecondLength(i) == 0 || i.src[1].file != File::kGrf) return false;
i.src[1].nr = static_cast<uint8_t>(i.src[0].nr + Length(i, 25) - 1);
return true;
}
}
, {"no register for the response", "a response has a register", kSendSource,
   MUTATION{THE_INSTRUCTION;
if (!PlainSend(i) || Length(i, 20) == 0) return false;
i.dst = Operand{};
i.dst.file = File::kArf;
return true;
}
}
, {"no register for the second payload", "a second payload has a register", kSendSource,
   MUTATION{THE_INSTRUCTION;
if (!PlainSend(i) || SecondLength(i) == 0) return false;
i.src[1] = Operand{};
i.src[1].file = File::kArf;
return true;
}
}
, {"first payload null", "the first payload is a GRF", kSendSource, MUTATION{THE_INSTRUCTION;
if (!IsSend(i.op)) return false;
i.src[0] = Operand{};
i.src[0].file = File::kArf;
return true;
}
}
, {"header turned", "block, scratch and fence messages have a header, A64 scattered ones none",
   kSendSource, MUTATION{THE_INSTRUCTION;
if (!PlainSend(i)) return false;
const auto fields = ParseDescriptor(Generation::kGen12, i.send.sfid, i.send.desc, i.send.ex_desc);
if (!fields.ok() || Info(fields->message).header == HeaderNeed::kOptional) return false;
i.send.desc ^= 1u << 19;
return true;
}
}
, {"message that is not", "the shared function has such a message", kSendSource,
   MUTATION{THE_INSTRUCTION;
if (!PlainSend(i)) return false;
// A number that is unused in these data ports' lists of messages.
if (i.send.sfid == Sfid::kDataCache1) {
  i.send.desc = (i.send.desc & ~(31u << 14)) | 0x1fu << 14;
} else if (i.send.sfid == Sfid::kDataCache0) {
  i.send.desc = (i.send.desc & ~(31u << 14)) | 0x0fu << 14;
} else {
  return false;
}
return true;
}
}
, {"no shared function", "null and reserved functions take no message", kSendSource,
   MUTATION{THE_INSTRUCTION;
if (!PlainSend(i)) return false;
constexpr int kNone[] = {0, 1, 14, 15};
i.send.sfid = static_cast<Sfid>(kNone[Pick(rng, 4)]);
return true;
}
}
, {"end of thread elsewhere", "only messages that may end a thread carry its bit, from r112 on",
   kSendSource, MUTATION{THE_INSTRUCTION;
if (!PlainSend(i) || i.send.eot) return false;
i.send.eot = true;
return true;
}
}
, {"end of thread missing", "the program ends its thread", kSendSource, MUTATION{THE_INSTRUCTION;
if (!IsSend(i.op) || !i.send.eot) return false;
i.send.eot = false;
i.swsb = 0x40;  // as another send
return true;
}
}
, {"end of thread from low registers", "the payload of the last send lies in r112 to r127",
   kSendSource, MUTATION{THE_INSTRUCTION;
if (!IsSend(i.op) || !i.send.eot) return false;
i.src[0].nr = static_cast<uint8_t>(Pick(rng, 112));
return true;
}
}
,
}
;

// ---- Scoreboard ----

bool Unordered(const Instruction& i) { return IsSend(i.op) || i.op == Opcode::kMath; }

const std::vector<Mutation> kScoreboardMutations = {
    {"reserved scoreboard byte", "bytes 0x08 to 0x1f and 0x50 to 0x7f mean nothing", kSwsbSource,
     MUTATION{THE_INSTRUCTION;
if (i.op == Opcode::kNop) return false;
i.swsb = static_cast<uint8_t>(Pick(rng, 2) == 0 ? 0x08 + Pick(rng, 0x18) : 0x50 + Pick(rng, 0x30));
return true;
}
}
, {"token without its setter", "in-order instructions set no token", kSwsbSource,
   MUTATION{THE_INSTRUCTION;
if (Unordered(i)) return false;
i.swsb = static_cast<uint8_t>(0x40 + Pick(rng, 16));
return true;
}
}
, {"setter without its token", "send and math set a token", kSwsbSource, MUTATION{THE_INSTRUCTION;
if (!Unordered(i) || (IsSend(i.op) && i.send.eot)) return false;
i.swsb = static_cast<uint8_t>(Pick(rng, 8));
return true;
}
}
, {"token and distance 0", "the byte of both has a distance", kSwsbSource, MUTATION{THE_INSTRUCTION;
if (i.op == Opcode::kNop) return false;
i.swsb = static_cast<uint8_t>(0x80 + Pick(rng, 16));
return true;
}
}
, {"end of thread without its wait", "the last send waits with distance 1", "Wa_14013672992",
   MUTATION{THE_INSTRUCTION;
if (!IsSend(i.op) || !i.send.eot) return false;
i.swsb = static_cast<uint8_t>(Pick(rng, 2) == 0 ? 0 : 2 + Pick(rng, 6));
return true;
}
}
,
}
;

// ---- Control flow ----

bool HasUip(Opcode op) { return Info(op).format == Format::kBranchJU; }

void Erase(PlacedInstruction& p) {
  p.inst = Instruction{};
  p.inst.op = Opcode::kNop;
}

const std::vector<Mutation> kFlowMutations = {{"branch into an instruction",
                                               "branches go to instructions", "BSpec branches",
                                               MUTATION{THE_INSTRUCTION;
if (!IsBranch(i.op) || i.op == Opcode::kRet) return false;
(HasUip(i.op) && Pick(rng, 2) == 0 ? i.uip : i.jip) += 8;
return true;
}
}
, {"branch out of the program", "branches go to instructions", "BSpec branches",
   MUTATION{THE_INSTRUCTION;
if (!IsBranch(i.op) || i.op == Opcode::kRet) return false;
(HasUip(i.op) && Pick(rng, 2) == 0 ? i.uip : i.jip) = Pick(rng, 2) == 0 ? 1 << 20 : -(1 << 20);
return true;
}
}
, {"branch onto itself", "branches go elsewhere", "BSpec branches", MUTATION{THE_INSTRUCTION;
if (!IsBranch(i.op) || i.op == Opcode::kWhile || i.op == Opcode::kRet) return false;
i.jip = 0;
return true;
}
}
, {"join elsewhere", "UIP of if and else is the endif; of break and continue the while",
   "PRM volume 2a, if, else, break, cont", MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kIf && i.op != Opcode::kElse && i.op != Opcode::kBreak &&
    i.op != Opcode::kCont) {
  return false;
}
i.uip += 16 * (1 + Pick(rng, 3));
return true;
}
}
, {"other side elsewhere", "JIP of if is behind the else, or the endif", "PRM volume 2a, if",
   MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kIf || i.jip <= 32) return false;
i.jip -= 16;
// A sync before an endif serves as well as the endif.
return std::none_of(program.begin(), program.end(), [&](const PlacedInstruction& p) {
  return p.offset == program[at].offset + static_cast<uint32_t>(i.jip) &&
         p.inst.op == Opcode::kSync;
});
}
}
, {"loop forwards", "while goes back", "PRM volume 2a, while", MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kWhile) return false;
i.jip = 16;
return true;
}
}
, {"endif lost", "each if has its endif", "PRM volume 2a, endif", MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kEndif) return false;
Erase(program[at]);
return true;
}
}
, {"if lost", "each endif has its if", "PRM volume 2a, endif", MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kIf) return false;
Erase(program[at]);
return true;
}
}
, {"while lost", "break and continue lie in a loop", "PRM volume 2a, break",
   MUTATION{THE_INSTRUCTION;
if (i.op != Opcode::kWhile) return false;
// Applies only if a break or continue names this while and no other while follows it directly.
size_t next = at + 1;
while (next < program.size() &&
       (program[next].inst.op == Opcode::kSync || program[next].inst.op == Opcode::kNop)) {
  ++next;
}
if (next < program.size() && program[next].inst.op == Opcode::kWhile) return false;
for (const PlacedInstruction& p : program) {
  const bool leaves = p.inst.op == Opcode::kBreak || p.inst.op == Opcode::kCont;
  if (leaves && p.offset + static_cast<uint32_t>(p.inst.uip) == program[at].offset) {
    Erase(program[at]);
    return true;
  }
}
return false;
}
}
,
}
;

std::vector<Mutation> All() {
  std::vector<Mutation> all;
  for (const auto* list : {&kOperands, &kRegionMutations, &kTypeMutations, &kMathMutations,
                           &kSendMutations, &kScoreboardMutations, &kFlowMutations}) {
    all.insert(all.end(), list->begin(), list->end());
  }
  return all;
}

}  // namespace

const std::vector<Mutation>& Mutations() {
  static const std::vector<Mutation> all = All();
  return all;
}

}  // namespace kiln::tests
