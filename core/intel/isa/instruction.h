// One Intel EU instruction with every field decoded: the input of the encoder, the output of the
// decoder, the form that the simulator executes and the software-scoreboard pass annotates.
//
// The struct describes all generations; the tables in this folder say which fields a generation
// has, and at which bits. Register numbers are physical. Branch targets are byte distances from the
// start of the branch itself, as in the encoding.
#ifndef KILN_CORE_INTEL_ISA_INSTRUCTION_H_
#define KILN_CORE_INTEL_ISA_INSTRUCTION_H_

#include <array>
#include <cstdint>

#include "core/intel/isa/opcodes.h"

namespace kiln::intel::isa {

enum class Generation : uint8_t { kGen7p5, kGen9, kGen12 };

// The general registers (GRFs) of a thread, and the bytes of one.
inline constexpr int kGrfCount = 128;
inline constexpr int kGrfBytes = 32;

// Returns the number of registers that hold so many bytes, from the start of the first.
constexpr int GrfsOf(int bytes) { return (bytes + kGrfBytes - 1) / kGrfBytes; }

enum class Type : uint8_t { kUB, kB, kUW, kW, kUD, kD, kUQ, kQ, kHF, kF, kDF, kV, kUV, kVF };

// Returns the bytes of one element (V, UV and VF are packed immediates of 4 bytes).
constexpr int ByteSize(Type type) {
  constexpr uint8_t kBytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 4, 4, 4};
  return kBytes[static_cast<size_t>(type)];
}
constexpr bool IsFloat(Type type) {
  return type == Type::kHF || type == Type::kF || type == Type::kDF || type == Type::kVF;
}
constexpr bool IsSigned(Type type) {
  return type != Type::kUB && type != Type::kUW && type != Type::kUD && type != Type::kUQ &&
         type != Type::kUV;
}

enum class File : uint8_t { kNone, kArf, kGrf, kImm };

// Architecture registers; the operand's `nr` counts within the kind (acc1 is {kAccumulator, 1}).
enum class Arf : uint8_t {
  kNull,
  kAddress,
  kAccumulator,
  kFlag,
  kMask,
  kState,
  kControl,
  kNotification,
  kIp,
  kTdr,
  kTimestamp,
};

// Source region <vertical stride; width, horizontal stride> in elements. A destination uses only
// `hstride`. vstride kVxH marks the one-dimensional indirect region <w,h> (VxH / Vx1).
struct Region {
  static constexpr uint8_t kVxH = 0xff;
  uint8_t vstride = 0;
  uint8_t width = 1;
  uint8_t hstride = 0;
  friend bool operator==(const Region&, const Region&) = default;
};

struct Operand {
  File file = File::kNone;
  Arf arf = Arf::kNull;  // when file is kArf
  Type type = Type::kUD;
  bool negate = false;  // on logic instructions: bitwise not
  bool absolute = false;
  bool indirect = false;      // register-indirect through a0.[address_subnr] + address_imm
  uint8_t nr = 0;             // register number
  uint8_t subnr = 0;          // byte offset in the register
  uint8_t address_subnr = 0;  // element (word) of a0
  int16_t address_imm = 0;    // bytes
  Region region;
  uint64_t imm = 0;  // bits of an immediate, zero-extended

  friend bool operator==(const Operand&, const Operand&) = default;
};

enum class CondMod : uint8_t { kNone, kZ, kNz, kG, kGe, kL, kLe, kO = 8, kU = 9 };

// Predicate control as Align1 encodes it.
enum class PredCtrl : uint8_t {
  kNone,
  kNormal,
  kAnyV,
  kAllV,
  kAny2h,
  kAll2h,
  kAny4h,
  kAll4h,
  kAny8h,
  kAll8h,
  kAny16h,
  kAll16h,
  kAny32h,
  kAll32h,
};

enum class MathFunction : uint8_t {
  kInv = 1,
  kLog,
  kExp,
  kSqrt,
  kRsqrt,
  kSin,
  kCos,
  kFdiv = 9,
  kPow,
  kIntDivBoth,
  kIntDivQuotient,
  kIntDivRemainder,
  kInvm,
  kRsqrtm,
};

enum class SyncFunction : uint8_t { kNop = 0, kAllRd = 2, kAllWr = 3, kBar = 14, kHost = 15 };

enum class Sfid : uint8_t {
  kNull = 0,
  kSampler = 2,
  kGateway = 3,
  kReadOnly = 4,
  kRenderCache = 5,
  kUrb = 6,
  kThreadSpawner = 7,
  kVme = 8,
  kConstantCache = 9,
  kDataCache0 = 10,
  kPixelInterpolator = 11,
  kDataCache1 = 12,
  kCre = 13,
};

// Fields of send / sendc (on Gen12 all sends are split sends).
struct SendFields {
  Sfid sfid = Sfid::kNull;
  bool eot = false;
  bool desc_is_register = false;     // descriptor in a0.0 (low dword of a0)
  uint32_t desc = 0;                 // immediate message descriptor
  bool ex_desc_is_register = false;  // extended descriptor in a0.[ex_desc_address]
  uint8_t ex_desc_address = 0;       // dword of a0
  uint32_t ex_desc = 0;              // immediate extended descriptor without SFID and EOT;
                                     // bits 9:6 are the length of the second payload
  friend bool operator==(const SendFields&, const SendFields&) = default;
};

struct Instruction {
  Opcode op = Opcode::kIllegal;
  uint8_t exec_size = 1;       // channels: 1, 2, 4, 8, 16, 32
  uint8_t channel_offset = 0;  // first channel, a multiple of 4 (quarter/nibble control)
  bool no_mask = false;        // write-enable-all
  PredCtrl pred = PredCtrl::kNone;
  bool pred_inverse = false;
  uint8_t flag_nr = 0;     // f0 or f1 ...
  uint8_t flag_subnr = 0;  // ... .0 or .1 (16-bit halves)
  CondMod cmod = CondMod::kNone;
  bool saturate = false;
  bool acc_write = false;      // AccWrEn
  bool atomic = false;         // thread control: atomic
  bool thread_switch = false;  // thread control: switch (before Gen12)
  bool no_dd_clear = false;    // dependency control (before Gen12)
  bool no_dd_check = false;
  bool debug = false;
  bool branch_control = false;
  bool compacted = false;  // 64-bit form: read from it, or to be written in it (program.h)
  uint8_t swsb = 0;        // Gen12 software scoreboard byte
  MathFunction math = MathFunction::kInv;  // op kMath
  SyncFunction sync = SyncFunction::kNop;  // op kSync
  SendFields send;                         // op kSend, kSendc
  int32_t jip = 0;                         // bytes from this instruction; branches only
  int32_t uip = 0;
  Operand dst;
  std::array<Operand, 3> src;

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

// Returns the bytes that the instruction takes in a program.
constexpr int ByteLength(const Instruction& inst) { return inst.compacted ? 8 : 16; }

// Returns true if the thread ends here. A predicate selects the lanes that the message is for; the
// thread ends all the same (Mesa ends fragment shaders that discard by a predicated render-target
// write).
inline bool EndsThread(const Instruction& inst) { return IsSend(inst.op) && inst.send.eot; }

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_INSTRUCTION_H_
