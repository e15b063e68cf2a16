// Opcode rows, legal types and lookups. Reverse lookups scan the table at compile time into dense
// arrays, so decoding one opcode is one load.
#include "core/intel/isa/opcodes.h"

#include <array>
#include <cassert>

#include "core/intel/isa/columns.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {
namespace {

constexpr int16_t ABSENT = kAbsentCode;
constexpr unsigned P = 1, C = 2, S = 4, M = 8, B = 16, A_R = 32, A_W = 64;

enum TypeRule : uint8_t {
  None,
  Mov,
  Alu,
  Movi,
  Int,
  Unsigned,
  Rotate,
  Cmp,
  Csel,
  F32to16,
  F16to32,
  Ud,
  Dword,
  Math,
  Add,
  Mul,
  F,
  Mac,
  Lzd,
  Fbh,
  Cbit,
  Sad,
  Dp4a,
  Mad,
  Madm,
};

constexpr OpcodeInfo Row(Opcode op, absl::string_view mnemonic, int16_t g75, int16_t g9,
                         int16_t g12, uint8_t nsrc, Format format, TypeRule types, unsigned flags) {
  return {op,
          mnemonic,
          {g75, g9, g12},
          nsrc,
          format,
          types,
          (flags & P) != 0,
          (flags & C) != 0,
          (flags & S) != 0,
          (flags & M) != 0,
          (flags & B) != 0,
          (flags & A_R) != 0,
          (flags & A_W) != 0};
}

}  // namespace

