// The contents of Inst::aux for pseudo operations between lanes.
#ifndef KILN_CORE_AMD_LIR_LANES_H_
#define KILN_CORE_AMD_LIR_LANES_H_

#include <cstdint>

#include "core/amd/isa/opcodes.h"

namespace kiln::amd {

// The aux of kLaneScan. Lanes that are off contribute the identity.
struct ScanAux {
  enum Kind : uint8_t {
    kReduce,          // def 0: the combination of all lanes (S)
    kReduceClusters,  // def 0: in each lane, the combination of its cluster (V)
    kInclusive,       // def 0: in each lane, the combination of it and the lanes below (V)
    kExclusive,       // def 0: in each lane, the combination of the lanes below (V)
  };
  isa::Opcode op = isa::Opcode::kVAddNcU32;  // of two sources, commutative
  Kind kind = kReduce;
  uint8_t cluster = 0;  // lanes that are combined

  constexpr uint32_t Pack() const {
    return static_cast<uint32_t>(op) | uint32_t{kind} << 16 | uint32_t{cluster} << 24;
  }
  static constexpr ScanAux Unpack(uint32_t aux) {
    return {static_cast<isa::Opcode>(aux & 0xffff), static_cast<Kind>(aux >> 16 & 0xff),
            static_cast<uint8_t>(aux >> 24)};
  }
};

// The aux of kLaneStore.
struct StoreAux {
  uint16_t offset = 0;        // in LDS, from the address, of the first value
  uint8_t stride_dwords = 0;  // from one value to the next
  uint8_t bytes = 4;          // of a value: 1 or 4
  bool whole_wave = false;    // all lanes of the wave are on

  constexpr uint32_t Pack() const {
    return offset | uint32_t{stride_dwords} << 16 | uint32_t{bytes} << 24 |
           uint32_t{whole_wave} << 31;
  }
  static constexpr StoreAux Unpack(uint32_t aux) {
    return {static_cast<uint16_t>(aux & 0xffff), static_cast<uint8_t>(aux >> 16 & 0xff),
            static_cast<uint8_t>(aux >> 24 & 0x7f), aux >> 31 != 0};
  }
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_LIR_LANES_H_
