// Describes a machine to the shared LIR code (printer, verifier, liveness, allocator, scheduler):
// data and a few functions, no base class. Each back end has one constant Machine.
#ifndef KILN_CORE_LIR_MACHINE_H_
#define KILN_CORE_LIR_MACHINE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "core/lir/lir.h"

namespace kiln::lir {

enum OpFlags : uint32_t {
  kOpTerminator = 1,
  kOpReadsMemory = 2,
  kOpWritesMemory = 4,
  kOpBarrier = 8,      // ordered with every memory access and every other barrier
  kOpCopy = 16,        // one def, one use, same value: the allocator may coalesce
  kOpCollect = 32,     // one vector def from its parts, in order, measured in units (a part
                       // may be of another file: a U header before G data). A part is a
                       // value, or kNone with `comps` components of the def left undefined.
                       // The allocator replaces it by the copies that are needed.
  kOpSideEffect = 64,  // never removed
  kOpSendLike = 128,   // sources and destination are whole register ranges
  kOpCommutative = 256,
  kOpExit = 1024,        // lanes end here (a discard jump), and the thread may go to
                         // Function::exit_block: worth reaching early
  kOpUniformJump = 512,  // a terminator that all lanes take the same way: no lane is parked
  kOpSpill = 2048,  // stores registers to the thread's scratch memory: uses are a header, if any,
                    // the payload, and an immediate, the first unit in scratch memory.
                    // Masked unless kNoMask: lanes as they lie in the registers.
  kOpFill = 4096,   // loads them, NoMask: def; uses are a header and the immediate
  kOpOrderedRead = 8192,   // a read of memory, in order with other such reads (of one address)
  kOpSide = 16384,         // Inst::aux is an index into Function::side
  kOpAcrossLanes = 32768,  // its result depends on which lanes are on, or on values of other lanes:
                           // no exit may move to its other side
  kOpWritesOffLanes = 65536,  // definitions of files with masked writes are written in lanes that
                              // are off too (a comparison clears their bits of a mask), except in
                              // files that are always masked
  kOpTurnsOff = 131072,  // lanes are off from here on that nothing will miss, but for operations
                         // across lanes: none may move to its other side
};
// Bits from this one on are the machine's own; the shared code ignores them.
inline constexpr uint32_t kFirstOwnOpFlag = uint32_t{1} << 24;
static_assert(kOpTurnsOff < kFirstOwnOpFlag);

struct OpInfo {
  std::string_view name;
  uint32_t flags = 0;
  uint8_t clobbers = 0;      // a bit for each pool of which it writes all units, besides its
                             // definitions: a value in such a pool does not survive it
  int8_t tied = kNotTied;    // the use whose register its first definition gets (an accumulator);
                             // of no meaning for an instruction without definitions
  uint8_t memory_class = 0;  // class of the memory it accesses, below kMemoryClasses: accesses of
                             // different classes never alias
  static constexpr int8_t kNotTied = -1;
};
inline constexpr int kMemoryClasses = 4;

// A physical register pool. Files map on to pools; several may share one. An operand
// for which the machine has a single register (a carry, a mask that an encoding implies) is of a
// file whose pool is that one register; if several such values live at once, or one lives across an
// operation that clobbers the pool, they are kept in FileInfo::save_file.
struct PoolInfo {
  std::string_view name;
  uint32_t units = 0;           // what values are measured in: dwords, granules of flags
  uint32_t tail_first = 0;      // first unit allowed for values that are `in_tail`
  uint32_t register_units = 1;  // of a machine register; hardware waits for whole registers
  uint32_t copy_units = 1;      // of the longest copy of uniform units (make_copy): a power of two
  bool spread = false;          // while there are free registers, reuses one as late as possible
};

struct FileInfo {
  std::string_view name;  // "G", "U", "F"
  uint8_t pool = 0;
  bool masked_writes = false;   // definitions obey the execution mask unless the instruction is
                                // NoMask or its operation has kOpWritesOffLanes (G, F); false:
                                // every definition is NoMask (U)
  uint8_t save_file = kNoFile;  // file that holds a whole value of this one when its pool is
                                // full (F is saved to U); kNoFile: none
  bool always_masked = false;   // no instruction reads or writes lanes of it that are off: copies,
                                // stores and fills obey the mask like all others
  uint8_t merge_clobbers = 0;   // a bit for each pool that a copy or exchange under the mask
                                // clobbers (make_copy, make_swap); such copies are made for
                                // arguments of edges only. Masks of lanes: bits are merged.
  static constexpr uint8_t kNoFile = 0xff;
};

// Describes how registers of a pool are spilled: to slots of scratch memory, or to lanes of another
// pool's registers. A slot is a unit of the pool; values start at multiples of register_units.
struct SpillHooks {
  uint8_t pool = 0;
  uint8_t to_pool = kToMemory;  // the pool whose registers hold the values, in Function::reserved
  static constexpr uint8_t kToMemory = 0xff;
  // Slots that one unit of to_pool has: its lanes.
  uint32_t (*places_per_unit)(const Function&) = nullptr;
  uint8_t raw_type = 0;  // operand type of copies and collects of whole registers
  uint32_t register_units = 8;
  // In memory: slots below this are reached with Function::scratch_header, or, without a header,
  // directly; masked stores reach no others.
  uint32_t direct_units = 0;

