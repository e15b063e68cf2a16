// Expansion and compaction: see compact.h. Each index selects a pattern whose bits go, most
// significant first, to the ranges listed for it; compaction gathers these bits and looks the
// pattern up. The result is expanded again and compared, which proves that nothing was lost:
// neither bits that the compacted form does not have, nor an immediate of more than 12 bits.
#include "core/intel/isa/compact.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

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

constexpr Range kControlBits[] = {{95, 92}, {34, 31}, {28, 16}};
constexpr Range kDatatypeBits[] = {{98, 98}, {91, 88}, {66, 66}, {50, 46}, {43, 35}};
constexpr Range kSubregBits[] = {{103, 99}, {71, 67}, {55, 51}};
constexpr Range kSrc0Bits[] = {{87, 80}, {65, 64}, {45, 44}};
constexpr Range kSrc1Bits[] = {{121, 112}, {97, 96}};
constexpr Range kTernaryControlBits[] = {{95, 92}, {90, 88}, {82, 80}, {50, 50},
                                         {48, 48}, {42, 36}, {34, 31}, {28, 16}};
constexpr Range kTernarySourceBits[] = {{114, 112}, {98, 96}, {91, 91}, {87, 83},
                                        {66, 64},   {47, 43}, {35, 35}};
constexpr Range kTernarySubregBits[] = {{119, 115}, {103, 99}, {71, 67}, {55, 51}};

// The parts of an instruction for which the compacted form has an index.
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
  Range index = {};                     // where the compacted form has the index
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

// The bit ranges of the fields that the compacted form holds directly.
struct FieldRanges {
  Cell cell = Cell::kUnfilled;
  Range opcode, debug, swsb, dst, src0, src1, src2, imm;
};
constexpr FieldRanges kFieldRanges[kGenerationCount] = {
    {},
    {},
    {Cell::kValue, {6, 0}, {7, 7}, {15, 8}, {23, 16}, {47, 40}, {63, 56}, {55, 48}, {63, 52}}};

// The rows are the parts, followed by the bit ranges of the fields.
constexpr ColumnTable kTable = {
    "compaction table", kParts + 1,
    [](size_t row) { return row < kParts ? kPartNames[row] : "fields"; },
    [](Generation gen, size_t row) {
      if (row == kParts) return kFieldRanges[Index(gen)].cell;
      return kIndexTables[Index(gen)][row].patterns.empty() ? Cell::kUnfilled : Cell::kValue;
    }};

uint64_t Bits(uint64_t word, Range range) {
  return word >> range.low & LowBits(range.high - range.low + 1);
}

// Writes a pattern to its ranges. They are constants of the part, so each is a shift and a mask.
// The last one takes the low bits.
template <Generation gen, Part part>
void Scatter(Word128& full, uint64_t pattern) {
  constexpr absl::Span<const Range> ranges = kIndexTables[Index(gen)][part].bits;
  [&]<size_t... i>(std::index_sequence<i...>) {
    const auto put = [&](Range range) {
      const int width = range.high - range.low + 1;
      SetBits(full, range.high, range.low, pattern & LowBits(width));
      pattern >>= width;
    };
    (put(ranges[ranges.size() - 1 - i]), ...);
  }
  (std::make_index_sequence<ranges.size()>());
}

template <Generation gen, Part part>
uint64_t Gather(const Word128& full) {
  constexpr absl::Span<const Range> ranges = kIndexTables[Index(gen)][part].bits;
  uint64_t pattern = 0;
  [&]<size_t... i>(std::index_sequence<i...>) {
    ((pattern = pattern << (ranges[i].high - ranges[i].low + 1) |
                GetBits(full, ranges[i].high, ranges[i].low)),
     ...);
  }
  (std::make_index_sequence<ranges.size()>());
  return pattern;
}

// Returns the 32 bits for which a 12-bit compacted immediate of this type stands.
absl::StatusOr<uint32_t> ExpandImmediate(Type type, uint32_t imm) {
  const auto extended = static_cast<uint32_t>(static_cast<int32_t>(imm << 20) >> 20);
  switch (type) {
    case Type::kF: return imm << 20;
    case Type::kHF: return imm << 20 | imm << 4;
    case Type::kUD:
    case Type::kUV:
    case Type::kV:
    case Type::kVF: return imm;
    case Type::kUW: return imm << 16 | imm;
    case Type::kD: return extended;
    case Type::kW: return extended << 16 | (extended & 0xffff);
    default: return absl::InvalidArgumentError("compacted immediate of an 8-byte type");
  }
}

