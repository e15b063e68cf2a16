// One Prepare for several targets: what a target lacks is refused for it alone, by name and place,
// and compiled for one that has it.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/driver/compile.h"
#include "core/driver/explain.h"
#include "core/driver/prepared.h"
#include "core/front/testing/testing.h"
#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

using Words = std::vector<uint32_t>;

std::vector<PassRow> NoPasses() { return {}; }

// The "code" of the test's back end is the lowered module as text.
absl::StatusOr<Compiled> CompileToText(const mir::Module& m, const CompileOptions&, Runner&,
                                       Sink*) {
  EXPECT_EQ(mir::Verify(m), absl::OkStatus());
  const std::string text = mir::Print(m);
  Compiled compiled;
  compiled.variants.emplace_back().code.assign(text.begin(), text.end());
  return compiled;
}

constexpr mid::Features More(bool int64) {
  mid::Features features = mid::kFewFeatures;
  features.int64 = int64;
  features.shared_int64_atomics = true;
  features.float64 = true;
  features.float64_atomics = true;
  features.barycentrics = true;
  features.clocks = true;
  features.int64_images = true;
  features.rounding_by_width = true;
  features.sample_offsets = {.least = -32, .most = 31, .by_lane = true};
  return features;
}
constexpr mid::Features kOfPairs = More(false), kOfWholes = More(true);
constexpr Backend kPairs = {
    .name = "pairs", .features = &kOfPairs, .passes = NoPasses, .compile = CompileToText};
constexpr Backend kWholes = {
    .name = "wholes", .features = &kOfWholes, .passes = NoPasses, .compile = CompileToText};

// Lists these variables, which the kernel uses, as the entry point's interface.
std::string Listed(std::string kernel, const std::string& variables) {
  const std::string entry = "\"main\" %gid";
  return kernel.insert(kernel.find(entry) + entry.size(), " " + variables);
}

std::shared_ptr<const Prepared> PreparedOf(const Words& words) {
  auto prepared = Prepare(words, {}, nullptr, {});
  EXPECT_TRUE(prepared.ok()) << prepared.status();
  return prepared.ok() ? *prepared : nullptr;
}

// The text that the back end makes, or the refusal.
std::string TextFor(const Backend& backend, const Prepared& prepared) {
  const auto compiled = CompileFor(prepared, backend, {}, nullptr, {});
  if (!compiled.ok()) return TextOf(compiled.status());
  return {compiled->variants[0].code.begin(), compiled->variants[0].code.end()};
}

// The output of the test's kernel, which reads `in` and writes `out` in front/testing's frame.
std::vector<uint8_t> RunText(const std::string& text, std::vector<uint8_t> in) {
  const auto m = mir::Parse(text);
  EXPECT_TRUE(m.ok()) << m.status() << "\n" << text;
  if (!m.ok()) return {};
  oracle::LaunchInputs inputs;
  inputs.buffers.push_back({0, 0, 0, std::move(in)});
  inputs.buffers.push_back({0, 1, 0, std::vector<uint8_t>(128)});
  EXPECT_TRUE(oracle::Interpret(*m, inputs).ok());
  return inputs.buffers[1].bytes;
}

