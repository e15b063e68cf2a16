// The operation that selection chooses for each operation of MIR and type, for those that few
// modules use. That their values are right, tests/exec judges by the interpreter (ops_test: each
// operation on each type, per lane, uniform and mixed).
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

struct Row {
  const char* mir;  // an expression
  const char* type;
  const char* chosen;
};

// Returns true if the operation is among those of a list.
bool HasOp(const std::string& ops, std::string_view op) {
  return absl::StrContains(absl::StrCat(" ", ops, " "), absl::StrCat(" ", std::string(op), " "));
}

// Expects each row's operation among those for it, behind a head that defines its sources.
void ExpectChosen(const std::string& head, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const std::string body = absl::StrCat(head, "%30:", row.type, " = ", row.mir, "\n");
    const std::string ops = SelectedOps(body);
    EXPECT_TRUE(HasOp(ops, row.chosen)) << row.mir << ": no " << row.chosen << " in " << ops;
  }
}

// Integers %10 and %12 and floats %11 and %13 of a lane, float %21 uniform.
const char kHalves[] =
    "%10:i16 = trunc %1\n%11:f16 = bitcast %10\n%12:i16 = trunc %1\n%13:f16 = bitcast %12\n"
    "%20:i16 = trunc %2\n%21:f16 = bitcast %20\n";
const char kDoubles[] = "%11:f64 = pack_f64 %1, %2\n%13:f64 = pack_f64 %1, %1\n";

TEST(SelectOperations, HalfFloats) {
  ExpectChosen(kHalves, {{"fadd %11, %13", "f16", "v_add_f16"},
                         {"fsub %21, %13", "f16", "v_sub_f16"},
                         {"fsub %13, %21", "f16", "v_subrev_f16"},
                         {"fmul %11, %13", "f16", "v_mul_f16"},
                         {"ffma %11, %13, %21", "f16", "v_fma_f16"},
                         {"fmin %11, %13", "f16", "v_min_f16"},
                         {"fmax %11, %13", "f16", "v_max_f16"},
                         {"ffloor %11", "f16", "v_floor_f16"},
                         {"fceil %11", "f16", "v_ceil_f16"},
                         {"ftrunc %11", "f16", "v_trunc_f16"},
                         {"fround_even %11", "f16", "v_rndne_f16"},
                         {"ffract %11", "f16", "v_fract_f16"},
                         {"frsq %11", "f16", "v_rsq_f16"},
                         {"frcp %11", "f16", "v_rcp_f16"},
                         {"fexp2 %11", "f16", "v_exp_f16"},
                         {"flog2 %11", "f16", "v_log_f16"}});
}

TEST(SelectOperations, ConversionsOfHalves) {
  ExpectChosen(kHalves, {{"i2f %10", "f16", "v_cvt_f16_i16"},
                         {"u2f %10", "f16", "v_cvt_f16_u16"},
                         {"f2i %11", "i16", "v_cvt_i16_f16"},
                         {"f2u %11", "i16", "v_cvt_u16_f16"}});
}

TEST(SelectOperations, IntegersOf16Bits) {
  ExpectChosen(kHalves, {{"isub %10, %12", "i16", "v_sub_nc_u16"},
                         {"imul %10, %12", "i16", "v_mul_lo_u16"},
                         {"imin %10, %12", "i16", "v_min_i16"},
                         {"imax %10, %12", "i16", "v_max_i16"},
                         {"umin %10, %12", "i16", "v_min_u16"},
                         {"umax %10, %12", "i16", "v_max_u16"},
                         {"isign %10", "i16", "v_med3_i16"},
                         {"smul_high %10, %12", "i16", "v_mul_i32_i24"},
                         {"ashr %10, %1", "i16", "v_ashrrev_i16"}});
}

// A shift to the left is made where it is used.
TEST(SelectOperations, ShiftsOf16Bits) {
  ExpectChosen(absl::StrCat(std::string(kHalves), "%24:i16 = shl %10, %1\n"),
               {{"imax %24, %12", "i16", "v_lshlrev_b16"}});
}

TEST(SelectOperations, ComparisonsOf16Bits) {
  ExpectChosen(kHalves, {{"ieq %10, %12", "bool", "v_cmp_eq_u16"},
                         {"ine %10, %12", "bool", "v_cmp_ne_u16"},
                         {"slt %10, %12", "bool", "v_cmp_lt_i16"},
                         {"sge %10, %12", "bool", "v_cmp_ge_i16"},
                         {"ult %10, %12", "bool", "v_cmp_lt_u16"},
                         {"uge %10, %12", "bool", "v_cmp_ge_u16"},
                         {"feq %11, %13", "bool", "v_cmp_eq_f16"},
                         {"fne %11, %13", "bool", "v_cmp_neq_f16"},
                         {"flt %11, %13", "bool", "v_cmp_lt_f16"},
                         {"fge %11, %13", "bool", "v_cmp_ge_f16"}});
  const std::string compared =
      absl::StrCat(std::string(kHalves), "%24:bool = flt %11, %13\n%25:bool = fge %11, %13\n");
  ExpectChosen(compared,
               {{"not %24", "bool", "v_cmp_nlt_f16"}, {"not %25", "bool", "v_cmp_nge_f16"}});
}

