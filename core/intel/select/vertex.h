// Selection of a vertex thread's inputs and outputs: attributes, and writes to the URB; the view of
// each vertex. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_VERTEX_H_
#define KILN_CORE_INTEL_SELECT_VERTEX_H_

#include <array>
#include <optional>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "core/intel/select/bools.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class Vertex : public Room {
 public:
  Vertex(Emission& e, Bools& bools) : Room(e), bools_(bools) {}

  void DeclareLiveIns();
  absl::Status VisitInput(mir::InstId id);
  absl::Status VisitStore(mir::InstId id);
  // Writes the stored outputs and ends the thread.
  void EndThread();

 private:
  using Slot = std::array<std::optional<Operand>, 4>;

  Operand Attribute(uint32_t slot, uint32_t component);
  Operand DrawValue(out::VertexValue value);
  Operand Element(mir::InstId id, uint32_t component);
  Operand AsDword(mir::ValueId v);
  void FillHeader();
  void FindView();
  Operand ViewOf(const Operand& nth);
  Operand InstanceFromZero();
  Operand ViewIndex() const;
  Operand Unsigned(Opcode op, const Operand& a, uint32_t b);
  void Write(uint32_t first, uint32_t count, bool last);

  Bools& bools_;
  lir::ValueId handles_;
  std::optional<Operand> instance_, view_;         // if several views are drawn
  absl::btree_map<uint32_t, Operand> attributes_;  // by register
  absl::btree_map<uint32_t, Slot> slots_;          // slots of the URB entry, stored so far
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_VERTEX_H_
