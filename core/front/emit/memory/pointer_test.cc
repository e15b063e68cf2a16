// Tests pointers as values: selected, joined, stored, passed, compared; pointers declared ahead.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/front/check/refusal.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

const char kPreamble[] =
    "OpCapability Shader\nOpCapability VariablePointers\n"
    "OpExtension \"SPV_KHR_variable_pointers\"\n";

// More buffers: %b2 and %b3 at bindings 2 and 3, %array (of two) at binding 4; shared arrays.
const char kTypes[] = R"(
    OpDecorate %b2 DescriptorSet 0
    OpDecorate %b2 Binding 2
    OpDecorate %b3 DescriptorSet 0
    OpDecorate %b3 Binding 3
    OpDecorate %array DescriptorSet 0
    OpDecorate %array Binding 4
    OpDecorate %p_step ArrayStride 4
    %b2 = OpVariable %p_block StorageBuffer
    %b3 = OpVariable %p_block StorageBuffer
    %u_32 = OpConstant %uint 32
    %blocks = OpTypeArray %block %u_2
    %p_blocks = OpTypePointer StorageBuffer %blocks
    %array = OpVariable %p_blocks StorageBuffer
    %p_step = OpTypePointer StorageBuffer %uint
    %p_local = OpTypePointer Function %p_word
    %shared_words = OpTypeArray %uint %u_32
    %p_shared = OpTypePointer Workgroup %shared_words
    %p_sw = OpTypePointer Workgroup %uint
    %s1 = OpVariable %p_shared Workgroup
    %s2 = OpVariable %p_shared Workgroup
    %null = OpConstantNull %p_word
    %get_fn = OpTypeFunction %p_word %p_word %p_word %bool
)";

absl::StatusOr<mir::Module> Import(const std::string& main, const std::string& functions = "",
                                   const std::string& types = kTypes) {
  return ImportVerified(Assemble(KernelAssembly(types, main, true, functions, kPreamble)));
}

// Word i of buffer b holds 1000 * b + 7 * i; bindings 4 and 5 are elements of the array.
uint32_t WordAt(uint32_t b, uint32_t i) { return 1000 * b + 7 * i; }

std::vector<uint32_t> Execute(const std::string& main, const std::string& functions = "",
                              std::vector<uint32_t>* b2 = nullptr,
                              const std::string& types = kTypes) {
  const absl::StatusOr<mir::Module> module = Import(main, functions, types);
  if (!module.ok()) {
    ADD_FAILURE() << module.status();
    return std::vector<uint32_t>(32);
  }
  oracle::LaunchInputs inputs;
  for (uint32_t b = 0; b < 6; ++b) {
    oracle::BoundBuffer buffer{0, b < 4 ? b : 4, b < 4 ? 0 : b - 4, std::vector<uint8_t>(256)};
    for (uint32_t i = 0; i < 64; ++i) {
      const uint32_t word = WordAt(b, i);
      std::memcpy(&buffer.bytes[4 * i], &word, 4);
    }
    inputs.buffers.push_back(std::move(buffer));
  }
  const auto run = oracle::Interpret(*module, inputs);
  if (!run.ok()) ADD_FAILURE() << run.status() << mir::Print(*module);
  std::vector<uint32_t> out(32);
  std::memcpy(out.data(), inputs.buffers[1].bytes.data(), 128);
  if (b2 != nullptr) {
    b2->resize(64);
    std::memcpy(b2->data(), inputs.buffers[2].bytes.data(), 256);
  }
  return out;
}

// True for odd invocations.
const char kOdd[] = "%bit = OpBitwiseAnd %uint %id %u_1\n%odd = OpIEqual %bool %bit %u_1\n";

std::string Chains() {
  return std::string(kOdd) +
         "%pa = OpAccessChain %p_word %in %u_0 %id\n"
         "%pb = OpAccessChain %p_word %b2 %u_0 %id\n"
         "%pc = OpAccessChain %p_word %b3 %u_0 %u_5\n";
}

TEST(Pointer, SelectedWithinABuffer) {
  const auto out = Execute(Chains() +
                           "%p1 = OpAccessChain %p_word %in %u_0 %u_9\n"
                           "%p = OpSelect %p_word %odd %p1 %pa\n%result = OpLoad %uint %p\n");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], WordAt(0, i % 2 != 0 ? 9 : i));
}

