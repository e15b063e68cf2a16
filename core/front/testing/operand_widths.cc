#include "core/front/testing/operand_widths.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

constexpr char kPreamble[] = R"(
    OpCapability Shader
    OpCapability Int8
    OpCapability Int16
    OpCapability Int64
    OpCapability Float16
    OpCapability ImageQuery
    OpCapability VariablePointers
    OpCapability GroupNonUniform
    OpCapability GroupNonUniformArithmetic
    OpCapability GroupNonUniformBallot
    OpCapability GroupNonUniformClustered
    OpCapability GroupNonUniformQuad
    OpCapability GroupNonUniformShuffle
    OpCapability GroupNonUniformShuffleRelative
    OpCapability GroupNonUniformRotateKHR
    OpCapability DotProduct
    OpCapability DotProductInputAll
    OpCapability DotProductInput4x8BitPacked
    OpExtension "SPV_KHR_subgroup_rotate"
)";

constexpr char kTypes[] = R"(
    %i8 = OpTypeInt 8 1
    %u8 = OpTypeInt 8 0
    %i16 = OpTypeInt 16 1
    %u16 = OpTypeInt 16 0
    %long = OpTypeInt 64 1
    %ulong = OpTypeInt 64 0
    %u_16 = OpConstant %uint 16
    %u_31 = OpConstant %uint 31
    %u_32 = OpConstant %uint 32
)";

// Returns the conversion of an integer; signed results come from OpSConvert.
std::string To(const std::string& type) {
  return (type[0] == 'i' || type == "long" ? "OpSConvert %" : "OpUConvert %") + type + " ";
}

// %low: id & 7 as a type of the width; %wide: 2^32 + (id & 7), of 64 bits.
std::string Low(const std::string& type, const std::string& mask = "%u_7") {
  return "%low_32 = OpBitwiseAnd %uint %id " + mask + "\n%low = " + To(type) + "%low_32\n";
}

constexpr char kWide[] = R"(
    %low_32 = OpBitwiseAnd %uint %id %u_7
    %pair = OpCompositeConstruct %v2uint %low_32 %u_1
    %wide = OpBitcast %ulong %pair
)";

uint32_t Words(uint32_t i) { return OperandInputs()[i]; }
uint32_t Of(float x) { return std::bit_cast<uint32_t>(x); }

using Cases = std::vector<OperandCase>;

void AddShifts(Cases* cases) {
  for (const char* type : {"u8", "u16", "ulong"}) {
    cases->push_back({std::string("shift by ") + type, "",
                      Low(type) + "%result = OpShiftLeftLogical %uint %x %low\n",
                      [](uint32_t x, uint32_t id) { return x << (id & 7); }});
    cases->push_back({std::string("byte shifted by ") + type, "",
                      Low(type) + "%b = OpUConvert %u8 %x\n%s = OpShiftRightLogical %u8 %b %low\n"
                                  "%result = OpUConvert %uint %s\n",
                      [](uint32_t x, uint32_t id) { return (x & 0xff) >> (id & 7); }});
    cases->push_back(
        {std::string("long shifted by ") + type, "",
         Low(type) + "%p = OpCompositeConstruct %v2uint %u_5 %x\n%l = OpBitcast %long %p\n"
                     "%s = OpShiftRightArithmetic %long %l %low\n%q = OpBitcast %v2uint %s\n"
                     "%result = OpCompositeExtract %uint %q 1\n",
         [](uint32_t x, uint32_t id) {
           return static_cast<uint32_t>(static_cast<int32_t>(x) >> static_cast<int>(id & 7));
         }});
    cases->push_back({std::string("bit field by ") + type, "",
                      Low(type) + "%result = OpBitFieldUExtract %uint %x %low %low\n",
                      [](uint32_t x, uint32_t id) {
                        const uint32_t n = id & 7;
                        return (x >> n) & ((1u << n) - 1);
                      }});
  }
}

