// Pieces of uniform buffers that a fragment thread starts with in registers (core/intel/ABI.md,
// "Fragments"): what a module reads of them, and which of that to push.
//
// A uniform buffer does not change during a draw, so that what lies at a known place of a known
// buffer can be read by whoever starts the threads. The hardware takes up to four ranges of whole
// registers.
//
// What a register of a buffer is worth are the messages that it saves: selection reads each once
// for the region that it first meets it in and those inside (select/blocks.h), and a loop counts
// ten times, as in the model of costs. The choice is exact: of all sets of ranges within the limits
// it has the most worth less registers.
//
// Cost: reads are linear in the module; the choice takes registers read times ranges times
// registers allowed, at most kMaxReads of them.
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

// Registers `first` .. of a uniform buffer, counted from its start.
struct UniformRange {
  uint32_t resource = 0;  // MIR resource
  uint32_t element = 0;   // of an array
  uint32_t first = 0;
  uint32_t registers = 0;
  uint32_t push_register = 0;  // counted from the first of all
  friend bool operator==(const UniformRange&, const UniformRange&) = default;
};

// One register of a buffer that the program reads.
struct UniformRead {
  uint32_t resource = 0;
  uint32_t element = 0;
  uint32_t index = 0;    // of the register in its buffer
  int64_t messages = 0;  // that read it, by the model's weight of loops
  friend bool operator==(const UniformRead&, const UniformRead&) = default;
};

// Loads at known offsets from buffers that are named without a value, ascending by (resource,
// element, index). A constant index beyond its array, an array without length and volatile loads
// are not among them.
std::vector<UniformRead> FindUniformReads(const mir::Module& module);

struct RangeLimits {
  uint32_t ranges = 0;
  uint32_t registers = 0;  // in all
};

// Ascending as the reads are. Registers between two reads are part of a range where that is worth
// it.
std::vector<UniformRange> ChooseRanges(absl::Span<const UniformRead> reads,
                                       const RangeLimits& limits);

// The element of its array that a load of a uniform buffer names, if no value chooses it.
bool NamesElement(const mir::Module& module, mir::InstId load, uint32_t* element);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_UNIFORM_RANGES_H_