TEST(Neutral, SharedInt64Atomics) {
  const Words words = front::Assemble(R"(
    OpCapability Shader
    OpCapability Int64
    OpCapability Int64Atomics
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %1 "main" %2 %20 %32 %33
    OpExecutionMode %1 LocalSize 8 1 1
    %9 = OpString "sum.comp"
    OpName %20 "total"
    OpDecorate %2 BuiltIn LocalInvocationIndex
    OpDecorate %30 ArrayStride 8
    OpDecorate %31 Block
    OpMemberDecorate %31 0 Offset 0
    OpDecorate %32 DescriptorSet 0
    OpDecorate %32 Binding 0
    OpDecorate %33 DescriptorSet 0
    OpDecorate %33 Binding 1
    %3 = OpTypeVoid
    %4 = OpTypeFunction %3
    %5 = OpTypeInt 32 0
    %6 = OpTypeInt 64 0
    %7 = OpTypePointer Input %5
    %2 = OpVariable %7 Input
    %21 = OpTypePointer Workgroup %6
    %20 = OpVariable %21 Workgroup
    %30 = OpTypeRuntimeArray %6
    %31 = OpTypeStruct %30
    %34 = OpTypePointer StorageBuffer %31
    %35 = OpTypePointer StorageBuffer %6
    %32 = OpVariable %34 StorageBuffer
    %33 = OpVariable %34 StorageBuffer
    %40 = OpConstant %5 0
    %41 = OpConstant %5 1
    %42 = OpConstant %5 2
    %43 = OpConstant %5 264
    %44 = OpConstant %6 0
    %1 = OpFunction %3 None %4
    %50 = OpLabel
    %51 = OpLoad %5 %2
    %52 = OpAccessChain %35 %32 %40 %51
    %53 = OpLoad %6 %52
    %54 = OpAccessChain %35 %33 %40 %51
    OpStore %20 %44
    OpControlBarrier %42 %42 %43
    OpLine %9 12 1
    %55 = OpAtomicUMax %6 %20 %41 %40 %53
    OpLine %9 13 1
    %56 = OpAtomicIAdd %6 %20 %41 %40 %53
    OpControlBarrier %42 %42 %43
    %57 = OpLoad %6 %20
    %58 = OpIAdd %6 %57 %56
    OpStore %54 %58
    OpReturn
    OpFunctionEnd)");
  const auto prepared = PreparedOf(words);
  ASSERT_NE(prepared, nullptr);

  const absl::Status refused = Compile(*prepared, Target::kTgl, {}, nullptr, {}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
  const Explanation e = Explain(refused, words);
  EXPECT_EQ(e.cause, "int64_atomics");
  EXPECT_EQ(e.detail.what, "atomic of 64 bits on shared memory");
  EXPECT_EQ(e.detail.capability, "Int64Atomics");
  EXPECT_EQ(e.spirv_id, 20u);
  EXPECT_EQ(e.name, "total");
  EXPECT_EQ(e.file, "sum.comp");
  EXPECT_EQ(e.line, 12u);

  const std::string wholes = TextFor(kWholes, *prepared), pairs = TextFor(kPairs, *prepared);
  EXPECT_NE(wholes.find(":i64 = shared_atomic[umax] 0, %"), std::string::npos) << wholes;
  EXPECT_NE(pairs.find("= shared_atomic64[umax] 0, %"), std::string::npos) << pairs;
  EXPECT_EQ(pairs.find("i64"), std::string::npos) << pairs;
  std::vector<uint8_t> in(64);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(91 * i + 17);
  EXPECT_EQ(RunText(pairs, in), RunText(wholes, in));
  EXPECT_EQ(RunText(wholes, in), RunText(mir::Print(prepared->module), in));
  EXPECT_NE(RunText(wholes, in), RunText(wholes, std::vector<uint8_t>(64)));
}

TEST(Neutral, RoundingByWidth) {
  std::string text = front::KernelAssembly(
      "%half = OpTypeFloat 16\n",
      "%f = OpConvertUToF %float %x\n%g = OpFAdd %float %f %f_1\n%h = OpFConvert %half %g\n"
      "%w = OpFConvert %float %h\n%result = OpBitcast %uint %w\n",
      true, "",
      "OpCapability Shader\nOpCapability Float16\nOpCapability RoundingModeRTZ\n"
      "OpCapability RoundingModeRTE\nOpExtension \"SPV_KHR_float_controls\"\n");
  text.insert(
      text.find("    OpDecorate %gid"),
      "OpExecutionMode %main RoundingModeRTZ 32\nOpExecutionMode %main RoundingModeRTE 16\n");
  const auto prepared = PreparedOf(front::Assemble(Listed(text, "%in %out")));
  ASSERT_NE(prepared, nullptr);
  const absl::Status refused = Compile(*prepared, Target::kTgl, {}, nullptr, {}).status();
  EXPECT_EQ(CauseOf(refused), "float_controls");
  EXPECT_EQ(refused.message(), "two rounding modes");
  EXPECT_NE(SpirvIdOf(refused), 0u);
  EXPECT_NE(TextFor(kPairs, *prepared).find("rounding_f32 to_zero\n"), std::string::npos);
}

// A sample whose offset is chosen by value, which unrolling makes constant in iterations that the
// program does not use: Vulkan leaves a far offset undefined, and no target refuses it.
TEST(Neutral, OffsetsThatPassesMakeConstantAreNotRefused) {
  const std::string kernel = front::KernelAssembly(R"(
    OpDecorate %t DescriptorSet 0
    OpDecorate %t Binding 2
    %v2int = OpTypeVector %int 2
    %image = OpTypeImage %float 2D 0 0 0 1 Unknown
    %sampled = OpTypeSampledImage %image
    %p_sampled = OpTypePointer UniformConstant %sampled
    %t = OpVariable %p_sampled UniformConstant
    %center = OpConstantComposite %v2float %f_0 %f_1
    %first = OpConstant %int -10
    %last = OpConstant %int -7
    %one = OpConstant %int 1
)",
                                                   R"(
    OpBranch %pre
    %pre = OpLabel
    OpBranch %head
    %head = OpLabel
    %i = OpPhi %int %first %pre %next %continue
    %sum = OpPhi %float %f_0 %pre %joined %continue
    OpLoopMerge %end %continue None
    OpBranch %test
    %test = OpLabel
    %more = OpSLessThanEqual %bool %i %last
    OpBranchConditional %more %body %end
    %body = OpLabel
    %square = OpIMul %int %i %i
    %unsigned = OpBitcast %uint %square
    %is_near = OpULessThanEqual %bool %unsigned %x
    OpSelectionMerge %join None
    OpBranchConditional %is_near %then %join
    %then = OpLabel
    %offset = OpCompositeConstruct %v2int %i %one
    %s = OpLoad %sampled %t
    %r = OpImageSampleExplicitLod %v4float %s %center Lod|Offset %f_0 %offset
    %e = OpCompositeExtract %float %r 0
    %added = OpFAdd %float %sum %e
    OpBranch %join
    %join = OpLabel
    %joined = OpPhi %float %sum %body %added %then
    OpBranch %continue
    %continue = OpLabel
    %next = OpIAdd %int %i %one
    OpBranch %head
    %end = OpLabel
    %result = OpBitcast %uint %sum
)",
                                                   true, "",
                                                   "OpCapability Shader\n"
                                                   "OpCapability ImageGatherExtended\n");
  const Words words = front::Assemble(Listed(kernel, "%in %out %t"));
  const auto whole = PreparedOf(words);
  ASSERT_NE(whole, nullptr);
  const std::string text = mir::Print(whole->module);
  EXPECT_NE(text.find(", -10, 1"), std::string::npos) << text;  // a source that is constant now
  const auto at = [&](int64_t limit) {
    PrepareOptions prepare;
    CompileOptions compile;
    prepare.passes.bisect_limit = limit;
    compile.passes.bisect_limit = limit;
    compile.widths = {8};
    const auto prepared = Prepare(words, prepare, nullptr, {});
    if (!prepared.ok()) return prepared.status();
    return Compile(**prepared, Target::kTgl, compile, nullptr, {}).status();
  };
  EXPECT_EQ(at(-1), absl::OkStatus());
  int refused = 0;
  for (int64_t limit = 0; limit < 400; ++limit) {
    const absl::Status s = at(limit);
    if (!s.ok() && refused++ == 0) ADD_FAILURE() << "at " << limit << ": " << s;
  }
}