void AddIndices(Cases* cases) {
  for (const char* type : {"i8", "u8", "i16", "u16", "long", "ulong"}) {
    const std::string by = std::string(" by ") + type;
    cases->push_back({"buffer" + by, "",
                      Low(type) + "%at = OpAccessChain %p_word %in %u_0 %low\n"
                                  "%result = OpLoad %uint %at\n",
                      [](uint32_t, uint32_t id) { return Words(id & 7); }});
    cases->push_back({"component" + by, "",
                      Low(type, "%u_3") +
                          "%v = OpCompositeConstruct %v4uint %x %id %u_7 %u_9\n"
                          "%w = OpVectorInsertDynamic %v4uint %v %u_5 %low\n"
                          "%a = OpVectorExtractDynamic %uint %v %low\n"
                          "%b = OpCompositeExtract %uint %w 2\n%result = OpIAdd %uint %a %b\n",
                      [](uint32_t x, uint32_t id) {
                        const uint32_t v[] = {x, id, 7, 9};
                        return v[id & 3] + ((id & 3) == 2 ? 5u : 7u);
                      }});
    cases->push_back({"private array" + by,
                      "%u_c8 = OpConstant %uint 8\n%arr = OpTypeArray %uint %u_c8\n"
                      "%p_arr = OpTypePointer Function %arr\n%p_f = OpTypePointer Function %uint\n",
                      "%v = OpVariable %p_arr Function\n" + Low(type) +
                          "%e0 = OpAccessChain %p_f %v %low\nOpStore %e0 %x\n"
                          "%e1 = OpAccessChain %p_f %v %low\n%result = OpLoad %uint %e1\n",
                      [](uint32_t x, uint32_t) { return x; }});
    // &in[16] stepped by -(id & 7).
    if (*type == 'u') continue;
    cases->push_back({"pointer stepped" + by, "OpDecorate %p_word ArrayStride 4\n",
                      Low(type) + "%back = OpSNegate %" + type +
                          " %low\n%base = OpAccessChain %p_word %in %u_0 %u_16\n"
                          "%at = OpPtrAccessChain %p_word %base %back\n"
                          "%result = OpLoad %uint %at\n",
                      [](uint32_t, uint32_t id) { return Words(16 - (id & 7)); }});
  }
  // Indices are signed whatever their type is.
  for (const char* type : {"u8", "u16", "uint", "ulong"}) {
    cases->push_back(
        {std::string("pointer stepped back by ") + type,
         "OpDecorate %p_word ArrayStride 4\n%minus = OpConstantNull %" + std::string(type) + "\n",
         "%n32 = OpBitwiseAnd %uint %id %u_7\n" +
             std::string(std::string(type) == "uint"
                             ? "%n = OpCopyObject %uint %n32\n"
                             : "%n = OpUConvert %" + std::string(type) + " %n32\n") +
             "%back = OpISub %" + type +
             " %minus %n\n%base = OpAccessChain %p_word %in %u_0 %u_16\n"
             "%at = OpPtrAccessChain %p_word %base %back\n"
             "%result = OpLoad %uint %at\n",
         [](uint32_t, uint32_t id) { return Words(16 - (id & 7)); }});
  }
  // Outside of the buffer, so surface bounds give 0, not the element at the index's low half.
  cases->push_back({"buffer by a long beyond it", "",
                    std::string(kWide) + "%at = OpAccessChain %p_word %in %u_0 %wide\n"
                                         "%result = OpLoad %uint %at\n",
                    [](uint32_t, uint32_t) { return 0u; }});
}

void AddSwitches(Cases* cases) {
  const auto add = [cases](const std::string& type, const std::string& make, const char* literal,
                           uint32_t (*expected)(uint32_t, uint32_t)) {
    cases->push_back({"switch on " + type, "",
                      make + "OpSelectionMerge %m None\nOpSwitch %s %d " + literal +
                          " %a 3 %b\n%a = OpLabel\nOpBranch %m\n%b = OpLabel\nOpBranch %m\n"
                          "%d = OpLabel\nOpBranch %m\n%m = OpLabel\n"
                          "%result = OpPhi %uint %u_1 %a %u_2 %b %u_3 %d\n",
                      expected});
  };
  const auto narrow = [](const char* type) { return "%s = " + To(type) + "%x\n"; };
  add("i8", narrow("i8"), "-2", [](uint32_t x, uint32_t) {
    return (x & 0xff) == 0xfe ? 1u : (x & 0xff) == 3 ? 2u : 3u;
  });
  add("u8", narrow("u8"), "254", [](uint32_t x, uint32_t) {
    return (x & 0xff) == 0xfe ? 1u : (x & 0xff) == 3 ? 2u : 3u;
  });
  add("i16", narrow("i16"), "-2", [](uint32_t x, uint32_t) {
    return (x & 0xffff) == 0xfffe ? 1u : (x & 0xffff) == 3 ? 2u : 3u;
  });
  add("u16", narrow("u16"), "65534", [](uint32_t x, uint32_t) {
    return (x & 0xffff) == 0xfffe ? 1u : (x & 0xffff) == 3 ? 2u : 3u;
  });
  // Alternates between 2^32 + 3 and 3.
  const std::string pair =
      "%h = OpBitwiseAnd %uint %id %u_1\n%p = OpCompositeConstruct %v2uint %u_3 %h\n";
  const auto halves = [](uint32_t, uint32_t id) { return (id & 1) != 0 ? 1u : 2u; };
  add("long", pair + "%s = OpBitcast %long %p\n", "4294967299", halves);
  add("ulong", pair + "%s = OpBitcast %ulong %p\n", "4294967299", halves);
}