// Returns the 12 bits that stand for these 32, if any do.
uint64_t CompactImmediate(Type type, uint64_t imm) {
  return (type == Type::kF ? imm >> 20 : type == Type::kHF ? imm >> 4 : imm) & 0xfff;
}

// Writes the pattern that the compacted word selects to its bits of the full one.
template <Generation gen, Part part>
void ExpandPart(uint64_t word, Word128& full) {
  constexpr const IndexTable& table = kIndexTables[Index(gen)][part];
  Scatter<gen, part>(full, table.patterns[Bits(word, table.index)]);
}

template <Generation gen, Part... parts>
void ExpandParts(uint64_t word, Word128& full) {
  (ExpandPart<gen, parts>(word, full), ...);
}

// The bit that tells both forms apart; it has the same position in both.
template <Generation gen>
constexpr uint64_t CompactionBit() {
  return uint64_t{1} << Layout<gen>(Field::kCompacted).piece[0].low;
}

// Expands the registers and indices of the two-source form.
template <Generation gen>
absl::Status ExpandBasic(uint64_t word, Word128& full) {
  constexpr FieldRanges at = kFieldRanges[Index(gen)];
  ExpandParts<gen, kControl, kDatatype, kSubreg, kSrc0>(word, full);
  SetField<gen>(full, Field::kDstNr, Bits(word, at.dst));
  SetField<gen>(full, Field::kSrc0Nr, Bits(word, at.src0));
  const bool src0_imm = GetField<gen>(full, Field::kSrc0IsImm);
  const bool src1_imm = GetField<gen>(full, Field::kSrc1IsImm);
  if (!src0_imm && !src1_imm) {
    ExpandPart<gen, kSrc1>(word, full);
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
  constexpr FieldRanges at = kFieldRanges[Index(gen)];
  ExpandParts<gen, kTernaryControl, kTernarySource, kTernarySubreg>(word, full);
  SetField<gen>(full, Field::kDstNr, Bits(word, at.dst));
  SetField<gen>(full, Field::kSrc0Nr, Bits(word, at.src0));
  SetField<gen>(full, Field::kT3Src2Nr, Bits(word, at.src2));
  SetField<gen>(full, Field::kSrc1Nr, Bits(word, at.src1));
}

template <Generation gen>
absl::StatusOr<Word128> ExpandFor(uint64_t compacted) {
  constexpr FieldRanges at = kFieldRanges[Index(gen)];
  const int code = static_cast<int>(Bits(compacted, at.opcode));
  const std::optional<Opcode> op = OpcodeFromHw(gen, code);
  if (!op) return absl::InvalidArgumentError(absl::StrCat("no opcode has the code ", code));
  Word128 full;
  SetField<gen>(full, Field::kOpcode, static_cast<uint64_t>(code));
  SetField<gen>(full, Field::kDebug, Bits(compacted, at.debug));
  SetField<gen>(full, Field::kSwsb, Bits(compacted, at.swsb));
  switch (Info(*op).format) {
    case Format::kBasic:
    case Format::kMath:
    case Format::kSync: {
      absl::Status status = ExpandBasic<gen>(compacted, full);
      if (!status.ok()) return status;
      return full;
    }
    case Format::kTernary: ExpandTernary<gen>(compacted, full); return full;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("compacted ", Info(*op).mnemonic, ": this form is never compacted"));
  }
}

// A compacted word under construction. `found` is false once a table lacks a pattern.
struct Compaction {
  uint64_t word = 0;
  bool found = true;

  void Put(Range range, uint64_t value) { word |= value << range.low; }
};

template <Generation gen, Part part>
bool CompactPart(const Word128& full, Compaction& to) {
  constexpr const IndexTable& table = kIndexTables[Index(gen)][part];
  const auto row = std::find(table.patterns.begin(), table.patterns.end(), Gather<gen, part>(full));
  to.found = row != table.patterns.end();
  if (to.found) to.Put(table.index, static_cast<uint64_t>(row - table.patterns.begin()));
  return to.found;
}

