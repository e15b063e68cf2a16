// Writes the descriptors that RADV would give for what the client binds, so that programs which
// read their fields, such as size queries, see true values.
//
// Facts: Mesa 25.0.7, radv_descriptor_set.c, radv_image_view.c, radv_buffer_view.c, radv_sampler.c,
// radv_cmd_buffer.c (radv_write_vertex_descriptors) and ac_descriptors.c. Where RADV has a choice,
// images are linear (SW_MODE 0), uncompressed and without FMASK; a null descriptor is all zeros.
#ifndef KILN_CORE_SIM_RDNA2_RESOURCE_CLIENT_DESCRIPTOR_H_
#define KILN_CORE_SIM_RDNA2_RESOURCE_CLIENT_DESCRIPTOR_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/sim/rdna2/resource/descriptor.h"
#include "core/sim/scene/dispatch.h"
#include "core/sim/scene/image.h"
#include "core/sim/scene/vertex.h"

namespace kiln::sim::rdna2 {

// Returns the V# of a uniform or storage buffer of `bytes` bytes: raw, its size rounded up to
// dwords. The null descriptor if the buffer is null or at address 0. OutOfRange above 4 GiB.
absl::StatusOr<BufferWords> DescribeBuffer(const scene::ClientBuffer& buffer, uint64_t address,
                                           uint64_t bytes);

// Returns the V# of a vertex buffer, with format 32_UINT: programs that need another one have it in
// their MTBUF instructions.
absl::StatusOr<BufferWords> DescribeVertexBuffer(uint64_t address, uint64_t bytes, uint32_t stride);

// Returns the V# of an attribute whose elements follow each other, of as many components of 32 bits
// as are given. DST_SEL has 0 and, in w, 1 for the others: an integer, or a float, as the input
// says.
absl::StatusOr<BufferWords> DescribeVertexAttribute(uint64_t address,
                                                    const scene::VertexInput& input);

// Returns the V# of a texel buffer: an image of dimension kBuffer.
absl::StatusOr<BufferWords> DescribeTexelBuffer(const scene::ClientImage& image, uint64_t address);

// Returns the T# of an image at `address`, a multiple of 256. `storage`: for a storage image, whose
// cubes are arrays of faces. In a descriptor set, the T# of a sampled image is followed by that of
// its FMASK, which is null here: 8 dwords of 0. Unimplemented for formats that RADV has no images
// of.
absl::StatusOr<ImageWords> DescribeImage(const scene::ClientImage& image, uint64_t address,
                                         bool storage);

// Returns the S# of a sampler.
SamplerWords DescribeSampler(const scene::ClientSampler& sampler);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_RESOURCE_CLIENT_DESCRIPTOR_H_
