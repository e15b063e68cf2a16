#include "core/oracle/descriptors.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/oracle/interp_texel.h"

namespace kiln::oracle {
namespace {

using mir::Resource;
using mir::ResourceKind;

constexpr size_t kNothing = SIZE_MAX;

template <class T, class Fits>
size_t FindIn(const std::vector<T>& all, const Resource& r, uint32_t element, Fits fits) {
  size_t any = kNothing;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].set != r.set || all[i].binding != r.binding || !fits(all[i])) continue;
    if (all[i].element == element) return i;
    if (any == kNothing) any = i;
  }
  return any;
}

}  // namespace

// Returns true if another resource of the binding accesses images of another type.
bool Descriptors::SharesImages(const Resource& r) const {
  return std::any_of(m_.resources.begin(), m_.resources.end(), [&](const Resource& other) {
    return HasImage(other.kind) && other.set == r.set && other.binding == r.binding &&
           other.image != r.image;
  });
}

size_t Descriptors::Find(const Resource& r, bool sampler, uint32_t element) const {
  const auto any = [](const auto&) { return true; };
  if (sampler || r.kind == ResourceKind::kSampler) return FindIn(in_.samplers, r, element, any);
  if (!HasImage(r.kind)) return FindIn(in_.buffers, r, element, any);
  if (!SharesImages(r)) return FindIn(in_.images, r, element, any);
  return FindIn(in_.images, r, element,
                [&](const BoundImage& image) { return CheckBound(r, image).ok(); });
}

absl::Status Descriptors::Check() const {
  for (const Resource& r : m_.resources) {
    const bool combined = r.kind == ResourceKind::kCombinedImageSampler;
    if (Find(r, false, r.element) == kNothing ||
        (combined && Find(r, true, r.element) == kNothing)) {
      return absl::InvalidArgumentError(
          absl::StrCat("interpreter: nothing is bound to ", r.set, ".", r.binding, ".", r.element));
    }
    if (SharesImages(r)) continue;  // found because it fits
    for (const BoundImage& b : in_.images) {
      if (!HasImage(r.kind) || b.set != r.set || b.binding != r.binding) continue;
      if (absl::Status status = CheckBound(r, b); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

uint32_t Descriptors::CountOf(const Resource& r) const {
  if (r.count != 0) return r.count;
  uint32_t count = 0;
  const auto note = [&](const auto& all) {
    for (const auto& b : all) {
      if (b.set == r.set && b.binding == r.binding && b.element >= r.element) {
        count = std::max(count, b.element - r.element + 1);
      }
    }
  };
  note(in_.buffers);
  note(in_.images);
  note(in_.samplers);
  return count;
}

size_t Descriptors::Known(uint32_t resource, bool sampler, uint32_t index) {
  const auto [it, added] = known_.try_emplace({resource, sampler, index});
  const Resource& r = m_.resources[resource];
  if (added) it->second = Find(r, sampler, r.element + index);
  return it->second;
}

size_t Descriptors::Index(uint32_t resource, uint32_t index) {
  return Known(resource, false, index);
}

size_t Descriptors::SamplerIndex(uint32_t resource, uint32_t index) {
  return Known(resource, true, index);
}

}  // namespace kiln::oracle
