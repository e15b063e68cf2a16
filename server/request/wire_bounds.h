// Bounds on what a message's bytes make of memory, before it is parsed.
//
// A field of two bytes on the wire becomes a string or a message of tens to hundreds in memory: 8
// MB of empty `targets` took 361 MB, and a request was only refused for their number when they were
// there. So the wire is walked first, once: elements of repeated fields are counted against their
// own bounds (those which RequestChecker names, so that no valid request is refused here), unknown
// fields, which protobuf keeps, against one for all. Contents of bytes and strings are skipped; so
// the walk costs what the number of fields does, not their bytes, and ends with the first that is
// too many. A message that says that it is longer than the one around it is refused: the parser
// reads on as it says. Where the bytes are otherwise no message the walk ends without an answer,
// and no later than the parser does: what that makes of the bytes before is within the bounds.
// (wire_bounds_fuzz.cc holds both to that.)
#ifndef KILN_SERVER_REQUEST_WIRE_BOUNDS_H_
#define KILN_SERVER_REQUEST_WIRE_BOUNDS_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "proto/compile.pb.h"

namespace kiln::server {

// Of unknown fields of a message, and of elements of a field that has no bound of its own.
inline constexpr uint64_t kMaxOtherFields = 4096;

class WireBounds {
 public:
  struct TooMany {
    std::string field;  // "glsl.includes", "options.(unknown)"
    std::string what;
  };
  explicit WireBounds(const kiln::v1alpha::Capabilities::Limits& limits);

  // Of the bytes of a message of `type`; nothing: within the bounds, or no message. Thread-safe.
  std::optional<TooMany> Check(google::protobuf::io::ZeroCopyInputStream* bytes,
                               const google::protobuf::Descriptor& type) const;

 private:
  // By field; one that is not there has kMaxOtherFields.
  std::map<const google::protobuf::FieldDescriptor*, uint64_t> most_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_REQUEST_WIRE_BOUNDS_H_
