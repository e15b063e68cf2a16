// Selection of the location of a memory access, and of the surface and the sampler of a message.
// Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_DESCRIPTORS_H_
#define KILN_CORE_INTEL_SELECT_DESCRIPTORS_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/lanes.h"
#include "core/intel/select/location.h"
#include "core/intel/select/room.h"
#include "core/intel/select/surface_messages.h"
#include "core/intel/select/texel_parts.h"

namespace kiln::intel {

class Descriptors : public Room {
 public:
  Descriptors(Emission& e, Lanes& lanes, SurfaceMessages& messages)
      : Room(e), lanes_(lanes), messages_(messages), handles_(e.scopes()), indices_(e.scopes()) {}

  // Returns the location of a load, store or atomic: of any memory but private arrays.
  Location LocationOf(mir::InstId id);
  SurfaceRef BufferOf(mir::InstId id);
  SurfaceRef ImageOf(mir::InstId id, const mir::TexelSources& s);
  void AddTo(mir::InstId id, const mir::TexelSources& s, SamplerCall& call);
  // Returns a value that is equal in all active lanes as a uniform one.
  Operand UniformIndex(mir::ValueId index);

 private:
  void ApplyIndex(mir::ValueId index, uint32_t resource, uint32_t shift, uint32_t& base,
                  SurfaceRef& ref);
  Operand Handle(uint32_t memory, uint32_t resource, std::optional<mir::ValueId> index,
                 uint32_t byte, SurfaceRef& ref);
  std::optional<mir::ValueId> SourceAt(mir::InstId id, int source) const;
  SurfaceRef SurfaceOf(uint32_t resource, std::optional<mir::ValueId> index);

  Lanes& lanes_;
  SurfaceMessages& messages_;
  // Descriptors read at an index known only at run time.
  struct CachedHandles {
    uint32_t memory;
    uint32_t element;
    Operand number;
    lir::ValueId value;
  };
  // Indices of descriptors that are in lanes, and the first active lane's value.
  struct CachedIndex {
    mir::ValueId index;
    Operand first;
  };
  ScopeCache<CachedHandles> handles_;
  ScopeCache<CachedIndex> indices_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_DESCRIPTORS_H_
