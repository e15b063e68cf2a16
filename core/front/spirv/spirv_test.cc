// Tests the reader on hostile input: truncation, mutation, ids and counts out of range. Everything
// must quickly end in an error or in well-formed MIR.
#include "core/front/spirv/spirv.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/front/check/refusal.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

using Words = std::vector<uint32_t>;

const Words& Sample() {
  static const Words words = CompileCompute(KernelText(R"(
struct S { uint a; vec3 b[3]; mat2 m; };
layout(binding = 2) uniform U { S s; };
layout(constant_id = 3) const uint kN = 5u;
shared uint w[kN * 2u];
uint f(inout S s, uint n) { for (uint i = 0u; i < n; ++i) { if (s.a > i) return i; s.b[i % 3u].x += 1.0; } return 0u; })",
                                                       R"(
  S t = s; uint a[kN]; a[id % kN] = f(t, in_[id]); w[id % 10u] = a[0]; barrier();
  switch (id & 3u) { case 0u: out_[id] = w[1]; break; case 1u: out_[id] = a[1]; default: atomicAdd(out_[id], uint(t.b[1].y + inverse(t.m)[0].x)); })"));
  return words;
}

// Expects a verified module, or an error whose code blames the input.
void ExpectHandled(const Words& words) {
  ImportOptions options;
  options.max_instructions = 20000;
  const absl::Status status = ImportVerified(words, options).status();
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound: break;
    case absl::StatusCode::kUnimplemented: EXPECT_NE(RefusalCause(status), ""); break;
    default: ADD_FAILURE() << status;
  }
}

// Returns the text of the module that the words are imported as.
std::string Imported(const Words& words) {
  const auto module = ImportVerified(words);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? mir::Print(*module) : "";
}

