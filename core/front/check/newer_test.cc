// Tests modules with features added to SPIR-V since the validator's release: they are compiled, or
// refused by name, and called invalid only for real errors. The assembler is as old as the
// validator: enumerants that it does not know are written as numbers (!6024), as is a whole word of
// an instruction. Such an instruction cannot follow one whose last operand may be absent or
// repeated, because it would be taken for that operand.
#include "core/front/check/newer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/base/cause.h"
#include "core/front/check/coverage.h"
#include "core/front/check/refusal.h"
#include "core/front/check/validate.h"
#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

using Words = std::vector<uint32_t>;

// The frame of a module with a compute or other entry point: declarations before the memory model,
// execution modes, types, the body of main.
struct Text {
  std::string declarations = {};
  std::string modes = {};
  std::string types = {};
  std::string body = {};
  std::string model = "GLCompute";
  std::string interface = {};
};

Words Make(const Text& text) {
  const bool compute = text.model == "GLCompute";
  return Assemble(absl::StrCat("OpCapability Shader\n", text.declarations,
                               "OpMemoryModel Logical GLSL450\n"
                               "OpEntryPoint ",
                               text.model, " %main \"main\" ", text.interface, "\n",
                               compute ? "OpExecutionMode %main LocalSize 32 1 1\n"
                               : text.model == "Fragment"
                                   ? "OpExecutionMode %main OriginUpperLeft\n"
                                   : "",
                               text.modes,
                               "%void = OpTypeVoid\n"
                               "%fn = OpTypeFunction %void\n"
                               "%bool = OpTypeBool\n"
                               "%uint = OpTypeInt 32 0\n"
                               "%float = OpTypeFloat 32\n"
                               "%true = OpConstantTrue %bool\n"
                               "%f_1 = OpConstant %float 1\n",
                               text.types,
                               "%main = OpFunction %void None %fn\n"
                               "%label = OpLabel\n",
                               text.body,
                               "OpReturn\n"
                               "OpFunctionEnd\n"));
}

// Returns the status that a service reports.
absl::Status Judge(const Words& words) {
  if (absl::Status s = ValidateSpirv(words); !s.ok()) return s;
  return ImportVerified(words).status();
}

void ExpectCompiled(const Text& text) {
  const absl::Status status = Judge(Make(text));
  EXPECT_TRUE(status.ok()) << status;
}

// Expects an invalid module, with this in the message.
void ExpectInvalid(const Text& text, const std::string& message) {
  const absl::Status status = ValidateSpirv(Make(text));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_NE(std::string(status.message()).find(message), std::string::npos) << status;
}

// Expects a refusal with and without the validator.
void ExpectRefused(const Text& text, const std::string& cause, const std::string& message) {
  const Words words = Make(text);
  for (const absl::Status& status : {ValidateSpirv(words), ImportVerified(words).status()}) {
    EXPECT_EQ(RefusalCause(status), cause) << status;
    EXPECT_NE(std::string(status.message()).find(message), std::string::npos) << status;
  }
}

constexpr char kQuadControl[] = "OpCapability !5087\nOpExtension \"SPV_KHR_quad_control\"\n";
constexpr char kReplicated[] =
    "OpCapability !6024\nOpExtension \"SPV_EXT_replicated_composites\"\n";

// ---- Compiled features ----

TEST(Newer, DerivativesUnderTheirKhrName) {
  Text text{.declarations =
                "OpCapability ComputeDerivativeGroupLinearNV\n"
                "OpExtension \"SPV_KHR_compute_shader_derivatives\"\n",
            .modes = "OpExecutionMode %main DerivativeGroupLinearNV\n",
            .body = "%d = OpDPdx %float %f_1\n"};
  ExpectCompiled(text);
  text.modes = "OpExecutionMode %main DerivativeGroupQuadsNV\n";
  ExpectInvalid(text, "DerivativeGroupQuadsNV");
}

TEST(Newer, MaximalReconvergence) {
  Text text{.declarations = "OpExtension \"SPV_KHR_maximal_reconvergence\"\n",
            .modes = "OpExecutionMode %main !6023\n"};
  ExpectCompiled(text);
  text.declarations = "";
  ExpectInvalid(text, "MaximallyReconvergesKHR needs the declaration of SPV_KHR_maximal_reconv");
}