TEST(Pointer, SelectedAmongBuffers) {
  const auto out = Execute(Chains() +
                           "%low = OpULessThan %bool %id %u_8\n"
                           "%q = OpSelect %p_word %odd %pb %pc\n%p = OpSelect %p_word %low %pa %q\n"
                           "%result = OpLoad %uint %p\n");
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i < 8 ? WordAt(0, i) : i % 2 != 0 ? WordAt(2, i) : WordAt(3, 5)) << i;
  }
}

TEST(Pointer, WholeBlocksAreSelectedAndMeasured) {
  const auto out = Execute(std::string(kOdd) +
                           "%b = OpSelect %p_block %odd %b2 %in\n"
                           "%p = OpAccessChain %p_word %b %u_0 %id\n%w = OpLoad %uint %p\n"
                           "%n = OpArrayLength %uint %b 0\n%result = OpIAdd %uint %w %n\n");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], WordAt(i % 2 != 0 ? 2 : 0, i) + 64);
}

TEST(Pointer, ElementsOfArraysOfBuffers) {
  const auto out =
      Execute(std::string(kOdd) +
              "%pe = OpAccessChain %p_word %array %bit %u_0 %id\n"
              "%pf = OpAccessChain %p_word %array %u_1 %u_0 %u_3\n"
              "%pd = OpAccessChain %p_word %in %u_0 %id\n"
              "%low = OpULessThan %bool %id %u_8\n%high = OpULessThan %bool %u_8 %id\n"
              "%q = OpSelect %p_word %low %pf %pe\n%p = OpSelect %p_word %high %pd %q\n"
              "%result = OpLoad %uint %p\n");
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i > 8 ? WordAt(0, i) : i < 8 ? WordAt(5, 3) : WordAt(4, 8)) << i;
  }
}

// Odd invocations read element 1 of the array, even ones element 0 of the other.
TEST(Pointer, WholeArraysOfBuffersAreSelected) {
  const std::string types = std::string(kTypes) +
                            "OpDecorate %other DescriptorSet 0\nOpDecorate %other Binding 4\n"
                            "%other = OpVariable %p_blocks StorageBuffer\n";
  const auto out = Execute(std::string(kOdd) +
                               "%a = OpSelect %p_blocks %odd %array %other\n"
                               "%p = OpAccessChain %p_word %a %bit %u_0 %id\n"
                               "%result = OpLoad %uint %p\n",
                           "", nullptr, types);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], WordAt(i % 2 != 0 ? 5 : 4, i)) << i;
}

TEST(Pointer, JoinedByPhis) {
  const auto out = Execute(Chains() +
                           "OpSelectionMerge %m None\nOpBranchConditional %odd %t %e\n"
                           "%t = OpLabel\nOpBranch %m\n%e = OpLabel\nOpBranch %m\n%m = OpLabel\n"
                           "%p = OpPhi %p_word %pb %t %pc %e\n%result = OpLoad %uint %p\n");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i % 2 != 0 ? WordAt(2, i) : WordAt(3, 5));
}

// A loop steps a pointer over a buffer until it equals another.
TEST(Pointer, SteppedInALoopAndCompared) {
  const auto out = Execute(
      "%first = OpAccessChain %p_step %in %u_0 %u_2\n%end = OpPtrAccessChain %p_step %first %id\n"
      "OpBranch %h\n%h = OpLabel\n%p = OpPhi %p_step %first %entry %next %c\n"
      "%sum = OpPhi %uint %u_0 %entry %more %c\nOpLoopMerge %m %c None\nOpBranch %test\n"
      "%test = OpLabel\n%go = OpPtrNotEqual %bool %p %end\nOpBranchConditional %go %b %m\n"
      "%b = OpLabel\n%w = OpLoad %uint %p\n%more = OpIAdd %uint %sum %w\nOpBranch %c\n"
      "%c = OpLabel\n%next = OpPtrAccessChain %p_step %p %u_1\nOpBranch %h\n"
      "%m = OpLabel\n%d = OpPtrDiff %int %end %first\n%du = OpBitcast %uint %d\n"
      "%scaled = OpIMul %uint %du %u_9\n%result = OpIAdd %uint %sum %scaled\n");
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t sum = 9 * i;
    for (uint32_t k = 0; k < i; ++k) sum += WordAt(0, 2 + k);
    EXPECT_EQ(out[i], sum) << i;
  }
}

