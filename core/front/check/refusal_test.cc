// Tests which features are refused, and by which name; and that declarations alone are not refused.
#include "core/front/check/refusal.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <string>

#include "core/base/cause.h"
#include "core/front/spirv/origin.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

absl::StatusOr<mir::Module> Module(const std::string& globals, const std::string& body) {
  return ImportVerified(CompileCompute(KernelText(globals, body)));
}

absl::Status Import(const std::string& globals, const std::string& body) {
  return Module(globals, body).status();
}

void ExpectRefused(const absl::Status& status, const std::string& cause,
                   const std::string& capability = "") {
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
  EXPECT_EQ(RefusalCause(status), cause) << status;
  EXPECT_EQ(kiln::CauseOf(status), cause);
  EXPECT_NE(SpirvIdOf(status), 0u) << status;
  const Detail detail = DetailOf(status);
  EXPECT_FALSE(detail.what.empty()) << status;
  EXPECT_EQ(status.message(), DetailText(detail));
  EXPECT_EQ(detail.what.find(cause), std::string::npos) << status;
  if (!capability.empty()) {
    EXPECT_EQ(detail.capability, capability) << status;
  }
}

TEST(Refusal, NamesCauseCapabilityAndId) {
  ExpectRefused(Import("#extension GL_ARB_sparse_texture2 : require\n"
                       "layout(binding = 2, r32ui) uniform uimage2D image;",
                       "uvec4 t; out_[id] = uint(sparseImageLoadARB(image, ivec2(0), t));"),
                "sparse_residency", "SparseResidency");
}

TEST(Refusal, ClocksAreNeededWhereTheyAreUsed) {
  const std::string extension = "#extension GL_ARB_shader_clock : require\n";
  const auto used = Module(extension, "out_[id] = clock2x32ARB().x;");
  ASSERT_TRUE(used.ok()) << used.status();
  ASSERT_EQ(used->needs.size(), 1u);
  EXPECT_EQ(used->needs[0].need, mir::Need::kClocks);
  EXPECT_NE(used->needs[0].spirv_id, 0u);
}

// A feature that only some targets have is imported, with the place for their refusal: of an atomic
// the pointer, which has a name, and the instruction, which has a line.
TEST(Refusal, WhatTargetsDifferInIsNeeded) {
  const auto words =
      CompileCompute(KernelText("#extension GL_EXT_shader_atomic_int64 : require\n"
                                "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
                                "shared uint64_t big;",
                                "atomicAdd(big, 1ul); atomicMax(big, 2ul); out_[id] = uint(big);"));
  const auto module = ImportVerified(words);
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string text = mir::Print(*module);
  EXPECT_NE(text.find(":i64 = shared_atomic[add] 0, 1i64"), std::string::npos) << text;
  ASSERT_EQ(module->needs.size(), 1u);
  const mir::Needed needed = module->needs[0];
  EXPECT_EQ(needed.need, mir::Need::kSharedInt64Atomics);
  EXPECT_EQ(FindOrigin(words, needed.spirv_id, 0).name, "big");
  ASSERT_LT(needed.instruction, words.size());
  EXPECT_EQ(words[needed.instruction] & 0xffff, static_cast<uint32_t>(spv::Op::OpAtomicIAdd));
  EXPECT_NE(text.find("needs shared_int64_atomics at " + std::to_string(needed.instruction) +
                      " ;%" + std::to_string(needed.spirv_id) + "\n"),
            std::string::npos)
      << text;
}

// The third switches the feature on and off by a constant.
TEST(Refusal, UnusedFeaturesAreNot) {
  EXPECT_EQ(Import("#extension GL_ARB_sparse_texture2 : require\n"
                   "layout(binding = 2, r32ui) uniform uimage2D image;\n"
                   "int unused() { uvec4 t; return sparseImageLoadARB(image, ivec2(0), t); }",
                   "out_[id] = 1u;"),
            absl::OkStatus());
  const absl::StatusOr<mir::Module> small = Module(
      "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
      "layout(binding = 2) buffer B { double big; uint small; };",
      "out_[id] = small;");
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_NE(mir::Print(*small).find("= load_ssbo[1, align 8] 8 "), std::string::npos)
      << mir::Print(*small);
  const auto words = CompileCompute(
      KernelText("layout(constant_id = 0) const bool kUse = false;\n"
                 "#extension GL_ARB_sparse_texture2 : require\n"
                 "layout(binding = 2, r32ui) uniform uimage2D image;",
                 "uvec4 t;"
                 "out_[id] = kUse ? uint(sparseImageLoadARB(image, ivec2(0), t)) : 3u;"));
  ImportOptions options;
  EXPECT_EQ(ImportVerified(words, options).status(), absl::OkStatus());
  options.spec_constants = {{0, 1}};
  ExpectRefused(ImportVerified(words, options).status(), "sparse_residency", "SparseResidency");
}

