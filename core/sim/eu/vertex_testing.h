// Helpers for tests of vertex threads: a record, a draw, a program that copies its attributes, URB
// writes.
#ifndef KILN_CORE_SIM_EU_VERTEX_TESTING_H_
#define KILN_CORE_SIM_EU_VERTEX_TESTING_H_

#include <string>
#include <vector>

#include "core/intel/isa/messages.h"
#include "core/sim/eu/testing.h"
#include "core/sim/scene/vertex.h"

namespace kiln::sim::eu::testing {

// Registers of the payload of VertexRecord.
inline constexpr int kPush = 2;       // one register of the client's constants
inline constexpr int kAttribute = 3;  // of location 0
inline constexpr int kIds = 7;        // first vertex, base instance, vertex and instance from zero
// Registers of Copy: handles; header and position; slot 4.
inline constexpr int kHandles = 112, kData = 113, kLast = 121;

// VUE: header, position, a hole, location 3 in slot 4. The entry has eight slots.
out::LaunchRecord VertexRecord();

// `count` vertices with (10 v, 10 v + 1) at location 0; three instances from number 5 on.
scene::VertexInputs Vertices(uint32_t count);

isa::MessageFields UrbFields(int slot, int data);

// A send with handles from kHandles and data from `data` on.
isa::Instruction UrbWrite(const isa::MessageFields& f, int data, bool ends);
isa::Instruction UrbWrite(int slot, int registers, int data, bool ends);

// Moves of all lanes; handles are moved for lanes without vertex too.
void AppendHandles(isa::Program& p, int to = kHandles);
void AppendMove(isa::Program& p, int to, const isa::Operand& value, bool no_mask = false);

// A program that writes zeros as header, the attribute as position, the ids as slot 4. `end`:
// another last message.
isa::Program Copy();
isa::Program Copy(const isa::Instruction& end);

absl::Status RunVertices(const isa::Program& program, const out::LaunchRecord& record,
                         scene::VertexInputs& draw, const Options& options = {});

void ExpectRefusal(const absl::Status& s, const std::string& what);

}  // namespace kiln::sim::eu::testing

#endif  // KILN_CORE_SIM_EU_VERTEX_TESTING_H_
