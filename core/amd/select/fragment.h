// Selection of a fragment's inputs: interpolated and flat attributes, and what the rasteriser gives
// in registers. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_FRAGMENT_H_
#define KILN_CORE_AMD_SELECT_FRAGMENT_H_

#include <array>
#include <cstdint>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "core/amd/abi/fragment.h"
#include "core/amd/select/launch.h"

namespace kiln::amd {

class Fragment : public Room {
 public:
  Fragment(Emission& e, Launch& launch) : Room(e), launch_(launch) {}

  // Declares the VGPRs that the program starts with.
  void DeclareLiveIns();
  absl::Status VisitInput(mir::InstId id);  // load_input, interpolate
  void VisitHelperInvocation(mir::InstId id);

 private:
  // The barycentric coordinates of the lanes.
  struct Barycentrics {
    Operand i, j;
  };

  const FragmentAbi& fragment() const { return *abi_.fragment; }
  void DeliverCentroids(FragmentVgpr centre, FragmentVgpr centroid);
  Operand InputOf(FragmentVgpr input, int component = 0) const;
  Barycentrics BarycentricsOf(FragmentVgpr input) const;
  // The changes of an input's registers from a pixel to the next one.
  struct Slopes {
    std::array<Operand, 3> right, down;
  };
  const Slopes& SlopesOf(FragmentVgpr input);
  Barycentrics Moved(FragmentVgpr from, const Operand& x, const Operand& y);
  Operand Difference(const Operand& value, bool down);
  std::array<Operand, 2> OffsetOfSample(const Operand& sample);
  // Returns the coordinates by which an instruction's input is interpolated; of a flat or
  // per-vertex one none.
  Barycentrics BarycentricsFor(mir::InstId id);
  Operand Interpolated(uint32_t attribute, uint32_t component, const Barycentrics& at);
  // Returns the value that one vertex gave a flat or per-vertex attribute.
  Operand OfVertex(uint32_t attribute, uint32_t component, uint32_t vertex);
  absl::Status ReadAttribute(mir::InstId id);
  Operand ElementOf(mir::InstId id, uint32_t component, const Barycentrics& at);
  absl::Status ReadBuiltIn(mir::InstId id);
  void ReadWeights(mir::InstId id);
  std::array<Operand, 3> WeightsOf(const Barycentrics& at);
  Operand Bits(FragmentVgpr input, uint32_t first, uint32_t count);
  Operand SampleId();
  Operand SampleMask();
  Operand SamplePosition(uint32_t component);

  Launch& launch_;
  absl::btree_map<FragmentVgpr, Operand> inputs_;
  absl::btree_map<FragmentVgpr, Slopes> slopes_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_FRAGMENT_H_
