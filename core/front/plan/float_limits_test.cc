// Tests the flags of imported instructions, by decorations and execution modes.
#include "core/front/plan/float_limits.h"

#include <string>

#include "core/front/check/coverage.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

constexpr char kPreamble[] =
    "OpCapability Shader\nOpCapability Float16\nOpCapability SignedZeroInfNanPreserve\n"
    "OpCapability !6029\nOpExtension \"SPV_KHR_float_controls\"\n"
    "OpExtension \"SPV_KHR_float_controls2\"\n";

constexpr char kTypes[] = R"(
%half = OpTypeFloat 16
%h_1 = OpConstant %half 1
%v2half = OpTypeVector %half 2
%none = OpConstant %uint 0
%specials_ignored = OpConstant %uint 7
%all = OpConstant %uint 458767
)";

// Imports the module with `modes` among its execution modes, `decorations`, and `main`.
absl::StatusOr<mir::Module> Import(const std::string& modes, const std::string& decorations,
                                   const std::string& main) {
  std::string text = KernelAssembly(decorations + kTypes, main, true, "", kPreamble);
  text.insert(text.find("    OpDecorate %gid"), modes);
  return ImportVerified(Assemble(text));
}

// Returns the flags of the only instruction of this kind.
int FlagsOf(const absl::StatusOr<mir::Module>& module, mir::Op op) {
  EXPECT_TRUE(module.ok()) << module.status();
  int flags = -1;
  if (!module.ok()) return flags;
  for (const mir::InstId id : module->region(module->body).insts) {
    if (module->inst(id).op != op) continue;
    EXPECT_EQ(flags, -1) << "two of them";
    flags = module->inst(id).flags;
  }
  return flags;
}

constexpr char kSum[] =
    "%f = OpBitcast %float %x\n%a = OpFAdd %float %f %f_1\n%result = OpBitcast %uint %a\n";

std::string Default(const std::string& type, const std::string& mask) {
  return "OpExecutionModeId %main !6028 " + type + " " + mask + "\n";
}

TEST(FloatLimits, EachBitOfAMaskIsALicence) {
  EXPECT_EQ(LimitsOfFastMath(0), mir::kExact);
  EXPECT_EQ(LimitsOfFastMath(0x7000f), 0);
  EXPECT_EQ(LimitsOfFastMath(0x10), mir::kExact);
  EXPECT_EQ(LimitsOfFastMath(0x7000e), mir::kKeepNan);
  EXPECT_EQ(LimitsOfFastMath(0x7000d), mir::kKeepInf);
  EXPECT_EQ(LimitsOfFastMath(0x7000b), mir::kKeepZeroSign);
  EXPECT_EQ(LimitsOfFastMath(0x70007), mir::kNoReciprocal);
  EXPECT_EQ(LimitsOfFastMath(0x6000f), mir::kNoContraction);
  EXPECT_EQ(LimitsOfFastMath(0x5000f), mir::kNoReassociation);
  EXPECT_EQ(LimitsOfFastMath(0x3000f), mir::kNoTransform);
}

// Without a default, Vulkan allows everything, also if the capability is declared.
TEST(FloatLimits, WithoutModesAllIsAllowed) {
  EXPECT_EQ(FlagsOf(Import("", "", kSum), mir::Op::kFadd), 0);
}

TEST(FloatLimits, SignedZeroInfNanPreserveIsOfItsWidthAndForbidsNoRearrangement) {
  const auto flags = [](const char* width) {
    return FlagsOf(
        Import(std::string("OpExecutionMode %main SignedZeroInfNanPreserve ") + width + "\n", "",
               kSum),
        mir::Op::kFadd);
  };
  EXPECT_EQ(flags("32"), mir::kKeepSpecials);
  EXPECT_EQ(flags("16"), 0);
}

TEST(FloatLimits, ADecorationStandsAboveTheDefault) {
  const std::string decoration = "OpDecorate %a FPFastMathMode NotNaN|NSZ\n";
  const int limits = mir::kExact & ~(mir::kKeepNan | mir::kKeepZeroSign);
  EXPECT_EQ(FlagsOf(Import("", decoration, kSum), mir::Op::kFadd), limits);
  EXPECT_EQ(FlagsOf(Import(Default("%float", "%all"), decoration, kSum), mir::Op::kFadd), limits);
  EXPECT_EQ(
      FlagsOf(Import(Default("%float", "%none"), "OpDecorate %a FPFastMathMode !458767\n", kSum),
              mir::Op::kFadd),
      0);
}

TEST(FloatLimits, ADefaultIsOfItsTypeAndOthersHaveNoLicence) {
  EXPECT_EQ(FlagsOf(Import(Default("%float", "%none"), "", kSum), mir::Op::kFadd), mir::kExact);
  EXPECT_EQ(FlagsOf(Import(Default("%float", "%specials_ignored"), "", kSum), mir::Op::kFadd),
            mir::kExact & ~mir::kKeepSpecials);
  EXPECT_EQ(FlagsOf(Import(Default("%float", "%all"), "", kSum), mir::Op::kFadd), 0);
  EXPECT_EQ(FlagsOf(Import(Default("%half", "%all"), "", kSum), mir::Op::kFadd), mir::kExact);
}

