#include "core/target/resource_kind.h"

namespace kiln {

out::ResourceKind ResourceKindOf(mir::ResourceKind kind) {
  switch (kind) {
    case mir::ResourceKind::kUniformBuffer: return out::ResourceKind::kUbo;
    case mir::ResourceKind::kStorageBuffer: return out::ResourceKind::kSsbo;
    case mir::ResourceKind::kSampledImage: return out::ResourceKind::kSampledImage;
    case mir::ResourceKind::kStorageImage: return out::ResourceKind::kStorageImage;
    case mir::ResourceKind::kCombinedImageSampler: return out::ResourceKind::kCombinedImageSampler;
    case mir::ResourceKind::kUniformTexelBuffer: return out::ResourceKind::kUniformTexelBuffer;
    case mir::ResourceKind::kStorageTexelBuffer: return out::ResourceKind::kStorageTexelBuffer;
    case mir::ResourceKind::kSampler: return out::ResourceKind::kSampler;
  }
  return out::ResourceKind::kUbo;
}

}  // namespace kiln