// The texts below are compared with that of this module, which has something of everything.
TEST(Spirv, SampleImports) {
  const std::string text = Imported(Sample());
  for (const char* part :
       {"loop", "load_ubo[", "load_shared[", "ssbo_atomic[", "control_barrier"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Spirv, HeaderErrors) {
  const Words& words = Sample();
  EXPECT_FALSE(ParseSpirv({}).ok());
  EXPECT_FALSE(ParseSpirv(absl::MakeConstSpan(words).first(4)).ok());
  Words other = words;
  other[0] = 0x07230204;
  EXPECT_EQ(ParseSpirv(other).status().code(), absl::StatusCode::kInvalidArgument);
  other = words;
  other[1] = 0x00020000;
  EXPECT_FALSE(ParseSpirv(other).ok());
  other = words;
  other[3] = 0;
  EXPECT_FALSE(ParseSpirv(other).ok());
  other[3] = 0x400000;  // beyond SPIR-V's universal limit
  EXPECT_EQ(ParseSpirv(other).status().code(), absl::StatusCode::kInvalidArgument);
  other[3] = 7;
  EXPECT_FALSE(ParseSpirv(other).ok());
}

// Tables are by id, of some 100 bytes: they would be 400 MB for a module of a few kilobytes.
TEST(Spirv, AnyIdBoundUpToTheLimit) {
  Words words = Sample();
  words[3] = 0x3fffff;
  const auto module = ParseSpirv(words);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_LT(module->bound, words.size());
  EXPECT_TRUE(ImportVerified(words).ok());
}

// The text spreads the ids; the assembler alone knows which words are ids.
TEST(Spirv, MessagesNameTheIdsThatTheModuleHas) {
  const std::string frame =
      KernelAssembly("%300 = OpTypeVector %uint 8\n%4194302 = OpConstantNull %300\n",
                     "%4194301 = OpIAdd %300 %4194302 %4194302\n"
                     "%result = OpCompositeExtract %uint %4194301 0\n",
                     true, "", "OpCapability Shader\nOpCapability Vector16\n");
  const absl::Status refused = ImportVerified(Assemble(frame)).status();
  EXPECT_EQ(RefusalCause(refused), "kernel");
  EXPECT_TRUE(SpirvIdOf(refused) == 300 || SpirvIdOf(refused) >= 4194301) << refused;
  // One that the reader finds: defined twice.
  Words twice = Assemble(
      KernelAssembly("%4194302 = OpConstant %uint 77\n", "%result = OpIAdd %uint %x %4194302\n"));
  size_t at = 5;
  while (twice[at + 3] != 77 ||
         (twice[at] & 0xffff) != static_cast<uint32_t>(spv::Op::OpConstant)) {
    at += twice[at] >> 16;
  }
  const Words again(twice.begin() + at, twice.begin() + at + 4);
  twice.insert(twice.begin() + at, again.begin(), again.end());
  const absl::Status invalid = ParseSpirv(twice).status();
  EXPECT_EQ(invalid.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(SpirvIdOf(invalid), 4194302u) << invalid;
  EXPECT_EQ(TextOf(invalid), "id defined twice (%4194302)");
}

TEST(Spirv, SwitchesOnLongIntegersWithIdsFarApart) {
  const Words words = Assemble(KernelAssembly(
      "%long = OpTypeInt 64 0\n%4000000 = OpConstant %long 4294967301\n",
      "%wide = OpUConvert %long %x\n%sum = OpIAdd %long %wide %4000000\n"
      "OpSelectionMerge %4000001 None\n"
      "OpSwitch %sum %4000002 4294967301 %4000003 4294967302 %4000004\n"
      "%4000002 = OpLabel\nOpBranch %4000001\n%4000003 = OpLabel\nOpBranch %4000001\n"
      "%4000004 = OpLabel\nOpBranch %4000001\n%4000001 = OpLabel\n"
      "%result = OpPhi %uint %u_1 %4000002 %u_2 %4000003 %u_3 %4000004\n",
      true, "", "OpCapability Shader\nOpCapability Int64\n"));
  const auto module = ImportVerified(words);
  ASSERT_TRUE(module.ok()) << module.status();
  Words input(32, 7);
  input[0] = 0;
  input[1] = 1;
  const auto output = RunWords(*module, input, 32);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ((*output)[0], 2u);
  EXPECT_EQ((*output)[1], 3u);
  EXPECT_EQ((*output)[2], 1u);
}

TEST(Spirv, EveryWordReplacedWithALargeBound) {
  for (size_t i = 4; i < Sample().size(); ++i) {
    for (const uint32_t value : {0u, 0xffffffffu, Sample()[i] + 1, Sample()[i] ^ 0x10000u}) {
      Words words = Sample();
      words[3] = 0x3fffff;
      words[i] = value;
      ExpectHandled(words);
    }
  }
}

TEST(Spirv, OtherByteOrder) {
  Words words = Sample();
  for (uint32_t& w : words) w = __builtin_bswap32(w);
  EXPECT_EQ(Imported(words), Imported(Sample()));
}

TEST(Spirv, TruncationAtEveryWord) {
  for (size_t n = 0; n < Sample().size(); ++n) {
    ExpectHandled(Words(Sample().begin(), Sample().begin() + n));
  }
}

TEST(Spirv, EveryWordReplaced) {
  for (size_t i = 1; i < Sample().size(); ++i) {
    for (const uint32_t value : {0u, 1u, 0xffffffffu, Sample()[i] + 1, Sample()[i] ^ 0x10000u}) {
      Words words = Sample();
      words[i] = value;
      ExpectHandled(words);
    }
  }
}

TEST(Spirv, InstructionsRemovedAndRepeated) {
  for (size_t at = 5; at < Sample().size(); at += Sample()[at] >> 16) {
    const size_t count = Sample()[at] >> 16;
    Words words = Sample();
    words.erase(words.begin() + at, words.begin() + at + count);
    ExpectHandled(words);
    words = Sample();
    words.insert(words.begin() + at, Sample().begin() + at, Sample().begin() + at + count);
    ExpectHandled(words);
  }
}

// Structs of two of the previous struct, fifty levels deep: 2^50 scalars, which must not be
// expanded.
TEST(Spirv, ExponentialTypesAndConstants) {
  std::string types = "%s0 = OpTypeStruct %uint\n%n0 = OpConstantNull %s0\n";
  for (int i = 1; i <= 50; ++i) {
    const std::string n = std::to_string(i);
    const std::string p = std::to_string(i - 1);
    types += "%s" + n + " = OpTypeStruct %s" + p + " %s" + p + "\n";
    if (i < 40) types += "%k" + n + " = OpConstantNull %s" + n + "\n";
  }
  types += "%p = OpTypePointer Private %s50\n%v = OpVariable %p Private\n";
  const auto start = std::chrono::steady_clock::now();
  ExpectHandled(Assemble(KernelAssembly(types, "%result = OpIAdd %uint %x %x\n")));
  const absl::Status used =
      ImportVerified(
          Assemble(KernelAssembly(types, "%l = OpLoad %s50 %v\n%result = OpIAdd %uint %x %x\n")))
          .status();
  EXPECT_EQ(RefusalCause(used), "composite_too_large");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

// The same for memory with a layout, and with empty structs.
TEST(Spirv, ExponentialTypesInMemory) {
  for (const char* base : {"%uint", ""}) {
    for (const char* storage : {"Workgroup", "PushConstant", "StorageBuffer", "Function"}) {
      SCOPED_TRACE(storage);
      std::string types = std::string("%s0 = OpTypeStruct ") + base + "\n";
      for (int i = 1; i <= 50; ++i) {
        const std::string n = std::to_string(i);
        const std::string p = std::to_string(i - 1);
        types += "OpMemberDecorate %s" + n + " 0 Offset 0\nOpMemberDecorate %s" + n +
                 " 1 Offset 4\n%s" + n + " = OpTypeStruct %s" + p + " %s" + p + "\n";
      }
      const bool local = std::string(storage) == "Function";
      types += std::string("%p = OpTypePointer ") + storage + " %s50\n%many = OpConstant %uint " +
               "4000000000\n%a = OpTypeArray %s50 %many\n";
      const std::string variable = std::string("%v = OpVariable %p ") + storage + "\n";
      if (!local) types += "OpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 7\n" + variable;
      const auto start = std::chrono::steady_clock::now();
      ExpectHandled(Assemble(KernelAssembly(types, (local ? variable : "") +
                                                       "%l = OpLoad %s50 %v\nOpStore %v %l\n" +
                                                       "%result = OpIAdd %uint %x %x\n")));
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
    }
  }
}

TEST(Spirv, TypeNestingIsBounded) {
  std::string types = "%a0 = OpTypeArray %uint %u_1\n";
  for (int i = 1; i < 100; ++i) {
    types += "%a" + std::to_string(i) + " = OpTypeArray %a" + std::to_string(i - 1) + " %u_1\n";
  }
  const auto words = Assemble(KernelAssembly(types, "%result = OpIAdd %uint %x %x\n"));
  EXPECT_EQ(RefusalCause(ImportSpirv(words, {}).status()), "nesting_too_deep");
}

// A thousand blocks in sequence, and a thousand nested in each other's merge blocks.
TEST(Spirv, LongChainsOfBlocksNeedNoStack) {
  const std::string result = "%result = OpIAdd %uint %x %x\n";
  const auto expect_doubled = [&](const std::string& main) {
    const auto module = ImportVerified(Assemble(KernelAssembly("", main + result)));
    ASSERT_TRUE(module.ok()) << module.status();
    const auto output = RunWords(*module, Words(32, 7), 32);
    ASSERT_TRUE(output.ok()) << output.status();
    EXPECT_EQ(*output, Words(32, 14));
  };
  std::string main;
  for (int i = 0; i < 20000; ++i) {
    main += "OpBranch %b" + std::to_string(i) + "\n%b" + std::to_string(i) + " = OpLabel\n";
  }
  expect_doubled(main);
  main = "%c = OpUGreaterThan %bool %x %u_5\n";
  for (int i = 0; i < 5000; ++i) {
    const std::string n = std::to_string(i);
    main += "OpSelectionMerge %m" + n + " None\nOpBranchConditional %c %t" + n + " %m" + n +
            "\n%t" + n + " = OpLabel\nOpBranch %m" + n + "\n%m" + n + " = OpLabel\n";
  }
  expect_doubled(main);
}

TEST(Spirv, ConstantsAreEvaluated) {
  const Words words = Assemble(KernelAssembly(R"(
    OpDecorate %a SpecId 1
    OpDecorate %b SpecId 2
    %a = OpSpecConstant %uint 7
    %b = OpSpecConstantTrue %bool
    %sum = OpSpecConstantOp %uint IAdd %a %u_5
    %neg = OpSpecConstantOp %uint SNegate %sum
    %cmp = OpSpecConstantOp %bool UGreaterThan %sum %u_9
    %and = OpSpecConstantOp %bool LogicalAnd %cmp %b
    %sel = OpSpecConstantOp %uint Select %and %sum %neg
    %vec = OpSpecConstantComposite %v2uint %sel %u_3
    %ext = OpSpecConstantOp %uint CompositeExtract %vec 0
    %ins = OpSpecConstantOp %v2uint CompositeInsert %u_8 %vec 1
    %shf = OpSpecConstantOp %v3uint VectorShuffle %vec %ins 3 0 1
    %arr = OpTypeArray %uint %ext
    %zero = OpSpecConstantOp %uint UDiv %a %u_0
  )",
                                              R"(
    %v0 = OpCompositeExtract %uint %shf 0
    %v1 = OpCompositeExtract %uint %shf 1
    %v2 = OpCompositeExtract %uint %shf 2
    %r0 = OpIMul %uint %v0 %u_9
    %r1 = OpIAdd %uint %r0 %v1
    %r2 = OpIMul %uint %r1 %u_9
    %r3 = OpIAdd %uint %r2 %v2
    %result = OpIAdd %uint %r3 %zero
  )"));
  const auto run = [&](const std::vector<SpecConstant>& constants) {
    ImportOptions options;
    options.spec_constants = constants;
    const auto module = ImportVerified(words, options);
    EXPECT_TRUE(module.ok()) << module.status();
    return module.ok() ? (*RunWords(*module, Words(32), 32))[0] : 0;
  };
  const auto value = [](uint32_t sel) { return (8 * 9 + sel) * 9 + 3; };
  EXPECT_EQ(run({}), value(12));
  EXPECT_EQ(run({{1, 95}}), value(100));
  // Array lengths follow the value: here the array would have 2^32 - 12 elements, which must not be
  // allocated.
  EXPECT_EQ(run({{2, 0}}), value(static_cast<uint32_t>(-12)));
}

// Expects cause and a part of the message for wrong values of specialisation constants.
TEST(Spirv, SpecialisationNamesConstantsOfTheirTypes) {
  const Words words = Assemble(KernelAssembly(R"(
    OpDecorate %a SpecId 1
    OpDecorate %b SpecId 2
    OpDecorate %f SpecId 7
    OpDecorate %shared SpecId 8
    OpDecorate %sharer SpecId 8
    %a = OpSpecConstant %uint 7
    %b = OpSpecConstantTrue %bool
    %f = OpSpecConstant %float 1
    %shared = OpSpecConstant %uint 1
    %sharer = OpSpecConstant %float 1
  )",
                                              "%result = OpIAdd %uint %a %a\n"));
  const auto error = [&](const SpecConstant& given) {
    ImportOptions options;
    options.spec_constants = {given};
    const absl::Status status = ImportSpirv(words, options).status();
    return status.ok() ? "" : CauseOf(status) + ": " + std::string(status.message());
  };
  EXPECT_EQ(error({1, 95}), "");
  EXPECT_EQ(error({1, 95, SpecType::kInt32}), "");
  EXPECT_EQ(error({2, 0, SpecType::kBool}), "");
  EXPECT_EQ(error({7, 0x3f800000, SpecType::kFloat32}), "");
  EXPECT_EQ(error({3, 1, SpecType::kInt32}),
            "unknown_spec_constant: the module has no specialisation constant 3; it has 1 (32-bit "
            "uint), 2 (bool), 7 (32-bit float), 8 (32-bit uint), 8 (32-bit float)");
  EXPECT_NE(error({1, 1, SpecType::kBool})
                .find("spec_constant_type: specialisation constant 1 is "
                      "a 32-bit uint, which the bool 0x1 given is not"),
            std::string::npos);
  for (const SpecConstant& wrong : {SpecConstant{1, uint64_t{1} << 32},
                                    {1, 1, SpecType::kInt64},
                                    {1, 0, SpecType::kFloat32},
                                    {2, 1, SpecType::kInt32},
                                    {7, 1, SpecType::kInt32},
                                    {7, 0, SpecType::kFloat64},
                                    {8, 3, SpecType::kInt32},
                                    {8, 3, SpecType::kFloat32}}) {
    EXPECT_NE(error(wrong).find("spec_constant_type"), std::string::npos) << wrong.spec_id;
  }
}

// Narrow integers accept the values of their type, whether they were written signed or unsigned.
TEST(Spirv, SpecialisationKeepsToTheRange) {
  std::string text = KernelAssembly(R"(
    OpDecorate %c0 SpecId 0
    OpDecorate %c1 SpecId 1
    OpDecorate %c2 SpecId 2
    OpDecorate %c3 SpecId 3
    OpDecorate %c4 SpecId 4
    OpDecorate %c5 SpecId 5
    OpDecorate %c6 SpecId 6
    OpDecorate %c7 SpecId 4294967295
    %i8 = OpTypeInt 8 1
    %u8 = OpTypeInt 8 0
    %i16 = OpTypeInt 16 1
    %u16 = OpTypeInt 16 0
    %i64 = OpTypeInt 64 1
    %c0 = OpSpecConstant %i8 1
    %c1 = OpSpecConstant %u8 1
    %c2 = OpSpecConstant %i16 1
    %c3 = OpSpecConstant %u16 1
    %c4 = OpSpecConstant %int 1
    %c5 = OpSpecConstant %uint 1
    %c6 = OpSpecConstant %i64 1
    %c7 = OpSpecConstant %uint 1
  )",
                                    "%result = OpIAdd %uint %c7 %x\n");
  text.insert(text.find("OpMemoryModel"),
              "OpCapability Int8\nOpCapability Int16\nOpCapability Int64\n");
  const Words words = Assemble(text);
  const auto error = [&](uint32_t id, int64_t value, SpecType type) {
    const bool narrow = type == SpecType::kInt32 || type == SpecType::kUint32;
    ImportOptions options;
    options.spec_constants = {
        {id, narrow ? static_cast<uint32_t>(value) : static_cast<uint64_t>(value), type}};
    const absl::Status status = ImportSpirv(words, options).status();
    return status.ok() ? "" : CauseOf(status) + ": " + std::string(status.message());
  };
  const int64_t ends[][2] = {
      {-128, 127}, {0, 255}, {-32768, 32767}, {0, 65535}, {INT32_MIN, INT32_MAX}, {0, UINT32_MAX}};
  for (uint32_t id = 0; id < 6; ++id) {
    const auto type = [](int64_t v) { return v < 0 ? SpecType::kInt32 : SpecType::kUint32; };
    const auto [least, most] = ends[id];
    EXPECT_EQ(error(id, least, type(least)), "") << id;
    EXPECT_EQ(error(id, most, type(most)), "") << id;
    const std::string range = absl::StrCat(least, " to ", most);
    if (least != INT32_MIN) {
      EXPECT_NE(error(id, least - 1, SpecType::kInt32).find(range), std::string::npos) << id;
    }
    if (most != UINT32_MAX) {
      EXPECT_NE(error(id, most + 1, SpecType::kUint32).find(range), std::string::npos) << id;
    }
  }
  EXPECT_NE(
      error(0, 128, SpecType::kInt32)
          .find("spec_constant_type: specialisation constant 0 is an 8-bit int, -128 to 127, and "
                "128 is given"),
      std::string::npos)
      << error(0, 128, SpecType::kInt32);
  EXPECT_EQ(error(6, INT64_MIN, SpecType::kInt64), "");
  EXPECT_NE(error(6, -1, SpecType::kUint64).find("18446744073709551615 is given"),
            std::string::npos);
  // Values of type kBits are checked as written, with or without copies of the sign.
  EXPECT_EQ(error(0, 0xff, SpecType::kBits), "");
  EXPECT_EQ(error(0, 0xffffffff, SpecType::kBits), "");
  EXPECT_NE(error(0, 0x100, SpecType::kBits), "");
  EXPECT_EQ(error(4294967295, 5, SpecType::kUint32), "");
  EXPECT_NE(error(4294967294, 5, SpecType::kUint32).find("4294967295 (32-bit uint)"),
            std::string::npos);
}

TEST(Spirv, TheLargestSpecIdIsOne) {
  const Words words =
      Assemble(KernelAssembly("OpDecorate %c SpecId 4294967295\n"
                              "%c = OpSpecConstant %uint 7\n",
                              "%result = OpCopyObject %uint %c\n"));
  ImportOptions options;
  options.spec_constants = {{4294967295, 5}};
  const auto module = ImportVerified(words, options);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*RunWords(*module, Words(32), 32))[0], 5u);
}

