// The features that a target supports by itself. Passes query them before they lower or combine
// operations; core/target/check_features.h refuses what no lowering replaces. A target states every
// field; there are no defaults, so that none is forgotten.
#ifndef KILN_CORE_MID_FEATURES_H_
#define KILN_CORE_MID_FEATURES_H_

#include <cstdint>

namespace kiln::mid {

// Stages in which derivatives, and implicit levels of detail, are instructions (else
// lower_derivatives).
enum class Derivatives : uint8_t { kNowhere, kInFragments, kEverywhere };

struct Features {
  bool int64;  // integers of 64 bits, in registers and memory (else lower_int64)
  bool int8;   // arithmetic on bytes (else lower_int8)
  bool dot4;   // products of four bytes, added (else lower_dot_products)

  // Atomic operations on floats (else lower_float_atomics).
  struct FloatAtomics {
    bool add;      // of dwords in buffers and shared memory
    bool min_max;  // of dwords, and of doubles if the target has any, there
    bool on_images;
    bool of_16_bits;  // and atomics on 16-bit integers
  } float_atomics;

  // No pass lowers these: modules that need them are refused.
  bool half_floats;           // floats of 16 bits, and conversions from and to their bits
  bool addresses;             // memory accesses by 64-bit address
  bool shared_int64_atomics;  // 64-bit atomics on shared memory, of pairs unless `int64`
  bool float64;               // floats of 64 bits: correctly rounded, division and root included
  bool float64_atomics;       // atomics of them, by instructions or 64-bit compare-exchanges
  bool barycentrics;          // weights of a primitive's vertices, and their own values
  bool clocks;                // read_clock, of both scopes
  bool int64_images;          // images of 64-bit integers, and atomics on them
  bool rounding_by_width;     // a rounding mode for each width of floats, not one for all
  // Texel offsets of samples: the range of constant ones, in texels.
  struct TexelOffsets {
    int32_t least;
    int32_t most;
    bool by_lane;  // each lane may have its own (else lower_nonuniform)
  } sample_offsets;

  uint32_t most_lanes;  // of a subgroup: 32 or 64

  Derivatives derivatives;

  // Further operands that a sample with gradients may have (else lower_gradients).
  struct Gradients {
    bool of_cubes;
    bool least_level_with_reference;
    bool least_level_with_offsets;  // or with a sampler that is in no table
    uint32_t samplers_in_table;
  } gradients;

  bool divides_directions;  // of cubes, by their largest component (else normalize_directions)
  // Constants that a multiply-add of floats takes without a register (form_fma): as its addend none
  // or those of ExactHalf (core/base/half.h), its multiplicands being in registers; or as any
  // source one of any bits besides some powers of two.
  enum class Addends : uint8_t { kNone, kExactHalves, kOneLiteral };
  Addends constant_addends;
  bool fuses_all_widths;  // multiply-adds of 16 and 64 bits save an instruction, as those of 32 do

  bool conditions_in_flags;  // few, each for a straight line of code (then rematerialise_compares)

  // Limits of one memory access (combine_memory), in bytes.
  struct Access {
    uint32_t lane;   // of each lane
    uint32_t block;  // at one offset for all lanes; 0: unsupported
    uint32_t shared_block_alignment;
    bool block_of_constants;  // also at constant offsets in memory that nothing writes, where a
                              // target's selection has no blocks of its own
  } access;
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_FEATURES_H_
