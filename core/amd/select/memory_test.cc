// Tests the addresses that selection makes of accesses to memory.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

std::string Loaded(const std::string& low, const std::string& carry) {
  return SelectedText("%10:i32 = iadd %2, " + low + "\n%11:i32 = uadd_carry %2, " + carry +
                      "\n%12:i32 = iadd %2, %11\n%13:i32 = load_global[align 4] %10, %12\n" +
                      "store_ssbo[0, align 4] 0, %13\n");
}

// The constant of a sum of 64 bits, if the carry is that of the low words and it is within reach.
TEST(SelectMemory, ConstantsOfGlobalAddresses) {
  EXPECT_NE(Loaded("48", "48").find("offset 48"), std::string::npos) << Loaded("48", "48");
  EXPECT_EQ(Loaded("48", "44").find("offset 48"), std::string::npos);
  EXPECT_EQ(Loaded("4000", "4000").find("offset 4000"), std::string::npos);
}

size_t Count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// Loads of what nothing writes have no order; those of a buffer that is written have.
TEST(SelectMemory, LoadsOfUnchangingBuffersAreUnordered) {
  const std::string text = SelectedText(
      "%10:i32 = shl %1, 2\n%11:i32 = load_ssbo[3, align 4] %10\n"
      "%12:i32 = load_ssbo[0, align 4] %10\n%13:i32 = iadd %11, %12\n"
      "store_ssbo[0, align 4] %10, %13\n");
  EXPECT_EQ(Count(text, "buffer_load_dword"), 2u) << text;
  EXPECT_EQ(Count(text, "unordered"), 1u) << text;
}

// A load of a byte clears the bits above it, a shift to the right keeps them so; a sum does not.
TEST(SelectMemory, BytesAreWidenedByTheirLoad) {
  const auto masks = [](const std::string& body) {
    return Count(SelectedText("%10:i8 = load_ssbo[0, align 1] %1\n" + body +
                              "store_ssbo[0, align 4] 0, %19\n"),
                 "v_and_b32");
  };
  EXPECT_EQ(masks("%19:i32 = zext %10\n"), 0u);
  EXPECT_EQ(masks("%11:i32 = zext %10\n%12:i32 = ushr %11, 4\n%13:i8 = trunc %12\n"
                  "%19:i32 = zext %13\n"),
            0u);
  EXPECT_EQ(masks("%11:i32 = zext %10\n%12:i32 = iadd %11, %1\n%13:i8 = trunc %12\n"
                  "%19:i32 = zext %13\n"),
            1u);
}

// Bytes and words that make dwords or words are moved as these.
TEST(SelectMemory, PartsOfDwordsAreMovedTogether) {
  const auto moved = [](const std::string& elements, const std::string& address) {
    const std::string values = elements.substr(0, elements.find(' ')) == "i8" ? "%20" : "%21";
    std::string list;
    for (size_t i = elements.size() - 1; i < elements.size(); ++i) {
      for (int n = elements[i] - '0'; n > 0; --n) list += ", " + values;
    }
    return SelectedOps("%20:i8 = trunc %1\n%21:i16 = trunc %1\n%10:i32 = shl %1, " + address +
                       "\nstore_ssbo[0, align 1] %10" + list + "\n");
  };
  const std::string start = "collect s_load_dwordx4 v_mbcnt_lo_u32_b32 ", shift = "v_lshlrev_b32 ";
  EXPECT_EQ(moved("i8 4", "2"),
            start + shift + "v_perm_b32 v_perm_b32 v_perm_b32 buffer_store_dword");
  EXPECT_EQ(moved("i8 2", "1"), start + shift + "v_perm_b32 buffer_store_short");
  EXPECT_EQ(moved("i8 3", "2"), start + shift + "v_perm_b32 buffer_store_short buffer_store_byte");
  EXPECT_EQ(moved("i8 2", "0"), start + shift + "buffer_store_byte buffer_store_byte");
}