TEST(Newer, QuadControl) {
  Text text{.declarations = kQuadControl,
            .body =
                "!0x000413F6 %bool %a %true\n"
                "!0x000413F7 %bool %b %a\n"};
  ExpectCompiled(text);
  text.model = "Fragment";
  text.modes = "OpExecutionMode %main !5088\nOpExecutionMode %main !5089\n";
  ExpectCompiled(text);
  text.declarations = "OpCapability !5087\n";
  ExpectInvalid(text, "QuadControlKHR needs the extension SPV_KHR_quad_control");
  text.declarations = "OpExtension \"SPV_KHR_quad_control\"\n";
  ExpectInvalid(text, "needs the declaration of QuadControlKHR");
}

// Full quads are for fragments only; derivatives not for vertices.
TEST(Newer, QuadModesOfOtherStages) {
  for (const auto& [model, mode, cause] :
       std::vector<std::tuple<std::string, std::string, absl::StatusCode>>{
           {"GLCompute", "5088", absl::StatusCode::kOk},
           {"GLCompute", "5089", absl::StatusCode::kInvalidArgument},
           {"Vertex", "5088", absl::StatusCode::kInvalidArgument},
           {"Vertex", "5089", absl::StatusCode::kInvalidArgument}}) {
    const absl::Status status =
        Judge(Make({.declarations = kQuadControl,
                    .modes = absl::StrCat("OpExecutionMode %main !", mode, "\n"),
                    .model = model}));
    EXPECT_EQ(status.code(), cause) << model << mode << status;
  }
}

// Checks the value of a composite's part, for each of the three instructions.
TEST(Newer, ReplicatedComposites) {
  const std::string types =
      "OpDecorate %spec SpecId 3\n"
      "%m = OpTypeMatrix %v2float 2\n"
      "%pair = OpTypeStruct %uint %uint\n"
      "%u_100 = OpConstant %uint 100\n"
      "%array = OpTypeArray %pair %u_100\n"
      "%spec = OpSpecConstant %uint 5\n"
      "!0x0004116D %v4uint %c_vector %u_7\n"
      "!0x0004116D %v2float %c_column %f_2\n"
      "!0x0004116D %m %c_matrix %c_column\n"
      "!0x0004116E %pair %c_pair %spec\n"
      "!0x0004116E %array %c_array %c_pair\n";
  const std::string main = R"(
    %a = OpCompositeExtract %uint %c_vector 3
    %ends = OpIAdd %uint %a %a
    !0x0004116F %v4uint %vector %x
    !0x0004116F %pair %both %x
    !0x0004116F %array %many %both
    %f = OpCompositeExtract %float %c_matrix 1 0
    %b = OpConvertFToU %uint %f
    %c = OpCompositeExtract %uint %c_array 99 1
    %d = OpCompositeExtract %uint %vector 2
    %e = OpCompositeExtract %uint %many 57 0
    %ab = OpIAdd %uint %a %b
    %abc = OpIAdd %uint %ab %c
    %abcd = OpIAdd %uint %abc %d
    %result = OpIAdd %uint %abcd %e
  )";
  Words words = Assemble(
      KernelAssembly(types, main, true, "", std::string("OpCapability Shader\n") + kReplicated));
  words[1] = 0x00010300;  // 1.3: entry points do not list buffers
  const absl::Status valid = ValidateSpirv(words);
  ASSERT_TRUE(valid.ok()) << valid;
  ImportOptions options;
  for (const uint32_t spec : {5u, 11u}) {
    if (spec != 5) options.spec_constants.push_back({3, spec});
    const auto module = ImportVerified(words, options);
    ASSERT_TRUE(module.ok()) << module.status();
    const auto out = RunWords(*module, Words(32, 1000), 32);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(*out, Words(32, 7 + 2 + spec + 1000 + 1000));
  }
}

// A part without values would leave the work unbounded: each of these took seconds.
TEST(Newer, ReplicatedCompositesOfPartsWithoutValues) {
  const std::string types =
      "%nothing = OpTypeStruct\n"
      "%u_many = OpConstant %uint 4000000000\n"
      "%array = OpTypeArray %nothing %u_many\n";
  std::string main = "%n = OpUndef %nothing\n";
  for (int i = 0; i < 60; ++i) {
    main += "!0x0004116F %array %many" + std::to_string(i) + " %n\n";
  }
  main += "%result = OpIAdd %uint %x %x\n";
  EXPECT_TRUE(
      ImportVerified(Assemble(KernelAssembly(types, main, true, "",
                                             std::string("OpCapability Shader\n") + kReplicated)))
          .ok());
}

