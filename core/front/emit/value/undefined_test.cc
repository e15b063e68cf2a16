// Tests that results are marked for reference executions where SPIR-V leaves them undefined, and
// only there.
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/base/float_bits.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Outcome {
  int64_t undefined = 0;
  uint32_t word = 0;  // result of the first invocation
};

// Runs a module whose every invocation reads `word`.
Outcome RunAll(const std::vector<uint32_t>& words, uint32_t word, bool mark, uint32_t seed) {
  ImportOptions options;
  options.mark_undefined = mark;
  const auto module = ImportVerified(words, options);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  oracle::LaunchInputs inputs;
  inputs.undefined_seed = seed;
  inputs.prefers_defined = mark;
  inputs.buffers.resize(2);
  for (uint32_t i = 0; i < 2; ++i) {
    inputs.buffers[i].binding = i;
    inputs.buffers[i].bytes.resize(32 * 4);
  }
  for (size_t i = 0; i < 32; ++i) std::memcpy(inputs.buffers[0].bytes.data() + 4 * i, &word, 4);
  const auto run = oracle::Interpret(*module, inputs);
  EXPECT_TRUE(run.ok()) << run.status() << mir::Print(*module);
  Outcome outcome;
  if (run.ok()) outcome.undefined = run->undefined_results;
  std::memcpy(&outcome.word, inputs.buffers[1].bytes.data(), 4);
  return outcome;
}

// Marking counts undefined results and changes none; random undefined results change only those.
void ExpectUndefined(const std::vector<uint32_t>& words, uint32_t word, bool undefined,
                     const std::string& text) {
  const Outcome plain = RunAll(words, word, false, 0), marked = RunAll(words, word, true, 0);
  EXPECT_EQ(plain.undefined, 0) << text;
  EXPECT_EQ(plain.word, marked.word) << text << " of " << std::hex << word;
  EXPECT_EQ(marked.undefined > 0, undefined) << text << " of " << std::hex << word;
  std::set<uint32_t> found;
  for (uint32_t seed = 1; seed <= 8; ++seed) found.insert(RunAll(words, word, true, seed).word);
  if (undefined) {
    EXPECT_GT(found.size(), 1u) << text << " of " << std::hex << word;
  } else {
    EXPECT_EQ(found, std::set<uint32_t>{plain.word}) << text << " of " << std::hex << word;
  }
}

struct Case {
  std::string expression;  // a uint, computed from uint x or float f with the same bits
  std::vector<uint32_t> defined;
  std::vector<uint32_t> undefined;
};

std::vector<uint32_t> Kernel(const std::string& expression) {
  return CompileCompute(
      KernelText("#extension GL_KHR_shader_subgroup_ballot : require\n",
                 "uint x = in_[id]; float f = uintBitsToFloat(x); vec4 v = vec4(1, 2, 3, f);\n"
                 "uvec4 u = uvec4(x, 7, 8, 9);\n"
                 "out_[id] = " +
                     expression + ";"));
}

TEST(Undefined, IntegersBeyondTheirRange) {
  const std::vector<Case> cases = {
      {"1u << x", {0, 31}, {32, ~0u}},
      {"99u >> x", {31}, {32}},
      {"uint(-99 >> int(x))", {31}, {32, 0x80000000}},
      {"bitfieldInsert(5u, 3u, int(x), 2)", {30}, {31, 32, ~0u}},
      {"bitfieldExtract(5u, 1, int(x))", {0, 31}, {32, ~0u}},
      {"uint(bitfieldExtract(-5, int(x), 0))", {32}, {33}},
      {"uint(f)",
       {AsBits(-0.5f), AsBits(4294967040.0f)},
       {AsBits(-1.0f), AsBits(0x1p32f), AsBits(kNan)}},
      {"uint(int(f))",
       {AsBits(-0x1p31f), AsBits(2147483520.0f)},
       {AsBits(0x1p31f), AsBits(-2147483904.0f), AsBits(-kInfinity)}},
      {"clamp(5u, x, 7u)", {7}, {8}},
      {"uint(clamp(5, int(x), 7))", {7, ~0u}, {8}},
  };
  for (const Case& c : cases) {
    const std::vector<uint32_t> words = Kernel(c.expression);
    for (uint32_t word : c.defined) ExpectUndefined(words, word, false, c.expression);
    for (uint32_t word : c.undefined) ExpectUndefined(words, word, true, c.expression);
  }
}