// Returns the scalar loads of so many dwords of an unchanging buffer, of which those named are
// used.
std::string ScalarLoads(int count, const std::vector<int>& used, const char* offset = "16") {
  std::string results, values;
  for (int i = 0; i < count; ++i)
    absl::StrAppend(&results, i == 0 ? "" : ", ", "%", 20 + i, ":i32");
  for (const int i : used) absl::StrAppend(&values, ", %", 20 + i);
  const std::string text = SelectedText(absl::StrCat(
      "%10:i32 = shl %2, 6\n%11:i32 = iadd %10, 16\n%12:i32 = ineg %10\n", results,
      " = load_ssbo[3, align 4] ", offset, "\nstore_ssbo[0, align 4] %12", values, "\n"));
  std::string loads;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const size_t at = line.find("s_buffer_load_dword");
    if (at == absl::string_view::npos) continue;
    const size_t offset_at = line.find("offset ");
    absl::StrAppend(&loads, loads.empty() ? "" : ", ",
                    line.substr(at + 19, line.find(' ', at) - at - 19), "+",
                    offset_at == absl::string_view::npos
                        ? "0"
                        : line.substr(offset_at + 7,
                                      line.find_first_of(" ]}\n;", offset_at + 7) - offset_at - 7));
  }
  return loads;
}

TEST(SelectMemory, SizesOfScalarLoads) {
  EXPECT_EQ(ScalarLoads(1, {0}), "+16");
  EXPECT_EQ(ScalarLoads(2, {0, 1}), "x2+16");
  EXPECT_EQ(ScalarLoads(3, {0, 1, 2}), "x4+16");
  EXPECT_EQ(ScalarLoads(5, {0, 1, 2, 3, 4}), "x4+16, +32");
  EXPECT_EQ(ScalarLoads(7, {0, 1, 2, 3, 4, 5, 6}), "x8+16");
  EXPECT_EQ(ScalarLoads(16, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), "x16+16");
  // Dwords without uses.
  EXPECT_EQ(ScalarLoads(8, {7}), "+44");
  EXPECT_EQ(ScalarLoads(8, {0, 1, 7}), "x2+16, +44");
  EXPECT_EQ(ScalarLoads(4, {0, 1, 3}), "x4+16");
  EXPECT_EQ(ScalarLoads(4, {0, 2}), "+16, +24");
}

// A register and a constant.
TEST(SelectMemory, ConstantsOfScalarLoads) { EXPECT_EQ(ScalarLoads(2, {0, 1}, "%11"), "x2+16"); }

// Returns true if the values that a load finds for the lanes become one: where a reader takes them
// for uniform, here a branch.
bool BecomesOne(const std::string& load, const std::string& reader) {
  return absl::StrContains(SelectedOps(load + "\n" + reader), "v_readfirstlane_b32");
}

TEST(SelectMemory, UniformLoadsAreOneValue) {
  const std::string branch = "if %11 {\nstore_ssbo[0, align 4] 4, %1\nyield\n} else {\nyield\n}\n";
  for (const char* load : {"load_ssbo[0, align 4] %2", "load_ssbo[0, align 4] 8",
                           "load_global[align 4] %2, %2", "load_shared[align 4] %2"}) {
    const std::string whole = absl::StrCat("%10:i32 = ", load);
    EXPECT_TRUE(BecomesOne(whole, "%11:bool = ieq %10, 3\n" + branch)) << load;
    EXPECT_FALSE(BecomesOne(whole, "store_ssbo[0, align 4] %1, %10\n")) << load;
    EXPECT_FALSE(BecomesOne(whole, "%11:i32 = iadd %10, %2\nstore_ssbo[0, align 4] %1, %11\n"));
  }
  EXPECT_TRUE(BecomesOne("%10:f64 = load_ssbo[0, align 8] 8", "%11:bool = flt %10, 2d\n" + branch));
  EXPECT_TRUE(BecomesOne("%10:i16 = load_ssbo[0, align 2] 8\n%12:i32 = zext %10",
                         "%11:bool = ieq %12, 3\n" + branch));
}

}  // namespace
}  // namespace kiln::amd