// Only pointers into storage buffers and shared memory are values.
TEST(Refusal, VariablePointers) {
  const std::string select = R"(
    %a = OpVariable %p_local Function
    %b = OpVariable %p_local Function
    %c = OpUGreaterThan %bool %x %u_5
    %p = OpSelect %p_local %c %a %b
    %result = OpLoad %uint %p
)";
  const std::string preamble = "OpCapability Shader\nOpCapability VariablePointers\n";
  const std::string types = "%p_local = OpTypePointer Function %uint\n";
  ExpectRefused(
      ImportVerified(Assemble(KernelAssembly(types, select, true, "", preamble))).status(),
      "variable_pointers");
}

// Names reach records, which accept UTF-8 only.
TEST(Refusal, EntryPointNamesAreUtf8) {
  auto words = CompileCompute(KernelText("", "out_[id] = 1u;"));
  size_t at = 5;
  while ((words[at] & 0xffff) != static_cast<uint32_t>(spv::Op::OpEntryPoint))
    at += words[at] >> 16;
  const auto with = [&](const char* four_bytes) {
    std::memcpy(&words[at + 3], four_bytes, 4);
    return ImportSpirv(words, {}).status();
  };
  EXPECT_EQ(with("main"), absl::OkStatus());
  EXPECT_EQ(with("\xc3\xa9t\xc3").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(with("\xc3\xa9\xc3\xa9"), absl::OkStatus());
  EXPECT_EQ(with("\xf0\x9f\x98\x80"), absl::OkStatus());
  for (const char* bad : {"\x80"
                          "ain",
                          "\xed\xa0\x80n", "\xc0\x80in", "\xf4\x90\x80\x80",
                          "\xff"
                          "ain"}) {
    EXPECT_EQ(with(bad).code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

TEST(Refusal, EntryPoints) {
  const auto words = CompileCompute(KernelText("", "out_[id] = 1u;"));
  ImportOptions options;
  options.entry = "other";
  const absl::Status unknown = ImportSpirv(words, options).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(CauseOf(unknown), "not_found");
  EXPECT_EQ(unknown.message(), "no entry point \"other\"; the module has \"main\"");
  options.entry = "main";
  EXPECT_TRUE(ImportSpirv(words, options).ok());
}

// An empty name selects the only entry point, or the one with an empty name.
TEST(Refusal, EntryPointsWithoutAName) {
  const auto named = [](const std::string& others) {
    std::string text = KernelAssembly("", "%result = OpCopyObject %uint %x\n");
    text.insert(text.find("OpEntryPoint"), others);
    const auto module = ImportSpirv(Assemble(text), ImportOptions());
    return module.ok() ? "\"" + module->entry_point + "\"" : std::string(module.status().message());
  };
  EXPECT_EQ(named(""), "\"main\"");
  EXPECT_EQ(named("OpEntryPoint GLCompute %main \"\"\n"), "\"\"");
  EXPECT_EQ(named("OpEntryPoint GLCompute %main \"a\"\nOpEntryPoint GLCompute %main \"\"\n"),
            "\"\"");
  EXPECT_EQ(named("OpEntryPoint GLCompute %main \"a\"\n"),
            "several compute entry points; name one with --entry: \"a\" \"main\"");
}

// Names may be a megabyte long; messages quote their beginnings.
TEST(Refusal, EntryPointNamesAreCutInMessages) {
  const std::string long_name(200'000, 'n');
  const auto error = [&](const std::string& lines, const std::string& entry) {
    std::string text = KernelAssembly("", "%result = OpCopyObject %uint %x\n");
    text.insert(text.find("OpEntryPoint"), lines);
    ImportOptions options;
    options.entry = entry;
    return ImportSpirv(Assemble(text), options).status();
  };
  const std::string one = "OpEntryPoint GLCompute %main \"" + long_name + "\"\n";
  const std::string other = "OpEntryPoint Geometry %main \"" + long_name + "\"\n";
  const std::string kernel = "OpEntryPoint Kernel %main \"" + long_name + "\"\n";
  for (const absl::Status& s : {error(one, ""), error(one, "x"), error("", long_name),
                                error(other, long_name), error(kernel, long_name)}) {
    EXPECT_FALSE(s.ok());
    EXPECT_NE(s.message().find("nnnn..."), std::string::npos) << s.message().substr(0, 300);
    EXPECT_LT(s.message().size(), 400u);
  }
}

// f30 calls f29 twice, and so on: 2^30 instructions if inlined. Refused at once.
TEST(Refusal, CallExpansionIsComputedBeforeItIsMade) {
  std::string functions;
  for (int i = 0; i <= 30; ++i) {
    const std::string n = std::to_string(i);
    functions += "%f" + n + " = OpFunction %void None %fn\n%l" + n + " = OpLabel\n";
    if (i > 0) {
      const std::string callee = "%f" + std::to_string(i - 1) + "\n";
      functions += "%c" + n + " = OpFunctionCall %void " + callee + "%d" + n +
                   " = OpFunctionCall %void " + callee;
    }
    functions += "OpReturn\nOpFunctionEnd\n";
  }
  const std::string main = "%call = OpFunctionCall %void %f30\n%result = OpIAdd %uint %x %u_1\n";
  const auto words = Assemble(KernelAssembly("", main, true, functions));
  const auto start = std::chrono::steady_clock::now();
  ExpectRefused(ImportSpirv(words, {}).status(), "module_too_large");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(200));
}

TEST(Refusal, BudgetHoldsForWhatOneInstructionExpandsTo) {
  std::string body;
  for (int i = 0; i < 40; ++i) body += "m = inverse(m) + m;\n";
  const auto words = CompileCompute(
      KernelText("", "mat4 m = mat4(float(id));\n" + body + "out_[id] = uint(m[0][0]);"));
  ImportOptions options;
  options.max_instructions = 5000;
  ExpectRefused(ImportSpirv(words, options).status(), "module_too_large");
  options.max_instructions = 50000;
  EXPECT_TRUE(ImportSpirv(words, options).ok());
}

TEST(Refusal, LargeValues) {
  const std::string globals =
      "struct Big { uint a[70000]; }; layout(binding = 2) buffer B { Big x; Big y; };";
  ExpectRefused(Import(globals, "x = y;"), "composite_too_large");
  EXPECT_TRUE(Import(globals, "x.a[id] = y.a[id];").ok());
}

TEST(Refusal, DeepNesting) {
  std::string body;
  for (int i = 0; i < 300; ++i) body += "if (in_[" + std::to_string(i) + "] != id) {\n";
  body += "out_[id] = 1u;\n" + std::string(300, '}');
  ExpectRefused(Import("", body), "nesting_too_deep");
}

TEST(Refusal, Malformed) {
  const auto expect_invalid = [](const std::string& types, const std::string& main,
                                 const std::string& functions = "") {
    const absl::Status status =
        ImportVerified(Assemble(KernelAssembly(types, main, true, functions))).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_EQ(RefusalCause(status), "");
  };
  // Types of operands.
  expect_invalid("", "%result = OpIAdd %uint %x %f_1\n");
  expect_invalid("", "%y = OpFAdd %float %x %x\n%result = OpBitcast %uint %y\n");
  expect_invalid("", "%y = OpIAdd %v2uint %x %x\n%result = OpIAdd %uint %x %x\n");
  expect_invalid("", "%result = OpLogicalAnd %uint %x %x\n");
  expect_invalid("", "%result = OpSelect %uint %x %x %x\n");
  expect_invalid("", "OpStore %x_p %f_1\n%result = OpIAdd %uint %x %x\n");
  expect_invalid("", "%result = OpCompositeExtract %uint %x 0\n");
  expect_invalid("", "%v = OpCompositeConstruct %v2uint %x\n%result = OpIAdd %uint %x %x\n");
  expect_invalid("", "%result = OpLoad %uint %x\n");
  // Use before definition, and use of an id that is no value.
  expect_invalid("", "%result = OpIAdd %uint %y %x\n%y = OpIAdd %uint %x %x\n");
  expect_invalid("", "%result = OpIAdd %uint %uint %x\n");
  // A pointer copied to a pointer to a larger type, through which a loop stores.
  expect_invalid(
      "%big = OpTypeArray %uint %u_9\n%p_big = OpTypePointer Function %big\n"
      "%p_fn = OpTypePointer Function %uint\n",
      R"(
    %v = OpVariable %p_fn Function
    OpBranch %loop
    %loop = OpLabel
    OpLoopMerge %done %loop None
    %q = OpCopyObject %p_big %v
    %e = OpAccessChain %p_fn %q %u_8
    OpStore %e %x
    %c = OpUGreaterThan %bool %x %u_5
    OpBranchConditional %c %loop %done
    %done = OpLabel
    %result = OpIAdd %uint %x %x
)");
  // Recursion.
  expect_invalid("", "%c = OpFunctionCall %void %f\n%result = OpIAdd %uint %x %x\n",
                 "%f = OpFunction %void None %fn\n%l = OpLabel\n%d = OpFunctionCall %void %f\n"
                 "OpReturn\nOpFunctionEnd\n");
  // Irreducible control flow.
  expect_invalid("", R"(
    %c = OpUGreaterThan %bool %x %u_5
    OpSelectionMerge %m None
    OpBranchConditional %c %a %b
    %a = OpLabel
    OpBranchConditional %c %b %m
    %b = OpLabel
    OpBranchConditional %c %a %m
    %m = OpLabel
    %result = OpIAdd %uint %x %x
)");
  // Branches to invalid blocks.
  expect_invalid("", "OpBranch %entry\n%n = OpLabel\n%result = OpIAdd %uint %x %x\n");
  expect_invalid("", "OpBranch %main\n%n = OpLabel\n%result = OpIAdd %uint %x %x\n");
}

}  // namespace
}  // namespace kiln::front
