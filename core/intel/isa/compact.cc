// Expansion of compacted instructions, see compact.h. Each index selects a pattern whose bits go,
// most significant first, to the ranges listed for it.
#include "core/intel/isa/compact.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "core/intel/isa/codes.h"

namespace kiln::intel::isa {
namespace {

#include "core/intel/isa/gen12_compaction.inc"

struct Range {
  uint8_t high, low;
};

constexpr Range kControlBits[] = {{95, 92}, {34, 34}, {33, 33}, {32, 32}, {31, 31},
                                  {28, 28}, {27, 24}, {23, 22}, {21, 19}, {18, 16}};
constexpr Range kDatatypeBits[] = {{98, 98}, {91, 88}, {66, 66}, {50, 50}, {49, 48},
                                   {47, 47}, {46, 46}, {43, 40}, {39, 36}, {35, 35}};
constexpr Range kSubregBits[] = {{103, 99}, {71, 67}, {55, 51}};
constexpr Range kSrc0Bits[] = {{87, 84}, {83, 81}, {80, 80}, {65, 64}, {45, 44}};
constexpr Range kSrc1Bits[] = {{121, 120}, {119, 116}, {115, 113}, {112, 112}, {97, 96}};
constexpr Range kTernaryControlBits[] = {{95, 92}, {90, 88}, {82, 80}, {50, 50}, {48, 48}, {42, 40},
                                         {39, 39}, {38, 36}, {34, 34}, {33, 33}, {32, 32}, {31, 31},
                                         {28, 28}, {27, 24}, {23, 22}, {21, 19}, {18, 16}};
constexpr Range kTernarySourceBits[] = {{114, 114}, {113, 112}, {98, 98}, {97, 96}, {91, 91},
                                        {87, 86},   {85, 84},   {83, 83}, {66, 66}, {65, 64},
                                        {47, 47},   {46, 46},   {45, 44}, {43, 43}, {35, 35}};
constexpr Range kTernarySubregBits[] = {{119, 115}, {103, 99}, {71, 67}, {55, 51}};

uint64_t Bits(uint64_t word, int high, int low) {
  return word >> low & ((uint64_t{1} << (high - low + 1)) - 1);
}

void Scatter(Word128& full, absl::Span<const Range> ranges, uint64_t pattern) {
  for (auto it = ranges.rbegin(); it != ranges.rend(); ++it) {
    const int width = it->high - it->low + 1;
    SetBits(full, it->high, it->low, Bits(pattern, width - 1, 0));
    pattern >>= width;
  }
}

// The 32 bits that a 12-bit compacted immediate of this type stands for.
absl::StatusOr<uint32_t> ExpandImmediate(Type type, uint32_t imm) {
  const auto extended = static_cast<uint32_t>(static_cast<int32_t>(imm << 20) >> 20);
  switch (type) {
    case Type::kF:
      return imm << 20;
    case Type::kHF:
      return imm << 20 | imm << 4;
    case Type::kUD:
    case Type::kUV:
    case Type::kV:
    case Type::kVF:
      return imm;
    case Type::kUW:
      return imm << 16 | imm;
    case Type::kD:
      return extended;
    case Type::kW:
      return extended << 16 | (extended & 0xffff);
    default:
      return absl::InvalidArgumentError("compacted immediate of an 8-byte type");
  }
}

// Registers and indices that the two-source form has at fixed places.
absl::Status ExpandBasic(uint64_t word, Word128& full) {
  constexpr Generation gen = Generation::kGen12;
  Scatter(full, kControlBits, kControlIndex[Bits(word, 28, 24)]);
  Scatter(full, kDatatypeBits, kDatatypeIndex[Bits(word, 34, 30)]);
  Scatter(full, kSubregBits, kSubregIndex[Bits(word, 39, 35)]);
  Scatter(full, kSrc0Bits, kSrc0Index[Bits(word, 51, 48)]);
  SetField(gen, full, Field::kDstNr, Bits(word, 23, 16));
  SetField(gen, full, Field::kSrc0Nr, Bits(word, 47, 40));
  const bool src0_imm = GetField(gen, full, Field::kSrc0IsImm);
  const bool src1_imm = GetField(gen, full, Field::kSrc1IsImm);
  if (!src0_imm && !src1_imm) {
    Scatter(full, kSrc1Bits, kSrc1Index[Bits(word, 55, 52)]);
    SetField(gen, full, Field::kSrc1Nr, Bits(word, 63, 56));
    return absl::OkStatus();
  }
  const Field type_field = src0_imm ? Field::kSrc0Type : Field::kSrc1Type;
  const std::optional<Type> type =
      Gen12TypeFromCode(static_cast<int>(GetField(gen, full, type_field)), true);
  if (!type) return absl::InvalidArgumentError("compacted immediate of a reserved type");
  absl::StatusOr<uint32_t> imm = ExpandImmediate(*type, static_cast<uint32_t>(Bits(word, 63, 52)));
  if (!imm.ok()) return imm.status();
  SetField(gen, full, Field::kImm32, *imm);
  return absl::OkStatus();
}

void ExpandTernary(uint64_t word, Word128& full) {
  constexpr Generation gen = Generation::kGen12;
  Scatter(full, kTernaryControlBits, kTernaryControlIndex[Bits(word, 28, 24)]);
  Scatter(full, kTernarySourceBits, kTernarySourceIndex[Bits(word, 34, 30)]);
  Scatter(full, kTernarySubregBits, kTernarySubregIndex[Bits(word, 39, 35)]);
  SetField(gen, full, Field::kDstNr, Bits(word, 23, 16));
  SetField(gen, full, Field::kSrc0Nr, Bits(word, 47, 40));
  SetField(gen, full, Field::kT3Src2Nr, Bits(word, 55, 48));
  SetField(gen, full, Field::kSrc1Nr, Bits(word, 63, 56));
}

}  // namespace

bool IsCompacted(uint64_t first_half) { return Bits(first_half, 29, 29) != 0; }

absl::StatusOr<Word128> Expand(uint64_t compacted) {
  constexpr Generation gen = Generation::kGen12;
  const int code = static_cast<int>(Bits(compacted, 6, 0));
  const std::optional<Opcode> op = OpcodeFromHw(gen, code);
  if (!op) return absl::InvalidArgumentError(absl::StrCat("no opcode has the code ", code));
  Word128 full;
  SetField(gen, full, Field::kOpcode, static_cast<uint64_t>(code));
  SetField(gen, full, Field::kDebug, Bits(compacted, 7, 7));
  SetField(gen, full, Field::kSwsb, Bits(compacted, 15, 8));
  switch (Info(*op).format) {
    case Format::kBasic:
    case Format::kMath: {
      absl::Status status = ExpandBasic(compacted, full);
      if (!status.ok()) return status;
      return full;
    }
    case Format::kTernary:
      ExpandTernary(compacted, full);
      return full;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("compacted ", Info(*op).mnemonic, ": this form is never compacted"));
  }
}

}  // namespace kiln::intel::isa