// A SpecId has a meaning only on constants that can be specialised; a validator would reject
// others.
TEST(Spirv, SpecIdsElsewhereNameNoConstant) {
  const Words words = Assemble(KernelAssembly(R"(
    OpDecorate %c SpecId 1
    OpDecorate %op SpecId 2
    OpDecorate %composite SpecId 3
    OpDecorate %spec SpecId 4
    OpDecorate %no SpecId 5
    %c = OpConstant %uint 77
    %spec = OpSpecConstant %uint 7
    %no = OpSpecConstantFalse %bool
    %op = OpSpecConstantOp %uint IAdd %spec %c
    %composite = OpSpecConstantComposite %v2uint %spec %spec
  )",
                                              "%result = OpIAdd %uint %op %c\n"));
  for (uint32_t id = 1; id <= 5; ++id) {
    ImportOptions options;
    options.spec_constants = {{id, 1}};
    EXPECT_EQ(CauseOf(ImportSpirv(words, options).status()),
              id <= 3 ? "unknown_spec_constant" : "ok")
        << id;
  }
}

TEST(Spirv, DecorationGroups) {
  Words words = Assemble(R"(
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main "main"
    OpExecutionMode %main LocalSize 1 1 1
    OpDecorate %group DescriptorSet 3
    OpDecorate %group Binding 5
    OpDecorate %offsets Offset 0
    OpDecorate %block Block
    OpDecorate %words ArrayStride 4
    %group = OpDecorationGroup
    %offsets = OpDecorationGroup
    OpGroupDecorate %group %buffer
    OpGroupMemberDecorate %offsets %block 0
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %u_0 = OpConstant %uint 0
    %words = OpTypeRuntimeArray %uint
    %block = OpTypeStruct %words
    %p_block = OpTypePointer StorageBuffer %block
    %p_word = OpTypePointer StorageBuffer %uint
    %buffer = OpVariable %p_block StorageBuffer
    %main = OpFunction %void None %fn
    %l = OpLabel
    %p = OpAccessChain %p_word %buffer %u_0 %u_0
    OpStore %p %u_0
    OpReturn
    OpFunctionEnd
  )");
  const auto module = ImportVerified(words);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->resources[0].set, 3u);
  EXPECT_EQ(module->resources[0].binding, 5u);
}

}  // namespace
}  // namespace kiln::front
