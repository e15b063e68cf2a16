// Instruction selection: calls the room that makes the code of an instruction.
#include "core/intel/select/select.h"

#include <utility>

#include "core/intel/select/arithmetic.h"
#include "core/intel/select/atomics.h"
#include "core/intel/select/barriers.h"
#include "core/intel/select/bools.h"
#include "core/intel/select/control.h"
#include "core/intel/select/conversions.h"
#include "core/intel/select/descriptors.h"
#include "core/intel/select/emission.h"
#include "core/intel/select/fragment.h"
#include "core/intel/select/images.h"
#include "core/intel/select/lanes.h"
#include "core/intel/select/launch.h"
#include "core/intel/select/memory.h"
#include "core/intel/select/outputs.h"
#include "core/intel/select/private_arrays.h"
#include "core/intel/select/samplers.h"
#include "core/intel/select/surface_messages.h"
#include "core/intel/select/vertex.h"

namespace kiln::intel {
namespace {

class Selector {
 public:
  Selector(const mir::Module& m, const Abi& abi, const WidthAbi& at_width)
      : m_(m), e_(m, abi, at_width) {}

  absl::StatusOr<lir::Function> Run() {
    control_.Enter(control_.NewBlock());
    launch_.DeclareLiveIns();
    if (m_.stage == mir::Stage::kFragment) fragment_.DeclareLiveIns();
    if (m_.stage == mir::Stage::kVertex) vertex_.DeclareLiveIns();
    bools_.FindStoredBools();
    if (absl::Status s = VisitRegion(m_.body); !s.ok()) return s;
    if (absl::Status s = EndThread(); !s.ok()) return s;
    control_.SortBlocks();
    return e_.Finish();
  }

 private:
  absl::Status VisitRegion(mir::RegionId region);  // up to the terminator
  absl::Status Visit(mir::InstId id);
  absl::Status CheckTypes(mir::InstId id) const;
  absl::Status EndThread();

  const mir::Module& m_;
  // Each uses those above it.
  Emission e_;
  Conversions conversions_{e_};
  Bools bools_{e_, conversions_};
  Launch launch_{e_};
  Fragment fragment_{e_, bools_, launch_};
  Lanes lanes_{e_, bools_, launch_};
  SurfaceMessages messages_{e_, conversions_, lanes_, fragment_};
  Descriptors descriptors_{e_, lanes_, messages_};
  Memory memory_{e_, conversions_, bools_, launch_, messages_, descriptors_};
  Atomics atomics_{e_, conversions_, bools_, launch_, messages_, descriptors_, memory_};
  PrivateArrays private_arrays_{e_, bools_, launch_};
  Barriers barriers_{e_, launch_};
  Samplers samplers_{e_, launch_, messages_, descriptors_};
  Images images_{e_, messages_, descriptors_, samplers_};
  Arithmetic arithmetic_{e_, conversions_, bools_};
  Control control_{e_, conversions_, bools_, [this](mir::RegionId r) { return VisitRegion(r); }};
  Outputs outputs_{e_, bools_, fragment_, control_};
  Vertex vertex_{e_, bools_};
};

absl::Status Selector::EndThread() {
  switch (m_.stage) {
    case mir::Stage::kFragment: return outputs_.EndThread();
    case mir::Stage::kVertex: vertex_.EndThread(); break;
    case mir::Stage::kCompute: launch_.EndThread(); break;
  }
  return absl::OkStatus();
}

absl::Status Selector::CheckTypes(mir::InstId id) const {
  const auto selected = [&](mir::ValueId v) {
    const mir::Type type = m_.value(v).type;
    return type == mir::Type::kBool || mir::BitsOf(type) <= 32;
  };
  for (mir::ValueId v : m_.sources(id)) {
    if (!selected(v)) return e_.Unexpected(m_.inst(id), "a source has 64 bits");
  }
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    if (!selected(m_.result(id, i))) return e_.Unexpected(m_.inst(id), "a result has 64 bits");
  }
  return absl::OkStatus();
}

absl::Status Selector::VisitRegion(mir::RegionId region) {
  e_.scopes().EnterRegion();
  for (mir::InstId id : m_.region(region).insts) {
    if (mir::Info(m_.inst(id).op).Has('T')) break;
    e_.Begin(id);
    if (absl::Status s = Visit(id); !s.ok()) return s;
  }
  e_.scopes().LeaveRegion();
  return absl::OkStatus();
}

absl::Status Selector::Visit(mir::InstId id) {
  using mir::Op;
  if (absl::Status status = CheckTypes(id); !status.ok()) return status;
  switch (m_.inst(id).op) {
    case Op::kIf: return control_.VisitIf(id);
    case Op::kLoop: return control_.VisitLoop(id);
    case Op::kLoadUbo:
    case Op::kLoadSsbo:
    case Op::kLoadPush:
    case Op::kLoadShared:
    case Op::kLoadConstant:
    case Op::kLoadGlobal: memory_.VisitLoad(id); return absl::OkStatus();
    case Op::kStoreSsbo:
    case Op::kStoreShared:
    case Op::kStoreGlobal: memory_.VisitStore(id); return absl::OkStatus();
    case Op::kLoadPrivate: private_arrays_.VisitLoad(id); return absl::OkStatus();
    case Op::kStorePrivate: private_arrays_.VisitStore(id); return absl::OkStatus();
    case Op::kSsboAtomic:
    case Op::kSharedAtomic:
    case Op::kGlobalAtomic: return atomics_.VisitAtomic(id);
    case Op::kGlobalAtomic64: return atomics_.VisitWideAtomic(id);
    case Op::kSsboAddress: return atomics_.BufferAddress(id);
    case Op::kSsboSize: memory_.BufferSize(id); return absl::OkStatus();
    case Op::kLoadInput:
    case Op::kInterpolate:
      return m_.stage == mir::Stage::kVertex ? vertex_.VisitInput(id) : fragment_.VisitInput(id);
    case Op::kStoreOutput:
      return m_.stage == mir::Stage::kVertex ? vertex_.VisitStore(id) : outputs_.VisitStore(id);
    case Op::kDdx:
    case Op::kDdy: return fragment_.VisitDerivative(id);
    case Op::kDemote:
    case Op::kDiscard:
    case Op::kTerminate: return fragment_.VisitKill(id);
    case Op::kHelperInvocation: fragment_.VisitHelperInvocation(id); return absl::OkStatus();
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
    case Op::kControlBarrier: barriers_.ControlBarrier(m_.inst(id)); return absl::OkStatus();
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
    case Op::kExclusiveScan: return lanes_.VisitSubgroup(id);
    case Op::kWorkgroupId:
    case Op::kNumWorkgroups:
    case Op::kBaseWorkgroup:
    case Op::kLocalIndex:
    case Op::kSubgroupId:
    case Op::kSubgroupInvocation: return launch_.VisitLaunch(id);
    default: break;
  }
  if (m_.inst(id).num_results == 1 && m_.value(m_.result(id)).type == mir::Type::kBool) {
    return bools_.VisitBool(id);
  }
  return arithmetic_.VisitAlu(id);
}

}  // namespace

absl::StatusOr<lir::Function> Select(const mir::Module& module, const Abi& abi,
                                     const WidthAbi& at_width) {
  return Selector(module, abi, at_width).Run();
}

}  // namespace kiln::intel