void AddFunctions(Cases* cases) {
  const auto ldexp = [cases](const std::string& name, const std::string& make,
                             uint32_t (*expected)(uint32_t, uint32_t)) {
    cases->push_back({"ldexp by " + name, "",
                      make + "%y = OpExtInst %float %glsl Ldexp %f_1 %e\n"
                             "%result = OpBitcast %uint %y\n",
                      expected});
  };
  ldexp("i8", "%e = OpSConvert %i8 %x\n",
        [](uint32_t x, uint32_t) { return Of(std::ldexp(1.0f, static_cast<int8_t>(x))); });
  ldexp("i16", "%y16 = OpSConvert %i16 %id\n%e = OpSNegate %i16 %y16\n",
        [](uint32_t, uint32_t id) { return Of(std::ldexp(1.0f, -static_cast<int>(id))); });
  // Exponents near -(2^32 * id) - id: all but the first give 0.
  ldexp("long",
        "%p = OpCompositeConstruct %v2uint %id %id\n%q = OpBitcast %long %p\n"
        "%e = OpSNegate %long %q\n",
        [](uint32_t, uint32_t id) { return id == 0 ? Of(1.0f) : 0u; });
  ldexp("a long near 0", "%y64 = OpSConvert %long %id\n%e = OpSNegate %long %y64\n",
        [](uint32_t, uint32_t id) { return Of(std::ldexp(1.0f, -static_cast<int>(id))); });
  // The low half alone would be a small exponent: -2^63 + 5 from a bug report, and others.
  ldexp("the least longs",
        "%least = OpShiftLeftLogical %uint %u_1 %u_31\n"
        "%p = OpCompositeConstruct %v2uint %id %least\n%e = OpBitcast %long %p\n",
        [](uint32_t, uint32_t) { return 0u; });
  for (const char* type : {"i8", "i16", "long"}) {
    cases->push_back(
        {std::string("lowest bit of ") + type, "",
         "%n = " + To(type) + "%id\n%l = OpExtInst %" + type +
             " %glsl FindILsb %n\n%r = OpSConvert %int %l\n%result = OpBitcast %uint %r\n",
         [](uint32_t, uint32_t id) {
           return id == 0 ? ~0u : static_cast<uint32_t>(std::countr_zero(id));
         }});
  }
}

