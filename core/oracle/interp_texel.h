// Texel ops of one lane, for the interpreter.
//
// `sources` are the lane's sources of the instruction, `image` the binding of its image, which has
// the dimension, component type and format of the resource (CheckBound).
#ifndef KILN_CORE_ORACLE_INTERP_TEXEL_H_
#define KILN_CORE_ORACLE_INTERP_TEXEL_H_

#include <array>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/mir/mir.h"
#include "core/oracle/sampling.h"

namespace kiln::oracle {

// Returns InvalidArgument if the image cannot be bound to the resource.
absl::Status CheckBound(const mir::Resource& resource, const BoundImage& image);

// Derivatives of the coordinates.
struct TexelSlopes {
  std::array<float, 3> dx = {0, 0, 0};
  std::array<float, 3> dy = {0, 0, 0};
};

// Executes kSample, kGather and, with slopes, kSampleImplicit and kImageLod. `noise` is added to
// the weights of filters.
Texel SampledTexel(const mir::Module& module, mir::InstId id, absl::Span<const uint32_t> sources,
                   const BoundImage& image, const BoundSampler& sampler,
                   const std::array<double, 4>& noise,
                   const std::optional<TexelSlopes>& slopes = std::nullopt);

// Returns the texel of a kFetch, kImageLoad, kImageStore, kImageAtomic or kImageAtomic64, or
// nothing if it is outside.
std::optional<uint64_t> NamedTexel(const mir::Module& module, mir::InstId id,
                                   absl::Span<const uint32_t> sources, const BoundImage& image);

// Executes kImageSize, kImageLevels and kImageSamples: as many components as the instruction has
// results.
Texel QueriedTexel(const mir::Module& module, mir::InstId id, absl::Span<const uint32_t> sources,
                   const BoundImage& image);

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_INTERP_TEXEL_H_
