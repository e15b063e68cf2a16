// Where accesses to memory go: the parts of an address, and the operands of instructions that have
// it. Internal to this folder.
//
// A constant that is added to an offset becomes the instruction's, where that is the same address:
// of LDS, whose addresses are sums modulo 2^32, always (core/sim/rdna2/lds.cc names the source);
// of buffers and scratch, whose sums do not wrap, if the known bits of the rest show that the sum
// of 32 bits does not either (LLVM 19, SIISelLowering.cpp, splitBufferOffsets: a negative offset in
// the register is out of bounds even if the sum is not).
#ifndef KILN_CORE_AMD_SELECT_ADDRESSES_H_
#define KILN_CORE_AMD_SELECT_ADDRESSES_H_

#include "core/amd/select/descriptors.h"
#include "core/amd/select/shared_pairs.h"

namespace kiln::amd {

// The kinds of memory that vector instructions reach.
enum class Space : uint8_t { kBuffer, kShared, kGlobal, kScratch };

// Returns the largest immediate offset of an instruction, in bytes.
uint32_t MaxImmediate(Space space);

// Where an access goes. Offsets are bytes; the parts are added.
struct Location {
  Space space = Space::kBuffer;
  Operand descriptor;  // kBuffer: V#
  Operand vector;      // offset in V, of kGlobal without `scalar` the address, two dwords; or none
  Operand scalar;      // kBuffer: offset in S; kGlobal: base address, two dwords of S; or none
  uint32_t constant = 0;
  uint8_t cache = 0;  // CacheBits
  uint8_t flags = 0;  // lir::InstFlags of loads
};

// Returns what the offset of a load or store is a multiple of, in bytes, a power of two: what the
// instruction says, and what known bits show of offsets in LDS (up to 16) and in buffers and
// scratch (up to 4; where a buffer begins is the client's).
uint32_t AlignmentOf(const mir::Module& m, mir::InstId id);

class Addresses : public Room {
 public:
  Addresses(Emission& e, Descriptors& descriptors) : Room(e), descriptors_(descriptors) {}

  // Returns the location of an access to a buffer, shared memory or an address; `next` is the
  // position of the first source after the offset.
  Location Of(mir::InstId id, int* next);
  // Adds an offset to a location that has none.
  void AddOffset(mir::ValueId offset, Location* location);

  // The offset of a scalar load: a constant of at most 20 bits, which may grow by that of an
  // access, and a register, or none.
  struct ScalarOffset {
    Operand soffset;
    uint32_t constant = 0;
  };
  ScalarOffset ScalarOffsetOf(mir::ValueId offset);

  // The address operands of vector instructions: sources 0 to 2 of the encodings.
  struct Address {
    Operand vaddr, resource, soffset;
    Extra extra;
  };
  // Returns those for the place `at` bytes behind a location.
  Address At(const Location& location, uint32_t at);
  // Returns those for two places of shared memory; `two` are their offsets from the location
  // without its constant.
  Address AtTwo(const Location& location, const TwoOffsets& two);

 private:
  struct GlobalAddress {
    mir::ValueId low, high;
    uint32_t constant = 0;
  };
  GlobalAddress GlobalAddressOf(mir::InstId id) const;
  bool IsInReach(const Location& location, mir::ValueId base, uint32_t constant) const;
  Operand VectorPlus(const Operand& vector, uint32_t added);

  Descriptors& descriptors_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_ADDRESSES_H_
