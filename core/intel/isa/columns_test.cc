// Tests that every unfilled cell is a named error, wherever it would be read.
#include "core/intel/isa/columns.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "core/base/cause.h"
#include "core/intel/isa/apply_workarounds.h"
#include "core/intel/isa/codes.h"
#include "core/intel/isa/compact.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/encode.h"
#include "core/intel/isa/fields.h"
#include "core/intel/isa/messages.h"
#include "core/intel/isa/program.h"
#include "core/intel/isa/verify.h"

namespace kiln::intel::isa {
namespace {

const ColumnTable* const kTables[] = {&kOpcodeTable,      &kFieldTable,        &kCodeTable,
                                      &CompactionTable(), &RestrictionTable(), &WorkaroundTable(),
                                      &MessageTable()};

void ExpectUnfilled(const absl::Status& s, const std::string& where) {
  EXPECT_EQ(s.code(), absl::StatusCode::kUnimplemented) << where << ": " << s;
  EXPECT_EQ(CauseOf(s), "isa_table_unfilled") << where << ": " << s;
}

TEST(Columns, EveryUnfilledCellIsTheNamedError) {
  int unfilled = 0, filled = 0;
  for (const ColumnTable* table : kTables) {
    ASSERT_GT(table->rows, 0u);
    for (const Generation gen : kGenerations) {
      for (size_t row = 0; row < table->rows; ++row) {
        const absl::Status s = CheckCell(*table, gen, row);
        if (table->cell(gen, row) != Cell::kUnfilled) {
          EXPECT_TRUE(s.ok()) << s;
          ++filled;
          continue;
        }
        ++unfilled;
        const std::string text(s.message());
        ExpectUnfilled(s, text);
        for (const absl::string_view part : {table->name, table->row(row), Name(gen)}) {
          EXPECT_NE(text.find(std::string(part)), std::string::npos) << part << " in " << text;
        }
      }
    }
  }
  EXPECT_GT(filled, 300);
  EXPECT_GT(unfilled, 300);
}

// One hole in a filled column closes the door, whichever table it is in.
const ColumnTable* holed;
size_t hole;

TEST(Columns, OneUnfilledCellShutsTheColumn) {
  for (const ColumnTable* table : kTables) {
    const Generation gen = Generation::kGen12;
    ASSERT_TRUE(IsFilled(*table, gen)) << table->name;
    EXPECT_TRUE(CheckColumn(*table, gen).ok());
    holed = table;
    const ColumnTable with_hole = {table->name, table->rows, table->row,
                                   [](Generation g, size_t row) {
                                     return row == hole ? Cell::kUnfilled : holed->cell(g, row);
                                   }};
    for (hole = 0; hole < table->rows; ++hole) {
      EXPECT_FALSE(IsFilled(with_hole, gen));
      const absl::Status s = CheckColumn(with_hole, gen);
      ExpectUnfilled(s, std::string(table->row(hole)));
      EXPECT_NE(s.message().find(table->row(hole)), absl::string_view::npos) << s;
    }
  }
}

TEST(Columns, TheDoorsOfAnUnfilledGenerationAreShut) {
  const std::array<uint8_t, 16> bytes = {0x61, 0, 3};  // a mov of Gen12
  const std::array<uint8_t, 8> compacted = {0x61, 0, 0, 0x20};
  const Instruction inst = Decode(Generation::kGen12, bytes)->inst;
  ASSERT_TRUE(Encode(Generation::kGen12, inst).ok());
  ASSERT_TRUE(Expand(Generation::kGen12, 0x20000061).ok());
  for (const Generation gen : {Generation::kGen7p5, Generation::kGen9}) {
    ASSERT_FALSE(IsFilled(kFieldTable, gen));
    Program program(gen);
    program.Append(inst);
    ExpectUnfilled(Encode(gen, inst).status(), "encode");
    ExpectUnfilled(Decode(gen, bytes).status(), "decode");
    ExpectUnfilled(Decode(gen, compacted).status(), "decode, compacted");
    ExpectUnfilled(DecodeProgram(gen, bytes).status(), "decode program");
    ExpectUnfilled(Expand(gen, 0x20000061).status(), "expand");
    ExpectUnfilled(PlaceInstructions(program).status(), "fields");
    ExpectUnfilled(Compact(gen, {}).status(), "compact");
    ExpectUnfilled(Finalise(program).status(), "finalise");
    ExpectUnfilled(ToProgram(gen, {}).status(), "to program");
    ExpectUnfilled(BrokenBy(gen, inst).status(), "restrictions");
    ExpectUnfilled(Verify(gen, {}).status(), "verify");
    ExpectUnfilled(ApplyWorkarounds(program, 8), "errata");
    ExpectUnfilled(BuildDescriptor(gen, {}).status(), "descriptor");
    ExpectUnfilled(ParseDescriptor(gen, Sfid::kDataCache1, 0, 0).status(), "descriptor, read");
    ExpectUnfilled(MakeSend(gen, {}).status(), "send");
  }
}

// In both directions: a value that has a code comes back from it.
TEST(Columns, CodesAndValuesAgree) {
  int count = 0;
  for (const internal::CodeRow& row : internal::kCodeRows) {
    const int16_t code = row.code[Index(Generation::kGen12)];
    if (row.group == CodeGroup::kBranchUnit) continue;
    const std::optional<int> got = CodeOf<Generation::kGen12>(row.group, row.value);
    ASSERT_EQ(got.has_value(), code >= 0) << row.name;
    if (code < 0) continue;
    EXPECT_EQ(*got, code) << row.name;
    EXPECT_EQ(ValueOf<Generation::kGen12>(row.group, static_cast<uint64_t>(code)), row.value)
        << row.name;
    ++count;
  }
  EXPECT_GT(count, 80);
  EXPECT_FALSE(CodeOf<Generation::kGen12>(CodeGroup::kVstride, 64).has_value());
  EXPECT_FALSE(ValueOf<Generation::kGen12>(CodeGroup::kVstride, 16).has_value());
}

// Codes that no function of Gen12 has, and codes of the macros, which are not encoded.
TEST(Columns, CodesWithoutAValueAreNoInstructions) {
  constexpr Generation gen = Generation::kGen12;
  const std::array<uint8_t, 16> mov = {0x61, 0, 3};
  Instruction inst = Decode(gen, mov)->inst;
  inst.op = Opcode::kMath;
  inst.dst.file = inst.src[0].file = File::kGrf;
  inst.dst.type = inst.src[0].type = Type::kF;
  inst.math = MathFunction::kInv;
  const auto bytes = Encode(gen, inst);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  for (uint8_t code = 0; code < 16; ++code) {
    std::array<uint8_t, 16> word = *bytes;
    word[11] = static_cast<uint8_t>((word[11] & 0x0f) | code << 4);
    const bool exists = code != 0 && (code < 8 || (code > 10 && code < 14));
    EXPECT_EQ(Decode(gen, word).ok(), exists) << int{code};
    inst.math = static_cast<MathFunction>(code);
    if (!exists) {
      EXPECT_FALSE(Encode(gen, inst).ok()) << int{code};
    }
  }
}

}  // namespace
}  // namespace kiln::intel::isa
