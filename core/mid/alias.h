// Which memory an instruction touches, and whether two accesses may touch the same.
//
// Every access is written as (space, memory, base value + constant offset, bytes). Two accesses of
// one memory from one base are told apart by their offsets (modulo 2^32, as addresses are); from
// different bases they may meet. Different buffers may be the same memory unless neither is written:
// SPIR-V's Aliased and Restrict say nothing that front ends do not also leave out. Shared memory and
// private arrays meet nothing else. Uniform buffers, push constants and the module's own tables are
// never written while the program runs. Storage images meet only each other (texel buffers may be any
// buffer). What an op unknown here touches may be any buffer.
#ifndef KILN_CORE_MID_ALIAS_H_
#define KILN_CORE_MID_ALIAS_H_

#include <cstdint>
#include <optional>

#include "core/mir/mir.h"

namespace kiln::mid {

enum class Space : uint8_t {
  kReadOnly,   // uniform buffers, push constants, tables
  kPrivate,
  kShared,
  kBuffer,     // storage buffers
  kImage,      // storage images
  kUnknown,    // anything reachable by other invocations but shared memory
};

struct Access {
  Space space = Space::kUnknown;
  mir::Op op = mir::Op::kUnreachable;
  uint32_t memory = 0;        // resource or private array
  mir::ValueId index;         // of the descriptor, for kIndexed
  mir::ValueId base;          // invalid: none, the offset is the address
  uint32_t offset = 0;
  uint32_t bytes = 0;         // 0: not known
  uint32_t element_bytes = 4; // of each of the consecutive values
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

// No value if the instruction touches no memory itself (barriers do not, ifs and loops do not).
std::optional<Access> AccessOf(const mir::Module& module, mir::InstId id);

// Whether the two may touch the same byte. Says nothing about who writes.
bool MayOverlap(const Access& a, const Access& b);

// Element n of what a plain access loads or stores.
Access ElementOf(const Access& access, int n);

// Whether two elements are certainly the same, and of one size.
bool SamePlace(const Access& a, const Access& b);

// Kinds of memory as bits: bit 0 all that other invocations reach but shared memory, bit 1 shared
// memory, then private arrays (several share a bit if there are many).
using MemorySet = uint64_t;
inline constexpr MemorySet kOutsideMemory = 1;
inline constexpr MemorySet kSharedMemory = 2;
MemorySet MemorySetOf(const Access& access);
// Memory at which a barrier lets others look: shared memory always, the rest by its classes.
MemorySet OrderedBy(const mir::Inst& barrier);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ALIAS_H_