TEST(SelectOperations, Doubles) {
  ExpectChosen(kDoubles, {{"fceil %11", "f64", "v_ceil_f64"},
                          {"ftrunc %11", "f64", "v_trunc_f64"},
                          {"fround_even %11", "f64", "v_rndne_f64"},
                          {"fne %11, %13", "bool", "v_cmp_neq_f64"},
                          {"fge %11, %13", "bool", "v_cmp_ge_f64"},
                          {"f2u %11", "i32", "v_cvt_u32_f64"},
                          {"i2f %1", "f64", "v_cvt_f64_i32"}});
  const std::string compared =
      absl::StrCat(std::string(kDoubles), "%24:bool = flt %11, %13\n%25:bool = fge %11, %13\n");
  ExpectChosen(compared,
               {{"not %24", "bool", "v_cmp_nlt_f64"}, {"not %25", "bool", "v_cmp_nge_f64"}});
}

TEST(SelectOperations, Singles) {
  ExpectChosen("%10:f32 = fmul %3, %4\n%24:bool = fge %3, %10\n",
               {{"fceil %3", "f32", "v_ceil_f32"},
                {"fround_even %3", "f32", "v_rndne_f32"},
                {"frsq %3", "f32", "v_rsq_f32"},
                {"fge %3, %10", "bool", "v_cmp_ge_f32"},
                {"not %24", "bool", "v_cmp_nge_f32"}});
}

TEST(SelectOperations, BytesAreConvertedWhereTheyAre) {
  ExpectChosen("%10:i32 = ushr %1, 16\n%11:i32 = and %10, 255\n%12:i32 = ushr %1, 24\n",
               {{"u2f %11", "f32", "v_cvt_f32_ubyte2"}, {"u2f %12", "f32", "v_cvt_f32_ubyte3"}});
}

TEST(SelectOperations, IntegersOfALane) {
  ExpectChosen(
      "%10:i32 = not %1\n%11:i32 = shl %10, 5\n%12:i32 = imax %10, %1\n"
      "%13:i32 = umax %10, %1\n%14:i32 = imin %10, %1\n",
      {{"or %11, %1", "i32", "v_lshl_or_b32"},
       {"imax %12, %11", "i32", "v_max3_i32"},
       {"umax %13, %11", "i32", "v_max3_u32"},
       {"imin %14, %11", "i32", "v_min3_i32"},
       {"smul_high %10, %1", "i32", "v_mul_hi_i32"},
       {"find_smsb %10", "i32", "v_ffbh_i32"},
       {"sge %10, %1", "bool", "v_cmp_ge_i32"},
       {"uge %10, %1", "bool", "v_cmp_ge_u32"},
       {"udiv %10, %1", "i32", "v_rcp_iflag_f32"}});
}

TEST(SelectOperations, UniformIntegers) {
  ExpectChosen(
      "%10:i32 = shl %2, 1\n%11:i32 = shl %2, 3\n%12:i32 = shl %2, 4\n"
      "%13:bool = slt %2, 5\n%14:bool = sge %2, 5\n%15:bool = uge %2, 5\n",
      {{"ashr %2, 3", "i32", "s_ashr_i32"},
       {"bitfield_insert %2, 9, %2, %2", "i32", "s_bfm_b32"},
       {"bit_reverse %2", "i32", "s_brev_b32"},
       {"find_umsb %2", "i32", "s_flbit_i32_b32"},
       {"umin %2, 9", "i32", "s_min_u32"},
       {"iadd %10, %2", "i32", "s_lshl1_add_u32"},
       {"iadd %11, %2", "i32", "s_lshl3_add_u32"},
       {"iadd %12, %2", "i32", "s_lshl4_add_u32"},
       {"select %13, %2, 3", "i32", "s_cmp_lt_i32"},
       {"select %14, %2, 3", "i32", "s_cmp_ge_i32"},
       {"select %15, %2, 3", "i32", "s_cmp_ge_u32"}});
}

// ---- Memory: data sizes of each kind of access.

// Returns loads and stores of so many results of a type.
std::string Moved(std::string_view load, std::string_view store, std::string_view type, int count) {
  std::string defs, uses;
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&defs, i == 0 ? "" : ", ", "%", 10 + i, ":", std::string(type));
    absl::StrAppend(&uses, ", %", 10 + i);
  }
  return absl::StrCat(defs, " = ", std::string(load), "\n", std::string(store), uses, "\n");
}

