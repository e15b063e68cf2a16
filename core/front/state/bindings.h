// Maps the SPIR-V ids of function bodies, at the current point of the walk, to scalars, slots, a
// pointer or an image.
//
// A callee's ids are bound again in each inlined copy and unbound after it; the storage of their
// scalars, pointers and images is allocated once. Lifetime: one import; of a binding: the inlined
// copy that made it.
#ifndef KILN_CORE_FRONT_STATE_BINDINGS_H_
#define KILN_CORE_FRONT_STATE_BINDINGS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/front/spirv/spirv.h"
#include "core/front/state/pointer.h"
#include "core/mir/mir.h"

namespace kiln::front {

struct Binding {
  enum Kind : uint8_t { kNone, kValue, kSlots, kPointer, kImage };
  Kind kind = kNone;
  uint32_t type = 0;  // kValue, kSlots
  uint32_t slot = 0;  // kSlots: the first
  // Indices into Bindings' storage, for the other kinds.
  uint32_t value = kNoValue;  // the first
  uint32_t pointer = kNoValue;
  uint32_t image = kNoValue;
};

class Bindings {
 public:
  explicit Bindings(uint32_t bound) : bindings_(bound) {}

  // Returns the binding of an id; ids beyond the bound have none.
  const Binding& Of(uint32_t id) const { return bindings_[id < bindings_.size() ? id : 0]; }
  // Return leaf `i` of a kValue; the pointer of a kPointer; the image of a kImage.
  ValueId value(const Binding& binding, uint32_t i) const { return values_[binding.value + i]; }
  const Pointer& pointer(const Binding& binding) const { return pointers_[binding.pointer]; }
  const ImageHandle& image(const Binding& binding) const { return images_[binding.image]; }

  // Bind an id. It must be below the bound, and always have the same number of leaves.
  void BindValue(uint32_t id, uint32_t type, absl::Span<const ValueId> leaves);
  void BindSlots(uint32_t id, uint32_t type, uint32_t slot);
  void BindPointer(uint32_t id, const Pointer& pointer);
  void BindImage(uint32_t id, const ImageHandle& handle);
  void Unbind(uint32_t id) { bindings_[id].kind = Binding::kNone; }

  // Adds a texel and returns its number, which pointers of space kTexel hold.
  uint32_t AddTexel(TexelPointer texel) {
    texels_.push_back(std::move(texel));
    return static_cast<uint32_t>(texels_.size() - 1);
  }
  const TexelPointer& texel(uint32_t number) const { return texels_[number]; }

 private:
  std::vector<Binding> bindings_;  // by SPIR-V id
  std::vector<ValueId> values_;
  std::vector<Pointer> pointers_;
  std::vector<ImageHandle> images_;
  std::vector<TexelPointer> texels_;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_STATE_BINDINGS_H_
