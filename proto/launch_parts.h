// Pieces that records of both versions have alike. Internal to the conversion.
#ifndef KILN_PROTO_LAUNCH_PARTS_H_
#define KILN_PROTO_LAUNCH_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/out/launch_record.h"

namespace kiln::proto {

inline constexpr uint32_t kComponents = 4;  // of a location or slot

// The scalars of a location.
template <typename Parts>
void ReadParts(const Parts& in, std::vector<out::LocationPart>& result) {
  for (const auto& p : in) result.push_back({p.component(), p.components(), p.type(), p.bits()});
}

// Checks the locations of colour outputs: as many and as high as there are render targets, 8 (the
// limit of all targets' drivers, maxColorAttachments). InvalidArgument.
absl::Status CheckColors(const std::vector<uint32_t>& locations);

// Reads `hex`, which must be of `bytes` bytes. InvalidArgument if it is not.
absl::Status ReadConstantData(const std::string& hex, uint32_t bytes, out::LaunchRecord& r);

}  // namespace kiln::proto

#endif  // KILN_PROTO_LAUNCH_PARTS_H_