  // Makes the instruction that stores `payload` (whole registers) to the slot `place`; masked only
  // where can_mask allows it, below direct_units, and one component at a time. It may define a
  // temporary of its own, in all lanes. Uses are the header (kNone if there is none), the payload
  // and the slot.
  InstId (*make_spill)(Function&, const Operand& header, const Operand& payload, uint32_t place,
                       bool no_mask) = nullptr;
  InstId (*make_fill)(Function&, ValueId def, const Operand& header, uint32_t place) = nullptr;
  // Operation that makes from the header one that reaches a slot at or above direct_units (uses:
  // header, slot). Not needed without headers: then every slot is reached directly.
  uint16_t far_header_op = 0;

  // The shape of a register of the pool: of headers, and of temporaries of whole registers.
  Value (*register_value)() = nullptr;
  bool (*can_mask)(const Function&, const Value&) = nullptr;
  // Returns true if repeating the instruction is cheaper than a load and always gives the same
  // value.
  bool (*can_repeat)(const Function&, InstId) = nullptr;
  // Messages that a spill or fill of that many registers takes.
  uint32_t (*messages)(uint32_t registers) = nullptr;
};

// How an instruction passes through the machine, in cycles from its issue. Issue is in order: an
// instruction waits while its unit is busy, and so do all after it.
struct Timing {
  int issue = 1;            // until the next one can issue
  int latency = 1;          // until its definitions can be read
  int read = 0;             // until its uses may be overwritten
  uint8_t unit = 0;         // below kTimingUnits; unit 0 is never busy longer than the issue takes
  int busy = 0;             // until the next one for the same unit can issue
  int percent_after = 100;  // of exits: percentage at which the cycles after them count, since the
                            // thread may have ended
};
inline constexpr int kTimingUnits = 8;

struct Machine {
  std::string_view name;
  absl::Span<const OpInfo> ops;
  uint8_t clobbered = 0;  // ClobberedBy(ops)
  absl::Span<const FileInfo> files;
  absl::Span<const PoolInfo> pools;
  absl::Span<const std::string_view> types;  // names of element types for text
  absl::Span<const std::string_view> fixed;  // names of fixed registers for text

  // Convert a side row to text (words without brackets) and back. Null where no operation has
  // kOpSide. parse_side returns false if the text is not a row.
  std::string (*print_side)(const SideRow&);
  bool (*parse_side)(std::string_view text, SideRow* row);

  // Units that one component of the value takes, and the alignment of its first unit.
  uint32_t (*units_per_comp)(const Function&, const Value&);
  uint32_t (*alignment)(const Function&, const Value&);

