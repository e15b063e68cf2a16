// Reads decorations: applies those of ids at once, those of members when their struct is read.
//
// They come before the types, so a decorated object is known by its id alone. Decorations of ids
// are in SpirvModule::decorations as soon as they are read; those of members are kept here, since
// SpirvMember is made with its struct.
//
// Decoration groups (deprecated) are copied to their targets. Cost: linear, except that each use of
// a group goes through all decorations so far, up to a limit.
#ifndef KILN_CORE_FRONT_SPIRV_SPIRV_DECORATIONS_H_
#define KILN_CORE_FRONT_SPIRV_SPIRV_DECORATIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

// Lifetime: the reading of one module.
class DecorationReader {
 public:
  explicit DecorationReader(SpirvModule& module) : m_(module) {}

  // Reads an annotation instruction.
  absl::Status Read(const SpirvInst& inst);
  // Sets a member's fields from its decorations.
  void ApplyToMember(uint32_t struct_id, uint32_t index, SpirvMember& member);
  // Finds the constant decorated WorkgroupSize, after everything is read.
  void Finish();

 private:
  struct Decoration {
    uint32_t target = 0;
    uint32_t member = kNoValue;
    spv::Decoration kind = spv::Decoration::Max;
    uint32_t operand = 0;
  };
  absl::Status Decorate(const Decoration& decoration);
  absl::Status GroupDecorate(const SpirvInst& inst, bool members);
  static void ApplyToId(SpirvDecorations& d, const Decoration& decoration);

  SpirvModule& m_;
  std::vector<Decoration> all_;      // in order of appearance, for groups
  std::vector<Decoration> members_;  // sorted at the first struct
  bool members_sorted_ = false;
  size_t group_scan_ = 0;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPIRV_DECORATIONS_H_
