// Bounds the memory that a message takes once parsed, before it is parsed.
//
// A field of two bytes on the wire becomes a string or a message of tens to hundreds of bytes in
// memory: 8 MB of empty `targets` took 361 MB, and the request was refused for their number only
// after that. So the wire is walked first, once. Elements of repeated fields are counted against
// their own bounds (those that RequestChecker has, so that no valid request is refused here);
// unknown fields, which protobuf keeps, against one bound for all. Contents of bytes and strings
// are skipped, so the walk costs time by the number of fields, not of bytes, and ends with the
// first that is too many. A message that claims to be longer than the one around it is refused,
// because the parser would read on. If the bytes are no message for another reason, the walk ends
// without an answer, and no later than the parser does: what the parser makes of the bytes before
// is within the bounds. (wire_bounds_fuzz.cc checks both.)
#ifndef KILN_SERVER_REQUEST_WIRE_BOUNDS_H_
#define KILN_SERVER_REQUEST_WIRE_BOUNDS_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kiln/v1/compile.pb.h"

namespace kiln::server {

// Bound on unknown fields of a message, and on elements of a field without a bound of its own.
inline constexpr uint64_t kMaxOtherFields = 4096;
// Each kind of register has a shift for each of 63 spaces, and one for the others.
inline constexpr uint64_t kMaxRegisterShifts = 256;
// glslang's bindings have 16 bits, of which all ones mean that there is none.
inline constexpr uint32_t kMaxRegisterShift = 0xfffe;

class WireBounds {
 public:
  struct TooMany {
    std::string field;  // "glsl.includes", "options.(unknown)"
    std::string what;
  };
  explicit WireBounds(const kiln::v1::Capabilities::Limits& limits);

  // Checks the bytes of a message of `type`. Nothing: within the bounds, or no message.
  // Thread-safe.
  std::optional<TooMany> Check(google::protobuf::io::ZeroCopyInputStream* bytes,
                               const google::protobuf::Descriptor& type) const;

 private:
  // Bounds by field; a field without an entry has kMaxOtherFields.
  std::map<const google::protobuf::FieldDescriptor*, uint64_t> most_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_REQUEST_WIRE_BOUNDS_H_
