// The EU verifier's rules about writes to render targets, which need the whole program, and those
// that need what the program declares besides.
//
//   * a program that writes to targets ends with such a write;
//   * of the writes for each group of channels the last in the program says that it is, and no
//   other;
//   * all have the same parts: the payloads of one form are as long as each other, but for the
//   alpha of
//     target 0.
// Source: Mesa 25.0.7, brw_fs_visitor.cpp (emit_fb_writes) and brw_lower_logical_sends.cpp
// (lower_fb_write_logical_send); reference "Render target write". Linear.
#ifndef KILN_CORE_INTEL_ISA_VERIFY_TARGETS_H_
#define KILN_CORE_INTEL_ISA_VERIFY_TARGETS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/messages.h"

namespace kiln::intel::isa {

// Indices of instructions that break a rule, ascending.
std::vector<size_t> MisplacedLastTargets(Generation gen,
                                         absl::Span<const PlacedInstruction> program);
std::vector<size_t> UnequalTargetWrites(Generation gen,
                                        absl::Span<const PlacedInstruction> program);

// What every target write of a program carries beside its colours, as the pipeline's state says it.
struct TargetParts {
  bool sample_mask = false;
  bool depth = false;
  bool stencil = false;
  bool dual_source = false;
  friend bool operator==(const TargetParts&, const TargetParts&) = default;
};

// Registers of both payloads of a write together; 0 where the form cannot carry the parts: 16 lanes
// have neither a stencil nor a second source.
int TargetPayload(const MessageFields& fields, const TargetParts& parts);

// Target writes of which the length is another: such programs hang.
std::vector<size_t> TargetWritesUnlike(Generation gen, absl::Span<const PlacedInstruction> program,
                                       const TargetParts& parts);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_VERIFY_TARGETS_H_