TEST(Undefined, Components) {
  const std::vector<Case> cases = {
      {"(u + uvec4(id))[x]", {0, 3}, {4, ~0u}},  // OpVectorExtractDynamic
      {"u[x]", {0, 3}, {4, ~0u}},                // an access chain
      {"(u[x] = 5u, u.x + u.y * 3u + u.z * 5u + u.w * 7u)", {0, 3}, {4, ~0u}},
      {"subgroupBallotFindLSB(uvec4(x, 0, 0, 0))", {1}, {0}},
      {"subgroupBallotFindMSB(uvec4(x, 0, 0, 0))", {1}, {0}},
      {"uint(subgroupBallotBitExtract(uvec4(1), x))", {31}, {32, 128}},
  };
  for (const Case& c : cases) {
    const std::vector<uint32_t> words = Kernel(c.expression);
    for (uint32_t word : c.defined) ExpectUndefined(words, word, false, c.expression);
    for (uint32_t word : c.undefined) ExpectUndefined(words, word, true, c.expression);
  }
  const std::string insert = R"(
    %v = OpCompositeConstruct %v4uint %u_1 %u_2 %u_3 %u_4
    %w = OpVectorInsertDynamic %v4uint %v %u_7 %x
    %result = OpCompositeExtract %uint %w 2
)";
  const std::vector<uint32_t> words = Assemble(KernelAssembly("", insert));
  for (uint32_t word : {0, 2, 3}) ExpectUndefined(words, word, false, insert);
  for (uint32_t word : {4u, ~0u}) ExpectUndefined(words, word, true, insert);
}

TEST(Undefined, FunctionsOutsideOfTheirDomain) {
  const auto bits = [](const std::string& x) { return "floatBitsToUint(" + x + ")"; };
  const uint32_t zero = AsBits(0), one = AsBits(1), minus = AsBits(-1), more = AsBits(1.5f);
  const std::vector<Case> cases = {
      {bits("asin(f)"), {one, minus}, {more}},
      {bits("acos(f)"), {one, minus}, {AsBits(-1.5f)}},
      {bits("acosh(f)"), {one, more}, {AsBits(0.5f)}},
      {bits("atanh(f)"), {AsBits(0.5f)}, {one, minus}},
      {bits("log(f)"), {more}, {zero, minus}},
      {bits("log2(f)"), {more}, {zero, minus}},
      {bits("sqrt(f)"), {zero, more}, {minus}},
      {bits("inversesqrt(f)"), {more}, {zero, minus}},
      {bits("atan(f, 0.0)"), {one}, {zero}},
      {bits("pow(f, 2.0)"), {zero, more}, {minus}},
      {bits("pow(f, -3.0)"), {more}, {zero}},
      {bits("pow(0.0, f)"), {one}, {zero, minus}},
      {bits("clamp(0.5, f, 1.0)"), {one, zero}, {more}},
      {bits("smoothstep(f, 1.0, 0.5)"), {zero}, {one, more}},
      {bits("mod(5.0, f)"), {one}, {zero}},
      {bits("ldexp(1.0, int(x))"), {100}, {129}},
      {bits("inverse(mat2(f, 0, 0, f)) [0].x"), {one}, {zero}},
  };
  for (const Case& c : cases) {
    const std::vector<uint32_t> words = Kernel(c.expression);
    for (uint32_t word : c.defined) ExpectUndefined(words, word, false, c.expression);
    for (uint32_t word : c.undefined) ExpectUndefined(words, word, true, c.expression);
  }
  const std::string frexp = "int e; float m = frexp(f, e); out_[id] = floatBitsToUint(m) + uint(e)";
  const std::vector<uint32_t> words =
      CompileCompute(KernelText("", "float f = uintBitsToFloat(in_[id]); " + frexp + ";"));
  ExpectUndefined(words, more, false, frexp);
  ExpectUndefined(words, AsBits(kInfinity), true, frexp);
}

