// Whether the values of a pipeline state are ones that there are: asked by the service before it
// queues a job, and by the worker, which also serves clients without a service.
#ifndef KILN_SERVER_WORKER_CHECK_STATE_H_
#define KILN_SERVER_WORKER_CHECK_STATE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "proto/compile.pb.h"

namespace kiln::worker {

// The least that Vulkan lets a device stop at is 4 colour attachments; desktop ones have 8.
inline constexpr uint32_t kMaxAttachments = 8;
// Between two stages: of four components, 128 in all, which desktop devices have.
inline constexpr uint32_t kMaxLocations = 32;

// Field of the request, and why: one at most for each field.
std::vector<std::pair<std::string, std::string>> WrongState(
    const kiln::v1alpha::PipelineState& state);

// Does it say what is said by saying nothing?
bool IsDefault(const kiln::v1alpha::FragmentState& state);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_CHECK_STATE_H_