// A comparison has the limits of its operands; a conversion's neighbours each have their own.
TEST(FloatLimits, OperandsCountAsResultsDo) {
  const std::string main = R"(
%f = OpBitcast %float %x
%h = OpFConvert %half %f
%s = OpFAdd %half %h %h_1
%c = OpFOrdLessThan %bool %s %h_1
%m = OpFMul %float %f %f
%d = OpFOrdEqual %bool %m %f
%e = OpLogicalAnd %bool %c %d
%result = OpSelect %uint %e %u_1 %u_2
)";
  const auto module = Import(Default("%half", "%none") + Default("%float", "%all"), "", main);
  EXPECT_EQ(FlagsOf(module, mir::Op::kFadd), mir::kExact);
  EXPECT_EQ(FlagsOf(module, mir::Op::kFlt), mir::kExact);
  EXPECT_EQ(FlagsOf(module, mir::Op::kFmul), 0);
  EXPECT_EQ(FlagsOf(module, mir::Op::kFeq), 0);
}

// The float arithmetic by which functions of halfs are computed has the half's limits.
TEST(FloatLimits, ExtendedInstructionsAreLimitedAllThrough) {
  const std::string main = R"(
%f = OpBitcast %float %x
%h = OpFConvert %half %f
%s = OpExtInst %half %glsl Sinh %h
%w = OpFConvert %float %s
%result = OpBitcast %uint %w
)";
  const auto module = Import(Default("%half", "%none") + Default("%float", "%all"), "", main);
  ASSERT_TRUE(module.ok()) << module.status();
  int sums = 0;
  for (const mir::Inst& inst : module->insts) {
    if (mir::Info(inst.op).signature[0] != 'f') continue;
    ++sums;
    EXPECT_EQ(inst.flags, mir::kExact) << mir::Info(inst.op).name;
  }
  EXPECT_GT(sums, 3);
}

// If infinities matter, an infinite operand of a mix stays infinite even if its weight is 0.
TEST(FloatLimits, MixOfInfinities) {
  const std::string main = R"(
%f = OpBitcast %float %x
%a = OpExtInst %float %glsl FMix %f %f_1 %quarter
%result = OpBitcast %uint %a
)";
  constexpr char kQuarter[] = "%quarter = OpConstant %float 0.25\n";
  const auto result = [&](const std::string& modes) {
    const auto module = Import(modes, kQuarter, main);
    EXPECT_TRUE(module.ok()) << module.status();
    const auto words = RunWords(*module, std::vector<uint32_t>(32, 0x7f800000), 32);
    EXPECT_TRUE(words.ok()) << words.status();
    return words.ok() ? (*words)[0] : 0;
  };
  EXPECT_EQ(result("OpExecutionMode %main SignedZeroInfNanPreserve 32\n"), 0x7f800000u);
  EXPECT_EQ(result(Default("%float", "%none")), 0x7f800000u);
}

// A mix of -0 and -0 stays -0 if signs of zeros matter, whatever other licences there are.
TEST(FloatLimits, MixOfNegativeZeros) {
  const std::string main = R"(
%f = OpBitcast %float %x
%a = OpExtInst %float %glsl FMix %f %f %f_0
%result = OpBitcast %uint %a
)";
  const auto module = Import("", "OpDecorate %a FPFastMathMode !458763\n", main);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto words = RunWords(*module, std::vector<uint32_t>(32, 0x80000000), 32);
  ASSERT_TRUE(words.ok()) << words.status();
  EXPECT_EQ((*words)[0], 0x80000000u);
}

// Normalising a NaN of one component gives NaN, not a sign.
TEST(FloatLimits, NormalizedNan) {
  const std::string main = R"(
%f = OpBitcast %float %x
%a = OpExtInst %float %glsl Normalize %f
%result = OpBitcast %uint %a
)";
  const auto module = Import(Default("%float", "%none"), "", main);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto words = RunWords(*module, std::vector<uint32_t>(32, 0x7fc00000), 32);
  ASSERT_TRUE(words.ok()) << words.status();
  EXPECT_GT((*words)[0] & 0x7fffffff, 0x7f800000u);
}

TEST(FloatLimits, DefaultsOfWhatIsNoFloatOrNoConstantAreMalformed) {
  const auto error = [](const std::string& mode, const std::string& constants = "") {
    const absl::Status status = Import(mode, constants, kSum).status();
    EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kInvalidArgument) << status;
    const std::string text(status.message());
    return text.substr(0, text.find(" (%"));
  };
  EXPECT_EQ(error(Default("%float", "%none")), "");
  EXPECT_EQ(error(Default("%uint", "%none")),
            "FPFastMathDefault without a float type and a constant mask");
  EXPECT_EQ(error(Default("%v2half", "%none")),
            "FPFastMathDefault without a float type and a constant mask");
  EXPECT_EQ(error(Default("%float", "%f_1")),
            "FPFastMathDefault without a float type and a constant mask");
  EXPECT_NE(error("OpExecutionModeId %main !6028 %float\n"), "");
  // Shaders may not use Fast, and a transform needs the licences to contract and to reassociate.
  const std::string masks = "%fast = OpConstant %uint 16\n%transform = OpConstant %uint 327680\n";
  EXPECT_EQ(error(Default("%float", "%none"), masks), "");
  EXPECT_EQ(error(Default("%float", "%fast"), masks), "FPFastMathDefault with an invalid mask");
  EXPECT_EQ(error(Default("%float", "%transform"), masks),
            "FPFastMathDefault with an invalid mask");
}

}  // namespace
}  // namespace kiln::front
