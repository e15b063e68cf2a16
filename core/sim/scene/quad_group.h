// Groups of a draw's quads: the lanes that one thread, or wave, shades together.
//
// Quads of one primitive share groups, or, where a machine's waves take them, quads of several
// (QuadsOfPrimitives): a group takes as many quads as its lanes have room for, or,
// shaded per sample, as many pairs of quad and sample. Samples of a quad have lanes whether they
// are covered or not: lanes that are not covered are off or helper lanes, in the middle of the
// group too. A group without covered lanes does not exist.
#ifndef KILN_CORE_SIM_SCENE_QUAD_GROUP_H_
#define KILN_CORE_SIM_SCENE_QUAD_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/sim/scene/fragment.h"

namespace kiln::sim::scene {

// Four lanes of a group.
struct Subspan {
  uint32_t quad = 0;    // index into FragmentInputs::quads
  uint32_t sample = 0;  // only of programs that are shaded per sample
};

struct QuadGroup {
  FragmentInputs* draw = nullptr;  // not owned
  uint32_t primitive = 0;
  bool per_sample = false;
  std::vector<Subspan> subspans;  // lanes 4i .. 4i + 3 belong to number i
  uint64_t covered = 0;           // lanes of pixels (samples) that the primitive covers
  uint64_t quads = 0;             // all lanes of their quads

  // Returns the primitive of all lanes, or, if they are of several, of the first ones.
  const Primitive& Shape() const { return draw->primitives[primitive]; }
  // Returns the primitive of a lane; of lanes behind the last quad's the first primitive.
  const Primitive& ShapeOf(int lane) const;
  // Returns the upper left corner of a lane's pixel. `lane` is one of `quads`, here and below.
  Point Corner(int lane) const;
  // Returns the samples of a lane's pixel that the primitive covers.
  uint32_t Coverage(int lane) const;
  // Returns the samples that a lane shades.
  uint32_t Samples(int lane) const;
  // Returns the point in a lane's pixel of the sample that the lane is.
  Point SamplePlace(int lane) const;
};

// Indices of a draw's quads, the end excluded.
struct QuadRange {
  size_t first = 0, end = 0;
};

// Returns the quads of the primitive that quad `first` belongs to, from there on.
QuadRange QuadsOfPrimitive(const FragmentInputs& draw, size_t first);

// Returns the quads of that primitive and of as many of the next ones as can share groups: of the
// same layer and number of vertices, with quads at other places than all before, so that the order
// of their fragments does not matter.
QuadRange QuadsOfPrimitives(const FragmentInputs& draw, size_t first);

// Returns the groups of `lanes` lanes (at most 64) of quads of one or several primitives, in their
// order or, with `opposite`, reversed: their pixels differ. Primitives whose pixels do not differ
// must stay in the order of drawing.
std::vector<QuadGroup> GroupQuads(uint32_t lanes, bool per_sample, bool opposite,
                                  const QuadRange& quads, FragmentInputs& draw);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_QUAD_GROUP_H_
