// Opcodes of the Intel EU and the facts about each: hardware code per generation, operand count,
// encoding form, legal types, permitted modifiers.
//
// The rows are in opcodes.def; this header turns them into an enum and gives lookups, all O(1).
// Encoder, decoder, text, verifier, scoreboard pass, latency model and simulator read these facts
// from here and keep no opcode lists of their own.
#ifndef KILN_CORE_INTEL_ISA_OPCODES_H_
#define KILN_CORE_INTEL_ISA_OPCODES_H_

#include <array>
#include <cassert>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace kiln::intel::isa {

enum class Generation : uint8_t;
enum class Type : uint8_t;

enum class Opcode : uint8_t {
#define KILN_EU_OPCODE(name, mnemonic, g75, g9, g12, nsrc, format, types, flags) k##name,
#include "core/intel/isa/opcodes.def"
#undef KILN_EU_OPCODE
};

// Number of opcodes: Opcode values are 0 .. kOpcodeCount-1.
inline constexpr int kOpcodeCount = 0
#define KILN_EU_OPCODE(name, mnemonic, g75, g9, g12, nsrc, format, types, flags) +1
#include "core/intel/isa/opcodes.def"
#undef KILN_EU_OPCODE
    ;

// The layout of the operands in the 128 bits.
enum class Format : uint8_t {
  kNullary,  // nop, illegal
  kBasic,    // one or two sources
  kTernary,  // three sources
  kMath,     // as kBasic, function in place of the conditional modifier
  kSend,
  kSync,
  kJmpi,      // scalar jump, branch target immediate or in a register
  kBranchJ,   // one target (JIP)
  kBranchJU,  // two branch targets (JIP, UIP)
  kCall,      // call, calla: writes the return address to dst
  kRet,       // source register holds the return address
};

struct OpcodeInfo {
  Opcode op;
  absl::string_view mnemonic;
  int16_t code[3];  // by Generation; negative where the generation lacks the opcode (columns.h)
  uint8_t nsrc;     // register or immediate sources of the basic form (math may use one)
  Format format;
  uint8_t type_rule;  // index of the legal-type row, see LegalTypes
  bool pred;          // may be predicated
  bool cmod;          // may carry a conditional modifier
  bool saturate;
  bool src_modifiers;      // negate and absolute allowed on sources
  bool bitwise;            // negate means bitwise not
  bool reads_accumulator;  // implicitly, acc0
  bool writes_accumulator;
};

// The facts of each opcode; every enum value has a row.
extern const std::array<OpcodeInfo, kOpcodeCount> kOpcodes;
inline const OpcodeInfo& Info(Opcode op) {
  assert(static_cast<int>(op) < kOpcodeCount);
  return kOpcodes[static_cast<size_t>(op)];
}

// Returns the opcode with this 7-bit hardware code, if the generation has one.
std::optional<Opcode> OpcodeFromHw(Generation gen, int code);

// Returns the opcode with this mnemonic.
std::optional<Opcode> OpcodeFromMnemonic(absl::string_view mnemonic);

// Returns true if the generation has this opcode.
inline bool HasOpcode(Generation gen, Opcode op) {
  return Info(op).code[static_cast<int>(gen)] >= 0;
}

// Returns true if the opcode may have this destination and (each) source type. The rows come from
// the BSpec type tables; immediates V, UV and VF count as W, UW and F. Opcodes without typed
// operands accept all.
bool LegalTypes(Generation gen, Opcode op, Type dst, Type src);

// Returns true for structured or unstructured control flow: the instruction has a JIP, or jumps
// through a register.
bool IsBranch(Opcode op);

// Returns true for send, sendc, sends and sendsc.
inline bool IsSend(Opcode op) { return Info(op).format == Format::kSend; }

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_OPCODES_H_
