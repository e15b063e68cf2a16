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
#include "core/amd/select/fragment.h"
#include "core/amd/select/images.h"
#include "core/amd/select/lanes.h"
#include "core/amd/select/launch.h"
#include "core/amd/select/local_axis.h"
#include "core/amd/select/memory.h"
#include "core/amd/select/outputs.h"
#include "core/amd/select/vertex.h"
#include "core/amd/select/workgroup_scans.h"
#include "core/mir/build.h"
#include "core/mir/construct.h"

namespace kiln::amd {
namespace {

class Selector {
 public:
  Selector(const mir::Module& m, const Abi& abi, uint32_t width, const ScanForms& scans)
      : m_(m), e_(m, abi, width), scans_(e_, barriers_, scans) {}

  absl::StatusOr<Selected> Run();

 private:
  absl::Status VisitBody();
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
  Addresses addresses_{e_, descriptors_};
  VectorMemory vector_memory_{e_, addresses_};
  Memory memory_{e_, launch_, descriptors_, addresses_, vector_memory_};
  Atomics atomics_{e_, addresses_, vector_memory_};
  Barriers barriers_{e_};
  WorkgroupScans scans_;
  Images images_{e_, descriptors_};
  Fragment fragment_{e_, launch_};
  Outputs outputs_{e_, bools_};
  Vertex vertex_{e_, bools_, launch_};
  Control control_{e_, bools_, [this](mir::RegionId r) { return VisitRegion(r); }};
};

absl::StatusOr<Selected> Selector::Run() {
  e_.builder().Enter(e_.builder().NewBlock());
  launch_.DeclareLiveIns();
  if (e_.abi().fragment) fragment_.DeclareLiveIns();
  if (e_.abi().vertex) vertex_.DeclareLiveIns();
  const bool notes_helpers = e_.notes_helpers();
  if (absl::Status s = VisitBody(); !s.ok()) return s;
  if (e_.abi().fragment) outputs_.ExportAll();
  if (e_.abi().vertex && !e_.abi().vertex->culls) vertex_.ExportAll();
  e_.EmitRaw(kEnd, {}, {});
  if (control_.EnterExitBlock()) {
    outputs_.ExportNothing();
    e_.EmitRaw(kEnd, {}, {});
  }
  lir::Function& f = e_.function();
  Reserve(f, control_.slots());
  if (notes_helpers) f.reserved.push_back(ReservedLiveLanes(f));
  Selected made;
  made.private_bytes = memory_.private_bytes();
  made.shared_bytes = scans_.shared_bytes();
  made.function = e_.Finish();
  return made;
}

// Lanes help as long as operations follow that need whole quads.
absl::Status Selector::VisitBody() {
  mir::InstId last;
  for (const mir::InstId id : m_.region(m_.body).insts) {
    bool needs = NeedsQuad(m_.inst(id));
    for (int r = 0; r < m_.inst(id).num_regions; ++r) {
      mir::ForEachInst(m_, m_.inst(id).regions[r],
                       [&](mir::InstId inner) { needs |= NeedsQuad(m_.inst(inner)); });
    }
    if (needs) last = id;
  }
  if (!last.valid()) control_.EndHelpers();
  return e_.VisitRegion(m_.body, [this, last](mir::InstId id) {
    absl::Status s = Visit(id);
    if (s.ok() && id == last) control_.EndHelpers();
    return s;
  });
}

absl::Status Selector::VisitRegion(mir::RegionId region) {
  return e_.VisitRegion(region, [this](mir::InstId id) { return Visit(id); });
}

absl::Status Selector::Visit(mir::InstId id) {
  using mir::Construct;
  if (const auto axis = LocalAxisOf(m_, id)) {
    e_.Set(m_.result(id), launch_.LocalId(*axis));
    return absl::OkStatus();
  }
  switch (mir::ConstructOf(m_.inst(id).op)) {
    case Construct::kIf: return control_.VisitIf(id);
    case Construct::kLoop: return control_.VisitLoop(id);
    case Construct::kLoad: return memory_.VisitLoad(id);
    case Construct::kStore: return memory_.VisitStore(id);
    case Construct::kPrivateLoad: return memory_.VisitPrivateLoad(id);
    case Construct::kPrivateStore: return memory_.VisitPrivateStore(id);
    case Construct::kAtomic:
    case Construct::kWideAtomic: return atomics_.VisitAtomic(id);
    case Construct::kBufferAddress: memory_.BufferAddress(id); return absl::OkStatus();
    case Construct::kBufferSize: memory_.BufferSize(id); return absl::OkStatus();
    case Construct::kInput:
      return e_.abi().vertex ? vertex_.VisitInput(id) : fragment_.VisitInput(id);
    case Construct::kOutput:
      return e_.abi().vertex ? vertex_.VisitStore(id) : outputs_.VisitStore(id);
    case Construct::kKill: control_.VisitKill(id); return absl::OkStatus();
    case Construct::kHelperInvocation: fragment_.VisitHelperInvocation(id); return absl::OkStatus();
    case Construct::kDerivative: return lanes_.VisitDerivative(id);
    case Construct::kImage: return images_.VisitImage(id);
    case Construct::kControlBarrier: barriers_.ControlBarrier(id); return absl::OkStatus();
    case Construct::kMemoryBarrier: barriers_.MemoryBarrier(id); return absl::OkStatus();
    case Construct::kClock: launch_.VisitClock(id); return absl::OkStatus();
    case Construct::kWorkgroupScan: scans_.Visit(id); return absl::OkStatus();
    case Construct::kSubgroup:
    case Construct::kLaneNumber: return lanes_.VisitSubgroup(id);
    case Construct::kLaunch: return launch_.VisitLaunch(id);
    case Construct::kTargetLaunch: vertex_.VisitLaunch(id); return absl::OkStatus();
    case Construct::kStageEffect: vertex_.VisitEffect(id); return absl::OkStatus();
    case Construct::kArithmetic:
      return e_.MakesBool(id) ? bools_.VisitBool(id) : arithmetic_.VisitAlu(id);
  }
  return e_.Unexpected("no construct");
}

}  // namespace

absl::StatusOr<Selected> Select(const mir::Module& module, const Abi& abi, uint32_t width,
                                const ScanForms& scans) {
  return Selector(module, abi, width, scans).Run();
}

}  // namespace kiln::amd