void ExpectMoved(std::string_view load, std::string_view store, std::string_view type, int count,
                 std::string_view loaded, std::string_view stored) {
  const std::string ops = SelectedOps(Moved(load, store, type, count));
  EXPECT_TRUE(HasOp(ops, loaded)) << loaded << " in " << ops;
  EXPECT_TRUE(HasOp(ops, stored)) << stored << " in " << ops;
}

TEST(SelectOperations, GlobalMemory) {
  const char* load = "load_global[align 16] %1, 5";
  const char* store = "store_global[align 16] %1, 6";
  ExpectMoved(load, store, "i8", 1, "global_load_ubyte", "global_store_byte");
  ExpectMoved(load, store, "i16", 1, "global_load_ushort", "global_store_short");
  ExpectMoved(load, store, "i32", 2, "global_load_dwordx2", "global_store_dwordx2");
  ExpectMoved(load, store, "i32", 3, "global_load_dwordx3", "global_store_dwordx3");
  ExpectMoved(load, store, "i32", 4, "global_load_dwordx4", "global_store_dwordx4");
}

TEST(SelectOperations, Buffers) {
  const char* load = "load_ssbo[0, align 16] %1";
  const char* store = "store_ssbo[0, align 16] %1";
  ExpectMoved(load, store, "i8", 1, "buffer_load_ubyte", "buffer_store_byte");
  ExpectMoved(load, store, "i16", 1, "buffer_load_ushort", "buffer_store_short");
  ExpectMoved(load, store, "i32", 3, "buffer_load_dwordx3", "buffer_store_dwordx3");
  ExpectMoved(load, store, "i32", 4, "buffer_load_dwordx4", "buffer_store_dwordx4");
}

TEST(SelectOperations, SharedMemory) {
  const char* load = "load_shared[align 4] %1";
  const char* store = "store_shared[align 4] %1";
  ExpectMoved(load, store, "i8", 1, "ds_read_u8", "ds_write_b8");
  ExpectMoved(load, store, "i16", 1, "ds_read_u16", "ds_write_b16");
}

// Loads of uniform addresses of what nothing writes.
TEST(SelectOperations, ScalarLoads) {
  for (const auto& [count, chosen] : {std::pair{2, "s_buffer_load_dwordx2"},
                                      {4, "s_buffer_load_dwordx4"},
                                      {8, "s_buffer_load_dwordx8"},
                                      {16, "s_buffer_load_dwordx16"}}) {
    const std::string ops =
        SelectedOps(Moved("load_ssbo[3, align 16] %2", "store_ssbo[0, align 16] %1", "i32", count));
    EXPECT_TRUE(HasOp(ops, chosen)) << ops;
  }
}

// Private arrays are in scratch memory, which only a fragment of this file declares.
TEST(SelectOperations, PrivateMemory) {
  const struct {
    const char* type;
    int count;
    const char* part;
  } kCases[] = {{"i8", 1, "ubyte"},    {"i16", 1, "ushort"},  {"i32", 1, "dword"},
                {"i32", 2, "dwordx2"}, {"i32", 3, "dwordx3"}, {"i32", 4, "dwordx4"}};
  for (const auto& c : kCases) {
    const std::string body =
        Moved("load_private[0, align 16] 16", "store_private[0, align 16] 32", c.type, c.count);
    const std::string text = SelectedFragment("output 0 location 0.0 f32 x1\nprivate 0 64\n", body);
    const std::string stored = c.type == std::string("i8")    ? "byte"
                               : c.type == std::string("i16") ? "short"
                                                              : c.part;
    EXPECT_TRUE(absl::StrContains(text, absl::StrCat(" scratch_load_", c.part, " "))) << text;
    EXPECT_TRUE(absl::StrContains(text, absl::StrCat(" scratch_store_", stored, " "))) << text;
  }
}

// ---- Images.

const char kTexels[] =
    "resource 0 storage_image 0.0.0 image 2d sint r32i\n"
    "resource 1 storage_texel_buffer 0.1.0 image buffer sint r32i\n";