TEST(Newer, ReplicatedCompositesOfTheWrongType) {
  Text text{.declarations = kReplicated,
            .types = "%v4 = OpTypeVector %uint 4\n!0x0004116D %v4 %c %f_1\n"};
  ExpectInvalid(text, "Constituent");
  // 100 are not written out for the validator: the reader reports the error.
  const std::string array = "%n = OpConstant %uint 100\n%a = OpTypeArray %uint %n\n";
  text.types = array + "!0x0004116D %a %c %f_1\n";
  EXPECT_EQ(Judge(Make(text)).code(), absl::StatusCode::kInvalidArgument);
  text.types = array;
  text.body = "!0x0004116F %a %c %f_1\n";
  EXPECT_EQ(Judge(Make(text)).code(), absl::StatusCode::kInvalidArgument);
  text.body = "!0x0004116F %uint %c %f_1\n";
  EXPECT_EQ(Judge(Make(text)).code(), absl::StatusCode::kInvalidArgument);
}

constexpr char kDebug[] =
    "OpExtension \"SPV_KHR_non_semantic_info\"\n"
    "OpExtension \"SPV_KHR_relaxed_extended_instruction\"\n"
    "%dbg = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n"
    "%glsl = OpExtInstImport \"GLSL.std.450\"\n";

// A list whose nodes point to the list: the struct's description needs the pointer's, which needs
// the struct's.
TEST(Newer, ForwardReferencesInDebugInformation) {
  Text text{.declarations = kDebug,
            .types =
                "!0x00061151 %void %pointer %dbg !3 %node\n"
                "%node = OpExtInst %void %dbg DebugInfoNone\n",
            .body =
                "!0x00061151 %void %scope %dbg !23 %later\n"
                "%later = OpExtInst %void %dbg DebugInfoNone\n"};
  ExpectCompiled(text);
  Text wrong = text;
  wrong.declarations =
      absl::StrReplaceAll(kDebug, {{"OpExtension \"SPV_KHR_relaxed_extended_instruction\"\n", ""}});
  ExpectInvalid(wrong, "SPV_KHR_relaxed_extended_instruction");
  wrong = text;
  wrong.body = "!0x00061151 %float %root %glsl !31 %f_1\n";
  ExpectInvalid(wrong, "instruction set other than a NonSemantic one");
  EXPECT_EQ(ImportVerified(Make(wrong)).status().code(), absl::StatusCode::kInvalidArgument);
}

// The operands of a non-semantic set's instructions need only be ids.
TEST(Newer, NewerSetsOfReflection) {
  Text text{.declarations =
                "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                "%set = OpExtInstImport \"NonSemantic.ClspvReflection.6\"\n",
            .types = "!0x0006000C %void %kernel %set !1 %f_1\n"};
  ExpectCompiled(text);
  text.types = "!0x0006000C %void %kernel %set !1 !4000\n";
  EXPECT_EQ(ValidateSpirv(Make(text)).code(), absl::StatusCode::kInvalidArgument);
}

// ---- Allowed by a later rule ----

// Vulkan's maintenance9. The importer checks the results.
TEST(Newer, BitInstructionsOfOtherWidths) {
  const char* bodies[] = {
      "%a = OpBitCount %ulong %l\n",
      "%a = OpBitCount %uint %l\n",
      "%a = OpBitReverse %ulong %l\n",
      "%a = OpBitReverse %v2 %pair\n",
      "%a = OpBitFieldInsert %ushort %s %s %u %u\n",
      "%a = OpBitFieldUExtract %ulong %l %u %u\n",
      "%a = OpBitFieldSExtract %ulong %l %u %u\n",
  };
  Text text{.declarations = "OpCapability Int64\nOpCapability Int16\n",
            .types =
                "%ulong = OpTypeInt 64 0\n%ushort = OpTypeInt 16 0\n"
                "%v2 = OpTypeVector %ushort 2\n%l = OpConstant %ulong 5\n"
                "%s = OpConstant %ushort 5\n%u = OpConstant %uint 3\n"
                "%pair = OpConstantComposite %v2 %s %s\n"};
  for (const char* body : bodies) {
    text.body = body;
    EXPECT_TRUE(ValidateSpirv(Make(text)).ok()) << body << ValidateSpirv(Make(text));
    EXPECT_NE(ImportVerified(Make(text)).status().code(), absl::StatusCode::kInternal);
  }
  for (const char* body : {"%a = OpBitReverse %ulong %s\n", "%a = OpBitReverse %float %l\n",
                           "%a = OpBitFieldInsert %ulong %l %s %u %u\n"}) {
    text.body = body;
    EXPECT_EQ(ValidateSpirv(Make(text)).code(), absl::StatusCode::kInvalidArgument) << body;
  }
}

