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
#include "core/mir/construct.h"

namespace kiln::intel {
namespace {

class Selector {
 public:
  Selector(const mir::Module& m, const Abi& abi, const WidthAbi& at_width)
      : m_(m), e_(m, abi, at_width) {}

  absl::StatusOr<lir::Function> Run() {
    control_.Enter(e_.builder().NewBlock());
    launch_.DeclareLiveIns();
    if (m_.stage == mir::Stage::kFragment) fragment_.DeclareLiveIns();
    if (m_.stage == mir::Stage::kVertex) vertex_.DeclareLiveIns();
    bools_.FindStoredBools();
    if (absl::Status s = VisitRegion(m_.body); !s.ok()) return s;
    if (absl::Status s = EndThread(); !s.ok()) return s;
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
  const absl::Status s = e_.VisitRegion(region, [this](mir::InstId id) { return Visit(id); });
  e_.scopes().LeaveRegion();
  return s;
}

absl::Status Selector::Visit(mir::InstId id) {
  using mir::Construct;
  if (absl::Status status = CheckTypes(id); !status.ok()) return status;
  const bool vertex = m_.stage == mir::Stage::kVertex;
  switch (mir::ConstructOf(m_.inst(id).op)) {
    case Construct::kIf: return control_.VisitIf(id);
    case Construct::kLoop: return control_.VisitLoop(id);
    case Construct::kLoad: memory_.VisitLoad(id); return absl::OkStatus();
    case Construct::kStore: memory_.VisitStore(id); return absl::OkStatus();
    case Construct::kPrivateLoad: private_arrays_.VisitLoad(id); return absl::OkStatus();
    case Construct::kPrivateStore: private_arrays_.VisitStore(id); return absl::OkStatus();
    case Construct::kAtomic: return atomics_.VisitAtomic(id);
    case Construct::kWideAtomic: return atomics_.VisitWideAtomic(id);
    case Construct::kBufferAddress: return atomics_.BufferAddress(id);
    case Construct::kBufferSize: memory_.BufferSize(id); return absl::OkStatus();
    case Construct::kInput: return vertex ? vertex_.VisitInput(id) : fragment_.VisitInput(id);
    case Construct::kOutput: return vertex ? vertex_.VisitStore(id) : outputs_.VisitStore(id);
    case Construct::kDerivative: return fragment_.VisitDerivative(id);
    case Construct::kKill: return fragment_.VisitKill(id);
    case Construct::kHelperInvocation: fragment_.VisitHelperInvocation(id); return absl::OkStatus();
    case Construct::kImage: return images_.VisitImage(id);
    case Construct::kControlBarrier: barriers_.ControlBarrier(m_.inst(id)); return absl::OkStatus();
    case Construct::kMemoryBarrier:
      barriers_.MemoryBarrier(m_.inst(id).imm0, static_cast<mir::Scope>(m_.inst(id).imm1));
      return absl::OkStatus();
    case Construct::kClock:
    case Construct::kWorkgroupScan:
    case Construct::kTargetLaunch:
    case Construct::kStageEffect: return e_.Unexpected("made for another target");
    case Construct::kSubgroup: return lanes_.VisitSubgroup(id);
    case Construct::kLaneNumber:
    case Construct::kLaunch: return launch_.VisitLaunch(id);
    case Construct::kArithmetic: break;
  }
  return e_.MakesBool(id) ? bools_.VisitBool(id) : arithmetic_.VisitAlu(id);
}

}  // namespace

absl::StatusOr<lir::Function> Select(const mir::Module& module, const Abi& abi,
                                     const WidthAbi& at_width) {
  return Selector(module, abi, at_width).Run();
}

}  // namespace kiln::intel
