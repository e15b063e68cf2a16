// The parts of a vertex program that culls: the position, and the rest. Internal to this folder.
#ifndef KILN_CORE_AMD_CULL_PARTS_H_
#define KILN_CORE_AMD_CULL_PARTS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/amd/abi/vertex.h"
#include "core/mir/build.h"

namespace kiln::amd {

using Position = std::array<mir::ValueId, 4>;

// The outputs of a vertex that tests of its primitives read.
struct TestedOutputs {
  Position position;
  std::vector<mir::ValueId> distances;  // to clip and to cull by
};

// Which numbers of a vertex are read: its own, its instance's.
struct VertexNumbers {
  bool vertex = false, instance = false;
};

class Parts {
 public:
  // Takes the body that the builder's module has now. Both outlive the object.
  explicit Parts(mir::Builder& b);

  // Returns Internal for a body with an output that is stored under a condition.
  absl::Status Check() const;
  // Returns the numbers that are read for other outputs than the position, if that is known.
  VertexNumbers NumbersOfRest(const VertexAbi& abi) const;
  // Returns true if the program writes distances that may be negative, to elements that are known.
  bool has_distances() const { return !distances_.empty(); }
  // Appends the body without stores of outputs; what the tested ones do not need is dead.
  // Components of the position that are not stored are 0, 0, 0, 1, as where nothing is culled.
  TestedOutputs CloneTested();
  // Appends the body with stores of all outputs, those of the position and those that are made of
  // it from the one that is given.
  void CloneRest(const Position& position);

 private:
  bool StoresPosition(const mir::Inst& inst) const {
    return inst.op == mir::Op::kStoreOutput && inst.imm0 == output_;
  }
  Position StoredPosition(const mir::Module& m) const;
  void FindDistances();
  TestedOutputs CloneBody(bool others);

  mir::Builder& b_;
  mir::Module& m_;
  const mir::RegionId body_;
  uint32_t output_ = 0;                  // the position's
  std::vector<mir::ValueId> distances_;  // that are stored
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_CULL_PARTS_H_
