// What a target does by itself: the facts that passes behind the neutral ones ask before they lower
// or combine. A target states every one; there is no default that could pass for a statement.
#ifndef KILN_CORE_MID_FEATURES_H_
#define KILN_CORE_MID_FEATURES_H_

#include <cstdint>

namespace kiln::mid {

// Where derivatives, and implicit levels of detail, are instructions (else lower_derivatives).
enum class Derivatives : uint8_t { kNowhere, kInFragments, kEverywhere };

struct Features {
  bool int64;  // integers of 64 bits, in registers and memory (else lower_int64)
  bool int8;   // arithmetic on bytes (else lower_int8)

  // Atomic operations on floats (else lower_float_atomics).
  struct FloatAtomics {
    bool add;  // of dwords in buffers and shared memory, as are
    bool min_max;
    bool on_images;
    bool of_16_bits;  // and atomics on 16-bit integers
  } float_atomics;

  Derivatives derivatives;

  // What a sample with derivatives may have besides (else lower_gradients).
  struct Gradients {
    bool of_cubes;
    bool least_level_with_reference;
    bool least_level_with_offsets;  // or with a sampler that no table holds
    uint32_t samplers_in_table;
  } gradients;

  bool divides_directions;  // a cube's, by their largest part (else normalize_directions)
  // What a multiply-add of floats takes as its addend without a register (form_fma); multiplicands
  // are in registers.
  enum class Addends : uint8_t { kNone, kExactHalves };  // what ExactHalf knows, core/base/half.h
  Addends constant_addends;

  bool conditions_in_flags;  // few, and for a straight line of code (then rematerialise_compares)

  // What one access takes (combine_memory), in bytes.
  struct Access {
    uint32_t lane;   // of each lane
    uint32_t block;  // at one offset for all lanes; 0: there are none
    uint32_t shared_block_alignment;
  } access;
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_FEATURES_H_