constexpr std::array<OpcodeInfo, kOpcodeCount> kOpcodes = {{
#define KILN_EU_OPCODE(name, mnemonic, g75, g9, g12, nsrc, format, types, flags) \
  Row(Opcode::k##name, mnemonic, g75, g9, g12, nsrc, Format::k##format, types, flags),
#include "core/intel/isa/opcodes.def"
#undef KILN_EU_OPCODE
}};

namespace {

constexpr uint8_t kNoOpcode = 0xff;

constexpr auto kByCode = [] {
  std::array<std::array<uint8_t, 128>, kGenerationCount> map{};
  for (auto& gen : map) gen.fill(kNoOpcode);
  for (const OpcodeInfo& row : kOpcodes) {
    for (int gen = 0; gen < kGenerationCount; ++gen) {
      if (row.code[gen] >= 0) map[gen][row.code[gen]] = static_cast<uint8_t>(row.op);
    }
  }
  return map;
}();

constexpr uint32_t Bit(Type type) { return 1u << static_cast<int>(type); }

constexpr uint32_t kBytes = Bit(Type::kUB) | Bit(Type::kB);
constexpr uint32_t kWords = Bit(Type::kUW) | Bit(Type::kW);
constexpr uint32_t kDwords = Bit(Type::kUD) | Bit(Type::kD);
constexpr uint32_t kQwords = Bit(Type::kUQ) | Bit(Type::kQ);
constexpr uint32_t kInts = kBytes | kWords | kDwords;
constexpr uint32_t kHalf = Bit(Type::kHF);
constexpr uint32_t kFloat = Bit(Type::kF);
constexpr uint32_t kDouble = Bit(Type::kDF);

// One legal combination: any of `dst` with any of `src`; bit g of `gens` for generation g.
struct TypePair {
  TypeRule rule;
  uint32_t dst;
  uint32_t src;
  uint8_t gens;
};

constexpr uint8_t kAll = 7, kG75 = 1, kG9 = 2, kG12 = 4, kG9Up = 6, kUpToG9 = 3;

constexpr TypePair kTypePairs[] = {
    {Mov, kInts | kFloat, kInts | kFloat, kAll},
    {Mov, kInts | kFloat | kHalf, kInts | kFloat | kHalf, kG9Up},
    {Mov, kInts | kFloat | kQwords | kDouble, kQwords | kDouble, kG9},
    {Mov, kQwords | kDouble, kInts | kFloat, kG9},
    {Mov, kDouble, kFloat, kG75},
    {Mov, kFloat, kDouble, kG75},
    {Alu, kInts, kInts, kAll},
    {Alu, kFloat, kFloat, kAll},
    {Alu, kHalf, kHalf, kG9Up},
    {Movi, kDwords, kDwords, kAll},
    {Movi, kFloat, kFloat, kAll},
    {Int, kInts, kInts, kAll},
    {Unsigned, Bit(Type::kUB) | Bit(Type::kUW) | Bit(Type::kUD),
     Bit(Type::kUB) | Bit(Type::kUW) | Bit(Type::kUD), kAll},
    {Rotate, Bit(Type::kUW) | Bit(Type::kUD), Bit(Type::kUW) | Bit(Type::kUD), kG12},
    {Cmp, kInts, kInts, kAll},
    {Cmp, kFloat, kFloat, kAll},
    {Cmp, kHalf | kFloat, kHalf | kFloat, kG9Up},
    {Csel, kFloat, kFloat, kG9Up},
    {Csel, kHalf, kHalf, kG12},
    {Csel, kDwords, kDwords, kG12},
    {Csel, kWords, kWords, kG12},
    {F32to16, kWords, kFloat, kG75},
    {F16to32, kFloat, kWords, kG75},
    {Ud, Bit(Type::kUD), Bit(Type::kUD), kAll},
    {Dword, kDwords, kDwords, kAll},
    {Math, kFloat, kFloat, kAll},
    {Math, kFloat | kHalf, kFloat | kHalf, kG9Up},
    {Math, kDwords, kDwords, kAll},
    {Add, kInts, kInts, kAll},
    {Add, kFloat, kInts | kFloat, kAll},
    {Add, kHalf, kInts | kHalf, kG9Up},
    {Add, kFloat | kHalf, kFloat | kHalf, kG9Up},
    {Mul, kInts, kInts, kAll},
    {Mul, kFloat, kFloat, kAll},
    {Mul, kFloat | kHalf, kFloat | kHalf, kG9Up},
    {F, kFloat, kFloat, kAll},
    {Mac, kInts, kBytes | kWords, kAll},
    {Mac, kFloat, kFloat, kAll},
    {Mac, kHalf, kHalf, kG9Up},
    {Lzd, Bit(Type::kUD), kInts, kAll},
    {Fbh, kDwords, kDwords, kAll},
    {Cbit, Bit(Type::kUD), Bit(Type::kUB) | Bit(Type::kUW) | Bit(Type::kUD), kAll},
    {Sad, kWords, kBytes, kUpToG9},
    {Dp4a, kDwords, kDwords, kG12},
    {Mad, kFloat, kFloat, kAll},
    {Mad, kDouble, kDouble, kG75 | kG9},
    {Mad, kHalf | kFloat, kHalf | kFloat, kG9Up},
    {Mad, kWords, kBytes, kG12},
    {Mad, kWords | kDwords, kWords | kDwords, kG12},
    {Madm, kFloat, kFloat, kG9},
    {Madm, kDouble, kDouble, kG9},
};

constexpr auto kLegal = [] {
  std::array<std::array<std::array<uint32_t, 16>, kGenerationCount>, Madm + 1> legal{};
  for (const TypePair& pair : kTypePairs) {
    for (int gen = 0; gen < kGenerationCount; ++gen) {
      if (!(pair.gens >> gen & 1)) continue;
      for (int dst = 0; dst < 16; ++dst) {
        if (pair.dst >> dst & 1) legal[pair.rule][gen][dst] |= pair.src;
      }
    }
  }
  return legal;
}();

Type ElementOfImmediate(Type type) {
  switch (type) {
    case Type::kV: return Type::kW;
    case Type::kUV: return Type::kUW;
    case Type::kVF: return Type::kF;
    default: return type;
  }
}

}  // namespace

std::optional<Opcode> OpcodeFromHw(Generation gen, int code) {
  if (code < 0 || code >= 128) return std::nullopt;
  const uint8_t op = kByCode[static_cast<int>(gen)][code];
  if (op == kNoOpcode) return std::nullopt;
  return static_cast<Opcode>(op);
}

std::optional<Opcode> OpcodeFromMnemonic(absl::string_view mnemonic) {
  for (const OpcodeInfo& row : kOpcodes) {
    if (row.mnemonic == mnemonic) return row.op;
  }
  return std::nullopt;
}

bool LegalTypes(Generation gen, Opcode op, Type dst, Type src) {
  const uint8_t rule = Info(op).type_rule;
  if (rule == None) return true;
  const uint32_t sources = kLegal[rule][static_cast<int>(gen)][static_cast<int>(dst)];
  return (sources & Bit(ElementOfImmediate(src))) != 0;
}

bool IsBranch(Opcode op) {
  switch (Info(op).format) {
    case Format::kJmpi:
    case Format::kBranchJ:
    case Format::kBranchJU:
    case Format::kCall:
    case Format::kRet: return true;
    default: return false;
  }
}

}  // namespace kiln::intel::isa
