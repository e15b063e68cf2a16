// A draw as vertex threads see it: the vertices and their attributes, and the outputs that the
// threads leave for fixed functions.
//
// A vertex is shaded once for each occurrence in the draw (an index that is named twice runs twice,
// which a cache of the hardware may avoid). "Runs" are numbered in the order instance, vertex.
// Attribute fetch (formats, missing components) is modelled only so far: components that are not
// given are 0, and 1 in w, as in Vulkan 1.3, "Vertex Input Extraction".
#ifndef KILN_CORE_SIM_SCENE_VERTEX_H_
#define KILN_CORE_SIM_SCENE_VERTEX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace kiln::sim::scene {

// The attribute at a location.
struct VertexInput {
  uint32_t location = 0;
  bool per_instance = false;
  uint32_t step = 1;           // instances that share an element (Instance Data Step Rate)
  uint32_t components = 4;     // number of components given per element
  uint32_t missing_w = 1;      // bits of w if it is not given: 1, or 1.0
  std::vector<uint32_t> bits;  // component c of vertex (or instance) e at e * components + c
};

// Where the entries of a draw have an output of its program.
struct VertexOutput {
  struct Component {
    uint32_t slot = 0;
    uint32_t component = 0;
    // False for distances that the program does not write: nothing is clipped or culled by them,
    // though the slot is written as a whole.
    bool has_contents = true;
  };

  std::string builtin = {};  // "position", "clip_distance", "layer", ...; empty: at a location
  uint32_t location = 0;     // with four components
  std::vector<Component> components = {};
};

struct VertexInputs {
  uint32_t count = 0;                          // vertices of an instance; indexed: indices.size()
  std::vector<uint32_t> indices;               // only of an indexed draw
  int32_t first_vertex = 0;                    // indexed: value added to indices
  uint32_t instances = 1, first_instance = 0;  // as the hardware counts them
  uint32_t draw_id = 0;
  std::vector<VertexInput> inputs;

  // Results: the outputs by name, contents of the entries after the runs, and which dwords were
  // written (the others are undefined). Built-ins that the program does not write are left out.
  std::vector<VertexOutput> outputs;
  uint32_t slots = 0;  // size of an entry in slots of four dwords
  std::vector<uint32_t> entries;
  std::vector<uint8_t> written;  // 0 or 1

  // Index of a dword into entries and written.
  size_t At(uint32_t run, uint32_t slot, uint32_t component) const {
    return (size_t{run} * slots + slot) * 4 + component;
  }
  uint64_t Runs() const { return uint64_t{count} * instances; }
};

// One execution of the program for a vertex.
struct VertexRun {
  uint32_t instance = 0;
  uint32_t number = 0;  // of the vertex, counted from zero, or its index
};

VertexRun RunAt(const VertexInputs& draw, uint32_t run);

// Returns the input at a location, null if there is none. Owned by the draw.
const VertexInput* InputAt(const VertexInputs& draw, uint32_t location);

// Returns the components of an input that CheckVertexInputs accepts for a run.
std::array<uint32_t, 4> FetchVertex(const VertexInputs& draw, const VertexInput& input,
                                    const VertexRun& run);

// Checks that the inputs at all `locations` are given for every run, and that results of
// `entry_bytes` each are at most 256 MiB. InvalidArgument.
absl::Status CheckVertexInputs(absl::Span<const uint32_t> locations, uint64_t entry_bytes,
                               const VertexInputs& draw);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_VERTEX_H_
