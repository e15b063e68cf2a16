// The EU verifier's rules about writes to render targets, which need the whole program, and those
// that also need the program's declarations.
//
// * a program that writes to render targets ends with such a write;
// * among the writes for each group of channels, exactly the last in the program is marked as the
//   last;
// * all have the same parts: payloads of one form have equal length, except for the alpha of render
//   target 0.
//
// Source: Mesa 25.0.7, brw_fs_visitor.cpp (emit_fb_writes) and brw_lower_logical_sends.cpp
// (lower_fb_write_logical_send); reference "Render target write". Cost: linear.
#ifndef KILN_CORE_INTEL_ISA_VERIFY_TARGETS_H_
#define KILN_CORE_INTEL_ISA_VERIFY_TARGETS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/messages.h"

namespace kiln::intel::isa {

// Returns the indices of instructions that break a rule, ascending.
std::vector<size_t> MisplacedLastTargets(Generation gen,
                                         absl::Span<const PlacedInstruction> program);
std::vector<size_t> UnequalTargetWrites(Generation gen,
                                        absl::Span<const PlacedInstruction> program);

// The parts that every render-target write of a program carries besides its colours, according to
// the pipeline's state.
struct TargetParts {
  bool sample_mask = false;
  bool depth = false;
  bool stencil = false;
  bool dual_source = false;
  friend bool operator==(const TargetParts&, const TargetParts&) = default;
};

// Returns the registers of both payloads of a write together; 0 if the form cannot carry the parts:
// writes of 16 lanes have neither a stencil nor a second source.
int TargetPayload(const MessageFields& fields, const TargetParts& parts);

// Returns the indices of render-target writes of another length: such programs hang.
std::vector<size_t> TargetWritesUnlike(Generation gen, absl::Span<const PlacedInstruction> program,
                                       const TargetParts& parts);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_VERIFY_TARGETS_H_
