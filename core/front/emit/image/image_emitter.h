// Emits images: emit_image.cc (handles, fetches, loads, stores, queries), emit_sample.cc (samples,
// gathers) and emit_attachment.cc (input attachments).
#ifndef KILN_CORE_FRONT_EMIT_IMAGE_IMAGE_EMITTER_H_
#define KILN_CORE_FRONT_EMIT_IMAGE_IMAGE_EMITTER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "core/front/emit/pointers.h"
#include "core/front/spirv/spirv.h"
#include "core/mir/mir.h"

namespace kiln::front {

// The optional operands of image instructions.
struct ImageOperands {
  uint16_t params = 0;  // mir::TexelParam bits of those present
  uint8_t flags = 0;    // mir::InstFlags
  Leaves bias, lod, dx, dy, min_lod, sample;
  Leaves offset;   // texels; constant or not
  Leaves offsets;  // ConstOffsets: four pairs
};

class ImageEmitter : public Pointers {
 public:
  using Pointers::Pointers;

  bool EmitImage(const SpirvInst& inst, bool* handled);
  bool LoadImage(const SpirvInst& inst, const Pointer& pointer);
  bool TexelAtomic(const Pointer& pointer, mir::AtomicOp op, bool is_float,
                   absl::Span<const ValueId> operands, ValueId* result);

 private:
  struct SampleForm {
    bool dref = false;
    bool projected = false;
    bool gather = false;
    bool explicit_lod = false;
    size_t operands = 0;  // word index of the mask of image operands
  };
  bool IsImageOf(const SpirvType& sampled, uint32_t image) const;
  bool EmitSampledImage(const SpirvInst& inst);
  bool EmitImageOf(const SpirvInst& inst);
  bool GetNumbers(uint32_t id, Leaves* leaves);
  bool GetInts(uint32_t id, size_t count, Leaves* leaves);
  bool GetImageOperands(const SpirvInst& inst, size_t first, ImageOperands* operands);
  bool CheckImageOperands(const SpirvInst& inst, const ImageOperands& operands, uint16_t allowed);
  bool Texels(uint32_t id, size_t count, mir::Type type, Leaves* sources);
  bool CheckStorageOperands(const SpirvInst& inst, const ImageOperands& operands);
  // Gets the resource of an accessed image, whose type must be supported. `attachment`: it must be
  // an input attachment, otherwise it must be none.
  bool AccessedImage(const Pointer& image, uint32_t* resource, bool attachment = false);
  // Returns true if texels are one integer of 64 bits.
  bool HasWideTexels(const Pointer& image) const;
  mir::Type ComponentType(uint32_t resource) const;
  mir::InstId EmitTexelOp(mir::Op op, const Pointer& image, uint32_t resource, mir::TexelOp texel,
                          absl::Span<const ValueId> sources, absl::Span<const mir::Type> results,
                          uint8_t flags);
  bool DefineTexel(const SpirvInst& inst, mir::InstId texel, bool counts = false);
  bool EmitFetch(const SpirvInst& inst);
  bool StorageSources(const SpirvInst& inst, uint32_t coordinates, uint32_t resource,
                      const ImageOperands& operands, mir::TexelOp* texel, Leaves* sources);
  bool EmitImageRead(const SpirvInst& inst);
  bool EmitImageWrite(const SpirvInst& inst);
  bool IsAttachment(const ImageHandle& handle) const;
  bool EmitAttachmentRead(const SpirvInst& inst, const ImageHandle& handle,
                          const ImageOperands& operands);
  bool EmitTexelPointer(const SpirvInst& inst);
  bool EmitImageQuery(const SpirvInst& inst);
  bool EmitQueryLod(const SpirvInst& inst);
  // Gets the resources of a sampled image and of its sampler, and the sampler's index.
  bool SampledParts(const SpirvInst& inst, ImageHandle* handle, uint32_t* resource,
                    mir::TexelOp* texel, Leaves* sources);
  static bool SampleFormOf(spv::Op op, SampleForm* form);
  bool SampleCoordinates(const SpirvInst& inst, const SampleForm& form, const mir::ImageInfo& info,
                         Leaves* sources);
  bool ConstantOffset(absl::Span<const ValueId> offset, mir::TexelOp* texel) const;
  bool EmitSample(const SpirvInst& inst, const SampleForm& form);
  bool EmitGather(const SpirvInst& inst, const ImageHandle& handle, uint32_t resource,
                  mir::TexelOp texel, const ImageOperands& operands, Leaves sources);
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_IMAGE_IMAGE_EMITTER_H_