// Vulkan's maintenance8.
TEST(Newer, OffsetsOutsideOfGathers) {
  const auto text = [](const std::string& operands, const std::string& declarations) {
    return Text{.declarations = declarations,
                .types =
                    "%v2 = OpTypeVector %float 2\n%v4 = OpTypeVector %float 4\n"
                    "%int = OpTypeInt 32 1\n%i2 = OpTypeVector %int 2\n"
                    "%image = OpTypeImage %float 2D 0 0 0 1 Unknown\n"
                    "%sampled = OpTypeSampledImage %image\n"
                    "%p = OpTypePointer UniformConstant %sampled\n"
                    "%t = OpVariable %p UniformConstant\n"
                    "%one = OpConstantComposite %v2 %f_1 %f_1\n"
                    "%i_1 = OpConstant %int 1\n"
                    "%by = OpConstantComposite %i2 %i_1 %i_1\n"
                    "%pi = OpTypePointer Private %i2\n%v = OpVariable %pi Private %by\n",
                .body = "%off = OpLoad %i2 %v\n%s = OpLoad %sampled %t\n" + operands + "\n"};
  };
  const std::string gathers = "OpCapability ImageGatherExtended\n";
  const auto valid = [](Text t) {
    // A descriptor needs its set and binding, which precede the types.
    t.interface = "%t %v";
    t.modes = "OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 0\n";
    return ValidateSpirv(Make(t));
  };
  for (const char* body : {
           "%a = OpImageSampleExplicitLod %v4 %s %one Lod|Offset %f_1 %off",
           "%a = OpImageSampleExplicitLod %v4 %s %one Grad|Offset %one %one %off",
           "%i = OpImage %image %s\n%a = OpImageFetch %v4 %i %by Offset %off",
       }) {
    EXPECT_TRUE(valid(text(body, gathers)).ok()) << body << valid(text(body, gathers));
    EXPECT_EQ(valid(text(body, "")).code(), absl::StatusCode::kInvalidArgument) << body;
  }
  // An instruction may have only one offset.
  const Text two = text(
      "%a = OpImageSampleExplicitLod %v4 %s %one Lod|ConstOffset|Offset %f_1 %by %off", gathers);
  EXPECT_EQ(valid(two).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      valid(text("%a = OpImageSampleExplicitLod %v4 %s %one Lod|Offset %off %off", gathers)).code(),
      absl::StatusCode::kInvalidArgument);
}

// ---- Refused by name ----

TEST(Newer, DeclaredFeaturesAreRefusedByName) {
  struct Case {
    uint32_t capability;
    std::string extension, cause, name;
  };
  for (const Case& c : {
           Case{6022, "SPV_KHR_cooperative_matrix", "cooperative_matrix", "CooperativeMatrixKHR"},
           Case{5430, "SPV_NV_cooperative_matrix2", "cooperative_matrix",
                "CooperativeMatrixReductionsEXT"},
           Case{5394, "SPV_NV_cooperative_vector", "cooperative_vector", "CooperativeVectorNV"},
           Case{5116, "SPV_KHR_bfloat16", "bfloat16", "BFloat16TypeKHR"},
           Case{4212, "SPV_EXT_float8", "float8", "Float8EXT"},
           Case{4473, "SPV_KHR_untyped_pointers", "untyped_pointers", "UntypedPointersKHR"},
           Case{4166, "SPV_EXT_shader_tile_image", "tile_images", "TileImageColorReadAccessEXT"},
           Case{4174, "SPV_ARM_tensors", "tensors", "TensorsARM"},
           Case{5391, "SPV_KHR_ray_tracing_position_fetch", "ray_tracing", "RayQueryPositionFetch"},
           Case{5414, "SPV_NV_raw_access_chains", "newer_feature", "RawAccessChainsNV"},
       }) {
    ExpectRefused({.declarations = absl::StrCat("OpCapability !", c.capability, "\nOpExtension \"",
                                                c.extension, "\"\n")},
                  c.cause, c.name);
  }
}

// A decoration of an extension without a capability.
TEST(Newer, DecorationsAreRefusedByName) {
  const Text text{.declarations = "OpExtension \"SPV_QCOM_image_processing\"\n",
                  .modes = "OpDecorate %main !4487\n"};
  const absl::Status status = ValidateSpirv(Make(text));
  EXPECT_EQ(RefusalCause(status), "newer_feature") << status;
  EXPECT_NE(std::string(status.message()).find("WeightTextureQCOM"), std::string::npos) << status;
}

// Instructions before the functions are refused too, without the validator.
TEST(Newer, InstructionsOutsideOfFunctionsAreRefusedByName) {
  const absl::Status status =
      ImportVerified(Make({.types = "OpSamplerImageAddressingModeNV 64\n"})).status();
  EXPECT_EQ(RefusalCause(status), "images") << status;
}

