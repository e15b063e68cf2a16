// Pieces of uniform buffers that a fragment thread starts with in registers (core/intel/ABI.md,
// "Fragments"): finds the data that a module reads from them, and chooses the part to push.
//
// A uniform buffer does not change during a draw, so data at a known offset of a known buffer can
// be read by the hardware that starts the threads. It takes up to four ranges of whole registers.
//
// The worth of a buffer's register is the number of messages that it saves: selection reads each
// register once for the first region that needs it and for those inside (select/memory.h), and a
// loop counts ten times, as in the cost model. The choice is exact: among all sets of ranges within
// the limits it has the greatest worth, minus the number of registers.
//
// Cost: reads are linear in the module; the choice takes registers read times ranges times
// registers allowed, with at most kMaxReads registers read.
//
// Sources: Mesa 25.0.7, brw_nir_analyze_ubo_ranges.c (granule, limits); 3DSTATE_CONSTANT_PS.
#ifndef KILN_CORE_INTEL_ABI_UNIFORM_RANGES_H_
#define KILN_CORE_INTEL_ABI_UNIFORM_RANGES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/mir/mir.h"

namespace kiln::intel {

inline constexpr uint32_t kRangeGranule = 32;  // bytes: a register

// The registers of a uniform buffer from `first` on, counted from its start.
struct UniformRange {
  uint32_t resource = 0;  // MIR resource
  uint32_t element = 0;   // of an array
  uint32_t first = 0;
  uint32_t registers = 0;
  uint32_t push_register = 0;  // counted from the first of all push registers
  friend bool operator==(const UniformRange&, const UniformRange&) = default;
};

// One register of a buffer that the program reads.
struct UniformRead {
  uint32_t resource = 0;
  uint32_t element = 0;
  uint32_t index = 0;    // of the register in its buffer
  int64_t messages = 0;  // that read it, with the model's weight of loops
  friend bool operator==(const UniformRead&, const UniformRead&) = default;
};

// Returns loads at known offsets from buffers that are named without a value, ascending by
// (resource, element, index). Does not include a constant index beyond its array, an array without
// length, and volatile loads.
std::vector<UniformRead> FindUniformReads(const mir::Module& module);

struct RangeLimits {
  uint32_t ranges = 0;
  uint32_t registers = 0;  // in all
};

// Returns the ranges to push, ascending as the reads are. Registers between two reads are part of a
// range if that pays.
std::vector<UniformRange> ChooseRanges(absl::Span<const UniformRead> reads,
                                       const RangeLimits& limits);

// Returns true, and the element of its array that a load of a uniform buffer names, unless a value
// selects it.
bool NamesElement(const mir::Module& module, mir::InstId load, uint32_t* element);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_UNIFORM_RANGES_H_