void AddSubgroups(Cases* cases) {
  // Lanes are distinguished by four bits at the smallest width of 8; all reads stay within 8 lanes.
  const std::string value = "%v = OpIMul %uint %id %u_5\n";
  for (const char* type : {"u8", "u16", "ulong"}) {
    const std::string by = std::string(" by ") + type;
    const std::string number =
        "%one = OpUConvert %" + std::string(type) + " %u_1\n%two = OpUConvert %" + type + " %u_2\n";
    const auto lane = [&](const char* name, const char* op, const std::string& operand,
                          uint32_t (*expected)(uint32_t, uint32_t)) {
      cases->push_back(
          {name + by,
           absl::StrCat("%c_1 = OpConstant %", type, " 1\n%c_4 = OpConstant %", type, " 4\n"),
           absl::StrCat(value, number, "%result = ", op, " %uint %u_3 %v ", operand, "\n"),
           expected});
    };
    lane("shuffle xor", "OpGroupNonUniformShuffleXor", "%two",
         [](uint32_t, uint32_t id) { return (id ^ 2) * 5; });
    lane("broadcast", "OpGroupNonUniformShuffle", "%c_1", nullptr);
    cases->back().main = value + number +
                         "%r = OpGroupNonUniformBroadcast %uint %u_3 %x %c_1\n"
                         "%s = OpGroupNonUniformShuffle %uint %u_3 %x %one\n"
                         "%result = OpISub %uint %r %s\n";
    cases->back().expected = [](uint32_t, uint32_t) { return 0u; };
    lane("rotate", "OpGroupNonUniformRotateKHR", "%one %u_4",
         [](uint32_t, uint32_t id) { return ((id & ~3u) | ((id + 1) & 3)) * 5; });
    lane("quad broadcast", "OpGroupNonUniformQuadBroadcast", "%c_1",
         [](uint32_t, uint32_t id) { return ((id & ~3u) | 1) * 5; });
    lane("quad swap", "OpGroupNonUniformQuadSwap", "%c_1",
         [](uint32_t, uint32_t id) { return (id ^ 2) * 5; });
    lane("clusters", "OpGroupNonUniformIAdd", "",
         [](uint32_t, uint32_t id) { return ((id & ~3u) * 4 + 6) * 5; });
    cases->back().main =
        value + "%result = OpGroupNonUniformIAdd %uint %u_3 ClusteredReduce %v %c_4\n";
    // Up and down by one, added if both are within eight lanes.
    cases->push_back(
        {"relative shuffles" + by, "",
         value + number +
             "%up = OpGroupNonUniformShuffleUp %uint %u_3 %v %one\n"
             "%down = OpGroupNonUniformShuffleDown %uint %u_3 %v %one\n"
             "%lane = OpBitwiseAnd %uint %id %u_7\n%first = OpIEqual %bool %lane %u_0\n"
             "%last = OpIEqual %bool %lane %u_7\n%a = OpSelect %uint %first %u_0 %up\n"
             "%b = OpSelect %uint %last %u_0 %down\n%result = OpIAdd %uint %a %b\n",
         [](uint32_t, uint32_t id) {
           const uint32_t lane = id & 7;
           return (lane == 0 ? 0 : (id - 1) * 5) + (lane == 7 ? 0 : (id + 1) * 5);
         }});
    cases->push_back({"bit of a ballot" + by, "",
                      Low(type) + "%m = OpCompositeConstruct %v4uint %u_9 %u_0 %u_0 %u_0\n"
                                  "%t = OpGroupNonUniformBallotBitExtract %bool %u_3 %m %low\n"
                                  "%result = OpSelect %uint %t %u_1 %u_0\n",
                      [](uint32_t, uint32_t id) { return (9u >> (id & 7)) & 1; }});
    cases->push_back(
        {"ballots found" + by, "",
         "%m = OpCompositeConstruct %v4uint %u_6 %u_0 %u_0 %u_0\n"
         "%n = OpGroupNonUniformBallotBitCount %" +
             std::string(type) + " %u_3 Reduce %m\n%l = OpGroupNonUniformBallotFindLSB %" + type +
             " %u_3 %m\n%h = OpGroupNonUniformBallotFindMSB %" + type + " %u_3 %m\n%nl = OpIAdd %" +
             type + " %n %l\n%all = OpIMul %" + type + " %nl %h\n%result = OpUConvert %uint %all\n",
         [](uint32_t, uint32_t) { return (2u + 1) * 2; }});
  }
  cases->push_back({"rotate by a long beyond 32 bits", "",
                    value + std::string(kWide) +
                        "%result = OpGroupNonUniformRotateKHR %uint %u_3 %v %big %u_4\n",
                    [](uint32_t, uint32_t id) { return ((id & ~3u) | ((id + 3) & 3)) * 5; }});
  cases->back().types = "%big = OpConstant %ulong 4294967299\n";
}