TEST(Pointer, KeptInAVariable) {
  const auto out =
      Execute("%v = OpVariable %p_local Function\n" + Chains() +
              "OpStore %v %pa\nOpSelectionMerge %m None\n"
              "OpBranchConditional %odd %t %m\n%t = OpLabel\nOpStore %v %pb\nOpBranch %m\n"
              "%m = OpLabel\n%p = OpLoad %p_word %v\n%result = OpLoad %uint %p\n");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], WordAt(i % 2 != 0 ? 2 : 0, i));
}

TEST(Pointer, PassedAndReturned) {
  const std::string function =
      "%get = OpFunction %p_word None %get_fn\n%a = OpFunctionParameter %p_word\n"
      "%b = OpFunctionParameter %p_word\n%c = OpFunctionParameter %bool\n%l = OpLabel\n"
      "%r = OpSelect %p_word %c %a %b\nOpReturnValue %r\nOpFunctionEnd\n";
  const auto out = Execute(Chains() +
                               "%p = OpFunctionCall %p_word %get %pb %pa %odd\n"
                               "%q = OpFunctionCall %p_word %get %p %pc %odd\n"
                               "%result = OpLoad %uint %q\n",
                           function);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i % 2 != 0 ? WordAt(2, i) : WordAt(3, 5));
}

TEST(Pointer, WrittenAndAtomicallyChanged) {
  std::vector<uint32_t> b2;
  const auto out =
      Execute(Chains() +
                  "%pz = OpAccessChain %p_word %b3 %u_0 %id\n%p = OpSelect %p_word %odd %pb %pz\n"
                  "OpStore %p %id\n%old = OpAtomicIAdd %uint %p %u_1 %u_0 %u_3\n"
                  "%now = OpLoad %uint %p\n%ten = OpIMul %uint %now %u_9\n"
                  "%result = OpIAdd %uint %old %ten\n",
              "", &b2);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i + 9 * (i + 3));
    EXPECT_EQ(b2[i], i % 2 != 0 ? i + 3 : WordAt(2, i));
  }
}

TEST(Pointer, IntoSharedMemory) {
  const auto out = Execute(std::string(kOdd) +
                           "%pa = OpAccessChain %p_sw %s1 %id\n%pb = OpAccessChain %p_sw %s2 %id\n"
                           "OpStore %pa %u_4\nOpStore %pb %id\n%p = OpSelect %p_sw %odd %pa %pb\n"
                           "%w = OpLoad %uint %p\n%same = OpPtrEqual %bool %p %pb\n"
                           "%s = OpSelect %uint %same %u_1 %u_0\n%w2 = OpIMul %uint %w %u_2\n"
                           "%result = OpIAdd %uint %w2 %s\n");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i % 2 != 0 ? 8 : 2 * i + 1);
}

TEST(Pointer, NullIsEqualToNothingElse) {
  const auto out = Execute(
      "%first = OpAccessChain %p_word %in %u_0 %u_0\n%a = OpPtrEqual %bool %first %null\n"
      "%b = OpPtrEqual %bool %null %null\n%av = OpSelect %uint %a %u_1 %u_0\n"
      "%result = OpSelect %uint %b %u_2 %av\n");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 2u);
}

// Only stepping needs a stride of the pointers' type; a difference uses the array's.
TEST(Pointer, DifferencesNeedNoStrideOfTheirOwn) {
  const std::string difference = "%d = OpPtrDiff %int %p %q\n%result = OpBitcast %uint %d\n";
  // Pointers to elements that access chains choose.
  auto out = Execute(
      "%p = OpAccessChain %p_word %in %u_0 %u_3\n"
      "%q = OpAccessChain %p_word %in %u_0 %id\n" +
      difference);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 3 - i);
  // Pointers held as values: it is only known that all arrays of words have one stride.
  out =
      Execute(std::string(kOdd) +
              "%a = OpAccessChain %p_word %in %u_0 %id\n%b = OpAccessChain %p_word %in %u_0 %u_7\n"
              "%p = OpSelect %p_word %odd %a %b\n%q = OpSelect %p_word %odd %b %a\n" +
              difference);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i % 2 != 0 ? i - 7 : 7 - i);
  // Pointers into shared memory, whose layout is not decorated.
  out =
      Execute("%p = OpAccessChain %p_sw %s1 %id\n%q = OpAccessChain %p_sw %s1 %u_5\n" + difference);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i - 5);
  // Pointers to blocks in an array of them.
  out =
      Execute("%p = OpAccessChain %p_block %array %u_1\n%q = OpAccessChain %p_block %array %u_0\n" +
              difference);
  EXPECT_EQ(out[0], 1u);
}

