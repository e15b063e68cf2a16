// Expansion of compacted instructions, see compact.h. Each index selects a pattern whose bits go,
// most significant first, to the ranges listed for it.
#include "core/intel/isa/compact.h"

#include <cstddef>
#include <iterator>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
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

// What the compacted form has an index for.
enum Part {
  kControl,
  kDatatype,
  kSubreg,
  kSrc0,
  kSrc1,
  kTernaryControl,
  kTernarySource,
  kTernarySubreg,
};
constexpr absl::string_view kPartNames[] = {"control",        "datatype",      "subreg",
                                            "src0",           "src1",          "ternary control",
                                            "ternary source", "ternary subreg"};
constexpr size_t kParts = std::size(kPartNames);

struct IndexTable {
  Range index = {};                     // where the compacted form has it
  absl::Span<const Range> bits;         // of the full form, most significant first
  absl::Span<const uint64_t> patterns;  // by index; none: not filled
};

// By Generation and Part.
constexpr IndexTable kIndexTables[kGenerationCount][kParts] = {
    {},
    {},
    {{{28, 24}, kControlBits, kControlIndex},
     {{34, 30}, kDatatypeBits, kDatatypeIndex},
     {{39, 35}, kSubregBits, kSubregIndex},
     {{51, 48}, kSrc0Bits, kSrc0Index},
     {{55, 52}, kSrc1Bits, kSrc1Index},
     {{28, 24}, kTernaryControlBits, kTernaryControlIndex},
     {{34, 30}, kTernarySourceBits, kTernarySourceIndex},
     {{39, 35}, kTernarySubregBits, kTernarySubregIndex}}};

// Where the compacted form has what it holds itself.
struct Places {
  Cell cell = Cell::kUnfilled;
  Range opcode, debug, swsb, dst, src0, src1, src2, imm;
};
constexpr Places kPlaces[kGenerationCount] = {
    {},
    {},
    {Cell::kValue, {6, 0}, {7, 7}, {15, 8}, {23, 16}, {47, 40}, {63, 56}, {55, 48}, {63, 52}}};

// The parts, and behind them the places.
constexpr ColumnTable kTable = {
    "compaction table", kParts + 1,
    [](size_t row) { return row < kParts ? kPartNames[row] : "places"; },
    [](Generation gen, size_t row) {
      if (row == kParts) return kPlaces[Index(gen)].cell;
      return kIndexTables[Index(gen)][row].patterns.empty() ? Cell::kUnfilled : Cell::kValue;
    }};

uint64_t Bits(uint64_t word, Range range) {
  return word >> range.low & LowBits(range.high - range.low + 1);
}

void Scatter(Word128& full, absl::Span<const Range> ranges, uint64_t pattern) {
  for (auto it = ranges.rbegin(); it != ranges.rend(); ++it) {
    const int width = it->high - it->low + 1;
    SetBits(full, it->high, it->low, pattern & LowBits(width));
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

// Puts the pattern that the compacted word chooses to its bits of the full one.
template <Generation gen>
void ExpandPart(uint64_t word, Part part, Word128& full) {
  const IndexTable& table = kIndexTables[Index(gen)][part];
  Scatter(full, table.bits, table.patterns[Bits(word, table.index)]);
}

// Registers and indices that the two-source form has at fixed places.
template <Generation gen>
absl::Status ExpandBasic(uint64_t word, Word128& full) {
  constexpr Places at = kPlaces[Index(gen)];
  for (const Part part : {kControl, kDatatype, kSubreg, kSrc0}) ExpandPart<gen>(word, part, full);
  SetField<gen>(full, Field::kDstNr, Bits(word, at.dst));
  SetField<gen>(full, Field::kSrc0Nr, Bits(word, at.src0));
  const bool src0_imm = GetField<gen>(full, Field::kSrc0IsImm);
  const bool src1_imm = GetField<gen>(full, Field::kSrc1IsImm);
  if (!src0_imm && !src1_imm) {
    ExpandPart<gen>(word, kSrc1, full);
    SetField<gen>(full, Field::kSrc1Nr, Bits(word, at.src1));
    return absl::OkStatus();
  }
  const Field type_field = src0_imm ? Field::kSrc0Type : Field::kSrc1Type;
  const std::optional<int> type =
      ValueOf<gen>(CodeGroup::kImmType, GetField<gen>(full, type_field));
  if (!type) return absl::InvalidArgumentError("compacted immediate of a reserved type");
  absl::StatusOr<uint32_t> imm =
      ExpandImmediate(static_cast<Type>(*type), static_cast<uint32_t>(Bits(word, at.imm)));
  if (!imm.ok()) return imm.status();
  SetField<gen>(full, Field::kImm32, *imm);
  return absl::OkStatus();
}

template <Generation gen>
void ExpandTernary(uint64_t word, Word128& full) {
  constexpr Places at = kPlaces[Index(gen)];
  for (const Part part : {kTernaryControl, kTernarySource, kTernarySubreg}) {
    ExpandPart<gen>(word, part, full);
  }
  SetField<gen>(full, Field::kDstNr, Bits(word, at.dst));
  SetField<gen>(full, Field::kSrc0Nr, Bits(word, at.src0));
  SetField<gen>(full, Field::kT3Src2Nr, Bits(word, at.src2));
  SetField<gen>(full, Field::kSrc1Nr, Bits(word, at.src1));
}

template <Generation gen>
absl::StatusOr<Word128> ExpandFor(uint64_t compacted) {
  constexpr Places at = kPlaces[Index(gen)];
  const int code = static_cast<int>(Bits(compacted, at.opcode));
  const std::optional<Opcode> op = OpcodeFromHw(gen, code);
  if (!op) return absl::InvalidArgumentError(absl::StrCat("no opcode has the code ", code));
  Word128 full;
  SetField<gen>(full, Field::kOpcode, static_cast<uint64_t>(code));
  SetField<gen>(full, Field::kDebug, Bits(compacted, at.debug));
  SetField<gen>(full, Field::kSwsb, Bits(compacted, at.swsb));
  switch (Info(*op).format) {
    case Format::kBasic:
    case Format::kMath: {
      absl::Status status = ExpandBasic<gen>(compacted, full);
      if (!status.ok()) return status;
      return full;
    }
    case Format::kTernary:
      ExpandTernary<gen>(compacted, full);
      return full;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("compacted ", Info(*op).mnemonic, ": this form is never compacted"));
  }
}

}  // namespace

const ColumnTable& CompactionTable() { return kTable; }

absl::StatusOr<Word128> Expand(Generation gen, uint64_t compacted) {
  return AtDoor<absl::StatusOr<Word128>, kTable, kOpcodeTable, kFieldTable, kCodeTable>(
      gen, [&](auto g) { return ExpandFor<decltype(g)::value>(compacted); });
}

}  // namespace kiln::intel::isa
