// Specialisation constants of a stage of a capture.
#ifndef KILN_CLIENT_CAPTURE_SPECIALIZATION_H_
#define KILN_CLIENT_CAPTURE_SPECIALIZATION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "client/capture/entry_json.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Reads VkSpecializationInfo, {"dataSize", "data": BASE64, "mapEntries": [{"constantID", "offset",
// "size"}]}: the bits of each constant, by id. Sizes are 1, 2, 4 or 8 bytes, as SPIR-V has. An id
// that is mapped twice to the same bits counts once, though Vulkan forbids it
// (VUID-VkSpecializationInfo-constantID-04911). InvalidArgument says what contradicts itself;
// errors of the JSON are the document's.
absl::StatusOr<std::vector<kiln::v1::SpecConstant>> ReadSpecialization(const EntryJson& info);

}  // namespace kiln::client

#endif  // KILN_CLIENT_CAPTURE_SPECIALIZATION_H_