TEST(SelectOperations, AtomicsOfImagesAndTexelBuffers) {
  for (const auto& [mir, chosen] : {std::pair{"add", "add"},
                                    {"sub", "sub"},
                                    {"smin", "smin"},
                                    {"umin", "umin"},
                                    {"smax", "smax"},
                                    {"umax", "umax"},
                                    {"and", "and"},
                                    {"or", "or"},
                                    {"xor", "xor"},
                                    {"exchange", "swap"},
                                    {"compare_exchange", "cmpswap"}}) {
    const std::string values = chosen == std::string("cmpswap") ? "5, 6" : "5";
    const std::string image = SelectedFragment(
        kTexels, absl::StrCat("%1:i32 = image_atomic[0, texel ", mir, "] 1, 2, ", values, "\n"));
    EXPECT_TRUE(absl::StrContains(image, absl::StrCat(" image_atomic_", chosen, " "))) << image;
    const std::string buffer = SelectedFragment(
        kTexels, absl::StrCat("%1:i32 = image_atomic[1, texel ", mir, "] 1, ", values, "\n"));
    EXPECT_TRUE(absl::StrContains(buffer, absl::StrCat(" buffer_atomic_", chosen, " "))) << buffer;
  }
}

// The format decides how much a store writes, the uses how much a load reads.
TEST(SelectOperations, TexelsOfBuffers) {
  const auto head = [](const char* format) {
    return absl::StrCat("resource 0 storage_texel_buffer 0.0.0 image buffer float ", format,
                        "\noutput 0 location 0.0 f32 x4\n");
  };
  for (const auto& [format, parts] :
       {std::pair{"r32f", "x"}, {"rg32f", "xy"}, {"rgba32f", "xyzw"}}) {
    const std::string stored =
        SelectedFragment(head(format), "image_store[0, texel] 1, 2f, 3f, 4f, 5f\n");
    EXPECT_TRUE(absl::StrContains(stored, absl::StrCat(" buffer_store_format_", parts, " ")))
        << stored;
  }
  for (const auto& [used, parts] :
       {std::pair{"%1", "x"}, {"%1, %2", "xy"}, {"%1, %2, %3", "xyz"}, {"%1, %4", "xyzw"}}) {
    const std::string loaded = SelectedFragment(
        head("rgba32f"), absl::StrCat("%1:f32, %2:f32, %3:f32, %4:f32 = image_load[0, texel] 1\n",
                                      "store_output[0, 0] ", used, "\n"));
    EXPECT_TRUE(absl::StrContains(loaded, absl::StrCat(" buffer_load_format_", parts, " ")))
        << loaded;
  }
}

TEST(SelectOperations, LevelsOfImages) {
  EXPECT_TRUE(HasOp(SelectedOps("%10:f32, %11:f32, %12:f32, %13:f32 = fetch[2, texel lod] %1, 1, "
                                "0, %1\nstore_ssbo[0, align 4] 0, %10\n"),
                    "image_load_mip"));
  const std::string lod = SelectedFragment(
      "resource 0 combined 0.0.0 image 2d float unknown\noutput 0 location 0.0 f32 x1\n",
      "%1:f32, %2:f32 = image_lod[0, texel] 0.5f, 0.25f\nstore_output[0, 0] %1\n");
  EXPECT_TRUE(absl::StrContains(lod, " image_get_lod ")) << lod;
}

// ---- Others.

TEST(SelectOperations, FloatSumsInSharedMemory) {
  const std::string sum = "%10:f32 = shared_atomic[fadd] %1, %3\n";
  EXPECT_TRUE(HasOp(SelectedOps(sum), "ds_add_f32"));
  EXPECT_TRUE(
      HasOp(SelectedOps(absl::StrCat(sum, "store_ssbo[0, align 4] 0, %10\n")), "ds_add_rtn_f32"));
}

TEST(SelectOperations, BooleansOfALane) {
  const std::string read =
      "%10:bool = slt %1, 5\n%11:bool = read_lane %10, %2\n%12:i32 = select %11, %2, 3\n";
  EXPECT_TRUE(HasOp(SelectedOps(read, 64), "s_bitcmp1_b64"));
  EXPECT_TRUE(HasOp(SelectedOps(read, 32), "s_bitcmp1_b32"));
}

// Where subnormal singles are kept, functions that flush them work on scaled operands.
TEST(SelectOperations, FunctionsOfSubnormals) {
  const char* kHead =
      "denorms_f32 preserve\ninput 0 location 0.0 f32 x1\noutput 0 location 0.0 f32 x1\n";
  const auto of = [&](const char* function) {
    return SelectedFragment(kHead, absl::StrCat("%1:f32 = load_input[0, 0]\n%2:f32 = ", function,
                                                " %1\nstore_output[0, 0] %2\n"));
  };
  const std::string reciprocal = of("frcp");
  EXPECT_TRUE(absl::StrContains(reciprocal, " v_frexp_mant_f32 ")) << reciprocal;
  EXPECT_TRUE(absl::StrContains(reciprocal, " v_frexp_exp_i32_f32 ")) << reciprocal;
  EXPECT_TRUE(absl::StrContains(of("fsqrt"), " v_ldexp_f32 ")) << of("fsqrt");
}

}  // namespace
}  // namespace kiln::amd
