// Selection of a vertex's inputs and outputs: attributes and values of the draw; the exports of its
// position and parameters. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_VERTEX_H_
#define KILN_CORE_AMD_SELECT_VERTEX_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "core/amd/abi/vertex.h"
#include "core/amd/select/bools.h"
#include "core/amd/select/launch.h"

namespace kiln::amd {

class Vertex : public Room {
 public:
  Vertex(Emission& e, Bools& bools, Launch& launch) : Room(e), bools_(bools), launch_(launch) {}

  // Declares the VGPRs that the program starts with, and loads the attributes.
  void DeclareLiveIns();
  absl::Status VisitInput(mir::InstId id);
  absl::Status VisitStore(mir::InstId id);
  // Exports the stored outputs at the end of the program.
  void ExportAll();
  // Select what programs that cull have besides (core/amd/cull/numbers.h).
  void VisitLaunch(mir::InstId id);
  void VisitEffect(mir::InstId id);

 private:
  using Vector = std::array<Operand, 4>;

  const VertexAbi& vertex() const { return *abi_.vertex; }
  Operand Draw(const std::optional<uint32_t>& sgpr) const { return launch_.Scalar(*sgpr); }
  Operand Divided(const Operand& number, uint32_t divisor);
  std::optional<lir::SelectionBuilder::Prologue> AtStart();
  Operand VertexNumber();
  void StartVertex(mir::InstId id);
  Operand InstanceNumber(uint32_t divisor);
  Operand DescriptorOf(uint32_t number);
  void LoadAttribute(uint32_t number);
  Operand ElementOf(mir::InstId id, uint32_t component);
  void ReadAttribute(mir::InstId id);
  Operand AsDword(mir::ValueId value);
  Vector Miscellaneous();
  Vector PositionOf();
  Vector Distances(uint32_t group);
  void ExportPositions();
  void ExportPrimitive(mir::ValueId packed);
  void Emit(uint32_t target, const Vector& values, bool done);

  Bools& bools_;
  Launch& launch_;
  Operand vertex_id_, instance_id_;  // from zero
  // Registers of a program that culls: of the lane's primitive, and of its vertex as launched.
  Operand first_two_indices_, third_index_, primitive_id_;
  Operand own_vertex_id_, own_instance_id_;
  std::vector<Operand> descriptors_;  // of attributes, where parts of the program share them
  Operand vertex_number_;
  absl::btree_map<uint32_t, Operand> instances_;  // by divisor
  std::vector<Operand> attributes_;               // by number; as many components as are read
  // Stored so far. Distances are by their number among all.
  Vector position_;
  Operand point_size_, layer_, viewport_;
  std::array<Operand, 8> distances_;
  absl::btree_map<uint32_t, Vector> locations_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_VERTEX_H_
