// The data that programs of draws find through their user SGPRs, besides what compute programs
// have: values of the draw, and vertex buffers.
#ifndef KILN_CORE_SIM_RDNA2_LAUNCH_DRAW_H_
#define KILN_CORE_SIM_RDNA2_LAUNCH_DRAW_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/rdna2/wave.h"
#include "core/sim/scene/address_space.h"
#include "core/sim/scene/vertex.h"

namespace kiln::sim::rdna2 {

// Values of user SGPRs (out::SgprContent).
struct DrawRegisters {
  uint32_t vertex_buffers = 0;
  uint32_t first_vertex = 0, draw_id = 0, base_instance = 0, view_index = 0;
  uint32_t ngg_culling = 0;
  std::array<float, 4> ngg_viewport{};
  uint32_t pixel_state = 0;
};

// Returns the SGPRs that a content takes.
uint32_t SgprsOf(out::SgprContent what);

// Writes a user SGPR whose content is one of the above.
void FillDrawRegister(const DrawRegisters& from, const out::UserSgpr& to, WaveState& wave);

// The attributes of a draw in memory, as the record says that the program fetches them.
class VertexBuffers {
 public:
  // Fills and maps the buffers. Unimplemented: attributes of other sizes than 32 bits, or for each
  // instance, which needs another program. InvalidArgument: an attribute that is not given or lies
  // outside of its element.
  absl::Status Build(const out::LaunchRecord& record, const scene::VertexInputs& draw,
                     scene::AddressSpace& space);

  // The V#s, 16 bytes each; the caller maps them.
  std::vector<uint8_t>& descriptors() { return descriptors_; }

 private:
  std::vector<std::vector<uint8_t>> bytes_;  // by number of the V#
  std::vector<uint8_t> descriptors_;
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_LAUNCH_DRAW_H_
