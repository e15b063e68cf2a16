// The meaning of imm0 and imm1 of each op, for printer, parser and verifier.
#ifndef KILN_CORE_MIR_IMMEDIATES_H_
#define KILN_CORE_MIR_IMMEDIATES_H_

#include <string_view>

#include "core/mir/mir.h"

namespace kiln::mir {

enum class First : uint8_t {
  kNone,
  kComponent,
  kResource,
  kPrivateArray,
  kMemoryClasses,
  kLaneMask,
  kQuadLane,
  kQuadSwap,
  kReduceOp,
  kInput,
  kOutput,
  kDerivative,
  kTargetNumber
};
enum class Second : uint8_t {
  kNone,
  kAlignment,
  kAtomicOp,
  kTexelOp,
  kScope,
  kCluster,
  kComponent,
  kInterpolateAt,
  kInvocations
};

struct Immediates {
  First first = First::kNone;     // of imm0
  Second second = Second::kNone;  // of imm1
};

constexpr Immediates ImmediatesOf(Op op) {
  switch (op) {
    case Op::kWorkgroupId:
    case Op::kNumWorkgroups:
    case Op::kBaseWorkgroup: return {First::kComponent, Second::kNone};
    case Op::kLoadUbo:
    case Op::kLoadSsbo:
    case Op::kStoreSsbo: return {First::kResource, Second::kAlignment};
    case Op::kSsboSize:
    case Op::kSsboAddress: return {First::kResource, Second::kNone};
    case Op::kLoadPush:
    case Op::kLoadShared:
    case Op::kStoreShared:
    case Op::kLoadConstant:
    case Op::kLoadGlobal:
    case Op::kStoreGlobal: return {First::kNone, Second::kAlignment};
    case Op::kLoadPrivate:
    case Op::kStorePrivate: return {First::kPrivateArray, Second::kAlignment};
    case Op::kSsboAtomic: return {First::kResource, Second::kAtomicOp};
    case Op::kSharedAtomic:
    case Op::kSharedAtomic64:
    case Op::kGlobalAtomic:
    case Op::kGlobalAtomic64: return {First::kNone, Second::kAtomicOp};
    case Op::kSample:
    case Op::kGather:
    case Op::kFetch:
    case Op::kImageLoad:
    case Op::kImageStore:
    case Op::kImageAtomic:
    case Op::kImageAtomic64:
    case Op::kImageSize:
    case Op::kImageLevels:
    case Op::kImageSamples:
    case Op::kSampleImplicit:
    case Op::kImageLod: return {First::kResource, Second::kTexelOp};
    case Op::kControlBarrier:
    case Op::kMemoryBarrier: return {First::kMemoryClasses, Second::kScope};
    case Op::kLaneMask: return {First::kLaneMask, Second::kNone};
    case Op::kQuadBroadcast: return {First::kQuadLane, Second::kNone};
    case Op::kQuadSwap: return {First::kQuadSwap, Second::kNone};
    case Op::kReduce: return {First::kReduceOp, Second::kCluster};
    case Op::kInclusiveScan:
    case Op::kExclusiveScan: return {First::kReduceOp, Second::kNone};
    case Op::kLoadInput: return {First::kInput, Second::kComponent};
    case Op::kInterpolate: return {First::kInput, Second::kInterpolateAt};
    case Op::kStoreOutput: return {First::kOutput, Second::kComponent};
    case Op::kDdx:
    case Op::kDdy: return {First::kDerivative, Second::kNone};
    case Op::kWorkgroupScan: return {First::kNone, Second::kInvocations};
    case Op::kReadClock: return {First::kNone, Second::kScope};
    case Op::kLaunchScalar:
    case Op::kLaunchVector:
    case Op::kStageEffect: return {First::kTargetNumber, Second::kNone};
    default: return {};
  }
}

inline constexpr std::string_view kAtomicNames[] = {
    "add",
    "sub",
    "smin",
    "umin",
    "smax",
    "umax",
    "and",
    "or",
    "xor",
    "exchange",
    "compare_exchange",
    "increment",
    "decrement",
    "load",
    "store",
    "fadd",
    "fmin",
    "fmax",
};
inline constexpr uint32_t kNumAtomicOps = sizeof(kAtomicNames) / sizeof(kAtomicNames[0]);
static_assert(static_cast<uint32_t>(AtomicOp::kFmax) + 1 == kNumAtomicOps);

inline constexpr std::string_view kScopeNames[] = {"subgroup", "workgroup", "device"};
inline constexpr std::string_view kLaneMaskNames[] = {"eq", "ge", "gt", "le", "lt", "all"};
inline constexpr std::string_view kReduceNames[] = {
    "iadd", "imul", "imin", "imax", "umin", "umax", "and",
    "or",   "xor",  "fadd", "fmul", "fmin", "fmax",
};

// The op that combines two lanes' values.
constexpr Op OpOf(ReduceOp op) {
  constexpr Op kOps[] = {Op::kIadd, Op::kImul, Op::kImin, Op::kImax, Op::kUmin, Op::kUmax, Op::kAnd,
                         Op::kOr,   Op::kXor,  Op::kFadd, Op::kFmul, Op::kFmin, Op::kFmax};
  static_assert(sizeof(kOps) / sizeof(kOps[0]) == sizeof(kReduceNames) / sizeof(kReduceNames[0]));
  return kOps[static_cast<int>(op)];
}

inline constexpr std::string_view kTypeNames[] = {"bool", "i8",  "i16", "i32",
                                                  "i64",  "f16", "f32", "f64"};
static_assert(sizeof(kTypeNames) / sizeof(kTypeNames[0]) == kNumTypes);

inline constexpr std::string_view kDenormNames[] = {"any", "preserve", "flush"};
inline constexpr std::string_view kRoundingNames[] = {"any", "to_even", "to_zero"};
inline constexpr std::string_view kNeedNames[] = {
#define NEED(enumerator, name) name,
#include "core/mir/needs.def"
#undef NEED
};

inline constexpr std::string_view kStageNames[] = {"compute", "fragment", "vertex"};
inline constexpr std::string_view kDepthModeNames[] = {"none", "any", "greater", "less",
                                                       "unchanged"};
inline constexpr std::string_view kInterpolationNames[] = {"smooth", "noperspective", "flat",
                                                           "per_vertex"};
inline constexpr std::string_view kAuxiliaryNames[] = {"centre", "centroid", "sample"};
inline constexpr std::string_view kInterpolateAtNames[] = {"centroid", "sample",  "offset",
                                                           "vertex0",  "vertex1", "vertex2"};
inline constexpr std::string_view kDerivativeNames[] = {"any", "coarse", "fine"};

struct BuiltInInfo {
  std::string_view name;
  char type;  // a letter of ops.def
  uint8_t components;
  std::string_view where;  // builtins.def
};
inline constexpr BuiltInInfo kBuiltIns[] = {
    {"location", '*', 4, "vVfF"},
#define BUILTIN(enumerator, text, type, components, where) {text, type, components, where},
#include "core/mir/builtins.def"
#undef BUILTIN
};
inline constexpr uint32_t kNumBuiltIns = sizeof(kBuiltIns) / sizeof(kBuiltIns[0]);

struct FlagName {
  uint16_t flag;
  std::string_view name;
};
inline constexpr FlagName kFlagNames[] = {
    {kExact, "exact"},  // before the flags that it consists of
    {kKeepNan, "keep_nan"},
    {kKeepInf, "keep_inf"},
    {kKeepZeroSign, "keep_zero_sign"},
    {kNoReciprocal, "no_reciprocal"},
    {kNoContraction, "no_contraction"},
    {kNoReassociation, "no_reassociation"},
    {kNoTransform, "no_transform"},
    {kVolatile, "volatile"},
    {kCoherent, "coherent"},
    {kNonUniform, "nonuniform"},
    {kIndexed, "indexed"},
    {kReleases, "release"},
    {kAcquires, "acquire"},
    {kUniform, "uniform"},
};

inline constexpr std::string_view kResourceKindNames[] = {
    "ubo",     "ssbo",     "sampled_image",        "storage_image",
    "sampler", "combined", "uniform_texel_buffer", "storage_texel_buffer",
};
inline constexpr std::string_view kImageDimNames[] = {"1d", "2d", "3d", "cube", "buffer"};
inline constexpr std::string_view kComponentNames[] = {"float", "sint", "uint"};
inline constexpr std::string_view kFormatNames[] = {
    "unknown",
#define FORMAT(enumerator, text, ...) text,
#include "core/mir/formats.def"
#undef FORMAT
};

// The parameters of a texel op that are sources, in the order of the sources.
struct TexelParamName {
  TexelParam param;
  std::string_view name;
};
inline constexpr TexelParamName kTexelParamNames[] = {
    {kTexelSamplerIndex, "sampler_index"},
    {kTexelDref, "dref"},
    {kTexelBias, "bias"},
    {kTexelLod, "lod"},
    {kTexelGrad, "grad"},
    {kTexelMinLod, "min_lod"},
    {kTexelSample, "sample"},
    {kTexelOffsets, "offsets"},
};

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_IMMEDIATES_H_
