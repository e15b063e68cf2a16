// Image instructions (MIMG) as functions: an instruction with its descriptors and the image that
// the T# names is prepared once, then each lane loads, stores or changes texels.
//
// The T# decides about format, component selection and shape, which must be those of the whole
// image (NotFound or InvalidArgument else); scene has the texels and filters them. Texels outside
// the image read as zeros through DST_SEL, so that a component set to 1 stays 1; stores to them are
// dropped and atomics return 0. The null descriptor reads 0 everywhere. Everything is resident:
// the dword that tfe or lwe adds, which failures alone write, is no part of what is returned (LLVM
// 19 and Mesa set it to 0 before the instruction: SIISelLowering.cpp, AddMemOpInit;
// aco_instruction_selection.cpp, emit_tfe_init).
#ifndef KILN_CORE_SIM_RDNA2_RESOURCE_IMAGE_OPERATION_H_
#define KILN_CORE_SIM_RDNA2_RESOURCE_IMAGE_OPERATION_H_

#include <array>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/amd/isa/instruction.h"
#include "core/sim/rdna2/resource/descriptor.h"
#include "core/sim/rdna2/resource/format.h"
#include "core/sim/rdna2/resource/image_address.h"
#include "core/sim/scene/filter.h"
#include "core/sim/scene/image.h"

namespace kiln::sim::rdna2 {

// The image at a T#'s base. Owns neither.
struct BoundTexels {
  const scene::ClientImage* image = nullptr;  // null: nothing is there
  uint8_t* texels = nullptr;                  // scene::BytesOf the image
};

// The registers that an operation returns to a lane.
struct ImageResult {
  std::array<uint32_t, 5> dwords{};
  int count = 0;
};

class ImageOperation {
 public:
  // Checks everything that does not depend on the lane. `sampler` is read only by opcodes that take
  // one. Keeps `inst` by value, and pointers of `bound`.
  static absl::StatusOr<ImageOperation> Make(const amd::isa::Instruction& inst,
                                             const ImageWords& image, const SamplerWords& sampler,
                                             const BoundTexels& bound);

  const ImageOpcode& opcode() const { return opcode_; }
  bool null() const { return null_; }

  // Returns what loads, samples, gathers and queries answer a lane. `quad` has the addresses of the
  // lane's quad, x fastest; only opcode().NeedsQuad() reads it. InvalidArgument for a cube's face
  // that does not exist.
  absl::StatusOr<ImageResult> Read(
      absl::Span<const uint32_t> address,
      const std::array<absl::Span<const uint32_t>, 4>& quad = {}) const;

  // Stores a lane's data, DataDwords() registers.
  absl::Status Store(absl::Span<const uint32_t> address, absl::Span<const uint32_t> data) const;

  // Changes a texel and returns its old value in the first one or two dwords; the others are as
  // many as the instruction has registers of data.
  ImageResult Atomic(absl::Span<const uint32_t> address, absl::Span<const uint32_t> data) const;

  // Returns the bytes of the texel that a lane's load, store or atomic accesses; nothing outside
  // the image.
  absl::Span<uint8_t> TexelOf(absl::Span<const uint32_t> address) const;

  // Returns the registers of data, without that of tfe or lwe.
  int DataDwords() const;

 private:
  ImageOperation() = default;

  absl::Status CheckInstruction() const;
  absl::Status CheckTexels() const;
  absl::Status PrepareShape(const BoundTexels& bound);
  absl::Status PrepareSampler(const SamplerWords& words);
  int AtomicBits() const;
  ImageAddress AddressOf(absl::Span<const uint32_t> dwords) const {
    return ReadImageAddress(inst_, opcode_, dwords);
  }
  scene::ImageView View() const { return {&shape_, texels_, format_.texel, false}; }
  scene::TexelIndex IndexOf(const ImageAddress& at) const;
  absl::StatusOr<scene::SamplePoint> PointOf(const ImageAddress& at) const;
  absl::StatusOr<float> LodOf(const ImageAddress& at,
                              const std::array<absl::Span<const uint32_t>, 4>& quad) const;
  absl::StatusOr<scene::Texel> Sample(const ImageAddress& at,
                                      const std::array<absl::Span<const uint32_t>, 4>& quad) const;
  absl::StatusOr<scene::Texel> Gather(const ImageAddress& at) const;
  absl::StatusOr<scene::Texel> LodQuery(
      const ImageAddress& at, const std::array<absl::Span<const uint32_t>, 4>& quad) const;
  scene::Texel Size(const ImageAddress& at) const;
  ImageResult Answer(const scene::Texel& texel, bool integer) const;

  amd::isa::Instruction inst_;
  ImageOpcode opcode_;
  bool null_ = false;
  ImageResource resource_;
  HardwareFormat format_;
  scene::ClientSampler sampler_;
  scene::ClientImage shape_;  // of the T#, without texels
  uint8_t* texels_ = nullptr;
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_RESOURCE_IMAGE_OPERATION_H_
