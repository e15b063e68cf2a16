// LIR: the low-level IR shared by the back ends. One instruction layout, one opcode table per
// machine (lir/machine.h). SSA until register allocation; afterwards the same structs with
// `Operand::reg` filled in.
//
// Values. A value lives in a logical register file (one per lane, one uniform, ...) and has
// `comps` consecutive components; message payloads are values made by `collect`. An operand names
// one component (or, in sends and collects, all from `comp` on).
//
// Control flow. Blocks are in layout order and keep the structured shape of the source: the
// terminator is the machine's own jump (if, else, endif, break, cont, while). Phis are block
// parameters; their arguments are on the edge. An edge carries arguments only if it is its block's
// single logical successor, so that copies fit at the end of that block, before its terminator,
// under the mask of the lanes that take the edge.
//
// Two kinds of edges. A logical edge is a step of one lane. A physical edge is a step of the thread
// while lanes are off (then -> else, past a break to the next block, loop head -> after the loop).
// See liveness.h for what each is needed for.
//
// Exits. An instruction with kOpExit ends lanes in the middle of a block; it is no terminator, and
// a block may have several. Lanes that have left hold nothing and are not parked for any block.
// When the last active lane leaves, the thread goes to the block where other lanes wait, or, if no
// lane waits, to Function::exit_block. Hence values that the exit block reads for all lanes must be
// available at every exit (exits.h).
//
// A masked write leaves lanes that are off as they were. A NoMask write (all of file U, among
// others) writes all lanes of its width. So does an operation with kOpWritesOffLanes (a comparison
// into a mask of lanes). README.md lists the kinds of values that are not of one lane, and what an
// edge does with each.
#ifndef KILN_CORE_LIR_LIR_H_
#define KILN_CORE_LIR_LIR_H_

#include <array>
#include <cassert>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/base/ids.h"

namespace kiln::lir {

using ValueId = Id<struct LirValueTag>;
using InstId = Id<struct LirInstTag>;
using BlockId = Id<struct LirBlockTag>;

struct Value {
  uint8_t file = 0;        // index into Machine::files
  uint8_t elem_bytes = 4;  // per lane and component; 0 in flag files
  uint16_t comps = 1;
  bool whole_registers = false;  // a message result: starts at and fills whole registers
  bool in_tail = false;          // must be at or above PoolInfo::tail_first (the payload of the
                                 // thread's last message)
  uint32_t spirv_id = 0;         // 0: none
};

struct Operand {
  enum class Kind : uint8_t { kNone, kValue, kFixed, kImm };
  enum Mods : uint8_t { kNegate = 1, kAbsolute = 2 };

  Kind kind = Kind::kNone;
  uint8_t type = 0;       // the machine's element type
  uint8_t mods = 0;       // sources only
  uint8_t sub = 0;        // byte offset within the element (the high word of a dword: 2)
  uint16_t comp = 0;      // first component of a value
  uint16_t comps = 1;     // components named: 1, or the length of a payload part
  uint32_t id = 0;        // kValue: ValueId; kImm: the bits; kFixed: the machine's code
  uint32_t reg = kNoReg;  // kValue after allocation: first unit of the value's pool (already
                          // advanced to `comp`); `sub` still applies