// Words 4 bytes apart in one array and 8 in another: only an access chain tells them apart.
TEST(Pointer, DifferencesInArraysOfSeveralStrides) {
  const std::string types =
      std::string(kTypes) +
      "OpDecorate %sparse ArrayStride 8\nOpDecorate %sparse_block Block\n"
      "OpMemberDecorate %sparse_block 0 Offset 16\n"
      "OpDecorate %b5 DescriptorSet 0\nOpDecorate %b5 Binding 5\n"
      "%sparse = OpTypeRuntimeArray %uint\n%sparse_block = OpTypeStruct %sparse\n"
      "%p_sparse = OpTypePointer StorageBuffer %sparse_block\n"
      "%b5 = OpVariable %p_sparse StorageBuffer\n";
  const std::string ends = std::string(kOdd) +
                           "%p = OpAccessChain %p_word %b5 %u_0 %u_9\n"
                           "%q = OpAccessChain %p_word %b5 %u_0 %id\n";
  const auto module =
      Import(ends + "%d = OpPtrDiff %int %p %q\n%result = OpBitcast %uint %d\n", "", types);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto out = RunWords(*module, std::vector<uint32_t>(32), 32);
  ASSERT_TRUE(out.ok()) << out.status();
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ((*out)[i], 9 - i);
  const auto chosen =
      Import(ends +
                 "%r = OpSelect %p_word %odd %p %q\n%s = OpSelect %p_word %odd %q %p\n"
                 "%d = OpPtrDiff %int %r %s\n%result = OpBitcast %uint %d\n",
             "", types);
  EXPECT_EQ(RefusalCause(chosen.status()), "variable_pointers") << chosen.status();
  EXPECT_NE(chosen.status().message().find("different strides"), std::string::npos)
      << chosen.status();
}

// The layout that a pointer's value lacks for matrices matters only to accesses.
TEST(Pointer, ToMatricesAreCompared) {
  const std::string types =
      std::string(kTypes) +
      "OpDecorate %mats Block\nOpMemberDecorate %mats 0 Offset 0\n"
      "OpMemberDecorate %mats 0 ColMajor\nOpMemberDecorate %mats 0 MatrixStride 16\n"
      "OpMemberDecorate %mats 1 Offset 64\nOpMemberDecorate %mats 1 RowMajor\n"
      "OpMemberDecorate %mats 1 MatrixStride 16\n"
      "OpDecorate %b5 DescriptorSet 0\nOpDecorate %b5 Binding 5\n"
      "%mat = OpTypeMatrix %v4float 4\n%mats = OpTypeStruct %mat %mat\n"
      "%p_mats = OpTypePointer StorageBuffer %mats\n"
      "%p_mat = OpTypePointer StorageBuffer %mat\n"
      "%p_v4 = OpTypePointer StorageBuffer %v4float\n"
      "%b5 = OpVariable %p_mats StorageBuffer\n";
  const std::string ends =
      std::string(kOdd) +
      "%p = OpAccessChain %p_mat %b5 %u_0\n%q = OpAccessChain %p_mat %b5 %u_1\n"
      "%r = OpSelect %p_mat %odd %p %q\n";
  const auto run = [&](const std::string& main) -> std::vector<uint32_t> {
    const auto module = Import(ends + main, "", types);
    EXPECT_TRUE(module.ok()) << module.status();
    if (!module.ok()) return std::vector<uint32_t>(32, 99);
    const auto out = RunWords(*module, std::vector<uint32_t>(32), 32);
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? *out : std::vector<uint32_t>(32, 99);
  };
  const std::string number = "%result = OpSelect %uint %e %u_1 %u_0\n";
  EXPECT_EQ(run("%e = OpPtrEqual %bool %p %q\n" + number)[0], 0u);
  EXPECT_EQ(run("%e = OpPtrNotEqual %bool %p %q\n" + number)[0], 1u);
  EXPECT_EQ(run("%e = OpPtrEqual %bool %q %q\n" + number)[0], 1u);
  const auto chosen = run("%e = OpPtrEqual %bool %r %p\n" + number);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(chosen[i], i % 2);
  // A column of a row-major matrix.
  const auto columns =
      run("%c1 = OpAccessChain %p_v4 %b5 %u_1 %u_2\n"
          "%c2 = OpAccessChain %p_v4 %b5 %u_1 %bit\n%e = OpPtrEqual %bool %c1 %c2\n" +
          number);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(columns[i], 0u);
  const auto loaded = Import(ends +
                                 "%m = OpLoad %mat %r\n%c = OpCompositeExtract %float %m 0 0\n"
                                 "%result = OpBitcast %uint %c\n",
                             "", types);
  EXPECT_EQ(RefusalCause(loaded.status()), "variable_pointers") << loaded.status();
}

