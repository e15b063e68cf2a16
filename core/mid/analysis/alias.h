// Which memory an instruction touches, and whether two accesses may touch the same.
//
// Of memory by address the base is a 64-bit value, or two halves to which the offset is added with
// a carry. Every access is written as (space, memory, base value + constant offset, bytes). Two
// accesses of one memory from one base are told apart by their offsets (modulo 2^32, as addresses
// are); from different bases they may meet. Buffers of different bindings are different memory
// unless one of them is declared Aliased: the SPIR-V memory models of shaders let a compiler assume
// so (SPIR-V specification, "Aliasing"; Restrict is allowed and says nothing more). Two
// declarations of one binding, and two elements of an array of buffers, may be the same; so may
// memory accessed by address and any buffer. Shared memory and private arrays meet nothing else.
// Buffers that nobody writes (find_unchanging_buffers.h), uniform buffers, push constants and the
// module's own tables are never written while the program runs. Storage images meet only each other
// (texel buffers may be any buffer). What an op unknown here touches may be any buffer.
#ifndef KILN_CORE_MID_ANALYSIS_ALIAS_H_
#define KILN_CORE_MID_ANALYSIS_ALIAS_H_

#include <cstdint>
#include <optional>

#include "core/mir/mir.h"

namespace kiln::mid {

enum class Space : uint8_t {
  kReadOnly,  // uniform buffers, push constants, tables, storage buffers that nobody writes
  kPrivate,
  kShared,
  kBuffer,   // storage buffers
  kImage,    // storage images
  kGlobal,   // memory by address
  kHelper,   // whether the lane helps: read by helper_invocation, changed by a demote
  kUnknown,  // anything reachable by other invocations but shared memory
};

struct Access {
  Space space = Space::kUnknown;
  mir::Op op = mir::Op::kUnreachable;
  uint32_t memory = 0;            // resource or private array
  uint32_t set = 0, binding = 0;  // of the resource
  bool aliased = false;           // declared so
  mir::ValueId index;  // of the descriptor, for kIndexed; of kGlobal: the base's high half
  mir::ValueId base;   // invalid: none, the offset is the address
  uint32_t offset = 0;
  uint32_t bytes = 0;          // 0: not known
  uint32_t element_bytes = 4;  // of each of the consecutive values
  bool reads = false;
  bool writes = false;
  bool is_volatile = false;
  bool is_coherent = false;
  // A load or store of consecutive values whose place is known.
  bool plain() const { return bytes != 0 && reads != writes; }
  int elements() const { return static_cast<int>(bytes / element_bytes); }
};

// `v` as a base and a constant offset: constants are looked for in chains of additions.
struct Address {
  mir::ValueId base;
  uint32_t offset = 0;
};
Address AddressOf(const mir::Module& module, mir::ValueId v);

// Of an instruction that reads, writes or is flagged as going to memory.
std::optional<Access> MemoryAccessOf(const mir::Module& module, mir::InstId id);

// No value if the instruction touches no memory itself (barriers do not, ifs and loops do not).
// Asked of all instructions: most are told by the op alone.
inline std::optional<Access> AccessOf(const mir::Module& module, mir::InstId id) {
  constexpr uint32_t kMemory =
      mir::OpInfo::FlagBit('R') | mir::OpInfo::FlagBit('W') | mir::OpInfo::FlagBit('M');
  if ((mir::Info(module.inst(id).op).flags & kMemory) == 0) return std::nullopt;
  return MemoryAccessOf(module, id);
}

// Whether the two may touch the same byte. Says nothing about who writes.
bool MayOverlap(const Access& a, const Access& b);

// Element n of what a plain access loads or stores.
Access ElementOf(const Access& access, int n);

// Whether the instruction has no effect and gives the same for the same sources wherever it stands:
// pure ops, and loads of buffers that nobody writes.
bool IsPure(const mir::Module& module, mir::InstId id);
// Of such an instruction: whether it reads memory, and is not to be executed without need.
bool IsPureRead(const mir::Module& module, mir::InstId id);
// Whether it reads push constants at a known offset: they are in registers.
bool IsKnownPush(const mir::Module& module, mir::InstId id);

// Whether such an instruction may also run where the program does not run it: nothing volatile, and
// no descriptor that a value chooses, whose index may be out of range there.
bool IsSpeculatable(const mir::Module& module, mir::InstId id);

// Whether two elements are certainly the same, and of one size.
bool SamePlace(const Access& a, const Access& b);

// Kinds of memory as bits: images, shared memory, then buffers by binding and private arrays
// (several share a bit if there are many). Accesses that may touch the same memory have a common
// bit.
using MemorySet = uint64_t;
inline constexpr MemorySet kImageMemory = 1;
inline constexpr MemorySet kSharedMemory = 2;
inline constexpr MemorySet kHelperMemory = kSharedMemory;  // fragments have no shared memory
inline constexpr int kBufferBits = 22;                     // from bit 2 on
inline constexpr MemorySet kBufferMemory = ((MemorySet{1} << kBufferBits) - 1) << 2;
// All that other invocations reach but shared memory.
inline constexpr MemorySet kOutsideMemory = kImageMemory | kBufferMemory;
MemorySet MemorySetOf(const Access& access);
// What an op with the flag E tells apart. A barrier: memory at which it lets others look, shared
// memory always, the rest by its classes. A kill: what is stored before it, which stays when what
// comes later does not happen, and whether the lane helps. An output: nothing.
MemorySet OrderedBy(const mir::Inst& inst);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ANALYSIS_ALIAS_H_
