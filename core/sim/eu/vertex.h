// A draw as vertex threads see it: the vertices and their attributes, and the outputs that the
// threads leave in the URB.
//
// A vertex is shaded once for each place in the draw (an index that is named twice runs twice,
// which the hardware's cache may avoid). "Runs" are numbered in the order instance, vertex. What
// fetches attributes (formats, missing components) is not modelled beyond this: components that are
// not given are 0, and 1 in w, as Vulkan 1.3, "Vertex Input Extraction", says.
#ifndef KILN_CORE_SIM_EU_VERTEX_H_
#define KILN_CORE_SIM_EU_VERTEX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kiln::sim::eu {

// The attribute at a location.
struct VertexInput {
  uint32_t location = 0;
  bool per_instance = false;
  uint32_t step = 1;           // instances for which an element stays (Instance Data Step Rate)
  uint32_t components = 4;     // given of each element
  uint32_t missing_w = 1;      // bits of a w that is not given: 1, or of 1.0
  std::vector<uint32_t> bits;  // component c of vertex (or instance) e at e * components + c
};

struct VertexInputs {
  uint32_t count = 0;             // vertices of an instance; of an indexed draw indices.size()
  std::vector<uint32_t> indices;  // of an indexed draw
  int32_t first_vertex = 0;       // of an indexed draw what is added to indices
  uint32_t instances = 1, first_instance = 0;  // as the hardware counts them
  uint32_t draw_id = 0;
  std::vector<VertexInput> inputs;

  // Results: what the runs leave in their entries, and which dwords they wrote (the others hold
  // nothing that anybody defines).
  uint32_t slots = 0;  // of four dwords, of an entry
  std::vector<uint32_t> entries;
  std::vector<uint8_t> written;  // 0 or 1

  // Index of a dword into entries and written.
  size_t At(uint32_t run, uint32_t slot, uint32_t component) const {
    return (size_t{run} * slots + slot) * 4 + component;
  }
  uint64_t Runs() const { return uint64_t{count} * instances; }
};

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_VERTEX_H_
