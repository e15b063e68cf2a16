// Selection of storage images by typed messages, and of sizes of all images. Internal to this
// folder.
#ifndef KILN_CORE_INTEL_SELECT_IMAGES_H_
#define KILN_CORE_INTEL_SELECT_IMAGES_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/descriptors.h"
#include "core/intel/select/room.h"
#include "core/intel/select/samplers.h"
#include "core/intel/select/surface_messages.h"
#include "core/intel/select/texel_parts.h"

namespace kiln::intel {

class Images : public Room {
 public:
  Images(Emission& e, SurfaceMessages& messages, Descriptors& descriptors, Samplers& samplers)
      : Room(e),
        messages_(messages),
        descriptors_(descriptors),
        samplers_(samplers),
        payloads_(e.scopes()) {}

  absl::Status VisitImage(mir::InstId id);

 private:
  absl::Status VisitStorageImage(mir::InstId id);
  void LoadTexel(mir::InstId id, TypedCall& call);
  void StoreTexel(mir::InstId id, TypedCall& call, std::vector<Operand>& values);
  absl::Status TexelAtomic(mir::InstId id, TypedCall& call, std::vector<Operand>& values);
  Operand UnpackChannel(Where where, mir::ImageFormat format, Operand texel, int channel);
  Operand PackChannel(mir::ImageFormat format, const Operand& value, int channel);
  Operand PackTexel(mir::ImageFormat format, absl::Span<const Operand> values);
  Operand Typed(const TypedCall& call, Where where);
  void SendTyped(const TypedCall& call, const Operand& def, Where where, int group);
  Operand TypedPayload(absl::Span<const Operand> list, Where where, int group);
  Operand RegisterPayload(absl::Span<const Operand> parts);
  absl::Status VisitImageQuery(mir::InstId id);
  Operand LayersOf(mir::InstId id, Operand layers, Operand width);
  Operand SixthOf(const Operand& faces);
  Operand SizeOfLevel(const Operand& size, mir::ValueId lod, Where where);

  SurfaceMessages& messages_;
  Descriptors& descriptors_;
  Samplers& samplers_;
  struct CachedPayload {
    std::vector<Operand> parts;
    int group;
    Operand payload;
  };
  BlockCache<std::vector<CachedPayload>> payloads_;  // of typed messages
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_IMAGES_H_
