// The address of an image instruction: which parts its opcode has, and their values in the flat
// list of dwords that a lane gives (NSA addresses are already gathered).
//
// Order: offset, bias, reference, derivatives (first all of dx, then of dy), coordinates, then
// level of detail or its lower limit (AMD, "RDNA 2" ISA guide, 8.2.4;
// aco_instruction_selection.cpp, visit_tex and get_image_coords). Coordinates are those of `dim`,
// in this order: x, y, z or face, layer, sample. Under a16 coordinates and level are 16 bits wide
// and packed, and the bias is the lower half of its register; offset and reference stay. The g16
// opcodes pack each direction's derivatives by itself. Offsets are signed, 6 bits at 0, 8 and 16.
#ifndef KILN_CORE_SIM_RDNA2_RESOURCE_IMAGE_ADDRESS_H_
#define KILN_CORE_SIM_RDNA2_RESOURCE_IMAGE_ADDRESS_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/amd/isa/instruction.h"

namespace kiln::sim::rdna2 {

// DIM of an instruction (Mesa, ac_image_dim of ac_shader_util).
enum class AddressDim : uint8_t { k1d, k2d, k3d, kCube, k1dArray, k2dArray, k2dMsaa, k2dMsaaArray };

enum class ImageAction : uint8_t {
  kLoad,
  kStore,
  kAtomic,
  kSample,
  kGather,
  kGetLod,
  kGetSize,
};

// The effect of an opcode, and the parts of its address.
struct ImageOpcode {
  ImageAction action = ImageAction::kLoad;
  bool offset = false, bias = false, compare = false;
  bool derivatives = false, half_derivatives = false;
  bool level = false;      // explicit: _l, _mip, get_resinfo
  bool zero = false;       // _lz
  bool min_level = false;  // _cl

  bool integer() const {  // coordinates are integers, not floats
    return action <= ImageAction::kAtomic || action == ImageAction::kGetSize;
  }
  bool samples() const { return !integer(); }  // takes a sampler
  // The level of detail follows from the coordinates of the quad's four lanes.
  bool NeedsQuad() const { return samples() && !derivatives && !level && !zero; }
};

// Unimplemented for opcodes that Mesa does not use: loads and stores without conversion (_pck),
// image_gather4h, image_msaa_load, and the ray tracing ones.
absl::StatusOr<ImageOpcode> ImageOpcodeOf(amd::isa::Opcode op);

// Returns the coordinates of a dimension, layer and sample among them.
int CoordinatesOf(AddressDim dim);

struct ImageAddress {
  std::array<int, 3> offset{};
  float bias = 0, reference = 0;
  std::array<float, 3> dx{}, dy{};
  std::array<uint32_t, 4> coordinates{};  // bits of floats, or integers
  uint32_t level = 0;                     // likewise: of level, min_level
};

// Reads a lane's address; `dwords` has isa::ImageAddressDwords(inst) elements or more.
ImageAddress ReadImageAddress(const amd::isa::Instruction& inst, const ImageOpcode& opcode,
                              absl::Span<const uint32_t> dwords);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_RESOURCE_IMAGE_ADDRESS_H_