TEST(Pointer, UndeclaredOrToTooManyVariablesIsRefused) {
  const std::string select =
      Chains() + "%p = OpSelect %p_word %odd %pa %pb\n%result = OpLoad %uint %p\n";
  const auto undeclared = ImportVerified(Assemble(KernelAssembly(kTypes, select)));
  EXPECT_EQ(RefusalCause(undeclared.status()), "variable_pointers") << undeclared.status();
  std::string types = kTypes;
  std::string main = kOdd;
  std::string last = "%in";
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    types += "OpDecorate %m" + n + " DescriptorSet 1\nOpDecorate %m" + n + " Binding " + n +
             "\n%m" + n + " = OpVariable %p_block StorageBuffer\n";
    main += "%s" + n + "x = OpSelect %p_block %odd %m" + n + " " + last + "\n";
    last = "%s" + n + "x";
  }
  main += "%p = OpAccessChain %p_word " + last + " %u_0 %id\n%result = OpLoad %uint %p\n";
  const auto many = Import(main, "", types);
  EXPECT_EQ(RefusalCause(many.status()), "variable_pointers") << many.status();
}

// ---- Physical memory ----

// A list whose nodes are {next, value}, walked from the address in the push constants; addresses
// are converted to numbers and back, and added to.
TEST(Pointer, ListsOfNodesDeclaredAhead) {
  const auto module = ImportVerified(CompileCompute(R"(#version 460
    #extension GL_EXT_buffer_reference : require
    #extension GL_EXT_buffer_reference_uvec2 : require
    #extension GL_EXT_buffer_reference2 : require
    #extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
    layout(local_size_x = 1) in;
    layout(buffer_reference) buffer Node;
    layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node {
      Node next;
      uint value;
    };
    layout(push_constant) uniform P { Node head; };
    layout(set = 0, binding = 1) buffer Out { uint out_[]; };
    void main() {
      Node n = head;
      uint i = 0u;
      while (uint64_t(n) != 0ul && i < 20u) {
        out_[i++] = n.value;
        uvec2 halves = uvec2(n.next);
        n = (i & 1u) == 0u ? Node(halves) : n.next;
      }
      out_[i] = i;
      Node second = head + 1;
      out_[i + 1u] = second.value;
      head.next.value = 77u;
    })"));
  ASSERT_TRUE(module.ok()) << module.status();
  constexpr uint64_t kAddress = 0xfffffff80u;  // the last nodes lie beyond a multiple of 2^32
  oracle::LaunchInputs inputs;
  oracle::BoundBuffer nodes{7, 0, 0, std::vector<uint8_t>(160)};
  nodes.address = kAddress;
  const uint32_t order[] = {3, 9, 0, 5, 8, 1};
  for (size_t i = 0; i < 6; ++i) {
    const uint64_t next = i + 1 < 6 ? kAddress + 16 * order[i + 1] : 0;
    const uint32_t value = 100 + order[i];
    std::memcpy(&nodes.bytes[16 * order[i]], &next, 8);
    std::memcpy(&nodes.bytes[16 * order[i] + 8], &value, 4);
  }
  const uint32_t beside = 44;
  std::memcpy(&nodes.bytes[16 * 4 + 8], &beside, 4);
  inputs.buffers = {nodes, {0, 1, 0, std::vector<uint8_t>(64)}};
  const uint64_t head = kAddress + 16 * order[0];
  inputs.push_constants.resize(8);
  std::memcpy(inputs.push_constants.data(), &head, 8);
  const auto run = oracle::Interpret(*module, inputs);
  ASSERT_TRUE(run.ok()) << run.status();
  uint32_t out[16];
  std::memcpy(out, inputs.buffers[1].bytes.data(), 64);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(out[i], 100 + order[i]);
  EXPECT_EQ(out[6], 6u);
  EXPECT_EQ(out[7], beside);
  uint32_t written = 0;
  std::memcpy(&written, &inputs.buffers[0].bytes[16 * order[1] + 8], 4);
  EXPECT_EQ(written, 77u);
}

// OpTypePointer of another storage class to a pointer that is defined later.
TEST(Pointer, LocalPointersToPointersDeclaredAhead) {
  const std::string types = R"(
    OpMemberDecorate %node 0 Offset 0
    OpMemberDecorate %node 1 Offset 8
    OpDecorate %node Block
    OpTypeForwardPointer %p_node PhysicalStorageBuffer
    %p_local = OpTypePointer Function %p_node
    %p_private = OpTypePointer Private %p_node
    %global = OpVariable %p_private Private
    %node = OpTypeStruct %p_node %uint
    %p_node = OpTypePointer PhysicalStorageBuffer %node
    %long = OpTypeInt 64 0
    %l_16 = OpConstant %long 16
)";
  const std::string main = R"(
    %v = OpVariable %p_local Function
    %a = OpConvertUToPtr %p_node %l_16
    OpStore %v %a
    %b = OpLoad %p_node %v
    OpStore %global %b
    %c = OpLoad %p_node %global
    %n = OpConvertPtrToU %long %c
    %result = OpUConvert %uint %n
)";
  std::string text = KernelAssembly(types, main, true, "",
                                    "OpCapability Shader\nOpCapability Int64\n"
                                    "OpCapability PhysicalStorageBufferAddresses\n");
  const std::string logical = "OpMemoryModel Logical";
  text.replace(text.find(logical), logical.size(), "OpMemoryModel PhysicalStorageBuffer64");
  const auto module = ImportVerified(Assemble(text));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto out = RunWords(*module, std::vector<uint32_t>(32), 32);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[5], 16u);
}