// Returns the refusal by a target without one feature; one that has it compiles the module.
std::string RefusedWithout(bool mid::Features::*feature, const Words& words) {
  const auto prepared = PreparedOf(words);
  if (prepared == nullptr) return "";
  EXPECT_EQ(TextFor(kPairs, *prepared).rfind("mir 1", 0), 0u) << TextFor(kPairs, *prepared);
  mid::Features features = kOfPairs;
  features.*feature = false;
  Backend lacking = kPairs;
  lacking.features = &features;
  const absl::Status refused = CompileFor(*prepared, lacking, {}, nullptr, {}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(SpirvIdOf(refused), 0u);
  return CauseOf(refused);
}

TEST(Neutral, HalfFloats) {
  const auto compiled = [](const std::string& globals, const std::string& body) {
    return front::CompileCompute(front::KernelText(globals, body));
  };
  EXPECT_EQ(RefusedWithout(
                &mid::Features::half_floats,
                compiled("#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n",
                         "out_[id] = uint(float16_t(in_[id]) * 2.0hf);")),
            "half_floats");
  EXPECT_EQ(RefusedWithout(&mid::Features::half_floats,
                           compiled("", "out_[id] = packHalf2x16(vec2(float(in_[id]), 1.0));")),
            "half_floats");
}

// With 64-bit integers or pairs of dwords instead, the results are the same.
TEST(Neutral, Doubles) {
  const Words words = front::CompileCompute(front::KernelText(
      "#extension GL_EXT_shader_explicit_arithmetic_types : require\n",
      "double d = double(in_[id]) / 3.0lf; uvec2 u = unpackDouble2x32(sqrt(d));\n"
      "out_[id] = u.x ^ u.y ^ uint(uint64_t(d * 1e9lf) >> 7) ^ uint(doubleBitsToUint64(d) >> 9);"));
  EXPECT_EQ(RefusedWithout(&mid::Features::float64, words), "float64");
  const auto prepared = PreparedOf(words);
  ASSERT_NE(prepared, nullptr);
  const std::string pairs = TextFor(kPairs, *prepared), wholes = TextFor(kWholes, *prepared);
  EXPECT_EQ(pairs.find("i64"), pairs.npos) << pairs;
  EXPECT_NE(wholes.find("i64"), wholes.npos) << wholes;
  std::vector<uint8_t> in(128);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(37 * i + 11);
  const std::vector<uint8_t> out = RunText(pairs, in);
  EXPECT_NE(out, std::vector<uint8_t>(128));
  EXPECT_EQ(out, RunText(wholes, in));
}

TEST(Neutral, Addresses) {
  EXPECT_EQ(RefusedWithout(&mid::Features::addresses,
                           front::CompileCompute(front::KernelText(
                               "#extension GL_EXT_buffer_reference : require\n"
                               "layout(buffer_reference, std430) buffer Words { uint words[]; };\n"
                               "layout(push_constant) uniform Push { Words at; };\n",
                               "at.words[id] = in_[id];"))),
            "device_addresses");
}

}  // namespace
}  // namespace kiln
