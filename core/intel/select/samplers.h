// Selection of messages to the sampler: samples, gathers, fetches. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_SAMPLERS_H_
#define KILN_CORE_INTEL_SELECT_SAMPLERS_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/descriptors.h"
#include "core/intel/select/launch.h"
#include "core/intel/select/room.h"
#include "core/intel/select/surface_messages.h"
#include "core/intel/select/texel_parts.h"

namespace kiln::intel {

class Samplers : public Room {
 public:
  Samplers(Emission& e, Launch& launch, SurfaceMessages& messages, Descriptors& descriptors)
      : Room(e), launch_(launch), messages_(messages), descriptors_(descriptors) {}

  Operand SendSampler(const SamplerCall& call, Where where, int components);
  absl::Status VisitSample(mir::InstId id);
  absl::Status VisitFetch(mir::InstId id);
  absl::Status VisitLod(mir::InstId id);

 private:
  Operand SamplerHeader(const SamplerCall& call);
  void AddChosenOffsets(mir::InstId id, const mir::TexelOp& t, const mir::TexelSources& s,
                        SamplerCall& call);
  void SampleInto(mir::InstId id, SamplerCall& call);
  void SampleMessage(mir::InstId id, const mir::TexelSources& s, SamplerCall& call);
  absl::Status GatherMessage(mir::InstId id, const mir::TexelOp& t, const mir::TexelSources& s,
                             SamplerCall& call);
  void AddSampleParams(mir::InstId id, const mir::TexelSources& s, SamplerCall& call);

  Launch& launch_;
  SurfaceMessages& messages_;
  Descriptors& descriptors_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_SAMPLERS_H_