// Each newer capability of the registry is known by name, and compiled or refused.
TEST(Newer, EveryNewerCapabilityHasAnAnswer) {
  int refused = 0, compiled = 0;
  for (const CoverageRow& row : CoverageTable()) {
    const NewerRow* newer = NewerRowOf("Capability", row.number);
    if (row.kind != "capability" || newer == nullptr) continue;
    EXPECT_EQ(row.name, newer->name);
    const Text text{.declarations = absl::StrCat("OpCapability !", row.number, "\nOpExtension \"",
                                                 std::string(newer->feature), "\"\n")};
    if (row.cause.empty()) {
      ++compiled;
      ExpectCompiled(text);
    } else {
      ++refused;
      ExpectRefused(text, std::string(row.cause), std::string(row.name));
    }
  }
  EXPECT_GE(compiled, 2);
  EXPECT_EQ(refused + compiled, 97);
}

TEST(Newer, WhatNoTableKnows) {
  ExpectRefused({.declarations = "OpCapability !9999\n"}, "newer_feature", "capability 9999");
  // An unknown extension is refused only if the validator rejects the module.
  Text text{.declarations = "OpExtension \"SPV_KHR_of_next_year\"\n"};
  ExpectCompiled(text);
  text.modes = "OpExecutionMode %main !9999\n";
  EXPECT_EQ(RefusalCause(ValidateSpirv(Make(text))), "newer_feature");
  EXPECT_NE(std::string(ValidateSpirv(Make(text)).message()).find("SPV_KHR_of_next_year"),
            std::string::npos);
  // An undeclared capability is an error.
  text.declarations = "";
  ExpectInvalid(text, "9999");
  Words words = Make({});
  words[1] = 0x00010700;
  for (const absl::Status& status : {ValidateSpirv(words), ImportVerified(words).status()}) {
    EXPECT_EQ(RefusalCause(status), "newer_feature") << status;
    EXPECT_NE(std::string(status.message()).find("SPIR-V 1.7"), std::string::npos) << status;
  }
}

// Without the validator and without its capability, such a type is not mistaken for one of IEEE
// 754.
TEST(Newer, EncodingsOfFloatTypesAreNotIgnored) {
  const absl::Status status =
      ImportVerified(Make({.types = "!0x00040016 %bf !16 !0\n%p = OpTypePointer Function %bf\n",
                           .body = "%v = OpVariable %p Function\n%l = OpLoad %bf %v\n"}))
          .status();
  EXPECT_EQ(RefusalCause(status), "bfloat16") << status;
}

// ---- Real errors ----

// The number in the message is that of the module's instruction, though the validator sees fewer.
TEST(Newer, InvalidModulesStayInvalid) {
  const Text text{.declarations = kQuadControl,
                  .body = "%a = OpIAdd %uint %true %true\n!0x000413F6 %bool %b %true\n"};
  ExpectInvalid(text, "instruction 16: ");
  ExpectInvalid({.declarations = kQuadControl, .body = "!0x000413F6 %bool %b %f_1\n"},
                "newer instructions are replaced by older ones");
  ExpectInvalid({.declarations = kQuadControl, .body = "!0x000213F6 %bool\n"}, "too short");
}

// On words that are no module, rewriting ends, within the words.
TEST(Newer, AnyWords) {
  const Words words = Assemble(KernelAssembly(
      "%short = OpTypeInt 16 0\n%s_1 = OpConstant %short 1\n%v2short = OpTypeVector %short 2\n%c = "
      "OpConstantComposite %v2short %s_1 %s_1\n"
      "!0x0004116D %v4uint %r %u_7\n",
      "%b = OpBitCount %v2short %c\n%result = OpCopyObject %uint %x\n!0x000413F6 %bool %a %true\n",
      true, "",
      absl::StrCat("OpCapability Shader\nOpCapability Int16\n", kReplicated, kQuadControl)));
  uint64_t state = 1;
  const auto below = [&state](size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>((state >> 33) % n);
  };
  for (int round = 0; round < 20000; ++round) {
    Words mutated = words;
    for (size_t n = 1 + below(4); n > 0; --n) {
      mutated[below(mutated.size())] =
          below(2) != 0 ? words[below(words.size())] : static_cast<uint32_t>(below(7000));
    }
    mutated.resize(1 + below(mutated.size()));
    const auto older = OlderFormOf(mutated);
    if (older.ok()) {
      EXPECT_LE(older->words.size(), mutated.size() + (1 << 16));
    }
  }
}

}  // namespace
}  // namespace kiln::front
