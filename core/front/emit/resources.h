// The Resource of mir.h that an access goes to. See resources.cc.
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

  // The index of the resource, made if there is none yet.
  bool Resource(const Pointer& pointer, uint32_t* index) const;
  // When all is emitted: arrays of descriptors take the place of their parts, and resources the
  // order that mir.h asks for.
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