// For 64-bit operands the high half counts too: x, and 2^32 + x.
TEST(Undefined, OperandsOfLongs) {
  const std::string types =
      "%long = OpTypeInt 64 1\n%ulong = OpTypeInt 64 0\n%u8 = OpTypeInt 8 0\n";
  const std::string head =
      "OpCapability Shader\nOpCapability Int64\nOpCapability Int8\nOpCapability GroupNonUniform\n"
      "OpCapability GroupNonUniformBallot\nOpCapability GroupNonUniformShuffle\n"
      "OpCapability GroupNonUniformShuffleRelative\n";
  const std::string vector = "%v = OpCompositeConstruct %v4uint %u_9 %u_8 %u_7 %u_6\n";
  struct Long {
    std::string main;
    uint32_t defined;
    bool high_is_defined = false;
  };
  const std::vector<Long> cases = {
      {"%e = OpBitcast %long %p\n%f = OpExtInst %float %glsl Ldexp %f_1 %e\n%result = OpBitcast "
       "%uint %f\n",
       5},
      {"%l = OpBitcast %ulong %p\n%result = OpShiftLeftLogical %uint %u_3 %l\n", 31},
      {"%l = OpBitcast %ulong %p\n%result = OpBitFieldUExtract %uint %u_3 %l %u_1\n", 31},
      {"%l = OpBitcast %ulong %p\n%result = OpBitFieldInsert %uint %u_3 %u_2 %u_1 %l\n", 31},
      {vector + "%l = OpBitcast %ulong %p\n%result = OpVectorExtractDynamic %uint %v %l\n", 3},
      {"%l = OpBitcast %ulong %p\n%t = OpGroupNonUniformBallotBitExtract %bool %u_3 %v %l\n"
       "%result = OpSelect %uint %t %u_1 %u_0\n",
       3},
      {"%result = OpIAdd %uint %x %u_0\n", 3, true},
  };
  for (const Long& c : cases) {
    for (const char* high : {"%u_0", "%u_1"}) {
      const bool ballot = c.main.find("Ballot") != std::string::npos;
      const std::vector<uint32_t> words = Assemble(KernelAssembly(
          types,
          (ballot ? vector : "") + "%p = OpCompositeConstruct %v2uint %x " + high + "\n" + c.main,
          true, "", head));
      ExpectUndefined(words, c.defined, std::string(high) == "%u_1" && !c.high_is_defined, c.main);
    }
  }
  // A wrapped lane number names another lane; a result of 8 bits is -1 if no bit is found.
  const auto kernel = [&](const std::string& main) {
    return Assemble(KernelAssembly(types, main, true, "", head));
  };
  for (const std::string op : {"Up", "Down"}) {
    const std::string main = "%result = OpGroupNonUniformShuffle" + op + " %uint %u_3 %id %x\n";
    EXPECT_EQ(RunAll(kernel(main), 0, true, 0).undefined, 0) << op;
    EXPECT_GE(RunAll(kernel(main), ~0u, true, 0).undefined, 32) << op;
  }
  // The interpreter itself handles lanes that do not exist.
  for (const std::string op : {"", "Xor"}) {
    const std::string main = "%l = OpBitcast %ulong %p\n%result = OpGroupNonUniformShuffle" + op +
                             " %uint %u_3 %id %l\n";
    const std::string pair = "%p = OpCompositeConstruct %v2uint %x ";
    EXPECT_EQ(RunAll(kernel(pair + "%u_0\n" + main), 3, true, 0).undefined, 0) << op;
    EXPECT_GE(RunAll(kernel(pair + "%u_1\n" + main), 3, true, 0).undefined, 32) << op;
  }
  const std::string search =
      "%v = OpCompositeConstruct %v4uint %x %u_0 %u_0 %u_0\n"
      "%n = OpGroupNonUniformBallotFindLSB %u8 %u_3 %v\n"
      "%result = OpUConvert %uint %n\n";
  ExpectUndefined(kernel(search), 2, false, search);
  ExpectUndefined(kernel(search), 0, true, search);
}

// A variable that one path does not write is undefined after the paths join, even if the importer
// may use the other path's value for both.
TEST(Undefined, WhatAPathDoesNotWrite) {
  const auto found = [](const std::string& body, uint32_t word, bool mark) {
    const std::vector<uint32_t> words =
        CompileCompute(KernelText("", "uint x = in_[id], y; " + body));
    std::set<uint32_t> all;
    for (uint32_t seed = 1; seed <= 3; ++seed) all.insert(RunAll(words, word, mark, seed).word);
    return all;
  };
  using Set = std::set<uint32_t>;
  for (const std::string body :
       {"uint z = x + 4u; if (x == 1u) y = z; out_[id] = y;",
        "uint z = x + 4u; if (x != 1u) { out_[id ^ 1u] = z; } else { y = z; } out_[id] = y;"}) {
    EXPECT_EQ(found(body, 1, true), Set{5}) << body;
    EXPECT_GT(found(body, 2, true).size(), 1u) << body;
    EXPECT_EQ(found(body, 2, false), Set{6}) << body;
  }
}

// Two results are allowed, and no third.
TEST(Undefined, OneOfTwo) {
  const auto found = [](const std::string& expression, uint32_t word) {
    const std::vector<uint32_t> words = Kernel("floatBitsToUint(" + expression + ")");
    std::set<uint32_t> all;
    for (uint32_t seed = 1; seed <= 12; ++seed) all.insert(RunAll(words, word, true, seed).word);
    return all;
  };
  using Set = std::set<uint32_t>;
  EXPECT_EQ(found("min(f, 2.0)", AsBits(kNan)), (Set{AsBits(2), AsBits(kNan)}));
  EXPECT_EQ(found("max(2.0, f)", AsBits(kNan)), (Set{AsBits(2), AsBits(kNan)}));
  EXPECT_EQ(found("max(2.0, f)", AsBits(3)), Set{AsBits(3)});
  EXPECT_EQ(found("round(f)", AsBits(2.5f)), (Set{AsBits(2), AsBits(3)}));
  EXPECT_EQ(found("round(f)", AsBits(2.75f)), Set{AsBits(3)});
}

}  // namespace
}  // namespace kiln::front