// Compacts the parts in order, up to the first whose pattern is missing.
template <Generation gen, Part... parts>
void CompactParts(const Word128& full, Compaction& to) {
  to.found = (CompactPart<gen, parts>(full, to) && ...);
}

template <Generation gen>
void CompactBasic(const Word128& full, Compaction& to) {
  constexpr FieldRanges at = kFieldRanges[Index(gen)];
  const bool src0_imm = GetField<gen>(full, Field::kSrc0IsImm);
  const bool immediate = src0_imm || GetField<gen>(full, Field::kSrc1IsImm);
  // An immediate overlaps bits of the tables' patterns, which are zero in the rows for immediates.
  Word128 registers = full;
  if (immediate) SetField<gen>(registers, Field::kImm32, 0);
  CompactParts<gen, kDatatype, kControl, kSubreg, kSrc0>(registers, to);
  if (!to.found) return;
  to.Put(at.src0, GetField<gen>(full, Field::kSrc0Nr));
  if (!immediate) {
    CompactParts<gen, kSrc1>(full, to);
    return to.Put(at.src1, GetField<gen>(full, Field::kSrc1Nr));
  }
  const std::optional<int> type = ValueOf<gen>(
      CodeGroup::kImmType, GetField<gen>(full, src0_imm ? Field::kSrc0Type : Field::kSrc1Type));
  to.found = type.has_value();
  if (!to.found) return;
  to.Put(at.imm, CompactImmediate(static_cast<Type>(*type), GetField<gen>(full, Field::kImm32)));
}

template <Generation gen>
void CompactTernary(const Word128& full, Compaction& to) {
  constexpr FieldRanges at = kFieldRanges[Index(gen)];
  CompactParts<gen, kTernarySource, kTernaryControl, kTernarySubreg>(full, to);
  to.Put(at.src0, GetField<gen>(full, Field::kSrc0Nr));
  to.Put(at.src1, GetField<gen>(full, Field::kSrc1Nr));
  to.Put(at.src2, GetField<gen>(full, Field::kT3Src2Nr));
}

template <Generation gen>
std::optional<uint64_t> CompactFor(const Word128& full) {
  constexpr FieldRanges at = kFieldRanges[Index(gen)];
  const uint64_t code = GetField<gen>(full, Field::kOpcode);
  const std::optional<Opcode> op = OpcodeFromHw(gen, static_cast<int>(code));
  if (!op) return std::nullopt;
  Compaction to;
  to.Put(at.opcode, code);
  to.Put(at.debug, GetField<gen>(full, Field::kDebug));
  to.Put(at.swsb, GetField<gen>(full, Field::kSwsb));
  to.Put(at.dst, GetField<gen>(full, Field::kDstNr));
  to.word |= CompactionBit<gen>();
  switch (Info(*op).format) {
    case Format::kBasic:
    case Format::kMath:
    case Format::kSync: CompactBasic<gen>(full, to); break;
    case Format::kTernary: CompactTernary<gen>(full, to); break;
    default: return std::nullopt;
  }
  if (!to.found) return std::nullopt;
  const absl::StatusOr<Word128> again = ExpandFor<gen>(to.word);
  if (!again.ok() || !(*again == full)) return std::nullopt;
  return to.word;
}

}  // namespace

const ColumnTable& CompactionTable() { return kTable; }

absl::StatusOr<Word128> Expand(Generation gen, uint64_t compacted) {
  return AtDoor<absl::StatusOr<Word128>, kTable, kOpcodeTable, kFieldTable, kCodeTable>(
      gen, [&](auto g) { return ExpandFor<decltype(g)::value>(compacted); });
}

absl::StatusOr<std::optional<uint64_t>> Compact(Generation gen, const Word128& full) {
  return AtDoor<absl::StatusOr<std::optional<uint64_t>>, kTable, kOpcodeTable, kFieldTable,
                kCodeTable>(gen, [&](auto g) { return CompactFor<decltype(g)::value>(full); });
}

}  // namespace kiln::intel::isa
