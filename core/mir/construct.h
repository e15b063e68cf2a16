// The construct that an instruction belongs to, by its operation: what selection divides its work
// by. And the shape of an if, as it becomes blocks.
#ifndef KILN_CORE_MIR_CONSTRUCT_H_
#define KILN_CORE_MIR_CONSTRUCT_H_

#include <cstdint>

#include "core/mir/mir.h"

namespace kiln::mir {

enum class Construct : uint8_t {
  kIf,
  kLoop,
  kLoad,   // of buffers, push constants, shared and constant memory, addresses
  kStore,  // to buffers, shared memory, addresses
  kPrivateLoad,
  kPrivateStore,
  kAtomic,      // of up to 32 bits, on memory
  kWideAtomic,  // of 64 bits
  kBufferAddress,
  kBufferSize,
  kInput,  // of a fragment or vertex, interpolated or not
  kOutput,
  kDerivative,
  kKill,  // of lanes
  kHelperInvocation,
  kImage,  // images, samplers and what is asked of them
  kControlBarrier,
  kMemoryBarrier,
  kClock,
  kWorkgroupScan,
  kSubgroup,      // between lanes
  kLaneNumber,    // of a lane in its subgroup
  kLaunch,        // what a thread gets at its start
  kTargetLaunch,  // the same by a target's own numbers
  kStageEffect,
  kArithmetic,  // the rest: a result computed lane by lane from the sources
};

Construct ConstructOf(Op op);

// The sides of an if in the order of the layout. An empty then side of an if without results gives
// its place to the else side, under the opposite condition.
struct IfSides {
  RegionId then_region;
  RegionId else_region;
  bool swapped = false;   // the condition is the opposite
  bool has_else = false;  // false: no code is needed for else_region
};
IfSides SidesOf(const Module& m, InstId id);

// The way in which a side of an if, or the body of a loop, ends.
enum class RegionEnd : uint8_t { kYield, kJump, kUnreachable };
RegionEnd EndOf(const Module& m, RegionId region);

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_CONSTRUCT_H_
