// Instruction selection: calls the room that makes the code of an instruction.
#include "core/amd/select/select.h"

#include <utility>

#include "core/amd/lir/machine.h"
#include "core/amd/select/arithmetic.h"
#include "core/amd/select/atomics.h"
#include "core/amd/select/barriers.h"
#include "core/amd/select/bools.h"
#include "core/amd/select/control.h"
#include "core/amd/select/descriptors.h"
#include "core/amd/select/images.h"
#include "core/amd/select/lanes.h"
#include "core/amd/select/launch.h"
#include "core/amd/select/local_axis.h"
#include "core/amd/select/memory.h"

namespace kiln::amd {
namespace {

class Selector {
 public:
  Selector(const mir::Module& m, const Abi& abi, uint32_t width) : m_(m), e_(m, abi, width) {}

  absl::StatusOr<Selected> Run();

 private:
  absl::Status VisitRegion(mir::RegionId region);  // up to the terminator
  absl::Status Visit(mir::InstId id);

  const mir::Module& m_;
  // Each uses those above it.
  Emission e_;
  Bools bools_{e_};
  Arithmetic arithmetic_{e_, bools_};
  Lanes lanes_{e_, bools_};
  Launch launch_{e_};
  Descriptors descriptors_{e_, launch_};
  Memory memory_{e_, launch_, descriptors_};
  Atomics atomics_{e_, memory_};
  Barriers barriers_{e_};
  Images images_{e_, descriptors_};
  Control control_{e_, bools_, [this](mir::RegionId r) { return VisitRegion(r); }};
};

absl::StatusOr<Selected> Selector::Run() {
  control_.Enter(control_.NewBlock());
  launch_.DeclareLiveIns();
  if (absl::Status s = VisitRegion(m_.body); !s.ok()) return s;
  e_.EmitRaw(kEnd, {}, {});
  control_.SortBlocks();
  lir::Function& f = e_.function();
  Reserve(f, control_.slots());
  Selected made;
  made.private_bytes = memory_.private_bytes();
  made.function = e_.Finish();
  return made;
}

absl::Status Selector::VisitRegion(mir::RegionId region) {
  for (mir::InstId id : m_.region(region).insts) {
    if (mir::Info(m_.inst(id).op).Has('T')) break;
    e_.Begin(id);
    if (absl::Status s = Visit(id); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Selector::Visit(mir::InstId id) {
  using mir::Op;
  if (const auto axis = LocalAxisOf(m_, id)) {
    e_.Set(m_.result(id), launch_.LocalId(*axis));
    return absl::OkStatus();
  }
  switch (m_.inst(id).op) {
    case Op::kIf: return control_.VisitIf(id);
    case Op::kLoop: return control_.VisitLoop(id);
    case Op::kLoadUbo:
    case Op::kLoadSsbo:
    case Op::kLoadPush:
    case Op::kLoadShared:
    case Op::kLoadConstant:
    case Op::kLoadGlobal: return memory_.VisitLoad(id);
    case Op::kStoreSsbo:
    case Op::kStoreShared:
    case Op::kStoreGlobal: return memory_.VisitStore(id);
    case Op::kLoadPrivate: return memory_.VisitPrivateLoad(id);
    case Op::kStorePrivate: return memory_.VisitPrivateStore(id);
    case Op::kSsboAtomic:
    case Op::kSharedAtomic:
    case Op::kSharedAtomic64:
    case Op::kGlobalAtomic:
    case Op::kGlobalAtomic64: return atomics_.VisitAtomic(id);
    case Op::kSsboAddress: memory_.BufferAddress(id); return absl::OkStatus();
    case Op::kSsboSize: memory_.BufferSize(id); return absl::OkStatus();
    case Op::kDdx:
    case Op::kDdy: return lanes_.VisitDerivative(id);
    case Op::kSample:
    case Op::kSampleImplicit:
    case Op::kImageLod:
    case Op::kGather:
    case Op::kFetch:
    case Op::kImageLoad:
    case Op::kImageStore:
    case Op::kImageAtomic:
    case Op::kImageSize:
    case Op::kImageLevels:
    case Op::kImageSamples: return images_.VisitImage(id);
    case Op::kControlBarrier: barriers_.ControlBarrier(id); return absl::OkStatus();
    case Op::kMemoryBarrier:
      barriers_.MemoryBarrier(m_.inst(id).imm0, static_cast<mir::Scope>(m_.inst(id).imm1));
      return absl::OkStatus();
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
    case Op::kExclusiveScan:
    case Op::kLaneMask:
    case Op::kSubgroupInvocation: return lanes_.VisitSubgroup(id);
    case Op::kWorkgroupId:
    case Op::kNumWorkgroups:
    case Op::kBaseWorkgroup:
    case Op::kLocalIndex:
    case Op::kSubgroupId: return launch_.VisitLaunch(id);
    default: break;
  }
  if (m_.inst(id).num_results == 1 && e_.IsBool(m_.result(id))) return bools_.VisitBool(id);
  return arithmetic_.VisitAlu(id);
}

}  // namespace

absl::StatusOr<Selected> Select(const mir::Module& module, const Abi& abi, uint32_t width) {
  return Selector(module, abi, width).Run();
}

}  // namespace kiln::amd
