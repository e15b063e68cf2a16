// Checks that the values of a pipeline state exist. Used by the service before it queues a job, and
// by the worker, which also serves clients without a service.
#ifndef KILN_SERVER_WORKER_CHECK_STATE_H_
#define KILN_SERVER_WORKER_CHECK_STATE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kiln/v1/compile.pb.h"

namespace kiln::worker {

// Vulkan guarantees at least 4 colour attachments; desktop devices have 8.
inline constexpr uint32_t kMaxAttachments = 8;
// Locations between two stages, of four components each: 128 components, which desktop devices
// have.
inline constexpr uint32_t kMaxLocations = 32;

// Returns the request's wrong fields, each at most once, and the reasons.
std::vector<std::pair<std::string, std::string>> WrongState(const kiln::v1::PipelineState& state);

// Returns true if the state equals the default, so that it might as well be absent.
bool IsDefault(const kiln::v1::FragmentState& state);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_CHECK_STATE_H_