  static constexpr uint32_t kNoReg = 0xffffffffu;
  ValueId value() const {
    assert(kind == Kind::kValue);
    return ValueId(id);
  }
};

inline bool IsValue(const Operand& o) { return o.kind == Operand::Kind::kValue; }

enum InstFlags : uint8_t {
  kNoMask = 1,  // executes for all lanes of its width, whatever the mask
  kSaturate = 2,
  kPredicateInverse = 4,
  kInsertedCopy = 8,    // made by register allocation
  kPreferredExit = 16,  // on exits only: schedules issue early what it waits for
  kUnordered = 32,   // reads memory that nothing writes meanwhile: in no order with other accesses
  kReadsLanes = 64,  // reads other lanes, though not every instruction of this operation does: as
                     // kOpAcrossLanes (machine.h)
};

struct Inst {
  uint16_t op = 0;    // index into Machine::ops
  uint8_t width = 1;  // lanes executed
  uint8_t group = 0;  // first lane
  uint8_t flags = 0;
  uint8_t cmod = 0;            // condition under which the flag definition is set; 0: none
  uint8_t predicate_mode = 0;  // of the predicate operand; 0: there is none, else the machine's
                               // predicate control and the LAST use is the predicate (file F)
  uint8_t num_defs = 0;
  uint16_t num_uses = 0;
  uint32_t first_operand = 0;  // in Function::operands: definitions, then uses
  uint32_t aux = 0;            // kOpSide: index into Function::side; else defined by the operation
  uint32_t spirv_id = 0;
};

// Fields of an operation with kOpSide that its operands do not express (those of a message): a
// record of the machine's, opaque to the shared code. Read and made by side.h.
struct SideRow {
  std::array<uint32_t, 12> words{};
  friend bool operator==(const SideRow&, const SideRow&) = default;
};

struct Edge {
  BlockId to;
  uint32_t first_arg = 0;  // in Function::operands
  uint16_t num_args = 0;   // = parameters of `to`, or 0 if it has none
};

struct Block {
  std::vector<InstId> insts;  // the terminator, where there is one, is last
  std::vector<ValueId> params;
  std::vector<Edge> succs;              // logical
  std::vector<BlockId> physical_succs;  // those that are not logical ones too
  uint16_t loop_depth = 0;
};

// A value that the hardware delivers in a register before the first instruction.
struct LiveIn {
  ValueId value;
  uint32_t reg = 0;   // first unit in its pool
  bool held = false;  // no other value has these units before the program ends, read or not
};

// An instruction that repeats the computation of `original` (made by register allocation).
struct Repeat {
  InstId inst;
  InstId original;
};

// Units of a pool that no value may have. Instructions that name the registers keep data there
// outside SSA (masks of lanes, by nesting depth).
struct Reserved {
  uint8_t pool = 0;
  uint32_t first = 0;
  uint32_t units = 0;
  uint8_t spilled_pool = kNoPool;  // values of this pool are spilled to their lanes: slot 0 is
                                   // lane 0 of the first unit, and so on
  static constexpr uint8_t kNoPool = 0xff;
};

struct Function {
  uint8_t dispatch_width = 8;
  std::vector<Value> values;
  std::vector<Inst> insts;
  std::vector<Block> blocks;      // in layout order; block 0 is the entry
  std::vector<Operand> operands;  // pool
  std::vector<LiveIn> live_ins;
  std::vector<SideRow> side;         // each row once: equal operations have equal Inst::aux
  uint32_t spill_units = 0;          // of scratch memory, from its start, taken by spilled values
  std::vector<Repeat> repeats;       // made by the spiller, claims that ra/check.h verifies
  std::vector<uint32_t> pool_units;  // per pool, at most PoolInfo::units: the size chosen for this
                                     // compile (occupancy). Empty: the machine's. See PoolUnits.
  std::vector<Reserved> reserved;    // no two overlap
  ValueId scratch_header;  // a live-in that stays in its register: header of scratch messages;
                           // invalid where these have no header
  BlockId exit_block;      // the last block, where the thread goes from any exit; invalid
                           // where there are no exits

  const Value& value(ValueId v) const { return values[v.index]; }
  Value& value(ValueId v) { return values[v.index]; }
  const Inst& inst(InstId i) const { return insts[i.index]; }
  Inst& inst(InstId i) { return insts[i.index]; }
  const Block& block(BlockId b) const { return blocks[b.index]; }
  Block& block(BlockId b) { return blocks[b.index]; }

  absl::Span<Operand> defs(InstId i) {
    const Inst& in = inst(i);
    return absl::MakeSpan(operands.data() + in.first_operand, in.num_defs);
  }
  absl::Span<const Operand> defs(InstId i) const {
    const Inst& in = inst(i);
    return absl::MakeConstSpan(operands.data() + in.first_operand, in.num_defs);
  }
  absl::Span<Operand> uses(InstId i) {
    const Inst& in = inst(i);
    return absl::MakeSpan(operands.data() + in.first_operand + in.num_defs, in.num_uses);
  }
  absl::Span<const Operand> uses(InstId i) const {
    const Inst& in = inst(i);
    return absl::MakeConstSpan(operands.data() + in.first_operand + in.num_defs, in.num_uses);
  }
  absl::Span<const Operand> args(const Edge& e) const {
    return absl::MakeConstSpan(operands.data() + e.first_arg, e.num_args);
  }
  absl::Span<Operand> args(const Edge& e) {
    return absl::MakeSpan(operands.data() + e.first_arg, e.num_args);
  }
};

// Returns true if the instruction has a first definition: the one that a tied use (OpInfo::tied)
// gives its register. Atomics whose result nothing wants have none.
inline bool HasFirstDef(const Function& f, InstId i) {
  return f.inst(i).num_defs != 0 && IsValue(f.defs(i)[0]);
}

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_LIR_H_
