#include "core/front/state/bindings.h"

#include <algorithm>

namespace kiln::front {

void Bindings::BindValue(uint32_t id, uint32_t type, absl::Span<const ValueId> leaves) {
  Binding& binding = bindings_[id];
  if (binding.value == kNoValue) {
    binding.value = static_cast<uint32_t>(values_.size());
    values_.resize(values_.size() + leaves.size());
  }
  binding.kind = Binding::kValue;
  binding.type = type;
  std::copy(leaves.begin(), leaves.end(), values_.begin() + binding.value);
}

void Bindings::BindSlots(uint32_t id, uint32_t type, uint32_t slot) {
  bindings_[id].kind = Binding::kSlots;
  bindings_[id].type = type;
  bindings_[id].slot = slot;
}

void Bindings::BindPointer(uint32_t id, const Pointer& pointer) {
  Binding& binding = bindings_[id];
  if (binding.pointer == kNoValue) {
    binding.pointer = static_cast<uint32_t>(pointers_.size());
    pointers_.emplace_back();
  }
  binding.kind = Binding::kPointer;
  pointers_[binding.pointer] = pointer;
}

void Bindings::BindImage(uint32_t id, const ImageHandle& handle) {
  Binding& binding = bindings_[id];
  if (binding.image == kNoValue) {
    binding.image = static_cast<uint32_t>(images_.size());
    images_.emplace_back();
  }
  binding.kind = Binding::kImage;
  images_[binding.image] = handle;
}

}  // namespace kiln::front