// Addresses have 64 bits, and so have the indices that step them.
TEST(Pointer, ConstantIndicesOf64Bits) {
  const std::string types = R"(
    OpDecorate %far_words ArrayStride 4
    OpMemberDecorate %far 0 Offset 0
    OpDecorate %far Block
    %far_words = OpTypeRuntimeArray %uint
    %far = OpTypeStruct %far_words
    %p_far = OpTypePointer PhysicalStorageBuffer %far
    %p_far_word = OpTypePointer PhysicalStorageBuffer %uint
    %long = OpTypeInt 64 0
    %l_16 = OpConstant %long 16
    %l_34 = OpConstant %long 34
    %index = OpConstant %long 0x500000000
)";
  const std::string main = R"(
    %a = OpConvertUToPtr %p_far %l_16
    %e = OpAccessChain %p_far_word %a %u_0 %index
    %n = OpConvertPtrToU %long %e
    %high = OpShiftRightLogical %long %n %l_34
    %result = OpUConvert %uint %high
)";
  std::string text = KernelAssembly(types, main, true, "",
                                    "OpCapability Shader\nOpCapability Int64\n"
                                    "OpCapability PhysicalStorageBufferAddresses\n");
  const std::string logical = "OpMemoryModel Logical";
  text.replace(text.find(logical), logical.size(), "OpMemoryModel PhysicalStorageBuffer64");
  const auto module = ImportVerified(Assemble(text));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto out = RunWords(*module, std::vector<uint32_t>(32), 32);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[5], 5u);
}

// In a buffer such an index is beyond its end: memory before the array is not reached.
TEST(Pointer, ConstantIndicesOf64BitsInBuffers) {
  const std::string types = R"(
    OpDecorate %tail ArrayStride 4
    OpMemberDecorate %both 0 Offset 0
    OpMemberDecorate %both 1 Offset 256
    OpDecorate %both Block
    OpDecorate %view DescriptorSet 0
    OpDecorate %view Binding 1
    %tail = OpTypeRuntimeArray %uint
    %both = OpTypeStruct %uint %tail
    %p_both = OpTypePointer StorageBuffer %both
    %view = OpVariable %p_both StorageBuffer
    %long = OpTypeInt 64 0
    %far = OpConstant %long 0x100000000
)";
  const std::string main = R"(
    %e = OpAccessChain %p_word %view %u_1 %far
    OpStore %e %u_9
    %result = OpIAdd %uint %u_1 %u_2
)";
  const auto module = ImportVerified(
      Assemble(KernelAssembly(types, main, true, "", "OpCapability Shader\nOpCapability Int64\n")));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto out = RunWords(*module, std::vector<uint32_t>(32), 64);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[31], 3u);
  EXPECT_EQ((*out)[63], 0u);
}

}  // namespace
}  // namespace kiln::front
