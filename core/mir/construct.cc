#include "core/mir/construct.h"

namespace kiln::mir {
namespace {

bool IsEmpty(const Module& m, RegionId region) {
  const std::vector<InstId>& insts = m.region(region).insts;
  return insts.size() == 1 && m.inst(insts[0]).op == Op::kYield;
}

}  // namespace

Construct ConstructOf(Op op) {
  switch (op) {
    case Op::kIf: return Construct::kIf;
    case Op::kLoop: return Construct::kLoop;
    case Op::kLoadUbo:
    case Op::kLoadSsbo:
    case Op::kLoadPush:
    case Op::kLoadShared:
    case Op::kLoadConstant:
    case Op::kLoadGlobal: return Construct::kLoad;
    case Op::kStoreSsbo:
    case Op::kStoreShared:
    case Op::kStoreGlobal: return Construct::kStore;
    case Op::kLoadPrivate: return Construct::kPrivateLoad;
    case Op::kStorePrivate: return Construct::kPrivateStore;
    case Op::kSsboAtomic:
    case Op::kSharedAtomic:
    case Op::kGlobalAtomic: return Construct::kAtomic;
    case Op::kSharedAtomic64:
    case Op::kGlobalAtomic64: return Construct::kWideAtomic;
    case Op::kSsboAddress: return Construct::kBufferAddress;
    case Op::kSsboSize: return Construct::kBufferSize;
    case Op::kLoadInput:
    case Op::kInterpolate: return Construct::kInput;
    case Op::kStoreOutput: return Construct::kOutput;
    case Op::kDdx:
    case Op::kDdy: return Construct::kDerivative;
    case Op::kDemote:
    case Op::kDiscard:
    case Op::kTerminate: return Construct::kKill;
    case Op::kHelperInvocation: return Construct::kHelperInvocation;
    case Op::kSample:
    case Op::kSampleImplicit:
    case Op::kImageLod:
    case Op::kGather:
    case Op::kFetch:
    case Op::kImageLoad:
    case Op::kImageStore:
    case Op::kImageAtomic:
    case Op::kImageAtomic64:
    case Op::kImageSize:
    case Op::kImageLevels:
    case Op::kImageSamples: return Construct::kImage;
    case Op::kControlBarrier: return Construct::kControlBarrier;
    case Op::kMemoryBarrier: return Construct::kMemoryBarrier;
    case Op::kReadClock: return Construct::kClock;
    case Op::kWorkgroupScan: return Construct::kWorkgroupScan;
    case Op::kSubgroupElect:
    case Op::kSubgroupAny:
    case Op::kSubgroupAll:
    case Op::kBallot:
    case Op::kReadFirst:
    case Op::kReadLane:
    case Op::kShuffle:
    case Op::kQuadBroadcast:
    case Op::kQuadSwap:
    case Op::kReduce:
    case Op::kInclusiveScan:
    case Op::kExclusiveScan: return Construct::kSubgroup;
    case Op::kSubgroupInvocation: return Construct::kLaneNumber;
    case Op::kWorkgroupId:
    case Op::kNumWorkgroups:
    case Op::kBaseWorkgroup:
    case Op::kLocalIndex:
    case Op::kSubgroupId: return Construct::kLaunch;
    case Op::kLaunchScalar:
    case Op::kLaunchVector: return Construct::kTargetLaunch;
    case Op::kStageEffect: return Construct::kStageEffect;
    default: return Construct::kArithmetic;
  }
}

IfSides SidesOf(const Module& m, InstId id) {
  const Inst& inst = m.inst(id);
  IfSides sides;
  sides.swapped = inst.num_results == 0 && IsEmpty(m, inst.regions[0]);
  sides.then_region = inst.regions[sides.swapped ? 1 : 0];
  sides.else_region = inst.regions[sides.swapped ? 0 : 1];
  sides.has_else = inst.num_results != 0 || !IsEmpty(m, sides.else_region);
  return sides;
}

RegionEnd EndOf(const Module& m, RegionId region) {
  switch (m.inst(m.region(region).insts.back()).op) {
    case Op::kYield: return RegionEnd::kYield;
    case Op::kUnreachable: return RegionEnd::kUnreachable;
    default: return RegionEnd::kJump;
  }
}

}  // namespace kiln::mir