void AddArithmetic(Cases* cases) {
  cases->push_back({"wide products",
                    "%pair = OpTypeStruct %u8 %u8\n%spair = OpTypeStruct %i16 %i16\n",
                    "%a = OpUConvert %u8 %x\n%b = OpUConvert %u8 %id\n"
                    "%e = OpUMulExtended %pair %a %b\n%h = OpCompositeExtract %u8 %e 1\n"
                    "%c = OpSConvert %i16 %x\n%d = OpSConvert %i16 %id\n"
                    "%f = OpSMulExtended %spair %c %d\n%i = OpCompositeExtract %i16 %f 1\n"
                    "%h32 = OpUConvert %uint %h\n%i32 = OpSConvert %int %i\n"
                    "%i32u = OpBitcast %uint %i32\n%result = OpIAdd %uint %h32 %i32u\n",
                    [](uint32_t x, uint32_t id) {
                      const int high = (static_cast<int16_t>(x) * static_cast<int>(id)) >> 16;
                      return (((x & 0xff) * id) >> 8) + static_cast<uint32_t>(high);
                    }});
  cases->push_back({"wide sums",
                    "%pair = OpTypeStruct %ulong %ulong\n%small = OpTypeStruct %u8 %u8\n",
                    "%p = OpCompositeConstruct %v2uint %u_0 %x\n%a = OpBitcast %ulong %p\n"
                    "%s = OpIAddCarry %pair %a %a\n%c = OpCompositeExtract %ulong %s 1\n"
                    "%b = OpUConvert %u8 %x\n%t = OpISubBorrow %small %b %n\n"
                    "%d = OpCompositeExtract %u8 %t 1\n%c32 = OpUConvert %uint %c\n"
                    "%d32 = OpUConvert %uint %d\n%e = OpIMul %uint %d32 %u_2\n"
                    "%result = OpIAdd %uint %c32 %e\n",
                    [](uint32_t x, uint32_t) { return (x >> 31) + ((x & 0xff) < 99 ? 2u : 0u); }});
  cases->back().types += "%n = OpConstant %u8 99\n";
  for (const char* type : {"i16", "long"}) {
    cases->push_back({std::string("packed dot product in ") + type, "",
                      "%d = OpSDot %" + std::string(type) +
                          " %x %x PackedVectorFormat4x8Bit\n%s = OpSConvert %int %d\n"
                          "%result = OpBitcast %uint %s\n",
                      nullptr});
    cases->back().expected = type[0] == 'l'
        ? +[](uint32_t x, uint32_t) {
            int sum = 0;
            for (int i = 0; i < 4; ++i) sum += static_cast<int8_t>(x >> 8 * i) * static_cast<int8_t>(x >> 8 * i);
            return static_cast<uint32_t>(sum);
          }
        : +[](uint32_t x, uint32_t) {
            int sum = 0;
            for (int i = 0; i < 4; ++i) sum += static_cast<int8_t>(x >> 8 * i) * static_cast<int8_t>(x >> 8 * i);
            return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(sum)));
          };
  }
  cases->push_back({"dot product summed in a long",
                    "%v2i16 = OpTypeVector %i16 2\n%start = OpConstant %long 9223372036854775800\n",
                    "%v = OpBitcast %v2i16 %x\n%d = OpSDotAccSat %long %v %v %start\n"
                    "%q = OpBitcast %v2uint %d\n%result = OpCompositeExtract %uint %q 0\n",
                    [](uint32_t x, uint32_t) {
                      const int64_t a = static_cast<int16_t>(x), b = static_cast<int16_t>(x >> 16);
                      const int64_t start = 9223372036854775800, sum = a * a + b * b;
                      return sum > INT64_MAX - start ? ~0u : static_cast<uint32_t>(start + sum);
                    }});
}

constexpr char kImage[] = R"(
    OpDecorate %image DescriptorSet 0
    OpDecorate %image Binding 2
    %i8_1 = OpConstant %i8 1
    %v2i8 = OpTypeVector %i8 2
    %v2i16 = OpTypeVector %i16 2
    %v2u16 = OpTypeVector %u16 2
    %v2long = OpTypeVector %long 2
    %half = OpTypeFloat 16
    %v2half = OpTypeVector %half 2
    %f_half = OpConstant %float 0.5
)";
constexpr char kSampled[] = R"(
    %image_t = OpTypeImage %float 2D 0 0 0 1 Unknown
    %sampled_t = OpTypeSampledImage %image_t
    %p_image = OpTypePointer UniformConstant %sampled_t
    %image = OpVariable %p_image UniformConstant
)";
constexpr char kStorage[] = R"(
    %image_t = OpTypeImage %uint 2D 0 0 0 2 R32ui
    %p_image = OpTypePointer UniformConstant %image_t
    %p_texel = OpTypePointer Image %uint
    %image = OpVariable %p_image UniformConstant
)";
constexpr char kFirstWord[] =
    "%t0 = OpCompositeExtract %float %t 0\n%result = OpBitcast %uint %t0\n";

