// The order and the visibility of memory accesses that gfx1030 guarantees, as tables.
//
// The simulator's memory mode (memory_order.h, caches.h) delays accesses and answers loads from old
// copies as far as these tables allow. Changed only with a source: without one, a later access may
// overtake, and a copy may be old.
//
// Sources named in the tables:
//   isa           AMD, "RDNA 2" ISA guide, 30 November 2020
//   mesa-bits     Mesa 25.0.7, ac_shader_util.c, ac_get_hw_cache_flags
//   mesa-barrier  Mesa 25.0.7, aco_insert_waitcnt.cpp, perform_barrier: in CU mode the vector cache
//                 keeps all accesses of a workgroup in order, so they need no wait at its scope
//   mesa-readme   Mesa 25.0.7, src/amd/compiler/README-ISA.md, "RDNA L0, L1 cache"
//   mesa-spill    Mesa 25.0.7, aco_spill.cpp: reloads follow the store to their slot without a wait
//   llvm-model    LLVM 19, AMDGPUUsage, "Memory Model GFX10"
#ifndef KILN_CORE_SIM_RDNA2_MEMORY_RULES_H_
#define KILN_CORE_SIM_RDNA2_MEMORY_RULES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace kiln::sim::rdna2 {

// Kinds of memory accesses that are ordered by rules of their own.
enum class Path : uint8_t {
  kVector,   // global and flat memory, buffers, images
  kScratch,  // the wave's own
  kLds,
  kScalar,
};
inline constexpr int kPaths = 4;

// Which two accesses: an access is `kSameBytes` with another if one byte is accessed by both.
enum class Pair : uint8_t {
  kSameBytesOfWave,
  kSameBytesOfCu,  // of two waves on one CU
  kOtherBytesOfWave,
  kElse,  // other CUs; other bytes of two waves
};
inline constexpr int kPairs = 4;

// Says if the later of two accesses of a path takes effect after the earlier. Accesses of different
// paths are not ordered.
struct OrderRule {
  Path path;
  Pair pair;
  bool kept;
  absl::string_view source;
};
absl::Span<const OrderRule> OrderRules();
bool OrderKept(Path path, Pair pair);

// The copy that a load may be answered from.
enum class Nearest : uint8_t {
  kOwn,        // of the CU (vector loads) or of the WGP (scalar loads), filled from the array's
  kOwnElseL2,  // the same, filled from L2
  kArray,      // of the shader array
  kL2,         // none: L2 is the same for all
};
struct LoadRule {
  bool glc, dlc;
  Nearest nearest;
  absl::string_view source;
};
absl::Span<const LoadRule> LoadRules();
Nearest NearestOf(bool glc, bool dlc);

// When a vector store reaches L2.
struct StoreRule {
  bool glc;
  bool whole_line;  // overwrites whole cache lines, and nothing else
  bool counted;     // vscnt counts it until it is in L2; else it may stay on the CU until the end
  absl::string_view source;
};
absl::Span<const StoreRule> StoreRules();
bool CountedUntilL2(bool glc, bool whole_line);

// Bytes of a line of L0 and L1 (public notes on RDNA: 128; the scalar cache's are 64).
inline constexpr uint32_t kLineBytes = 128;

// Lanes that one pass of an LDS instruction answers: a wave of 64 is answered in two passes,
// between which other waves may write (Mesa 25.0.7, aco_instruction_selection.cpp, load_lds).
inline constexpr int kLdsLanes = 32;

// Copies may be older than the first load that this run makes of a line: another workgroup on the
// CU, or a load of the line's other bytes, may have brought it in. No source says that a cache
// holds only what the simulated waves asked for.
inline constexpr bool kCopiesMayBeOthers = true;

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_MEMORY_RULES_H_
