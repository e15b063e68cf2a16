#include "core/front/testing/testing.h"

#include <gtest/gtest.h>

#include <cstring>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

#include "core/base/cause.h"
#include "core/front/check/validate.h"
#include "core/front/glsl/glsl.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"

namespace kiln::front {
namespace {

constexpr spv_target_env kEnvironment = SPV_ENV_UNIVERSAL_1_6;

std::vector<uint32_t> CompileStage(const std::string& text, ShaderStage stage) {
  GlslSource source;
  source.text = text;
  source.stage = stage;
  const auto words = CompileGlsl(source);
  if (words.ok()) return *words;
  ADD_FAILURE() << words.status() << "\n" << text;
  return {};
}

}  // namespace

std::vector<uint32_t> Assemble(const std::string& text) {
  spvtools::SpirvTools tools(kEnvironment);
  std::string messages;
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t& position, const char* message) {
        messages += std::to_string(position.line + 1) + ": " + message + "\n";
      });
  std::vector<uint32_t> words;
  if (!tools.Assemble(text, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) {
    ADD_FAILURE() << messages << text;
  }
  return words;
}

std::string ReadError(const std::string& text) {
  return TextOf(ParseSpirv(Assemble(text)).status());
}

std::vector<uint32_t> CompileCompute(const std::string& text) {
  return CompileStage(text, ShaderStage::kCompute);
}

std::vector<uint32_t> CompileFragment(const std::string& text) {
  return CompileStage(text, ShaderStage::kFragment);
}

std::vector<uint32_t> Optimise(const std::vector<uint32_t>& words,
                               const std::vector<std::string>& flags) {
  spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_3);
  std::string messages;
  optimizer.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&,
                                   const char* message) { messages += message; });
  EXPECT_TRUE(optimizer.RegisterPassesFromFlags(flags));
  std::vector<uint32_t> out;
  EXPECT_TRUE(optimizer.Run(words.data(), words.size(), &out)) << messages;
  return out;
}

absl::StatusOr<mir::Module> ImportVerified(const std::vector<uint32_t>& words,
                                           const ImportOptions& options) {
  absl::StatusOr<mir::Module> module = ImportSpirv(words, options);
  if (!module.ok()) return module;
  const absl::Status verified = mir::Verify(*module);
  if (!verified.ok()) {
    return absl::InternalError(std::string(verified.message()) + "\n" + mir::Print(*module));
  }
  return module;
}

absl::StatusOr<std::vector<uint32_t>> RunWords(const mir::Module& module,
                                               const std::vector<uint32_t>& input,
                                               size_t output_words, uint32_t groups) {
  oracle::LaunchInputs inputs;
  inputs.groups = {groups, 1, 1};
  inputs.buffers.resize(2);
  inputs.buffers[0].bytes.resize(input.size() * 4);
  std::memcpy(inputs.buffers[0].bytes.data(), input.data(), input.size() * 4);
  inputs.buffers[1].binding = 1;
  inputs.buffers[1].bytes.resize(output_words * 4);
  const auto statistics = oracle::Interpret(module, inputs);
  if (!statistics.ok()) return statistics.status();
  std::vector<uint32_t> output(output_words);
  std::memcpy(output.data(), inputs.buffers[1].bytes.data(), output_words * 4);
  return output;
}

std::string KernelText(const std::string& globals, const std::string& body) {
  return "#version 450\n"
         "layout(local_size_x = 32) in;\n"
         "layout(binding = 0) readonly buffer In { uint in_[]; };\n"
         "layout(binding = 1) buffer Out { uint out_[]; };\n" +
         globals + "\nvoid main() {\n  uint id = gl_GlobalInvocationID.x;\n" + body + "\n}\n";
}