std::vector<ImageCase> MakeImageCases() {
  std::vector<ImageCase> cases;
  const auto fetch = [&cases](const std::string& name, const std::string& at, const char* mir) {
    cases.push_back({{name, absl::StrCat(kImage, kSampled),
                      absl::StrCat(at,
                                   "%s = OpLoad %sampled_t %image\n%i = OpImage %image_t %s\n"
                                   "%t = OpImageFetch %v4float %i %at Lod %i8_1\n",
                                   kFirstWord),
                      nullptr},
                     mir});
  };
  fetch("fetch at i16", "%n = OpSConvert %i16 %x\n%at = OpCompositeConstruct %v2i16 %n %n\n",
        "sext");
  fetch("fetch at u16", "%n = OpUConvert %u16 %x\n%at = OpCompositeConstruct %v2u16 %n %n\n",
        "zext");
  fetch("fetch at long",
        "%p = OpCompositeConstruct %v2uint %u_0 %id\n%n = OpBitcast %long %p\n"
        "%at = OpCompositeConstruct %v2long %n %n\n",
        ":bool = ieq %");
  cases.push_back({{"sample at halfs", absl::StrCat(kImage, kSampled),
                    "%f = OpConvertUToF %float %id\n%h = OpFConvert %half %f\n"
                    "%at = OpCompositeConstruct %v2half %h %h\n%s = OpLoad %sampled_t %image\n"
                    "%t = OpImageSampleExplicitLod %v4float %s %at Grad %at %at\n" +
                        std::string(kFirstWord),
                    nullptr},
                   "sample["});
  cases.push_back(
      {{"size of a level by i8", absl::StrCat(kImage, kSampled),
        "%s = OpLoad %sampled_t %image\n%i = OpImage %image_t %s\n"
        "%q = OpImageQuerySizeLod %v2long %i %i8_1\n%w = OpCompositeExtract %long %q 1\n"
        "%w2 = OpBitcast %v2uint %w\n%result = OpCompositeExtract %uint %w2 0\n",
        nullptr},
       "zext"});
  cases.push_back({{"read and write at i8", absl::StrCat(kImage, kStorage),
                    "%n = OpSConvert %i8 %id\n%at = OpCompositeConstruct %v2i8 %n %n\n"
                    "%i = OpLoad %image_t %image\n%v = OpCompositeConstruct %v4uint %x %x %x %x\n"
                    "OpImageWrite %i %at %v\n%t = OpImageRead %v4uint %i %at\n"
                    "%result = OpCompositeExtract %uint %t 0\n",
                    nullptr},
                   "sext"});
  cases.push_back({{"texel pointer at u16", absl::StrCat(kImage, kStorage),
                    "%n = OpUConvert %u16 %id\n%at = OpCompositeConstruct %v2u16 %n %n\n"
                    "%p = OpImageTexelPointer %p_texel %image %at %u_0\n"
                    "%result = OpAtomicIAdd %uint %p %u_1 %u_0 %x\n",
                    nullptr},
                   "zext"});
  return cases;
}

}  // namespace

std::string OperandKernel(const OperandCase& c) {
  std::string text = KernelAssembly(kTypes + c.types, c.main, true, "", kPreamble);
  constexpr char kListed[] = "\"main\" %gid";
  const bool image = c.types.find("%image ") != std::string::npos;
  return text.insert(text.find(kListed) + sizeof(kListed) - 1,
                     image ? " %in %out %image" : " %in %out");
}

std::vector<uint32_t> OperandInputs() {
  std::vector<uint32_t> words = {
      0,      1,      2,       3,  0x7f, 0x80,   0xfe,       0xff,       0x103, 0x7fff, 0x8000,
      0xfffe, 0xffff, 0x10003, 99, 100,  0x63fe, 0x80000000, 0x7fffffff, ~0u,   ~1u,    0xfffffffd};
  uint32_t x = 12345;
  while (words.size() < 32) words.push_back(x = x * 1664525u + 1013904223u);
  return words;
}

const std::vector<OperandCase>& OperandCases() {
  static const auto* cases = [] {
    auto* made = new Cases;
    AddShifts(made);
    AddIndices(made);
    AddSwitches(made);
    AddFunctions(made);
    AddSubgroups(made);
    AddArithmetic(made);
    return made;
  }();
  return *cases;
}

const std::vector<ImageCase>& ImageCases() {
  static const auto* cases = new std::vector<ImageCase>(MakeImageCases());
  return *cases;
}

}  // namespace kiln::front