  // Returns true if this definition may be given (part of) the registers of this use when the use
  // dies here and both would start at the same unit. False where the hardware writes before it has
  // read.
  bool (*may_reuse_source)(const Function&, InstId, int def, int use);

  // Makes the instruction that copies a range of units between two physical registers: one
  // component of the value at its full width, or (files without masked writes) a power of two of
  // units, at most PoolInfo::copy_units, aligned to their number at both ends. NoMask if `no_mask`.
  // Its operands are registers: of kind kValue with `reg` set; the allocator gives them a value of
  // the same shape as `id`. Not called for flags. The Value is passed as a copy, since
  // Function::values may grow during the call.
  InstId (*make_copy)(Function&, const Value&, uint32_t to_reg, uint32_t from_reg, uint32_t units,
                      bool no_mask);
  // Exchanges two such ranges without a free register of the pool, by one of the sequences below;
  // returns the number of instructions. Definitions and uses are registers, as for make_copy.
  // * a^=b, b^=a, a^=b, each with both uses;
  // * t=a, a=b, b=t with a fixed register t that nothing else uses;
  // * one instruction with definitions a, b and uses b, a.
  int (*make_swap)(Function&, const Value&, uint32_t reg_a, uint32_t reg_b, uint32_t units,
                   bool no_mask, absl::Span<InstId> out3);

  Timing (*timing)(const Machine&, const Function&, InstId);

  // Only for files with a save_file, before allocation, all lanes (NoMask): copies the whole of
  // `flag` to `saved` (a one-component value of the save file), and back to a new value `flag`. The
  // function makes the instruction; the caller inserts it into a block and sets kInsertedCopy.
  InstId (*make_save)(Function&, ValueId saved, ValueId flag) = nullptr;
  InstId (*make_restore)(Function&, ValueId flag, ValueId saved) = nullptr;

  uint16_t collect_op = 0;  // an operation with kOpCollect

  // At most one for each pool, and one to memory, in the order in which pools are spilled: a pool
  // that is spilled to registers of another pool comes before that pool. Empty: nothing can be
  // spilled.
  absl::Span<const SpillHooks> spills;
};

// Returns the pools that some operation clobbers, a bit for each.
constexpr uint8_t ClobberedBy(absl::Span<const OpInfo> ops) {
  uint8_t pools = 0;
  for (const OpInfo& op : ops) pools |= op.clobbers;
  return pools;
}

// Returns true if the instruction writes this definition, a value, in lanes that are off.
inline bool WritesOffLanes(const Machine& t, const Function& f, InstId i, const Operand& def) {
  const FileInfo& file = t.files[f.value(def.value()).file];
  if (!file.masked_writes || (f.inst(i).flags & kNoMask)) return true;
  return !file.always_masked && (t.ops[f.inst(i).op].flags & kOpWritesOffLanes);
}

inline const SpillHooks* SpillsOf(const Machine& t, uint8_t pool) {
  for (const SpillHooks& h : t.spills) {
    if (h.pool == pool) return &h;
  }
  return nullptr;
}

// Units of the pool in this function; FreeUnits: those among them that are not reserved.
inline uint32_t PoolUnits(const Machine& t, const Function& f, size_t pool) {
  return f.pool_units.empty() ? t.pools[pool].units : f.pool_units[pool];
}
inline uint32_t FreeUnits(const Machine& t, const Function& f, size_t pool) {
  uint32_t units = PoolUnits(t, f, pool);
  for (const Reserved& r : f.reserved) units -= r.pool == pool ? r.units : 0;
  return units;
}
// Returns true if the range of units lies within the pool and overlaps no reserved units.
inline bool MayHold(const Machine& t, const Function& f, size_t pool, uint32_t first,
                    uint32_t units) {
  const uint32_t all = PoolUnits(t, f, pool);
  if (first > all || units > all - first) return false;
  for (const Reserved& r : f.reserved) {
    if (r.pool == pool && first < r.first + r.units && r.first < first + units) return false;
  }
  return true;
}

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_MACHINE_H_
