// Which memory an instruction accesses, and which accesses may touch the same bytes.
//
// Every access is described as (space, memory, base value + constant offset, bytes). The base of an
// access by address is a 64-bit value, or two halves to which the offset is added with a carry. Two
// accesses of one memory from one base are distinguished by their offsets (modulo 2^32, as
// addresses are); accesses from different bases may overlap. Buffers of different bindings are
// different memory unless one of them is declared Aliased: the SPIR-V memory models of shaders let
// a compiler assume so (SPIR-V specification, "Aliasing"; Restrict is allowed and adds nothing).
// Two declarations of one binding, and two elements of an array of buffers, may be the same memory;
// so may memory accessed by address and any buffer. Shared memory and private arrays overlap
// nothing else. Unchanging buffers (find_unchanging_buffers.h), uniform buffers, push constants and
// the module's own tables are never written while the program runs. Storage images overlap only
// each other (texel buffers may be any buffer). An op unknown to this file may access any buffer.
#ifndef KILN_CORE_MID_ANALYSIS_ALIAS_H_
#define KILN_CORE_MID_ANALYSIS_ALIAS_H_

#include <cstdint>
#include <optional>

#include "core/mir/mir.h"

namespace kiln::mid {

enum class Space : uint8_t {
  kReadOnly,  // uniform buffers, push constants, tables, unchanging storage buffers
  kPrivate,
  kShared,
  kBuffer,   // storage buffers
  kImage,    // storage images
  kGlobal,   // memory by address
  kHelper,   // the lane's helper state: read by helper_invocation, changed by a demote
  kUnknown,  // anything that other invocations reach, except shared memory
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
  // True for a load or store of consecutive values at a known location.
  bool plain() const { return bytes != 0 && reads != writes; }
  int elements() const { return static_cast<int>(bytes / element_bytes); }
};

// A value as a base and a constant offset, which is collected from a chain of additions.
struct Address {
  mir::ValueId base;
  uint32_t offset = 0;
};
Address AddressOf(const mir::Module& module, mir::ValueId v);

// Returns the access of an instruction that reads or writes memory, or has the flag M (ops.def).
std::optional<Access> MemoryAccessOf(const mir::Module& module, mir::InstId id);

// Returns no value if the instruction accesses no memory itself (barriers, ifs and loops do not).
// Called for all instructions, most of which the op alone decides.
inline std::optional<Access> AccessOf(const mir::Module& module, mir::InstId id) {
  constexpr uint32_t kMemory =
      mir::OpInfo::FlagBit('R') | mir::OpInfo::FlagBit('W') | mir::OpInfo::FlagBit('M');
  if ((mir::Info(module.inst(id).op).flags & kMemory) == 0) return std::nullopt;
  return MemoryAccessOf(module, id);
}

// Returns true if the two may touch the same byte, reads or writes alike.
bool MayOverlap(const Access& a, const Access& b);

// Element n of a plain access.
Access ElementOf(const Access& access, int n);

// Returns true if the instruction has no effect and gives the same result for the same sources
// anywhere: pure ops, and loads of unchanging buffers.
bool IsPure(const mir::Module& module, mir::InstId id);
// Returns true if such an instruction reads memory, and should not be executed without need.
bool IsPureRead(const mir::Module& module, mir::InstId id);
// Returns true if it reads push constants at a constant offset: these are in registers.
bool IsKnownPush(const mir::Module& module, mir::InstId id);

// Returns true if such an instruction may also be executed where the program does not execute it:
// it is not volatile, and has no descriptor chosen by value, whose index may be out of range there.
bool IsSpeculatable(const mir::Module& module, mir::InstId id);

// Returns true if two elements are certainly at the same location and of one size.
bool SamePlace(const Access& a, const Access& b);

// Kinds of memory as bits: images, shared memory, then buffers by binding and private arrays
// (several share a bit if there are many). Accesses that may overlap have a common bit.
using MemorySet = uint64_t;
inline constexpr MemorySet kImageMemory = 1;
inline constexpr MemorySet kSharedMemory = 2;
inline constexpr MemorySet kHelperMemory = kSharedMemory;  // fragments have no shared memory
inline constexpr int kBufferBits = 22;                     // from bit 2 on
inline constexpr MemorySet kBufferMemory = ((MemorySet{1} << kBufferBits) - 1) << 2;
// All memory that other invocations reach, except shared memory.
inline constexpr MemorySet kOutsideMemory = kImageMemory | kBufferMemory;
MemorySet MemorySetOf(const Access& access);
// The memory whose accesses an op with the flag E orders. A barrier: memory that it makes visible
// to other lanes; shared memory always, the rest by its memory classes. A kill: memory outside,
// since stores before it happen and later ones do not, and the lane's helper state. An output:
// none.
MemorySet OrderedBy(const mir::Inst& inst);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ANALYSIS_ALIAS_H_
