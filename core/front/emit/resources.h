// Finds or makes the Resource of mir.h for an access. See resources.cc.
#ifndef KILN_CORE_FRONT_EMIT_RESOURCES_H_
#define KILN_CORE_FRONT_EMIT_RESOURCES_H_

#include <cstdint>
#include <vector>

#include "core/front/emit/inst_emitter.h"
#include "core/front/spirv/spirv.h"
#include "core/front/state/pointer.h"
#include "core/mir/mir.h"

namespace kiln::front {

class Resources : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  // Gets the index of the resource; makes it if necessary.
  bool Resource(const Pointer& pointer, uint32_t* index) const;
  // Replaces single descriptors by the arrays that contain them, and sorts resources as mir.h
  // requires. Runs after all code is emitted.
  void Finish() const;

 private:
  bool NeverWritable(const Pointer& pointer) const;
  mir::ResourceKind KindOf(const Pointer& pointer, const SpirvType& type) const;
  std::vector<bool> MakeArrays() const;
  void IndexArrays(const std::vector<bool>& made) const;
  uint32_t IndexSampler(const mir::TexelOp& texel) const;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_RESOURCES_H_