std::vector<uint32_t> RunKernel(const std::string& globals, const std::string& body,
                                const std::vector<uint32_t>& input, size_t output_words,
                                uint32_t count) {
  const std::vector<uint32_t> words = CompileCompute(KernelText(globals, body));
  const auto module = ImportVerified(words);
  if (!module.ok()) {
    ADD_FAILURE() << module.status() << "\n" << body;
    return std::vector<uint32_t>(output_words);
  }
  const auto output = RunWords(*module, input, output_words, count / 32);
  if (output.ok()) return *output;
  ADD_FAILURE() << output.status() << "\n" << mir::Print(*module);
  return std::vector<uint32_t>(output_words);
}

std::string KernelAssembly(const std::string& types, const std::string& main, bool finish,
                           const std::string& functions, const std::string& preamble) {
  std::string text = preamble + R"(
    %glsl = OpExtInstImport "GLSL.std.450"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main "main" %gid
    OpExecutionMode %main LocalSize 32 1 1
    OpDecorate %gid BuiltIn GlobalInvocationId
    OpDecorate %words ArrayStride 4
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %in DescriptorSet 0
    OpDecorate %in Binding 0
    OpDecorate %out DescriptorSet 0
    OpDecorate %out Binding 1
)";
  // The test's decorations must precede its types.
  size_t at = 0;
  std::string rest;
  while (at < types.size()) {
    const size_t end = std::min(types.find('\n', at), types.size() - 1);
    const std::string line = types.substr(at, end - at + 1);
    const size_t start = line.find_first_not_of(' ');
    const bool annotation =
        start != std::string::npos && (line.compare(start, 10, "OpDecorate") == 0 ||
                                       line.compare(start, 16, "OpMemberDecorate") == 0);
    (annotation ? text : rest) += line;
    at = end + 1;
  }
  text += R"(
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %bool = OpTypeBool
    %int = OpTypeInt 32 1
    %uint = OpTypeInt 32 0
    %float = OpTypeFloat 32
    %v2uint = OpTypeVector %uint 2
    %v3uint = OpTypeVector %uint 3
    %v4uint = OpTypeVector %uint 4
    %v2float = OpTypeVector %float 2
    %v3float = OpTypeVector %float 3
    %v4float = OpTypeVector %float 4
    %v2bool = OpTypeVector %bool 2
    %f_0 = OpConstant %float 0
    %f_1 = OpConstant %float 1
    %f_2 = OpConstant %float 2
    %true = OpConstantTrue %bool
    %false = OpConstantFalse %bool
    %words = OpTypeRuntimeArray %uint
    %block = OpTypeStruct %words
    %p_block = OpTypePointer StorageBuffer %block
    %p_word = OpTypePointer StorageBuffer %uint
    %p_v3 = OpTypePointer Input %v3uint
    %p_in = OpTypePointer Input %uint
    %in = OpVariable %p_block StorageBuffer
    %out = OpVariable %p_block StorageBuffer
    %gid = OpVariable %p_v3 Input
)";
  for (int i = 0; i < 10; ++i) {
    text += "    %u_" + std::to_string(i) + " = OpConstant %uint " + std::to_string(i) + "\n";
  }
  text += rest;
  text += R"(
    %main = OpFunction %void None %fn
    %entry = OpLabel
)";
  // Variables must come first in the entry block.
  std::string variables;
  std::string code;
  at = 0;
  while (at < main.size()) {
    const size_t end = std::min(main.find('\n', at), main.size() - 1);
    const std::string line = main.substr(at, end - at + 1);
    (line.find("= OpVariable ") != std::string::npos ? variables : code) += line;
    at = end + 1;
  }
  text += variables + R"(
    %id_p = OpAccessChain %p_in %gid %u_0
    %id = OpLoad %uint %id_p
    %x_p = OpAccessChain %p_word %in %u_0 %id
    %x = OpLoad %uint %x_p
)" + code;
  if (finish) {
    text += R"(
    %out_p = OpAccessChain %p_word %out %u_0 %id
    OpStore %out_p %result
    OpReturn
    OpFunctionEnd
)";
  }
  return text + functions;
}

}  // namespace kiln::front
