// Selection of texel operations: samples, gathers, fetches, storage images, queries, texel buffers.
// Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_IMAGES_H_
#define KILN_CORE_AMD_SELECT_IMAGES_H_

#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "core/amd/select/descriptors.h"

namespace kiln::amd {

class Images : public Room {
 public:
  Images(Emission& e, Descriptors& descriptors) : Room(e), descriptors_(descriptors) {}

  absl::Status VisitImage(mir::InstId id);

 private:
  using Parts = absl::InlinedVector<Operand, 12>;  // of an address, in order

  // The operation at hand.
  struct Access {
    mir::InstId id;
    const mir::TexelOp* texel;
    mir::ImageInfo info;
    mir::TexelSources sources;
    bool sampled;  // by a sampler: coordinates are floats
  };

  mir::ValueId Source(const Access& a, int position) const {
    return position < 0 ? mir::ValueId() : m_.source(a.id, position);
  }
  Operand Image(const Access& a);
  Operand Sampler(const Access& a, bool gather);
  Operand PackedOffsets(const Access& a);
  void AddCoordinates(const Access& a, Parts& parts);
  void AddCube(const Access& a, Parts& parts);
  Operand LevelOf(const Access& a, const Operand& sampler);
  Parts StoredValues(const Access& a);
  absl::Status Sample(const Access& a);
  absl::Status Lod(const Access& a);
  absl::Status Fetch(const Access& a);
  absl::Status Store(const Access& a);
  absl::Status Atomic(const Access& a);
  absl::Status AtomicMove(const Access& a);
  absl::Status Size(const Access& a);
  absl::Status Buffer(const Access& a);
  // Emits an image instruction; `data` of stores and atomics, else none. Returns the result.
  Operand Emit(Opcode op, const Access& a, const Parts& parts, const Operand& sampler, Extra extra,
               const Operand& data, int result_dwords);
  void SetTexel(const Access& a, const Operand& data, uint32_t dmask);
  Operand Field(const Operand& word, uint32_t low, uint32_t bits);
  Operand AtLevel(const Operand& size, const Operand& level);
  // Return what the words of a T# say: layers, and the depth at a level.
  Operand Layers(const Access& a, const Operand& words);
  Operand Depth(const Access& a, const Operand& words, const Operand& level);
  void SetUnlessNull(const Access& a, const Operand& words, absl::Span<const Operand> sizes);

  Descriptors& descriptors_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_IMAGES_H_
